/** Schemas with very many values, members or variants: what is generated compiles under every compiler, and runs. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderTools } from '../../generator/index.js';
import type { JsonValue } from '../../generator/read/json/json.js';
import { parseTools } from '../../generator/read/tools.js';
import type { Validator } from '../../templates/runtime/validation.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { importOutput } from '../support/import-output.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const COMPILERS = ['typescript-5.4', 'typescript-5.9', 'typescript', 'typescript-7'];

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `value${index}`);
const property = (v: object): object => ({ type: 'object', properties: { v }, required: ['v'] });
const text = { type: 'string' };
const members = (count: number): object => Object.fromEntries(names(count).map((name) => [name, text]));

/** Schemas by name, with a value that is valid and one that is not. */
const TOOLS: Readonly<Record<string, { readonly schema: object; readonly good: object; readonly bad: object }>> = {
  ...Object.fromEntries(
    [64, 1000, 2500, 10_000].map((count) => [
      `Enum${count}`,
      {
        schema: property({ ...text, enum: names(count) }),
        good: { v: `value${count - 1}` },
        bad: { v: `value${count}` },
      },
    ]),
  ),
  Constants: {
    schema: property({ anyOf: names(1000).map((name) => ({ const: name })) }),
    good: { v: 'value999' },
    bad: { v: 'value1000' },
  },
  Mixed: {
    schema: property({
      anyOf: [{ enum: [...names(1000), ...names(1000).map((_, index) => index)] }, { type: 'null' }],
    }),
    good: { v: 999 },
    bad: { v: true },
  },
  Tagged: {
    schema: property({
      anyOf: names(1000).map((name) => ({
        type: 'object',
        properties: { kind: { const: name }, a: text },
        required: ['kind'],
      })),
    }),
    good: { v: { kind: 'value999', a: '' } },
    bad: { v: { kind: 'value999', a: 1 } },
  },
  Required: {
    schema: { type: 'object', properties: members(1000), required: names(1000), additionalProperties: false },
    good: Object.fromEntries(names(1000).map((name) => [name, ''])),
    bad: Object.fromEntries(names(999).map((name) => [name, ''])),
  },
  Undescribed: {
    schema: { type: 'object', required: names(1000) },
    good: Object.fromEntries(names(1000).map((name) => [name, ''])),
    bad: Object.fromEntries(names(999).map((name) => [name, ''])),
  },
  Optional: {
    schema: { type: 'object', properties: members(1000), additionalProperties: { type: 'integer' } },
    good: { value999: 'a', other: 1 },
    bad: { value999: 1 },
  },
  Parts: {
    schema: { type: 'object', allOf: names(1000).map((name) => ({ properties: { [name]: text } })) },
    good: { value999: '' },
    bad: { value999: 1 },
  },
};

let folder = '';
beforeAll(async () => {
  folder = temporaryFolder();
  const list = Object.entries(TOOLS).map(([name, { schema }]) => ({ name, inputSchema: schema }));
  const { files } = await renderTools(parseTools(JSON.parse(JSON.stringify(list)) as JsonValue, 't.json'), folder);
  for (const file of files) {
    const target = path.join(folder, file.path);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, file.contents);
  }
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2022', 'DOM'],
    types: [],
    module: 'nodenext',
    strict: true,
    noEmit: true,
    noImplicitReturns: true,
    noPropertyAccessFromIndexSignature: true,
    noUnusedLocals: true,
    exactOptionalPropertyTypes: true,
  };
  writeFileSync(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['tools/index.ts'] }, undefined, 2),
  );
});
afterAll(removeTemporaryFolders);

test.each(COMPILERS)('%s compiles them', (compiler) => {
  const tsc = path.join(ROOT, 'node_modules', compiler, 'bin/tsc');
  const { stdout, stderr, status } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  expect(`${stdout}${stderr}`.slice(0, 1000)).toBe('');
  expect(status).toBe(0);
});

describe('validators', () => {
  const validatorOf = async (name: string): Promise<Validator<unknown>> => {
    const file = path.join(folder, 'tools', `${name}.ts`);
    const module = await importOutput<Readonly<Record<string, Validator<unknown>>>>(file);
    const found = module[`validate${name}Input`];
    if (found === undefined) throw new Error(`no validator of ${name}`);
    return found;
  };

  test.each(Object.keys(TOOLS))('%s', async (name) => {
    const validate = await validatorOf(name);
    expect(validate(TOOLS[name]?.good).success).toBe(true);
    expect(validate(TOOLS[name]?.bad).success).toBe(false);
  });

  test('a failure is short', async () => {
    const few = (await validatorOf('Enum64'))({ v: 'x' });
    const many = (await validatorOf('Enum2500'))({ v: 'x' });
    expect(!few.success && few.failure.expected).toMatch(/^"value0", .* or "value63"$/);
    expect(!many.success && many.failure.expected).toBe('one of 2500 known values');
    expect(!many.success && many.failure.path).toBe('/v');
  });
});
