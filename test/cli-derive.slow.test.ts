import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { CLI, listFiles, removeTemporaryFolders, run, temporaryFolder } from './support/cli.js';
import { mcpgen } from './support/in-process.js';
import { schemaWith } from './support/hostile.js';
import { REVISIONS } from './support/revisions.js';
import { requireReferenceMaterial, officialSchema } from './support/reference-material.js';
import { expectSuccess } from './cli-support.js';

afterAll(removeTemporaryFolders);

describe.concurrent('catalog derive', () => {
  test.for(REVISIONS)(
    'of a new schema, here that of $revision with another digest, works without edits',
    async ({ revision }, context) => {
      requireReferenceMaterial(context);
      const cwd = temporaryFolder();
      writeFileSync(path.join(cwd, 'schema.json'), `${officialSchema(revision)}\n`);
      const derived = await mcpgen(['catalog', 'derive', '--schema', 'schema.json', '--revision', 'draft'], { cwd });
      expect(derived.code).toBe(0);
      expect(JSON.parse(derived.stdout)).toMatchObject({ revision: 'draft' });
      writeFileSync(path.join(cwd, 'catalog.json'), derived.stdout);
      const args = ['generate', '--schema', 'schema.json', '--catalog', 'catalog.json', '--emit', 'methods,errors'];
      expect(await expectSuccess([...args, '--out', 'out'], { cwd })).toMatch(/^draft +\d+ /m);
      expect(listFiles(path.join(cwd, 'out'))).toContain('draft/methods.ts');
    },
  );

  test('reads standard input', async () => {
    const result = await mcpgen(['catalog', 'derive', '--schema', '-'], { input: JSON.stringify(schemaWith()) });
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ methods: [{ method: 'ping' }] });
  });
});

describe.concurrent('streams', () => {
  test('knows an official schema from standard input by its digest', async (context) => {
    requireReferenceMaterial(context);
    const args = ['generate', '--schema', '-', '--emit', 'errors'];
    const official = await mcpgen(args, { input: officialSchema('2025-06-18') });
    expect(official).toMatchObject({ code: 0, stderr: '' });
    expect(official.stdout).toContain('revision 2025-06-18');
  });

  test('a reader that closes the pipe does not turn a failed check into a good one', async () => {
    const command = 'set -o pipefail; "$0" "$@" | head -n 0';
    const args = ['generate', '-r', '2024-11-05', '--emit', 'errors', '--out', temporaryFolder(), '--check'];
    expect((await run('bash', ['-c', command, process.execPath, CLI, ...args])).code).toBe(1);
  });
});
