import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { transformSync } from 'esbuild';
import { ts } from 'ts-morph';
import { afterAll, describe, expect, test } from 'vitest';
import { definePlugin, type SourceFile } from '../../generator/plugin.js';
import { loadProtocol, render } from '../../generator/index.js';
import { compileFiles } from '../../generator/output/compile/compile.js';
import { declarationsOf } from '../../generator/output/compile/declarations.js';
import { javascriptOf } from '../../generator/output/compile/javascript.js';
import { addHeader, readOrigin } from '../../generator/output/ownership.js';
import { listFiles, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { itemsOf, shareOfToday, shareText } from '../support/today.js';

afterAll(removeTemporaryFolders);

const root = path.resolve(import.meta.dirname, '../..');

function compilerFor(text: string): Parameters<typeof javascriptOf>[0] {
  return { ts, source: ts.createSourceFile('file.ts', text, ts.ScriptTarget.ES2022, true) };
}

/** TypeScript, and the JavaScript and declarations that it becomes. */
const CASES: Readonly<Record<string, readonly [string, string, string]>> = {
  'a function with docs, and what only it uses': [
    "import type { A, B } from './a.js';\nimport { c, d } from './c.js';\n\n/** Hidden. */\ninterface Options {\n  readonly a: A;\n}\n\nconst LIMIT = 3;\n\n/** Visible. */\nexport async function run<T>(value: T, { a }: Options, more = LIMIT > 2): Promise<T> {\n  // Why.\n  const b = value as T & B;\n  return c(b, a!, d<T>(more));\n}\n",
    "import { c, d } from './c.js';\n\nconst LIMIT = 3;\n\n/** Visible. */\nexport async function run(value, { a }, more = LIMIT > 2) {\n  // Why.\n  const b = value;\n  return c(b, a, d(more));\n}\n",
    '',
  ],
  'default values': [
    "export function f(a: number, b: string = 'x', c = 3, e = true, { d = 1 }: { d?: number } = {}): void {}\n",
    "export function f(a, b = 'x', c = 3, e = true, { d = 1 } = {}) {}\n",
    'export declare function f(a: number, b?: string, c?: number, e?: boolean, { d }?: { d?: number }): void;\n',
  ],
  overloads: [
    'export function f(a: number): number;\nexport function f(a: string): string;\nexport function f(a: unknown): unknown {\n  return a;\n}\n',
    'export function f(a) {\n  return a;\n}\n',
    'export declare function f(a: number): number;\nexport declare function f(a: string): string;\n',
  ],
  'a class': [
    "import { Base } from './base.js';\nimport type { Like } from './base.js';\n\nexport abstract class Box<T> extends Base<T> implements Like {\n  readonly kind = 'box';\n  protected override size = 0;\n  abstract readonly name: string;\n  #secret: T | undefined;\n\n  constructor(secret: T) {\n    super();\n    this.#secret = secret;\n  }\n\n  /** What it has. */\n  get secret(): T | undefined {\n    return this.#secret;\n  }\n\n  static async *all(this: void, from = 1): AsyncGenerator<number> {\n    yield from;\n  }\n}\n",
    "import { Base } from './base.js';\n\nexport class Box extends Base {\n  kind = 'box';\n  size = 0;\n  #secret;\n\n  constructor(secret) {\n    super();\n    this.#secret = secret;\n  }\n\n  /** What it has. */\n  get secret() {\n    return this.#secret;\n  }\n\n  static async *all(from = 1) {\n    yield from;\n  }\n}\n",
    "import { Base } from './base.js';\nimport type { Like } from './base.js';\n\nexport declare abstract class Box<T> extends Base<T> implements Like {\n  #private;\n  readonly kind = 'box';\n  protected size: number;\n  abstract readonly name: string;\n\n  constructor(secret: T);\n\n  /** What it has. */\n  get secret(): T | undefined;\n\n  static all(this: void, from?: number): AsyncGenerator<number>;\n}\n",
  ],
  constants: [
    "export const A = 'a';\nexport const B: number = 2 * 3;\nexport const LIST = [1, 'two'] as const;\nexport const MAP = {\n  /** One. */\n  'x/y': { z: -1, w: null },\n} as const;\nexport const same = <T>(value: T): T => value;\nexport let count = 0;\n",
    "export const A = 'a';\nexport const B = 2 * 3;\nexport const LIST = [1, 'two'];\nexport const MAP = {\n  /** One. */\n  'x/y': { z: -1, w: null },\n};\nexport const same = (value) => value;\nexport let count = 0;\n",
    "export declare const A = 'a';\nexport declare const B: number;\nexport declare const LIST: readonly [1, 'two'];\nexport declare const MAP: {\n  /** One. */\n  readonly 'x/y': { readonly z: -1; readonly w: null };\n};\nexport declare const same: <T>(value: T) => T;\nexport declare let count: number;\n",
  ],
  'parentheses around what is constructed': [
    'declare const a: any;\nexport const b: Date = new (a().b as typeof Date)();\nexport const c: Date = new (a() as any).Date();\nexport const d: Date = new (a.b as typeof Date)();\n',
    'export const b = new (a().b)();\nexport const c = new (a()).Date();\nexport const d = new a.b();\n',
    'export declare const b: Date;\nexport declare const c: Date;\nexport declare const d: Date;\n',
  ],
  'a static method with the name of an overloaded one': [
    'export class A {\n  f(): void;\n  f(a: number): void;\n  f(a?: number): void {}\n  static f(): void {}\n}\n',
    'export class A {\n  f(a) {}\n  static f() {}\n}\n',
    'export declare class A {\n  f(): void;\n  f(a: number): void;\n  static f(): void;\n}\n',
  ],
  'types alone': [
    "// A header.\n\nimport type { A } from './a.js';\nexport type { B } from './b.js';\n\n/** Docs. */\nexport type C = A;\n",
    '// A header.\n\nexport {};\n',
    "// A header.\n\nimport type { A } from './a.js';\nexport type { B } from './b.js';\n\n/** Docs. */\nexport type C = A;\n",
  ],
  'parentheses around a value with a type': [
    'const a: unknown = 1;\nexport const b: number = (a as { c: number }).c + (a as { d(): number }).d();\nexport const e: Date = new ((a as () => typeof Date)())();\nexport const f: number = (a as { g?: { h: number } }).g!.h;\n(a as () => void)();\n',
    'const a = 1;\nexport const b = a.c + a.d();\nexport const e = new (a())();\nexport const f = a.g.h;\na();\n',
    'export declare const b: number;\nexport declare const e: Date;\nexport declare const f: number;\n',
  ],
  'what a declaration uses without an export': [
    "import { type A, b } from './a.js';\ntype Local = A;\nexport const value: Local = b();\n",
    "import { b } from './a.js';\nexport const value = b();\n",
    "import { type A } from './a.js';\ntype Local = A;\nexport declare const value: Local;\n\nexport {};\n",
  ],
};

describe('one file', () => {
  test.each(Object.entries(CASES))('%s', (_, [text, javascript, declarations]) => {
    expect(javascriptOf(compilerFor(text))).toBe(javascript);
    // A default value that is no literal has no type in the text.
    if (declarations === '') expect(() => declarationsOf(compilerFor(text))).toThrow();
    else expect(declarationsOf(compilerFor(text))).toBe(declarations);
  });

  test.each([
    'export enum A { B }',
    'export namespace A { export const b = 1; }',
    'const a: number = 1;\nexport default a;',
    'declare global { interface Window { a: 1 } }\nexport {};',
    'export class A { constructor(readonly a: number, private b = 1) {} }',
    'export class A { private constructor(private readonly a: number) {} }',
    'export class A { a!: number; accessor b: number = 1; }',
    'export let a!: number;',
    'export function f(): void { using a = { [Symbol.dispose](): void {} }; }',
    'export const A = `a`;',
  ])('leaves %j to the compiler', async (code) => {
    const contents = addHeader('x/a.ts', `${code}\n`);
    const compiled = await compileFiles([{ path: 'x/a.ts', contents }], String(Math.random()));
    const compilerOptions = {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
    };
    const expected = [
      ts.transpileModule(code, { compilerOptions }),
      ts.transpileDeclaration(code, { compilerOptions: { ...compilerOptions, declaration: true } }),
    ];
    expect(compiled.map((file) => tokens(file.contents))).toEqual(expected.map(({ outputText }) => tokens(outputText)));
  });

  test('a negative number has a type, another operator has none', () => {
    expect(declarationsOf(compilerFor('export const A = [-1] as const;\n'))).toContain('readonly [-1]');
    expect(() => declarationsOf(compilerFor('export const A = [~1] as const;\n'))).toThrow();
  });

  /** What plugins may write, though mcpgen does not: each has to be what the compiler makes of it. */
  test.each([
    'export class A { constructor(private readonly a: number, public b = 2) {} get c(): number { return this.a; } }',
    'export class A { private constructor(readonly a: number) {} }',
    'export class A { accessor a: number = 1; }',
    'export class A { declare a: number; b!: string; abstract: number = 1; }',
    'export class A {\n  readonly a = 1\n  readonly ["b"] = 2\n}',
    'export const a: number = 1\ntype X = number\n;[1].map((x: X) => x)',
    'declare const a: any;\nexport const b: unknown = new (a.b().c as any)();',
    'declare const a: any;\nexport const b: unknown = new (a.b()[0]! as any).c();',
    'export function f(a: unknown): string { if(typeof(a as string) === "x")return(a as string);return a! as string; }',
    'export function f(a: Disposable): void { using b = a; void b; }',
    'export async function f(a: AsyncDisposable): Promise<void> { await using b = a; void b; }',
    'export const m: Map<string, number> = new Map<string, number /* a > b */>();',
    'const g = <T extends object // >\n>(a: T): T => a;\nexport const b: unknown = g<{ a: 1 } /* > */ >({ a: 1 });',
    'export const LIST = [+1, -1] as const;',
    'export default 5;',
    'const a: number = 1;\nexport default a;',
    'export interface B {}\ndeclare global { interface Window { a: number } }',
    "import type { A } from './a.js';\ndeclare module './a.js' { interface A { b: 1 } }\nexport const a: A | undefined = undefined;",
  ])('is what the compiler makes of %j', async (code) => {
    const contents = addHeader('x/a.ts', `${code}\n`);
    const [javascript, declarations] = await compileFiles([{ path: 'x/a.ts', contents }], String(Math.random()));
    const compilerOptions = {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      declaration: true,
      isolatedDeclarations: true,
      strict: true,
    };
    const expected = [ts.transpileModule, ts.transpileDeclaration].map((compile) => compile(code, { compilerOptions }));
    // Parentheses that mean nothing may stay.
    const minified = (text = ''): string => transformSync(text, { minify: true, target: 'esnext' }).code;
    expect(minified(javascript?.contents)).toBe(minified(expected[0]?.outputText));
    expect(tokens(declarations?.contents ?? '')).toEqual(tokens(expected[1]?.outputText ?? ''));
  });

  test('files that are left to the compiler have the header of the others', async () => {
    const header = '// A header.\n// Regenerate: mcpgen\n/* eslint-disable */\n';
    for (const code of [
      'export default 1;',
      '/** Docs. */\nexport enum A { B }',
      "import { a } from './a.js';\nexport default a as 1;",
    ]) {
      const contents = addHeader('x/a.ts', `${header}\n${code}\n`);
      for (const file of await compileFiles([{ path: 'x/a.ts', contents }], String(Math.random())))
        expect(file.contents.split('\n').slice(1).join('\n').split(header), file.path).toEqual([
          '',
          expect.any(String),
        ]);
    }
  });

  test('a plugin has to write the types of what it exports', async () => {
    const contents = addHeader('x/a.ts', '\nexport const a = Math.max(1, 2);\n');
    await expect(compileFiles([{ path: 'x/a.ts', contents }], 'none')).rejects.toMatchObject({
      place: 'x/a.ts:2',
      message: expect.stringContaining('needs a type') as string,
    });
  });

  test('a cached result is that of the same text', async () => {
    const files = [1, 2, 1].map((value) => ({
      path: 'x/a.ts',
      contents: addHeader('x/a.ts', `export const a = ${value};\n`),
    }));
    const outputs: string[] = [];
    for (const file of files) outputs.push((await compileFiles([file], 'cached'))[0]?.contents ?? '');
    expect(outputs.map((text) => text.split('\n')[1])).toEqual([1, 2, 1].map((value) => `export const a = ${value};`));
  });
});

/** The tokens of code, without what does not change its meaning. */
function tokens(text: string): readonly string[] {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.ES2022, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isParenthesizedExpression(node)) visit(node.expression);
    else if (ts.isStringLiteralLike(node)) found.push(JSON.stringify(node.text));
    else if (ts.isNumericLiteral(node)) found.push(node.text);
    else {
      const children = node.getChildren(source).filter((child) => !ts.isJSDoc(child));
      if (children.length > 0) for (const child of children) visit(child);
      else if (!/^[,;]?$/.test(node.getText(source))) found.push(node.getText(source));
    }
  };
  visit(source);
  // A union may begin with a bar.
  return found.filter((token, index) => token !== '|' || !/^(?:[=:|(<&]|extends|=>)$/.test(found[index - 1] ?? ''));
}

