import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtinRevisions } from '../../generator/index.js';
import { canonicalSchemaFile, canonicalizeSchema } from '../../generator/read/schema/canonical.js';
import { parseJson } from '../../generator/read/json/json.js';
import { requireReferenceMaterial, officialSchema } from '../support/reference-material.js';
import { REVISIONS } from '../support/revisions.js';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

function shippedText(revision: string): string {
  return readFileSync(path.resolve('schema', revision, 'schema.json'), 'utf8');
}

/** A schema without prose and dialect, independent of the generator's canonicalizer so that it can verify it. */
function structure(schema: Json, inMap = false): Json {
  if (Array.isArray(schema)) return schema.map((item) => structure(item));
  if (schema === null || typeof schema !== 'object') return schema;
  const out: [string, Json][] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (!inMap && (key === 'description' || key === '$schema')) continue;
    if (!inMap && key === '$ref') out.push([key, (value as string).replace('#/definitions/', '#/$defs/')]);
    else if (!inMap && key === 'required') out.push([key, [...(value as string[])].sort()]);
    else if (!inMap && ['const', 'enum', 'default'].includes(key)) out.push([key, value]);
    else
      out.push([
        !inMap && key === 'definitions' ? '$defs' : key,
        structure(value, !inMap && ['properties', 'definitions', '$defs'].includes(key)),
      ]);
  }
  return Object.fromEntries(out.sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe.each(REVISIONS)('shipped schema of $revision', ({ revision, definitions }) => {
  test('has the structure of the official file', (context) => {
    requireReferenceMaterial(context);
    const official = structure(JSON.parse(officialSchema(revision)) as Json);
    const shipped = structure(JSON.parse(shippedText(revision)) as Json);
    expect(shipped).toEqual(official);
    expect(JSON.stringify(shipped)).toBe(JSON.stringify(official));
  });

  test('would be found different if one required member were missing', (context) => {
    requireReferenceMaterial(context);
    const official = structure(JSON.parse(officialSchema(revision)) as Json);
    const changed = JSON.parse(shippedText(revision)) as { $defs: { Root: { required: string[] } } };
    changed.$defs.Root.required = [];
    expect(structure(changed as unknown as Json)).not.toEqual(official);
  });

  test('matches the digest in the manifest', (context) => {
    requireReferenceMaterial(context);
    const text = officialSchema(revision);
    const entry = builtinRevisions().find((item) => item.revision === revision);
    expect(entry?.sha256).toBe(createHash('sha256').update(text).digest('hex'));
    expect(entry?.dialect).toBe(canonicalizeSchema(parseJson(text, revision), revision).dialect);
    expect(entry?.status).toBe('released');
  });

  test('is canonical', () => {
    const text = shippedText(revision);
    const again = canonicalSchemaFile(canonicalizeSchema(parseJson(text, revision), revision, { prose: 'strip' }));
    expect(`${JSON.stringify(again, undefined, 2)}\n`).toBe(text);
    expect(text).not.toContain('#/definitions/');
  });

  test(`has ${definitions} definitions`, () => {
    const { $defs } = JSON.parse(shippedText(revision)) as { $defs: object };
    expect(Object.keys($defs)).toHaveLength(definitions);
  });
});

test('the manifest lists the released revisions from the oldest', () => {
  expect(builtinRevisions().map((item) => item.revision)).toEqual(REVISIONS.map((item) => item.revision));
});

test('canonical form is independent of order', () => {
  const shuffled = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, item]) => [key, shuffled(item)]),
    );
  };
  for (const { revision } of REVISIONS) {
    const text = shippedText(revision);
    const reversed = JSON.stringify(shuffled(JSON.parse(text) as Json));
    expect(reversed).not.toBe(text);
    const again = canonicalSchemaFile(canonicalizeSchema(parseJson(reversed, revision), revision));
    expect(`${JSON.stringify(again, undefined, 2)}\n`).toBe(text);
  }
});
