import { createServer as createHttpServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createClient, createServer } from '../../generated/2025-11-25/index.js';
import type { ClientOptions, ServerOptions } from '../../generated/2025-11-25/index.js';
import {
  createClient as createStatelessClient,
  createServer as createStatelessServer,
} from '../../generated/2026-07-28/index.js';
import { callStructuredTool } from '../../templates/runtime/client/tool-calls.js';
import { CallError as TemplateCallError } from '../../templates/runtime/jsonrpc/error-codes.js';
import { CallError, memoryPair, RpcError } from '../../generated/runtime/index.js';
import {
  httpClientTransport,
  HttpError,
  UnauthorizedError,
  type HttpClientOptions,
} from '../../generated/runtime/http-client.js';
import { codeBlocks } from '../support/markdown.js';
import { readFileSync } from 'node:fs';
import { rejectionOf, sleep, TEST_INFO, textResult } from './harness.js';

type Handlers = ServerOptions['handlers'];

const info = TEST_INFO;

async function connected(handlers: Handlers, options: Partial<ClientOptions> = {}) {
  const server = createServer({ info, handlers });
  const client = createClient({ info, ...options });
  const [serverSide, clientSide] = memoryPair();
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return { client, server };
}

/** A client of 2026-07-28 whose server requires input in every round. */
async function asking(inputs: number): Promise<Error> {
  const handlers = { 'roots/list': () => ({ roots: [] }) };
  const roots = Object.fromEntries([...Array(inputs).keys()].map((key) => [key, { method: 'roots/list' }] as const));
  const server = createStatelessServer({
    info,
    handlers: { 'tools/call': () => ({ resultType: 'input_required', inputRequests: roots }) },
  });
  const client = createStatelessClient({
    info,
    maxRounds: 1,
    maxInputRequests: 2,
    handlers,
  });
  const [serverSide, clientSide] = memoryPair();
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return rejectionOf(client.callTool({ name: 'x' }));
}

/** The error of a call over HTTP to a server that always answers with a status. */
async function overHttp(status: number, options: Partial<HttpClientOptions> = {}): Promise<Error> {
  const server = createHttpServer((_request, response) => response.writeHead(status).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = createClient({ info });
  const error = await rejectionOf(
    client.connect(httpClientTransport({ url: `http://127.0.0.1:${port}/mcp`, fallsBackToSse: false, ...options })),
  );
  server.close();
  return error;
}

const calling = async (
  handlers: Handlers,
  options: Partial<ClientOptions> = {},
  sending: object = {},
): Promise<Error> => {
  const { client } = await connected(handlers, options);
  return rejectionOf(client.callTool({ name: 'x' }, sending));
};

const ok = (): ReturnType<typeof textResult> => textResult('ok');
const tool = (args: object, structuredContent: object): Promise<Error> =>
  rejectionOf(
    callStructuredTool(
      { callTool: () => Promise.resolve({ content: [], structuredContent }) },
      'x',
      args,
      (value) => check('city', value),
      (value) => check('celsius', value),
      undefined,
    ),
  );

function check(member: string, value: unknown) {
  if (Object.hasOwn(value as object, member)) return { success: true, value, repairs: [] } as const;
  const failure = {
    path: `/${member}`,
    reason: 'missing',
    expected: 'a value',
    found: 'nothing',
    definition: undefined,
  };
  return { success: false, failure } as never;
}

/** The errors of docs/getting-started-client.md: how each is thrown, and whether the call may have run. */
const ROWS: readonly (readonly [name: string, mayHaveRun: boolean, how: string, thrown: () => Promise<Error>])[] = [
  [
    'RpcError',
    true,
    'a handler that throws one',
    () => calling({ 'tools/call': () => Promise.reject(new RpcError(-32000, 'no')) }),
  ],
  ['RpcError', false, 'a method without a handler', () => calling({ 'tools/list': () => ({ tools: [] }) })],
  [
    'TimeoutError',
    true,
    'a handler that takes too long',
    () => calling({ 'tools/call': async () => (await sleep(200), ok()) }, {}, { timeout: 10 }),
  ],
  [
    'ConnectionClosedError',
    true,
    'a connection that closes during the call',
    async () => {
      const { client, server } = await connected({ 'tools/call': async () => (await sleep(200), ok()) });
      const error = rejectionOf(client.callTool({ name: 'x' }));
      await server.close();
      return error;
    },
  ],
  [
    'ConnectionClosedError',
    false,
    'a client that is not connected',
    () => rejectionOf(createClient({ info }).callTool({ name: 'x' })),
  ],
  [
    'ConnectionClosedError',
    false,
    'a client that has been closed',
    async () => {
      const { client } = await connected({ 'tools/call': ok });
      await client.close();
      return rejectionOf(client.callTool({ name: 'x' }));
    },
  ],
  ['CapabilityError', false, 'a server without tools', () => calling({})],
  [
    'UnsupportedMethodError',
    false,
    'a method of another revision',
    async () => rejectionOf((await connected({})).client.request('server/discover')),
  ],
  [
    'UnsupportedRevisionError',
    false,
    'no revision in common',
    async () => {
      const [serverSide, clientSide] = memoryPair();
      await createServer({ info, handlers: {} }).connect(serverSide);
      return rejectionOf(createStatelessClient({ info, probeTimeout: 50 }).connect(clientSide));
    },
  ],
  [
    'InvalidResultError',
    true,
    'a result that does not match the schema',
    () => calling({ 'tools/call': () => ({ content: 1 }) as never }),
  ],
  ['TooManyRoundsError', true, 'a server that requires input again and again', () => asking(1)],
  ['TooManyInputsError', true, 'a server that requires many inputs at once', () => asking(3)],
  ['ToolArgumentsError', false, 'arguments that do not match', () => tool({}, { celsius: 1 })],
  ['ToolOutputError', true, 'structured content that does not match', () => tool({ city: 'a' }, {})],
  ['HttpError', false, 'a status of the client', () => overHttp(429)],
  ['HttpError', true, 'a status of the server', () => overHttp(500)],
  [
    'UnauthorizedError',
    false,
    'a token that could not be obtained',
    () => overHttp(200, { authProvider: { token: () => Promise.reject(new Error('signed out')) } }),
  ],
];

test.each([HttpError, UnauthorizedError])('a call whose answer could not be resumed may have run: %o', (Failure) => {
  const url = 'http://localhost/mcp';
  expect(new Failure('not resumed', { method: 'GET', url, status: 404 }).mayHaveRun).toBe(true);
  expect(new Failure('not found', { method: 'POST', url, status: 404 }).mayHaveRun).toBe(false);
});

describe('errors of calls', () => {
  test.each(ROWS)('%s, with mayHaveRun %j, is thrown by %s', async (name, mayHaveRun, _how, thrown) => {
    const error = await thrown();
    expect(error.name).toBe(name);
    expect(error instanceof CallError || error instanceof TemplateCallError).toBe(true);
    expect(Reflect.get(error, 'mayHaveRun')).toBe(mayHaveRun);
  });

  test('are those of the guide', () => {
    const page = readFileSync('docs/getting-started-client.md', 'utf8');
    const [, section = ''] = page.split('\n## Errors of calls\n');
    const listed = [...(section.split('\n## ')[0]?.matchAll(/^\| `(\w+)` /gm) ?? [])].map(([, name]) => name);
    expect(listed).toEqual([...new Set(ROWS.map(([name]) => name))]);
    expect(codeBlocks('docs/getting-started-client.md').some(({ text }) => text.includes('mayHaveRun'))).toBe(true);
  });
});
