/** The quick formatter prints the same as Prettier for every length of names and texts. */
import { format } from 'prettier';
import { expect, test } from 'vitest';
import { emitTool, emitToolIndex, summarizeTool, ToolNamer } from '../../generator/emit/tools/tools.js';
import { parseTool } from '../../generator/model/tools.js';
import { formatSimple } from '../../generator/output/simple-format.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import type { JsonObject, JsonValue } from '../../generator/read/json/json.js';
import { parseTools } from '../../generator/read/tools.js';

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
  const namer = new ToolNamer();
  const tools = parseTools(list, 't.json').map((tool) => namer.name(parseTool(tool, NO_DOCS)));
  const files = [...tools.map(emitTool), ...emitToolIndex(tools.map(summarizeTool), 'js')];
  return files.flatMap((file) => file.print({ header: '// one\n// two\n/* eslint-disable */', importExtension: 'js' }));
}

test('matches Prettier at each length of names', async () => {
  const counts = { quick: 0, all: 0 };
  for (let length = 1; length <= 60; length += 1) {
    const pieces = [...new Set(piecesOf(length))];
    const quick = pieces.map((piece) => ({ piece, layout: formatSimple(piece) }));
    counts.all += pieces.length;
    const served = quick.filter(({ layout }) => layout !== undefined);
    counts.quick += served.length;
    // Formatted together, which is faster; a comment between them marks where each ends.
    const border = '\n\n// border\n\n';
    const whole = await format(served.map(({ piece }) => piece).join(border), { parser: 'babel-ts' });
    expect(served.map(({ layout }) => layout)).toEqual(whole.trimEnd().split(border));
  }
  expect(counts.quick).toBeGreaterThan(counts.all * 0.6);
});

test.each([
  'export type A = { a: string };',
  "export type A = {\na: 'b';\n};",
  'export type A = {\na: string;\n',
  'export type A = {\n/** open\na: string;\n};',
  'export function isA(value: unknown): boolean {\nreturn (value === "a" || check.noneOf(value, "a"));\n}',
  'export function isA(value: unknown): boolean {\nreturn check.b(value)) && (check.c(value);\n}',
  'export function isA(value: unknown): boolean {\nreturn check.b(value["é"]);\n}',
  'export const a = 1;',
])('leaves to Prettier what it does not know: %j', (piece) => {
  expect(formatSimple(piece)).toBeUndefined();
});
