import { describe, expect, test } from 'vitest';
import {
  cancelledIdOf,
  isObject,
  metaOf,
  methodOf,
  paramsOf,
  responseIdOf,
} from '../../generated/runtime/jsonrpc/envelope.js';

const NO_OBJECTS: readonly unknown[] = [undefined, null, 'text', 5, true, [], [{ method: 'a', result: {} }]];

describe('of a value that is no object', () => {
  test.each(NO_OBJECTS)('%j nothing can be read', (value) => {
    expect(isObject(value)).toBe(false);
    expect(methodOf(value)).toBeUndefined();
    expect(paramsOf(value)).toEqual({});
    expect(metaOf(value)).toBeUndefined();
    expect(metaOf({ params: { _meta: value } })).toBeUndefined();
    expect(paramsOf({ params: value })).toEqual({});
    expect(responseIdOf(value)).toBeUndefined();
    expect(cancelledIdOf(value)).toBeUndefined();
  });
});

describe('of an object', () => {
  test('a method is a string', () => {
    expect([methodOf({ method: 'ping' }), methodOf({ method: 5 }), methodOf({})]).toEqual([
      'ping',
      undefined,
      undefined,
    ]);
  });

  test('params and their _meta are objects', () => {
    const params = { _meta: { a: 1 } };
    expect(isObject(params)).toBe(true);
    expect(paramsOf({ params })).toBe(params);
    expect(metaOf({ params })).toBe(params._meta);
  });

  test.each([
    [{ id: 1, result: {} }, 1],
    [{ id: 'a', error: {} }, 'a'],
    [{ error: {} }, null],
    [{ id: 1 }, undefined],
    [{ id: 1, method: 'a' }, undefined],
    [{ id: 1, method: 'a', result: {} }, undefined],
  ])('the response %j has the id %j', (message, id) => {
    expect(responseIdOf(message)).toBe(id);
  });

  test.each([
    ['a', 'a'],
    [0, 0],
    [null, undefined],
    [{}, undefined],
  ])('notifications/cancelled with the requestId %j cancels %j', (requestId, id) => {
    expect(cancelledIdOf({ params: { requestId } })).toBe(id);
  });
});
