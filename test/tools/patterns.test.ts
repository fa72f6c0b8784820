/** Regular expressions that take super-linear time. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadProtocol, renderTools } from '../../generator/index.js';
import { regularExpressionFlags } from '../../generator/model/schema/keywords.js';
import { parseTool, type ToolModel } from '../../generator/model/tools.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import type { JsonValue } from '../../generator/read/json/json.js';
import { createPatternCheck, isPlain, type PatternRisk } from '../../generator/read/patterns.js';
import { parseTools } from '../../generator/read/tools.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { importOutput } from '../support/import-output.js';
import { catalogWith, schemaWith } from '../support/hostile.js';
import { mcpgen } from '../support/in-process.js';

afterAll(removeTemporaryFolders);

const EMAIL = '^([a-zA-Z0-9_.-]+)+@x$';

// The limit is for one run, not for all tests of this file.
const checkPattern = createPatternCheck(Number.POSITIVE_INFINITY);
const riskOf = (pattern: string): PatternRisk | undefined =>
  checkPattern(pattern, regularExpressionFlags(pattern) ?? '');

describe('a pattern that takes', () => {
  test.each([
    ['nested repeats', EMAIL],
    ['nested repeats', '^(a+)+$'],
    ['nested repeats of words', '^(\\w+\\s?)*$'],
    ['nested repeats of different characters', '^([0-9]+,?)*$'],
    ['nested repeats of a group', '^((ab)*)+$'],
    ['adjacent repeats in a repeat', '(x+x+)+y'],
    ['overlapping alternatives', '^(a|a)*$'],
    ['overlapping alternatives', '^(a|aa)+$'],
    ['overlapping alternatives', '^(?:a|b|ab)*c$'],
    ['an alternative that is part of another', '^([^"\\\\]|\\\\.|.)*"$'],
    ['a lookahead', '^(?=(a+)+$)b'],
    ['property escapes', '^([\\p{L}\\s]+)+$'],
    ['a limited number of optional parts', '^(a?){20}a{20}$'],
  ])('exponential time is found: %s, %s', (_, pattern) => {
    expect(riskOf(pattern)).toMatchObject({ kind: 'exponential', attack: expect.any(String) as string });
  });

  test.each([
    ['spaces at the end', '\\s+$', 2],
    ['adjacent repeats', '^\\d+\\d+\\d+$', 3],
    ['repeats with a common character', '.*.*=.*', 3],
    ['repeats around others', '^\\s*(.*?)\\s*$x', 3],
    ['adjacent repeats of property escapes', '^[\\p{L}]+[\\p{L}\\p{N}]*[\\p{L}]+$', 3],
    ['a repeat that another contains', '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$', 2],
    ['a backreference', '^(a*)\\1b$', 2],
    ['a repeated backreference', '(.+)\\1+$', 3],
  ])('polynomial time is found: %s, %s', (_, pattern, degree) => {
    expect(riskOf(pattern)).toMatchObject({ kind: 'polynomial', degree, attack: expect.any(String) as string });
  });
});

test.each([
  ['email', '^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$'],
  ['UUID', '^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'],
  ['date', '^\\d{4}-\\d{2}-\\d{2}$'],
  ['time', '^(?:[01]\\d|2[0-3]):[0-5]\\d$'],
  ['date and time', '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?(?:Z|[+-]\\d{2}:\\d{2})$'],
  [
    'version',
    '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$',
  ],
  ['slug', '^[a-z0-9]+(?:-[a-z0-9]+)*$'],
  ['color', '^#?([a-f0-9]{6}|[a-f0-9]{3})$'],
  ['country', '^[A-Z]{2}$'],
  ['locale', '^[a-z]{2}(-[A-Z]{2})?$'],
  ['phone', '^\\+?[1-9]\\d{1,14}$'],
  ['URL', '^https?://'],
  ['identifier', '^[a-zA-Z_][a-zA-Z0-9_]*$'],
  ['name', '^[a-zA-Z0-9_-]{1,64}$'],
  ['anything', '^.*$'],
  ['limited text', '^.{1,500}$'],
  ['no spaces', '^\\S+$'],
  ['letters', '^[\\p{L}\\p{N} ]+$'],
  ['IPv4', '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$'],
  ['Base64', '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'],
  ['hash', '^sha256:[a-f0-9]{64}$'],
  ['number', '^-?\\d+(\\.\\d+)?$'],
  ['price', '^\\$[0-9]+(\\.[0-9][0-9])?$'],
  ['repository', '^[^/]+/[^/]+$'],
  ['path', '^/([^/]+/)*[^/]*$'],
  ['extension', '\\.json$'],
  ['choice', '^(GET|POST|PUT)$'],
  ['ARN', '^arn:aws:iam::\\d{12}:role/[\\w+=,.@-]+$'],
  ['host', '^[\\w-]+(\\.[\\w-]+)+$'],
  ['package', '^@?[a-z0-9-~][a-z0-9-._~]*/[a-z0-9-~][a-z0-9-._~]*$'],
  ['password', '^(?=.*\\d)(?=.*[a-z])(?=.*[A-Z]).{8,}$'],
  ['revision of a config', '^[0-9A-Za-z][0-9A-Za-z._-]*$'],
  ['emoji', '^🐲*$'],
  ['control character', '^\\cC$'],
  ['property by its long name', '\\p{Letter}cole'],
])('a common pattern is not reported: %s', (_, pattern) => {
  expect(riskOf(pattern)).toBeUndefined();
});

