/** Validators that are compiled at run time, and calls of tools that are only known then. */
import { describe, expect, test } from 'vitest';
import { isLinear } from '../../templates/runtime/json-schema/patterns.js';
import { compileSchema, toolCaller, UnlistedToolError } from '../../templates/runtime/json-schema.js';
import type { SchemaOptions, ToolCallerOptions } from '../../templates/runtime/json-schema.js';
import { ToolArgumentsError, ToolOutputError } from '../../templates/runtime/client/tool-calls.js';
import { describeFailure, FORMATS } from '../../templates/runtime/validation.js';

/** What is wrong with a value, in one line. */
function fault(schema: unknown, value: unknown, options?: SchemaOptions): string | undefined {
  const outcome = compileSchema(schema, options)(value);
  return outcome.success ? undefined : describeFailure(outcome.failure);
}

/** The parts of a schema that are not checked, with their reasons. */
function unchecked(schema: unknown, options: SchemaOptions = {}): readonly string[] {
  const found: string[] = [];
  compileSchema(schema, { ...options, onUnchecked: (pointer, reason) => found.push(`${pointer}: ${reason}`) });
  return found;
}

describe('failures', () => {
  const city = {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1 },
      size: { enum: ['small', 'large', { people: 1 }] },
      tags: { type: 'array', items: { type: ['string', 'null'] } },
      'a/b': { $ref: '#/$defs/point' },
    },
    required: ['name'],
    additionalProperties: false,
    $defs: { point: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false } },
  };

  test.each([
    [{}, '/name is missing: expected a string'],
    [{ name: '' }, '/name is wrong: expected at least 1 character, found ""'],
    [{ name: 'A', tags: ['b', 1] }, '/tags/1 is wrong: expected a string or null, found 1'],
    [{ name: 'A', 'a/b': [1, 2, 3] }, '/a~1b/2 is wrong: expected no such member, found 3'],
    [{ name: 'A', more: 1 }, '/more is wrong: expected no such member, found 1'],
    [{ name: 'A', size: 'tiny' }, '/size is wrong: expected one of 3 known values, found "tiny"'],
    [[], 'the value is wrong: expected an object, found an array of 0'],
    [undefined, 'the value is wrong: expected a value, found nothing'],
  ])('of %j', (value, expected) => {
    expect(fault(city, value)).toBe(expected);
  });

  const text = { type: 'string' };
  test.each<[object, unknown, string]>([
    [{ prefixItems: [{}], unevaluatedItems: text }, [1, 'a', 2], '/2 is wrong: expected a string, found 2'],
    [{ unevaluatedProperties: text }, { a: 'b', c: 3 }, '/c is wrong: expected a string, found 3'],
    [{ dependentRequired: { a: ['b', 'c'] } }, { a: 1, b: 2 }, '/c is missing: expected a value'],
    [{ dependentSchemas: { a: { required: ['b'] } } }, { a: 1 }, '/b is missing: expected a value'],
    [
      { dependentSchemas: { a: { properties: { b: text } } } },
      { a: 1, b: 2 },
      '/b is wrong: expected a string, found 2',
    ],
    [{ dependencies: { a: ['b'] } }, { a: 1 }, '/b is missing: expected a value'],
    [{ dependencies: { a: { properties: { b: text } } } }, { a: 1, b: 2 }, '/b is wrong: expected a string, found 2'],
    [
      { enum: Array.from({ length: 500 }, (_, index) => index) },
      'x',
      'the value is wrong: expected one of 500 known values, found "x"',
    ],
    [{ enum: ['a', null, 1, true] }, 'x', 'the value is wrong: expected "a", null, 1 or true, found "x"'],
  ])('of %j in %j', (schema, value, expected) => {
    expect(fault(schema, value)).toBe(expected);
  });

  test('the branch that got furthest is the one that is reported', () => {
    const schema = { anyOf: [{ type: 'string' }, { type: 'object', properties: { a: { type: 'integer' } } }] };
    expect(fault(schema, { a: 'x' })).toBe('/a is wrong: expected an integer, found "x"');
  });

  test('formats are asserted on request', () => {
    const validate = compileSchema({ type: 'string', format: 'date' });
    expect(validate('today').success).toBe(true);
    expect(validate('today', { formats: FORMATS }).success).toBe(false);
  });
});

