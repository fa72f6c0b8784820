import { describe, expect, test } from 'vitest';
import { loadProtocol, McpgenError } from '../../generator/index.js';
import { builtinCatalog, builtinErrata, builtinSchema } from '../../generator/read/builtin/revisions.js';
import { applyErrata, type Erratum } from '../../generator/read/errata.js';
import { isObject, type JsonObject, type JsonValue } from '../../generator/read/json/json.js';
import { REVISIONS } from '../support/revisions.js';

function definitionsOf(revision: string): JsonObject {
  return builtinSchema(revision)['$defs'] as JsonObject;
}

const bounds: Erratum = {
  id: 'bounds',
  summary: 'A test.',
  source: 'nowhere',
  status: 'open',
  changes: [{ revision: 'r', at: ['/$defs/N/properties/minimum/type'], old: 'integer', new: 'number' }],
};

const schemaWith = (type: JsonValue): JsonObject => ({ N: { properties: { minimum: { type } } } });

describe('applying', () => {
  test('replaces the value without changing the input', () => {
    const input = schemaWith('integer');
    const { definitions, applied } = applyErrata(input, 'r', [bounds], 's.json');
    expect(definitions).toEqual(schemaWith('number'));
    expect(input).toEqual(schemaWith('integer'));
    expect(applied.map((erratum) => erratum.id)).toEqual(['bounds']);
  });

  test('adds what is missing only where nothing is there', () => {
    const adding: Erratum = { ...bounds, changes: [{ revision: 'r', at: ['/$defs/N/additionalProperties'], new: {} }] };
    expect(applyErrata(schemaWith('number'), 'r', [adding], 's.json').definitions).toEqual({
      N: { properties: { minimum: { type: 'number' } }, additionalProperties: {} },
    });
    const taken = { N: { additionalProperties: false } };
    expect(() => applyErrata(taken, 'r', [adding], 's.json')).toThrow(McpgenError);
  });

  test('case-005: rejects an erratum whose old value is missing', () => {
    let error: unknown;
    try {
      applyErrata(schemaWith('number'), 'r', [bounds], 's.json');
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(McpgenError);
    const text = (error as McpgenError).format();
    expect(text).toContain('s.json#/$defs/N/properties/minimum/type');
    expect(text).toContain('expects "integer" here and found "number", which is already right');
    expect(text).toContain('retire the erratum');
  });

  test('a third value is an error even for one that is fixed upstream', () => {
    expect(() => applyErrata(schemaWith('string'), 'r', [{ ...bounds, status: 'fixed' }], 's.json')).toThrow(
      /found "string"/,
    );
  });

  test('skips an erratum that is fixed upstream', () => {
    const fixed: Erratum = { ...bounds, status: 'fixed' };
    expect(applyErrata(schemaWith('number'), 'r', [fixed], 's.json').applied).toEqual([]);
    expect(applyErrata(schemaWith('integer'), 'r', [fixed], 's.json').definitions).toEqual(schemaWith('number'));
  });

  test('other revisions are left alone', () => {
    expect(applyErrata(schemaWith('integer'), 'other', [bounds], 's.json').applied).toEqual([]);
  });

  test.each([
    ['gone', {}],
    ['text', { N: { properties: 'none' } }],
    ['null', { N: { properties: null } }],
  ])('a member is not added to a place that is %s', (_, definitions) => {
    const adding: Erratum = { ...bounds, changes: [{ revision: 'r', at: ['/$defs/N/properties/a'], new: {} }] };
    expect(() => applyErrata(definitions, 'r', [adding], 's.json')).toThrow(
      /^erratum bounds expects nothing here and found nothing$/,
    );
    const skipped = applyErrata(definitions, 'r', [adding], 's.json', 'skip');
    expect(skipped).toEqual({ definitions, applied: [] });
  });

  test('a third value is skipped in a schema that is only similar', () => {
    const skipped = applyErrata(schemaWith('string'), 'r', [bounds], 's.json', 'skip');
    expect(skipped).toEqual({ definitions: schemaWith('string'), applied: [] });
  });

  test('a third value is shown by its first 120 characters, with what to do', () => {
    let error: unknown;
    try {
      applyErrata(schemaWith('x'.repeat(1000)), 'r', [bounds], 's.json');
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({
      message: `erratum bounds expects "integer" here and found "${'x'.repeat(119)}`,
      remedy: expect.stringMatching(/^The file differs from the one that the erratum was written for/) as string,
    });
  });

  test('replaces one item of a list', () => {
    const item: Erratum = { ...bounds, changes: [{ revision: 'r', at: ['/$defs/N/enum/1'], old: 'b', new: 'c' }] };
    expect(applyErrata({ N: { enum: ['a', 'b'] } }, 'r', [item], 's.json').definitions).toEqual({
      N: { enum: ['a', 'c'] },
    });
  });
});

describe('the built-in errata', () => {
  test.each(REVISIONS)('$revision: all open ones apply to the official file', ({ revision }) => {
    const open = builtinErrata().filter(
      (erratum) => erratum.status === 'open' && erratum.changes.some((change) => change.revision === revision),
    );
    const { applied } = applyErrata(definitionsOf(revision), revision, builtinErrata(), 's.json');
    expect(applied.map((erratum) => erratum.id)).toEqual(open.map((erratum) => erratum.id));
  });

  test('the params of every message may have `_meta`', async () => {
    for (const { revision } of REVISIONS) {
      const { methods } = await loadProtocol({ revision });
      const { definitions } = applyErrata(definitionsOf(revision), revision, builtinErrata(), 's.json');
      const without = methods
        .filter((method) => method.direction !== 'embedded')
        .filter((method) => !hasMeta(definitions, { $ref: `#/$defs/${method.message}` }, ['params', '_meta']))
        .map((method) => method.name);
      expect(without).toEqual([]);
    }
  });

  test('integers are only used for counts, codes, lengths and ids', () => {
    // Checked against the specification one by one: each of these is a count, a length, a code or an id.
    const whole = new Set([
      'CompleteResult.completion.total',
      'CreateMessageRequest.params.maxTokens',
      'CreateMessageRequestParams.maxTokens',
      'ProgressToken',
      'RequestId',
      'Resource.size',
      'ResourceLink.size',
      'StringSchema.maxLength',
      'StringSchema.minLength',
      'Task.pollInterval',
      'Task.ttl',
      'TaskMetadata.ttl',
      'TitledMultiSelectEnumSchema.maxItems',
      'TitledMultiSelectEnumSchema.minItems',
      'UntitledMultiSelectEnumSchema.maxItems',
      'UntitledMultiSelectEnumSchema.minItems',
    ]);
    for (const { revision } of REVISIONS) {
      const { definitions } = applyErrata(definitionsOf(revision), revision, builtinErrata(), 's.json');
      const found = Object.entries(definitions).flatMap(([name, schema]) => integersIn(schema, name));
      expect(found.filter((at) => !whole.has(at) && !/\.(?:code|ttlMs)$/.test(at))).toEqual([]);
    }
  });

  test('each names a source in the specification', () => {
    for (const erratum of builtinErrata()) {
      expect(erratum.source.length).toBeGreaterThan(10);
      expect(erratum.summary).toMatch(/\.$/);
    }
  });
});

function hasMeta(definitions: JsonObject, schema: JsonValue | undefined, names: readonly string[]): boolean {
  if (!isObject(schema)) return false;
  const [name, ...rest] = names;
  if (name === undefined) return true;
  const ref = schema['$ref'];
  if (typeof ref === 'string') return hasMeta(definitions, definitions[ref.slice('#/$defs/'.length)], names);
  const variants = schema['anyOf'];
  if (Array.isArray(variants))
    return (variants as JsonValue[]).every((variant) => hasMeta(definitions, variant, names));
  const parts = schema['allOf'];
  if (Array.isArray(parts)) return (parts as JsonValue[]).some((part) => hasMeta(definitions, part, names));
  const properties = schema['properties'];
  return isObject(properties) && Object.hasOwn(properties, name) && hasMeta(definitions, properties[name], rest);
}

describe('a draft that is no official file', () => {
  const revision = '2026-07-28';
  const draft = { $defs: { ...definitionsOf(revision), Another: { type: 'string' } } };
  const options = {
    revision: 'draft',
    schema: { name: 'draft.json', contents: JSON.stringify(draft) },
    catalog: { name: 'catalog.json', contents: JSON.stringify({ ...builtinCatalog(revision), revision: 'draft' }) },
  };
  const open = builtinErrata().filter(
    ({ status, changes }) => status === 'open' && changes.some((change) => change.revision === revision),
  );

  test('gets the errata of the most similar revision', async () => {
    expect(open.length).toBeGreaterThan(0);
    expect((await loadProtocol(options)).errata.map(({ id }) => id)).toEqual(open.map(({ id }) => id));
    const fixed = { $defs: { ...draft.$defs, JSONValue: { type: 'string' } } };
    const schema = { name: 'draft.json', contents: JSON.stringify(fixed) };
    expect((await loadProtocol({ ...options, schema })).errata.map(({ id }) => id)).not.toContain('json-value');
  });

  test('gets none with --no-errata', async () => {
    expect((await loadProtocol({ ...options, errata: false })).errata).toEqual([]);
  });
});

function integersIn(schema: JsonValue, at: string): readonly string[] {
  if (!isObject(schema)) return [];
  const { type } = schema;
  const own = [type].flat().includes('integer') ? [at] : [];
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const lists = ['anyOf', 'allOf'].flatMap((key) => (Array.isArray(schema[key]) ? (schema[key] as JsonValue[]) : []));
  return [
    ...own,
    ...properties.flatMap(([name, item]) => integersIn(item, `${at}.${name}`)),
    ...lists.flatMap((item) => integersIn(item, at)),
    ...['items', 'additionalProperties'].flatMap((key) =>
      schema[key] === undefined ? [] : integersIn(schema[key], at),
    ),
  ];
}