describe('generated code', () => {
  const folder = path.join(root, 'generated');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const share = shareOfToday(24);

  test(`becomes what tsc writes, ${shareText(share)}`, () => {
    expect(files.length).toBeGreaterThan(250);
    for (const name of itemsOf(files, share)) {
      const compiler = compilerFor(readFileSync(path.join(folder, name), 'utf8'));
      const built = (extension: string): readonly string[] =>
        tokens(readFileSync(path.join(root, 'dist/generated', name.replace(/\.ts$/, extension)), 'utf8'));
      expect(tokens(javascriptOf(compiler)), `${name}, JavaScript`).toEqual(built('.js'));
      expect(tokens(declarationsOf(compiler)), `${name}, declarations`).toEqual(built('.d.ts'));
    }
  });
});

/** A plugin that writes `extra.ts`. */
const PLUGIN =
  'export default { mcpgenPlugin: 1, generate: () => [{ path: "extra.ts", text: "export const extra: number = 1;\\n" }] };\n';

describe('generate --target js', () => {
  const options = ['generate', '-r', '2025-11-25', '--emit', 'methods,opentelemetry', '--target', 'js'];
  const inRevision = (folder: string): readonly string[] =>
    readdirSync(path.join(folder, 'out/2025-11-25')).sort((a, b) => (a < b ? -1 : 1));

  test('replaces TypeScript, is checked, and is replaced by it', async () => {
    const cwd = temporaryFolder();
    const typescript = ['generate', '-r', '2025-11-25', '--emit', 'methods,opentelemetry', '-o', 'out'];
    expect((await mcpgen(typescript, { cwd })).code).toBe(0);
    const before = listFiles(path.join(cwd, 'out'));
    expect((await mcpgen([...options, '-o', 'out', '--check'], { cwd })).code).toBe(1);

    expect((await mcpgen([...options, '-o', 'out'], { cwd })).code).toBe(0);
    expect(inRevision(cwd)).toContain('types.d.ts');
    // TypeScript in the runtime would be used instead of the declarations next to it.
    const all = listFiles(path.join(cwd, 'out'));
    expect(all.filter((name) => /(?<!\.d)\.ts$/.test(name))).toEqual([]);
    expect((await mcpgen([...options, '-o', 'out', '--check'], { cwd })).code).toBe(0);

    for (const name of ['methods.js', 'methods.d.ts']) {
      const file = path.join(cwd, 'out/2025-11-25', name);
      const text = readFileSync(file, 'utf8');
      expect(readOrigin(`2025-11-25/${name}`, text)).toBe('generated');
      expect(text).toContain('--target js');
      writeFileSync(file, `${text}// edited\n`);
      const { code, stdout } = await mcpgen([...options, '-o', 'out', '--check'], { cwd });
      expect(code).toBe(1);
      expect(stdout).toContain(name);
      expect(stdout).toContain('--target js');
      writeFileSync(file, text);
    }

    expect((await mcpgen(typescript, { cwd })).code).toBe(0);
    expect(listFiles(path.join(cwd, 'out'))).toEqual(before);
  });

  test('with --ts-nocheck, marks what mcpgen wrote and nothing else', async () => {
    const cwd = temporaryFolder();
    const config = { out: 'out', revisions: ['2025-11-25'], emit: ['methods', 'errors'], tsNocheck: true };
    writeFileSync(path.join(cwd, 'mcpgen.config.json'), JSON.stringify(config));
    writeFileSync(path.join(cwd, 'plugin.js'), PLUGIN);
    for (const target of ['ts', 'js']) {
      const command = ['generate', '--target', target, '--plugin', 'plugin.js'];
      expect((await mcpgen(command, { cwd })).code).toBe(0);
      expect((await mcpgen([...command, '--check'], { cwd })).code).toBe(0);
      const texts = inRevision(cwd).map((name) => [name, readFileSync(path.join(cwd, 'out/2025-11-25', name), 'utf8')]);
      for (const [name = '', text = ''] of texts) {
        const isMarked = /^(?:\/\/.*\n)+\/\* eslint-disable \*\/\n\/\/ @ts-nocheck\n/.test(text);
        expect(isMarked, name).toBe(!name.startsWith('extra'));
        expect(readOrigin(`2025-11-25/${name}`, text)).toBe('generated');
        if (isMarked) expect(text).toContain('--ts-nocheck');
      }
    }
    writeFileSync(path.join(cwd, 'mcpgen.config.json'), JSON.stringify({ ...config, tsNocheck: false }));
    expect((await mcpgen(['generate', '--check'], { cwd })).code).toBe(1);
  });

  test('is a key of the config, and leaves handlers to the author', async () => {
    const cwd = temporaryFolder();
    const config = {
      out: 'out',
      revisions: ['2025-11-25'],
      emit: ['default', 'stubs'],
      methods: ['ping'],
      target: 'js',
    };
    writeFileSync(path.join(cwd, 'mcpgen.config.json'), JSON.stringify(config));
    expect((await mcpgen(['generate'], { cwd })).code).toBe(0);
    expect(inRevision(cwd)).toEqual(expect.arrayContaining(['handlers.ts', 'server.d.ts', 'server.js']));
    expect(existsSync(path.join(cwd, 'out/2025-11-25/handlers.js'))).toBe(false);
    // Methods of the earlier run are read from JavaScript.
    const { stdout } = await mcpgen(['generate', '--target', 'ts'], { cwd });
    expect(stdout).not.toContain('new method');
    const { stderr } = await mcpgen(['generate', '--import-extension', 'ts'], { cwd });
    expect(stderr).toContain('JavaScript cannot import from files that end with .ts');
  });

  test('prints both files of a part', async () => {
    const { stdout, code } = await mcpgen([
      'generate',
      '-r',
      '2025-11-25',
      '--emit',
      'errors',
      '--target',
      'js',
      '-o',
      '-',
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain('export const ERROR_CODES = {');
    expect(stdout).toContain('export declare const ERROR_CODES: {');
  });

  test('compiles what plugins write', async () => {
    const plugin = definePlugin(1, (_, tools) => {
      const file: SourceFile<string> = tools.sourceFile('extra');
      file.declare('const', 'EXTRA', { code: ': number = 1;' });
      return [
        file,
        { path: 'module.mts', text: 'export const MODULE: number = 2;\n' },
        { path: 'notes.md', text: '# Notes\n' },
      ];
    });
    const protocol = await loadProtocol({ revision: '2025-11-25' });
    const out = temporaryFolder();
    const files = await render(protocol, out, { emit: ['errors'], plugins: [plugin], target: 'js' });
    expect(files.map((file) => file.path)).toEqual(
      expect.arrayContaining(['2025-11-25/extra.js', '2025-11-25/extra.d.ts', '2025-11-25/notes.md']),
    );
    expect(files.find((file) => file.path === '2025-11-25/module.mjs')?.contents).toContain('export const MODULE = 2;');
    expect(files.find((file) => file.path === '2025-11-25/module.d.mts')?.contents).toContain('MODULE: number;');
    for (const kind of ['cts', 'tsx']) {
      const other = definePlugin(1, () => [{ path: `view.${kind}`, text: 'export const a = 1;\n' }]);
      await expect(render(protocol, out, { emit: ['errors'], plugins: [other], target: 'js' })).rejects.toMatchObject({
        message: `--target js does not compile .${kind} files`,
        place: `2025-11-25/view.${kind}`,
      });
    }
    const clash = definePlugin(1, () => [
      { path: 'extra.ts', text: 'export const a = 1;\n' },
      { path: 'extra.d.ts', text: 'export const a: 1;\n' },
    ]);
    await expect(render(protocol, out, { emit: ['errors'], plugins: [clash], target: 'js' })).rejects.toMatchObject({
      message: 'two files have this path',
    });
  });

  test('writes types of tools', async () => {
    const cwd = temporaryFolder();
    const tools = { tools: [{ name: 'add', inputSchema: { type: 'object', properties: { a: { type: 'number' } } } }] };
    writeFileSync(path.join(cwd, 'tools.json'), JSON.stringify(tools));
    const command = ['types', 'tools', 'tools.json', '--out', 'out', '--target', 'js'];
    expect((await mcpgen(command, { cwd })).code).toBe(0);
    expect(readFileSync(path.join(cwd, 'out/tools/add.d.ts'), 'utf8')).toContain('export type AddInput');
    expect((await mcpgen([...command, '--check'], { cwd })).code).toBe(0);
    expect((await mcpgen(command.slice(0, -2).concat('--check'), { cwd })).code).toBe(1);
  });
});
