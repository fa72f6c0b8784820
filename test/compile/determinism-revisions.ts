import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { diffLines } from 'diff';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emit } from '../../generator/emit/index.js';
import { SHARED_PARTS } from '../../generator/emit/parts.js';
import {
  DEFAULT_PARTS,
  EMITTABLE,
  loadProtocol,
  render,
  type Emittable,
  type Protocol,
} from '../../generator/index.js';
import { protocolHeader } from '../../generator/print/header.js';
import { builtinErrata, builtinRevisions, builtinSchema } from '../../generator/read/builtin/revisions.js';
import { canonicalizeSchema } from '../../generator/read/schema/canonical.js';
import { applyErrata } from '../../generator/read/errata.js';
import { isObject, type JsonObject, type JsonValue } from '../../generator/read/json/json.js';
import { readFiles, removeTemporaryFolders } from '../support/cli.js';
import { REVISIONS } from '../support/revisions.js';
import { requireReferenceMaterial, officialSchema } from '../support/reference-material.js';
import { randomFrom } from '../support/random.js';
import { anyKeywords } from '../support/type-equality.js';

export const root = path.resolve(import.meta.dirname, '../..');
export const generated = path.join(root, 'generated');

/** Texts that have no `any`, `enum` and `namespace`. */
const withoutForbidden = new Set<string>();

/** The committed files of a revision and those that all share, by path below the output folder. */
function committed(revision: string): ReadonlyMap<string, string> {
  return filesBelow(generated, revision);
}

function filesBelow(out: string, revision: string): ReadonlyMap<string, string> {
  return new Map(
    [revision, 'runtime'].flatMap((folder) =>
      [...readFiles(path.join(out, folder))].map(([name, text]): [string, string] => [`${folder}/${name}`, text]),
    ),
  );
}

/** All files of a protocol before Prettier lays them out, which adds nothing that could differ. */
function emitted(protocol: Protocol): ReadonlyMap<string, string> {
  const options = { header: protocolHeader(protocol, ''), importExtension: 'js' } as const;
  return new Map(emit(protocol, EMITTABLE, 'js').map((file) => [file.name, file.print(options).join('\n\n')]));
}

/** Files without the digest of the schema file, which is another one for every order of its members. */
function withoutDigest(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(
    [...files].map(([name, text]) => [
      name,
      text.replace(/, sha256:[0-9a-f]{16}/, '').replace(/, sha256 [0-9a-f]{64}\n/, '\n'),
    ]),
  );
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}

/** A schema with all members of all objects, and all lists of required members, in another order. */
function shuffledSchema(value: JsonValue, random: () => number): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => shuffledSchema(item, random));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    shuffled(Object.entries(value), random).map(([key, item]) => [
      key,
      key === 'required' && Array.isArray(item) ? shuffled(item as JsonValue[], random) : shuffledSchema(item, random),
    ]),
  );
}

/** The same schema in the other dialect. */
function otherDialect(text: string): string {
  return text.includes('"$defs"')
    ? text
        .replace('https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#')
        .replace('"$defs"', '"definitions"')
        .replaceAll('"#/$defs/', '"#/definitions/')
    : text
        .replace('http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema')
        .replace('"definitions"', '"$defs"')
        .replaceAll('"#/definitions/', '"#/$defs/');
}

/** Holds the output of a schema against that of the same schema in other orders. */
async function expectNoOrder(revision: string, text: string): Promise<void> {
  const emittedFrom = async (contents: string): Promise<ReadonlyMap<string, string>> =>
    withoutDigest(emitted(await loadProtocol({ revision, schema: { name: 'schema.json', contents } })));
  const straight = await emittedFrom(text);
  const parsed = JSON.parse(text) as JsonValue;
  for (const seed of [1, 2, 3, 4]) {
    const other = JSON.stringify(shuffledSchema(parsed, randomFrom(seed)));
    expect(other).not.toBe(JSON.stringify(parsed));
    expect(await emittedFrom(seed % 2 === 0 ? other : otherDialect(other))).toEqual(straight);
  }
}

function changedLines(before: string, after: string): { readonly added: string[]; readonly removed: string[] } {
  const parts = diffLines(before, after);
  const linesOf = (kept: (part: (typeof parts)[number]) => boolean): string[] =>
    parts.filter(kept).flatMap((part) => part.value.split('\n').filter((line) => line !== ''));
  return { added: linesOf((part) => part.added), removed: linesOf((part) => part.removed) };
}

function parse(text: string): ts.SourceFile {
  return ts.createSourceFile('generated.ts', text, ts.ScriptTarget.ES2022, true);
}

function isExported(node: ts.TypeAliasDeclaration): boolean {
  return node.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword) === true;
}

