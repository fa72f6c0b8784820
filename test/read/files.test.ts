/** What is read from files: tools, projects, our own package. */
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findExtension, builtinExtensions, builtinExtensionProtocol } from '../../generator/read/builtin/extensions.js';
import { installationSpec, mcpgenSpec, readMcpgenPackage } from '../../generator/read/builtin/own-package.js';
import { readRuntimeFiles } from '../../generator/read/builtin/runtime.js';
import { readTemplateProject } from '../../generator/read/builtin/template-project.js';
import { toolBuildHash } from '../../generator/read/builtin/tool-build.js';
import { readExtension } from '../../generator/read/extension.js';
import { packageVersion, readBytes, statIfExists, tryReadText } from '../../generator/read/files.js';
import { withoutComments } from '../../generator/read/json/comments.js';
import {
  compareText,
  formatPointer,
  isNestedTooDeep,
  memberAt,
  parsePointer,
  parseUntrustedJson,
  stableStringify,
  type JsonValue,
} from '../../generator/read/json/json.js';
import { readPackageJson } from '../../generator/read/package-json.js';
import { readAdditionalSchemas } from '../../generator/read/schema/additional.js';
import { isRemoteSource, officialUrl, readSchemaSource } from '../../generator/read/schema/source.js';
import { findFiles, parseTools, readRawTools, readToolFiles, readToolList } from '../../generator/read/tools.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';

afterAll(removeTemporaryFolders);

/** A folder with files. */
function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = realpathSync(temporaryFolder());
  for (const [name, contents] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), typeof contents === 'string' ? contents : JSON.stringify(contents));
  }
  return folder;
}

const OBJECT = { type: 'object' };

describe('tools', () => {
  test('have what a list says, by name, with the places of their schemas', () => {
    const list = [
      { name: 'b', description: 'B.', inputSchema: OBJECT, outputSchema: true, annotations: { readOnlyHint: true } },
      { name: 'a', description: 5, annotations: { readOnlyHint: 'yes' } },
      { name: 'B', annotations: [] },
    ];
    const places = (at: string): object => ({ input: `${at}/inputSchema`, output: `${at}/outputSchema` });
    const expected = (at: string): unknown => [
      { name: 'B', places: places(`${at}/2`), isOwn: false },
      { name: 'a', places: places(`${at}/1`), isOwn: false },
      {
        ...{ name: 'b', description: 'B.', isReadOnly: true, input: OBJECT, output: true },
        ...{ places: places(`${at}/0`), isOwn: false },
      },
    ];
    expect(parseTools(list as unknown as JsonValue, 't.json')).toEqual(expected('t.json#'));
    expect(readToolList(JSON.stringify({ tools: list }), 't.json')).toEqual(expected('t.json#/tools'));
    const message = JSON.stringify({ result: { tools: list }, tools: [] });
    expect(readToolList(message, 't.json')).toEqual(expected('t.json#/result/tools'));
    expect(readRawTools(message, 't.json')).toEqual(list);
  });

  test('are read from the files of their author and from lists', async () => {
    const folder = folderWith({
      'tools/z.input.json': { ...OBJECT, title: 'in' },
      'tools/z.output.json': { ...OBJECT, title: 'out' },
      'tools/a.output.json': OBJECT,
      'tools/list.json': [{ name: 'listed' }],
      'tools/input.json': [],
      'tools/x.txt': '',
    });
    const { tools, files } = await readToolFiles(['tools/*.json', 'tools/z.input.json'], folder);
    const onlyOutput = path.join('tools', 'a.output.json');
    expect(tools).toEqual([
      { name: 'a', output: OBJECT, places: { input: onlyOutput, output: onlyOutput }, isOwn: true },
      {
        name: 'listed',
        places: {
          input: `${path.join('tools', 'list.json')}#/0/inputSchema`,
          output: `${path.join('tools', 'list.json')}#/0/outputSchema`,
        },
        isOwn: false,
      },
      {
        ...{ name: 'z', input: { ...OBJECT, title: 'in' }, output: { ...OBJECT, title: 'out' }, isOwn: true },
        places: { input: path.join('tools', 'z.input.json'), output: path.join('tools', 'z.output.json') },
      },
    ]);
    expect(files.map((file) => path.relative(folder, file).replaceAll(path.sep, '/'))).toEqual([
      'tools/a.output.json',
      'tools/input.json',
      'tools/list.json',
      'tools/z.input.json',
      'tools/z.output.json',
    ]);
    const above = await readToolFiles(['../tools/z.input.json'], path.join(folder, 'other'), path.dirname(folder));
    expect(above.tools.map(({ places }) => places.input)).toEqual([
      path.join(path.basename(folder), 'tools', 'z.input.json'),
    ]);
  });

  test('are those of a new list instead of its file, which need not exist', async () => {
    const folder = folderWith({ 'old.json': [{ name: 'old' }] });
    const names = async (file: string, patterns: string[]): Promise<readonly string[]> => {
      const replacement = { file: path.join(folder, file), contents: '[{ "name": "new" }]' };
      return (await readToolFiles(patterns, folder, folder, replacement)).tools.map(({ name }) => name);
    };
    expect(await names('old.json', ['old.json'])).toEqual(['new']);
    expect(await names('new.json', ['old.json', 'new.json'])).toEqual(['new', 'old']);
    expect(await names('other.json', ['old.json'])).toEqual(['old']);
    await expect(names('other.json', ['new.json'])).rejects.toThrow('no such file');
  });

  test('are found once, only files, and not below folders', async () => {
    const folder = folderWith({ 'a/x.json': [], 'a/b/x.json': [], 'a/y.json/z.json': [] });
    const found = await findFiles(['a/*.json', 'a/x.*', 'a'], folder);
    expect(found).toEqual([path.join(folder, 'a', 'x.json')]);
    // A name with brackets may be a pattern, which may match nothing.
    for (const pattern of ['none*.json', 'none?.json', 'none[1].json', 'none{1,2}.json', 'none(1).json', '!none.json'])
      expect((await readToolFiles([pattern], folder)).tools, pattern).toEqual([]);
  });
});