describe('references', () => {
  test('lead to given documents', () => {
    const documents = { 'https://example.com/name.json': { type: 'string' } };
    expect(fault({ $ref: 'https://example.com/name.json' }, 1, { documents })).toMatch(/expected a string/);
  });

  test.each([
    ['#/$defs/a%20b', '/$defs/a b/pattern'],
    ['#name', 'schema:///#name/pattern'],
    ['other.json#/x', 'schema:///other.json#/x/pattern'],
  ])('are where a part is reported that they lead to: %s', ($ref, expected) => {
    const part = { pattern: '(a+)+' };
    const schema = { $ref, $defs: { 'a b': part, c: { ...part, $anchor: 'name' } } };
    const found = unchecked(schema, { documents: { 'other.json': { x: part } } });
    expect(found.map((text) => text.split(': ')[0])).toContain(expected);
  });

  test('that lead nowhere accept anything, and are reported', () => {
    const schema = { properties: { a: { $ref: 'https://example.com/x.json' } } };
    expect(fault(schema, { a: 1 })).toBeUndefined();
    expect(unchecked(schema)).toEqual([
      '/properties/a/$ref: the reference "https://example.com/x.json" leads nowhere, and nothing is fetched',
    ]);
  });

  test.each([
    ['not', { not: { $ref: '#/$defs/lost' } }],
    ['oneOf', { oneOf: [{ type: 'integer' }, { $ref: '#/$defs/lost' }] }],
    ['if', { if: { $ref: '#/$defs/lost' }, then: { type: 'string' } }],
    ['maxContains', { contains: { $ref: '#/$defs/lost' }, maxContains: 0 }],
  ])('that lead nowhere do not make "%s" refuse valid values', (_, schema) => {
    const lost = { ...schema, $defs: { lost: { $ref: 'https://example.com/x.json' } } };
    expect([1, [1]].map((value) => fault(lost, value))).toEqual([undefined, undefined]);
  });

  test('to a definition that leads back to itself, at the same value, add nothing', () => {
    const schema = {
      $ref: '#/$defs/a',
      $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a', type: 'object' } },
    };
    expect([{}, 1].map((value) => compileSchema(schema)(value).success)).toEqual([true, false]);
  });

  test('to recursive definitions are followed as deep as the value is', () => {
    const tree = { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false };
    expect(fault(tree, { next: { next: {} } })).toBeUndefined();
    expect(fault(tree, { next: { next: { other: 1 } } })).toMatch(/^\/next\/next\/other is wrong/);
  });
});

describe('patterns', () => {
  test.each([
    '^[a-z]+$',
    '^[a-z0-9_-]{1,64}$',
    '^(?:get|put|post)_[a-z]*',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^https?:',
    '^\\p{L}+$',
    '^#(?:[0-9a-f]{3})?$',
    '[/\\\\]',
    '^(red|green|blue)$',
    'a|b',
  ])('%s is tested', (pattern) => {
    expect(isLinear(pattern)).toBe(true);
    expect(unchecked({ pattern })).toEqual([]);
  });

  test.each([
    '^([a-zA-Z0-9_.-]+)+@x$',
    '^(a|a)*$',
    '(a+)+',
    '^(a|aa)+$',
    'a*b',
    '^a*a*$',
    '^(?:a{1,90}){1,90}$',
    '^a{0,90}a{0,90}$',
    '\\s+$',
    '^(a*)\\1$',
    '^(?<x>a)\\k<x>+$',
    '^(?=a*)a*$',
    '^a+|b+$',
    '^(a',
    'a)(',
    `^${'(a|b)'.repeat(30)}$`,
    // Without the flag "u", these braces are repetitions.
    '\\u{1,}\\u{1,}\\p{1,}$',
    '^\\p{1,}\\p{1,}$',
    '^\\p{9999}a*$',
    // Long parts, at each position of a text.
    '[ab]{20000}c',
    '^[ab]*[ab]{20000}c',
    '[ab]{0,999}c',
    '[abc]'.repeat(500),
    `^${'a'.repeat(3000)}`,
  ])('%s is not tested, unless it is trusted', (pattern) => {
    expect(isLinear(pattern)).toBe(false);
    expect(unchecked({ pattern })[0]).toMatch(/^\/pattern: the pattern .* is not trusted, and may take a long time$/);
  });

  test('that are trusted are tested', () => {
    const schema = { pattern: '^(?:[a-z]+)+$' };
    expect(compileSchema(schema)('A').success).toBe(true);
    expect(compileSchema(schema, { trustPatterns: true })('A').success).toBe(false);
  });

  test('of members that are not tested leave additional members open', () => {
    const schema = { patternProperties: { '^(x+)+$': { type: 'string' } }, additionalProperties: false };
    expect(fault(schema, { xx: 1 })).toBeUndefined();
  });

  test('that are no regular expressions are reported', () => {
    expect(unchecked({ pattern: '(' }, { trustPatterns: true })).toEqual([
      '/pattern: the pattern "(" is not a regular expression',
    ]);
  });
});

