import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import vm from 'node:vm';
import { transformSync } from 'esbuild';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import * as revision20241105 from '../../generated/2024-11-05/index.js';
import * as revision20250326 from '../../generated/2025-03-26/index.js';
import * as revision20250618 from '../../generated/2025-06-18/index.js';
import * as revision20251125 from '../../generated/2025-11-25/index.js';
import * as revision20260728 from '../../generated/2026-07-28/index.js';
import {
  check,
  loadProtocol,
  McpgenError,
  render,
  type LoadOptions,
  type Protocol,
  type RenderOptions,
} from '../../generator/index.js';
import { readSchemaWithoutCatalog } from '../../generator/model/load.js';
import { applyErrata } from '../../generator/read/errata.js';
import { REVISIONS } from '../support/revisions.js';
import { cases } from '../support/cases.js';
import { requireReferenceMaterial, officialSchema } from '../support/reference-material.js';
import { errorsByLine } from '../support/type-equality.js';

/** Cases of these kinds that are nothing but deep validation: they are tested where that is. */
const BY_VALIDATORS: readonly string[] = [
  'case-041', // one line for a failure, with its path, instead of a dump of all union branches
  'case-042', // isBooleanSchema holds and isStringSchema does not
  'case-111', // three guards hold for one value
];

/** Cases of which one part is tested here and another, which asks a deep guard or validator, with those. */
const ALSO_BY_VALIDATORS: readonly string[] = ['case-025', 'case-035', 'case-037', 'case-043'];

/** Cases that need other compilers than the project's own: they are in the slow tier. */
const BY_OTHER_COMPILERS: readonly string[] = ['case-031'];

type Schema = Readonly<Record<string, unknown>>;

const root = path.resolve(import.meta.dirname, '../..');
const revisions = REVISIONS.map(({ revision }) => revision);
const GENERATED = {
  '2024-11-05': revision20241105,
  '2025-03-26': revision20250326,
  '2025-06-18': revision20250618,
  '2025-11-25': revision20251125,
  '2026-07-28': revision20260728,
} as const satisfies Record<(typeof revisions)[number], object>;

/** Guards that all revisions have alike, without the types of their methods. */
interface ByMethod {
  hasMethod(message: revision20251125.ClassifiedMessage, method: string): boolean;
  isClientRequest(message: revision20251125.ClassifiedMessage): boolean;
  isClientNotification(message: revision20251125.ClassifiedMessage): boolean;
  lookupMethod(message: revision20251125.AnyRequest, sender: 'client' | 'server'): string;
}

const proven = new Set<string>();

/** A test that proves what is right in a case. */
function provesCase(id: string, what: string, run: (context: TestContext) => void | Promise<void>): void {
  proven.add(id);
  test(`${id}: ${what}`, run);
}

/**
 * Code that is compiled together with that of all other cases, since a separate program for each would take most of
 * the time. A piece is a separate namespace; so are the types of a schema that a case includes.
 */
class Compilation {
  readonly #lines = revisions.map(
    (revision) =>
      `import * as ${alias(revision)} from ${JSON.stringify(path.join(root, 'generated', revision, 'index.js'))};`,
  );
  readonly #schemas: { readonly name: string; readonly protocol: Promise<Protocol> }[] = [];
  readonly #pieces: { readonly code: readonly string[]; start: number }[] = [];
  #errors: ReadonlyMap<number, string> = new Map();

  /** Adds the types of a protocol under a name, for the code of a case to use. */
  types(name: string, protocol: Promise<Protocol>): void {
    // Its failure is the failure of the test that asks for the protocol, not of this one.
    protocol.catch(() => undefined);
    this.#schemas.push({ name, protocol });
  }

  /** Adds a piece of code. The returned function lists its errors, each with its line. */
  code(text: string): () => readonly string[] {
    const piece = { code: text.trim().split('\n'), start: 0 };
    this.#pieces.push(piece);
    return () =>
      piece.code.flatMap((line, index) => {
        const error = this.#errors.get(piece.start + index);
        return error === undefined ? [] : [`${line.trim()} -- ${error}`];
      });
  }

  async compile(): Promise<void> {
    for (const { name, protocol } of this.#schemas) {
      const text = await protocol.then(typesOf).catch(() => '');
      this.#lines.push(`namespace ${name} {`, ...text.split('\n'), '}');
    }
    for (const [index, piece] of this.#pieces.entries()) {
      this.#lines.push(`namespace Piece${index} {`);
      piece.start = this.#lines.length;
      this.#lines.push(...piece.code, '}');
    }
    this.#errors = await errorsByLine(this.#lines.join('\n'), {
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
    });
  }

  /** Errors outside all pieces: in the types of a case's own schema. */
  typeErrors(): readonly string[] {
    const inPiece = (line: number): boolean =>
      this.#pieces.some((piece) => line >= piece.start && line < piece.start + piece.code.length);
    return [...this.#errors].flatMap(([line, error]) =>
      inPiece(line) ? [] : [`${this.#lines[line]?.trim()} -- ${error}`],
    );
  }
}

const compilation = new Compilation();

/** `v20251125` for the revision 2025-11-25. */
function alias(revision: string): string {
  return `v${revision.replaceAll('-', '')}`;
}

/** Code of which each line compiles. */
function compiles(code: string): () => void {
  const errors = compilation.code(code);
  return () => {
    expect(errors()).toEqual([]);
  };
}

/** Code of which each line that ends in `// error` does not compile, while all others do. */
function refuses(code: string): () => void {
  const errors = compilation.code(code);
  const wrong = code.split('\n').filter((line) => line.endsWith('// error'));
  return () => {
    expect(errors().map((error) => error.split(' -- ')[0])).toEqual(wrong.map((line) => line.trim()));
  };
}

const PING: Schema = {
  PingRequest: { type: 'object', properties: { method: { const: 'ping', type: 'string' } }, required: ['method'] },
  ClientRequest: { anyOf: [{ $ref: '#/$defs/PingRequest' }] },
  EmptyResult: { type: 'object', additionalProperties: {} },
};
const PING_ROW = {
  method: 'ping',
  kind: 'request',
  direction: 'clientToServer',
  message: 'PingRequest',
  params: null,
  result: 'EmptyResult',
  capability: null,
  summary: 'Checks that the server answers.',
};

function catalogOf(methods: readonly object[], errors: readonly object[] = []): { name: string; contents: string } {
  const catalog = { protocol: 'Small', revision: '1', lifecycle: 'stateful', batches: false, methods, errors };
  return { name: 'catalog.json', contents: JSON.stringify(catalog) };
}

function schemaOf($defs: Schema): { name: string; contents: string } {
  return {
    name: 'schema.json',
    contents: JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', $defs }),
  };
}

/** A small protocol around definitions: one method, so that there is something to catalog. */
async function smallProtocol($defs: Schema, options: Omit<LoadOptions, 'schema' | 'catalog'> = {}): Promise<Protocol> {
  return loadProtocol({ ...options, schema: schemaOf({ ...PING, ...$defs }), catalog: catalogOf([PING_ROW]) });
}

