import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import {
  decodeHeaderValue,
  encodeHeaderValue,
  headerMismatch,
  headerParamsOf,
  isSessionId,
  mirroredHeaders,
} from '../../templates/runtime/http/headers.js';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const schemaOf = (properties: object): object => ({ type: 'object', properties });
const reasonOf = (schema: unknown): string => {
  const params = headerParamsOf(schema);
  return params.success ? '' : params.reason;
};

describe('values of headers', () => {
  // The table of the specification (2026-07-28, Streamable HTTP, Value Encoding).
  test.each([
    ['us-west1', 'us-west1'],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['us west 1', 'us west 1'],
    ['', '=?base64??='],
    ['a\tb', '=?base64?YQli?='],
  ])('%j is %j', (value, header) => {
    expect(encodeHeaderValue(value)).toBe(header);
    expect(decodeHeaderValue(header)).toBe(value);
  });

  test.each(['=?base64?SGVsbG8?=', '=?base64?SGVs bG8=?=', '=?base64?/w==?=', 'caf\u00e9', 'a\u0000b', 'a\r\nb'])(
    '%j is refused',
    (header) => {
      expect(decodeHeaderValue(header)).toBeUndefined();
    },
  );

  test('survive encoding and decoding', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const header = encodeHeaderValue(value);
        expect(header).toMatch(/^[!-~]([ -~]*[!-~])?$/);
        expect(new Headers([['x', header]]).get('x')).toBe(header);
        expect(decodeHeaderValue(header)).toBe(value);
      }),
    );
  });

  test('knows a session id', () => {
    expect(['a-1', '', 'a b', 'a\nb', 'é'].map(isSessionId)).toEqual([true, false, false, false, false]);
  });
});

describe('annotations of an input schema', () => {
  test('are found at any depth of properties', () => {
    const schema = schemaOf({
      region: { type: 'string', 'x-mcp-header': 'Region' },
      limits: schemaOf({ count: { type: ['integer', 'null'], 'x-mcp-header': 'Count' } }),
      // A property named like the annotation, or one inside data, is not an annotation.
      'x-mcp-header': { type: 'string', default: { 'x-mcp-header': 'No' } },
    });
    expect(headerParamsOf(schema)).toEqual({
      success: true,
      value: [
        { header: 'Mcp-Param-Region', path: ['region'] },
        { header: 'Mcp-Param-Count', path: ['limits', 'count'] },
      ],
    });
  });

  test.each([undefined, null, [], 'x', {}, { properties: null }])('are not in %j', (schema) => {
    expect(headerParamsOf(schema)).toEqual({ success: true, value: [] });
  });

  test.each(['', 'a b', 'a:b', 'é', 'a\r\nX-Evil: 1', 5, null, {}])('may not be %j', (name) => {
    expect(reasonOf(schemaOf({ a: { type: 'string', 'x-mcp-header': name } }))).toContain('header');
  });

  test.each(['number', 'object', 'array', 'null', undefined, ['string', 'integer']])('may not be at a %j', (type) => {
    expect(reasonOf(schemaOf({ a: { type, 'x-mcp-header': 'A' } }))).toContain('not a string, integer or boolean');
  });

  test('must be unique, whatever the case', () => {
    const schema = schemaOf({
      a: { type: 'string', 'x-mcp-header': 'Same' },
      b: { type: 'string', 'x-mcp-header': 'sAME' },
    });
    expect(reasonOf(schema)).toContain('which another parameter has already');
  });

  const annotated = { type: 'string', 'x-mcp-header': 'A' };
  test.each([
    ['the root', annotated],
    ['items', schemaOf({ list: { type: 'array', items: annotated } })],
    ['items below an object', schemaOf({ list: { items: schemaOf({ a: annotated }) } })],
    ['prefixItems', schemaOf({ list: { prefixItems: [annotated] } })],
    ['allOf', { allOf: [schemaOf({ a: annotated })] }],
    ['if', { if: schemaOf({ a: annotated }) }],
    ['$defs', { $defs: { A: annotated }, ...schemaOf({ a: { $ref: '#/$defs/A' } }) }],
    ['patternProperties', { patternProperties: { '^a': annotated } }],
  ])('may not be at %s', (_, schema) => {
    expect(reasonOf(schema)).toContain('through properties alone');
  });

  test('are found in a schema of any depth', () => {
    let schema: object = annotated;
    for (let at = 0; at < 100_000; at += 1) schema = { not: schema };
    expect(reasonOf(schema)).toContain('properties alone');
  });
});