describe('hostile schemas', () => {
  const nestedIn = (depth: number, wrap: (schema: object) => object): object => {
    let schema: object = { type: 'string' };
    for (let level = 0; level < depth; level += 1) schema = wrap(schema);
    return schema;
  };

  test.each([
    ['items', (items: object) => ({ items })],
    ['not', (not: object) => ({ not })],
    ['allOf', (one: object) => ({ allOf: [one] })],
    ['properties', (a: object) => ({ properties: { a } })],
  ])('nested 100,000 deep in "%s" are not checked to the end', (_, wrap) => {
    const schema = nestedIn(100_000, wrap);
    expect(unchecked(schema).at(-1)).toMatch(/: the schema is too large$/);
    expect(fault(schema, {})).toBeUndefined();
  });

  test('with a chain of 5,000 references are checked to the end', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [
        `d${index}`,
        index === 4999 ? { type: 'string' } : { properties: { a: { $ref: `#/$defs/d${index + 1}` } } },
      ]),
    );
    expect(unchecked({ $ref: '#/$defs/d0', $defs })).toEqual([]);
    expect(compileSchema({ $ref: '#/$defs/d4998', $defs })({ a: 1 }).success).toBe(false);
  });

  test.each([
    ['a string', 'x'],
    ['an object', { a: 'x' }],
  ])('with references that repeat each other 2^40 times are checked at once: %s', (_, value) => {
    const $defs = Object.fromEntries(
      Array.from({ length: 41 }, (__, index) => {
        const next = { $ref: `#/$defs/d${index + 1}` };
        return [`d${index}`, index === 40 ? { not: { type: 'null' } } : { allOf: [next, { ...next, minLength: 1 }] }];
      }),
    );
    const schema = { $ref: '#/$defs/d0', unevaluatedProperties: true, $defs };
    expect(compileSchema(schema)(value).success).toBe(true);
    expect(compileSchema({ ...schema, not: {} })(value).success).toBe(false);
  });

  test.each([null, 1, 'x', [], undefined])('%j is no schema, and is reported', (schema) => {
    expect(unchecked(schema)).toEqual([': not a schema']);
  });

  test.each([
    ['type', 'strnig'],
    ['properties', []],
    ['required', [1]],
    ['minLength', -1],
    ['maximum', '3'],
    ['multipleOf', 0],
    ['anyOf', {}],
    ['uniqueItems', 1],
    ['dependentRequired', 1],
  ])('a wrong value of "%s" has no effect, and is reported', (keyword, value) => {
    expect(unchecked({ [keyword]: value })).toHaveLength(1);
    expect(fault({ [keyword]: value }, {})).toBeUndefined();
  });

  test('unevaluated members inside unevaluated members take no exponential time', () => {
    let schema: object = { properties: { a: true, b: true } };
    for (let level = 0; level < 60; level += 1) schema = { anyOf: [schema], unevaluatedProperties: false };
    expect(
      [
        { a: 1, b: 2 },
        { a: 1, c: 2 },
      ].map((value) => compileSchema(schema)(value).success),
    ).toEqual([true, false]);
  });

  test('10,000 dynamic anchors are read once', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`d${index}`, { $dynamicAnchor: `d${index}` }]),
    );
    const allOf = Array.from({ length: 30_000 }, (_, index) => ({ title: `${index}` }));
    expect(unchecked({ $defs, allOf })).toEqual([]);
  });

  test('a URI of 300,000 characters does not count', () => {
    const allOf = Array.from({ length: 10_000 }, () => ({ $ref: '#/$defs/a' }));
    const $id = `https://example.com/${'x'.repeat(300_000)}`;
    expect(unchecked({ $id, $defs: { a: { type: 'string' } }, allOf })).toEqual([]);
  });

  test('a wrong value of 130,000 constants is a failure', () => {
    const values = Array.from({ length: 130_000 }, (_, index) => `v${index}`);
    expect(fault({ enum: values }, 'x')).toBe('the value is wrong: expected one of 130000 known values, found "x"');
  });

  test('what cannot be evaluated to the end is reported, and may not be excluded', () => {
    const schema = {
      allOf: Array.from({ length: 20_001 }, (_, index) => ({ title: `${index}` })),
      unevaluatedProperties: false,
    };
    expect(unchecked(schema)).toEqual(['/unevaluatedProperties: the schema is too large']);
    expect(fault({ not: schema }, { x: 1 })).toBeUndefined();
  });

  test.each([
    ['enum', { enum: 'abc' }],
    ['$recursiveRef', { $recursiveRef: '#' }],
  ])('a part that cannot be checked may not be excluded: %s', (keyword, not) => {
    expect(unchecked(not)).toHaveLength(1);
    expect(unchecked(not)[0]).toContain(`/${keyword}: `);
    expect(fault({ not }, 1)).toBeUndefined();
  });

  test('a list may not have items that are absent', () => {
    const schema = { items: { $ref: '#/$defs/s' }, $defs: { s: { type: 'string' } } };
    expect(compileSchema(schema)([undefined]).success).toBe(false);
  });

  test('names cannot control a terminal', () => {
    expect(unchecked({ properties: { '\u001B[2J\u009B\u202E': { pattern: '(a+)+$' } } })[0]).toMatch(
      /^\/properties\/\\u\{1b\}\[2J\\u\{9b\}\\u\{202e\}\/pattern: /,
    );
  });

  test('an object that contains itself is read once', () => {
    const schema: Record<string, unknown> = { type: 'object' };
    schema['properties'] = { self: schema };
    expect(compileSchema(schema)({ self: { self: 1 } }).success).toBe(false);
  });

  test('inherited names are ordinary members', () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"integer"}},"required":["constructor"],"additionalProperties":false}',
    ) as object;
    expect(fault(schema, {})).toMatch(/^\/constructor is missing/);
    expect(fault(schema, JSON.parse('{"constructor":1}'))).toMatch(/^\/constructor is wrong: expected no such member/);
    expect(fault({ properties: { __proto__: null, toString: false } }, {})).toBeUndefined();
  });

  test('a number that is too large is not null', () => {
    expect(compileSchema({ enum: [null, {}] })(JSON.parse('1e999')).success).toBe(false);
  });
});

