import { STANDARD_ERROR_CODES } from '../../../generated/runtime/jsonrpc/error-codes.js';
import { STATELESS_ERROR_CODES } from '../../../generated/runtime/protocol/revision.js';
import { META_KEYS } from '../../../generated/runtime/protocol/revision.js';
import { memberAt, ownMember, type JsonValue } from '../../read/json/json.js';
import type { HttpHeaders } from '../../recording/entry.js';
import { BoundedSet } from '../bounded.js';
import { methodInfo } from '../../revisions.js';
import { show, type PendingRequest, type Report, type Seen, type SeenCall } from '../seen.js';
import type { Session } from '../session.js';

/** Most event ids of a session that are remembered. */
const MAX_EVENT_IDS = 100_000;

const EVENT_STREAM = 'text/event-stream';

/** One HTTP request with its response. */
export interface Exchange {
  readonly number: number;
  readonly frame: number;
  readonly method: string;
  readonly path: string;
  readonly headers: HttpHeaders;
  session: Session | undefined;
  /** The messages of its body. */
  sent: readonly Seen[];
  status: number | undefined;
  responseHeaders: HttpHeaders;
  /** Requests of the body that have no response yet. */
  readonly open: Set<PendingRequest['id']>;
  hasEventIds: boolean;
  /** It carries no messages, such as a request for a token. */
  isForeign: boolean;
}

/** The rules of the Streamable HTTP transport. One for each recording. */
export class HttpCheck {
  readonly #eventIds = new WeakMap<Session, BoundedSet<string>>();
  /** Whether an exchange speaks HTTP+SSE of 2024-11-05, whose rules are others. */
  readonly isLegacy: (exchange: Exchange) => boolean;

  constructor(isLegacy: (exchange: Exchange) => boolean) {
    this.isLegacy = isLegacy;
  }

  /** Any request has arrived. */
  seeForeign({ path }: Exchange, report: Report): void {
    if (/[?&]access_token=/i.test(path)) report('token-in-url', 'the URL has access_token');
  }

  /** A request has arrived, with the messages of its body. */
  seeRequest(exchange: Exchange, report: Report, needsSession: boolean): void {
    const { method, headers, sent } = exchange;
    this.seeForeign(exchange, report);
    if (this.isLegacy(exchange)) return;
    const accept = headers['accept'] ?? '';
    const accepts = (type: string): boolean =>
      [type, `${type.split('/')[0] ?? ''}/*`, '*/*'].some((range) => accept.includes(range));
    if (method === 'POST' && !(accepts('application/json') && accepts(EVENT_STREAM)))
      report('http-accept', `Accept is ${show(accept)}`);
    if (method === 'GET' && !accepts(EVENT_STREAM)) report('http-accept', `Accept is ${show(accept)}`);
    const first = sent.find(isCall);
    const revision = exchange.session?.revision;
    if (first?.revision?.isStateless === true) {
      checkBodyHeaders(first, headers);
      return;
    }
    const isInitialize = first?.method === 'initialize';
    if (isInitialize || revision === undefined || revision.isStateless || exchange.session?.isShared === true) return;
    if (needsSession) report('http-session-header', 'the server assigned a session id');
    const version = headers['mcp-protocol-version'];
    if (revision.version < '2025-06-18' || exchange.session?.agreed === undefined) return;
    if (version === undefined)
      report('http-version-header', `${exchange.session.agreedVersion ?? revision.version} was negotiated`);
    else if (version !== exchange.session.agreedVersion)
      report('http-version-mismatch', `${show(version)} instead of ${exchange.session.agreedVersion ?? ''}`);
  }

