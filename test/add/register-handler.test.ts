import { describe, expect, test } from 'vitest';
import { addRevisionToProtocol, addRevisionToConfig } from '../../generator/scaffold/edit/revision.js';
import { handlerNames } from '../../generator/scaffold/edit/handler-file.js';
import { findHandledMethods } from '../../generator/scaffold/edit/method-names.js';
import { registerHandler, type HandlerTarget } from '../../generator/scaffold/edit/register-handler.js';

const ENTRY = { name: 'tasksGet', from: './handlers/tasks-get', method: 'tasks/get' };
const REQUESTS: HandlerTarget = { maker: 'createServer', member: 'handlers' };
const NOTICES: HandlerTarget = { maker: 'createServer', member: 'notifications' };

const IMPORT = 'import { tasksGet } from "./handlers/tasks-get.js";';

describe('a handler comes among the others, in the style of the file', () => {
  test.each([
    [
      'on lines',
      REQUESTS,
      'f({\n  handlers: {\n    ...a(b), // c\n  },\n});',
      'f({\n  handlers: {\n    ...a(b), // c\n    ...tasksGet,\n  },\n});',
    ],
    ['on one line', REQUESTS, 'f({ handlers: { ...a }, b });', 'f({ handlers: { ...a, ...tasksGet }, b });'],
    ['none yet', REQUESTS, 'f({ handlers: {} });', 'f({ handlers: { ...tasksGet } });'],
    [
      'no such member',
      NOTICES,
      'f({ info, handlers, onEvent });',
      'f({ info, handlers, notifications: { ...tasksGet }, onEvent });',
    ],
    [
      'an object of the file',
      REQUESTS,
      'const handlers = { "a/b": c } satisfies X;\nf({ handlers });',
      'const handlers = { "a/b": c, ...tasksGet } satisfies X;\nf({ handlers });',
    ],
    [
      'another name',
      REQUESTS,
      'const own = {};\nf({ handlers: own });',
      'const own = { ...tasksGet };\nf({ handlers: own });',
    ],
  ])('%s', async (_, place, before, after) => {
    const code = (text: string): string => text.replaceAll('f(', 'createServer(');
    const head = 'import { createServer } from "./protocol.js";';
    const result = await registerHandler(`${head}\n\n${code(before)}\n`, place, ENTRY);
    expect(result).toEqual({ status: 'added', text: `${head}\n${IMPORT}\n\n${code(after)}\n` });
    const text = result.status === 'added' ? result.text : '';
    expect(await registerHandler(text, place, ENTRY)).toEqual({ status: 'present' });
    const crlf = `\ufeff${head}\n\n${code(before)}\n`.replaceAll('\n', '\r\n');
    expect(await registerHandler(crlf, place, ENTRY)).toEqual({
      status: 'added',
      text: `\ufeff${text}`.replaceAll('\n', '\r\n'),
    });
  });

  test('registers a method once', async () => {
    expect(await registerHandler('createServer({ handlers: { "tasks/get": x } });', REQUESTS, ENTRY)).toEqual({
      status: 'present',
    });
    const other = 'import { all as own } from "./handlers/index.js";\ncreateServer({ handlers: own });';
    expect(await registerHandler(other, REQUESTS, ENTRY)).toEqual({
      status: 'elsewhere',
      from: './handlers/index.js',
      object: 'all',
    });
    const there = 'export const all: Handlers = {\n\t"a/b": c\n}\n';
    expect(await registerHandler(there, { object: 'all' }, { ...ENTRY, from: './tasks-get' })).toEqual({
      status: 'added',
      text: 'import { tasksGet } from "./tasks-get.js";\n\nexport const all: Handlers = {\n\t"a/b": c,\n\t...tasksGet\n}\n'.replace(
        'js";',
        'js"',
      ),
    });
  });

  test.each([
    ['no call', 'createClient({ handlers: {} });', /does not call createServer/, 1],
    ['no object', 'createServer(options);', /does not call createServer with an object/, 1],
    ['handlers out of a call', '\ncreateServer({ handlers: make() });', /not an object literal/, 2],
    ['a name that is taken', 'const tasksGet = 1;\ncreateServer({ handlers: {} });', /another `tasksGet`/, 1],
    ['what does not parse', '\n\ncreateServer({ handlers: { );', /syntax error/, 3],
  ])('%s is left alone', async (_, text, reason, line) => {
    expect(await registerHandler(text, REQUESTS, ENTRY)).toEqual({
      status: 'unknown',
      reason: expect.stringMatching(reason) as string,
      line,
    });
  });
});

