import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { compile, type JSONSchema, type Options } from 'json-schema-to-typescript';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtinErrata, builtinSchema } from '../../generator/read/builtin/revisions.js';
import { canonicalizeSchema } from '../../generator/read/schema/canonical.js';
import { applyErrata } from '../../generator/read/errata.js';
import { isObject, type JsonObject, type JsonValue } from '../../generator/read/json/json.js';
import { REVISIONS } from '../support/revisions.js';
import { requireReferenceMaterial, officialSchema } from '../support/reference-material.js';
import { anyKeywords, compareTypes, exportedTypes } from '../support/type-equality.js';

const root = path.resolve(import.meta.dirname, '../..');

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-json2ts-'));
});
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

function ourTypes(revision: string): string {
  return path.join(root, 'generated', revision, 'types.ts');
}

/** Types that a file exports, as its text says; json-schema-to-typescript writes no other exports than these. */
function declaredTypes(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022);
  return source.statements
    .filter((statement) => ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement))
    .map((statement) => statement.name.text);
}

describe('a whole schema at once', () => {
  const PEERS = [
    { name: 'json2ts', options: {} },
    { name: 'json2ts, closed', options: { additionalProperties: false, unknownAny: true } },
  ];

  /** What a user of typings sees of them. */
  interface Figures {
    /** Definitions that no type is named for. */
    readonly missing: number;
    /** Types that are the copy of another, under its name and a number. */
    readonly duplicates: number;
    /** All types that no definition is named for. */
    readonly extra: number;
  }

  function figuresOf(file: string, definitions: readonly string[]): Figures {
    const declared = declaredTypes(file);
    const extra = declared.filter((name) => !definitions.includes(name));
    return {
      missing: definitions.filter((name) => !declared.includes(name)).length,
      duplicates: extra.filter((name) => definitions.includes(name.replace(/\d+$/, ''))).length,
      extra: extra.length,
    };
  }

  /** Definitions whose type and the official one of 2025-11-25 are assignable to each other. */
  async function mutual(file: string, definitions: readonly string[]): Promise<number> {
    const declared = declaredTypes(file);
    const relations = await compareTypes(
      file,
      path.join(root, 'node_modules/@modelcontextprotocol/sdk/dist/esm/spec.types.d.ts'),
      definitions.filter((name) => declared.includes(name)).map((name) => ({ ours: name, theirs: name })),
    );
    return relations.filter((relation) => relation.toOurs && relation.toTheirs).length;
  }

  async function compiled(schema: JSONSchema, name: string, options: Partial<Options>): Promise<string> {
    const file = path.join(scratch, `${name.replace(/\W+/g, '-')}.ts`);
    writeFileSync(file, await compile(schema, 'Protocol', { ...options, unreachableDefinitions: true }));
    return file;
  }

  const rows: string[][] = [['revision', 'made by', 'missing', 'duplicates', 'extra', 'assignable both ways']];
  afterAll(() => {
    const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
    const lines = rows.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
    console.log(lines.join('\n'));
  });

  for (const { revision, definitions: count } of REVISIONS) {
    test(`of ${revision}: ours is better by every measure`, async (context) => {
      requireReferenceMaterial(context);
      const schema = JSON.parse(officialSchema(revision)) as JSONSchema;
      const definitions = Object.keys((schema['$defs'] ?? schema.definitions) as object);
      expect(definitions).toHaveLength(count);
      const ours = figuresOf(ourTypes(revision), definitions);
      expect(ours).toEqual({ missing: 0, duplicates: 0, extra: 0 });
      // Of the official types, those of one revision are on npm.
      const official = revision === '2025-11-25';
      const ourMutual = official ? count : '-';
      if (official) expect(await mutual(ourTypes(revision), definitions)).toBe(count);
      rows.push([revision, 'mcpgen', ...[ours.missing, ours.duplicates, ours.extra, ourMutual].map(String)]);
      for (const { name, options } of PEERS) {
        const file = await compiled(structuredClone(schema), `${revision}-${name}`, options);
        const theirs = figuresOf(file, definitions);
        const theirMutual = official ? await mutual(file, definitions) : '-';
        rows.push([revision, name, ...[theirs.missing, theirs.duplicates, theirs.extra, theirMutual].map(String)]);
        expect(theirs.missing).toBeGreaterThan(ours.missing);
        expect(theirs.duplicates).toBeGreaterThan(ours.duplicates);
        expect(theirs.extra).toBeGreaterThan(ours.extra);
        if (official) expect(theirMutual).toBeLessThan(count);
      }
    });
  }

  test('of 2025-11-25, without descriptions: ours has better types', async () => {
    const definitions = Object.keys(builtinSchema('2025-11-25')['$defs'] as JsonObject);
    for (const { name, options } of PEERS) {
      const schema = structuredClone(builtinSchema('2025-11-25')) as JSONSchema;
      const file = await compiled(schema, `bare ${name}`, options);
      expect(figuresOf(file, definitions).missing).toBeGreaterThan(0);
      // Ours reach all 145: test/peers/official.test.ts.
      expect(await mutual(file, definitions)).toBeLessThan(145);
    }
  });
});

