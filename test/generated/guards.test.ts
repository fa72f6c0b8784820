import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as revision20241105 from '../../generated/2024-11-05/index.js';
import * as revision20250326 from '../../generated/2025-03-26/index.js';
import * as revision20250618 from '../../generated/2025-06-18/index.js';
import * as revision20251125 from '../../generated/2025-11-25/index.js';
import * as revision20260728 from '../../generated/2026-07-28/index.js';
import type { Catalog, CatalogMethod } from '../../generator/read/catalog.js';
import { REVISIONS } from '../support/revisions.js';

type Message = revision20251125.ClassifiedMessage;
type Called = revision20251125.AnyRequest | revision20251125.AnyNotification;
type Side = 'client' | 'server';

/** What all revisions export alike, without the types of their methods. */
interface Generated {
  readonly METHODS: Readonly<Record<string, string>>;
  readonly METHOD_INFO: Readonly<Record<string, revision20251125.MethodInfo>>;
  readonly EMBEDDED_METHODS: Readonly<Record<string, string>>;
  requiresInput(result: never): boolean;
  classify(
    value: unknown,
    options?: { readonly strict?: boolean },
  ): {
    readonly kind: string;
    readonly reason?: string;
    readonly message?: unknown;
    readonly messages?: readonly unknown[];
  };
  isRequest(value: unknown): boolean;
  isNotification(value: unknown): boolean;
  isResultResponse(value: unknown): boolean;
  isErrorResponse(value: unknown): boolean;
  isResponse(value: unknown): boolean;
  hasMethod(message: Message, method: string): boolean;
  isClientRequest(message: Message): boolean;
  isServerRequest(message: Message): boolean;
  isClientNotification(message: Message): boolean;
  isServerNotification(message: Message): boolean;
  lookupMethod(message: Called, sender: Side): string;
}

const GENERATED: Readonly<Record<(typeof REVISIONS)[number]['revision'], Generated>> = {
  '2024-11-05': revision20241105,
  '2025-03-26': revision20250326,
  '2025-06-18': revision20250618,
  '2025-11-25': revision20251125,
  '2026-07-28': revision20260728,
};

const root = path.resolve(import.meta.dirname, '../..');

const ALL = REVISIONS.map(({ revision }) => ({
  revision,
  generated: GENERATED[revision],
  catalog: JSON.parse(readFileSync(path.join(root, 'schema', revision, 'catalog.json'), 'utf8')) as Catalog,
}));

const BY_NAME = ALL.map((item) => [item.revision, item] as const);

/** Names that an object inherits, or that change one when they are set. */
const HOSTILE_NAMES = ['constructor', '__proto__', 'hasOwnProperty', 'toString', 'valueOf', 'prototype', ''];

const KINDS = ['request', 'notification', 'result', 'error'] as const;

/** What each of the five guards on unknown values says. */
function guardsOf(generated: Generated, value: unknown): Readonly<Record<string, boolean>> {
  return {
    isRequest: generated.isRequest(value),
    isNotification: generated.isNotification(value),
    isResultResponse: generated.isResultResponse(value),
    isErrorResponse: generated.isErrorResponse(value),
    isResponse: generated.isResponse(value),
  };
}

/** What each of the five has to say of a value of a kind. */
function guardsFor(kind: string): Readonly<Record<string, boolean>> {
  return {
    isRequest: kind === 'request',
    isNotification: kind === 'notification',
    isResultResponse: kind === 'result',
    isErrorResponse: kind === 'error',
    isResponse: kind === 'result' || kind === 'error',
  };
}

/** Which of the guards on classified messages hold, by sender and kind. */
function heldBy(generated: Generated, message: Message): readonly string[] {
  return [
    ...(generated.isClientRequest(message) ? ['client request'] : []),
    ...(generated.isServerRequest(message) ? ['server request'] : []),
    ...(generated.isClientNotification(message) ? ['client notification'] : []),
    ...(generated.isServerNotification(message) ? ['server notification'] : []),
  ];
}

function wire(method: string, kind: 'request' | 'notification'): Called {
  return kind === 'request' ? { jsonrpc: '2.0', id: 1, method } : { jsonrpc: '2.0', method };
}

function isSentBy(row: CatalogMethod, sender: Side): boolean {
  return row.direction === 'both' || row.direction === (sender === 'client' ? 'clientToServer' : 'serverToClient');
}

