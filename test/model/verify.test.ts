import { describe, expect, test } from 'vitest';
import { loadProtocol, McpgenError } from '../../generator/index.js';
import { catalogFile, draftCatalog } from '../../generator/model/catalog/draft.js';
import { deriveMethods } from '../../generator/model/catalog/derive.js';
import { parseDefinitions } from '../../generator/model/schema/definitions.js';
import { verifyCatalog } from '../../generator/model/catalog/verify.js';
import { readSchemaWithoutCatalog } from '../../generator/model/load.js';
import {
  builtinCatalog,
  builtinCatalogs,
  builtinErrata,
  builtinSchema,
} from '../../generator/read/builtin/revisions.js';
import type { Catalog, CatalogMethod } from '../../generator/read/catalog.js';
import { builtinDocs, NO_DOCS } from '../../generator/read/builtin/docs.js';
import { applyErrata } from '../../generator/read/errata.js';
import type { JsonObject } from '../../generator/read/json/json.js';
import { REVISIONS } from '../support/revisions.js';

const PLACES = { schema: 'schema.json', catalog: 'catalog.json' };

function read(revision: string, change: (definitions: Record<string, unknown>) => void = () => undefined) {
  const raw = structuredClone(builtinSchema(revision)['$defs']) as unknown as Record<string, unknown>;
  change(raw);
  const { definitions } = applyErrata(raw as unknown as JsonObject, revision, builtinErrata(), PLACES.schema);
  const parsed = parseDefinitions(definitions, builtinDocs(revision), PLACES.schema).definitions;
  const traits = builtinCatalog(revision).traits ?? {};
  return { definitions: parsed, derived: { ...deriveMethods(parsed, { traits }), traits } };
}

function disagreements(
  revision: string,
  changes: { catalog?: (catalog: Catalog) => Catalog; schema?: (definitions: Record<string, unknown>) => void },
): readonly string[] {
  const { definitions, derived } = read(revision, changes.schema);
  const catalog = (changes.catalog ?? ((same) => same))(builtinCatalog(revision));
  return verifyCatalog(catalog, definitions, derived, PLACES).map(
    (item) => `${item.message} | ${item.schemaPlace} | ${item.catalogPlace}`,
  );
}

function withRow(catalog: Catalog, method: string, change: Partial<CatalogMethod>): Catalog {
  return { ...catalog, methods: catalog.methods.map((row) => (row.method === method ? { ...row, ...change } : row)) };
}

describe.each(REVISIONS)('catalog of $revision', ({ revision, methods }) => {
  test('agrees with the schema both ways', () => {
    expect(disagreements(revision, {})).toEqual([]);
  });

  test(`derives all ${methods} methods from the schema`, () => {
    const { derived } = read(revision);
    expect(derived.methods).toHaveLength(methods);
    expect(derived.unplaced).toEqual([]);
    for (const method of derived.methods) {
      expect(method.kind).toBeDefined();
      expect(method.direction).toBeDefined();
      if (method.kind === 'request') expect(method.results).toBeDefined();
    }
  });

  test('a draft from the schema has the same rows', () => {
    const contents = JSON.stringify(builtinSchema(revision));
    const reading = readSchemaWithoutCatalog({ name: 'schema.json', contents }, revision);
    const { catalog } = draftCatalog(reading, builtinCatalogs(), { revision });
    expect(JSON.parse(JSON.stringify(catalogFile(catalog)))).toMatchObject({
      methods: JSON.parse(JSON.stringify(builtinCatalog(revision).methods)) as unknown[],
    });
  });

  test('every single wrong cell of every row is found', () => {
    const catalog = builtinCatalog(revision);
    const { definitions, derived } = read(revision);
    const missed: string[] = [];
    for (const row of catalog.methods) {
      const wrong: Partial<CatalogMethod>[] = [
        { kind: row.kind === 'request' ? 'notification' : 'request' },
        { direction: row.direction === 'both' ? 'clientToServer' : 'both' },
        { direction: row.direction === 'embedded' ? 'serverToClient' : 'embedded' },
        { message: 'Tool' },
        { params: 'Tool' },
        { params: null },
        { taskResult: row.taskResult === undefined ? 'Result' : 'Tool' },
        { capability: 'server.nothing' },
        ...(row.kind === 'request' ? [{ result: 'Tool' }, { result: 'Missing' }] : []),
      ];
      for (const change of wrong) {
        const found = verifyCatalog(withRow(catalog, row.method, change), definitions, derived, PLACES);
        if (found.length === 0) missed.push(`${row.method}: ${JSON.stringify(change)}`);
      }
    }
    expect(missed).toEqual([]);
  });

  test('reports each wrong row', () => {
    const [first] = builtinCatalog(revision).methods;
    const without = disagreements(revision, { catalog: (c) => ({ ...c, methods: c.methods.slice(1) }) });
    expect(without).toHaveLength(1);
    expect(without[0]).toContain(`no row for "${first?.method ?? ''}"`);
    const extra = disagreements(revision, {
      catalog: (c) => ({ ...c, methods: [...c.methods, { ...c.methods[0], method: 'no/such' } as CatalogMethod] }),
    });
    expect(extra.join()).toContain('no definition has the method "no/such"');
  });
});