describe('headers of a request', () => {
  const meta = { [VERSION]: '2026-07-28' };
  const call = (args: unknown): { method: string; params: object } => ({
    method: 'tools/call',
    params: { name: 'wêird', arguments: args, _meta: meta },
  });
  const params = [
    { header: 'Mcp-Param-Text', path: ['text'] },
    { header: 'Mcp-Param-Count', path: ['deep', 'count'] },
    { header: 'Mcp-Param-Flag', path: ['flag'] },
  ];

  test('repeat members of the message', () => {
    expect(mirroredHeaders(call({ text: 'a', deep: { count: -7 }, flag: false, other: 1 }), params)).toEqual([
      ['MCP-Protocol-Version', '2026-07-28'],
      ['Mcp-Method', 'tools/call'],
      ['Mcp-Name', '=?base64?d8OqaXJk?='],
      ['Mcp-Param-Text', 'a'],
      ['Mcp-Param-Count', '-7'],
      ['Mcp-Param-Flag', 'false'],
    ]);
    expect(mirroredHeaders({ method: 'resources/read', params: { uri: 'x:/y' } })).toContainEqual(['Mcp-Name', 'x:/y']);
    expect(mirroredHeaders({ method: 'tools/list', params: { name: 'no' } })).toEqual([['Mcp-Method', 'tools/list']]);
  });

  test.each([
    [{ text: null }],
    [{ text: { a: 1 }, deep: 5, flag: 2 ** 60 }],
    [Object.create({ text: 'inherited' }) as object],
    [undefined],
  ])('leave out what has no value: %j', (args) => {
    expect(mirroredHeaders(call(args), params)).toHaveLength(3);
    expect(headerMismatch(headersOf(mirroredHeaders(call(args), params)), call(args), params)).toBeUndefined();
  });

  const headersOf =
    (list: readonly (readonly [string, string])[]): ((name: string) => string | null) =>
    (name) =>
      new Headers(list.map(([key, value]): [string, string] => [key, value])).get(name);

  test('fit what they were made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.maxSafeInteger(), fc.boolean(), (text, count, flag) => {
        const message = call({ text, deep: { count }, flag });
        expect(headerMismatch(headersOf(mirroredHeaders(message, params)), message, params)).toBeUndefined();
      }),
    );
  });

  const message = call({ text: 'a', deep: { count: 42 }, flag: true });
  test.each([
    ['MCP-Protocol-Version', undefined, 'MCP-Protocol-Version is missing'],
    ['MCP-Protocol-Version', '2025-11-25', 'MCP-Protocol-Version is "2025-11-25"'],
    ['Mcp-Method', undefined, 'Mcp-Method is missing'],
    ['Mcp-Method', 'TOOLS/CALL', 'Mcp-Method is "TOOLS/CALL"'],
    ['Mcp-Name', undefined, 'Mcp-Name is missing, for params.name'],
    ['Mcp-Name', 'other', 'Mcp-Name is "other", which is not params.name'],
    ['Mcp-Name', '=?base64?d8OqaXJ?=', 'Mcp-Name has invalid characters'],
    ['Mcp-Param-Text', undefined, 'Mcp-Param-Text is missing, for params.arguments.text'],
    ['Mcp-Param-Text', 'b', 'Mcp-Param-Text is "b"'],
    ['Mcp-Param-Count', '43', 'Mcp-Param-Count is "43", which is not params.arguments.deep.count'],
    ['Mcp-Param-Count', '0x2a', 'Mcp-Param-Count is "0x2a"'],
    ['Mcp-Param-Flag', 'True', 'Mcp-Param-Flag is "True"'],
  ])('%s as %j: %s', (name, value, reason) => {
    const headers = mirroredHeaders(message, params).filter(([key]) => key !== name);
    if (value !== undefined) headers.push([name, value]);
    expect(headerMismatch(headersOf(headers), message, params)).toContain(reason);
  });

  test('compare integers as numbers', () => {
    const headers = mirroredHeaders(message, params).map(([name, value]): [string, string] => [
      name,
      name === 'Mcp-Param-Count' ? '42.0' : value,
    ]);
    expect(headerMismatch(headersOf(headers), message, params)).toBeUndefined();
  });
});