function nodesOf(source: ts.SourceFile, wanted: (node: ts.Node) => boolean): readonly ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (wanted(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

interface Findings {
  /** Every `unknown` that was met. */
  readonly seen: Set<ts.Node>;
  readonly faults: string[];
}

/** Goes down a printed type and its schema side by side: an `unknown` needs a schema that says nothing there. */
function matchUnknowns(type: ts.TypeNode, schema: JsonValue | undefined, at: string, findings: Findings): void {
  if (type.kind === ts.SyntaxKind.UnknownKeyword) {
    findings.seen.add(type);
    if (!saysNothing(schema)) findings.faults.push(`${at}: unknown, but the schema says ${JSON.stringify(schema)}`);
    return;
  }
  if (ts.isParenthesizedTypeNode(type)) {
    matchUnknowns(type.type, schema, at, findings);
    return;
  }
  if (ts.isArrayTypeNode(type)) {
    matchUnknowns(type.elementType, childOf(schema, 'items'), `${at}[]`, findings);
    return;
  }
  if (ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type)) {
    const parts = variantsOf(schema);
    type.types.forEach((part, index) => {
      matchUnknowns(part, parts.length === type.types.length ? parts[index] : schema, `${at}|${index}`, findings);
    });
    return;
  }
  if (!ts.isTypeLiteralNode(type)) return;
  for (const member of type.members) {
    if (ts.isPropertySignature(member) && member.type !== undefined) {
      const name = ts.isIdentifier(member.name) || ts.isStringLiteral(member.name) ? member.name.text : '';
      const properties = childOf(schema, 'properties');
      const own = properties !== undefined && isObject(properties) ? properties[name] : undefined;
      matchUnknowns(member.type, own, `${at}.${name}`, findings);
    } else if (ts.isIndexSignatureDeclaration(member)) {
      matchUnknowns(member.type, childOf(schema, 'additionalProperties'), `${at}[*]`, findings);
    }
  }
}

function childOf(schema: JsonValue | undefined, key: string): JsonValue | undefined {
  return schema !== undefined && isObject(schema) ? schema[key] : undefined;
}

/** The parts that a schema is made of, in the order in which they are printed. */
function variantsOf(schema: JsonValue | undefined): readonly JsonValue[] {
  if (schema === undefined || !isObject(schema)) return [];
  const lists = ['anyOf', 'oneOf', 'allOf'].map((key) => schema[key]);
  return lists.flatMap((list): readonly JsonValue[] => (Array.isArray(list) ? (list as readonly JsonValue[]) : []));
}

function saysNothing(schema: JsonValue | undefined): boolean {
  if (schema === undefined || schema === true) return true;
  if (!isObject(schema)) return false;
  return Object.keys(schema).every((key) =>
    ['title', 'description', 'default', 'deprecated', '$comment'].includes(key),
  );
}

/** Tests the output of revisions. */
export function testRevisions(revisions: readonly (typeof REVISIONS)[number][]): void {
  let scratch: string;
  beforeAll(() => {
    scratch = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-determinism-'));
  });
  afterAll(removeTemporaryFolders);
  afterAll(() => {
    rmSync(scratch, { recursive: true, force: true });
  });

  /** The files that a schema text gives, by path below the output folder. */
  async function renderSchema(
    revision: string,
    contents: string,
    parts: readonly Emittable[] = DEFAULT_PARTS,
  ): Promise<ReadonlyMap<string, string>> {
    const protocol = await loadProtocol({ revision, schema: { name: 'schema.json', contents } });
    return new Map((await render(protocol, scratch, { emit: parts })).map((file) => [file.path, file.contents]));
  }

  describe.each(revisions)('$revision', ({ revision, definitions: count }) => {
    const shipped = readFileSync(path.join(root, 'schema', revision, 'schema.json'), 'utf8');

    test('produces the same bytes twice', async () => {
      const files = emitted(await loadProtocol({ revision }));
      // Names changed from 2025-06-18 on.
      const absent: readonly string[] = revision < '2025-06-18' ? [...SHARED_PARTS, 'aliases'] : SHARED_PARTS;
      const names = EMITTABLE.filter((part) => !absent.includes(part)).map((part) =>
        part === 'stubs' ? 'handlers' : part,
      );
      expect([...files.keys()]).toEqual([...names, 'index']);
      expect(emitted(await loadProtocol({ revision }))).toEqual(files);
    });

    test('produces the same bytes for any order of the members of the shipped schema', async () => {
      await expectNoOrder(revision, shipped);
    });

    test('produces the same bytes for any order of the members of the official schema', async (context) => {
      requireReferenceMaterial(context);
      await expectNoOrder(revision, officialSchema(revision));
    });

    test.each(['Aardvark', 'Implementation1', 'Zebra'])('loses no line to a new definition: %s', async (name) => {
      const schema = JSON.parse(shipped) as { $defs: Record<string, JsonObject> };
      schema.$defs[name] = { type: 'object', properties: { stripes: { type: 'integer' } }, required: ['stripes'] };
      // Two of the three generate only the types, since formatting everything is slow.
      const parts = name === 'Implementation1' ? DEFAULT_PARTS : (['types'] as const);
      const before = withoutDigest(await renderSchema(revision, shipped, parts));
      const after = withoutDigest(await renderSchema(revision, JSON.stringify(schema), parts));
      expect([...after.keys()]).toContain(`${revision}/types.ts`);
      for (const [file, text] of after) {
        const { added, removed } = changedLines(before.get(file) ?? '', text);
        expect(removed).toEqual([]);
        if (file === `${revision}/types.ts`) expect(added).toContain(`export type ${name} = {`);
      }

      // Nor does a member that comes to an old definition, as far as types go.
      const { properties } = schema.$defs['Implementation'] as { properties: Record<string, JsonObject> };
      properties[name] = { $ref: `#/$defs/${name}` };
      const typesFile = `${revision}/types.ts`;
      const then = withoutDigest(await renderSchema(revision, JSON.stringify(schema), ['types']));
      const { added, removed } = changedLines(after.get(typesFile) ?? '', then.get(typesFile) ?? '');
      // With all parts the command in the header is a shorter one.
      expect(removed.filter((line) => !line.startsWith('// Regenerate: '))).toEqual([]);
      expect(added).toContain(`  ${name}?: ${name};`);
    });

    test(`has every definition once: ${count}`, () => {
      const names = Object.keys((JSON.parse(shipped) as { $defs: JsonObject }).$defs);
      expect(names).toHaveLength(count);
      const source = parse(committed(revision).get(`${revision}/types.ts`) ?? '');
      const declared = source.statements.map((statement) =>
        ts.isTypeAliasDeclaration(statement) && isExported(statement) ? statement.name.text : statement.getText(source),
      );
      expect([...declared].sort()).toEqual([...names].sort());
    });

    test('never uses `any`, `enum` or `namespace`', () => {
      for (const [file, text] of committed(revision)) {
        // Most files of all revisions are those of the runtime.
        if (withoutForbidden.has(text)) continue;
        expect(anyKeywords(text), file).toEqual([]);
        expect(
          nodesOf(parse(text), (node) => ts.isEnumDeclaration(node) || ts.isModuleDeclaration(node)),
          file,
        ).toEqual([]);
        withoutForbidden.add(text);
      }
    });

    test('says `unknown` only where the schema says nothing', () => {
      const errata = builtinErrata();
      const canonical = canonicalizeSchema(builtinSchema(revision), 'schema').definitions;
      const { definitions } = applyErrata(canonical, revision, errata, 'schema');
      const source = parse(committed(revision).get(`${revision}/types.ts`) ?? '');
      const seen = new Set<ts.Node>();
      const faults: string[] = [];
      for (const statement of source.statements) {
        if (!ts.isTypeAliasDeclaration(statement)) continue;
        const { text: name } = statement.name;
        matchUnknowns(statement.type, definitions[name], name, { seen, faults });
      }
      expect(faults).toEqual([]);
      // Each one was compared with its location in the schema.
      const all = nodesOf(source, (node) => node.kind === ts.SyntaxKind.UnknownKeyword);
      expect(all.length).toBeGreaterThan(0);
      expect(all.filter((node) => !seen.has(node)).length).toBe(0);
    });

    test('has a reproducible header', () => {
      const { sha256 } = builtinRevisions().find((item) => item.revision === revision) ?? {};
      // A fixed erratum only applies to old copies of a schema, and the shipped copy is up to date.
      const errata = builtinErrata().filter(
        (erratum) => erratum.status === 'open' && erratum.changes.some((change) => change.revision === revision),
      );
      const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
      const { emit: parts } = JSON.parse(readFileSync(path.join(root, 'mcpgen.config.json'), 'utf8')) as {
        emit: readonly string[];
      };
      const emitted = parts.join(',');
      expect(emitted).toContain('default,');
      // Names of revisions are the only dates; comments of the runtime cite those of MCP Apps too.
      const apps = path.join(root, 'schema/extensions/io.modelcontextprotocol/ui/view/catalog.json');
      const { revision: ofApps } = JSON.parse(readFileSync(apps, 'utf8')) as { revision: string };
      const revisionNames = new Set([...REVISIONS.map((item) => item.revision), ofApps]);
      for (const [file, text] of committed(revision)) {
        const shared = file.startsWith('runtime/');
        const lines = [
          expect.stringMatching(
            new RegExp(`^// @generated by mcpgen: ${file}, sha256:[0-9a-f]{16}; edits are lost when it runs again\\.$`),
          ) as string,
          ...(shared
            ? [
                `// Shared by all revisions: ${file.replace(/\.ts$/, '')}`,
                '// Regenerate: run the command that the other files name',
              ]
            : [
                `// Model Context Protocol, revision ${revision}`,
                `// Schema: schema/${revision}/schema.json, sha256 of the official file ${sha256 ?? ''}`,
                `// Errata: ${errata.map((erratum) => erratum.id).join(', ')}`,
                `// Regenerate: mcpgen generate --revision ${revision} --emit ${emitted} --out <folder above this one>`,
              ]),
          '/* eslint-disable */',
          '',
        ];
        expect(text.split('\n').slice(0, lines.length), file).toEqual(lines);
        const dates = new Set(text.match(/\b(?:19|20)\d\d-\d\d-\d\d\b/g));
        expect([...dates].filter((date) => !revisionNames.has(date))).toEqual([]);
        expect(text).not.toContain(version);
      }
    });
  });
}
