import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { handledMethods } from '../../generator/emit/handled.js';
import { builtinRevisions, loadProtocol } from '../../generator/index.js';
import { compareMethods, parseMethodsFile } from '../../generator/model/catalog/method-changes.js';
import { constantCase } from '../../generator/model/naming.js';
import { methodHandlerFile, handlerNames } from '../../generator/scaffold/edit/handler-file.js';
import { findMethodLocations } from '../../generator/scaffold/edit/method-names.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';

afterAll(removeTemporaryFolders);

const RELEASED = builtinRevisions().filter(({ status }) => status === 'released');

test.each(RELEASED.map(({ revision }) => revision))(
  'the methods of %s are read from what was generated',
  async (revision) => {
    const { methods } = await loadProtocol({ revision });
    const read = parseMethodsFile(readFileSync(`generated/${revision}/methods.ts`, 'utf8'));
    const expected = methods.map(({ name }) => ({ name, constant: constantCase(name) }));
    const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
    expect([...read].sort(byName)).toEqual([...expected].sort(byName));
  },
);

test('reads methods from any formatting', () => {
  const text = `export const METHODS = {
  /** Says "A: 'b/c'" and } as const; */ // X: 'x'
  A:
    "it's/\\"q\\"", "B": 'it\\'s/"q"2', C: 'cut
} as const;
export const OTHER = { D: 'no' } as const;
export const EMBEDDED_METHODS = { E: 'e' } as const;`;
  expect(parseMethodsFile(text)).toEqual([
    { constant: 'A', name: 'it\'s/"q"' },
    { constant: 'B', name: 'it\'s/"q"2' },
    { constant: 'E', name: 'e' },
  ]);
  expect(parseMethodsFile('')).toEqual([]);
});

test('only what no revision has is new or removed', () => {
  const of = (...names: string[]): { name: string; constant: string }[] =>
    names.map((name) => ({ name, constant: name.toUpperCase() }));
  const before = new Map([
    ['1', of('a', 'b')],
    ['2', of('a', 'c')],
  ]);
  const now = new Map([
    ['2', of('a', 'd')],
    ['3', of('b', 'd')],
  ]);
  expect(compareMethods(before, now)).toEqual({
    newRevisions: ['3'],
    added: [{ name: 'd', constant: 'D', revisions: ['2', '3'] }],
    removed: [{ name: 'c', constant: 'C', revisions: ['2'] }],
  });
  expect(compareMethods(new Map(), now)).toEqual({ newRevisions: [], added: [], removed: [] });
});

test('finds no method in unrelated code', async () => {
  const files = [
    {
      path: 'a.ts',
      text: 'import "ping"; const x = OTHER.PING; export * from "ping"; // "ping"\nlet type: "ping" = (',
    },
    { path: 'b.tsx', text: 'export const handlers = { ping() {} } satisfies X; const other = { ping: 1 };' },
  ];
  expect(await findMethodLocations(files, [{ name: 'ping', constant: 'PING' }])).toEqual([
    { method: 'ping', path: 'a.ts', line: 2, column: 11 },
    { method: 'ping', path: 'b.tsx', line: 1, column: 27 },
  ]);
});