describe('tools', () => {
  const tools = [
    {
      name: 'add',
      inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
      outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    },
    { name: 'log', inputSchema: { type: 'object' } },
  ];

  type Call = Awaited<ReturnType<typeof toolCaller<object, object>>>;

  async function caller(
    result: object,
    list: Parameters<typeof toolCaller>[1] = tools,
    options?: ToolCallerOptions,
  ): Promise<{ call: Call; sent: unknown[] }> {
    const sent: unknown[] = [];
    const client = {
      callTool: (params: unknown) => {
        sent.push(params);
        return Promise.resolve(result);
      },
    };
    return { call: await toolCaller<object, object>(client, list, options), sent };
  }

  test('valid arguments are sent, and the result is returned', async () => {
    const { call, sent } = await caller({ content: [], structuredContent: { sum: 2 } });
    expect(await call('add', { a: 1 }, { meta: { traceparent: '00' } })).toMatchObject({
      structuredContent: { sum: 2 },
    });
    expect(sent).toEqual([{ name: 'add', arguments: { a: 1 }, _meta: { traceparent: '00' } }]);
  });

  test('invalid arguments are not sent', async () => {
    const { call, sent } = await caller({ content: [] });
    await expect(call('add', { a: 'x' })).rejects.toThrow(ToolArgumentsError);
    expect(sent).toEqual([]);
  });

  test('invalid structured content is an error', async () => {
    const { call } = await caller({ content: [], structuredContent: { sum: 'x' } });
    await expect(call('add', { a: 1 })).rejects.toThrow(ToolOutputError);
  });

  test('the structured content of a failure is not validated', async () => {
    const { call } = await caller({ content: [], isError: true });
    expect(await call('add', { a: 1 })).toMatchObject({ isError: true });
  });

  test('a list of several pages can be read to its end', async () => {
    async function* pages(): AsyncGenerator<(typeof tools)[number]> {
      yield* await Promise.resolve(tools);
    }
    const { call } = await caller({ content: [] }, pages());
    expect(await call('log', {})).toEqual({ content: [] });
  });

  test('parts that are not checked are reported with their tool', async () => {
    const schema = { type: 'object', properties: { a: { pattern: '(a+)+' } } };
    const found: unknown[] = [];
    const list = [{ name: 'x', inputSchema: schema, outputSchema: schema }];
    const { call } = await caller({ content: [], structuredContent: {} }, list, {
      onUnchecked: (pointer, _, tool) => found.push([pointer, tool.name]),
    });
    await call('x', {});
    expect(found).toEqual([
      ['/inputSchema/properties/a/pattern', 'x'],
      ['/outputSchema/properties/a/pattern', 'x'],
    ]);
  });

  test('a tool without an output schema may return any content', async () => {
    const { call } = await caller({ content: [], structuredContent: 1 });
    expect(await call('log', {})).toMatchObject({ structuredContent: 1 });
  });

  test.each(['other', '__proto__', 'toString'])('a tool that is not listed is not called: %s', async (name) => {
    const { call, sent } = await caller({ content: [] });
    await expect(call(name, {})).rejects.toThrow(UnlistedToolError);
    expect(sent).toEqual([]);
  });
});
