import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  classify,
  EMBEDDED_METHODS,
  ERROR_CODES,
  errorName,
  hasMethod,
  isClientNotification,
  isClientRequest,
  isErrorResponse,
  isNotification,
  isRequest,
  isResponse,
  isResultResponse,
  isServerNotification,
  isServerRequest,
  lookupMethod,
  METHODS,
  requiresInput,
} from '../../generated/2026-07-28/index.js';
import type { Catalog, CatalogMethod } from '../../generator/read/catalog.js';
import { requireReferenceMaterial, officialExamples } from '../support/reference-material.js';
import { errorsByLine } from '../support/type-equality.js';

const root = path.resolve(import.meta.dirname, '../..');
const types = path.join(root, 'generated/2026-07-28/types.ts');
const catalog = JSON.parse(readFileSync(path.join(root, 'schema/2026-07-28/catalog.json'), 'utf8')) as Catalog;
const rows = new Map(catalog.methods.map((row) => [row.message, row]));

/** Errors that the schema defines as whole responses; the others are the `error` of a response. */
const WHOLE_ERRORS: readonly string[] = ['MissingRequiredClientCapabilityError', 'UnsupportedProtocolVersionError'];

type Role = 'request' | 'notification' | 'embedded' | 'resultResponse' | 'errorResponse' | 'error' | 'result' | 'part';

/** What an example is, by the name of its definition alone. */
function roleOf(definition: string): Role {
  const row = rows.get(definition);
  if (row !== undefined) return row.direction === 'embedded' ? 'embedded' : row.kind;
  if (WHOLE_ERRORS.includes(definition)) return 'errorResponse';
  if (definition.endsWith('ResultResponse')) return 'resultResponse';
  if (definition.endsWith('Error')) return 'error';
  return definition.endsWith('Result') ? 'result' : 'part';
}

const examples = officialExamples().map((example) => ({
  ...example,
  title: `${example.definition}/${example.name}`,
  role: roleOf(example.definition),
}));

/** The examples of some roles, each after its title. */
function ofRole(...roles: readonly Role[]): readonly (readonly [string, (typeof examples)[number]])[] {
  return examples.filter(({ role }) => roles.includes(role)).map((example) => [example.title, example]);
}

function rowOf(definition: string): CatalogMethod {
  const row = rows.get(definition);
  if (row === undefined) throw new Error(`the catalog has no row for ${definition}`);
  return row;
}

/** The message guards that hold for a value: by name, so that a failure says which. */
function guardsThatHold(value: unknown): readonly string[] {
  const onUnknown = { isRequest, isNotification, isResultResponse, isErrorResponse, isResponse };
  const onMessages = { isClientRequest, isServerRequest, isClientNotification, isServerNotification };
  const held = Object.entries(onUnknown).flatMap(([name, guard]) => (guard(value) ? [name] : []));
  const found = classify(value);
  if (found.kind === 'invalid') return held;
  return [...held, ...Object.entries(onMessages).flatMap(([name, guard]) => (guard(found.message) ? [name] : []))];
}

/** The methods to which a value narrows. */
function methodsOf(value: unknown): readonly string[] {
  const found = classify(value, { strict: true });
  if (found.kind === 'invalid') return [];
  return Object.values(METHODS).filter((method) => hasMethod(found.message, method));
}

