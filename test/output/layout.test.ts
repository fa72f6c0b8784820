/** The layout of generated code is that of Prettier, for names and texts of many lengths. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFAULT_LAYOUT, formatCode } from '../../generator/output/layout/layout.js';
import type { JsonObject, JsonValue } from '../../generator/read/json/json.js';
import { expectPrettierLayout, toolPieces } from '../support/layout.js';

const text = { type: 'string' };

/** Schemas of members of all forms, whose names and constants are about as long as wanted. */
function schemas(length: number): readonly JsonObject[] {
  const name = (prefix: string): string => prefix.padEnd(length, 'x');
  const list = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => name(`v${index}`).slice(0, 1 + (length % 17)));
  return [
    { type: 'object', properties: { [name('a')]: text }, required: [name('a')] },
    {
      type: 'object',
      properties: {
        [name('a')]: { type: 'integer', minimum: 1, maximum: length, description: `Text ${name('t')} of a member.` },
        [name('b')]: { type: 'array', items: { enum: list(3) } },
        [name('c')]: { enum: list(1 + (length % 12)) },
        [name('d')]: { type: ['string', 'null'], default: null },
        [`${name('e')}-`]: { type: 'object', additionalProperties: { type: 'number' } },
        f: { type: 'string', format: 'uri', minLength: length },
      },
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: {
        a: { type: 'object', properties: { [name('b')]: { type: 'object', properties: { c: text, d: text } } } },
        g: { type: 'array', items: { type: 'object', properties: { [name('h')]: { type: 'boolean' } } }, maxItems: 3 },
        i: {
          oneOf: [
            { type: 'object', properties: { [name('j')]: text } },
            { type: 'array', items: text },
          ],
        },
        k: {
          anyOf: [text, { type: 'number' }, { const: name('l') }],
          description: 'One\n\n- two\n- three\n\n    four',
        },
      },
      required: ['a', 'k'],
    },
    {
      type: 'object',
      properties: { "it's": text, constructor: text, 1e3: text, ключ: text, 'a"b': text, 'a\\b': { const: "'" } },
      required: ['constructor'],
    },
    {},
  ];
}

/** The pieces of all files of such tools. */
function piecesOf(length: number): readonly string[] {
  const list: JsonValue = schemas(length).map((inputSchema, index) => ({
    name: `tool_${index}_`.padEnd(length, 'n'),
    description: `What it does, ${'word '.repeat(length)}`,
    inputSchema,
    ...(index % 2 === 0 ? { outputSchema: inputSchema } : {}),
  }));
  return toolPieces(list);
}

test.each([
  ['the defaults', DEFAULT_LAYOUT],
  ['long lines and single quotes', { printWidth: 120, tabWidth: 2, singleQuote: true }],
  ['short lines and wide indentation', { printWidth: 60, tabWidth: 4, singleQuote: false }],
])('matches Prettier with %s', async (_title, settings) => {
  const pieces = [1, 9, 17, 26, 33, 40, 47, 60].flatMap(piecesOf);
  expect(await expectPrettierLayout(pieces, settings)).toEqual([]);
});