test('a disagreement names both places', () => {
  expect(disagreements('2025-11-25', { catalog: (c) => withRow(c, 'tools/call', { direction: 'both' }) })).toEqual([
    'tools/call: the catalog has direction both, the schema has clientToServer | schema.json#/$defs/CallToolRequest | catalog.json#/methods/29/direction',
  ]);
});

test('error codes that the schema pins are compared with the catalog both ways', () => {
  const change = (code: number) => (c: Catalog) => ({
    ...c,
    errors: c.errors.map((error) => (error.name === 'HEADER_MISMATCH' ? { ...error, code } : error)),
  });
  expect(disagreements('2026-07-28', { catalog: change(-32001) }).join()).toContain(
    'HEADER_MISMATCH: the catalog has -32001, HeaderMismatchError has -32020',
  );
  expect(disagreements('2026-07-28', { catalog: (c) => ({ ...c, errors: c.errors.slice(1) }) }).join()).toContain(
    'no error for HeaderMismatchError',
  );
});

test.each<[string, (catalog: Catalog) => Catalog, readonly string[]]>([
  [
    'an error whose definition has no code',
    (c) => ({ ...c, errors: [{ name: 'ODD', code: -32099, summary: '', definition: 'Tool' }, ...c.errors] }),
    ['ODD: "Tool" has no constant error code | schema.json#/$defs/Tool | catalog.json#/errors/0/definition'],
  ],
  [
    'an error whose definition does not exist',
    (c) => ({ ...c, errors: [{ name: 'ODD', code: -32099, summary: '', definition: 'Nowhere' }, ...c.errors] }),
    ['ODD: "Nowhere" has no constant error code | schema.json#/$defs | catalog.json#/errors/0/definition'],
  ],
  [
    'a result that does not exist',
    (c) => withRow(c, 'tools/call', { result: 'Nowhere' }),
    [
      'tools/call: the catalog has result Nowhere, the schema has CallToolResult | InputRequiredResult | schema.json#/$defs/CallToolRequest | catalog.json#/methods/19/result',
      'tools/call: the result "Nowhere" is not a definition | schema.json#/$defs | catalog.json#/methods/19/result',
    ],
  ],
  [
    'a capability that does not exist',
    (c) => withRow(c, 'tools/call', { capability: 'server.nothing' }),
    [
      'tools/call: no definition of capabilities has server.nothing | schema.json#/$defs/ServerCapabilities | catalog.json#/methods/19/capability',
    ],
  ],
  [
    'another kind',
    (c) => withRow(c, 'tools/call', { kind: 'notification' }),
    [
      'tools/call: the catalog has kind notification, the schema has request | schema.json#/$defs/CallToolRequest | catalog.json#/methods/19/kind',
    ],
  ],
  [
    'no params',
    (c) => withRow(c, 'tools/call', { params: null }),
    [
      'tools/call: the catalog has params none, the schema has CallToolRequestParams | schema.json#/$defs/CallToolRequest | catalog.json#/methods/19/params',
    ],
  ],
])('%s is reported with its places', (_, catalog, expected) => {
  expect(disagreements('2026-07-28', { catalog })).toEqual(expected);
});

test('new and renamed methods are found', () => {
  const rename = disagreements('2025-11-25', {
    schema: (definitions) => {
      const request = definitions['CallToolRequest'] as { properties: { method: { const: string } } };
      request.properties.method.const = 'tools/run';
    },
  });
  expect(rename).toEqual([
    'the catalog has no row for "tools/run", which CallToolRequest defines | schema.json#/$defs/CallToolRequest | catalog.json#/methods',
    'no definition has the method "tools/call" of the catalog | schema.json#/$defs | catalog.json#/methods/29',
  ]);
  const twins = disagreements('2025-11-25', {
    schema: (definitions) => {
      definitions['RunToolRequest'] = definitions['CallToolRequest'];
    },
  });
  expect(twins.join()).toContain('two definitions have the method "tools/call": CallToolRequest and RunToolRequest');
});

test('a message that moves from one union to another is found', () => {
  const moved = disagreements('2025-11-25', {
    schema: (definitions) => {
      const { anyOf } = definitions['ServerRequest'] as { anyOf: unknown[] };
      anyOf.push({ $ref: '#/$defs/CallToolRequest' });
    },
  });
  expect(moved).toEqual([
    'tools/call: the catalog has direction clientToServer, the schema has both | schema.json#/$defs/CallToolRequest | catalog.json#/methods/29/direction',
  ]);
});

