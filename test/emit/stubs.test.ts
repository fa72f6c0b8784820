import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type * as ClientModule from '../../generated/2025-11-25/client.js';
import type * as ServerModule from '../../generated/2025-11-25/server.js';
import type * as MemoryModule from '../../generated/runtime/memory.js';
import { generate, loadProtocol, render } from '../../generator/index.js';
import { readFiles, hashFolder, listFiles, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { compileProject } from '../support/program.js';
import { REVISIONS } from '../support/revisions.js';

const REVISION = '2025-11-25';
const STUBS = ['generate', '--revision', REVISION, '--emit', 'stubs'] as const;
const HANDLERS = `${REVISION}/handlers.ts`;

afterAll(removeTemporaryFolders);

async function handlersOf(revision: string, methods?: readonly string[]): Promise<string | undefined> {
  const protocol = await loadProtocol({ revision });
  const options = methods === undefined ? {} : { methods };
  const files = await render(protocol, temporaryFolder(), { emit: ['stubs'], ...options });
  return files.find((file) => file.path.endsWith('/handlers.ts'))?.contents;
}

/** Methods that a `handlers.ts` handles. */
function methodsIn(text: string | undefined): readonly string[] {
  return [...(text ?? '').matchAll(/^ {2}"([\w/]+)": \(/gm)].map((match) => match[1] ?? '');
}

describe('what is written', () => {
  test('has the selected methods in catalog order', async () => {
    const text = await handlersOf(REVISION, ['tools/list', 'tools/call']);
    expect(methodsIn(text)).toEqual(['tools/call', 'tools/list']);
    expect(text).not.toContain('@generated');
    expect(text).toContain('This file is yours');
  });

  test.each(REVISIONS)('$revision: handles all requests of clients by default', async ({ revision }) => {
    const { methods } = await loadProtocol({ revision });
    const answered = new Set([
      'initialize',
      'ping',
      'logging/setLevel',
      'resources/subscribe',
      'resources/unsubscribe',
    ]);
    const wanted = methods.filter(
      ({ name, kind, direction }) =>
        kind === 'request' &&
        (direction === 'clientToServer' || direction === 'both') &&
        !answered.has(name) &&
        name !== 'server/discover' &&
        name !== 'subscriptions/listen',
    );
    expect(methodsIn(await handlersOf(revision))).toEqual(wanted.map(({ name }) => name));
  });

  test('does not change other files', async () => {
    const protocol = await loadProtocol({ revision: REVISION });
    const without = await render(protocol, '.');
    const withStubs = await render(protocol, '.', { emit: ['stubs'] });
    expect(withStubs.filter((file) => file.path !== HANDLERS)).toEqual(without);
  });

  test('a revision that has none of the methods gets no file', async () => {
    const out = temporaryFolder();
    await generate({ out, revisions: ['2025-06-18', REVISION], emit: ['stubs'], methods: ['tasks/get'] });
    expect(listFiles(out).filter((name) => name.endsWith('/handlers.ts'))).toEqual([HANDLERS]);
  });

  test('compiles under strict flags in all revisions', async () => {
    const out = temporaryFolder();
    await generate({ out, emit: ['stubs'] });
    for (const { revision } of REVISIONS) {
      writeFileSync(
        path.join(out, revision, 'main.ts'),
        "import { handlers } from './handlers.js';\nimport { createServer } from './server.js';\n" +
          "export const server = createServer({ info: { name: 'mine', version: '1.0.0' }, handlers });\n",
      );
    }
    const root = path.resolve(import.meta.dirname, '../..');
    const compilerOptions = {
      target: 'ES2022',
      lib: ['ES2022'],
      module: 'nodenext',
      types: ['node'],
      typeRoots: [path.join(root, 'node_modules/@types')],
      strict: true,
      noUnusedLocals: true,
      noUnusedParameters: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      verbatimModuleSyntax: true,
      isolatedModules: true,
      erasableSyntaxOnly: true,
      noImplicitOverride: true,
      noImplicitReturns: true,
      skipLibCheck: true,
      outDir: 'built',
    };
    writeFileSync(path.join(out, 'package.json'), '{ "type": "module" }');
    writeFileSync(path.join(out, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
    expect(compileProject(out)).toEqual([]);

    // And it runs: what is not implemented says so, what the runtime answers is answered.
    const built = <T>(name: string): Promise<T> =>
      import(pathToFileURL(path.join(out, 'built', name)).href) as Promise<T>;
    const { server } = await built<{ server: ReturnType<typeof ServerModule.createServer> }>(`${REVISION}/main.js`);
    const { createClient } = await built<typeof ClientModule>(`${REVISION}/client.js`);
    const { memoryPair } = await built<typeof MemoryModule>('runtime/memory.js');
    const client = createClient({ info: { name: 'test', version: '1.0.0' } });
    const [one, other] = memoryPair();
    await Promise.all([server.connect(one), client.connect(other)]);
    await expect(client.callTool({ name: 'a' })).rejects.toMatchObject({
      code: -32601,
      message: 'tools/call is not implemented',
    });
    expect(await client.ping()).toEqual({});
    await client.close();
  });
});

describe('what is there is the user’s', () => {
  test('a second run keeps it unchanged', async () => {
    const out = temporaryFolder();
    expect((await mcpgen([...STUBS, '--methods', 'tools/list,tools/call', '--out', out])).stdout).toContain('11 new');
    appendFileSync(path.join(out, HANDLERS), '\r\n// mine \u2028');
    const edited = readFileSync(path.join(out, HANDLERS));
    const before = hashFolder(out);
    const second = await mcpgen([...STUBS, '--out', out]);
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(second.stdout).toContain('10 unchanged, 1 kept');
    expect(readFileSync(path.join(out, HANDLERS)).equals(edited)).toBe(true);
    const plain = await mcpgen(['generate', '--revision', REVISION, '--out', out]);
    expect(plain.stdout).not.toContain('removed');
    expect(hashFolder(out)).toBe(before);
    const json = await mcpgen([...STUBS, '--json', '--out', out]);
    const { files } = JSON.parse(json.stdout) as { files: readonly object[] };
    expect(files).toContainEqual({ path: HANDLERS, status: 'kept', action: 'none' });
  });

  test.each(['', 'whatever', '// @generated by mcpgen; or so it says\n'])('--check passes over %j', async (text) => {
    const out = temporaryFolder();
    await generate({ out, revisions: [REVISION], emit: ['stubs'] });
    writeFileSync(path.join(out, HANDLERS), text);
    expect(await mcpgen([...STUBS, '--check', '--out', out])).toMatchObject({ code: 0 });
    expect(readFiles(out).get(HANDLERS)).toBe(text);
  });

  test('--check reports a missing file', async () => {
    const out = temporaryFolder();
    await generate({ out, revisions: [REVISION], emit: ['stubs'] });
    rmSync(path.join(out, HANDLERS));
    const { code, stdout } = await mcpgen([...STUBS, '--methods', 'tools/call', '--check', '--out', out]);
    expect(code).toBe(1);
    expect(stdout).toContain(`missing   ${path.join(out, HANDLERS)}`);
    expect(stdout).toContain('--emit stubs --methods tools/call');
  });

  test('it goes to standard output by itself', async () => {
    const { stdout } = await mcpgen([...STUBS, '--methods', 'tools/call', '--out', '-']);
    expect(stdout).toMatch(/^import type \{ ServerHandlers \}/);
    expect(stdout).not.toContain('// file:');
  });
});

describe('what is refused, with exit code 2', () => {
  test.each([
    ['a method that does not exist', 'tools/cal', /no method "tools\/cal"\nhint: Did you mean tools\/call\?/],
    ['one that servers send', 'sampling/createMessage', /no handler for sampling\/createMessage: servers send it/],
    ['a notification', 'notifications/cancelled', /it is a notification/],
    ['a part of the lifecycle', 'initialize', /the runtime answers it/],
    ['an empty list', ',', /--methods: its value is empty/],
  ])('%s', async (_what, method, message) => {
    const out = path.join(temporaryFolder(), 'out');
    const result = await mcpgen([...STUBS, '--methods', method, '--out', out]);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(message);
    expect(listFiles(out)).toEqual([]);
  });

  test('one that 2026-07-28 has only inside results', async () => {
    const args = ['generate', '--revision', '2026-07-28', '--emit', 'stubs', '--methods', 'roots/list'];
    const result = await mcpgen([...args, '--out', temporaryFolder()]);
    expect(result).toMatchObject({ code: 2 });
    expect(result.stderr).toContain('servers send it inside a result');
  });

  test('methods without stubs', async () => {
    const result = await mcpgen(['generate', '--methods', 'tools/call', '--out', temporaryFolder()]);
    expect(result).toMatchObject({ code: 2 });
    expect(result.stderr).toContain('Add --emit stubs.');
  });
});