/** Constructs of which some are longer than a line. */
const CONSTRUCTS: readonly string[] = [
  'export const LONG: check.Validator<SomeRatherLongName, AnotherRatherLongName> = /* @__PURE__ */ check.validator(isSomeRatherLongName);',
  'export function f({ a, b = [1, 2], ...rest }: Options = {}): value is Result { if (a) return b; else { throw g(`x ${a.b ? 1 : "two"}`); } }',
  'for (const name of Object.keys(message)) {\n\nswitch (name) { case "a":\ncase "b":\ncontinue;\n\ndefault: {\nreturn;\n} } }',
  'export type A<T, U extends string = "x"> = T extends Promise<infer V> ? V : T extends { a: string }[] ? (T | U)[] : readonly [first: T, second?: U, ...T[]];',
  'export type B = { readonly [K in keyof Omit<SomeRatherLongName, "one" | "two" | "three">]-?: (value: SomeRatherLongName[K]) => Promise<void> };',
  'export type C = (SomeRatherLongName & AnotherRatherLongName & { a: string; "b-c"?: (typeof METHODS)[keyof typeof METHODS] }) | null | undefined;',
  'export interface D extends SomeRatherLongName<"a">, AnotherRatherLongName<"b", "c">, YetAnotherRatherLongName {\n/** One. */\na: string;\n\nb(c: D): void;\n}',
  'export class E extends Base<F> {\nprotected override async a(b: string, c?: { readonly d: string; readonly e: number }): Promise<SomeRatherLongName> {\nreturn await this.b().c(d);\n}\n}',
  'const a = values.filter((value) => value !== undefined && value.length > 0).map(({ name }) => name.trim()).sort().join(", ");',
  'const b = z.object({ a: z.string().regex(/[a/]{2}\\//u).min(1), b: z.array(z.union([z.string(), z.number(), z.literal("something longer")])) });',
  'const c = condition && otherCondition(withAnArgument) ? { a: [1, 2, 3], ...others } : isSomething(value) || isAnother(value) && (isThird(value) ?? "x");',
  'const d = [1, -2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30];',
  'const e = new Map<string, number>([["a", 1], ["b", 2]]), f = 1;',
  'call(first, (a, b) => { return a; }, { last: true, other: (a, b): a is B => !a.b && -b > 0, async method() {} });',
  "export const g = { 'a': 'say \"x\"', \"b\": \"it's\", 'c-d': 1E5, 5: 0.50, __proto__: null, ['x' + y]: 1.50 } as const;",
  '/** One.\n   * Two.\n*/\nexport { a, b as c } from "./a.js";\n\n\n// three\nexport type * from "./b.js";\nexport * as d from "./c.js";\nimport type { e } from "./a-rather-long-folder/with-a-rather-long-file-name-in-it.js";',
  '// only\n\n/* comments */',
  'call(first, ({ a = [1, 2, 3], b = [{ c: 1 }] }, d = [-4, 5], e = f ? [1, 2] : "") => { return a; });',
  'export function f<T = string>(options: SomeRatherLongName): { readonly first: T; readonly second: AnotherRatherLongName } { return g; }',
  'export function f<T extends string>(options: SomeRatherLongName): { readonly first: T; readonly second: AnotherRatherLongName } { return g; }',
  'export function f<T, U>(options: SomeRatherLongName): { readonly first: T; readonly second: AnotherRatherLongName; readonly third: U } { return g; }',
  'export function f<T>(options: SomeRatherLongName): { readonly first: T; readonly second: AnotherRatherLongName; readonly third: U } { return g; }',
  'const u = builders.Factory.create(someRatherLongArgument).withSomething(anotherArgument).withOther(third).build();',
  'const v = Builders.factory.create(someRatherLongArgument).withSomething(anotherArgument).withOther(third).build();',
  'const w = builders.factory.create(someRatherLongArgument).withSomething(anotherArgument).withOther(third).build();',
  'const h = (someRatherLongValue as unknown as Record<string, SomeRatherLongName | AnotherRatherLongName | YetAnother>).member;',
  'const i = (someRatherLongValue as unknown as (value: SomeRatherLongName, other: AnotherRatherLongName) => void)(first, second);',
  'const j = { k: someRatherLongValue as unknown as Record<string, SomeRatherLongName | AnotherRatherLongName | YetAnother> };',
  'const l = [(a as B).c, (d as E)(f), (g as H)["i"], j as K];',
];

test('matches Prettier for each construct', async () => {
  const unknown = await expectPrettierLayout(CONSTRUCTS);
  expect(unknown).toEqual([CONSTRUCTS[12]]);
});

test.each([
  'export const a = "\u{1f600}";',
  'export const 漢字 = 1;',
  'export const a = <string>b;',
  'export type A = { a: string',
  'export function f() { /* inside */ }',
  'type A = { a: string; // at the end\n};',
  '// prettier-ignore\nexport const a   =  1;',
  'label: for (;;) {}',
  'const a = b\n  ? c // why\n  : d;',
  '/* first\nsecond */\ntype A = 1;',
  'it("works", async () => {});',
  'a = 1;',
  'f(a,\n\nb);',
  'export default 1;',
  'const a = `one\ntwo`;',
])('leaves to Prettier what it does not know: %j', (piece) => {
  expect(formatCode(piece)).toBeUndefined();
});

test('a chain of operators that is too deep is left to Prettier', () => {
  const chain = Array.from({ length: 50_000 }, (_, index) => `a === ${index}`).join(' || ');
  expect(() => formatCode(`const b = ${chain};`)).not.toThrow();
});

test('formatting a file of the runtime twice changes nothing', () => {
  // A construct that the layout does not know is fine; a wrong layout is not.
  const text = readFileSync('templates/runtime/index.ts', 'utf8').trimEnd();
  expect([text, undefined]).toContain(formatCode(text));
});