/** A protocol's files by name, without the folder. */
async function filesOf(protocol: Protocol, options: RenderOptions = {}): Promise<Readonly<Record<string, string>>> {
  const files = await render(protocol, root, options);
  // Those of the revision by their names, those that all share by their paths.
  return Object.fromEntries(
    files.map((file) => [path.posix.relative(protocol.revision, file.path).replace(/^\.\.\//, ''), file.contents]),
  );
}

async function typesOf(protocol: Protocol): Promise<string> {
  return (await filesOf(protocol, { emit: ['types'] }))['types.ts'] ?? '';
}

/** The text of one type, with its docs. */
function typeIn(text: string, name: string): string {
  const found = new RegExp(`(?:/\\*\\*(?:(?!\\*/)[^])*\\*/\\n)?export type ${name} =[^]*?;\\n(?=\\n|$)`).exec(text);
  if (found === null) throw new Error(`there is no type ${name}`);
  return found[0];
}

function generatedFile(revision: string, name: string): string {
  return readFileSync(path.join(root, 'generated', revision, `${name}.ts`), 'utf8');
}

function schemaFile(revision: string): {
  $defs: Record<string, { properties?: object; required?: readonly string[] }>;
} {
  return JSON.parse(readFileSync(path.join(root, 'schema', revision, 'schema.json'), 'utf8')) as ReturnType<
    typeof schemaFile
  >;
}

/** The text below the header, which names the file that it was made from. */
function body(text: string): string {
  return text.slice(text.indexOf('/* eslint-disable */'));
}

/** A built-in schema with a value replaced, as an older or newer copy of the file would have it. */
function changedSchema(revision: string, changes: readonly (readonly [readonly string[], unknown])[]): string {
  const schema = schemaFile(revision) as unknown as Record<string, unknown>;
  for (const [at, value] of changes) {
    const last = at.at(-1) ?? '';
    let holder: Record<string, unknown> = schema;
    for (const token of at.slice(0, -1)) holder = holder[token] as Record<string, unknown>;
    expect(Object.keys(holder)).toContain(last);
    holder[last] = value;
  }
  return JSON.stringify(schema);
}

function errataOf(protocol: Protocol): readonly string[] {
  return protocol.errata.map((erratum) => erratum.id);
}

/** All names that a file exports, and the kinds of its statements. */
function exportsOf(text: string): { readonly names: readonly string[]; readonly kinds: ReadonlySet<string> } {
  const source = ts.createSourceFile('types.ts', text, ts.ScriptTarget.ES2022);
  const names = source.statements.map((statement) =>
    ts.isTypeAliasDeclaration(statement) ? statement.name.text : statement.getText(source),
  );
  return { names, kinds: new Set(source.statements.map((statement) => ts.SyntaxKind[statement.kind])) };
}

const scratch = mkdtempSync(path.join(tmpdir(), 'mcpgen-cases-'));
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});
beforeAll(() => compilation.compile());

describe('errata of the schemas', () => {
  const bounds = compiles(`
    export const a: v20250618.NumberSchema = { type: 'number', minimum: 0.5, maximum: 99.5 };
    export const b: v20251125.NumberSchema = { type: 'number', minimum: 0.5, maximum: 99.5, default: 95.5 };
    export const c: v20260728.NumberSchema = { type: 'number', minimum: 0.5, maximum: 99.5, default: 95.5 };
  `);
  provesCase('case-001', 'bounds of a number field are numbers', async () => {
    bounds();
    for (const [revision, members] of [
      ['2025-06-18', ['minimum', 'maximum']],
      ['2025-11-25', ['minimum', 'maximum', 'default']],
      ['2026-07-28', ['minimum', 'maximum', 'default']],
    ] as const) {
      const contents = changedSchema(
        revision,
        members.map((name) => [['$defs', 'NumberSchema', 'properties', name, 'type'], 'integer']),
      );
      const old = await loadProtocol({ revision, schema: { name: 'schema.json', contents } });
      expect(errataOf(old)).toContain('number-schema-bounds');
      expect(body(await typesOf(old))).toBe(body(generatedFile(revision, 'types')));
      expect((await typesOf(old)).split('\n').find((line) => line.startsWith('// Errata:'))).toContain(
        'number-schema-bounds',
      );
      // The file of today is right, and so is not corrected.
      expect(errataOf(await loadProtocol({ revision }))).not.toContain('number-schema-bounds');
    }
  });

  const fraction = compiles(`
    type Value<T extends { content?: unknown }> = NonNullable<T['content']>[keyof NonNullable<T['content']>];
    type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
    export const a: v20250618.ElicitResult = { action: 'accept', content: { temp: 36.6 } };
    export const b: v20251125.ElicitResult = { action: 'accept', content: { temp: 36.6, tags: ['a'], ok: true } };
    export const c: v20260728.ElicitResult = { action: 'accept', content: { temp: 36.6, tags: ['a'], ok: true } };
    export const same1: Same<Value<v20251125.ElicitResult>, string | number | boolean | string[]> = true;
    export const same2: Same<Value<v20260728.ElicitResult>, string | number | boolean | string[]> = true;
  `);
  provesCase('case-002', 'an answer to a form may be a fraction', async () => {
    fraction();
    for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28']) {
      expect(errataOf(await loadProtocol({ revision }))).toContain('elicit-result-numbers');
      expect(generatedFile(revision, 'types')).toMatch(/^\/\/ Errata: .*\belicit-result-numbers\b/m);
      // Without errata the schema is read as it stands, which the model shows.
      const plain = await loadProtocol({ revision, errata: false });
      expect(plain.errata).toEqual([]);
      expect(JSON.stringify(definition(plain, 'ElicitResult'))).toContain('"kind":"integer"');
    }
  });

  const jsonNull = compiles(`
    export const value: v20260728.JSONValue = null;
    export const inside: v20260728.JSONObject = { a: null, b: [null, { c: null }] };
    export const list: v20260728.JSONArray = [null];
  `);
  provesCase('case-003', 'a JSON value may be null', async () => {
    jsonNull();
    const text = typeIn(generatedFile('2026-07-28', 'types'), 'JSONValue');
    expect(text).toContain('= JSONObject | JSONValue[] | string | number | boolean | null;');
    expect(errataOf(await loadProtocol({ revision: '2026-07-28' }))).toContain('json-value');
    expect(generatedFile('2026-07-28', 'types')).toMatch(/^\/\/ Errata: .*\bjson-value\b/m);
    const plain = await typesOf(await loadProtocol({ revision: '2026-07-28', errata: false }));
    expect(typeIn(plain, 'JSONValue')).toContain('= JSONObject | JSONValue[] | string | number | boolean;');
  });

  const jsonNumber = compiles(`
    export const value: v20260728.JSONValue = 1.5;
    export const inside: v20260728.JSONObject = { a: 1.5, b: [-0.25] };
  `);
  provesCase('case-004', 'a JSON value may be any number', async () => {
    jsonNumber();
    const kinds = JSON.stringify(definition(await loadProtocol({ revision: '2026-07-28' }), 'JSONValue'));
    expect(kinds).toContain('"kind":"number"');
    expect(kinds).not.toContain('"kind":"integer"');
  });

  provesCase('case-005', 'an erratum whose old value is missing stops generation', async () => {
    const at = '/$defs/NumberSchema/properties/minimum/type';
    const definitions = { NumberSchema: { properties: { minimum: { type: 'number' } } } };
    const erratum = {
      id: 'bounds',
      summary: 'A bound is a number.',
      source: 'somewhere',
      changes: [{ revision: '1', at: [at], old: 'integer', new: 'number' }],
    } as const;
    expect(() => applyErrata(definitions, '1', [{ ...erratum, status: 'open' }], 'schema.json')).toThrow(
      expect.objectContaining({
        message: 'erratum bounds expects "integer" here and found "number", which is already right',
        place: `schema.json#${at}`,
        remedy: expect.stringContaining('retire the erratum') as unknown,
      }),
    );
    // Where only older copies were wrong, a right one is no fault, but any other value is.
    expect(applyErrata(definitions, '1', [{ ...erratum, status: 'fixed' }], 'schema.json').applied).toEqual([]);
    const other = { NumberSchema: { properties: { minimum: { type: 'string' } } } };
    expect(() => applyErrata(other, '1', [{ ...erratum, status: 'fixed' }], 'schema.json')).toThrow('found "string"');

    // The same through the interface: an official file of tomorrow that is fixed.
    const contents = changedSchema('2026-07-28', [
      [
        ['$defs', 'JSONValue', 'anyOf', '2', 'type'],
        ['string', 'number', 'boolean', 'null'],
      ],
    ]);
    const schema = { name: 'schema.json', contents };
    await expect(loadProtocol({ revision: '2026-07-28', schema })).rejects.toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/json-value .*"integer".*already right/) as unknown,
        place: 'schema.json#/$defs/JSONValue/anyOf/2/type',
      }),
    );
    expect((await loadProtocol({ revision: '2026-07-28', schema, errata: false })).errata).toEqual([]);
  });

  const cancelled = compiles(`
    type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
    export const method: Same<v20260728.NotificationMap['notifications/cancelled'], v20260728.CancelledNotification> = true;
    export const union: Same<v20260728.ClientNotification, v20260728.CancelledNotification> = true;
  `);
  provesCase('case-006', 'one method has one definition: a union that was inlined becomes an alias again', async () => {
    cancelled();
    const protocol = await loadProtocol({ revision: '2026-07-28' });
    expect(definition(protocol, 'ClientNotification')?.type).toEqual({ kind: 'ref', name: 'CancelledNotification' });
    expect(protocol.methods.filter((method) => method.name === 'notifications/cancelled')).toEqual([
      expect.objectContaining({ message: 'CancelledNotification', direction: 'both' }),
    ]);
    const types = generatedFile('2026-07-28', 'types');
    expect(typeIn(types, 'ClientNotification')).toContain('export type ClientNotification = CancelledNotification;');
    expect(types.match(/method: 'notifications\/cancelled'/g)).toHaveLength(1);
    for (const name of ['methods', 'messages', 'guards']) {
      expect(generatedFile('2026-07-28', name)).not.toMatch(/\bClientNotification\b/);
    }
  });

  const noRequests = refuses(`
    type Is<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
    export const none: Is<v20260728.ServerRequestMessage, never> = true;
    export const nameless: Is<v20260728.RequestMethod<'server'>, never> = true;
    export const idle: v20260728.RequestHandlers<'client'> = {};
    export const roots: v20260728.RequestHandlers<'client'> = { 'roots/list': () => ({ roots: [] }) }; // error
  `);
  provesCase('case-007', 'ServerRequestMessage is never', async () => {
    noRequests();
    const protocol = await loadProtocol({ revision: '2026-07-28' });
    expect(definition(protocol, 'ServerRequest')).toBeUndefined();
    expect(generatedFile('2026-07-28', 'messages')).toContain('export type ServerRequestMessage = never;');
    for (const method of Object.values(revision20260728.METHODS)) {
      expect(revision20260728.isServerRequest({ jsonrpc: '2.0', id: 1, method })).toBe(false);
    }
  });

  const embedded = refuses(`
    export const asked: v20260728.InputRequest = { method: 'roots/list' };
    export const sent: v20260728.AnyMessage = { jsonrpc: '2.0', id: 1, method: 'roots/list' }; // error
    export const typed: v20260728.RequestMethod = 'roots/list'; // error
  `);
  provesCase('case-008', 'a request for input is only an InputRequest', () => {
    embedded();
    const value = { method: 'roots/list' };
    expect(revision20260728.isRequest(value)).toBe(false);
    expect(revision20260728.classify(value).kind).toBe('invalid');
    expect(Object.values(revision20260728.METHODS)).not.toContain('roots/list');
    expect(Object.keys(revision20260728.METHOD_INFO)).not.toContain('roots/list');
    const wrapped = { jsonrpc: '2.0', id: 1, ...value } as const;
    expect(revision20260728.lookupMethod(wrapped, 'server')).toBe('unknown');
    expect(revision20260728.lookupMethod(wrapped, 'client')).toBe('unknown');
  });

  provesCase('case-009', 'the revision of a schema file is never guessed', async (context) => {
    requireReferenceMaterial(context);
    for (const revision of revisions) {
      const schema = { name: 'somewhere/else.json', contents: officialSchema(revision) };
      expect((await loadProtocol({ schema })).revision).toBe(revision);
      const touched = { ...schema, contents: `${schema.contents}\n` };
      expect((await loadProtocol({ schema: touched, revision })).revision).toBe(revision);
      await expect(loadProtocol({ schema: touched })).rejects.toThrow(
        expect.objectContaining({
          message: expect.stringContaining('does not contain its revision') as unknown,
          place: 'somewhere/else.json',
          remedy: expect.stringContaining('--revision') as unknown,
        }),
      );
    }
  });

  const typo = smallProtocol({
    I: { type: 'object', properties: { websiteUrl: { type: 'string', format: 'uri-typo' } } },
    J: { type: 'object', properties: { other: { type: 'string', format: 'uri-typo' } } },
  });
  compilation.types('Case010', typo);
  const formatted = compiles(`export const value: Case010.I = { websiteUrl: 'https://example.com' };`);
  provesCase('case-010', 'an unknown format is an annotation', async () => {
    formatted();
    const protocol = await typo;
    expect(protocol.warnings).toEqual([
      {
        place: 'schema.json#/$defs/I/properties/websiteUrl/format',
        message: expect.stringContaining('"uri-typo"') as unknown,
      },
    ]);
    expect(await typesOf(protocol)).toContain('websiteUrl?: string;');
  });

  provesCase('case-011', 'a request in no direction union stops generation', async () => {
    const foo = {
      FooRequest: {
        type: 'object',
        properties: { method: { const: 'foo/bar', type: 'string' } },
        required: ['method'],
      },
    };
    const schema = schemaOf({ ...PING, ...foo });
    expect(readSchemaWithoutCatalog(schema).derived.unplaced).toEqual(['FooRequest']);
    const row = { ...PING_ROW, method: 'foo/bar', message: 'FooRequest' };
    for (const direction of ['clientToServer', 'serverToClient', 'both', 'embedded']) {
      const catalog = catalogOf([{ ...row, direction }, PING_ROW]);
      await expect(loadProtocol({ schema, catalog }), direction).rejects.toThrow(/is in no union[^]*FooRequest/);
      await expect(check({ schema, catalog, out: path.join(scratch, 'never') }), direction).rejects.toThrow(
        'FooRequest',
      );
    }
    // A union that lost all of its members stops as well, be it for them or for itself.
    const emptied = schemaOf({ ...PING, ...foo, ClientRequest: { anyOf: [] } });
    await expect(loadProtocol({ schema: emptied, catalog: catalogOf([row]) })).rejects.toThrow(McpgenError);
    // Nor can the catalog pass it over.
    await expect(smallProtocol(foo)).rejects.toThrow('the catalog has no row for "foo/bar", which FooRequest defines');
  });

  const preset = smallProtocol({
    R: {
      type: 'object',
      properties: { resultType: { type: 'string', default: 'complete' } },
      required: ['resultType'],
    },
  });
  compilation.types('Case012', preset);
  const mustHave = refuses(`
    export const value: Case012.R = { resultType: 'complete' };
    export const without: Case012.R = {}; // error
  `);
  provesCase('case-012', 'a required member with a default stays required', async () => {
    mustHave();
    const text = typeIn(await typesOf(await preset), 'R');
    expect(text).toContain('resultType: string;');
    expect(text).toContain('@defaultValue `"complete"`');
  });

  const emptied = { InputRequest: {}, InputResponse: {} };
  compilation.types('Case013', smallProtocol(emptied));
  const anyValue = refuses(`
    export const value: Case013.InputRequest = [1, 'a'];
    export const unsafe: string = value as Case013.InputRequest; // error
  `);
  provesCase('case-013', 'an empty definition is unknown', async () => {
    anyValue();
    const protocol = await smallProtocol(emptied);
    expect(protocol.warnings.map((warning) => warning.place)).toEqual([
      'schema.json#/$defs/InputRequest',
      'schema.json#/$defs/InputResponse',
    ]);
    expect(await typesOf(protocol)).toContain('export type InputRequest = unknown;');
    await expect(smallProtocol(emptied, { strict: true })).rejects.toThrow(/InputRequest is the empty schema.*1 more/);
  });

  const keywords = smallProtocol({
    K: {
      type: 'object',
      properties: {
        oneOf: { type: 'array', items: { type: 'object' } },
        required: { type: 'boolean' },
        format: { enum: ['date', 'uri'], type: 'string' },
        properties: { type: 'string' },
        $ref: { type: 'string' },
        default: { type: 'number' },
      },
      required: ['$ref'],
    },
  });
  compilation.types('Case014', keywords);
  const plainNames = refuses(`
    export const value: Case014.K = { oneOf: [{}], required: true, format: 'date', properties: '', $ref: '#', default: 1 };
    export const wrong: Case014.K = { $ref: '', format: 'time' }; // error
  `);
  provesCase('case-014', 'members named like keywords are ordinary members', async () => {
    plainNames();
    expect(Object.keys((await keywords).warnings)).toEqual([]);
    for (const [revision, name, members] of [
      ['2025-11-25', 'TitledSingleSelectEnumSchema', ['default', 'description', 'oneOf', 'title', 'type']],
      ['2025-11-25', 'StringSchema', ['default', 'description', 'format', 'maxLength', 'minLength', 'title', 'type']],
      ['2024-11-05', 'PromptArgument', ['description', 'name', 'required']],
    ] as const) {
      const type = definition(await loadProtocol({ revision }), name)?.type;
      expect(type?.kind === 'object' && type.members.map((member) => member.name)).toEqual(members);
    }
  });

  provesCase('case-015', 'both dialects produce the same output', async () => {
    for (const revision of ['2025-06-18', '2025-11-25']) {
      const { $defs } = schemaFile(revision);
      const modern = JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', $defs });
      const draft07 = JSON.stringify({
        $schema: 'http://json-schema.org/draft-07/schema#',
        definitions: $defs,
      }).replaceAll('#/$defs/', '#/definitions/');
      for (const contents of [modern, draft07]) {
        const files = await filesOf(await loadProtocol({ revision, schema: { name: 'schema.json', contents } }));
        for (const name of ['types', 'methods', 'messages', 'guards', 'errors', 'index']) {
          expect(body(files[`${name}.ts`] ?? ''), `${revision} ${name}`).toBe(body(generatedFile(revision, name)));
        }
      }
    }
  });
});

