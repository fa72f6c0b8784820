/** Requests and notifications of one revision over a connection, and what the server answered. */
import { isObject, ownMember, type JsonObject, type JsonValue } from '../read/json/json.js';
import { isResponse, messagesOfEntry } from '../recording/message.js';
import type { Connection, HeaderChanges, Received, SendOptions, Sent } from './raw/connection.js';

/** The first revision without a handshake. */
export const STATELESS_REVISION = '2026-07-28';
/** Revisions with a handshake, oldest first. */
export const STATEFUL_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

/** Who asks. */
const CLIENT_INFO = { name: 'mcpgen-check-server', version: '1.0.0' };

/** How a request was answered. */
export interface Reply {
  readonly sent: Sent;
  /** The id of the request; undefined for null. */
  readonly id: string | number | undefined;
  /** `over`: the process ended, or the HTTP response is complete without a response message. */
  readonly outcome: 'result' | 'error' | 'over' | 'timeout';
  /** Numbers of the entries sent and received. */
  readonly frames: readonly number[];
  readonly message: JsonObject | undefined;
  readonly result: JsonObject | undefined;
  readonly code: number | undefined;
  /** Over HTTP, the status; undefined over stdio and if there was no response. */
  readonly status: number | undefined;
}

/** Options of a request. */
export interface RequestOptions extends SendOptions {
  readonly id?: string | number;
  readonly timeoutMs?: number;
  /** Replaces `_meta` of 2026-07-28; null omits it. */
  readonly meta?: JsonObject | null;
}

let nextId = 1;

/** Fewest milliseconds that an answer is waited for before something else is asked. */
const MIN_PATIENCE_MS = 2000;
/** How many times longer than the slowest answer so far is waited. */
const PATIENCE_FACTOR = 5;

/** How long a server takes to answer, from which follows how long nothing else is asked meanwhile. */
export class Pace {
  #slowestMs: number | undefined;

  /** Notes how long an answer took. */
  note(milliseconds: number): void {
    this.#slowestMs = Math.max(this.#slowestMs ?? 0, milliseconds);
  }

