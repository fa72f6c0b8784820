import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { compareWithPackage } from '../../generator/drift/drift.js';
import type { DriftReport } from '../../generator/drift/report.js';
import { McpgenError } from '../../generator/errors.js';
import { removeTemporaryFolders } from '../support/cli.js';
import { folderWith, findingLines, definitionsWithStatus } from './support.js';

afterAll(removeTemporaryFolders);

const ROLE = "export type Role = 'user' | 'assistant';\n";
const compare = (sdk: string, folder: string): Promise<DriftReport> =>
  compareWithPackage({ sdk, folder, revision: '2025-11-25' });

/** The message of the fault that a comparison ends with, and what to do about it. */
async function fault(sdk: string, files: Readonly<Record<string, string | object>>): Promise<string> {
  const error: unknown = await compare(sdk, folderWith(files)).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(McpgenError);
  return (error as McpgenError).format();
}

describe('packages are found as TypeScript finds them', () => {
  const layouts: Readonly<Record<string, { sdk: string; files: Readonly<Record<string, string | object>> }>> = {
    'types of the root': {
      sdk: 'p',
      files: {
        'node_modules/p/package.json': { name: 'p', version: '1.0.0', types: './t.d.ts' },
        'node_modules/p/t.d.ts': ROLE,
      },
    },
    'exports with conditions': {
      sdk: '@s/p/sub',
      files: {
        'node_modules/@s/p/package.json': {
          name: '@s/p',
          exports: { './sub': { import: { types: './a.d.mts' }, require: { types: './a.d.cts' } } },
        },
        'node_modules/@s/p/a.d.mts': ROLE,
        'node_modules/@s/p/a.d.cts': 'export type Role = number;',
      },
    },
    'exports for require alone': {
      sdk: 'p',
      files: {
        'node_modules/p/package.json': { name: 'p', exports: { require: { types: './a.d.cts' } } },
        'node_modules/p/a.d.cts': ROLE,
      },
    },
    'exports with a wildcard': {
      sdk: 'p/types.js',
      files: {
        'node_modules/p/package.json': { name: 'p', type: 'module', exports: { './*': { import: './dist/*' } } },
        'node_modules/p/dist/types.d.ts': ROLE,
      },
    },
    typesVersions: {
      sdk: 'p/sub',
      files: {
        'node_modules/p/package.json': { name: 'p', typesVersions: { '*': { sub: ['./dist/sub.d.ts'] } } },
        'node_modules/p/dist/sub.d.ts': ROLE,
      },
    },
    '@types beside a package of JavaScript': {
      sdk: 'p',
      files: {
        'node_modules/p/package.json': { name: 'p', main: './i.js' },
        'node_modules/p/i.js': '',
        'node_modules/@types/p/package.json': { name: '@types/p', types: './i.d.ts' },
        'node_modules/@types/p/i.d.ts': ROLE,
      },
    },
    'a package installed further up': {
      sdk: 'p',
      files: { 'node_modules/p/package.json': { name: 'p' }, 'node_modules/p/index.d.ts': ROLE },
    },
    'a file': { sdk: './a.ts', files: { 'a.ts': ROLE } },
    'a file by the name that it is imported by': { sdk: './a.js', files: { 'a.d.ts': ROLE } },
    'a folder with an index': { sdk: './lib', files: { 'lib/index.d.ts': ROLE } },
    'a folder that is a package': {
      sdk: './lib',
      files: { 'lib/package.json': { name: 'q', types: 'x/y.d.ts' }, 'lib/x/y.d.ts': ROLE },
    },
    'a folder that is a package with exports': {
      sdk: './lib',
      files: { 'lib/package.json': { name: 'q', exports: { types: './x/y.d.ts' } }, 'lib/x/y.d.ts': ROLE },
    },
    'a folder without a dot in front': { sdk: 'lib', files: { 'lib/index.ts': ROLE } },
    'export * in a circle': {
      sdk: './a.ts',
      files: {
        'a.ts': "export * from './b.js';\nexport * from './a.js';",
        'b.ts': `export * from './a.js';\nexport * as a from './a.js';\n${ROLE}`,
      },
    },
    'export =': {
      sdk: './a.d.cts',
      files: { 'a.d.cts': `declare namespace all { ${ROLE.replace('export ', '')} }\nexport = all;` },
    },
    'an ambient module': {
      sdk: 'p',
      files: {
        'node_modules/p/package.json': { name: 'p', types: 'i.d.ts' },
        'node_modules/p/i.d.ts': `declare module 'p' { ${ROLE} }`,
      },
    },
    'a default export beside': { sdk: './a.ts', files: { 'a.ts': `${ROLE}export default class Server {}\n` } },
  };

  test.each(Object.entries(layouts))('%s', async (name, { sdk, files }) => {
    const folder = folderWith(files);
    const report = await compare(
      sdk,
      name === 'a package installed further up' ? path.join(folder, 'deep/er') : folder,
    );
    expect(definitionsWithStatus(report, 'same')).toEqual(['Role']);
    expect(report.package.moduleResolution).toBe('nodenext');
  });

  test('a package written for bundlers is read as bundlers read it', async () => {
    const folder = folderWith({
      'node_modules/p/package.json': { name: 'p', version: '2.0.0', type: 'module', types: './index.d.ts' },
      'node_modules/p/index.d.ts': "export * from './parts';",
      'node_modules/p/parts/index.d.ts': ROLE,
    });
    const report = await compare('p', folder);
    expect(definitionsWithStatus(report, 'same')).toEqual(['Role']);
    expect(report.package).toMatchObject({ moduleResolution: 'bundler', version: '2.0.0' });
  });
});