/** Whether an enumerated message is one that a side may send, by the catalog. */
function maySend(catalog: Catalog, sender: Side, kind: string, method: string): boolean {
  return catalog.methods.some((row) => row.method === method && row.kind === kind && isSentBy(row, sender));
}

/** What a method's lookup has to say, by the catalog. */
function verdict(catalog: Catalog, sender: Side, kind: string, method: string): string {
  const row = catalog.methods.find((item) => item.method === method && item.direction !== 'embedded');
  if (row === undefined) return 'unknown';
  if (row.kind !== kind) return 'wrongKind';
  return isSentBy(row, sender) ? 'known' : 'wrongDirection';
}

const request = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const result = { jsonrpc: '2.0', id: 1, result: {} };
const error = { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'no' } };
const NO_ID = 'id is neither a string nor an integer';
const NO_ERROR = 'error is not an object with an integer code and a message';

/** Values that are messages, and of which kind. */
const VALID: readonly (readonly [string, unknown, (typeof KINDS)[number]])[] = [
  ['a request', request, 'request'],
  ['a request with params', { ...request, params: { a: 1 } }, 'request'],
  ['a string id', { ...request, id: 'a' }, 'request'],
  ['an empty string as id', { ...request, id: '' }, 'request'],
  ['the id 0', { ...request, id: 0 }, 'request'],
  ['a negative id', { ...request, id: -7 }, 'request'],
  ['an id written as 1.0', JSON.parse('{"jsonrpc":"2.0","id":1.0,"method":"a"}'), 'request'],
  ['the greatest safe integer as id', { ...request, id: Number.MAX_SAFE_INTEGER }, 'request'],
  ['an unknown method', { ...request, method: 'totally/bogus' }, 'request'],
  ['an empty method', { ...request, method: '' }, 'request'],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/cancelled' }, 'notification'],
  ['a notification with params', { jsonrpc: '2.0', method: 'a', params: {} }, 'notification'],
  ['a result', result, 'result'],
  ['a result for a string id', { ...result, id: 'a' }, 'result'],
  ['a result that holds an error of its own', { ...result, result: { error: {} } }, 'result'],
  ['an error', error, 'error'],
  ['an error with data', { ...error, error: { code: 1, message: '', data: null } }, 'error'],
  ['an error whose id could not be read', { ...error, id: null }, 'error'],
  ['an error without an id', { jsonrpc: '2.0', error: error.error }, 'error'],
  ['an envelope without a prototype', Object.assign(Object.create(null) as object, request), 'request'],
];

