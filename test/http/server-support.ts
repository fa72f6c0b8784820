import { setTimeout as delay } from 'node:timers/promises';
import { revision as revision20241105 } from '../../generated/2024-11-05/revision.js';
import { revision as revision20250326 } from '../../generated/2025-03-26/revision.js';
import { revision as revision20250618 } from '../../generated/2025-06-18/revision.js';
import { revision as revision20251125 } from '../../generated/2025-11-25/revision.js';
import { revision as revision20260728 } from '../../generated/2026-07-28/revision.js';
import { createServer, type ServerOptions } from '../../generated/2026-07-28/server.js';
import { HttpExtra } from '../../generated/runtime/http/server/extra.js';
import type { Auth } from '../../generated/runtime/http/server/auth.js';
import { createHttpHandler, type HttpHandler, type HttpHandlerOptions } from '../../generated/runtime/http-server.js';

export const ALL_REVISIONS = [revision20241105, revision20250326, revision20250618, revision20251125, revision20260728];
export const STATELESS_REVISION = revision20260728.version;

/** What the server of these tests was seen to do. */
export interface Recorded {
  readonly aborted: string[];
}

/** A server with tools for each way of answering. */
export function fixtureServer(seen: Recorded = { aborted: [] }, options: Partial<ServerOptions> = {}) {
  return createServer({
    info: { name: 'garden', version: '1.0.0' },
    revisions: ALL_REVISIONS,
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
    handlers: {
      'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'rose' }] }),
      'tools/list': () => ({
        tools: [
          {
            name: 'echo',
            inputSchema: { type: 'object', properties: { bed: { type: 'string', 'x-mcp-header': 'Bed' } } },
          },
        ],
      }),
      'tools/call': async ({ name, arguments: args }, context) => {
        const { extra } = context;
        switch (name) {
          case 'count':
            for (const done of [1, 2, 3]) context.progress(done, 3);
            break;
          case 'slow':
            context.signal.addEventListener('abort', () => seen.aborted.push(name));
            await delay(400, undefined, { ref: false });
            break;
          case 'hang':
            await new Promise((_, reject) => {
              context.signal.addEventListener('abort', () => {
                seen.aborted.push(name);
                reject(context.signal.reason as Error);
              });
            });
            break;
          case 'leave':
            if (extra instanceof HttpExtra) extra.closeStream();
            await delay(50);
            break;
          case 'flood':
            context.signal.addEventListener('abort', () => seen.aborted.push(name));
            for (let at = 0; at < 2_000; at += 1) context.progress(at, 2_000, 'x'.repeat(10_000));
            await delay(300);
            break;
          case 'burst':
            for (let at = 0; at < 30; at += 1) context.progress(at, 30, 'x'.repeat(50_000));
            break;
          case 'bulk': {
            const { bytes, after, announced } = args as { bytes: number; after?: number; announced?: boolean };
            if (announced === true) context.progress(1, 2);
            if (after !== undefined) await delay(after);
            return { content: [{ type: 'text', text: 'x'.repeat(bytes) }] };
          }
          case 'ask': {
            const { name: answer } = await context.requireInput({
              name: {
                method: 'elicitation/create',
                params: { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
              },
            });
            return { content: [{ type: 'text', text: answer.action }] };
          }
          case 'crash':
            throw new RangeError('the password is swordfish');
        }
        return { content: [{ type: 'text', text: JSON.stringify(args ?? {}) }] };
      },
    },
    ...options,
  });
}

export function fixtureHandler<A extends Auth = Auth>(
  options: Partial<HttpHandlerOptions<A>> = {},
  seen?: Recorded,
): HttpHandler {
  return createHttpHandler<A>({ server: fixtureServer(seen), ...options });
}

export const ACCEPT_BOTH = 'application/json, text/event-stream';

export type Headers = Readonly<Record<string, string>>;

/** Sends a request to a handler as a runtime would. */
export function send(handler: HttpHandler, method: string, headers: Headers = {}, body?: unknown, path = '/mcp') {
  return handler.fetch(
    new Request(`http://localhost:3000${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
  );
}

export function post(handler: HttpHandler, body: unknown, headers: Headers = {}) {
  return send(handler, 'POST', { 'content-type': 'application/json', accept: ACCEPT_BOTH, ...headers }, body);
}

export const request = (id: number | string, method: string, params?: object) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

/** Sends `initialize`: the response, and the id of the session with the headers of its requests. */
export async function initialize(
  handler: HttpHandler,
  {
    version = '2025-11-25',
    headers = {},
    capabilities = {},
  }: {
    readonly version?: string;
    readonly headers?: Headers;
    readonly capabilities?: object;
  } = {},
) {
  const opened = await post(
    handler,
    request(0, 'initialize', { protocolVersion: version, capabilities, clientInfo: { name: 'guest', version: '1' } }),
    headers,
  );
  const id = opened.headers.get('mcp-session-id') ?? '';
  const own: Headers = { 'mcp-session-id': id, 'mcp-protocol-version': version, ...headers };
  return { opened, id, own };
}

/** Opens a session, and says how its requests are made. */
export async function openSession(
  handler: HttpHandler,
  version = '2025-11-25',
  headers: Headers = {},
  capabilities: object = {},
) {
  const { opened, id, own } = await initialize(handler, { version, headers, capabilities });
  await post(handler, { jsonrpc: '2.0', method: 'notifications/initialized' }, own);
  return {
    id,
    opened,
    headers: own,
    post: (body: unknown, more: Headers = {}) => post(handler, body, { ...own, ...more }),
    call: (callId: number, name: string, args?: object, more: Headers = {}) =>
      post(handler, request(callId, 'tools/call', { name, arguments: args, _meta: { progressToken: callId } }), {
        ...own,
        ...more,
      }),
    get: (more: Headers = {}) => send(handler, 'GET', { accept: 'text/event-stream', ...own, ...more }),
  };
}

/** A request of the stateless revision, with its headers. */
export function sendStateless(
  handler: HttpHandler,
  id: number | string,
  method: string,
  params: Record<string, unknown> = {},
  more: Headers = {},
) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': STATELESS_REVISION,
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    ...(params['_meta'] as object | undefined),
  };
  const name = params['name'] ?? params['uri'];
  return post(handler, request(id, method, { ...params, _meta: meta }), {
    'mcp-protocol-version': STATELESS_REVISION,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    ...more,
  });
}

export interface SseFields {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly data: string;
}

/** Reads events until the stream ends, or there are so many. */
export async function readEvents(response: Response, count = Number.POSITIVE_INFINITY): Promise<SseFields[]> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  const all: SseFields[] = [];
  while (all.length < count) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = text
        .slice(0, end)
        .split('\n')
        .filter((line) => !line.startsWith(':'))
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]);
      text = text.slice(end + 2);
      if (fields.length > 0) all.push(Object.fromEntries(fields) as SseFields);
    }
  }
  await reader.cancel();
  return all;
}

export const messagesOf = (
  all: readonly SseFields[],
): { readonly method?: string; readonly id?: unknown; readonly result?: unknown }[] =>
  all.filter(({ data }) => data !== '').map(({ data }) => JSON.parse(data) as object);
