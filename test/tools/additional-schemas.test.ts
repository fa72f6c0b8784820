/** Schemas in other files, which those of tools refer to by `$id`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseTool } from '../../generator/model/tools.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import type { JsonValue } from '../../generator/read/json/json.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';

afterAll(removeTemporaryFolders);

const ADDRESS = {
  $id: 'https://example.com/address.json',
  type: 'object',
  properties: { city: { type: 'string' } },
  $defs: { Zip: { type: 'string', pattern: '^[0-9]{5}$' } },
};
const REFERRING = {
  type: 'object',
  properties: {
    home: { $ref: 'https://example.com/address.json' },
    zip: { $ref: 'https://example.com/address.json#/$defs/Zip' },
  },
};

/** A folder with files; a value that is not a string is written as JSON. */
function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = temporaryFolder();
  for (const [name, contents] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), typeof contents === 'string' ? contents : JSON.stringify(contents));
  }
  return folder;
}

const LIST = { tools: [{ name: 'send', inputSchema: REFERRING }] };

describe('types tools', () => {
  test('reads a schema that a tool refers to by its $id', async () => {
    const cwd = folderWith({ 'tools.json': LIST, 'a,b.json': ADDRESS });
    const args = ['types', 'tools', 'tools.json', '--out', '.', '--additional-schema', 'a,b.json'];
    expect(await mcpgen(args, { cwd })).toMatchObject({ code: 0, stderr: '' });
    const text = readFileSync(path.join(cwd, 'tools/send.ts'), 'utf8');
    expect(text).toContain('home?: SendInputAddress;');
    expect(text).toContain('zip?: SendInputZip;');
    expect(text).toContain(
      '// Regenerate: mcpgen types tools tools.json --additional-schema a,b.json --out <folder above this one>',
    );
  });

  test('hints at the option without it, and fetches nothing', async () => {
    const cwd = folderWith({ 'tools.json': LIST });
    const { code, stderr } = await mcpgen(['types', 'tools', 'tools.json', '--out', '.'], { cwd });
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^warning: tools\.json#\/tools\/0\/inputSchema\/properties\/home\/\$ref: the reference "https:\/\/example\.com\/address\.json" points outside the schema, and nothing is fetched: the type is unknown\nhint: Pass the schema with this "\$id" as --additional-schema/,
    );
  });

  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    [
      'has no $id',
      { 'a.json': { type: 'object' } },
      'error: a.json: the schema has no "$id", so nothing can refer to it\n',
    ],
    ['is a boolean', { 'a.json': true }, 'error: a.json: the schema has no "$id", so nothing can refer to it\n'],
    ['has a wrong $id', { 'a.json': { $id: 7 } }, 'error: a.json#/$id: 7 is not a URI without a fragment\n'],
    [
      'has an $id with a fragment',
      { 'a.json': { $id: 'https://example.com/#a' } },
      'error: a.json#/$id: "https://example.com/#a" is not a URI without a fragment\n',
    ],
    [
      'has the $id of another',
      { 'a.json': ADDRESS, 'b.json': { $id: `${ADDRESS.$id}#` } },
      'error: a.json and b.json: two schemas have the "$id" "https://example.com/address.json"\n',
    ],
    ['is not JSON', { 'a.json': '{' }, 'error: a.json'],
    ['does not exist', { 'b.json': ADDRESS }, 'error: a.json: no such file\n'],
  ])('rejects a schema that %s', async (_, files, message) => {
    const cwd = folderWith({ 'tools.json': LIST, ...files });
    const additional = [...new Set(['a.json', ...Object.keys(files)])].flatMap((name) => ['--additional-schema', name]);
    const run = await mcpgen(['types', 'tools', 'tools.json', '--out', 'out', ...additional], { cwd });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr.slice(0, message.length)).toBe(message);
    expect(run.stderr).toContain('hint: ');
    expect(existsSync(path.join(cwd, 'out'))).toBe(false);
  });
});

test('generate reads the schemas that the config lists, relative to it', async () => {
  const config = {
    out: 'src',
    revisions: ['2025-11-25'],
    emit: ['errors'],
    tools: ['*.input.json'],
    additionalSchemas: ['common/address.json'],
  };
  const files = { 'send.input.json': REFERRING, 'common/address.json': ADDRESS };
  const folder = folderWith({ 'mcpgen.config.json': config, ...files });
  expect(await mcpgen(['generate'], { cwd: path.join(folder, 'common') })).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(path.join(folder, 'src/tools/send.ts'), 'utf8')).toContain('home?: SendInputAddress;');

  const { additionalSchemas, ...without } = config;
  const other = folderWith({ 'mcpgen.config.json': without, ...files });
  const run = await mcpgen(['generate'], { cwd: other });
  expect(run).toMatchObject({ code: 2 });
  expect(run.stderr).toMatch(
    /points outside the schema, and nothing is fetched\nhint: Pass the schema with this "\$id"/,
  );
  const given = additionalSchemas.flatMap((file) => ['--additional-schema', file]);
  expect(await mcpgen(['generate', ...given], { cwd: other })).toMatchObject({ code: 0, stderr: '' });
});