/** Values that are no messages, and why. */
const INVALID: readonly (readonly [string, unknown, string])[] = [
  ['null', null, 'not an object'],
  ['undefined', undefined, 'not an object'],
  ['a string', '{"jsonrpc":"2.0"}', 'not an object'],
  ['a number', 2, 'not an object'],
  ['a function', () => request, 'not an object'],
  ['an empty object', {}, 'jsonrpc is not 2.0'],
  ['JSON that is no message', { hello: 'world' }, 'jsonrpc is not 2.0'],
  ['no jsonrpc', { id: 1, method: 'ping' }, 'jsonrpc is not 2.0'],
  ['jsonrpc "1.0"', { ...request, jsonrpc: '1.0' }, 'jsonrpc is not 2.0'],
  ['jsonrpc "2"', { ...request, jsonrpc: '2' }, 'jsonrpc is not 2.0'],
  ['jsonrpc as a number', { ...request, jsonrpc: 2.0 }, 'jsonrpc is not 2.0'],
  ['jsonrpc null', { ...request, jsonrpc: null }, 'jsonrpc is not 2.0'],
  ['jsonrpc with a blank', { ...request, jsonrpc: '2.0 ' }, 'jsonrpc is not 2.0'],
  ['jsonrpc as a String object', { ...request, jsonrpc: Object('2.0') as unknown }, 'jsonrpc is not 2.0'],
  ['only a version', { jsonrpc: '2.0' }, 'neither method, result nor error'],
  ['only a version and an id', { jsonrpc: '2.0', id: 1 }, 'neither method, result nor error'],
  ['method and result', { ...request, result: {} }, 'method together with result or error'],
  ['method and error', { ...request, error: error.error }, 'method together with result or error'],
  ['method and a null result', { ...request, result: null }, 'method together with result or error'],
  ['method, result and error', { ...request, ...result, ...error }, 'method together with result or error'],
  ['result and error', { ...result, ...error }, 'result together with error'],
  ['result and a null error', { ...result, error: null }, 'result together with error'],
  ['error and a null result', { ...error, result: null }, 'result together with error'],
  ['a number as method', { ...request, method: 1 }, 'method is not a string'],
  ['null as method', { ...request, method: null }, 'method is not a string'],
  ['an object as method', { ...request, method: { toString: () => 'ping' } }, 'method is not a string'],
  ['a null method beside a result', { ...result, method: null }, 'method together with result or error'],
  ['params as an array', { ...request, params: [] }, 'params is not an object'],
  ['params null', { ...request, params: null }, 'params is not an object'],
  ['params as a string', { ...request, params: '{}' }, 'params is not an object'],
  ['params of a notification as an array', { jsonrpc: '2.0', method: 'a', params: [1] }, 'params is not an object'],
  ['a request with a null id', { ...request, id: null }, NO_ID],
  ['a request with a fraction as id', { ...request, id: 1.5 }, NO_ID],
  ['a request with Infinity as id', { ...request, id: Infinity }, NO_ID],
  ['a request with an id beyond all numbers', JSON.parse('{"jsonrpc":"2.0","id":1e999,"method":"a"}'), NO_ID],
  ['a request with NaN as id', { ...request, id: NaN }, NO_ID],
  ['a request with a boolean id', { ...request, id: true }, NO_ID],
  ['a request with an object as id', { ...request, id: {} }, NO_ID],
  ['a request with an array as id', { ...request, id: [1] }, NO_ID],
  ['a request with a bigint as id', { ...request, id: 1n }, NO_ID],
  ['a result with a null id', { ...result, id: null }, NO_ID],
  ['a result without an id', { jsonrpc: '2.0', result: {} }, NO_ID],
  ['a result with a fraction as id', { ...result, id: 0.5 }, NO_ID],
  ['an error with a fraction as id', { ...error, id: 1.5 }, NO_ID],
  ['an error with Infinity as id', { ...error, id: -Infinity }, NO_ID],
  ['an error with a boolean id', { ...error, id: false }, NO_ID],
  ['a null result', { ...result, result: null }, 'result is not an object'],
  ['an array as result', { ...result, result: [] }, 'result is not an object'],
  ['a string as result', { ...result, result: 'ok' }, 'result is not an object'],
  ['a boolean as result', { ...result, result: false }, 'result is not an object'],
  ['a null error', { ...error, error: null }, NO_ERROR],
  ['a string as error', { ...error, error: 'failed' }, NO_ERROR],
  ['an array as error', { ...error, error: [] }, NO_ERROR],
  ['an error without a code', { ...error, error: { message: 'no' } }, NO_ERROR],
  ['an error with a fraction as code', { ...error, error: { code: 0.5, message: 'no' } }, NO_ERROR],
  ['an error with a string as code', { ...error, error: { code: '-32603', message: 'no' } }, NO_ERROR],
  ['an error without a message', { ...error, error: { code: 1 } }, NO_ERROR],
  ['an error with a null message', { ...error, error: { code: 1, message: null } }, NO_ERROR],
  // JSON.parse makes it a member of that name: what is in it is not in the envelope.
  ['an envelope inside __proto__', JSON.parse(`{"__proto__":${JSON.stringify(request)}}`), 'jsonrpc is not 2.0'],
  [
    'a result inside __proto__',
    JSON.parse('{"jsonrpc":"2.0","id":1,"__proto__":{"result":{}}}'),
    'neither method, result nor error',
  ],
  ['an id inside __proto__', JSON.parse('{"jsonrpc":"2.0","result":{},"__proto__":{"id":1}}'), NO_ID],
];