  /** The head of a response has arrived. */
  seeResponse(exchange: Exchange, report: Report): void {
    const { method, status = 0, responseHeaders, sent } = exchange;
    const session = responseHeaders['mcp-session-id'];
    if (session !== undefined && !/^[\x21-\x7e]+$/.test(session))
      report('http-session-id', `${show(session)} has other characters`);
    if (!sent.some(({ kind }) => kind === 'request')) {
      this.#seeAcceptance(exchange, report);
      return;
    }
    const type = (responseHeaders['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
    if (method === 'POST' && status === 200 && type !== 'application/json' && type !== EVENT_STREAM)
      report('http-content-type', `Content-Type is ${show(type)}`, { related: exchange.frame });
  }

  /** Notifications, responses, and requests for a stream. */
  #seeAcceptance(exchange: Exchange, report: Report): void {
    const { method, status = 0, responseHeaders, sent } = exchange;
    if (this.isLegacy(exchange)) return;
    const related = exchange.frame;
    const isSuccess = status >= 200 && status < 300;
    if (method === 'POST' && sent.length > 0 && isSuccess && status !== 202)
      report('http-status', `${status} instead of 202 for what needs no response`, { related });
    const type = responseHeaders['content-type'] ?? '';
    if (method === 'GET' && isSuccess && !type.includes(EVENT_STREAM))
      report('http-content-type', `Content-Type is ${show(type)}`, { related });
  }

  /** A response of the protocol has arrived, as a body or an event. */
  seeAnswer(exchange: Exchange, seen: Seen, report: Report): void {
    if (seen.kind !== 'result' && seen.kind !== 'error') return;
    if (seen.request !== undefined) exchange.open.delete(seen.request.id);
    if (this.isLegacy(exchange)) return;
    const isStream = exchange.status === undefined || exchange.status < 400;
    if (exchange.method === 'GET' && isStream && exchange.headers['last-event-id'] === undefined)
      report('http-response-on-get', 'its request was sent by POST', {
        ...(seen.request === undefined ? {} : { related: seen.request.frame }),
      });
    if (seen.kind !== 'error' || seen.revision?.isStateless !== true) return;
    const expected = statusOf(seen.error, seen.request);
    if (expected !== undefined && exchange.status !== undefined && exchange.status !== expected)
      report('http-status', `${exchange.status} instead of ${expected}`, { pointer: '/error/code' });
  }

  /** An event of a stream has arrived. Returns whether it repeats one, as a client requests the rest of a stream. */
  seeEvent(exchange: Exchange, id: string | undefined, report: Report): boolean {
    const { session } = exchange;
    if (id === undefined || id === '' || session === undefined) return false;
    exchange.hasEventIds = true;
    const known = this.#eventIds.get(session) ?? new BoundedSet(MAX_EVENT_IDS);
    this.#eventIds.set(session, known);
    const isKnown = known.has(id);
    const isReplay = exchange.headers['last-event-id'] !== undefined;
    // From 2026-07-28 on, streams cannot be resumed, and ids mean nothing.
    const isStateless = exchange.sent.some(({ revision }) => revision?.isStateless === true);
    if (isKnown && !isReplay && !isStateless) report('http-event-id', `${show(id)} was used before`);
    known.add(id);
    return isKnown && isReplay;
  }

  /** A response has ended. */
  seeEnd(exchange: Exchange, isComplete: boolean, report: Report): void {
    if (!isComplete || exchange.open.size === 0 || this.isLegacy(exchange)) return;
    const type = exchange.responseHeaders['content-type'] ?? '';
    // With an event id, the client can ask for the rest (MCP 2025-11-25, Streamable HTTP).
    if (exchange.status !== 200 || !type.includes(EVENT_STREAM) || exchange.hasEventIds) return;
    const isCancelled = [...(exchange.session?.pendingOf('client') ?? [])].some(
      ({ id, cancelledBy }) => exchange.open.has(id) && cancelledBy !== undefined,
    );
    if (!isCancelled) report('http-no-response', 'the stream is complete', { related: exchange.frame });
  }
}

/** The status of an error of a stateless revision (MCP 2026-07-28, Streamable HTTP); undefined if any will do. */
function statusOf(error: JsonValue | undefined, request: PendingRequest | undefined): number | undefined {
  const code = memberAt(error, 'code');
  if (Object.values<unknown>(STATELESS_ERROR_CODES).includes(code)) return 400;
  const { revision } = request ?? {};
  if (code === STANDARD_ERROR_CODES.METHOD_NOT_FOUND && request !== undefined && revision !== undefined)
    return methodInfo(revision, request.method) === undefined ? 404 : undefined;
  return undefined;
}

/** MCP 2026-07-28, Streamable HTTP: headers that repeat a part of the body. */
function checkBodyHeaders({ method, params, kind, report, revision }: SeenCall, headers: HttpHeaders): void {
  const compare = (name: string, value: unknown, pointer: string): void => {
    const header = headers[name.toLowerCase()];
    if (header === undefined) report('http-header-missing', `${name} is missing`, { pointer });
    else if (decodeHeader(header) !== value)
      report('http-header-mismatch', `${name} is ${show(header)}, the body has ${show(value)}`, { pointer });
  };
  const version = memberAt(params, '_meta', META_KEYS.VERSION) ?? revision?.version;
  compare('MCP-Protocol-Version', version, '/params/_meta');
  if (kind !== 'request') return;
  compare('Mcp-Method', method, '/method');
  if (method === 'tools/call' || method === 'prompts/get')
    compare('Mcp-Name', ownMember(params, 'name'), '/params/name');
  if (method === 'resources/read') compare('Mcp-Name', ownMember(params, 'uri'), '/params/uri');
}

/** The value of a header that may be encoded as `=?base64?...?=`. */
function decodeHeader(value: string): string {
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
}

function isCall(seen: Seen): seen is SeenCall {
  return seen.kind === 'request' || seen.kind === 'notification';
}
