/** Inspects a recorded conversation, entry by entry. */
import { META_KEYS } from '../../generated/runtime/protocol/revision.js';
import { isObject, memberAt, type JsonValue } from '../read/json/json.js';
import type { Entry, HttpPart, RecordingHeader, Side } from '../recording/entry.js';
import { BoundedMap, BoundedSet, sizeOf } from './bounded.js';
import { HttpCheck, type Exchange } from './checks/http.js';
import type { ExtendedRevisions } from './extensions.js';
import type { Finding, InspectedEntry } from './finding.js';
import { findRevision } from '../revisions.js';
import { reportTo } from './report.js';
import { show, type Report } from './seen.js';
import { Session, type InspectedPart } from './session.js';

/** Most HTTP exchanges and sessions that are remembered. */
const MAX_EXCHANGES = 10_000;
/** Most bytes of the requests of those exchanges. */
const MAX_EXCHANGE_BYTES = 32 * 1024 * 1024;
const MAX_SESSIONS = 1000;

/** Options of an {@link Inspector}. */
export interface InspectorOptions {
  readonly header?: RecordingHeader | undefined;
  /** The revision for messages before any names one; by default that of the header. */
  readonly revision?: string | undefined;
  /** The revisions with extensions; by default with those that are built in and that a side declares. */
  readonly extensions?: ExtendedRevisions | undefined;
}

/**
 * Inspects the entries of one conversation in order. Memory is bounded, however long the conversation is; what was
 * forgotten is not reported as a fault.
 */
export class Inspector {
  readonly #revision: string | undefined;
  readonly #extensions: ExtendedRevisions | undefined;
  /** The session over stdio, or over HTTP without session ids. */
  #default: Session;
  /** The session of all requests of stateless revisions over HTTP. */
  readonly #stateless: Session;
  readonly #byId = new BoundedMap<string, Session>(MAX_SESSIONS);
  /** Sessions of HTTP+SSE (2024-11-05), by the path of their endpoint. */
  readonly #byPath = new BoundedMap<string, Session>(MAX_SESSIONS);
  readonly #exchanges = new BoundedMap<number, Exchange>(MAX_EXCHANGES, MAX_EXCHANGE_BYTES);
  readonly #legacy = new BoundedSet<number>(MAX_EXCHANGES);
  /** The paths that carry messages, unlike those of an authorization server. */
  readonly #paths = new BoundedSet<string>(MAX_SESSIONS);
  readonly #http = new HttpCheck(({ number, path }) => this.#legacy.has(number) || this.#byPath.has(path));
  #frame = 0;
  #hasSessionIds = false;