describe.each(BY_NAME)('%s: classify and the guards on unknown values', (_, { generated, catalog }) => {
  test.each(VALID)('take %s for what it is', (_, value, kind) => {
    const before = JSON.stringify(value);
    const found = generated.classify(value);
    expect(found.kind).toBe(kind);
    expect(found.message).toBe(value);
    expect(guardsOf(generated, value)).toEqual(guardsFor(kind));
    expect(generated.classify(value, { strict: true }).kind).toBe(kind);
    expect(JSON.stringify(value)).toBe(before);
  });

  test.each(INVALID)('reject %s with a reason', (_, value, reason) => {
    expect(generated.classify(value)).toEqual({ kind: 'invalid', reason });
    expect(generated.classify(value, { strict: true })).toEqual({ kind: 'invalid', reason });
    expect(guardsOf(generated, value)).toEqual(guardsFor('invalid'));
  });

  test('take arrays for batches in 2025-03-26 only', () => {
    expect(catalog.batches).toBe(catalog.revision === '2025-03-26');
    const batch = [request, { hello: 'world' }];
    const found = generated.classify(batch);
    if (catalog.batches) {
      expect(found.kind).toBe('batch');
      expect(found.messages).toBe(batch);
      expect(generated.classify([])).toEqual({ kind: 'invalid', reason: 'an empty batch' });
    } else {
      const reason = 'a batch, which this revision does not have';
      expect(found).toEqual({ kind: 'invalid', reason });
      expect(generated.classify([])).toEqual({ kind: 'invalid', reason });
    }
    for (const value of [batch, [], [request]]) expect(guardsOf(generated, value)).toEqual(guardsFor('batch'));
  });

  test.each([
    ['request', request],
    ['notification', { jsonrpc: '2.0', method: 'a' }],
    ['result', result],
    ['error', error],
  ] as const)('let unknown members of a %s pass, and refuse them when asked to be strict', (kind, message) => {
    const unknown: readonly unknown[] = [
      { ...message, trace: 'abc' },
      { ...message, constructor: 1 },
      { ...message, '': undefined },
      JSON.parse(JSON.stringify(message).replace('{', '{"__proto__":{},')),
    ];
    for (const value of unknown) {
      expect(generated.classify(value).kind).toBe(kind);
      expect(generated.classify(value, {}).kind).toBe(kind);
      expect(generated.classify(value, { strict: false }).kind).toBe(kind);
      expect(generated.classify(value, { strict: true })).toEqual({ kind: 'invalid', reason: 'an unknown member' });
    }
  });

  test('refuse params on a response when asked to be strict', () => {
    for (const response of [result, error]) {
      expect(generated.classify({ ...response, params: {} }, { strict: true }).kind).toBe('invalid');
    }
  });

  test('ignore the contents of params, results and error data', () => {
    const open = { constructor: {}, extra: [null] };
    for (const value of [
      { ...request, params: open },
      { ...result, result: open },
      { ...error, error: { ...error.error, ...open } },
    ]) {
      expect(generated.classify(value, { strict: true }).message).toBe(value);
    }
  });

  test('accept a frozen message', () => {
    const frozen = Object.freeze({ ...request, params: Object.freeze({}) });
    expect(generated.classify(frozen, { strict: true }).message).toBe(frozen);
  });
});

describe.each(BY_NAME)('%s: METHODS and METHOD_INFO', (revision, { generated, catalog }) => {
  const wireRows = catalog.methods.filter((row) => row.direction !== 'embedded');

  test('have one constant per method', () => {
    const expected = wireRows.map((row): [string, string] => [constantName(row.method), row.method]);
    expect(Object.entries(generated.METHODS)).toEqual(expected);
  });

  test('hold the catalog as data', () => {
    const expected = wireRows.map((row): [string, revision20251125.MethodInfo] => [
      row.method,
      {
        kind: row.kind,
        direction: row.direction === 'embedded' ? 'both' : row.direction,
        capabilities: [row.capability ?? []].flat(),
        results: [row.result ?? []].flat(),
        ...(row.taskResult === undefined ? {} : { taskResult: row.taskResult }),
        deprecated: row.deprecated !== undefined,
      },
    ]);
    expect(Object.entries(generated.METHOD_INFO)).toEqual(expected);
  });

  test('know as many methods as the revision has', () => {
    const known = REVISIONS.find((item) => item.revision === revision);
    const embedded = catalog.methods.length - wireRows.length;
    expect(Object.keys(generated.METHODS).length + embedded).toBe(known?.methods);
    expect(embedded).toBe(revision === '2026-07-28' ? 3 : 0);
  });
});