test('offers each method to the side that handles it', async () => {
  const of = async (revision: string, side: 'client' | 'server'): Promise<readonly string[]> =>
    handledMethods(await loadProtocol({ revision }), side).map(({ name }) => name);
  const lists = ['prompts', 'resources', 'tools'].map((name) => `notifications/${name}/list_changed`);
  const told = [...lists, 'notifications/message', 'notifications/resources/updated'];
  expect([...(await of('2024-11-05', 'client'))].sort()).toEqual(
    [...told, 'roots/list', 'sampling/createMessage'].sort(),
  );
  expect(await of('2024-11-05', 'server')).toEqual([
    'completion/complete',
    'prompts/get',
    'prompts/list',
    'resources/list',
    'resources/read',
    'resources/templates/list',
    'tools/call',
    'tools/list',
    'notifications/roots/list_changed',
  ]);
  expect([...(await of('2026-07-28', 'client'))].sort()).toEqual(
    [...told, 'elicitation/create', 'roots/list', 'sampling/createMessage'].sort(),
  );
  expect(
    (await of('2026-07-28', 'server')).filter((name) => /^(?:server|subscriptions|notifications)\//.test(name)),
  ).toEqual([]);
});

test('the file of a handler uses the types of its revision', async () => {
  const { methods } = await loadProtocol({ revision: '2025-11-25' });
  const of = (name: string, isForeign: boolean): string => {
    const method = methods.find((item) => item.name === name);
    if (method === undefined) throw new Error(`no ${name}`);
    const { identifier } = handlerNames(method);
    const places = { revision: '../generated/2025-11-25', runtime: '../generated/runtime', extension: '.js' };
    return methodHandlerFile({ method, identifier, side: 'client', isForeign, ...places });
  };
  expect(of('notifications/elicitation/complete', false))
    .toBe(`import type { ClientNotificationHandlers } from "../generated/2025-11-25/client.js";

/** Reports that the user has finished a visit to an elicitation URL. */
export const onElicitationComplete = {
"notifications/elicitation/complete": () => {
// Not implemented: what is to happen then.
},
} satisfies ClientNotificationHandlers;
`);
  expect(of('tasks/get', true)).toContain(
    'export const tasksGet: object = {\n"tasks/get": () => {\nthrow new RpcError(',
  );
});

test('a new revision lists the methods that it lacks and that the code of an SDK uses', async () => {
  const cwd = temporaryFolder();
  const config = (revisions: readonly string[]): void => {
    writeFileSync(
      path.join(cwd, 'mcpgen.config.json'),
      JSON.stringify({ out: 'src/mcp', revisions, emit: ['methods'] }),
    );
  };
  mkdirSync(path.join(cwd, 'src'));
  writeFileSync(
    path.join(cwd, 'src/dispatch.ts'),
    `import { METHODS } from './mcp/2025-11-25/methods.js';
export const handlers = { [METHODS.INITIALIZE]: 1, 'resources/subscribe': 2, 'tools/call': 3 };
export const name = 'initialize';
`,
  );
  // A test may send what an old revision has.
  mkdirSync(path.join(cwd, 'test'));
  writeFileSync(path.join(cwd, 'test/dispatch.test.ts'), `export const method = 'initialize';\n`);
  writeFileSync(path.join(cwd, 'tsconfig.json'), '{ "include": ["src", "test"] }');
  config(['2025-11-25']);
  expect((await mcpgen(['generate'], { cwd })).stdout).not.toContain('new revision');
  config(['2025-11-25', '2026-07-28']);
  const news = `
new revision 2026-07-28
  lacks initialize of 2025-11-25; used in 2 places
    src/dispatch.ts:2:36
    src/dispatch.ts:3:21
  lacks resources/subscribe of 2025-11-25; used in 1 place
    src/dispatch.ts:2:52
  what it changes in your code: mcpgen diff 2025-11-25 2026-07-28 --code src
`;
  // The check says the same before anything is written.
  expect((await mcpgen(['generate', '--check'], { cwd })).stdout).toContain(news);
  const planned = JSON.parse((await mcpgen(['generate', '--dry-run', '--json'], { cwd })).stdout) as object;
  expect(planned).toMatchObject({
    newRevisions: [
      {
        revision: '2026-07-28',
        previous: '2025-11-25',
        missingMethods: [
          { method: 'initialize', places: [{ line: 2 }, { line: 3 }] },
          { method: 'resources/subscribe', places: [{ path: 'src/dispatch.ts', line: 2, column: 52 }] },
        ],
        diffCommand: 'mcpgen diff 2025-11-25 2026-07-28 --code src',
      },
    ],
  });
  expect((await mcpgen(['generate'], { cwd })).stdout).toContain(news);
  expect((await mcpgen(['generate', '--check'], { cwd })).stdout).not.toContain('new revision');
});