  /** Milliseconds to wait, at most the time limit, which applies until there was an answer. */
  patienceMs(timeoutMs: number): number {
    if (this.#slowestMs === undefined) return timeoutMs;
    return Math.min(timeoutMs, Math.max(MIN_PATIENCE_MS, this.#slowestMs * PATIENCE_FACTOR));
  }
}

/** A connection on which a revision is spoken. */
export class Session {
  readonly connection: Connection;
  readonly revision: string;
  /** Milliseconds that a request may take. */
  readonly timeoutMs: number;
  /** Shortens how long requests wait; what is late then is decided at the time limit. Undefined waits that long. */
  readonly pace: Pace | undefined;

  constructor(connection: Connection, revision: string, timeoutMs: number, pace?: Pace) {
    this.connection = connection;
    this.revision = revision;
    this.timeoutMs = timeoutMs;
    this.pace = pace;
  }

  get isStateless(): boolean {
    return this.revision === STATELESS_REVISION;
  }

  /** The params of a message, with `_meta` where the revision requires it. */
  params(params: JsonObject = {}, meta?: JsonObject | null): JsonObject {
    if (!this.isStateless || meta === null) return params;
    const given = ownMember(params, '_meta');
    return { ...params, _meta: { ...(meta ?? metaOf(this.revision)), ...(isObject(given) ? given : {}) } };
  }

  /** Sends a request and waits for its response. */
  async request(method: string, params?: JsonObject, options: RequestOptions = {}): Promise<Reply> {
    const id = options.id ?? nextId++;
    const own = this.params(params, options.meta);
    const message: JsonObject = {
      jsonrpc: '2.0',
      id,
      method,
      ...(params === undefined && Object.keys(own).length === 0 ? {} : { params: own }),
    };
    const start = performance.now();
    const reply = await this.exchange(JSON.stringify(message), id, {
      timeoutMs: this.pace?.patienceMs(this.timeoutMs) ?? this.timeoutMs,
      ...options,
      headers: { ...this.#headersFor(method, params), ...options.headers },
    });
    if (reply.message !== undefined) this.pace?.note(performance.now() - start);
    return reply;
  }

  /** Sends a notification. */
  async notify(method: string, params?: JsonObject, options: SendOptions = {}): Promise<Sent> {
    const own = this.params(params);
    const message = { jsonrpc: '2.0', method, ...(Object.keys(own).length === 0 ? {} : { params: own }) };
    return this.connection.send(JSON.stringify(message), {
      ...options,
      headers: { ...this.#headersFor(method, params), ...options.headers },
    });
  }

  /** Sends a text as it is, and waits for the response to an id; undefined is a response with the id null. */
  async exchange(text: string, id: string | number | undefined, options: RequestOptions = {}): Promise<Reply> {
    const sent = await this.connection.send(text, options);
    return this.reply(sent, id, options.timeoutMs);
  }

  /** Waits for the response to something that was sent. */
  async reply(sent: Sent, id: string | number | undefined, timeoutMs = this.timeoutMs): Promise<Reply> {
    const { log } = this.connection;
    const isOurs = ({ message, frame }: Received): boolean => {
      if (!isResponse(message)) return false;
      const given = ownMember(message, 'id') ?? null;
      if (given === (id ?? null)) return true;
      // Over HTTP, an error without an id belongs to the request in whose response it is.
      return given === null && sent.exchange !== undefined && log.entries[frame - 1]?.http?.exchange === sent.exchange;
    };
    // Each entry is looked at once, however many there are.
    let next = sent.frame;
    const find = (): Received | 'over' | undefined => {
      for (; next < log.entries.length; next += 1) {
        const entry = log.entries[next];
        if (entry?.from !== 'server') continue;
        for (const message of messagesOfEntry(entry)) {
          const candidate = { frame: next + 1, message };
          if (isOurs(candidate)) return candidate;
        }
      }
      return this.connection.isOver(sent) || log.isFlooded ? 'over' : undefined;
    };
    const found = await log.wait(find, timeoutMs);
    const status = this.statusOf(sent);
    if (found === undefined || found === 'over') {
      const frames = [sent.frame, ...this.#responseFrame(sent)];
      return {
        sent,
        id,
        outcome: found ?? 'timeout',
        frames,
        message: undefined,
        result: undefined,
        code: undefined,
        status,
      };
    }
    const { message, frame } = found;
    const error = ownMember(message, 'error');
    const result = ownMember(message, 'result');
    const code = isObject(error) ? ownMember(error, 'code') : undefined;
    return {
      sent,
      id,
      outcome: error === undefined ? 'result' : 'error',
      frames: [sent.frame, frame],
      message,
      result: isObject(result) ? result : undefined,
      code: typeof code === 'number' ? code : undefined,
      status,
    };
  }

  /** The HTTP status of an exchange. */
  statusOf(sent: Sent): number | undefined {
    const [frame] = this.#responseFrame(sent);
    const http = frame === undefined ? undefined : this.connection.log.entries[frame - 1]?.http;
    return http?.kind === 'response' ? http.status : undefined;
  }

  /** Waits for the status of an exchange that may have no message. */
  async status(sent: Sent, timeoutMs = this.timeoutMs): Promise<number | undefined> {
    const { log } = this.connection;
    await log.wait(
      () => this.statusOf(sent) ?? (this.connection.isOver(sent) ? ('over' as const) : undefined),
      timeoutMs,
    );
    return this.statusOf(sent);
  }

  #responseFrame({ exchange, frame }: Sent): readonly number[] {
    if (exchange === undefined) return [];
    const { entries } = this.connection.log;
    const index = entries.findIndex(
      ({ http }, at) => at >= frame && http?.kind === 'response' && http.exchange === exchange,
    );
    return index === -1 ? [] : [index + 1];
  }

  /** Headers of 2026-07-28 that repeat the body. */
  #headersFor(method: string, params: JsonObject | undefined): HeaderChanges {
    if (!this.isStateless) return {};
    const key =
      method === 'resources/read' ? 'uri' : /^(?:tools\/call|prompts\/get)$/.test(method) ? 'name' : undefined;
    const name = key === undefined || params === undefined ? undefined : ownMember(params, key);
    return {
      'mcp-protocol-version': this.revision,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': encodeHeader(name) } : {}),
    };
  }
}

/** The members of `_meta` that 2026-07-28 requires of each request, with another version if one is given. */
export function metaOf(version: string): JsonObject {
  return {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
}

/** A value as a header has it (2026-07-28, streamable-http, Value Encoding). */
export function encodeHeader(value: string): string {
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value)) return value;
  return `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

/** What a handshake led to. */
export interface Handshake {
  readonly session: Session;
  readonly reply: Reply;
  /** The version that the server responded with; undefined without a result. */
  readonly version: string | undefined;
}

/**
 * Sends `initialize`, and `notifications/initialized` if the server agrees to the version. Over HTTP, the session and the
 * version are in the headers from then on.
 */
export async function handshake(
  connection: Connection,
  revision: string,
  timeoutMs: number,
  pace?: Pace,
): Promise<Handshake> {
  const session = new Session(connection, revision, timeoutMs);
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: CLIENT_INFO };
  const start = performance.now();
  const reply = await session.request('initialize', params);
  if (reply.message !== undefined) pace?.note(performance.now() - start);
  const version = reply.result === undefined ? undefined : ownMember(reply.result, 'protocolVersion');
  if (version === revision) {
    await adoptSession(session, reply);
    const sent = await session.notify('notifications/initialized');
    if (connection.kind === 'http') await session.status(sent, Math.min(timeoutMs, 5000));
  }
  return { session, reply, version: typeof version === 'string' ? version : undefined };
}

async function adoptSession({ connection, revision }: Session, reply: Reply): Promise<void> {
  const id = sessionIdOf(connection, reply);
  connection.setHeaders({
    ...(id === undefined ? {} : { 'mcp-session-id': id }),
    ...(revision >= '2025-06-18' ? { 'mcp-protocol-version': revision } : {}),
  });
  return Promise.resolve();
}

/** The session that the response to `initialize` began. */
export function sessionIdOf({ log }: Connection, { sent }: Pick<Reply, 'sent'>): string | undefined {
  for (const { http } of log.entries) {
    if (http?.kind === 'response' && http.exchange === sent.exchange) return http.headers['mcp-session-id'];
  }
  return undefined;
}

/** A member of an object that is an array of objects; empty if it is not. */
export function objectsIn(value: JsonObject | undefined, key: string): readonly JsonObject[] {
  const list = value === undefined ? undefined : ownMember(value, key);
  return Array.isArray(list) ? (list as readonly JsonValue[]).filter(isObject) : [];
}

/** A member of an object that is a string; empty if it is not. */
export function textIn(value: JsonObject, key: string): string {
  const text = ownMember(value, key);
  return typeof text === 'string' ? text : '';
}
