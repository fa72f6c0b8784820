/**
 * The complete messages for wrong input: place, cause and hint. Each table has one input for each place in
 * generator/read that reports one; the texts are in the folder `messages`.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { McpgenError } from '../../generator/errors.js';
import { requireExtension, requireExtensionCatalog } from '../../generator/read/builtin/extensions.js';
import { requireRevision } from '../../generator/read/builtin/revisions.js';
import { checkCatalog } from '../../generator/read/catalog.js';
import { readConfig } from '../../generator/read/config/config.js';
import { applyErrata, type Erratum } from '../../generator/read/errata.js';
import { parseExtension } from '../../generator/read/extension.js';
import { readBytes, readTextIfExists } from '../../generator/read/files.js';
import { parseJson, parseUntrustedJson, type JsonValue } from '../../generator/read/json/json.js';
import { readAdditionalSchemas } from '../../generator/read/schema/additional.js';
import { canonicalizeSchema } from '../../generator/read/schema/canonical.js';
import { newestNpmSource } from '../../generator/read/schema/npm-file.js';
import { readSchemaSource } from '../../generator/read/schema/source.js';
import { parseTools, readRawTools, readToolFiles, readToolList } from '../../generator/read/tools.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { escapeHiddenCharacters } from '../../generator/text.js';
import { catalogWith, findInternals, PING_ROW, type Schema } from '../support/hostile.js';

afterAll(removeTemporaryFolders);

/** What an input is called in the golden text, and what reads it. */
type Row = readonly [title: string, read: () => unknown];

async function messageOf(read: () => unknown): Promise<string> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof McpgenError)) throw error;
    const text = error.format();
    expect(findInternals(text), text).toEqual([]);
    return text;
  }
  return 'accepted';
}

/** Compares the messages of a table with the golden text. */
async function compare(name: string, rows: readonly Row[], replace = (text: string) => text): Promise<void> {
  const messages: string[] = [];
  for (const [title, read] of rows) messages.push(`# ${title}\n${replace(await messageOf(read))}\n`);
  await expect(messages.join('\n')).toMatchFileSnapshot(`messages/${name}.txt`);
}

/** A folder with files, and a function that removes its path from a text. */
function folderWith(files: Readonly<Record<string, unknown>>): {
  readonly folder: string;
  readonly short: (text: string) => string;
} {
  const folder = temporaryFolder();
  for (const [name, contents] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(
      path.join(folder, name),
      typeof contents === 'string' || contents instanceof Uint8Array ? contents : JSON.stringify(contents),
    );
  }
  const short = (text: string): string => text.replaceAll(`${folder}${path.sep}`, '').replaceAll(folder, '.');
  return { folder, short: (text) => (path.sep === '/' ? short(text) : short(text).replaceAll(path.sep, '/')) };
}

const BOTH_ROW = { ...PING_ROW, direction: 'both', capability: ['client.a', 'server.a'] };
const READY_ROW = {
  method: 'ready',
  kind: 'notification',
  direction: 'clientToServer',
  params: null,
  capability: null,
  summary: 'Says that the client is ready.',
};
const ERROR_ROW = { name: 'NOT_FOUND', code: -32002, summary: 'The resource does not exist.' };