describe('types', () => {
  provesCase('case-016', 'every definition is exported once', () => {
    for (const { revision, definitions } of REVISIONS) {
      const { names, kinds } = exportsOf(generatedFile(revision, 'types'));
      expect([...names].sort()).toEqual(Object.keys(schemaFile(revision).$defs).sort());
      expect(names).toHaveLength(definitions);
      expect([...kinds]).toEqual(['TypeAliasDeclaration']);
    }
  });

  const described = smallProtocol({
    A: { type: 'object' },
    B: {
      type: 'object',
      properties: { x: { $ref: '#/$defs/A', description: 'one' }, y: { $ref: '#/$defs/A', description: 'two' } },
    },
  });
  compilation.types('Case017', described);
  provesCase('case-017', 'a reference with a description stays a reference', async () => {
    const text = await typesOf(await described);
    expect(typeIn(text, 'B')).toBe('export type B = {\n  /** one */\n  x?: A;\n  /** two */\n  y?: A;\n};\n');
    expect(exportsOf(text).names.filter((name) => /\d$/.test(name))).toEqual([]);
    for (const { revision } of REVISIONS) {
      const numbered = exportsOf(generatedFile(revision, 'types')).names.filter((name) => /\d$/.test(name));
      expect(numbered, revision).toEqual([]);
    }
  });

  compilation.types(
    'Case018',
    smallProtocol({
      M: {
        anyOf: [
          { type: 'object', properties: { method: { const: 'ping' } }, required: ['method'] },
          {
            type: 'object',
            properties: { method: { const: 'tools/list' }, params: { type: 'object' } },
            required: ['method'],
          },
        ],
      },
    }),
  );
  const narrowed = refuses(`
    export function narrow(m: Case018.M): unknown {
      switch (m.method) {
        case 'ping':
          return m.params; // error
        case 'tools/list':
          return m.params;
      }
    }
  `);
  provesCase('case-018', 'objects in anyOf stay a union that narrows on method', narrowed);

  const indexed = smallProtocol({
    D: { type: 'object', properties: { m: { type: 'string' } }, additionalProperties: { type: 'string' } },
    E: {
      type: 'object',
      properties: { m: { type: 'string' }, n: { type: 'number' } },
      additionalProperties: { type: 'string' },
    },
  });
  compilation.types('Case019', indexed);
  const optional = refuses(`
    export const value: Case019.D = { m: 'a', other: 'b' };
    export const empty: Case019.D = {};
    export const wrong: Case019.D = { other: 1 }; // error
    export const literal: Case019.E = { m: 'a', n: 1, other: 'b' };
    export function read(e: Case019.E): string | number | undefined { return e['other'] ?? e.m; }
  `);
  provesCase('case-019', 'optional members next to a typed index signature compile', async () => {
    optional();
    expect(await typesOf(await indexed)).toContain('[key: string]: string | undefined;');
  });

  const content = refuses(`
    declare const a: v20241105.CallToolResult, b: v20250326.CallToolResult, c: v20250618.CallToolResult;
    declare const d: v20251125.CallToolResult, e: v20260728.CallToolResult;
    if (a.content[0]?.type === 'text') a.content[0].text satisfies string;
    if (b.content[0]?.type === 'text') b.content[0].text satisfies string;
    if (c.content[0]?.type === 'text') c.content[0].text satisfies string;
    if (d.content[0]?.type === 'text') d.content[0].text satisfies string;
    if (e.content[0]?.type === 'text') e.content[0].text satisfies string;
    if (e.content[0]?.type === 'image') void e.content[0].text; // error
    if (e.content[0] !== undefined) void e.content[0].text; // error
  `);
  provesCase('case-020', 'content of a tool result narrows on type without a cast', content);

  const constants = refuses(`
    v20241105.METHODS.TOOLS_CALL satisfies 'tools/call';
    v20250326.METHODS.TOOLS_CALL satisfies v20250326.RequestMethod;
    v20250618.METHODS.NOTIFICATIONS_MESSAGE satisfies v20250618.NotificationMethod;
    v20251125.METHODS.TOOLS_CALL satisfies 'tools/call';
    v20260728.METHODS.TOOLS_CALL satisfies 'tools/call';
    v20251125.METHODS.TOOLS_CALL satisfies v20251125.NotificationMethod; // error
    v20251125.METHODS.TOOLS_CALL = 'tools/call'; // error
  `);
  provesCase('case-021', 'method names are constants', constants);

  const handlers = refuses(`
    declare const h: () => never;
    export const a: v20241105.RequestHandlers<'server'> = { 'sampling/createMessage': h }; // error
    export const b: v20250326.RequestHandlers<'server'> = { 'sampling/createMessage': h }; // error
    export const c: v20250618.RequestHandlers<'server'> = { 'sampling/createMessage': h }; // error
    export const d: v20251125.RequestHandlers<'server'> = { 'sampling/createMessage': h }; // error
    export const e: v20260728.RequestHandlers<'server'> = { 'sampling/createMessage': h }; // error
    export const f: v20251125.RequestHandlers<'client'> = { 'sampling/createMessage': h };
    export const g: v20251125.RequestHandlers<'server'> = { 'tools/call': h, ping: h };
    export const i: v20251125.NotificationHandlers<'client'> = { 'notifications/initialized': h }; // error
  `);
  provesCase('case-022', 'a handler for a method that its side is never sent does not compile', handlers);

  const results = compiles(`
    type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
    export const a: Same<v20241105.ResultOf<'tools/list'>['tools'][0]['name'], string> = true;
    export const b: Same<v20250326.ResultOf<'tools/list'>['tools'][0]['name'], string> = true;
    export const c: Same<v20250618.ResultOf<'tools/list'>['tools'][0]['name'], string> = true;
    export const d: Same<v20251125.ResultOf<'tools/list'>['tools'][0]['name'], string> = true;
    export const e: Same<v20260728.ResultOf<'tools/list'>['tools'][0]['name'], string> = true;
    type Void = 'ping' | 'logging/setLevel' | 'resources/subscribe' | 'resources/unsubscribe';
    export const f: Same<v20241105.ResultOf<Void>, v20241105.EmptyResult> = true;
    export const g: Same<v20251125.ResultOf<Void>, v20251125.EmptyResult> = true;
    export const h: v20251125.ResultOf<'tasks/result'> = { content: [], anything: 1 };
  `);
  provesCase('case-023', 'every method has a result type', results);

  provesCase('case-024', 'text that would end a comment cannot: nothing of the schema runs', async () => {
    const hostile = 'glob a/*/b */ globalThis.pwned = 1 /*';
    const summary = 'Ends */ globalThis.pwned = 1 /* here.';
    const protocol = await loadProtocol({
      schema: schemaOf({
        ...PING,
        D: { type: 'string', description: hostile },
        E: {
          type: 'object',
          description: `${hostile}\n\n*/ globalThis.pwned = 2; //`,
          properties: { a: { type: 'string', description: hostile, default: hostile, pattern: hostile } },
        },
        F: { const: '*/ globalThis.pwned = 3 /* ${globalThis.pwned = 4} `\'"\\' },
      }),
      catalog: catalogOf([{ ...PING_ROW, summary, deprecated: summary }], [{ name: 'BROKEN', code: -1, summary }]),
    });
    const files = await filesOf(protocol);
    for (const [name, text] of Object.entries(files)) {
      // Files of the runtime that are copied have nothing of the schema.
      const copied = path.join(root, 'generated', name);
      if (name.startsWith('runtime/') && existsSync(copied) && readFileSync(copied, 'utf8') === text) continue;
      expect(syntaxErrors(text), name).toEqual([]);
      expect(withoutComments(text).replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, ''), name).not.toContain('pwned');
    }
    const context = vm.createContext({});
    const guards = Object.entries(runModules(files, context)).filter(([name]) => /^is[A-Z]/.test(name));
    expect(guards.length).toBeGreaterThan(10);
    for (const [, guard] of guards) (guard as (value: unknown) => boolean)({ a: hostile });
    expect(vm.runInContext('globalThis.pwned', context)).toBeUndefined();
    expect([...exportsOf(files['types.ts'] ?? '').kinds]).toEqual(['TypeAliasDeclaration']);
    expect(files['types.ts']).toContain('glob a/*\\/b *\\/ globalThis.pwned = 1 /*');
  });

  const unusual = smallProtocol({
    U: {
      type: 'object',
      properties: JSON.parse(
        '{"io.modelcontextprotocol/clientInfo":{"type":"object"},"$schema":{"type":"string"},"__proto__":{"type":"string"},"a\\"b\\n":{"type":"string"}}',
      ) as Schema,
      required: ['io.modelcontextprotocol/clientInfo'],
    },
  });
  compilation.types('Case025', unusual);
  const quoted = refuses(`
    declare const u: Case025.U;
    u['io.modelcontextprotocol/clientInfo'] satisfies object;
    u['__proto__'] satisfies string | undefined;
    u.$schema satisfies string | undefined;
    u['a"b\\n'] satisfies string | undefined;
    export const without: Case025.U = { $schema: 'a' }; // error
  `);
  provesCase('case-025', 'names that are not identifiers are quoted', async () => {
    quoted();
    expect(typeIn(await typesOf(await unusual), 'U')).toContain(
      "'io.modelcontextprotocol/clientInfo': { [key: string]: unknown };",
    );
    for (const generated of Object.values(GENERATED)) {
      const lent: unknown = JSON.parse('{"jsonrpc":"2.0","__proto__":{"id":1,"method":"ping"}}');
      expect(generated.classify(lent).kind).toBe('invalid');
      const notRequest: unknown = JSON.parse('{"jsonrpc":"2.0","method":"ping","__proto__":{"id":1}}');
      expect(generated.classify(notRequest).kind).toBe('notification');
    }
  });

  // That it compiles under these flags, and the matrix of compilers and layouts, are in the slow tests.
  provesCase('case-026', 'output needs none but erasable syntax and resolvable specifiers', async () => {
    const protocol = await loadProtocol({ revision: '2025-11-25' });
    for (const [importExtension, specifier] of [
      ['js', /^\.\.?\/[a-z/-]+\.js$/],
      ['ts', /^\.\.?\/[a-z/-]+\.ts$/],
      ['none', /^\.\.?\/[a-z/-]+$/],
    ] as const) {
      for (const text of Object.values(await filesOf(protocol, { importExtension }))) {
        const { importedFiles } = ts.preProcessFile(text);
        expect(importedFiles.map((file) => file.fileName).filter((name) => !specifier.test(name))).toEqual([]);
        expect(withoutComments(text)).not.toMatch(/\b(?:enum|namespace|module)\s+\w+\s*\{/);
      }
    }
  });

  provesCase('case-027', 'the same input produces the same bytes', async () => {
    const revision = '2025-11-25';
    const schema = schemaFile(revision);
    const load = async (contents: string): Promise<Readonly<Record<string, string>>> =>
      filesOf(await loadProtocol({ revision, schema: { name: 'schema.json', contents } }));
    const original = JSON.stringify(schema);
    const first = await load(original);
    expect(await load(original)).toEqual(first);

    const shuffled = JSON.stringify(reversed(schema));
    expect(shuffled).not.toBe(original);
    expect(values(await load(shuffled))).toEqual(values(first));

    const added = await load(JSON.stringify({ ...schema, $defs: { Middle: { type: 'object' }, ...schema.$defs } }));
    for (const [name, text] of Object.entries(first)) {
      expect(missingLines(body(text), body(added[name] ?? '')), name).toEqual([]);
    }
    expect(added['types.ts']).toContain('export type Middle =');
    expect(Object.values(first).join('\n')).not.toMatch(/\b20\d\d-\d\d-\d\dT|\bv?\d+\.\d+\.\d+\b/);
  });

  const either = smallProtocol({ Id: { type: ['string', 'integer'] } });
  compilation.types('Case028', either);
  const ids = refuses(`
    export const a: Case028.Id = 'a';
    export const b: Case028.Id = 1;
    export const c: Case028.Id = null; // error
    export const d: v20241105.RequestId = 1;
    export const e: v20260728.RequestId = true; // error
  `);
  provesCase('case-028', 'a list of types is a union', async () => {
    ids();
    expect(await typesOf(await either)).toContain('export type Id = string | number;');
    for (const { isRequest, isRequestId } of Object.values(GENERATED)) {
      const request = { jsonrpc: '2.0', method: 'ping' };
      expect([1, 'a', 0].every((id) => isRequest({ ...request, id }) && isRequestId(id))).toBe(true);
      expect([1.5, Infinity, NaN, null, true].some((id) => isRequest({ ...request, id }) || isRequestId(id))).toBe(
        false,
      );
    }
  });

  provesCase('case-029', 'members keep the names that they have on the wire', async () => {
    for (const revision of revisions) {
      const types = membersByType(generatedFile(revision, 'types'));
      const compared = Object.entries(schemaFile(revision).$defs).filter(([name, schema]) => {
        const named = types.get(name);
        const members = [...new Set([...Object.keys(schema.properties ?? {}), ...(schema.required ?? [])])];
        if (named === undefined || members.length === 0) return false;
        expect([...named].sort(), `${revision} ${name}`).toEqual(members.sort());
        return true;
      });
      expect(compared.length, revision).toBeGreaterThan(60);
      expect(types.get('Tool'), revision).toContain('inputSchema');
    }
    const names = ['snake_case', 'camelCase', 'PascalCase', 'kebab-case', 'UPPER', 'ünïcode', '1st'];
    const text = await typesOf(
      await smallProtocol({ N: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) } }),
    );
    expect([...(membersByType(text).get('N') ?? [])].sort()).toEqual([...names].sort());
  });

  const meta = compiles(`
    export const tool: v20250618.Tool = { name: 't', inputSchema: { type: 'object' }, _meta: { traceparent: '00-ab' } };
    export const newer: v20260728.Tool = { name: 't', inputSchema: { type: 'object' }, _meta: { traceparent: '00-ab' } };
    export const params: v20250618.ParamsOf<'ping'> = { _meta: { progressToken: 1, traceparent: '00-ab' } };
    export const result: v20250618.CallToolResult = { content: [], _meta: { traceparent: '00-ab' } };
  `);
  provesCase('case-030', 'metadata keeps members that the protocol does not know', () => {
    meta();
    const tool = { name: 't', inputSchema: { type: 'object' }, _meta: { traceparent: '00-ab' } };
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: [tool] } });
    const found = revision20250618.classify(JSON.parse(text), { strict: true });
    if (found.kind !== 'result') throw new Error(found.kind);
    expect(JSON.stringify(found.message)).toBe(text);
  });

  const codes = refuses(`
    export const a: v20260728.HeaderMismatchError['error']['code'] = -32020;
    export const b: v20260728.MissingRequiredClientCapabilityError['error']['code'] = -32021;
    export const c: v20260728.UnsupportedProtocolVersionError['error']['code'] = -32022;
    export const d: v20260728.UnsupportedProtocolVersionError['error']['code'] = -32004; // error
    export const e: v20260728.ErrorCode = -32001; // error
    export const f: v20251125.ErrorCode = -32022; // error
    v20260728.ERROR_CODES.HEADER_MISMATCH satisfies -32020;
  `);
  provesCase('case-112', 'error codes are those of the released revision', () => {
    codes();
    const common = {
      INTERNAL_ERROR: -32603,
      INVALID_PARAMS: -32602,
      INVALID_REQUEST: -32600,
      METHOD_NOT_FOUND: -32601,
      PARSE_ERROR: -32700,
    };
    // case-134: the specification's page on sampling names -1, the one on resources -32002; no schema does.
    const older = { ...common, RESOURCE_NOT_FOUND: -32002, USER_REJECTED: -1 };
    const expected: Readonly<Record<(typeof revisions)[number], Readonly<Record<string, number>>>> = {
      '2024-11-05': older,
      '2025-03-26': older,
      '2025-06-18': older,
      '2025-11-25': { ...older, URL_ELICITATION_REQUIRED: -32042 },
      '2026-07-28': {
        ...common,
        HEADER_MISMATCH: -32020,
        MISSING_REQUIRED_CLIENT_CAPABILITY: -32021,
        UNSUPPORTED_PROTOCOL_VERSION: -32022,
      },
    };
    for (const revision of revisions) {
      const { ERROR_CODES, errorName } = GENERATED[revision];
      expect(ERROR_CODES, revision).toEqual(expected[revision]);
      for (const [name, code] of Object.entries(ERROR_CODES)) expect(errorName(code)).toBe(name);
      for (const code of [0, -32001, -32003, -32004, NaN]) expect(errorName(code)).toBeUndefined();
      for (const file of ['types', 'methods', 'messages', 'guards', 'errors']) {
        expect(generatedFile(revision, file)).not.toMatch(/-3200[134]\b/);
      }
    }
  });
});

