/** Regular expressions that take super-linear time. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadProtocol, renderTools } from '../../generator/index.js';
import type { JsonValue } from '../../generator/read/json/json.js';
import { parseTools } from '../../generator/read/tools.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { importOutput } from '../support/import-output.js';
import { catalogWith, schemaWith } from '../support/hostile.js';
import { mcpgen } from '../support/in-process.js';
import { riskOf, tool } from './patterns-support.js';

afterAll(removeTemporaryFolders);

const EMAIL = '^([a-zA-Z0-9_.-]+)+@x$';

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
});

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
