import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { ListToolsRequest } from '../../generated/2025-11-25/index.js';
import {
  errorResponse,
  isRequestId,
  notification,
  request,
  resultResponse,
  RpcError,
  STANDARD_ERROR_CODES,
} from '../../templates/runtime/index.js';
import { anyMessage, CLASSIFY } from './codec-support.js';

describe('constructors', () => {
  test('omit undefined params', () => {
    expect(request(1, 'ping')).toStrictEqual({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(request('a', 'tools/call', { name: 'x' })).toStrictEqual({
      jsonrpc: '2.0',
      id: 'a',
      method: 'tools/call',
      params: { name: 'x' },
    });
    expect(notification('notifications/initialized')).toStrictEqual({
      jsonrpc: '2.0',
      method: 'notifications/initialized',
    });
    expect(notification('a', { b: 1 })).toStrictEqual({ jsonrpc: '2.0', method: 'a', params: { b: 1 } });
    expect(resultResponse(0, {})).toStrictEqual({ jsonrpc: '2.0', id: 0, result: {} });
    expect(errorResponse('', { code: -32603, message: 'no', data: undefined })).toStrictEqual({
      jsonrpc: '2.0',
      id: '',
      error: { code: -32603, message: 'no' },
    });
    expect(errorResponse(null, { code: 1, message: '', data: null })).toStrictEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: 1, message: '', data: null },
    });
    expect(errorResponse(undefined, { code: 1, message: '' })).toStrictEqual({
      jsonrpc: '2.0',
      error: { code: 1, message: '' },
    });
  });

  test('keep the params without copying them', () => {
    const params = { a: {} };
    expect(request(1, 'a', params).params).toBe(params);
    expect(notification('a', params).params).toBe(params);
    expect(resultResponse(1, params).result).toBe(params);
  });

  test('are typed so that what they make is a message of the generated types', () => {
    expectTypeOf(request(1, 'tools/list')).toExtend<ListToolsRequest>();
    expectTypeOf(request(1, 'tools/list', { cursor: 'a' })).toExtend<ListToolsRequest>();
    // @ts-expect-error a cursor is a string
    const wrong: ListToolsRequest = request(1, 'tools/list', { cursor: 1 });
    expect(wrong.params).toEqual({ cursor: 1 });
  });

  test.each([1.5, NaN, Infinity, 2 ** 53, -(2 ** 53), null, undefined, true, 1n, {}, ['a'], Symbol('a')])(
    'refuse %s as an id',
    (id) => {
      expect(isRequestId(id)).toBe(false);
      expect(() => request(id as number, 'a')).toThrow(/^an id must be a string or a safe integer, not /);
      expect(() => resultResponse(id as number, {})).toThrow(TypeError);
      // For an error response they are how it says that the id could not be read.
      if (id !== null && id !== undefined) {
        expect(() => errorResponse(id as number, { code: 1, message: '' })).toThrow(TypeError);
      }
    },
  );

  test.each([0, -0, -7, 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, '', '0', '1', 'ü'])(
    'take %s as an id',
    (id) => {
      expect(isRequestId(id)).toBe(true);
      expect(request(id, 'a').id).toBe(id);
      expect(resultResponse(id, {}).id).toBe(id);
      expect(errorResponse(id, { code: 1, message: '' }).id).toBe(id);
    },
  );

  test('reject only methods that begin with rpc.', () => {
    expect(() => request(1, 'rpc.discover')).toThrow(/"rpc\.discover" cannot be a method/);
    expect(() => notification('rpc.')).toThrow(TypeError);
    expect(request(1, 'rpc').method).toBe('rpc');
    expect(notification('my/rpc.x').method).toBe('my/rpc.x');
  });

  test.each<[unknown, string]>([
    [5, '5'],
    [5n, '5'],
    [null, 'null'],
    [undefined, 'undefined'],
    [true, 'boolean'],
    [[1], 'an array'],
    [{ a: 1 }, 'object'],
    [Symbol('a'), 'symbol'],
  ])('reject %o as a method, and name it', (value, name) => {
    expect(() => request(1, value as string)).toThrow(new TypeError(`a method must be a string, not ${name}`));
  });

  test.each([[[]], [null], ['a'], [1]])('refuse %j as params and as a result', (value) => {
    expect(() => request(1, 'a', value as object)).toThrow(/params must be an object/);
    expect(() => notification('a', value as object)).toThrow(/params must be an object/);
    expect(() => resultResponse(1, value as object)).toThrow(/result must be an object/);
  });

  test('reject an invalid error', () => {
    expect(() => errorResponse(1, { code: 1.5, message: '' })).toThrow(/an error code must be an integer, not 1\.5/);
    expect(() => errorResponse(1, { code: '1' as unknown as number, message: '' })).toThrow(TypeError);
    expect(() => errorResponse(1, { code: 1 } as { code: number; message: string })).toThrow(
      /message must be a string/,
    );
  });

  test('name a long value shortly when they refuse it', () => {
    let text = '';
    try {
      request(1, `rpc.${'x'.repeat(1e6)}`);
    } catch (error) {
      text = String(error);
    }
    expect(text).toMatch(/^TypeError: "rpc\.x/);
    expect(text.length).toBeLessThan(200);
  });

  test.each(Object.entries(CLASSIFY))('make what is a message in %s', (_, classify) => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const kind =
          'method' in message
            ? 'id' in message
              ? 'request'
              : 'notification'
            : 'result' in message
              ? 'result'
              : 'error';
        expect(classify(message).kind).toBe(kind);
      }),
    );
  });
});

describe('error codes', () => {
  test('are those of JSON-RPC', () => {
    expect(STANDARD_ERROR_CODES).toEqual({
      PARSE_ERROR: -32700,
      INVALID_REQUEST: -32600,
      METHOD_NOT_FOUND: -32601,
      INVALID_PARAMS: -32602,
      INTERNAL_ERROR: -32603,
    });
  });
});

describe('RpcError', () => {
  test('is an Error with the members of a JSON-RPC error', () => {
    const cause = new Error('why');
    const error = new RpcError(-32602, 'no such tool', { name: 'x' }, { cause });
    expectTypeOf(error.data).toEqualTypeOf<{ name: string } | undefined>();
    expect(error).toBeInstanceOf(Error);
    expect([error.code, error.data]).toEqual([-32602, { name: 'x' }]);
    expect([error.name, error.message, error.cause]).toEqual(['RpcError', 'no such tool', cause]);
    expect(String(error)).toBe('RpcError: no such tool');
  });

  test('is serialized without stack or cause', () => {
    const error = new RpcError(1, 'a', undefined, { cause: new Error('secret') });
    expect(JSON.parse(JSON.stringify(error))).toStrictEqual({ code: 1, message: 'a' });
    expect(errorResponse(1, error)).toStrictEqual({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'a' } });
    expect(errorResponse(1, new RpcError(1, 'a', 0)).error).toStrictEqual({ code: 1, message: 'a', data: 0 });
  });

  test('is made from what a peer answered', () => {
    const error = RpcError.from({ code: -32002, message: 'gone', data: { uri: 'a:b' } });
    expect(error.toJSON()).toEqual({ code: -32002, message: 'gone', data: { uri: 'a:b' } });
    expect(RpcError.from({ code: 1, message: 'a' }).data).toBeUndefined();
  });

  test.each([1.5, NaN, '1', undefined])('has no code %s', (code) => {
    expect(() => new RpcError(code as number, 'a')).toThrow(TypeError);
  });
});
