/** The JavaScript and the declarations that TypeScript becomes, without the compiler. */
import { ts } from 'ts-morph';
import { expect, test } from 'vitest';
import { declarationsOf } from '../../generator/output/compile/declarations.js';
import { UnknownSyntax, type Compiler } from '../../generator/output/compile/edits.js';
import { javascriptOf } from '../../generator/output/compile/javascript.js';
import { expectedFile, section } from './support.js';

const SOURCES: readonly string[] = [
  "import a from './a.js';\nexport const b: typeof a = a;",
  "import a, { b } from './a.js';\nexport const c: number = b;",
  "import * as a from './a.js';\nexport const b: a.B = a.c;",
  "import type * as a from './a.js';\nexport type B = a.B;",
  "import { a, type B, c as d } from './a.js';\nexport const e: B = d(a);",
  "import { type A, type B } from './a.js';\nexport const a: A = 1;",
  "import './a.js';\nexport const a = 1;",
  "// why\nimport type { A } from './a.js';\n\n// and\nimport { b, c } from './b.js';\n\nexport function d(e: A): void {\n  b(e);\n}",
  "import { aRatherLongName, anotherRatherLongName, aThirdRatherLongName } from './a-module-with-a-long-name.js';\nexport const a: typeof aThirdRatherLongName = aRatherLongName(anotherRatherLongName);",
  "export { a, type B } from './a.js';",
  "export type { A } from './a.js';",
  "export * from './a.js';\nexport type * from './b.js';\nexport * as c from './c.js';",
  'const a: number = 1;\ntype B = string;\nexport { a, type B };',
  'export {};',
  'type A = 1;\ninterface B {}',
  'export type A<T> = T;\nexport interface B extends Object {\n  /** Doc. */\n  a: A<1>;\n}',
  'interface Hidden {\n  a: string;\n}\nconst LIMIT = 3;\nexport function a(b: Hidden): number {\n  return LIMIT;\n}',
  'const a = 1;\nexport const b: typeof a = a;',
  'function helper(): void {}\nexport const a: () => void = helper;',
  'class Hidden {\n  a = 1;\n}\nexport const a: Hidden = new Hidden();',
  "export const a = 'x';\nexport const b = 1;\nexport const c = -1;\nexport const d = true;\nexport const e: null = null;\nexport const f = `x`;",
  "export let a = 'x';\nexport let b: number;",
  "export const A = ['a', 1, true, null, ['b'], { c: 'd' }] as const;",
  "export const A = {\n  a: 1,\n  'b-c': ['d'],\n  // why\n  5: { e: -1 },\n} as const;",
  'export const a = (b: number, c?: string): void => {};',
  'export const a = async <T extends object = {}>(b: T): Promise<T> => b;',
  'export const a = <T,>(b: T): T => b as unknown as T;',
  "export function a(b = 1, c = 'x', d = true, e = -1, f = [] as string[], ...g: number[]): void {}",
  'export function a({ b, c = 1 }: { b: string; c?: number }, [d]: [string]): void {}',
  'export function a(this: void, b: unknown): asserts b is string {}',
  'export function a(b: unknown): b is string {\n  return (b as string)!.length! > 0;\n}',
  'export async function* a<T>(b: T): AsyncGenerator<T> {\n  yield b satisfies T;\n}',
  'export function a(b: number): void;\nexport function a(b: string): void;\nexport function a(): void {}',
  'export class A<T> extends B<T> implements C {\n  a: number;\n  readonly b = 1;\n  protected c?: string;\n  private d: number = 2;\n  static e: string = "x";\n  declare f: number;\n  #g: T;\n  override h(): void {}\n}\ndeclare class B<T> {}\ninterface C {}',
  'export class A {\n  constructor(b: number, c = 1) {}\n  get d(): number {\n    return 1;\n  }\n  set d(e: number) {}\n  static async f<T>(g: T): Promise<void> {}\n  private h(i: number): void {}\n  protected abstract: number = 1;\n}',
  'export abstract class A {\n  abstract b: number;\n  abstract c(): void;\n  protected constructor() {}\n}',
  'export class A {\n  a(b: number): void;\n  a(b: string): void;\n  a(b: unknown): void {}\n}',
  "export class A {\n  'b-c'(): void {}\n  5(): void {}\n  [Symbol.iterator](): Iterator<number> {\n    return [1][Symbol.iterator]();\n  }\n}",
  'export class A {\n  a = (b: number): number => b;\n  b = [1] as number[];\n}',
  'export const a: number = (1 as unknown as number) + (<number>2);',
  'export const a: unknown = new Map<string, number>([["b", 1]]);\nexport const b: unknown = f<number>(1);\ndeclare function f<T>(a: T): T;',
  'export const a: unknown = ((b: number): number => b)(1);',
  'export const a: unknown = b!;\nexport const c: unknown = b!.d!;\ndeclare const b: any;',
  'export const a: unknown = { b: 1 as number, c(d: string): void {}, async e(): Promise<void> {} };',
  'for (const a of [1] as number[]) {\n  let b: number = a;\n  const c: string = String(b);\n}\nexport const d = 1;',
  'try {\n} catch (a: unknown) {\n}\nexport const b = 1;',
  'export enum A {\n  B,\n}',
  'export namespace A {\n  export const b = 1;\n}',
  'export default 1;',
  'export = 1;',
  'export class A {\n  constructor(readonly a: number) {}\n}',
  'export const { a, b } = { a: 1, b: 2 };',
  'export const a = f();\ndeclare function f(): number;',
  'export const a = [1, 2];',
  'export function a() {}',
  'export function a(b = f()): void {}\ndeclare function f(): number;',
  'export class A {\n  a = f();\n}\ndeclare function f(): number;',
  'declare const a: number;\ndeclare function b(): void;\ndeclare global {}\nexport {};',
  'export declare const a: number;\nexport declare function b(): void;\nexport declare class C {}',
  'export const a = (b) => b;',
  'export const a = 1 as const;\nexport const b = "x" as const;',
  'export const a: unknown = typeof (1 as number);\nexport const b: unknown = (1 as any).c;',
  'export const a: (b: number) => void = function (b: number): void {};',
  'label: for (;;) {\n  break label;\n}\nexport const a = 1;',
];

function compiled(code: string, compile: (compiler: Compiler) => string): string {
  const source = ts.createSourceFile('file.ts', `${code}\n`, ts.ScriptTarget.ES2022, true);
  try {
    return compile({ ts, source });
  } catch (error) {
    if (error instanceof UnknownSyntax) return '(left to the compiler)';
    throw error;
  }
}

test('what becomes of TypeScript', async () => {
  const texts = SOURCES.map((code) =>
    section(
      code,
      `${compiled(code, javascriptOf).trimEnd()}\n-------- declarations\n${compiled(code, declarationsOf)}`,
    ),
  );
  await expect(texts.join('\n')).toMatchFileSnapshot(expectedFile('compile'));
});