describe('one definition at a time, as a second opinion on our printer', () => {
  /** In how many definitions the two readings of objects without named members show; see {@link asWritten}. */
  const APART: Readonly<Record<(typeof REVISIONS)[number]['revision'], number>> = {
    '2024-11-05': 9,
    '2025-03-26': 9,
    '2025-06-18': 9,
    '2025-11-25': 11,
    '2026-07-28': 53,
  };

  test.each(REVISIONS)(
    '$revision: has the same types except for objects without named members',
    async ({ revision }) => {
      const plain = await secondOpinion(revision, 'plain', (schema) => schema);
      const apart = plain.filter((relation) => !relation.toOurs || !relation.toTheirs).map((relation) => relation.name);
      expect(apart).toHaveLength(APART[revision]);

      const sameReading = await secondOpinion(revision, 'same-reading', asWritten);
      expect(sameReading.filter((relation) => !relation.identical).map((relation) => relation.name)).toEqual([]);
    },
  );

  async function secondOpinion(
    revision: string,
    kind: string,
    read: (schema: JsonObject) => JsonObject,
  ): ReturnType<typeof compareTypes> {
    mkdirSync(path.join(scratch, kind), { recursive: true });
    const file = path.join(scratch, kind, `${revision}.ts`);
    const text = await oneByOne(revision, read);
    // With it, all would be assignable.
    expect(anyKeywords(text)).toEqual([]);
    writeFileSync(file, text);
    return compareTypes(
      ourTypes(revision),
      file,
      exportedTypes(ourTypes(revision)).map((name) => ({ ours: name, theirs: name })),
    );
  }

  /** All definitions of a revision with its errata, each compiled by itself; what it refers to is only named. */
  async function oneByOne(revision: string, read: (schema: JsonObject) => JsonObject): Promise<string> {
    const errata = builtinErrata();
    const canonical = canonicalizeSchema(builtinSchema(revision), 'schema').definitions;
    const { definitions } = applyErrata(canonical, revision, errata, 'schema');
    const texts = [];
    for (const [name, definition] of Object.entries(definitions)) {
      texts.push(
        await compile(namingReferences(definition, read) as JSONSchema, name, {
          additionalProperties: false,
          bannerComment: '',
          declareExternallyReferenced: false,
          format: false,
          unknownAny: true,
        }),
      );
    }
    return texts.join('\n');
  }

  function namingReferences(schema: JsonValue, read: (schema: JsonObject) => JsonObject): JsonValue {
    if (Array.isArray(schema)) return schema.map((item: JsonValue) => namingReferences(item, read));
    if (!isObject(schema)) return schema;
    const { $ref: reference } = schema;
    if (typeof reference === 'string') return { tsType: reference.slice('#/$defs/'.length) };
    return Object.fromEntries(
      Object.entries(read(schema)).map(([key, value]) => {
        if (key === 'properties' && isObject(value)) {
          const members = Object.entries(value).map(([name, member]) => [name, namingReferences(member, read)]);
          return [key, Object.fromEntries(members) as JsonObject];
        }
        return [key, ['const', 'enum', 'required', 'default'].includes(key) ? value : namingReferences(value, read)];
      }),
    );
  }

  /**
   * What the two read differently: a schema of objects without named members. The official types say `object` where
   * the schema has empty `properties`, and a map where it has none at all; json-schema-to-typescript says the reverse,
   * an empty interface where the schema has none.
   */
  function asWritten(schema: JsonObject): JsonObject {
    if (schema['type'] !== 'object') return schema;
    const { properties, additionalProperties } = schema;
    if (properties === undefined)
      return additionalProperties === undefined ? { ...schema, additionalProperties: {} } : schema;
    const named = isObject(properties) && Object.keys(properties).length > 0;
    return named || (additionalProperties !== undefined && additionalProperties !== true)
      ? schema
      : { tsType: 'object' };
  }
});
