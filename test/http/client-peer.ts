import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { revision as revision20250326 } from '../../generated/2025-03-26/revision.js';
import { revision as revision20251125 } from '../../generated/2025-11-25/revision.js';
import { createClient, type Client, type ClientOptions } from '../../generated/2026-07-28/client.js';
import { revision as revision20260728 } from '../../generated/2026-07-28/revision.js';
import type { EndpointEvent } from '../../generated/runtime/jsonrpc/endpoint.js';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import type { HttpClientOptions, HttpClientTransport } from '../../generated/runtime/http-client.js';

/** A message as it came, loosely typed. */
export interface ReceivedMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

/** A request as a server of these tests sees it. */
export interface ReceivedRequest {
  readonly verb: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Undefined if there was no body. */
  readonly message: ReceivedMessage;
}

/** A server that does what a test says. */
export interface ScriptedServer {
  readonly url: string;
  /** All requests so far. */
  readonly seen: ReceivedRequest[];
}

type RequestScript = (seen: ReceivedRequest, response: ServerResponse) => void | Promise<void>;

/** Serves at a free port of this machine until the test is over. */
export async function startScriptedServer(script: RequestScript): Promise<ScriptedServer> {
  const seen: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      const one: ReceivedRequest = {
        verb: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        message: body === '' ? {} : (JSON.parse(body) as ReceivedMessage),
      };
      seen.push(one);
      void script(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, seen };
}

/** A URL at which nobody is. */
export async function unusedUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/mcp`;
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

/** Begins an event stream. */
export function startStream(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  response.flushHeaders();
}

/** Writes an event. */
export function sendEvent(response: ServerResponse, data: unknown, id?: string): void {
  response.write(`${id === undefined ? '' : `id: ${id}\n`}data: ${data === '' ? '' : JSON.stringify(data)}\n\n`);
}

export function resultMessage(id: ReceivedMessage['id'], value: object = {}): object {
  return { jsonrpc: '2.0', id, result: value };
}

export const SERVER_INFO = { name: 'scripted', version: '1.0.0' };

/** The answer to `initialize`. */
export function initializeResponse(id: ReceivedMessage['id'], protocolVersion = '2025-11-25'): object {
  return resultMessage(id, { protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo: SERVER_INFO });
}

/** The answer to `server/discover`. */
export function discoverResponse(id: ReceivedMessage['id']): object {
  return resultMessage(id, {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: { listChanged: true }, resources: {} },
    ttlMs: 0,
    cacheScope: 'private',
  });
}

/** A server with a session, which leaves all but the handshake to the script. */
export function sessionScript(script: RequestScript, session = 'session-1'): RequestScript {
  return (seen, response) => {
    const { method, id } = seen.message;
    if (method === 'initialize') sendJson(response, initializeResponse(id), 200, { 'mcp-session-id': session });
    else if (method === 'notifications/initialized') response.writeHead(202).end();
    else if (seen.verb === 'DELETE') response.writeHead(200).end();
    else return script(seen, response);
  };
}

/** A server of 2026-07-28, which leaves all but `server/discover` to the script. */
export function statelessScript(script: RequestScript): RequestScript {
  return (seen, response) => {
    const { method, id } = seen.message;
    if (method === 'server/discover') sendJson(response, discoverResponse(id));
    else return script(seen, response);
  };
}

/** The result of a tool. */
export const TEXT = { resultType: 'complete', content: [{ type: 'text', text: 'done' }] };

/** A client that is connected, and what it had to tell. */
export interface Connected {
  readonly client: Client;
  readonly transport: HttpClientTransport;
  readonly events: EndpointEvent[];
}

const REVISIONS = { '2025-03-26': revision20250326, '2025-11-25': revision20251125, '2026-07-28': revision20260728 };

/** Makes a client, not yet connected. */
export function createTestClient(
  revisions: readonly (keyof typeof REVISIONS)[],
  options: HttpClientOptions,
  settings: Partial<ClientOptions> = {},
): Connected {
  const events: EndpointEvent[] = [];
  const client = createClient({
    info: { name: 'visitor', version: '1.0.0' },
    revisions: revisions.map((name) => REVISIONS[name]),
    onEvent: (one) => void events.push(one),
    ignoreCapabilities: true,
    ...settings,
  });
  onTestFinished(() => client.close());
  return { client, transport: httpClientTransport(options), events };
}

/** Makes a client and connects it. */
export async function connectTestClient(...args: Parameters<typeof createTestClient>): Promise<Connected> {
  const made = createTestClient(...args);
  await made.client.connect(made.transport);
  return made;
}

/** Waits until something holds. */
export async function waitUntil(holds: () => boolean): Promise<void> {
  const end = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error('it never came true');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** What a promise fails with, which must be of a class. */
export async function rejectionOf<E extends Error = Error>(
  promise: Promise<unknown>,
  type: abstract new (...args: never) => E = Error as never,
): Promise<E> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof type) return error;
    throw new Error(`what was thrown is no ${type.name}`, { cause: error });
  }
  throw new Error('it succeeded, and should not have');
}