test.each([
  ['^[a-z]+$', true],
  ['^[\\w\\]-]{1,64}$', true],
  ['^\\d{4}-\\d{2}-\\d{2}$', true],
  ['^\\p{Script=Greek}+$', true],
  ['^(GET|POST)$', true],
  ['a|b', true],
  ['[a-z]+$', false],
  ['^[a-z]+[0-9]+$', false],
  ['^(a+)$', false],
  ['^a+?$', false],
  [`^${'(a|b)'.repeat(20)}$`, false],
  [`^${'a?'.repeat(20)}$`, false],
  ['(a)\\1', false],
])('the checker is not loaded for plain patterns: %s %s', (pattern, plain) => {
  expect(isPlain(pattern)).toBe(plain);
});

describe('a hostile pattern costs a limited time', () => {
  test.each([
    ['deeply nested', '('.repeat(2000) + 'a' + ')'.repeat(2000)],
    ['long', '[a-z]+'.repeat(20_000)],
    ['with many nested repeats', '(a+'.repeat(200) + ')+'.repeat(200)],
    ['with many alternatives', `(${Array.from({ length: 800 }, (_, index) => `k${index}`).join('|')})+x`],
  ])(
    '%s',
    (_, pattern) => {
      // Of the processor: a busy machine is allowed more time.
      const before = process.cpuUsage();
      riskOf(pattern);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(9000);
      // The checker still works.
      expect(createPatternCheck()(`^(${pattern.length}+b+b+)+c$`, '')).toMatchObject({ kind: 'exponential' });
    },
    60_000,
  );

  test('thousands in one schema', () => {
    const check = createPatternCheck(500);
    const properties = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`p${index}`, { pattern: `^(x+y?)*z{${index}}$` }]),
    );
    const start = performance.now();
    const { warnings } = tool({ type: 'object', properties }, { check });
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(warnings).toHaveLength(5000);
    expect(warnings.at(-1)?.message).toContain('could not be determined');
  }, 20_000);
});

/** The model of a tool with a schema. */
function tool(input: JsonValue, { isOwn = false, check = checkPattern } = {}): ToolModel {
  const source = { name: 'x', input, places: { input: 'x.json', output: '' }, isOwn };
  return parseTool(source, NO_DOCS, { checkPattern: check });
}

const propertyWith = (schema: JsonValue): JsonValue => ({ type: 'object', properties: { a: schema } });

