import { describe, expect, test } from 'vitest';
import * as revision20241105 from '../../generated/2024-11-05/methods.js';
import * as revision20250326 from '../../generated/2025-03-26/methods.js';
import * as revision20250618 from '../../generated/2025-06-18/methods.js';
import * as revision20251125 from '../../generated/2025-11-25/methods.js';
import * as revision20260728 from '../../generated/2026-07-28/methods.js';
import { REVISIONS } from '../support/revisions.js';

type Call = { readonly found: boolean; readonly result?: unknown };
type Caller = (handlers: object, message: { method: string; params?: unknown }, context: unknown) => Call;

/** What all revisions export alike, without the types of their methods. */
const GENERATED = {
  '2024-11-05': revision20241105,
  '2025-03-26': revision20250326,
  '2025-06-18': revision20250618,
  '2025-11-25': revision20251125,
  '2026-07-28': revision20260728,
} as unknown as Readonly<Record<string, { callRequestHandler: Caller; callNotificationHandler: Caller }>>;

const ALL = REVISIONS.flatMap(({ revision }) => {
  const generated = GENERATED[revision];
  if (generated === undefined) throw new Error(revision);
  return [
    [revision, 'callRequestHandler', generated.callRequestHandler],
    [revision, 'callNotificationHandler', generated.callNotificationHandler],
  ] as const;
});

describe.each(ALL)('%s: %s', (_revision, _name, callHandler) => {
  test('passes the params and the context to the handler of the method', () => {
    const handlers = { 'a/b': (...args: unknown[]) => args, 'a/c': () => 'another' };
    const params = { x: 1 };
    const context = { y: 2 };
    const call = callHandler(handlers, { method: 'a/b', params }, context);
    expect(call).toEqual({ found: true, result: [params, context] });
    expect((call.result as unknown[])[0]).toBe(params);
    expect((call.result as unknown[])[1]).toBe(context);
  });

  test('finds no handler for a method that the table lacks', () => {
    expect(callHandler({ 'a/b': () => 1 }, { method: 'a/c' }, undefined)).toEqual({ found: false });
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', ''])(
    'finds no handler for the method %j',
    (method) => {
      expect(callHandler({}, { method }, undefined)).toEqual({ found: false });
      expect(callHandler(Object.create(null) as object, { method }, undefined)).toEqual({ found: false });
    },
  );

  test('ignores a handler that the table inherits', () => {
    const handlers = Object.create({ 'a/b': () => 1 }) as object;
    expect(callHandler(handlers, { method: 'a/b' }, undefined)).toEqual({ found: false });
  });

  test('finds no handler where the table has undefined', () => {
    expect(callHandler({ 'a/b': undefined }, { method: 'a/b' }, undefined)).toEqual({ found: false });
  });

  test('calls the handler as a method of the table', () => {
    const handlers = {
      name: 'table',
      'a/b'(): string {
        return this.name;
      },
    };
    expect(callHandler(handlers, { method: 'a/b' }, undefined)).toEqual({ found: true, result: 'table' });
  });

  test('throws what the handler throws', () => {
    const error = new Error('failed');
    const handlers = {
      'a/b': () => {
        throw error;
      },
    };
    expect(() => callHandler(handlers, { method: 'a/b' }, undefined)).toThrow(error);
  });

  test('returns the promise of an async handler', async () => {
    const call = callHandler({ 'a/b': async () => Promise.resolve(3) }, { method: 'a/b' }, undefined);
    expect(call.result).toBeInstanceOf(Promise);
    expect(await call.result).toBe(3);
  });
});