test('method catalogs', async () => {
  const row = (title: string, members: Schema): Row => [
    title,
    () => checkCatalog(catalogWith(members) as JsonValue, 'c.json'),
  ];
  const traits = (title: string, value: unknown, methods: unknown[] = [PING_ROW, READY_ROW]): Row =>
    row(title, { traits: value, methods });
  const ping = (title: string, members: Schema): Row => row(title, { methods: [{ ...PING_ROW, ...members }] });
  await compare('catalog', [
    ['not an object', () => checkCatalog(5, 'c.json')],
    ['a list', () => checkCatalog([], 'c.json')],
    ['an empty object', () => checkCatalog({}, 'c.json')],
    row('methods that are not a list', { methods: {} }),
    row('no method', { methods: [] }),
    row('a row that is not an object', { methods: [null] }),
    row('an unknown key', { metods: [] }),
    row('a status that is not one', { status: 'beta' }),
    row('a lifecycle that is not one', { lifecycle: 'x'.repeat(300) }),
    row('batches that are not a switch', { batches: 'yes' }),
    row('a revision with a slash', { revision: 'a/b' }),
    row('a protocol without a name', { protocol: '' }),
    ping('an unknown key in a row', { extra: 1 }),
    ping('a kind that is not one', { kind: 'message' }),
    ping('a method with a space', { method: 'a b' }),
    ping('a summary that is not a sentence', { summary: 'no sentence' }),
    ping('a summary that is too long', { summary: `A${'b'.repeat(130)}.` }),
    ping('a capability that is not a path', { capability: 'tools' }),
    ping('a pair of capabilities for one direction', { capability: ['client.a', 'server.a'] }),
    ping('a name of a definition with a space', { result: 'A B' }),
    ping('a direction in another format', { direction: 'up' }),
    ping('a direction of other sides', { direction: 'hostToGuest' }),
    ping('a capability of another side', { capability: 'host.tools' }),
    ping('a capability that only begins like a side', { capability: 'clients.tools' }),
    row('a pair with one capability of another side', {
      methods: [{ ...BOTH_ROW, capability: ['client.a', 'host.a'] }],
    }),
    row('an undecided row', { methods: [PING_ROW, { ...PING_ROW, undecided: ['result', 'summary'] }] }),
    row('an undecided row without members', { methods: [{ ...PING_ROW, undecided: [] }] }),
    row('an undecided row without a method', { methods: [5, { undecided: ['method', 7] }] }),
    row('two rows of one method', { methods: [PING_ROW, READY_ROW, PING_ROW] }),
    row('two errors of one name', { errors: [ERROR_ROW, { ...ERROR_ROW, code: -32003 }] }),
    row('two errors of one code', { errors: [ERROR_ROW, { ...ERROR_ROW, name: 'OTHER' }] }),
    row('an error with another format', { errors: [{ ...ERROR_ROW, name: 'notFound' }] }),
    traits('names that are no regular expression', { reservedNames: '(' }),
    traits('pages without roles', { pages: { cursor: 'cursor', next: 'nextCursor' } }),
    traits('a handshake with a method that does not exist', { handshake: { request: 'open', ready: 'ready' } }),
    traits('a handshake with a notification', { handshake: { request: 'ready', ready: 'ready' } }),
    traits('a handshake that both sides send', { handshake: { request: 'ping', ready: 'ready' } }, [
      BOTH_ROW,
      READY_ROW,
    ]),
    traits('a handshake without its notification', { handshake: { request: 'ping', ready: 'none' } }),
    traits('a handshake with a request as notification', { handshake: { request: 'ping', ready: 'ping' } }),
    traits('a handshake with the notification of the other side', { handshake: { request: 'ping', ready: 'ready' } }, [
      PING_ROW,
      { ...READY_ROW, direction: 'serverToClient' },
    ]),
    traits('a handshake of the client', { handshake: { request: 'ping', ready: 'ready' } }),
    traits('a handshake of the server', { handshake: { request: 'ping', ready: 'ready' } }, [
      { ...PING_ROW, direction: 'serverToClient' },
      { ...READY_ROW, direction: 'serverToClient' },
    ]),
    traits('other words for the sides', { sides: { client: 'host', server: 'guest' } }),
    traits('other words for the sides, used', { sides: { client: 'host', server: 'guest' } }, [
      { ...PING_ROW, direction: 'hostToGuest', capability: 'guest.a' },
      { ...READY_ROW, direction: 'guestToHost', capability: 'host.a' },
    ]),
  ]);
});