describe('the schema of an author', () => {
  test('is used, with a warning that has the place, an attack and a hint', () => {
    const { definitions, warnings } = tool(propertyWith({ type: 'string', pattern: '^(a+)+$' }), { isOwn: true });
    expect(JSON.stringify(definitions)).toContain('"pattern":"^(a+)+$"');
    expect(warnings).toEqual([
      {
        place: 'x.json#/properties/a/pattern',
        message: expect.stringMatching(
          /^the regular expression "\^\(a\+\)\+\$" takes exponential time for strings such as "a+\\u0000", which blocks the process$/,
        ) as string,
        remedy: expect.stringContaining('Rewrite it') as string,
      },
    ]);
  });

  test('has a warning for the names of members too', () => {
    const schema = { type: 'object', patternProperties: { '^(a+)+$': {} }, propertyNames: { pattern: '^(b+)+$' } };
    expect(tool(schema, { isOwn: true }).warnings.map(({ place }) => place)).toEqual([
      'x.json#/patternProperties/^(a+)+$',
      'x.json#/propertyNames/pattern',
    ]);
  });

  test('has no warning if maxLength limits polynomial time', () => {
    const text = { type: 'string', pattern: '\\s+$' };
    expect(tool(propertyWith({ ...text, maxLength: 1000 })).warnings).toEqual([]);
    expect(tool(propertyWith({ ...text, maxLength: 100_000 })).warnings).toHaveLength(1);
    expect(tool(propertyWith({ ...text, maxLength: 1000, pattern: '^(a+)+$' })).warnings).toHaveLength(1);
  });

  test('of a protocol has a warning', async () => {
    const schema = schemaWith({ Slow: { type: 'string', pattern: '^(a+)+$' } });
    const load = async (trustPatterns: boolean) =>
      loadProtocol({
        schema: { name: 's.json', contents: JSON.stringify(schema) },
        catalog: { name: 'c.json', contents: JSON.stringify(catalogWith()) },
        trustPatterns,
      });
    expect((await load(false)).warnings).toMatchObject([{ place: 's.json#/$defs/Slow/pattern' }]);
    expect((await load(true)).warnings).toEqual([]);
  });

  test('is generated with a warning, which --json has as well', async () => {
    const folder = temporaryFolder();
    const config = { out: 'src', revisions: ['2025-11-25'], emit: ['errors'], tools: ['*.input.json'] };
    writeFileSync(path.join(folder, 'mcpgen.config.json'), JSON.stringify(config));
    writeFileSync(path.join(folder, 'x.input.json'), JSON.stringify(propertyWith({ pattern: EMAIL })));
    const run = await mcpgen(['generate', '--json'], { cwd: folder });
    expect(JSON.parse(run.stdout)).toMatchObject({
      warnings: [
        {
          location: 'x.input.json#/properties/a/pattern',
          message: expect.stringContaining('exponential time') as string,
          hint: expect.stringContaining('Rewrite it') as string,
        },
      ],
    });
    const trusting = await mcpgen(['generate', '--check', '--trust-patterns'], { cwd: folder });
    expect(trusting).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('the schema of a server', () => {
  test.each<[string, JsonValue, unknown]>([
    ['pattern', propertyWith({ type: 'string', pattern: '^(a+)+$', minLength: 2 }), { a: 'xx' }],
    [
      'patternProperties next to additionalProperties',
      { type: 'object', patternProperties: { '^(a+)+$': { type: 'string' } }, additionalProperties: false },
      { aa: '' },
    ],
    [
      'patternProperties next to unevaluatedProperties',
      { type: 'object', allOf: [{ patternProperties: { '^(a+)+$': true } }], unevaluatedProperties: false },
      { aa: '' },
    ],
    ['not', propertyWith({ type: 'string', not: { type: 'string', pattern: '^(a+)+$' } }), { a: 'x' }],
    ['propertyNames', { type: 'object', propertyNames: { pattern: '^(a+)+$' } }, { aa: 1 }],
  ])('accepts what it accepted, without the pattern: %s', async (_, inputSchema, value) => {
    const list = parseTools([{ name: 'x', inputSchema }], 'tools.json');
    const { files, warnings } = await renderTools(list, '/nowhere');
    expect(warnings).toMatchObject([
      {
        message: expect.stringMatching(/which blocks the process, so it has no effect$/) as string,
        remedy: 'If you trust the server, pass --trust-patterns.',
      },
    ]);
    expect(JSON.stringify(files)).not.toContain('(a+)+');
    const module = await written<{ isXInput: (value: unknown) => boolean }>(files, 'tools/x.ts');
    expect(module.isXInput(value)).toBe(true);
  });

  test('a long pattern is cut in the place of its warning', async () => {
    const pattern = `^${'x'.repeat(600)}(a+)+$`;
    const list = parseTools(
      [{ name: 'x', inputSchema: { type: 'object', patternProperties: { [pattern]: { type: 'string' } } } }],
      'tools.json',
    );
    const { warnings } = await renderTools(list, '/nowhere');
    const pointer = `/patternProperties/^${'x'.repeat(300)}`.slice(0, 300);
    expect(warnings).toMatchObject([{ place: `tools.json#/0/inputSchema${pointer}...` }]);
  });

  test('keeps its other limits', async () => {
    const list = parseTools(
      [{ name: 'x', inputSchema: propertyWith({ type: 'string', pattern: '^(a+)+$', minLength: 2 }) }],
      'tools.json',
    );
    const { files } = await renderTools(list, '/nowhere');
    const { isXInput } = await written<{ isXInput: (value: unknown) => boolean }>(files, 'tools/x.ts');
    expect(isXInput({ a: 'x' })).toBe(false);
  });
});

/** Writes files, and imports one of them. */
async function written<T>(
  files: readonly { readonly path: string; readonly contents: string }[],
  name: string,
): Promise<T> {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file.path)), { recursive: true });
    writeFileSync(path.join(folder, file.path), file.contents);
  }
  return importOutput<T>(path.join(folder, name));
}