  constructor({ header, revision, extensions }: InspectorOptions = {}) {
    this.#extensions = extensions;
    this.#revision = revision ?? header?.revision;
    // The recorder has started the server, so that nothing was said before.
    this.#default = new Session({
      extensions: this.#extensions,
      revision: this.#revision,
      isComplete: header?.transport === 'stdio',
    });
    this.#stateless = new Session({ extensions: this.#extensions, revision: this.#revision, hasExchangeIds: true });
  }

  /** Inspects the next entry. */
  add(entry: Entry): InspectedEntry {
    this.#frame += 1;
    const frame = this.#frame;
    const findings: Finding[] = [];
    const { content, http } = entry;
    if (http !== undefined) return this.#addHttp(entry, http, findings);
    if (content.kind === 'frame') {
      const parts = this.#default.see(content.frame, { frame, from: entry.from, time: entry.time });
      return this.#inspected(entry, findings, parts);
    }
    this.#checkRaw(entry, this.#default, findings);
    return { frame, entry, revision: this.#default.revision?.version, messages: [], findings };
  }

  #checkRaw({ from, content }: Entry, session: Session, findings: Finding[]): void {
    const report = this.#reporter(findings, from, session);
    if (content.kind === 'text') report('not-json', `${show(content.text)} is not JSON`);
    if (content.kind === 'bytes') report('not-utf8', 'the bytes are not UTF-8');
    if (content.kind === 'omitted') session.noteOmitted();
    else if (content.kind !== 'none') session.noteUnreadable(from);
  }

  #inspected(entry: Entry, findings: readonly Finding[], parts: readonly InspectedPart[]): InspectedEntry {
    return {
      frame: this.#frame,
      entry,
      revision: parts[0]?.revision,
      messages: parts.map(({ message }) => message),
      findings: [...findings, ...parts.flatMap((part) => part.findings)],
    };
  }

  #addHttp(entry: Entry, http: HttpPart, findings: Finding[]): InspectedEntry {
    const exchange = http.kind === 'request' ? this.#openExchange(http) : this.#exchanges.get(http.exchange);
    if (exchange === undefined) return this.#inspected(entry, findings, []);
    if (http.kind === 'request') return this.#addRequest(entry, exchange, findings);
    if (exchange.isForeign) return this.#inspected(entry, findings, []);
    const report = this.#reporter(findings, entry.from, exchange.session);
    if (http.kind === 'response') {
      exchange.status = http.status;
      exchange.responseHeaders = http.headers;
      const id = http.headers['mcp-session-id'];
      if (id !== undefined && exchange.session !== undefined) {
        this.#hasSessionIds = true;
        this.#byId.set(id, exchange.session);
      }
      this.#http.seeResponse(exchange, report);
    }
    const isRepeated = http.kind === 'event' && this.#http.seeEvent(exchange, http.id, report);
    const inspected = isRepeated ? this.#inspected(entry, [], []) : this.#addBody(entry, exchange, findings);
    // Whatever the body does not answer was not read.
    if (http.kind === 'response' && http.status >= 400) exchange.session?.forget(exchange.sent, exchange.number);
    const isStream = (exchange.responseHeaders['content-type'] ?? '').includes('text/event-stream');
    if (http.kind === 'end' || (http.kind === 'response' && !isStream)) {
      if (http.kind === 'end') this.#http.seeEnd(exchange, http.isComplete, report);
      this.#exchanges.delete(http.exchange);
      this.#legacy.delete(http.exchange);
    }
    return { ...inspected, findings: [...findings, ...inspected.findings] };
  }

  #openExchange(http: Extract<HttpPart, { kind: 'request' }>): Exchange {
    const exchange: Exchange = {
      number: http.exchange,
      frame: this.#frame,
      method: http.method,
      path: http.path,
      headers: http.headers,
      session: undefined,
      sent: [],
      status: undefined,
      responseHeaders: {},
      open: new Set(),
      hasEventIds: false,
      isForeign: false,
    };
    this.#exchanges.set(http.exchange, exchange);
    return exchange;
  }

  #addRequest(entry: Entry, exchange: Exchange, findings: Finding[]): InspectedEntry {
    const { content, from, time } = entry;
    const body = content.kind === 'frame' ? content.frame : undefined;
    const opensStream = exchange.method === 'GET' && (exchange.headers['accept'] ?? '').includes('text/event-stream');
    if (body !== undefined && isMessage(body)) this.#paths.add(exchange.path);
    else if (!this.#paths.has(exchange.path) && !opensStream) exchange.isForeign = true;
    if (exchange.isForeign) {
      this.#http.seeForeign(exchange, this.#reporter(findings, from, undefined));
      return this.#inspected(entry, findings, []);
    }
    const { session, needsId } = this.#sessionOf(exchange, body);
    exchange.session = session;
    const report = this.#reporter(findings, from, session);
    if (body === undefined) {
      if (content.kind !== 'none') this.#checkRaw(entry, session, findings);
      this.#http.seeRequest(exchange, report, needsId && exchange.method !== 'GET');
      return this.#inspected(entry, findings, []);
    }
    const headerVersion = exchange.headers['mcp-protocol-version'];
    const parts = session.see(body, { frame: this.#frame, from, time, exchange: exchange.number, headerVersion });
    this.#exchanges.set(exchange.number, exchange, sizeOf(body));
    exchange.sent = parts.flatMap(({ seen }) => (seen === undefined ? [] : [seen]));
    for (const seen of exchange.sent) if (seen.kind === 'request' && seen.id !== undefined) exchange.open.add(seen.id);
    this.#http.seeRequest(exchange, report, needsId);
    return this.#inspected(entry, findings, parts);
  }

  /** A body or an event of a response. */
  #addBody(entry: Entry, exchange: Exchange, findings: Finding[]): InspectedEntry {
    const { content, from, time, http } = entry;
    const session = exchange.session ?? this.#default;
    if (content.kind === 'text') {
      if (http?.kind === 'event' && http.event === 'endpoint') this.#openLegacy(exchange, content.text);
      else if (isJson(exchange, http)) this.#checkRaw(entry, session, findings);
    }
    if (content.kind === 'bytes' && isJson(exchange, http)) this.#checkRaw(entry, session, findings);
    if (content.kind === 'omitted') {
      session.noteOmitted();
      exchange.open.clear();
    }
    if (content.kind !== 'frame') return this.#inspected(entry, [], []);
    const isRefusal = (exchange.status ?? 200) >= 400;
    if (!isObject(content.frame) && !Array.isArray(content.frame)) return this.#inspected(entry, [], []);
    // An error in JSON that is no message, as from a proxy.
    if (isRefusal && !isMessage(content.frame)) return this.#inspected(entry, [], []);
    const isReplay = exchange.headers['last-event-id'] !== undefined;
    const parts = session.see(content.frame, {
      frame: this.#frame,
      from,
      time,
      exchange: exchange.number,
      isReplay,
      isRefusal,
    });
    for (const { seen } of parts) if (seen !== undefined) this.#http.seeAnswer(exchange, seen, seen.report);
    return this.#inspected(entry, [], parts);
  }

  /** The session of a request, and whether it lacks the id of it. */
  #sessionOf(
    { headers, method, path }: Exchange,
    body: JsonValue | undefined,
  ): { readonly session: Session; readonly needsId: boolean } {
    const legacy = this.#byPath.get(path);
    if (legacy !== undefined) return { session: legacy, needsId: false };
    if (isStateless(body, headers)) return { session: this.#stateless, needsId: false };
    const id = headers['mcp-session-id'];
    if (id !== undefined) {
      const known = this.#byId.get(id) ?? new Session({ extensions: this.#extensions, revision: this.#revision });
      this.#byId.set(id, known);
      return { session: known, needsId: false };
    }
    if (beginsSession(body)) {
      // Without ids, the sessions of several clients cannot be distinguished.
      const isShared = !this.#hasSessionIds && this.#default.hasBegun;
      const session = new Session({ extensions: this.#extensions, revision: this.#revision, isShared });
      this.#default = session;
      return { session, needsId: false };
    }
    const needsId = this.#hasSessionIds && method !== 'OPTIONS' && this.#byId.size === 1;
    return { session: this.#default, needsId };
  }

  /** HTTP+SSE (MCP 2024-11-05, transports): the first event says where to send messages. */
  #openLegacy(exchange: Exchange, endpoint: string): void {
    const session = new Session({ extensions: this.#extensions, revision: this.#revision ?? '2024-11-05' });
    this.#legacy.add(exchange.number);
    exchange.session = session;
    const base = `http://localhost${exchange.path}`;
    if (!URL.canParse(endpoint, base)) return;
    const { pathname, search } = new URL(endpoint, base);
    this.#byPath.set(pathname + search, session);
  }

  #reporter(findings: Finding[], from: Side, session: Session | undefined): Report {
    return reportTo(findings, { frame: this.#frame, from }, () => session?.revision?.version);
  }
}

function beginsSession(body: JsonValue | undefined): boolean {
  const messages = (Array.isArray(body) ? body : [body]) as readonly (JsonValue | undefined)[];
  return messages.some((message) => memberAt(message, 'method') === 'initialize');
}

function isStateless(body: JsonValue | undefined, headers: Readonly<Record<string, string>>): boolean {
  const named = memberAt(body, 'params', '_meta', META_KEYS.VERSION);
  return (findRevision(named) ?? findRevision(headers['mcp-protocol-version']))?.isStateless === true;
}

/** Whether a body or event must be a message of the protocol. */
function isJson({ responseHeaders }: Exchange, http: HttpPart | undefined): boolean {
  if (http?.kind === 'event') return http.event === undefined || http.event === 'message';
  return (responseHeaders['content-type'] ?? '').includes('application/json');
}

function isMessage(frame: JsonValue): boolean {
  return Array.isArray(frame) || (isObject(frame) && Object.hasOwn(frame, 'jsonrpc'));
}