test.each([
  ['2020-12', {}, '$defs'],
  ['draft-07', { $schema: 'http://json-schema.org/draft-07/schema#' }, 'definitions'],
])('the schema that clients get contains the documents that it refers to: %s', (_, dialect, key) => {
  const input = { ...dialect, ...REFERRING, [key]: { Own: {} } };
  const source = { name: 'send', input, places: { input: 'send.input.json', output: '' }, isOwn: true };
  const other = { $id: 'https://example.com/other.json' };
  const documents = new Map<string, JsonValue>([ADDRESS, other].map((document) => [document.$id, document]));
  const bundled = parseTool(source, NO_DOCS, { documents }).source;
  expect(bundled.input).toEqual({ ...input, [key]: { Own: {}, [ADDRESS.$id]: ADDRESS } });
  // It needs no other documents.
  expect(parseTool(bundled, NO_DOCS).source.input).toEqual(bundled.input);
  expect(parseTool({ ...source, isOwn: false }, NO_DOCS, { documents }).source.input).toEqual(input);
});

describe('nullable of OpenAPI 3.0', () => {
  const typesOf = async (property: unknown, ...options: readonly string[]) => {
    const inputSchema = { type: 'object', properties: { a: property, b: property } };
    const cwd = folderWith({ 'tools.json': [{ name: 't', inputSchema }] });
    const run = await mcpgen(['types', 'tools', 'tools.json', '--out', '.', ...options], { cwd });
    expect(run.code).toBe(0);
    const text = readFileSync(path.join(cwd, 'tools/t.ts'), 'utf8');
    return { stderr: run.stderr, type: /^ {2}a\?: (.*);$/m.exec(text)?.[1], text };
  };

  test.each([
    ['a type', { type: 'string', nullable: true }, 'string | null'],
    ['several types', { type: ['string', 'number'], nullable: true }, 'string | number | null'],
    ['an enum with null', { type: 'string', enum: ['x', null], nullable: true }, '"x" | null'],
  ])('allows null next to %s, with a warning for each place', async (_, property, type) => {
    const { stderr, ...found } = await typesOf(property, '--nullable');
    expect(found.type).toBe(type);
    expect(stderr).toBe(
      ['a', 'b']
        .map(
          (name) =>
            `warning: tools.json#/0/inputSchema/properties/${name}/nullable: the keyword "nullable" of OpenAPI 3.0 is not JSON Schema; null is allowed here\n`,
        )
        .join(''),
    );
    expect(found.text).toContain('--nullable');
  });

  // OpenAPI 3.0.3, Schema Object: it adds to the type of the same schema only, and an enum needs null itself.
  test.each([
    ['an enum without null', { type: 'string', enum: ['x', 'y'], nullable: true }, '"x" | "y"'],
    ['no type', { nullable: true, enum: ['x'] }, '"x"'],
    ['a reference', { nullable: true, allOf: [{ type: 'string' }] }, 'string'],
    ['nullable: false', { type: 'string', nullable: false }, 'string'],
  ])('does not allow null next to %s', async (_, property, type) => {
    expect((await typesOf(property, '--nullable')).type).toBe(type);
  });

  test('has no effect without the option, and one warning that hints at it', async () => {
    const { stderr, type } = await typesOf({ type: 'string', nullable: true });
    expect(type).toBe('string');
    expect(stderr).toBe(
      'warning: tools.json#/0/inputSchema/properties/a/nullable: the keyword "nullable" of OpenAPI 3.0 is not JSON Schema and has no effect\nhint: To allow null, pass --nullable.\n',
    );
  });

  test('is a key of the config, which init client writes', async () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'string', nullable: true } } };
    const folder = folderWith({ 'tools.json': [{ name: 't', inputSchema }] });
    const args = ['init', 'client', 'demo', '--yes', '--no-install', '--no-git', '--tools', 'tools.json', '--nullable'];
    expect((await mcpgen([...args, '-r', '2025-11-25'], { cwd: folder })).code).toBe(0);
    const text = readFileSync(path.join(folder, 'demo/src/generated/tools/t.ts'), 'utf8');
    expect(text).toContain('a?: string | null;');
    expect((await mcpgen(['generate', '--check'], { cwd: path.join(folder, 'demo') })).code).toBe(0);
  });
});