test('catalogs of extensions', async () => {
  const minimal = { extension: 'com.example/reports', summary: 'Reports.', extends: ['2026-07-28'] };
  const row = (title: string, members: Schema): Row => [
    title,
    () => parseExtension({ name: 'e.json', contents: JSON.stringify({ ...minimal, ...members }) }),
  ];
  const method = { ...READY_ROW, method: 'reports/ready' };
  await compare('extension', [
    ['not JSON', () => parseExtension({ name: 'e.json', contents: 'x' })],
    ['a list', () => parseExtension({ name: 'e.json', contents: '[]' })],
    row('the smallest one', {}),
    row('an unknown key', { method: [] }),
    row('an identifier without a vendor', { extension: 'reports' }),
    row('no revision', { extends: [] }),
    row('a name of a revision with a slash', { extends: ['a/b'] }),
    row('a schema in another folder', { schema: '../schema.json' }),
    row('a word for a side with a capital', { capabilities: { Client: 'A' } }),
    row('a name of a definition with a space', { capabilities: { ['x'.repeat(400)]: 'A B' } }),
    row('three sides', { capabilities: { a: 'A', b: 'A', c: 'A' } }),
    row('a method', { methods: [method] }),
    row('two rows of one method', { methods: [method, { ...method, summary: 'Another.' }] }),
    row('two errors of one name', { errors: [ERROR_ROW, { ...ERROR_ROW, code: 1 }] }),
    row('two errors of one code', { errors: [ERROR_ROW, { ...ERROR_ROW, name: 'OTHER' }] }),
    ['an extension that is not built in', () => requireExtension('com.example/reports')],
    ['a misspelled extension', () => requireExtensionCatalog('io.modelcontextprotocol/task')],
    ['a revision that is not built in', () => requireRevision('x'.repeat(30))],
    ['a misspelled revision', () => requireRevision('2025-11-26')],
    ['a revision with an alternative', () => requireRevision('draft', ', or pass a file with --schema')],
  ]);
});