describe('guards', () => {
  provesCase('case-032', 'a message with a method and an id is not a notification', () => {
    for (const { isNotification, isRequest } of Object.values(GENERATED)) {
      const message = { jsonrpc: '2.0', id: 1, method: 'notifications/initialized' };
      expect(isNotification(message)).toBe(false);
      expect(isNotification({ ...message, id: null })).toBe(false);
      // It is a request by its envelope, and of the wrong kind by its method.
      expect(isRequest(message)).toBe(true);
      expect(isNotification({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBe(true);
    }
  });

  provesCase('case-033', 'rejects a notification with an id (-32600)', () => {
    for (const generated of [
      revision20241105,
      revision20250326,
      revision20250618,
      revision20251125,
    ] as readonly ByMethod[]) {
      const message = { jsonrpc: '2.0', id: 'u-1', method: 'notifications/initialized' } as const;
      expect(generated.lookupMethod(message, 'client')).toBe('wrongKind');
      expect(generated.lookupMethod(message, 'server')).toBe('wrongKind');
      expect(generated.hasMethod(message, 'notifications/initialized')).toBe(false);
      expect(generated.isClientNotification(message)).toBe(false);
      expect(generated.isClientRequest(message)).toBe(false);
    }
    for (const { ERROR_CODES } of Object.values(GENERATED)) expect(ERROR_CODES.INVALID_REQUEST).toBe(-32600);
  });

  provesCase('case-034', 'a message has exactly one of method, result and error', () => {
    for (const { classify } of Object.values(GENERATED)) {
      const reasons = [
        { method: 'ping', result: {} },
        { method: 'ping', error: { code: 1, message: '' } },
        { result: {}, error: { code: 1, message: '' } },
        {},
      ].map((members) => classify({ jsonrpc: '2.0', id: 1, ...members }));
      expect(reasons).toEqual([
        { kind: 'invalid', reason: 'method together with result or error' },
        { kind: 'invalid', reason: 'method together with result or error' },
        { kind: 'invalid', reason: 'result together with error' },
        { kind: 'invalid', reason: 'neither method, result nor error' },
      ]);
    }
  });

  provesCase('case-035', 'a guard on the method alone is called hasMethod', () => {
    const found = revision20251125.classify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
    if (found.kind !== 'request') throw new Error(found.kind);
    const { message } = found;
    expect(revision20251125.hasMethod(message, revision20251125.METHODS.INITIALIZE)).toBe(true);
    expect(generatedFile('2025-11-25', 'guards')).toMatch(
      /Does not check the params;[^]{0,80}\*\/\nexport function hasMethod/,
    );
    for (const revision of revisions) {
      // Each looks at the envelope, or at method and direction; none claims the params of a method.
      expect(guardsIn(revision), revision).toEqual([
        'isClientNotification',
        'isClientRequest',
        'isErrorResponse',
        'isNotification',
        'isRequest',
        'isResponse',
        'isResultResponse',
        'isServerNotification',
        'isServerRequest',
      ]);
      const claims = Object.entries<unknown>(GENERATED[revision]).filter(
        ([name, guard]) => /^is\w*Initialize/.test(name) && (guard as (value: unknown) => boolean)(message),
      );
      expect(claims, revision).toEqual([]);
    }
  });

  provesCase('case-036', 'a method is looked up by name', () => {
    const found = revision20251125.classify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId: 't' } });
    if (found.kind !== 'request') throw new Error(found.kind);
    const { message } = found;
    expect(
      Object.values(revision20251125.METHODS).filter((method) => revision20251125.hasMethod(message, method)),
    ).toEqual(['tasks/get']);
    expect(revision20251125.lookupMethod(message, 'client')).toBe('known');
    expect(revision20251125.lookupMethod(message, 'server')).toBe('known');
  });

  const byMethod = refuses(`
    export const tools: v20251125.ResultOf<'tools/list'> = { tools: 'not-an-array' }; // error
    export const known: v20251125.ResultOf<'tools/list'> = { tools: [] };
  `);
  provesCase('case-037', 'a result is typed by its method', () => {
    byMethod();
    for (const revision of revisions) {
      const byShape = guardsIn(revision).filter((name) => name.endsWith('Result'));
      expect(byShape, revision).toEqual([]);
    }
    // The envelope says no more than that it is a result.
    expect(revision20251125.classify({ jsonrpc: '2.0', id: 1, result: { tools: 'not-an-array' } }).kind).toBe('result');
  });

  const openResults = compiles(`
    export const a: v20241105.EmptyResult = { ok: true };
    export const b: v20250326.EmptyResult = { ok: true };
    export const c: v20250618.EmptyResult = { ok: true };
    export const d: v20251125.EmptyResult = { ok: true };
    export const e: v20260728.EmptyResult = { resultType: 'complete', ok: true };
  `);
  provesCase('case-038', 'an empty result may have any members', () => {
    openResults();
    for (const { classify } of Object.values(GENERATED)) {
      expect(classify({ jsonrpc: '2.0', id: 1, result: { ok: true } }, { strict: true }).kind).toBe('result');
    }
  });

  provesCase('case-039', 'an unknown method is reported with -32601', () => {
    for (const generated of Object.values(GENERATED)) {
      const found = generated.classify({ jsonrpc: '2.0', id: 9, method: 'totally/bogus' });
      if (found.kind !== 'request') throw new Error(found.kind);
      expect(generated.lookupMethod(found.message, 'client')).toBe('unknown');
      expect(generated.lookupMethod(found.message, 'server')).toBe('unknown');
      expect(generated.ERROR_CODES.METHOD_NOT_FOUND).toBe(-32601);
    }
    for (const revision of revisions) {
      expect(generatedFile(revision, 'guards')).toMatch(/`unknown`\s+\*?\s*\(respond to a request with -32601\)/);
    }
  });

  const reply = compiles(`
    const { INVALID_REQUEST } = v20251125.ERROR_CODES;
    export const reply: v20251125.ErrorResponse = { jsonrpc: '2.0', id: null, error: { code: INVALID_REQUEST, message: '' } };
  `);
  provesCase('case-040', 'JSON that is not JSON-RPC is invalid', () => {
    reply();
    for (const { classify, isErrorResponse, ERROR_CODES } of Object.values(GENERATED)) {
      expect(classify({ hello: 'world' })).toEqual({ kind: 'invalid', reason: 'jsonrpc is not 2.0' });
      const answer = {
        jsonrpc: '2.0',
        id: null,
        error: { code: ERROR_CODES.INVALID_REQUEST, message: 'Invalid request' },
      };
      expect(isErrorResponse(answer)).toBe(true);
      expect(answer.error.code).toBe(-32600);
    }
  });

  const openTool = compiles(`
    const vendor = { name: 't', inputSchema: { type: 'object' as const }, 'x-vendor': 1 };
    export const tool: v20251125.Tool = vendor;
  `);
  provesCase('case-043', 'a guard does not change its value', () => {
    openTool();
    const text =
      '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"},"x-vendor":1}]}}';
    for (const { classify, isResultResponse } of Object.values(GENERATED)) {
      const value = deepFreeze(JSON.parse(text));
      const found = classify(value);
      expect(found.kind === 'result' && found.message).toBe(value);
      expect(isResultResponse(value)).toBe(true);
      expect(JSON.stringify(value)).toBe(text);
    }
  });

  provesCase('case-044', 'strict rejects unknown members of the envelope', () => {
    for (const { classify, isRequest } of Object.values(GENERATED)) {
      const message = { jsonrpc: '2.0', id: 1, method: 'ping', trace: 'abc' };
      expect(classify(message).kind).toBe('request');
      expect(isRequest(message)).toBe(true);
      expect(classify(message, { strict: true })).toEqual({ kind: 'invalid', reason: 'an unknown member' });
    }
  });

  provesCase('case-045', 'jsonrpc must be the string 2.0 (-32600)', () => {
    for (const { classify } of Object.values(GENERATED)) {
      const versions: readonly object[] = [{ jsonrpc: '1.0' }, {}, { jsonrpc: 2 }, { jsonrpc: null }, { jsonrpc: '2' }];
      for (const version of versions) {
        expect(classify({ ...version, id: 1, method: 'ping' })).toEqual({
          kind: 'invalid',
          reason: 'jsonrpc is not 2.0',
        });
      }
    }
  });

  provesCase('case-046', 'inherited names are unknown methods', () => {
    for (const generated of Object.values(GENERATED)) {
      for (const method of ['constructor', '__proto__', 'hasOwnProperty', 'toString']) {
        const found = generated.classify(JSON.parse(JSON.stringify({ jsonrpc: '2.0', id: 1, method })));
        if (found.kind !== 'request') throw new Error(found.kind);
        expect(generated.lookupMethod(found.message, 'client')).toBe('unknown');
        expect(generated.lookupMethod(found.message, 'server')).toBe('unknown');
        expect(generated.isClientRequest(found.message)).toBe(false);
        expect(generated.isServerRequest(found.message)).toBe(false);
      }
    }
  });
});