describe.each(BY_NAME)('%s: guards on classified messages', (revision, { generated, catalog }) => {
  const allMethods = [...new Set(ALL.flatMap((item) => item.catalog.methods.map((row) => row.method)))];
  const called = (['request', 'notification'] as const).flatMap((kind) =>
    [...allMethods, ...HOSTILE_NAMES, 'tools', 'TOOLS/LIST', 'tools/list ', '$/progress', '$/cancelRequest'].map(
      (method) => ({ kind, method, message: wire(method, kind) }),
    ),
  );

  test('accept exactly the messages of the catalog', () => {
    for (const { kind, method, message } of called) {
      const senders = (['client', 'server'] as const).filter((side) => maySend(catalog, side, kind, method));
      expect(heldBy(generated, message), `${kind} ${method}`).toEqual(senders.map((side) => `${side} ${kind}`));
    }
  });

  test('look up a method by name, kind and sender', () => {
    for (const { kind, method, message } of called) {
      for (const sender of ['client', 'server'] as const) {
        expect(generated.lookupMethod(message, sender), `${kind} ${method} from the ${sender}`).toBe(
          verdict(catalog, sender, kind, method),
        );
      }
    }
  });

  test('report a message of the wrong kind', () => {
    const serverOnly = wire('notifications/message', 'request');
    expect(generated.lookupMethod(serverOnly, 'client')).toBe('wrongKind');
    expect(generated.lookupMethod(wire('tools/list', 'notification'), 'server')).toBe('wrongKind');
  });

  test('narrow a message to its own method only', () => {
    for (const { kind, method, message } of called) {
      for (const constant of Object.values(generated.METHODS)) {
        const expected = constant === method && generated.METHOD_INFO[constant]?.kind === kind;
        expect(generated.hasMethod(message, constant), `${kind} ${method} as ${constant}`).toBe(expected);
      }
    }
  });

  test('reject a method of another revision', () => {
    const known = new Set(Object.values(generated.METHODS));
    for (const { kind, method, message } of called.filter((item) => !known.has(item.method))) {
      expect(generated.hasMethod(message, method), `${kind} ${method}`).toBe(false);
    }
  });

  test('hold for no response', () => {
    const responses: readonly Message[] = [
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: null, error: { code: 1, message: '' } },
      { jsonrpc: '2.0', error: { code: 1, message: '' } },
    ];
    for (const message of responses) {
      expect(heldBy(generated, message)).toEqual([]);
      expect(Object.values(generated.METHODS).some((method) => generated.hasMethod(message, method))).toBe(false);
    }
  });

  test('exclude embedded methods', () => {
    const embedded = catalog.methods.filter((row) => row.direction === 'embedded');
    const texts = ['methods', 'messages', 'guards'].map((name) =>
      readFileSync(path.join(root, 'generated', revision, `${name}.ts`), 'utf8'),
    );
    const [methods = '', messages = '', guards = ''] = texts;
    for (const row of embedded) {
      expect(Object.values(generated.METHODS)).not.toContain(row.method);
      expect(Object.keys(generated.METHOD_INFO)).not.toContain(row.method);
      expect(messages + guards).not.toContain(row.method);
      expect(messages + guards).not.toMatch(new RegExp(`\\b${row.message}\\b`));
      // Their own maps are the only places of methods.ts that name them.
      const own = methods.replace(/export const EMBEDDED_METHODS[^;]*;|export type Embedded\w+Map = \{[^}]*\};/g, '');
      expect(own).not.toContain(row.method);
      for (const kind of ['request', 'notification'] as const) {
        const message = wire(row.method, kind);
        expect(heldBy(generated, message)).toEqual([]);
        expect(generated.lookupMethod(message, 'client')).toBe('unknown');
        expect(generated.lookupMethod(message, 'server')).toBe('unknown');
      }
    }
    expect(generated.EMBEDDED_METHODS).toEqual(
      Object.fromEntries(embedded.map((row) => [constantName(row.method), row.method])),
    );
  });
});

describe('2026-07-28: requiresInput', () => {
  const results: readonly (readonly [{ resultType?: string; [key: string]: unknown }, boolean])[] = [
    [{ resultType: 'input_required' }, true],
    [{ resultType: 'input_required', inputRequests: {}, content: [] }, true],
    [{ resultType: 'complete' }, false],
    [{ resultType: 'complete', inputRequests: {} }, false],
    [{ resultType: 'Input_Required' }, false],
    [{ resultType: 'task' }, false],
    [{}, false],
    // A result of an older server: it is complete.
    [{ inputRequests: {} }, false],
    [JSON.parse('{"__proto__":{"resultType":"input_required"}}') as { resultType?: string }, false],
  ];

  test.each(results)('%j: %s', (value, expected) => {
    expect(revision20260728.requiresInput(value)).toBe(expected);
  });

  test('is false in every other revision', () => {
    for (const { revision, generated } of ALL) {
      const verdict = (generated.requiresInput as (result: unknown) => boolean)({ resultType: 'input_required' });
      expect(verdict, revision).toBe(revision === '2026-07-28');
    }
  });
});