describe('a request whose result the schema does not define', () => {
  const withResult = (...result: readonly string[]): readonly string[] =>
    disagreements('2025-11-25', {
      schema: (definitions) => {
        for (const name of ['FirstResult', 'SecondResult']) definitions[name] = { type: 'object' };
      },
      catalog: (c) => withRow(c, 'ping', { result }),
    });

  test('may have several results that belong to no other request', () => {
    expect(withResult('FirstResult', 'SecondResult')).toEqual([]);
  });

  test('may not have one that belongs to another request among them', () => {
    expect(withResult('FirstResult', 'CallToolResult')).toEqual([
      expect.stringContaining('ping: the catalog has result FirstResult | CallToolResult, the schema has EmptyResult'),
    ]);
  });
});

test.each<[number, RegExp]>([
  [
    1,
    /^catalog and schema differ in one point:\n {2}the catalog has no row for "completion\/complete"[^\n]*\n {4}[^\n]*\n {4}[^\n]*$/,
  ],
  [2, /differ in 2 points:[^]*completion\/complete[^]*elicitation\/create/],
  [22, /differ in 22 points:[^]*\n {2}and 2 more$/],
])('loading names %i disagreements in one message', async (count, message) => {
  const catalog = { ...builtinCatalog('2025-11-25'), methods: builtinCatalog('2025-11-25').methods.slice(count) };
  const loading = loadProtocol({
    revision: '2025-11-25',
    schema: { name: 'schema.json', contents: JSON.stringify(builtinSchema('2025-11-25')) },
    catalog: { name: 'catalog.json', contents: JSON.stringify(catalog) },
  });
  const error: unknown = await loading.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(McpgenError);
  expect((error as McpgenError).message).toMatch(message);
});

test('case-006: the second definition of a literal is an alias', async () => {
  const { derived } = read('2026-07-28');
  expect(derived.aliases).toEqual(new Map([['ClientNotification', 'CancelledNotification']]));
  expect(derived.methods.filter((method) => method.method === 'notifications/cancelled')).toHaveLength(1);
  const protocol = await loadProtocol({ revision: '2026-07-28' });
  const alias = protocol.definitions.find((definition) => definition.name === 'ClientNotification');
  expect(alias?.type).toEqual({ kind: 'ref', name: 'CancelledNotification' });
});

test('the kind of a message in no union is that of its id or its name', () => {
  const message = (method: string, more = {}): unknown => ({
    type: 'object',
    properties: { method: { const: method, type: 'string' }, ...more },
    required: ['method'],
  });
  const { definitions } = parseDefinitions(
    {
      FooNotification: message('a'),
      NotificationOfFoo: message('b'),
      FooRequest: message('c'),
      RequestOfFoo: message('d'),
      Numbered: message('e', { id: { type: 'integer' } }),
    } as unknown as JsonObject,
    NO_DOCS,
    's.json',
  );
  const { methods } = deriveMethods(definitions, { traits: {} });
  expect(Object.fromEntries(methods.map(({ method, kind }) => [method, kind]))).toEqual({
    a: 'notification',
    b: undefined,
    c: 'request',
    d: undefined,
    e: 'request',
  });
});

test('case-011: a message in no union stops generation', async () => {
  const schema = {
    $defs: {
      FooRequest: {
        type: 'object',
        properties: { method: { const: 'foo/bar', type: 'string' } },
        required: ['method'],
      },
      FooResult: { type: 'object' },
      BarRequest: { type: 'object', properties: { method: { const: 'bar', type: 'string' } }, required: ['method'] },
      BarResult: { type: 'object' },
      ClientRequest: { anyOf: [{ $ref: '#/$defs/BarRequest' }] },
    },
  };
  const { definitions } = parseDefinitions(schema.$defs, NO_DOCS, 's.json');
  const traits = builtinCatalog('2026-07-28').traits ?? {};
  expect(deriveMethods(definitions, { traits }).unplaced).toEqual(['FooRequest']);
  const catalog = {
    protocol: 'Foo',
    revision: 'r1',
    lifecycle: 'stateless',
    batches: false,
    methods: [
      {
        method: 'foo/bar',
        kind: 'request',
        direction: 'clientToServer',
        message: 'FooRequest',
        params: null,
        result: 'FooResult',
        capability: null,
        summary: 'Foos.',
      },
      {
        method: 'bar',
        kind: 'request',
        direction: 'clientToServer',
        message: 'BarRequest',
        params: null,
        result: 'BarResult',
        capability: null,
        summary: 'Bars.',
      },
    ],
    errors: [],
  };
  await expect(
    loadProtocol({
      schema: { name: 's.json', contents: JSON.stringify(schema) },
      catalog: { name: 'c.json', contents: JSON.stringify(catalog) },
    }),
  ).rejects.toThrow(/foo\/bar: the catalog has direction clientToServer, the schema has none/);
});
