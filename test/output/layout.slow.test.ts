/** Generated code has Prettier's layout: all that is built in, other protocols, tools, and random schemas. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { format } from 'prettier';
import { expect, test } from 'vitest';
import { EMITTABLE, loadProtocol, type Protocol } from '../../generator/index.js';
import { emit } from '../../generator/emit/index.js';
import { hasRoles } from '../../generator/emit/handled.js';
import { PARTS_OF_ROLES } from '../../generator/emit/parts.js';
import { loadAll } from '../../generator/generate.js';
import { builtinExtensions } from '../../generator/read/builtin/extensions.js';
import { builtinRevisions } from '../../generator/read/builtin/revisions.js';
import type { JsonValue } from '../../generator/read/json/json.js';
import { formatCode } from '../../generator/output/layout/layout.js';
import { ACP_REVISIONS, acpSchema, derive } from '../acp/acp.js';
import { CONSTRUCTS, settingsOf } from '../golden/layout.js';
import { expectPrettierLayout, toolPieces } from '../support/layout.js';
import { PROJECT_FILES } from '../support/project-files.js';
import { itemsOf, shareOfToday, shareText } from '../support/today.js';
import { SEED, toolSchema } from '../tools/oracle.js';

/** The pieces of all files of a protocol. */
function piecesOf(protocol: Protocol, importExtension: 'js' | 'none' = 'js'): readonly string[] {
  // Zod cannot express everything.
  const own = EMITTABLE.filter((part) => !PARTS_OF_ROLES.includes(part) && part !== 'stubs' && part !== 'zod');
  const parts = hasRoles(protocol) ? EMITTABLE : own;
  const header = '// one\n// two\n/* eslint-disable */\n';
  return emit(protocol, parts, importExtension).flatMap((file) => file.print({ header, importExtension }));
}

test('everything built in is as Prettier formats it, and nothing of it needs Prettier', async () => {
  const revisions = builtinRevisions().map(({ revision }) => revision);
  const extensions = builtinExtensions().map(({ extension }) => extension);
  const newest = [...revisions].sort().slice(-1);
  const protocols = [...(await loadAll({ revisions })), ...(await loadAll({ revisions: newest, extensions }))];
  const pieces = protocols.flatMap((protocol) => piecesOf(protocol));
  const [first] = protocols;
  if (first !== undefined) pieces.push(...piecesOf(first, 'none'));
  expect(protocols.length).toBeGreaterThan(revisions.length + 1);
  expect(await expectPrettierLayout(pieces)).toEqual([]);
});

test.each(Object.entries(CONSTRUCTS))(
  'the golden files of %s columns are as Prettier formats them',
  async (width, codes) => {
    const settings = settingsOf(Number(width));
    let known = 0;
    for (const code of codes) {
      const text = formatCode(code, settings);
      if (text === undefined) continue;
      known += 1;
      expect(text).toBe((await format(code, { parser: 'babel-ts', filepath: 'a.ts', ...settings })).trimEnd());
    }
    expect(known).toBeGreaterThan(codes.length / 2);
  },
);

test('other protocols are as Prettier formats them', async () => {
  const protocols = await Promise.all(
    ACP_REVISIONS.map((revision) =>
      loadProtocol({
        revision,
        schema: acpSchema(revision),
        catalog: { name: 'catalog.json', contents: JSON.stringify(derive(revision).catalog) },
      }),
    ),
  );
  expect(await expectPrettierLayout(protocols.flatMap((protocol) => piecesOf(protocol)))).toEqual([]);
});

/** Words of all lengths, some of which need quotes, escapes or more than one column. */
const word = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-z][A-Za-z0-9_]{0,70}$/) },
  { weight: 2, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  fc.constantFrom(
    'constructor',
    "it's",
    'say "it"',
    '"\'',
    'a\\b',
    '1e3',
    '007',
    'new',
    'get',
    'test',
    'ключ',
    '*/',
    '`',
  ),
);
const prose = fc.array(fc.oneof(word, fc.constantFrom('\n', '\n\n', '- one', '    code', '@param')), { maxLength: 40 });

/** Schemas whose names, constants and descriptions have all lengths. */
const wordySchema = fc.letrec<{ schema: JsonValue }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.record({
      type: fc.constantFrom('string', 'integer', 'boolean', 'null'),
      description: prose.map((all) => all.join(' ')),
    }),
    fc.record({ type: fc.constant('number'), minimum: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
    fc.record({
      enum: fc.uniqueArray(fc.oneof(word, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })), {
        minLength: 1,
        maxLength: 12,
      }),
    }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 4 }) }),
    fc.record({
      type: fc.constant('array'),
      items: tie('schema'),
      prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }),
    fc.array(fc.tuple(word, tie('schema'), fc.boolean()), { maxLength: 6 }).map((members) => ({
      type: 'object',
      properties: Object.fromEntries(members.map(([name, own]) => [name, own])),
      required: [...new Set(members.filter(([, , isRequired]) => isRequired).map(([name]) => name))],
    })),
  ),
})).schema;

test.each([
  ['of all keywords', toolSchema],
  ['of all lengths', wordySchema],
])('tools with random schemas %s are as Prettier formats them', async (_title, arbitrary) => {
  const input = fc.tuple(word, arbitrary).map(([name, schema]) => ({
    name,
    inputSchema: { ...(schema as Record<string, JsonValue>), type: 'object' },
    outputSchema: { type: 'object', properties: { result: schema } },
  }));
  const pieces: string[] = [];
  for (const tool of fc.sample(input, { numRuns: 150, seed: SEED })) {
    try {
      pieces.push(...toolPieces([tool]));
    } catch {
      // Some schemas are invalid.
    }
  }
  expect(pieces.length).toBeGreaterThan(300);
  const unknown = await expectPrettierLayout(pieces);
  expect(unknown.length).toBeLessThan(pieces.length * 0.2);
});

const SHARE = shareOfToday(5);

test(`the runtime, which is copied as it is, has Prettier's default style, ${shareText(SHARE)}`, async () => {
  const files = PROJECT_FILES.filter((name) => /^templates\/runtime\/.*\.ts$/.test(name));
  expect(files.length).toBeGreaterThan(100);
  for (const name of itemsOf(files, SHARE)) {
    const text = readFileSync(name, 'utf8');
    expect(await format(text, { filepath: name }), name).toBe(text);
  }
});