describe('all cases', () => {
  test('each of these kinds has a test', () => {
    const all = cases('guard', 'typegen', 'schema-erratum').map((item) => item.id);
    expect(all.length).toBeGreaterThan(40);
    expect([...proven, ...BY_VALIDATORS, ...BY_OTHER_COMPILERS].sort()).toEqual([...all].sort());
    expect(ALSO_BY_VALIDATORS.filter((id) => !proven.has(id))).toEqual([]);
    const validation = readFileSync(path.join(root, 'test/validators/failures.test.ts'), 'utf8');
    expect([...BY_VALIDATORS, ...ALSO_BY_VALIDATORS].filter((id) => !validation.includes(`${id}: `))).toEqual([]);
    const compilers = readFileSync(path.join(root, 'test/generated/cases.slow.test.ts'), 'utf8');
    expect(BY_OTHER_COMPILERS.filter((id) => !compilers.includes(`${id}: `))).toEqual([]);
  });

  test('bring schemas whose types compile', () => {
    expect(compilation.typeErrors()).toEqual([]);
  });
});

function definition(protocol: Protocol, name: string): Protocol['definitions'][number] | undefined {
  return protocol.definitions.find((item) => item.name === name);
}

/** Names of the guards on messages. Deep guards of definitions are in another file. */
function guardsIn(revision: string): readonly string[] {
  return [...generatedFile(revision, 'guards').matchAll(/^export function (is\w+)/gm)]
    .map((match) => match[1] ?? '')
    .sort();
}