describe('a revision', () => {
  const file = (newest: string): string => `// Mine.
import { revision as revision20250618 } from './generated/2025-06-18/revision.js'

export { createServer } from './generated/${newest}/server.js'
export type { ServerContext } from './generated/${newest}/server.js'

export const revisions = [revision20250618]
`;
  const added = (newest: string, name: string): string =>
    file(newest)
      .replace(
        "revision.js'\n",
        `revision.js'\nimport { revision as revision${name.replaceAll('-', '')} } from './generated/${name}/revision.js'\n`,
      )
      .replace('[revision20250618]', `[revision20250618, revision${name.replaceAll('-', '')}]`);

  test('is added to the list', async () => {
    const { text } = (await addRevisionToProtocol(file('2025-06-18'), '2025-11-25', './generated', false)) as {
      text: string;
    };
    expect(text).toBe(added('2025-11-25', '2025-11-25'));
    expect(await addRevisionToProtocol(text, '2025-11-25', './generated', false)).toEqual({ status: 'present' });
    const kept = (await addRevisionToProtocol(file('2025-06-18'), '2025-11-25', './generated', true)) as {
      text: string;
    };
    expect(kept.text).toBe(added('2025-06-18', '2025-11-25'));
    const older = (await addRevisionToProtocol(file('2025-06-18'), '2024-11-05', './generated', false)) as {
      text: string;
    };
    expect(older.text).toBe(added('2025-06-18', '2024-11-05'));
  });

  test('comes into a config in its format', async () => {
    const one = '{ "out": "x",\n  "revisions": ["a"] }\n';
    expect(await addRevisionToConfig(one, 'b')).toEqual({ status: 'added', text: one.replace('["a"]', '["a", "b"]') });
    expect(await addRevisionToConfig(one, 'a')).toEqual({ status: 'present' });
    const lines = '{\r\n  "revisions": [\r\n    "a"\r\n  ]\r\n}';
    expect(await addRevisionToConfig(lines, 'b')).toEqual({
      status: 'added',
      text: lines.replace('"a"', '"a",\r\n    "b"'),
    });
    expect(await addRevisionToConfig('{}', 'b')).toMatchObject({ status: 'unknown' });
  });
});

test('names a handler after any method', () => {
  const of = (name: string, kind: 'request' | 'notification' = 'request'): readonly string[] =>
    Object.values<string>({ ...handlerNames({ name, kind }) });
  expect(of('tasks/get')).toEqual(['tasks-get', 'tasksGet']);
  expect(of('notifications/roots/list_changed', 'notification')).toEqual([
    'on-roots-list-changed',
    'onRootsListChanged',
  ]);
  expect(of('../../etc/passwd')).toEqual(['etc-passwd', 'etcPasswd']);
  expect(of('delete')).toEqual(['delete', 'handleDelete']);
  expect(of('1/2')).toEqual(['1-2', 'handle12']);
  expect(of('$/`*/')).toEqual(['handler', 'handle']);
  expect(of('index')).toEqual(['index-one', 'index']);
});

test('finds handlers in every style', async () => {
  const files = [
    { path: 'a.ts', text: 'f({ "a/b": 1, [METHODS.C_D]: 2, ["e/f"]() {} }); const handlers = { ping() {} };' },
    { path: 'b.ts', text: 'g({ ...toolHandlers(tools) }); call("x/y"); const other = { roots: 1 };' },
    { path: 'c.ts', text: '// "x/y": and { "x/y": 1 }' },
  ];
  const methods = ['a/b', 'c/d', 'e/f', 'ping', 'tools/list', 'x/y', 'prompts/get', 'roots'];
  expect([...(await findHandledMethods(files, methods))].sort()).toEqual(['a/b', 'c/d', 'e/f', 'ping', 'tools/list']);
});
