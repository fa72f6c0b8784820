import { Inspector } from '../../generator/inspect/inspector.js';
import type { Finding } from '../../generator/inspect/finding.js';
import type { Entry, HttpPart, Side } from '../../generator/recording/entry.js';
import type { JsonValue } from '../../generator/read/json/json.js';

type Members = Readonly<Record<string, unknown>>;

/** An entry with a frame. */
export function sent(from: Side, frame: unknown, more: Partial<Entry> = {}): Entry {
  return { from, content: { kind: 'frame', frame: frame as JsonValue }, ...more };
}

/** A message of the client, and one of the server. */
export const c = (frame: unknown): Entry => sent('client', frame);
export const s = (frame: unknown): Entry => sent('server', frame);

/** A request, a notification, a result and an error. */
export function request(id: unknown, method: string, params?: unknown): Members {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) };
}
export function notification(method: string, params?: unknown): Members {
  return { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) };
}
export function result(id: unknown, value: unknown = {}): Members {
  return { jsonrpc: '2.0', id, result: value };
}
export function error(id: unknown, code: number, data?: unknown): Members {
  return { jsonrpc: '2.0', id, error: { code, message: 'no', ...(data === undefined ? {} : { data }) } };
}

const SERVER_CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
};
const CLIENT_CAPABILITIES = { roots: { listChanged: true }, sampling: {} };

/** What each side of {@link handshake} declares. */
export interface Declared {
  readonly server?: object;
  readonly client?: object;
}

/** The handshake of a stateful revision, with the id 0. */
export function handshake(revision: string, declared: Declared = {}): readonly Entry[] {
  const later = revision >= '2025-03-26' ? { completions: {} } : {};
  const forms = revision >= '2025-06-18' ? { elicitation: {} } : {};
  return [
    c(
      request(0, 'initialize', {
        protocolVersion: revision,
        capabilities: declared.client ?? { ...CLIENT_CAPABILITIES, ...forms },
        clientInfo: { name: 'client', version: '1' },
      }),
    ),
    s(
      result(0, {
        protocolVersion: revision,
        capabilities: declared.server ?? { ...SERVER_CAPABILITIES, ...later },
        serverInfo: { name: 'server', version: '1' },
      }),
    ),
    c(notification('notifications/initialized')),
  ];
}

export const STATELESS = '2026-07-28';

/** Params of a request of 2026-07-28. */
export function stateless(params: Members = {}, meta: Members = {}, capabilities: object = {}): Members {
  return {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': STATELESS,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      'io.modelcontextprotocol/clientInfo': { name: 'client', version: '1' },
      ...meta,
    },
  };
}

/** A complete result of 2026-07-28. */
export function complete(id: unknown, members: Members = {}): Members {
  return result(id, { resultType: 'complete', ...members });
}

/** The members of a cacheable result. */
export const CACHED = { ttlMs: 0, cacheScope: 'private' } as const;

/** All findings of a conversation. */
export function inspect(entries: readonly Entry[]): readonly Finding[] {
  const isHttp = entries.some(({ http }) => http !== undefined);
  const inspector = new Inspector({ header: { version: 1, transport: isHttp ? 'http' : 'stdio' } });
  return entries.flatMap((entry) => inspector.add(entry).findings);
}

const JSON_TYPE = { 'content-type': 'application/json' };
export const STREAM_TYPE = { 'content-type': 'text/event-stream' };
export const ACCEPT = { accept: 'application/json, text/event-stream' };

/** Parts of HTTP. */
export function post(exchange: number, headers: Readonly<Record<string, string>> = ACCEPT, path = '/mcp'): HttpPart {
  return { kind: 'request', exchange, method: 'POST', path, headers };
}
export function get(exchange: number, headers: Readonly<Record<string, string>> = ACCEPT): HttpPart {
  return { kind: 'request', exchange, method: 'GET', path: '/mcp', headers };
}
export function response(
  exchange: number,
  status = 200,
  headers: Readonly<Record<string, string>> = JSON_TYPE,
): HttpPart {
  return { kind: 'response', exchange, status, headers };
}
export function event(exchange: number, id?: string): HttpPart {
  return { kind: 'event', exchange, id };
}
export function end(exchange: number, isComplete = true): HttpPart {
  return { kind: 'end', exchange, isComplete };
}

/** An entry without content. */
export function bare(from: Side, http: HttpPart): Entry {
  return { from, content: { kind: 'none' }, http };
}

/** A POST of a message with a response in JSON; without one, with status 202. */
export function posted(
  exchange: number,
  message: unknown,
  answer?: unknown,
  headers: Readonly<Record<string, string>> = ACCEPT,
  answerHeaders: Readonly<Record<string, string>> = JSON_TYPE,
): readonly Entry[] {
  return [
    sent('client', message, { http: post(exchange, headers) }),
    answer === undefined
      ? bare('server', response(exchange, 202, {}))
      : sent('server', answer, { http: response(exchange, 200, answerHeaders) }),
    bare('server', end(exchange)),
  ];
}

/** The handshake over HTTP, as exchanges 1 and 2, with the session id `s1` unless another one is given. */
export function handshakeOverHttp(revision: string, session: string | undefined = 's1'): readonly Entry[] {
  const [initialize, answer, initialized] = handshake(revision).map(({ content }) =>
    content.kind === 'frame' ? content.frame : undefined,
  );
  return [
    ...posted(1, initialize, answer, ACCEPT, {
      ...JSON_TYPE,
      ...(session === '' ? {} : { 'mcp-session-id': session }),
    }),
    ...posted(2, initialized, undefined, sessionHeaders(revision, session)),
  ];
}

/** The headers of a client in a session. */
export function sessionHeaders(revision: string, session = 's1'): Readonly<Record<string, string>> {
  return {
    ...ACCEPT,
    ...(session === '' ? {} : { 'mcp-session-id': session }),
    ...(revision >= '2025-06-18' ? { 'mcp-protocol-version': revision } : {}),
  };
}

/** The headers of a client of 2026-07-28. */
export function statelessHeaders(method: string, name?: string): Readonly<Record<string, string>> {
  return {
    ...ACCEPT,
    'mcp-protocol-version': STATELESS,
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  };
}
