import { describe, expect, test } from 'vitest';
import {
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  promptHandlers,
  resourceHandlers,
  toolHandlers,
} from '../../generated/runtime/registry.js';
import { type Frame, TEST_INFO, revision20251125, type RawPeer, startRawSession } from './harness.js';

// What a hostile client names, fills in and asks for, against tools, resources and prompts of the registry.

const PROTOTYPE_NAMES = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf', ''];

const given: unknown[] = [];
const tools = [
  defineTool({
    name: 'echo',
    run: (args) => {
      given.push(args);
      return 'done';
    },
  }),
];
const resources = [
  defineResource({ uri: 'fixed://one', name: 'one', read: () => 'one' }),
  defineResourceTemplate({
    uriTemplate: 'files://{name}/raw',
    name: 'file',
    complete: { name: (typed) => [typed] },
    read: ({ name }) => `name=${name}`,
  }),
  defineResourceTemplate({
    uriTemplate: 'tree://{+path}',
    name: 'tree',
    read: ({ path }) => `path=${path}`,
  }),
];
const prompts = [
  definePrompt({
    name: 'hello',
    arguments: [{ name: 'who', required: true }, { name: 'constructor' }, { name: 'worse' }],
    complete: {
      who: (typed: string) => [typed],
      // Every object has a member of this name, for the compiler too.
      constructor: () => [],
      worse: () => {
        throw new Error('the password');
      },
    },
    render: (values) => `${values.who} ${typeof values.constructor}`,
  }),
];

async function served(): Promise<RawPeer> {
  const server = revision20251125.createServer({
    info: TEST_INFO,
    handlers: {
      ...toolHandlers(tools),
      ...resourceHandlers(resources),
      ...promptHandlers(prompts),
    },
  });
  const { raw } = await startRawSession(server);
  return raw;
}

const read = async (raw: RawPeer, uri: string): Promise<unknown> => {
  const { result, error }: Frame = await raw.request({ id: 1, method: 'resources/read', params: { uri } });
  return error?.code ?? (result?.['contents'] as { text: string }[])[0]?.text;
};

describe('names', () => {
  test.each(PROTOTYPE_NAMES)('%j is not registered', async (name) => {
    const raw = await served();
    for (const [method, params, code] of [
      ['tools/call', { name }, -32602],
      ['prompts/get', { name, arguments: {} }, -32602],
      ['resources/read', { uri: name }, -32002],
      ['completion/complete', { ref: { type: 'ref/prompt', name }, argument: { name: 'who', value: '' } }, -32602],
      [
        'completion/complete',
        { ref: { type: 'ref/resource', uri: name }, argument: { name: 'who', value: '' } },
        -32602,
      ],
    ] as const) {
      expect((await raw.request({ id: 1, method, params })).error?.code).toBe(code);
    }
    for (const ref of [
      { type: 'ref/prompt', name: 'hello' },
      { type: 'ref/resource', uri: 'files://{name}/raw' },
    ]) {
      const { result } = await raw.request({
        id: 2,
        method: 'completion/complete',
        params: { ref, argument: { name, value: 'x' } },
      });
      expect(result?.['completion']).toEqual({ values: [], total: 0, hasMore: false });
    }
  });

  test('of a megabyte do not come back at their length', async () => {
    const raw = await served();
    const name = 'x'.repeat(1_000_000);
    for (const [method, params] of [
      ['tools/call', { name }],
      ['prompts/get', { name }],
      ['resources/read', { uri: name }],
      ['resources/read', { uri: `files://${'a%'.repeat(500_000)}/raw` }],
      ['completion/complete', { ref: { type: 'ref/prompt', name }, argument: { name, value: name } }],
    ] as const) {
      const answer = await raw.request({ id: 1, method, params });
      expect(answer.error).toBeDefined();
      expect(JSON.stringify(answer).length).toBeLessThan(1000);
    }
  });
});

describe('arguments', () => {
  test('that a client did not give are not found on the prototype', async () => {
    const raw = await served();
    const get = async (values?: object): Promise<unknown> => {
      const { result, error } = await raw.request({
        id: 1,
        method: 'prompts/get',
        params: { name: 'hello', ...(values === undefined ? {} : { arguments: values }) },
      });
      return error?.code ?? (result?.['messages'] as { content: { text: string } }[])[0]?.content.text;
    };
    expect(await get()).toBe(-32602);
    expect(await get({})).toBe(-32602);
    expect(await get(JSON.parse('{"__proto__":{"who":"x"}}') as object)).toBe(-32602);
    expect(await get({ who: 'x' })).toBe('x undefined');
    expect(await get({ who: 'x', constructor: 'y' })).toBe('x string');
  });

  test('of a tool that pollute reach it as plain members', async () => {
    const raw = await served();
    const params = JSON.parse('{"name":"echo","arguments":{"constructor":{"prototype":{"polluted":1}}}}') as object;
    expect((await raw.request({ id: 1, method: 'tools/call', params })).error).toBeUndefined();
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(given.pop()).toEqual({ constructor: { prototype: { polluted: 1 } } });
  });

  test('whose completer fails are an error without its text', async () => {
    const raw = await served();
    const answer = await raw.request({
      id: 1,
      method: 'completion/complete',
      params: { ref: { type: 'ref/prompt', name: 'hello' }, argument: { name: 'worse', value: '' } },
    });
    expect(answer.error?.code).toBe(-32603);
    expect(JSON.stringify(answer)).not.toContain('password');
  });
});

describe('addresses that follow a template', () => {
  test.each([
    ['files://a/raw', 'name=a'],
    ['files://a%20b/raw', 'name=a b'],
    ['files://%E2%82%AC/raw', 'name=€'],
    ['files://a%2Fb/raw', -32002],
    ['files://..%2F..%2Fetc%2Fpasswd/raw', -32002],
    ['files://..%5C..%5Cetc/raw', -32002],
    ['files://../raw', -32002],
    ['files://%2e%2e/raw', -32002],
    ['files://./raw', -32002],
    ['files://a%00b/raw', -32002],
    ['files://a%/raw', -32002],
    ['files://a%ff/raw', -32002],
    ['files:///raw', -32002],
    ['files://a?b/raw', -32002],
    ['files://a#b/raw', -32002],
    ['files://\ud800/raw', 'name=\ud800'],
    ['FILES://a/raw', -32002],
    ['files://a/raw/', -32002],
    ['tree://a/b/c', 'path=a/b/c'],
    ['tree://a%2Fb', 'path=a/b'],
    ['tree://a/../../b', -32002],
    ['tree://a/%2e%2e%2fb', -32002],
    ['tree://..%5cb', -32002],
    ['tree://a/..b', 'path=a/..b'],
  ])('%j: a segment is one segment, decoded or not', async (uri, expected) => {
    expect(await read(await served(), uri)).toBe(expected);
  });

  test('are matched in a time that grows with their length only', async () => {
    const raw = await served();
    for (const uri of [
      'files://' + '/raw'.repeat(500_000),
      'files://' + 'a'.repeat(3_000_000),
      'tree://' + '%41'.repeat(1_000_000),
    ]) {
      expect(await read(raw, uri)).toBeDefined();
    }
  }, 30_000);
});
