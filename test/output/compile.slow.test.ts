import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as Client from '../../generated/2025-11-25/client.js';
import type * as Server from '../../generated/2025-11-25/server.js';
import type * as Memory from '../../generated/runtime/memory.js';
import { generate } from '../../generator/index.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { REVISIONS } from '../support/revisions.js';

const root = path.resolve(import.meta.dirname, '../..');
const revisions = REVISIONS.map(({ revision }) => revision);

describe('JavaScript with declarations of all revisions', () => {
  const folder = temporaryFolder();
  const out = path.join(folder, 'generated');

  beforeAll(async () => {
    // Like ours, with all parts that need no package.
    await generate({ revisions, target: 'js', out, emit: EMITTED });
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
  });
  afterAll(removeTemporaryFolders);

  test('has declarations that compile, and that the type tests of the TypeScript accept', () => {
    const tests = path.join(folder, 'test/generated/types');
    mkdirSync(tests, { recursive: true });
    cpSync(path.join(import.meta.dirname, '../generated/types'), tests, { recursive: true });
    expect(compile({ include: ['test'] })).toEqual([]);
    expect(compile({ include: ['generated'], skipLibCheck: false })).toEqual([]);
    const planted =
      "import type { Tool } from '../generated/2025-11-25/types.js';\nexport const tool: Tool = { name: 1 };\n";
    writeFileSync(path.join(folder, 'test/planted.ts'), planted);
    expect(compile({ include: ['test/planted.ts'] })).toEqual([
      expect.stringMatching(/^test\/planted\.ts\(2,\d+\): error TS/) as string,
    ]);
  });

  test('has bodies that compilers skip with tsNocheck', async () => {
    const skipped = path.join(folder, 'skipped');
    await generate({ revisions: ['2025-11-25'], tsNocheck: true, out: skipped, emit: ['methods'] });
    const methods = path.join(skipped, '2025-11-25/methods.ts');
    writeFileSync(methods, `${readFileSync(methods, 'utf8')}export function f(): number {\n  return 'planted';\n}\n`);
    const uses =
      "import { f, METHODS } from './2025-11-25/methods.js';\nexport const text: string = f();\nexport const wrong = METHODS.PIN;\n";
    writeFileSync(path.join(skipped, 'uses.ts'), uses);
    expect(compile({ include: ['skipped'] })).toEqual(
      [2, 3].map(
        (line) => expect.stringMatching(new RegExp(`^skipped/uses\\.ts\\(${line},\\d+\\): error TS`)) as string,
      ),
    );
  });

  function compile({ include, skipLibCheck = true }: { include: readonly string[]; skipLibCheck?: boolean }): string[] {
    const compilerOptions = { ...OPTIONS, skipLibCheck };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
    const tsc = path.join(root, 'node_modules/typescript-7/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return stdout.split('\n').filter((line) => line !== '' && !line.startsWith(' '));
  }

  test.each(revisions)('%s: a client and a server talk', async (revision) => {
    const load = async (name: string): Promise<unknown> => import(pathToFileURL(path.join(out, name)).href);
    const { createServer } = (await load(`${revision}/server.js`)) as typeof Server;
    const { createClient } = (await load(`${revision}/client.js`)) as typeof Client;
    const { memoryPair } = (await load('runtime/memory.js')) as typeof Memory;
    const info = { name: 'test', version: '1.0.0' };
    const server = createServer({
      info,
      handlers: {
        'tools/list': () => ({ tools: [{ name: 'add', inputSchema: { type: 'object' } }] }),
        'tools/call': ({ arguments: args }) => ({ content: [{ type: 'text', text: String(args?.['text']) }] }),
      },
    });
    const client = createClient({ info });
    const [left, right] = memoryPair();
    await Promise.all([server.connect(left), client.connect(right)]);
    await expect(client.callTool({ name: 'add', arguments: { text: revision } })).resolves.toMatchObject({
      content: [{ type: 'text', text: revision }],
    });
    // The validators run as well.
    await expect(client.callTool({ name: 1 as never })).rejects.toThrow();
    await client.close();
  });

  test('loads every file', async () => {
    const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    expect(files.length).toBeGreaterThan(200);
    for (const name of files) await import(pathToFileURL(path.join(out, name)).href);
  });
});

const EMITTED = [
  'types',
  'methods',
  'messages',
  'guards',
  'validators',
  'errors',
  'revision',
  'client',
  'server',
  'registry',
  'stdio',
  'http-server',
  'http-node',
  'http-redis',
  'http-client',
  'oauth-client',
  'oauth-node',
  'json-schema',
  'tasks',
  'tasks-sqlite',
  'tasks-redis',
  'opentelemetry',
] as const;

/** As in the project's own tsconfig.json. */
const OPTIONS = {
  target: 'ES2022',
  lib: ['ES2022'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  noEmit: true,
};