test('configs', async () => {
  const { folder, short } = folderWith({});
  let count = 0;
  const config = (title: string, value: unknown): Row => [
    title,
    () => {
      const name = `c${(count += 1)}.json`;
      writeFileSync(path.join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
      return readConfig(folder, name).catch((error: unknown) => {
        if (!(error instanceof McpgenError)) throw error;
        const rename = (text = '') => short(text).replaceAll(name, 'c.json');
        throw new McpgenError(rename(error.message), { place: rename(error.place), remedy: rename(error.remedy) });
      });
    },
  ];
  await compare(
    'config',
    [
      config('a list', []),
      config('null', 'null'),
      config('an unknown key', { revision: ['x'] }),
      config('a key far from any', { frobnicate: 1 }),
      config('an unknown key below, far from any', { drift: { frobnicate: 1 } }),
      config('a number for a string', { out: 5 }),
      config('a long list for a string', { out: Array.from({ length: 40 }, () => 1) }),
      config('60 characters for a switch', { strict: 'x'.repeat(58) }),
      config('61 characters for a switch', { strict: 'x'.repeat(59) }),
      config('a URL with a password for a switch', { strict: 'https://me:SECRET@a/b' }),
      config('a string for a list', { revisions: '2025-11-25' }),
      config('a list for an object', { drift: [] }),
      config('a number in a list', { revisions: ['2025-11-25', 7] }),
      config('an empty list', { revisions: [] }),
      config('an empty string', { out: '' }),
      config('a misspelled part', { emit: ['typs'] }),
      config('a part that is a number', { emit: [7] }),
      config('a choice far from any', { importExtension: 'module' }),
      config('a pin without a source', { sync: { draft: {} } }),
      config('a pin of a revision with a number as name', { sync: { '7': {} } }),
      config('a pin of a revision with digits in its name', { sync: { v7: {} } }),
      config('a pin of an extension', { sync: { 'com.example/a-b': {} } }),
      config('a pin that is a number', { sync: { 'com.example/a-b': 5 } }),
      config('a member with a tilde in its name', { drift: { names: { 'a~b/c~1d': 5 } } }),
      config('a pin with a digest in another format', { sync: { draft: { source: 'a', sha256: 'abc' } } }),
      config('a pin of a path', { sync: { '../x': { source: 'a' } } }),
      config('a repeated key', '{ "out": "a", "out": "b" }'),
      ['a file that does not exist', () => readConfig(folder, 'none.json')],
      ['a program that does not exist', () => readConfig(folder, 'none.ts')],
    ],
    short,
  );
});

test('configs that are programs, or in package.json', async () => {
  const { folder, short } = folderWith({
    'a.yaml': 'out: x',
    'two/mcpgen.config.json': '{}',
    'two/mcpgen.config.js': '',
    'two/mcpgen.config.ts': '',
    'key/package.json': { mcpgen: {} },
    'key/mcpgen.config.ts': '',
    'none/package.json': { name: 'mcpgen' },
    'list/package.json': [],
    'wrong/package.json': { mcpgen: { drift: { name: {} } } },
    'function.ts': 'export default () => ({})',
    'class.ts': 'class A { out = "x" }\nexport default new A();',
    'promise.ts': 'export default Promise.resolve({})',
    'inner-promise.ts': 'export default { out: Promise.resolve("x") }',
    'bigint.ts': 'export default { out: 5n }',
    'symbol.ts': 'export default { out: Symbol("x") }',
    'inner-function.ts': 'export default { tools: [() => "x"] }',
    'hole.ts': 'export default { tools: [undefined] }',
    'omitted.ts': 'export default { out: undefined, outt: 1 }',
    'infinity.ts': 'export default { out: Infinity }',
    'none.ts': 'export const out = "x";',
    'null.cjs': 'module.exports = null;',
    'number.cjs': 'module.exports = 7;',
    'string.mjs': 'export default "x";',
    'throws.mjs': 'const a = 1;\nthrow new Error("first line\\nsecond line");',
    'throws-path.mjs': '\nthrow new Error(`cannot read ${import.meta.dirname}/x`);',
    'throws-text.mjs': 'throw "a text";',
    'throws-object.mjs': 'throw { toString() { throw new Error("x"); } };',
    'no-stack.mjs': 'const error = new Error("a reason");\nerror.stack = 5;\nthrow error;',
    'stack-throws.mjs':
      'const error = new Error("a reason");\nObject.defineProperty(error, "stack", { get() { throw new Error("no"); } });\nthrow error;',
    'exits.mjs': '\nprocess.exit(1);',
    'missing-import.mjs': '\n\nimport "./no-such-file.js";',
    'changes.mjs': 'JSON.parse = () => 1;\nexport default {};',
    'adds.mjs': 'Object.prototype.added = 1;\nexport default {};',
    'polyfill.mjs': 'Array.prototype.addedByTest = 1;\nexport default {};',
    'getter.mjs':
      'Object.defineProperty(Map.prototype, "size", { get: () => 1, configurable: true });\nexport default {};',
    'symbol-key.mjs': 'Array.prototype[Symbol.iterator] = function* () {};\nexport default {};',
    'removes.mjs': 'delete String.prototype.trim;\nexport default {};',
    'circle.mjs': 'const a = { out: "x" };\na.tools = [a];\nexport default a;',
  });
  const named = (name: string): Row => [name, () => readConfig(folder, name)];
  const found = (name: string): Row => [`the folder ${name}`, () => readConfig(path.join(folder, name))];
  await compare(
    'config-programs',
    [
      ...['a.yaml', 'none/package.json', 'list/package.json', 'wrong/package.json'].map(named),
      ...['two', 'key'].map(found),
      ...['function.ts', 'class.ts', 'promise.ts', 'inner-promise.ts', 'bigint.ts', 'symbol.ts'].map(named),
      ...['inner-function.ts', 'hole.ts', 'omitted.ts', 'infinity.ts', 'none.ts'].map(named),
      ...['null.cjs', 'number.cjs', 'string.mjs', 'throws.mjs', 'throws-path.mjs', 'throws-text.mjs'].map(named),
      ...['throws-object.mjs', 'no-stack.mjs', 'stack-throws.mjs', 'exits.mjs'].map(named),
      ...['changes.mjs', 'adds.mjs', 'polyfill.mjs', 'getter.mjs', 'symbol-key.mjs', 'removes.mjs'].map(named),
      ...['circle.mjs', 'missing-import.mjs'].map(named),
    ],
    short,
  );
  expect(JSON.parse('{}')).toEqual({});
  expect([...new Map([[1, 2]])]).toEqual([[1, 2]]);
  expect([' a'.trim(), new Map([[1, 2]]).size, 'added' in {}]).toEqual(['a', 1, false]);
  Reflect.deleteProperty(Array.prototype, 'addedByTest');
});

test('files', async (context) => {
  if (process.platform === 'win32') context.skip('the system has other errors on Windows');
  const { folder, short } = folderWith({ 'a.txt': 'text', 'folder/b.txt': '' });
  symlinkSync('loop', path.join(folder, 'loop'));
  const read = (name: string): Row => [name.slice(0, 40), () => readBytes(path.join(folder, name))];
  await compare(
    'files',
    [
      ...['a.txt', 'none.txt', 'folder', 'a.txt/b.txt', 'loop'].map(read),
      ['a name that is too long', () => readBytes('x'.repeat(300))],
      ['a path of more than 300 characters', () => readBytes('y/'.repeat(151))],
      ['a name with a null character', () => readBytes('a\0b')],
      ['an optional file that is a folder', () => readTextIfExists(folder)],
      ['a file without end', () => readBytes('/dev/zero')],
    ],
    short,
  );
  expect(readTextIfExists(path.join(folder, 'none.txt'))).toBeUndefined();
  expect(readTextIfExists(path.join(folder, 'a.txt'))).toBe('text');
});

test('JSON', async () => {
  const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const inObjects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const bytes = (...values: number[]): Row => [
    `the bytes ${values.join(' ')}`,
    () => parseUntrustedJson(Uint8Array.from(values), 'a.json'),
  ];
  const text = (value: string): Row => [
    escapeHiddenCharacters(JSON.stringify(value)),
    () => parseUntrustedJson(value, 'a.json'),
  ];
  await compare('json', [
    ...['', ' \n', '\ufeff', '{"a": 1,\n  "b": }', '{"a": 1,\n  "b": 2', '[1\n', '\ufeff[1,]', '{"a":1,\n"a":2}'].map(
      text,
    ),
    ['256 levels', () => parseJson(nested(256), 'a.json')],
    ['257 levels', () => parseJson(nested(257), 'a.json')],
    ['255 objects', () => parseJson(inObjects(255), 'a.json')],
    ['256 objects', () => parseJson(inObjects(256), 'a.json')],
    ['257 objects', () => parseJson(inObjects(257), 'a.json')],
    [
      'a repeated member with a long name',
      () => parseUntrustedJson(`{"${'x'.repeat(200)}":1,"${'x'.repeat(200)}":2}`, 'a.json'),
    ],
    bytes(0xff, 0xfe, 0x31, 0),
    bytes(0xfe, 0xff, 0, 0x31),
    bytes(0xff, 0xff),
    bytes(0xfe, 0xfe),
    bytes(0x31, 0),
    bytes(0, 0x31),
    bytes(0, 0),
    bytes(0),
    bytes(0x31),
    bytes(0xef, 0xbb, 0xbf, 0x31),
    bytes(0x22, 0xc3, 0x22),
    bytes(0x22, 0xc3, 0xa9, 0x22),
    bytes(),
  ]);
});

test('schemas', async () => {
  const schema = (title: string, value: JsonValue): Row => [title, () => canonicalizeSchema(value, 's.json')];
  const { folder, short } = folderWith({
    'none.json': {},
    'list.json': [],
    'number.json': { $id: 5 },
    'fragment.json': { $id: 'https://example.com/a#b' },
    'no-uri.json': { $id: 'https://[x' },
    'a.json': { $id: 'https://example.com/a' },
    'b.json': { $id: 'https://example.com/a#' },
    'long.json': { $id: `https://[${'x'.repeat(200)}` },
    'nothing/x.txt': '',
  });
  const additional = (...names: string[]): Row => [
    names.join(' and '),
    () => readAdditionalSchemas(names.map((name) => path.join(folder, name))),
  ];
  const source = (kind: 'revision' | 'extension'): Row => [
    `a folder without a schema of the ${kind}`,
    () => readSchemaSource(path.join(folder, 'nothing'), { kind, name: 'draft-x' }, 1),
  ];
  await compare(
    'schema',
    [
      schema('a list', []),
      schema('null', null),
      schema('no definitions', {}),
      schema('definitions of both dialects', { $defs: { A: {} }, definitions: { A: {} } }),
      schema('empty $defs', { $defs: {} }),
      schema('empty definitions', { definitions: {} }),
      schema('definitions that are a list', { $defs: [{}] }),
      schema('another dialect', { $schema: 'https://json-schema.org/draft/2019-09/schema', $defs: { A: {} } }),
      schema('a dialect that is a number', { $schema: 7, $defs: { A: {} } }),
      schema('a dialect that only begins right', {
        $schema: 'http://json-schema.org/draft-07/schema#x',
        $defs: { A: {} },
      }),
      schema('a dialect that only ends right', {
        $schema: 'x http://json-schema.org/draft-07/schema#',
        $defs: { A: {} },
      }),
      schema('two definitions of one name inside others', {
        $defs: { A: { $defs: { 'x/y': { type: 'null' } } }, B: { $defs: { 'x/y': { type: 'string' } } } },
      }),
      schema('two of one name in draft-07', {
        definitions: { A: { definitions: { x: {} } }, B: { definitions: { x: { type: 'string' } } } },
      }),
      ...['none.json', 'list.json', 'number.json', 'fragment.json', 'no-uri.json', 'long.json'].map((name) =>
        additional(name),
      ),
      additional('a.json', 'b.json'),
      source('revision'),
      source('extension'),
      [
        'a file that does not exist',
        () => readSchemaSource(path.join(folder, 'x.json'), { kind: 'revision', name: 'x' }, 1),
      ],
      ['a file on npm without a path', () => newestNpmSource('npm:a@1.0.0')],
      ['a file on npm above its package', () => newestNpmSource('npm:a/../b')],
    ],
    short,
  );
});

test('errata', async () => {
  const definitions = { A: { type: 'object', properties: { a: { type: 'string' } } }, List: { enum: ['x', 'y'] } };
  const change = (members: Schema, status: 'open' | 'fixed' = 'open'): Erratum =>
    ({
      id: 'an-erratum',
      summary: '',
      source: '',
      status,
      changes: [{ revision: 'r', ...members }],
    }) as unknown as Erratum;
  const row = (title: string, erratum: Erratum): Row => [
    title,
    () => applyErrata(definitions, 'r', [erratum], 's.json'),
  ];
  const at = ['/$defs/A/properties/a/type'];
  await compare('errata', [
    row('the wrong value', change({ at, old: 'string', new: 'number' })),
    row('the right value, of an open erratum', change({ at, old: 'number', new: 'string' })),
    row('the right value, of a fixed erratum', change({ at, old: 'number', new: 'string' }, 'fixed')),
    row('another value', change({ at, old: 'number', new: 'integer' })),
    row('another value, of a fixed erratum', change({ at, old: 'number', new: 'integer' }, 'fixed')),
    row('nothing', change({ at: ['/$defs/A/properties/b/type'], old: 'number', new: 'integer' })),
    row('no value', change({ at: ['/$defs/A/properties/b'], old: { type: 'number' }, new: 'integer' })),
    row('a value that should be absent', change({ at, new: 'integer' })),
    row('a long value', change({ at, old: 'x'.repeat(200), new: 'integer' })),
    row('a parent that is a text', change({ at: ['/$defs/A/type/x'], old: 'a', new: 'b' })),
    row('an item of a list', change({ at: ['/$defs/List/enum/1'], old: 'x', new: 'z' })),
  ]);
});

test('lists of tools', async () => {
  const { folder, short } = folderWith({
    'mine.input.json': { type: 'string' },
    'list.output.json': [],
    'broken.input.json': '{',
    'a/x.input.json': { type: 'object' },
    'b/x.input.json': { type: 'object' },
    'x.json': [{ name: 'x' }],
    'y.json': [{ name: 'x' }],
    'object.json': { result: {} },
    'z.output.json': { type: 'object' },
    'z.json': [{ name: 'z' }],
    '.input.json': [{ name: 'hidden' }, 7],
  });
  const files = (...patterns: string[]): Row => [patterns.join(' and '), () => readToolFiles(patterns, folder)];
  const list = (value: unknown): Row => [
    JSON.stringify(value).slice(0, 200),
    () => parseTools(value as JsonValue, 't.json'),
  ];
  await compare(
    'tools',
    [
      ...[5, null, {}, { tools: {} }, { result: { tools: 5 } }, { result: 5, tools: [] }].map(list),
      ...[[5], [{}], [{ name: 5 }], [{ name: 'a' }, { name: '' }], { result: { tools: [{ name: '' }] } }].map(list),
      ...[[{ name: 'a' }, { name: 'b' }, { name: 'a' }], { tools: [{ name: 'a' }, null] }].map(list),
      list([{ name: 'x'.repeat(100) }, { name: 'x'.repeat(100) }]),
      ['not JSON', () => readToolList('x', 't.json')],
      ['no list', () => readRawTools('{}', 't.json')],
      files('mine.input.json'),
      files('list.output.json'),
      files('broken.input.json'),
      files('*/x.input.json'),
      files('a/x.input.json', 'x.json'),
      files('x.json', 'y.json'),
      files('object.json'),
      files('z.json', 'z.output.json'),
      files('.input.json'),
      files('none.json'),
      files('none/*.json'),
    ],
    short,
  );
});