describe.each(BY_NAME)('%s: no guard throws, and all agree', (_, { generated, catalog }) => {
  const anything = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  });
  const method = fc.oneof(
    fc.constantFrom(...Object.values(generated.METHODS)),
    fc.constantFrom(...HOSTILE_NAMES),
    fc.string(),
    anything,
  );
  const object = fc.oneof(
    { weight: 4, arbitrary: fc.dictionary(fc.string(), anything) },
    { weight: 1, arbitrary: anything },
  );
  const members = {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: anything }),
    id: fc.oneof(fc.integer(), fc.string(), fc.double(), fc.constant(null), anything),
    method,
    params: object,
    result: object,
    error: fc.oneof(fc.record({ code: fc.oneof(fc.integer(), fc.double()), message: fc.string() }), object),
    extra: anything,
  };
  // Members drawn one by one would nearly always produce a mixture of kinds, so the kind is drawn first.
  const shape = fc.constantFrom<readonly (keyof typeof members)[]>(
    ['id', 'method'],
    ['id', 'method', 'params'],
    ['method'],
    ['method', 'params', 'extra'],
    ['id', 'result'],
    ['id', 'error'],
    ['error', 'extra'],
    ['id', 'method', 'params', 'result', 'error'],
  );
  const nearMessage = shape.chain((names) =>
    fc.record(
      Object.fromEntries(
        (['jsonrpc', ...names] as const).map((name): [string, fc.Arbitrary<unknown>] => [name, members[name]]),
      ),
    ),
  );

  const agree = (value: unknown): void => {
    const kind = kindByRules(value, catalog.batches === true);
    const found = generated.classify(value);
    expect(found.kind).toBe(kind);
    expect(guardsOf(generated, value)).toEqual(guardsFor(kind));
    const strict = generated.classify(value, { strict: true });
    expect([kind, 'invalid']).toContain(strict.kind);
    if (kind === 'invalid' || kind === 'batch') return;
    expect(found.message).toBe(value);
    const message = value as Message;
    const name = message.method;
    const sides = ['client', 'server'] as const;
    const senders = sides.filter((side) => name !== undefined && maySend(catalog, side, kind, name));
    expect(heldBy(generated, message)).toEqual(senders.map((side) => `${side} ${kind}`));
    if (name !== undefined) {
      for (const side of sides) {
        expect(generated.lookupMethod(message, side)).toBe(verdict(catalog, side, kind, name));
      }
    }
    for (const constant of Object.values(generated.METHODS)) {
      expect(generated.hasMethod(message, constant)).toBe(
        constant === name && generated.METHOD_INFO[constant]?.kind === kind,
      );
    }
  };

  test('on any value', () => {
    fc.assert(fc.property(anything, agree), { numRuns: 300 });
  });

  test('on any JSON value', () => {
    fc.assert(fc.property(fc.jsonValue(), agree), { numRuns: 300 });
  });

  test('on what is nearly a message', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(nearMessage, (value) => {
        agree(value);
        seen.add(generated.classify(value).kind);
      }),
      { numRuns: 600 },
    );
    // The values are worth nothing if they are all refused alike.
    expect([...seen].sort()).toEqual(['invalid', ...KINDS].sort());
  });
});

/** `sampling/createMessage` to `SAMPLING_CREATE_MESSAGE`. */
function constantName(method: string): string {
  return method
    .replace(/[a-z](?=[A-Z])/g, '$&_')
    .replace(/[^A-Za-z]+/g, '_')
    .toUpperCase();
}

/** The envelope rules again, decided by which members are present, for random values. */
function kindByRules(value: unknown, batches: boolean): string {
  if (Array.isArray(value)) return batches && value.length > 0 ? 'batch' : 'invalid';
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return 'invalid';
  const kinds = ['method', 'result', 'error'].filter((name) => value[name] !== undefined);
  if (kinds.length !== 1) return 'invalid';
  const { id } = value;
  const hasGoodId = typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id) && Math.floor(id) === id);
  switch (kinds[0]) {
    case 'method':
      if (typeof value['method'] !== 'string') return 'invalid';
      if (value['params'] !== undefined && !isRecord(value['params'])) return 'invalid';
      if (id === undefined) return 'notification';
      return hasGoodId ? 'request' : 'invalid';
    case 'result':
      return hasGoodId && isRecord(value['result']) ? 'result' : 'invalid';
    default: {
      const failure = value['error'];
      if (id !== undefined && id !== null && !hasGoodId) return 'invalid';
      if (!isRecord(failure) || typeof failure['message'] !== 'string') return 'invalid';
      const { code } = failure;
      return typeof code === 'number' && code % 1 === 0 ? 'error' : 'invalid';
    }
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