describe('files of an extension', () => {
  const catalog = { extension: 'com.example/x', summary: 'X.', extends: ['2026-07-28'] };
  const read = async (files: Readonly<Record<string, unknown>>, base?: string): Promise<unknown> => {
    const folder = folderWith(files);
    const { catalog: file, schema } = await readExtension(
      path.join(folder, 'x/catalog.json'),
      base === undefined ? folder : path.join(folder, base),
    );
    return [
      file.shown,
      path.relative(folder, schema.name).replaceAll(path.sep, '/'),
      schema.shown,
      String(schema.contents),
    ];
  };

  test('are the catalog and the schema next to it', async () => {
    expect(await read({ 'x/catalog.json': catalog, 'x/schema.json': '{ "a": 1 }' })).toEqual([
      'x/catalog.json',
      'x/schema.json',
      'x/schema.json',
      '{ "a": 1 }',
    ]);
    expect(await read({ 'x/catalog.json': { ...catalog, schema: 'own.json' }, 'x/own.json': '{}' })).toEqual([
      'x/catalog.json',
      'x/own.json',
      'x/own.json',
      '{}',
    ]);
  });

  test('may be the catalog alone, if it refers to no definition and names no schema', async () => {
    expect(await read({ 'x/catalog.json': catalog })).toEqual([
      'x/catalog.json',
      'x/schema.json',
      'x/schema.json',
      '{}',
    ]);
    await expect(read({ 'x/catalog.json': { ...catalog, schema: 'schema.json' } })).rejects.toThrow('no such file');
    const results = [{ method: 'a', result: 'A' }];
    await expect(read({ 'x/catalog.json': { ...catalog, results } })).rejects.toThrow('no such file');
  });

  test('are shown by their names outside the base folder', async () => {
    expect(await read({ 'x/catalog.json': catalog }, 'other')).toEqual([
      'catalog.json',
      'x/schema.json',
      'schema.json',
      '{}',
    ]);
  });
});