describe('official examples of 2026-07-28', () => {
  test('are of every role that this file tells apart', (context) => {
    requireReferenceMaterial(context);
    const roles = new Set(examples.map((example) => example.role));
    const all: readonly Role[] = [
      'request',
      'notification',
      'embedded',
      'resultResponse',
      'errorResponse',
      'error',
      'result',
      'part',
    ];
    expect([...roles].sort()).toEqual([...all].sort());
  });

  test.each(ofRole('request', 'notification'))('%s: classified, and narrowed to its own method only', (_, example) => {
    const row = rowOf(example.definition);
    const found = classify(example.value, { strict: true });
    expect(found.kind).toBe(row.kind);
    expect(methodsOf(example.value)).toEqual([row.method]);
    const senders = row.direction === 'both' ? (['client', 'server'] as const) : [sender(row)];
    const kind = row.kind === 'request' ? 'Request' : 'Notification';
    expect(guardsThatHold(example.value)).toEqual([
      `is${kind}`,
      ...senders.map((side) => `is${side === 'client' ? 'Client' : 'Server'}${kind}`),
    ]);
    if (found.kind !== 'request' && found.kind !== 'notification') throw new Error('not a message');
    for (const side of ['client', 'server'] as const) {
      expect(lookupMethod(found.message, side)).toBe(senders.includes(side) ? 'known' : 'wrongDirection');
    }
  });

  test.each(ofRole('embedded'))('%s: an embedded request is no message', (_, example) => {
    const row = rowOf(example.definition);
    expect(example.value).toMatchObject({ method: row.method });
    expect(classify(example.value)).toEqual({ kind: 'invalid', reason: 'jsonrpc is not 2.0' });
    expect(guardsThatHold(example.value)).toEqual([]);
    expect(Object.values(EMBEDDED_METHODS)).toContain(row.method);
    // Not even with an envelope around it.
    const wrapped = { jsonrpc: '2.0', id: 1, ...(example.value as object) };
    expect(guardsThatHold(wrapped)).toEqual(['isRequest']);
    expect(methodsOf(wrapped)).toEqual([]);
  });

  test.each(ofRole('resultResponse'))('%s: a response with a result that is complete', (_, example) => {
    expect(guardsThatHold(example.value)).toEqual(['isResultResponse', 'isResponse']);
    expect(classify(example.value, { strict: true }).kind).toBe('result');
    expect(methodsOf(example.value)).toEqual([]);
    if (isResultResponse(example.value)) expect(requiresInput(example.value.result)).toBe(false);
  });

  test.each(ofRole('errorResponse'))('%s: a response with an error whose code has a name', (_, example) => {
    expect(guardsThatHold(example.value)).toEqual(['isErrorResponse', 'isResponse']);
    expect(classify(example.value, { strict: true }).kind).toBe('error');
    if (isErrorResponse(example.value)) expectNamed(example.value.error.code, example.definition);
  });

  test.each(ofRole('error'))('%s: an error that makes a response, and whose code has a name', (_, example) => {
    expect(guardsThatHold(example.value)).toEqual([]);
    const response: unknown = { jsonrpc: '2.0', id: 1, error: example.value };
    expect(guardsThatHold(response)).toEqual(['isErrorResponse', 'isResponse']);
    if (isErrorResponse(response)) expectNamed(response.error.code, example.definition);
  });

  test.each(ofRole('result'))('%s: a result that makes a response, and says if it asks for input', (_, example) => {
    expect(guardsThatHold(example.value)).toEqual([]);
    const response: unknown = { jsonrpc: '2.0', id: 'a', result: example.value };
    expect(guardsThatHold(response)).toEqual(['isResultResponse', 'isResponse']);
    if (isResultResponse(response)) {
      expect(requiresInput(response.result)).toBe(example.definition === 'InputRequiredResult');
    }
  });

  test.each(ofRole('part'))('%s: no message', (_, example) => {
    expect(classify(example.value).kind).toBe('invalid');
    expect(guardsThatHold(example.value)).toEqual([]);
  });

  test('embed only requests that are no messages', (context) => {
    requireReferenceMaterial(context);
    const asking = examples.filter((example) => example.definition === 'InputRequiredResult');
    const embedded = asking.flatMap((example) =>
      Object.values((example.value as { inputRequests: Readonly<Record<string, { method: string }>> }).inputRequests),
    );
    expect(embedded.length).toBeGreaterThan(0);
    for (const value of embedded) {
      expect(Object.values(EMBEDDED_METHODS)).toContain(value.method);
      expect(classify(value).kind).toBe('invalid');
    }
  });
});

describe('official examples of 2026-07-28, as the compiler sees them', () => {
  let errors: ReadonlyMap<number, string>;
  let fitting: number;

  beforeAll(async () => {
    const lines = [`import type * as T from ${JSON.stringify(types)};`];
    fitting = lines.length;
    // Typed constants with the value inline: so literals stay literals and a member too many is an error.
    for (const { definition, value } of examples) lines.push(constant(lines.length, definition, value));
    for (const { definition, value } of examples) {
      lines.push(constant(lines.length, definition, { ...(value as object), 'not in the definition': 1 }));
    }
    errors = await errorsByLine(lines.join('\n'), { exactOptionalPropertyTypes: true });
  });

  test('fit the type of their definition', (context) => {
    requireReferenceMaterial(context);
    const wrong = examples.flatMap((example, index) => {
      const error = errors.get(fitting + index);
      return error === undefined ? [] : [`${example.title}: ${error}`];
    });
    expect(wrong).toEqual([]);
  });

  test('do not fit it with a member that it does not have', (context) => {
    requireReferenceMaterial(context);
    const fit = examples.filter((_, index) => !errors.has(fitting + examples.length + index));
    expect([...new Set(fit.map((example) => example.definition))]).toEqual([]);
  });
});

function constant(index: number, definition: string, value: unknown): string {
  return `export const example${index}: T.${definition} = ${JSON.stringify(value)};`;
}

function sender(row: CatalogMethod): 'client' | 'server' {
  return row.direction === 'clientToServer' ? 'client' : 'server';
}

function expectNamed(code: number, definition: string): void {
  const name = errorName(code);
  expect(name).toBe(catalog.errors.find((error) => error.definition === definition)?.name);
  if (name === undefined) throw new Error(`${definition} has no name`);
  expect(ERROR_CODES[name]).toBe(code);
}
