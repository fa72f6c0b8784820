import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { cases } from '../support/cases.js';
import {
  rejectionOf,
  TEST_INFO,
  connectPair,
  revision20250618,
  revision20251125,
  connectRawServer,
  startRawSession,
  textResult,
  Events,
  nextTurns,
} from './harness.js';

/** Cases of these kinds that ask a guard, a validator or the codec, and are proven with those. */
const NOT_OF_ENDPOINTS: readonly string[] = ['case-066', 'case-067', 'case-068', 'case-069'];

const { createClient, createServer, missingContent, tolerating } = revision20251125;

describe('wire payloads that reach an endpoint', () => {
  test.each([
    ['case-060: a null where a member is optional', { _meta: null }, '/_meta'],
    [
      'case-062: one bad tool',
      {
        tools: [
          { name: 'ok', inputSchema: { type: 'object' } },
          { name: 'bad', inputSchema: { anyOf: [] } },
        ],
      },
      '/tools/1/inputSchema/type',
    ],
    [
      'case-063: required null',
      { tools: [{ name: 't', inputSchema: { type: 'object', required: null } }] },
      '/tools/0/inputSchema/required',
    ],
    [
      'case-064: an output schema that is no object',
      { tools: [{ name: 't', inputSchema: { type: 'object' }, outputSchema: { type: 'array' } }] },
      '/tools/0/outputSchema/type',
    ],
  ])('%s fails the call and names the place', async (_, result, place) => {
    const client = createClient({ info: TEST_INFO });
    const { raw } = await connectRawServer(client);
    raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: { tools: [], ...result } });
    expect(await rejectionOf(client.listTools())).toMatchObject({
      name: 'InvalidResultError',
      failure: { path: place },
    });
    await client.close();
  });

  test('case-065: rejects structuredContent without content unless lenient', async () => {
    const client = createClient({ info: TEST_INFO });
    const { raw } = await connectRawServer(client);
    raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: { structuredContent: { a: 1 } } });
    expect(await rejectionOf(client.callTool({ name: 'x' }))).toMatchObject({ failure: { path: '/content' } });
    await client.close();
    const lenient = createClient({ info: TEST_INFO, lenient: tolerating(missingContent) });
    const other = await connectRawServer(lenient);
    other.raw.responder = raw.responder;
    expect(await lenient.callTool({ name: 'x' })).toEqual({ content: [], structuredContent: { a: 1 } });
    await lenient.close();
  });

  test('case-070: a newer capability member reaches an older server', async () => {
    const { session } = await startRawSession(
      revision20250618.createServer({ info: TEST_INFO, handlers: {} }),
      '2025-06-18',
      {
        elicitation: { form: {} },
      },
    );
    expect(session.client.capabilities).toEqual({ elicitation: { form: {} } });
  });
});

describe('envelopes and params', () => {
  const deviating = { jsonrpc: '2.0', error: null, result: { tools: [] } };

  test('case-123: error: null next to a result fails the call by default', async () => {
    const client = createClient({ info: TEST_INFO });
    const { raw } = await connectRawServer(client);
    raw.responder = ({ id }) => ({ ...deviating, id });
    expect(await rejectionOf(client.listTools())).toMatchObject({ name: 'RpcError', code: -32600 });
    await client.close();
  });

  test('case-123: nullErrorAsAbsent accepts a null error', async () => {
    const events = new Events();
    const client = createClient({ info: TEST_INFO, nullErrorAsAbsent: true, onEvent: events.onEvent });
    const { raw } = await connectRawServer(client);
    raw.responder = ({ id }) => ({ ...deviating, id });
    expect(await client.listTools()).toEqual({ tools: [] });
    expect(events.all).toEqual([
      { kind: 'toleratedMessage', deviation: 'nullErrorAsAbsent', id: expect.any(Number) as number },
    ]);
    raw.responder = ({ id }) => ({ ...deviating, id, error: { code: 1, message: '' } });
    expect(await rejectionOf(client.listTools())).toMatchObject({ code: -32600 });
    await client.close();
  });

  test.each([
    ['an array', ['a']],
    ['a string', 'a'],
    ['null', null],
  ])('case-128: rejects %s as params', async (found, params) => {
    const { raw } = await startRawSession(
      createServer({ info: TEST_INFO, handlers: { 'tools/call': () => textResult('') } }),
    );
    const { error } = await raw.request({ id: 1, method: 'tools/call', params });
    expect(error).toMatchObject({ code: -32602, data: { path: '' } });
    expect(error?.message).toMatch(/^Invalid params: params must be an object, not /);
    expect(found).not.toBe('');
  });
});

describe('lifecycles', () => {
  test('case-081: reports a response with an unknown id', async () => {
    const events = new Events();
    const { raw } = await startRawSession(createServer({ info: TEST_INFO, handlers: {}, onEvent: events.onEvent }));
    raw.send({ jsonrpc: '2.0', id: 999, result: {} });
    expect((await raw.request({ id: 1, method: 'ping' })).result).toEqual({});
    expect(events.all).toEqual([{ kind: 'unknownResponse', id: 999 }]);
  });

  test('case-082: drops an answer after the time limit', async () => {
    const server = createServer({
      info: TEST_INFO,
      handlers: { 'tools/call': ({ name }) => (name === 'slow' ? new Promise(() => undefined) : textResult(name)) },
    });
    const client = createClient({ info: TEST_INFO });
    await connectPair(server, client);
    expect((await rejectionOf(client.callTool({ name: 'slow' }, { timeout: 5 }))).name).toBe('TimeoutError');
    expect(await client.callTool({ name: 'next' })).toEqual(textResult('next'));
    await client.close();
  });

  test('case-083: serves a client that always sends id 1', async () => {
    const { raw } = await startRawSession(
      createServer({ info: TEST_INFO, handlers: { 'tools/call': ({ name }) => textResult(name) } }),
    );
    for (const name of ['a', 'b', 'c']) {
      raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } });
      await nextTurns();
      expect((await raw.nextFrames()).map(({ id, result }) => [id, result])).toEqual([[1, textResult(name)]]);
    }
  });
});

test('every case of these kinds is proven here or in another test of this folder', () => {
  const here = readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(path.join(import.meta.dirname, name), 'utf8'))
    .join('\n');
  const missing = cases('lifecycle', 'wire-payload', 'batch').filter(({ id }) => !here.includes(id));
  expect(missing.map(({ id, title }) => `${id} ${title}`)).toEqual([]);
  expect(NOT_OF_ENDPOINTS.length).toBe(4);
});
