import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { importOutput } from '../support/import-output.js';
import { mcpgen } from '../support/in-process.js';

afterAll(removeTemporaryFolders);

test('a slow pattern of a server does not block the client of a new project', async () => {
  const folder = temporaryFolder();
  const list = [
    {
      name: 'find',
      inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^([a-zA-Z0-9_.-]+)+@x$' } } },
    },
  ];
  writeFileSync(path.join(folder, 'tools.json'), JSON.stringify({ tools: list }));
  const init = async (name: string, ...more: readonly string[]) =>
    mcpgen(['init', 'client', name, '--yes', '--no-install', '--no-git', '--tools', 'tools.json', ...more], {
      cwd: folder,
    });
  const run = await init('careful');
  expect(run.code).toBe(0);
  expect(run.stderr).toMatch(/warning: tools\.json#\/tools\/0\/inputSchema\/properties\/a\/pattern: .*no effect\n/);
  const { isFindInput } = await importOutput<{ isFindInput: (value: unknown) => boolean }>(
    path.join(folder, 'careful/src/generated/tools/find.ts'),
  );
  const start = performance.now();
  expect(isFindInput({ a: `${'a'.repeat(40)}!` })).toBe(true);
  expect(performance.now() - start).toBeLessThan(200);

  // What is trusted stays so when the project is generated again.
  expect(await init('trusting', '--trust-patterns')).toMatchObject({ code: 0, stderr: '' });
  const check = await mcpgen(['generate', '--check'], { cwd: path.join(folder, 'trusting') });
  expect(check).toMatchObject({ code: 0, stderr: '' });
}, 60_000);