/** Runs the files of a protocol as modules in a separate context. Returns the exports of the index. */
function runModules(files: Readonly<Record<string, string>>, context: vm.Context): Readonly<Record<string, unknown>> {
  const modules = new Map<string, { exports: Record<string, unknown> }>();
  const load = (specifier: string, folder: string): Record<string, unknown> => {
    const name = path.posix
      .join(folder, specifier)
      .replace(/^\.\.\//, '')
      .replace(/\.js$/, '.ts');
    const loaded = modules.get(name);
    if (loaded !== undefined) return loaded.exports;
    const module = { exports: {} };
    modules.set(name, module);
    const text = files[name];
    if (text === undefined) throw new Error(`there is no file ${name}`);
    const { code } = transformSync(text, { loader: 'ts', format: 'cjs', target: 'node20' });
    const run = vm.runInContext(`(function (module, require) {${code}\n})`, context) as (
      module: object,
      require: (specifier: string) => object,
    ) => void;
    run(module, (imported) => load(imported, path.posix.dirname(name)));
    return module.exports;
  };
  return load('./index.js', '.');
}

function syntaxErrors(text: string): readonly string[] {
  const { diagnostics } = ts.transpileModule(text, { reportDiagnostics: true });
  return (diagnostics ?? []).map((diagnostic) => ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
}

function withoutComments(text: string): string {
  const scanner = ts.createScanner(ts.ScriptTarget.ES2022, true, ts.LanguageVariant.Standard, text);
  const tokens: string[] = [];
  while (scanner.scan() !== ts.SyntaxKind.EndOfFileToken) tokens.push(scanner.getTokenText());
  return tokens.join(' ');
}

/** Names of the members of each exported object type. */
function membersByType(text: string): ReadonlyMap<string, readonly string[]> {
  const source = ts.createSourceFile('types.ts', text, ts.ScriptTarget.ES2022);
  return new Map(
    source.statements.flatMap((statement): [string, readonly string[]][] => {
      if (!ts.isTypeAliasDeclaration(statement) || !ts.isTypeLiteralNode(statement.type)) return [];
      const names = statement.type.members.flatMap((member) => {
        if (!ts.isPropertySignature(member)) return [];
        return ts.isIdentifier(member.name) || ts.isStringLiteral(member.name) ? [member.name.text] : ['?'];
      });
      return [[statement.name.text, names]];
    }),
  );
}

/** The same value, the members of each object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
}

function values(files: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(files).map(body);
}

/** Lines of a text that another one does not hold in the same order. */
function missingLines(text: string, longer: string): readonly string[] {
  const lines = longer.split('\n');
  let at = 0;
  return text.split('\n').filter((line) => {
    const found = lines.indexOf(line, at);
    if (found === -1) return true;
    at = found + 1;
    return false;
  });
}

function deepFreeze(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