describe('the source of a schema', () => {
  const revision = { kind: 'revision', name: 'r' } as const;

  test.each<[string, readonly string[], 'revision' | 'extension', string]>([
    ['a checkout', ['schema/r/schema.json', 'r/schema.json', 'schema.json'], 'revision', 'schema/r/schema.json'],
    ['its folder', ['r/schema.json', 'schema.json', 'schema/draft/schema.json'], 'revision', 'r/schema.json'],
    ['the folder of the revision', ['schema.json', 'draft/schema.json'], 'revision', 'schema.json'],
    [
      'a checkout of an extension',
      ['schema/draft/schema.json', 'schema/r/schema.json'],
      'extension',
      'schema/draft/schema.json',
    ],
  ])('may be %s', async (_, files, kind, expected) => {
    const folder = folderWith(Object.fromEntries(files.map((name) => [name, { name }])));
    const { place, bytes, sha256 } = await readSchemaSource(folder, { kind, name: 'r' }, 1);
    expect([path.relative(folder, place).replaceAll(path.sep, '/'), Buffer.from(bytes).toString()]).toEqual([
      expected,
      JSON.stringify({ name: expected }),
    ]);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test('may be a file', async () => {
    const folder = folderWith({ 'x.json': 'abc' });
    const file = path.join(folder, 'x.json');
    expect(await readSchemaSource(file, revision, 1)).toEqual({
      place: file,
      bytes: Buffer.from('abc'),
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    });
  });

  test.each([
    ['https://example.com/x', true],
    ['HTTP://example.com/x', true],
    ['npm:a/b', true],
    ['x.json', false],
    ['ftp://example.com/x', false],
    ['x https://example.com', false],
  ])('%s is remote: %s', (source, expected) => {
    expect(isRemoteSource(source)).toBe(expected);
  });

  test('of a built-in revision is in the repository of the specification', () => {
    expect(officialUrl('2025-11-25')).toBe(
      'https://raw.githubusercontent.com/modelcontextprotocol/modelcontextprotocol/main/schema/2025-11-25/schema.json',
    );
  });
});

test('schemas are known by their "$id" without an empty fragment', () => {
  const folder = folderWith({ 'a.json': { $id: 'https://a.example/a#' }, 'b.json': { $id: 'b.json', type: 'null' } });
  const schemas = readAdditionalSchemas(['a.json', 'b.json'].map((name) => path.join(folder, name)));
  expect([...schemas]).toEqual([
    ['https://a.example/a', { $id: 'https://a.example/a#' }],
    ['b.json', { $id: 'b.json', type: 'null' }],
  ]);
});

describe('comments in JSON', () => {
  test.each([
    ['{"a": 1} // end', '{"a": 1}       '],
    ['/* a\n b */[1]', '    \n     [1]'],
    ['["// no comment", "/* neither */"]', '["// no comment", "/* neither */"]'],
    ['["\\"// no comment"]', '["\\"// no comment"]'],
    ['[1, 2,]', '[1, 2 ]'],
    ['{"a": 1,\n}', '{"a": 1 \n}'],
    ['[1, // last\n]', '[1         \n]'],
    ['[",]", 1]', '[",]", 1]'],
    ['[1,, 2]', '[1,, 2]'],
    ['// a\r\n[] /**/', '    \r\n[]     '],
    ['[1] /* not closed', '[1] /* not closed'],
  ])('%j becomes %j', (text, expected) => {
    expect(withoutComments(text)).toBe(expected);
  });
});

describe('JSON values', () => {
  test('have a text that does not depend on the order of members', () => {
    expect(stableStringify({ b: [1, { d: null, c: 'x' }], a: {}, B: [] })).toBe(
      '{"B":[],"a":{},"b":[1,{"c":"x","d":null}]}',
    );
    expect(stableStringify(['b', 'a'])).toBe('["b","a"]');
  });

  test('have pointers', () => {
    expect(formatPointer('a/b', 0, '~1', '')).toBe('/a~1b/0/~01/');
    expect(formatPointer()).toBe('');
    expect(parsePointer('/a~1b/0/~01/')).toEqual(['a/b', '0', '~1', '']);
    expect(parsePointer('')).toEqual([]);
  });

  test('have members that are their own', () => {
    const value = { a: { b: 1 }, list: ['x'] };
    expect([memberAt(value, 'a', 'b'), memberAt(value, 'a', 'c'), memberAt(value, 'a', 'b', 'c')]).toEqual([
      1,
      undefined,
      undefined,
    ]);
    expect([memberAt(value, 'constructor'), memberAt(value, 'list', '0'), memberAt(undefined, 'a')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(memberAt(value)).toBe(value);
  });

  test('are sorted by code unit', () => {
    expect(['b', 'a', 'B', 'ä', 'a'].sort(compareText)).toEqual(['B', 'a', 'a', 'b', 'ä']);
    expect(compareText('a', 'a')).toBe(0);
  });

  test.each<[JsonValue, number, boolean]>([
    [1, 0, true],
    [1, 1, false],
    [[], 1, false],
    [[1], 1, true],
    [[1], 2, false],
    [{ a: { b: [] } }, 2, true],
    [{ a: { b: [] } }, 3, false],
    [{ a: 1, b: null, c: [null] }, 3, false],
  ])('%j is nested deeper than %d levels: %s', (value, levels, expected) => {
    expect(isNestedTooDeep(value, levels)).toBe(expected);
  });

  test('may be text with any character of UTF-8', () => {
    const text = JSON.stringify('\ufeff\0 ä€😀');
    expect(parseUntrustedJson(Buffer.from(text), 'a.json')).toBe('\ufeff\0 ä€😀');
    // Zero bytes after the first 4096 are reported as JSON errors.
    const late = Buffer.concat([Buffer.from(`"${'x'.repeat(4095)}`), Buffer.from([0, 0x22])]);
    expect(() => parseUntrustedJson(late, 'a.json')).toThrow('a control character or line break in a string');
    const early = Buffer.concat([Buffer.from(`"${'x'.repeat(4094)}`), Buffer.from([0, 0x22])]);
    expect(() => parseUntrustedJson(early, 'a.json')).toThrow('the file is not text');
  });
});

test('a package.json is undefined if it is missing or invalid', () => {
  const folder = folderWith({
    'ok/package.json': '\ufeff{ "name": "x" }',
    'list/package.json': '[]',
    'broken/package.json': '{',
  });
  const read = (name: string): unknown => readPackageJson(path.join(folder, name));
  expect(['ok', 'list', 'broken', 'none'].map(read)).toEqual([{ name: 'x' }, undefined, undefined, undefined]);
});

test('a file that cannot be read is optional', () => {
  const folder = folderWith({ 'a.txt': 'text' });
  expect([tryReadText(path.join(folder, 'a.txt')), tryReadText(folder)]).toEqual(['text', undefined]);
  expect(statIfExists(folder)?.isDirectory()).toBe(true);
  expect(statIfExists(path.join(folder, 'none'))).toBeUndefined();
  expect(statIfExists(path.join(folder, 'a.txt', 'none'))).toBeUndefined();
});

test('a file of several chunks is read completely', () => {
  const text = Array.from({ length: 30_000 }, (_, index) => index).join(',');
  const folder = folderWith({ 'a.txt': text });
  expect(readBytes(path.join(folder, 'a.txt')).toString()).toBe(text);
});

describe('our own package', () => {
  const own = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, string>>;

  test('has a version, and the ranges of what it depends on', () => {
    expect(packageVersion()).toBe(own['version']);
    const { version, ranges } = readMcpgenPackage();
    expect(version).toBe(own['version']);
    expect(ranges).toEqual({ ...own['devDependencies'], ...own['dependencies'] });
  });

  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['a release', { 'p/package.json': { dependencies: { mcpgen: '^1.0.0' } } }, '^1.2.3'],
    [
      'a development dependency',
      { 'p/package.json': { devDependencies: { mcpgen: 'file:../x.tgz' } }, 'x.tgz': '' },
      'file:../x.tgz',
    ],
    ['a folder', { 'p/package.json': { dependencies: { mcpgen: 'link:../src' } }, 'src/a': '' }, 'file:../src'],
    ['a file that is gone', { 'p/package.json': { dependencies: { mcpgen: 'file:../x.tgz' } } }, '^1.2.3'],
    ['a repository', { 'p/package.json': { dependencies: { mcpgen: 'git+ssh://a/b.git' } } }, 'git+ssh://a/b.git'],
    ['a repository on GitHub', { 'p/package.json': { dependencies: { mcpgen: 'github:a/b' } } }, 'github:a/b'],
    ['a tarball on a server', { 'p/package.json': { dependencies: { mcpgen: 'https://a/b.tgz' } } }, 'https://a/b.tgz'],
    ['a tag', { 'p/package.json': { dependencies: { mcpgen: 'latest' } } }, '^1.2.3'],
    ['a tag that begins like a host', { 'p/package.json': { dependencies: { mcpgen: 'gitx:a/b' } } }, '^1.2.3'],
    ['another package', { 'p/package.json': { dependencies: { other: 'github:a/b' } } }, '^1.2.3'],
    ['no package.json', {}, '^1.2.3'],
    ['a broken package.json', { 'p/package.json': '{' }, '^1.2.3'],
    [
      'the record of npm',
      {
        'p/node_modules/.package-lock.json': { packages: { 'node_modules/mcpgen': { resolved: 'file:../x.tgz' } } },
        'x.tgz': '',
      },
      'file:../x.tgz',
    ],
    [
      'the record of npm with a URL',
      { 'p/node_modules/.package-lock.json': { packages: { 'node_modules/mcpgen': { resolved: 'https://a/b.tgz' } } } },
      '^1.2.3',
    ],
    ['a record without it', { 'p/node_modules/.package-lock.json': { packages: {} } }, '^1.2.3'],
    ['an empty record', { 'p/node_modules/.package-lock.json': {} }, '^1.2.3'],
  ])('installed as %s: %j', (_, files, expected) => {
    const folder = folderWith({ 'p/node_modules/mcpgen/package.json': { version: '1.2.3' }, ...files });
    expect(installationSpec(path.join(folder, 'p/node_modules/mcpgen'), path.join(folder, 'new'))).toBe(expected);
  });

  test('is a folder if it is not installed, relative to the project by real paths', () => {
    const folder = folderWith({ 'src/package.json': { version: '1.2.3' }, 'real/deep/x': '' });
    symlinkSync(path.join(folder, 'real/deep'), path.join(folder, 'link'));
    const spec = (target: string): string => installationSpec(path.join(folder, 'src'), path.join(folder, target));
    expect(['new', 'a/b', 'src', 'src/a', 'link/new'].map(spec)).toEqual([
      'file:../src',
      'file:../../src',
      'file:.',
      'file:..',
      'file:../../../src',
    ]);
    expect(mcpgenSpec(path.resolve('x'))).toBe('file:..');
  });
});

describe('the runtime', () => {
  test('is copied with everything that it imports', () => {
    const files = readRuntimeFiles(['runtime/post-message'], '.ts');
    const names = files.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toContain('runtime/post-message/copy-json');
    for (const { name, text } of files) {
      const imported = [...text.matchAll(/from "(\.[^"]+)"/g)].map(([, specifier = '']) => specifier);
      for (const specifier of imported) {
        expect(specifier).toMatch(/\.ts$/);
        const target = path.posix.join(path.posix.dirname(name), specifier.slice(0, -'.ts'.length));
        expect(names).toContain(target);
      }
    }
    const [first] = readRuntimeFiles(['runtime/post-message'], '');
    expect(first?.text).not.toMatch(/from "\.[^"]+\.js"/);
  });
});

test('a template has all its files, and nothing that is installed or generated', () => {
  const names = [...readTemplateProject('server').keys()];
  expect(names).toEqual([...names].sort());
  expect(names).toEqual(expect.arrayContaining(['package.json', 'src/server.ts']));
  expect(names.filter((name) => /generated|node_modules|dist\//.test(name))).toEqual([]);
  expect(readTemplateProject('server').get('package.json')).toBe(readFileSync('templates/server/package.json', 'utf8'));
});

test('the hash of the tool is the same each time', () => {
  expect(toolBuildHash()).toMatch(/^[0-9a-f]{64}$/);
  expect(toolBuildHash()).toBe(toolBuildHash());
});

describe('built-in extensions', () => {
  test('are sorted, and found by their identifier', () => {
    const ids = builtinExtensions().map(({ extension }) => extension);
    expect(ids).toEqual([...ids].sort());
    expect(ids.map((id) => findExtension(id)?.extension)).toEqual(ids);
    expect(findExtension('none')).toBeUndefined();
  });

  test('may have a protocol, with files for each part', () => {
    expect(builtinExtensionProtocol('io.modelcontextprotocol/tasks')).toBeUndefined();
    const protocol = builtinExtensionProtocol('io.modelcontextprotocol/ui');
    expect(protocol?.schema.name).toMatch(/^schema\/extensions\/io\.modelcontextprotocol\/ui\/[a-z-]+\/schema\.json$/);
    expect(protocol?.catalog.name).toBe(protocol?.schema.name.replace('schema.json', 'catalog.json'));
    for (const file of [protocol?.schema, protocol?.catalog])
      expect(JSON.parse(file?.contents ?? '')).toEqual(JSON.parse(readFileSync(file?.name ?? '', 'utf8')));
    expect(protocol?.runtime.every((name) => name.startsWith('runtime/'))).toBe(true);
    expect(protocol?.runtime.length).toBeGreaterThan(0);
  });
});