describe('what is wrong with a package is said, with the remedy', () => {
  const installed = (
    manifest: object,
    files: Readonly<Record<string, string>> = {},
  ): Record<string, string | object> => ({
    'node_modules/p/package.json': { name: 'p', ...manifest },
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`node_modules/p/${name}`, text])),
  });

  test.each([
    [
      'not installed',
      '@s/p/sub.js',
      {},
      /"@s\/p" is not installed here\nhint: Install it \(npm install --save-dev @s\/p\)/,
    ],
    ['no such file', './nothing.ts', {}, /\.\/nothing\.ts: no such file or folder/],
    ['no such folder', './nothing', {}, /no such file or folder/],
    ['no types', 'p', installed({ main: 'i.js' }, { 'i.js': '' }), /"p" has no types.*\nhint: .*@types\/p/],
    [
      'no types of a scope',
      '@s/p',
      { 'node_modules/@s/p/package.json': { name: '@s/p' }, 'node_modules/@s/p/index.js': '' },
      /@types\/s__p/,
    ],
    [
      'a subpath near another',
      'p/type',
      installed({ exports: { './types': './t.d.ts' } }, { 't.d.ts': ROLE }),
      /has no type with types\nhint: Did you mean p\/types\?/,
    ],
    [
      'a root without types',
      'p',
      installed({ exports: { './a': './t.d.ts', './b': './t.d.ts' } }, { 't.d.ts': ROLE }),
      /no types at its root\nhint: It exports p\/a, p\/b/,
    ],
    [
      'the root of an SDK',
      'p',
      installed({ exports: { '.': './no.js', './*': './dist/*' } }),
      /Did you mean p\/types\.js\?/,
    ],
    [
      'a syntax error',
      './a.d.ts',
      { 'a.d.ts': 'export interface {\n  nope nope\n' },
      /a\.d\.ts:1:\d+: not valid TypeScript: .*\(and \d+ more errors\)\nhint: Fix the file/,
    ],
    [
      'a syntax error further in',
      './a.ts',
      { 'a.ts': "export * from './b.js';", 'b.ts': 'export type = 1' },
      /b\.ts:1:\d+: not valid TypeScript/,
    ],
    ['no module', './a.d.ts', { 'a.d.ts': 'interface Role {}' }, /not a module/],
    ['an empty module', './a.ts', { 'a.ts': 'export {};' }, /exports no types/],
    ['an empty file', './a.ts', { 'a.ts': '' }, /not a module|exports no types/],
    ['a folder without types', './lib', { 'lib/readme.md': '' }, /the folder has no types/],
    ['a folder with a broken package.json', './lib', { 'lib/package.json': '{' }, /the folder has no types/],
    ['a file that is no TypeScript', './a.json', { 'a.json': '{}' }, /has no types/],
    ['bytes', './a.ts', { 'a.ts': '\u0000\u0001\u{10ffff}export' }, /not valid TypeScript|not a module/],
  ] as const)('%s', async (_, sdk, files, message) => {
    expect(await fault(sdk, files)).toMatch(message);
  });
});

describe('hostile types', () => {
  test('names that every JavaScript object has', async () => {
    const folder = folderWith({
      'a.ts': `${ROLE}
export type __proto__ = string;
export type constructor = number;
export interface Annotations { __proto__?: string; constructor?: number; hasOwnProperty?: string; 'a\\u202eb'?: 1; '"\\\\'?: 2 }
`,
    });
    const report = await compare('./a.ts', folder);
    expect(report.otherExports.map(({ name }) => name)).toEqual(['__proto__', 'constructor']);
    expect(findingLines(report).filter((line) => line.startsWith('extra'))).toEqual([
      'extra Annotations.__proto__: theirs string (optional), ours missing',
      'extra Annotations.constructor: theirs number (optional), ours missing',
      'extra Annotations.hasOwnProperty: theirs string (optional), ours missing',
      'extra Annotations["\\"\\\\"]: theirs 2 (optional), ours missing',
      'extra Annotations["a\u202eb"]: theirs 1 (optional), ours missing',
    ]);
  });

  test('types that never end', async () => {
    const folder = folderWith({
      'a.ts': `
type Deeper<T> = { [key: string]: Deeper<T[]> };
export type JSONObject = Deeper<string>;
export type JSONValue = JSONValue[] | { [key: string]: JSONValue };
export type Loop = Loop;
export interface Result extends Result { a: 1 }
export type Cursor<T extends Cursor<T>> = T;
export type Role<T = Role> = T;
type Build<N extends number, A extends unknown[] = []> = A['length'] extends N ? A : Build<N, [...A, unknown]>;
export interface Annotations { priority?: Build<5000>['length'] }
`,
    });
    const report = await compareWithPackage({ sdk: './a.ts', folder, revision: '2026-07-28' });
    expect(findingLines(report).join('\n')).toMatch(/JSONValue: theirs/);
  });

  test('huge unions', async () => {
    const literals = Array.from({ length: 20_000 }, (_, index) => `'v${index}'`).join(' | ');
    const objects = Array.from({ length: 2000 }, (_, index) => `{ type: 'v${index}'; a: ${index} }`).join(' | ');
    const untagged = Array.from({ length: 3000 }, (_, index) => `{ a${index}: ${index} }`).join(' | ');
    const folder = folderWith({
      'a.ts': `export type Role = ${literals};\nexport type ContentBlock = ${objects};\nexport type ServerResult = ${untagged};`,
    });
    const { findings } = await compare('./a.ts', folder);
    const detail = (at: string): string => findings.find((finding) => finding.path === at)?.detail ?? '';
    expect(detail('Role')).toMatch(/^theirs lacks "assistant", "user", theirs also allows "v0", .* and 19992 more$/);
    expect(detail('ContentBlock')).toMatch(/theirs also allows type: "v0", .* and 1992 more$/);
    expect(detail('ServerResult')).toMatch(/and 2992 more$/);
  });

  test('types that are wrong but well formed', async () => {
    const folder = folderWith({
      'a.ts': `
import type { Gone } from './gone.js';
export type Role = Missing | Gone;
export interface Annotations { priority?: typeof nothing; audience?: Role['x'] }
export declare const TextContentSchema: { _output: never };
export declare const ImageContentSchema: { '~standard': { types?: { output: any } } };
export declare function Tool(): void;
export enum LoggingLevel {}
export abstract class Icon { abstract src: string; static mimeType: string }
`,
    });
    const found = findingLines(await compare('./a.ts', folder));
    expect(found).toContain('unresolved Role: theirs an unresolved type, ours "assistant" | "user"');
    expect(found).toContain(
      'any ImageContent: theirs any, ours { type: "image"; data: string; mimeType: string; annotations?: Annotations; _meta?: { [key: strin...',
    );
    expect(found.some((line) => line.startsWith('narrower TextContent: theirs never'))).toBe(true);
    expect(found).toContain('missing Icon.mimeType: theirs missing, ours string (optional)');
  });
});
