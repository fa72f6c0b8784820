/** Answers as the server of a recording did. */
import { META_KEYS } from '../../generated/runtime/protocol/revision.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import {
  memberAt,
  isObject,
  objectFromEntries,
  ownMember,
  stableStringify,
  type JsonObject,
  type JsonValue,
} from '../read/json/json.js';
import { isMethodCall, isRequest, isResponse, keyOf, messagesOf, methodOf } from '../recording/message.js';
import type { Script } from './script.js';

/** A request of the recorded client, or something else that it sent, and what the server sent because of it. */
interface Exchange {
  readonly method: string;
  readonly params: string;
  readonly message: JsonObject;
  /** Requests and notifications of the server before the response, or after a notification. */
  readonly before: Sent[];
  /** Undefined if the recording ends without it. */
  response: JsonObject | undefined;
  /** How many messages the server had sent before the response. */
  responseAt: number;
  isUsed: boolean;
}

/** A message of the recorded server. */
interface Sent {
  readonly message: JsonObject;
  /** How many messages the server had sent before. */
  readonly at: number;
  /** For a request, how many it had sent when the client answered; undefined if it never did. */
  answeredAt: number | undefined;
}

/** An open subscription of 2026-07-28, whose notifications have the id of its request. */
interface Subscription {
  readonly id: JsonValue;
  readonly connection: MockConnection;
  readonly exchange: Exchange;
}

/** What the server of a recording sends, by what it receives. Shared by all connections that continue one another. */
export class RecordedServer {
  /** Open subscriptions by the recorded ids. */
  readonly subscriptions = new Map<string, Subscription>();
  readonly #ofMethod = new Map<string, ExchangeList>();
  /** By method and parameters. */
  readonly #same = new Map<string, ExchangeList>();
  readonly #warn: (text: string) => void;

  /**
   * @param scripts - What each recorded client sent, and what it received.
   * @param warn - Receives what was answered by something else than the same request.
   */
  constructor(scripts: readonly Script[], warn: (text: string) => void) {
    this.#warn = warn;
    for (const exchange of scripts.flatMap(readExchanges)) {
      addTo(this.#ofMethod, exchange.method, exchange);
      addTo(this.#same, `${exchange.method} ${exchange.params}`, exchange);
    }
  }

  /**
   * The exchange for a message of the client: the next one with these parameters, or the last one if all of them are
   * used, or the next one of the method.
   */
  find(message: JsonObject): Exchange | undefined {
    const method = methodOf(message);
    const same = this.#same.get(`${method} ${paramsKey(message)}`);
    const found = (same ?? this.#ofMethod.get(method))?.next();
    if (found === undefined) return undefined;
    if (isRequest(message) && same === undefined && !HAS_OWN_PARAMS.has(method))
      this.#warn(`${method} with these parameters is not in the recording; answered as another call of it`);
    found.isUsed = true;
    return found;
  }

  /** Warns of a request that cannot be answered. */
  warnOf(method: string, reason: string): void {
    this.#warn(`${method}: ${reason}`);
  }
}

/** Exchanges in their order, of which each is used once, and then the last one. */
class ExchangeList {
  readonly #exchanges: Exchange[] = [];
  #next = 0;

  add(exchange: Exchange): void {
    this.#exchanges.push(exchange);
  }

  /** The first one that is not used, also by another list; or the last one. */
  next(): Exchange | undefined {
    while (this.#exchanges[this.#next]?.isUsed === true) this.#next += 1;
    return this.#exchanges[this.#next] ?? this.#exchanges.at(-1);
  }
}

function addTo(lists: Map<string, ExchangeList>, key: string, exchange: Exchange): void {
  const list = lists.get(key) ?? new ExchangeList();
  list.add(exchange);
  lists.set(key, list);
}

/** Methods whose parameters depend on the client. */
const HAS_OWN_PARAMS = new Set(['initialize', 'server/discover', 'ping', 'subscriptions/listen']);

function readExchanges({ steps, fromServer }: Script): readonly Exchange[] {
  const exchanges: Exchange[] = [];
  const open = new Map<string, Exchange>();
  const asked = new Map<string, Sent>();
  let last: Exchange | undefined;
  let next = 0;
  const accept = (message: JsonObject, at: number): void => {
    if (isResponse(message)) {
      const key = keyOf(ownMember(message, 'id'));
      const exchange = open.get(key);
      if (exchange === undefined) return;
      exchange.response = message;
      exchange.responseAt = at;
      open.delete(key);
      return;
    }
    const sent: Sent = { message, at, answeredAt: undefined };
    if (isRequest(message)) asked.set(keyOf(ownMember(message, 'id')), sent);
    ownerOf(message, [...open.values()], last)?.before.push(sent);
  };
  for (const { messages, after } of steps) {
    for (; next < after; next += 1) accept(fromServer[next]?.message ?? {}, next);
    for (const message of messages) {
      if (isResponse(message)) {
        const sent = asked.get(keyOf(ownMember(message, 'id')));
        if (sent !== undefined) sent.answeredAt ??= after;
      }
      if (!isMethodCall(message)) continue;
      const exchange: Exchange = {
        method: methodOf(message),
        params: paramsKey(message),
        message,
        before: [],
        response: undefined,
        responseAt: 0,
        isUsed: false,
      };
      exchanges.push(exchange);
      last = exchange;
      if (isRequest(message)) open.set(keyOf(ownMember(message, 'id')), exchange);
    }
  }
  for (; next < fromServer.length; next += 1) accept(fromServer[next]?.message ?? {}, next);
  return exchanges;
}

/** Progress names its request; anything else belongs to the latest request that is open, or to what was before. */
function ownerOf(message: JsonObject, open: readonly Exchange[], last: Exchange | undefined): Exchange | undefined {
  if (methodOf(message) === 'notifications/progress') {
    const token = keyOf(memberAt(message, 'params', 'progressToken'));
    const owner = open.find(
      (exchange) => keyOf(memberAt(exchange.message, 'params', '_meta', 'progressToken')) === token,
    );
    if (owner !== undefined) return owner;
  }
  const closing = open.filter(({ method }) => method !== LISTEN);
  return closing.at(-1) ?? last;
}

/** A request whose response is the end of a subscription. */
const LISTEN = 'subscriptions/listen';

/** The parameters without `_meta`, which is about the request and its sender. */
function paramsKey(message: JsonObject): string {
  const params = ownMember(message, 'params');
  if (!isObject(params)) return '{}';
  return stableStringify(objectFromEntries(Object.entries(params).filter(([key]) => key !== '_meta')));
}

/** Milliseconds within which a client answers a request of the server. */
const CLIENT_TIMEOUT_MS = 30_000;
/** Most requests that wait at a time. */
const MAX_RUNNING = 1000;

/** One connection of a client to a recorded server. */
export class MockConnection {
  /** The revision that `initialize` was answered with. */
  revision: string | undefined;
  readonly #server: RecordedServer;
  readonly #transport: Transport;
  readonly #answers = new Map<string, () => void>();
  /** Requests that are being answered. */
  readonly #open = new Set<string>();
  readonly #cancelled = new Set<string>();
  #running = 0;
  #nextId = 1;
  #isEnding = false;

  /** Answers over a transport; the transport is not started. */
  constructor(server: RecordedServer, transport: Transport) {
    this.#server = server;
    this.#transport = transport;
    transport.onmessage = (value) => {
      for (const message of messagesOf(value as JsonValue)) this.#receive(message);
    };
    transport.onend = () => {
      this.#isEnding = true;
      // The client answers nothing anymore.
      for (const resume of this.#answers.values()) resume();
      this.#closeIfIdle();
    };
  }

  /** Starts the transport. */
  async start(): Promise<void> {
    await this.#transport.start();
  }

  /** Closes the connection. */
  async close(): Promise<void> {
    for (const resume of this.#answers.values()) resume();
    await this.#transport.close();
  }

  #receive(message: JsonObject): void {
    if (isResponse(message)) {
      this.#answers.get(keyOf(ownMember(message, 'id')))?.();
      return;
    }
    if (!isMethodCall(message)) return;
    if (methodOf(message) === 'notifications/cancelled') this.#cancel(memberAt(message, 'params', 'requestId'));
    if (this.#running >= MAX_RUNNING) {
      if (isRequest(message)) this.#sendError(message, -32603, 'too many requests wait');
      return;
    }
    this.#running += 1;
    const key = keyOf(ownMember(message, 'id'));
    if (isRequest(message)) this.#open.add(key);
    void this.#answer(message).finally(() => {
      this.#running -= 1;
      if (isRequest(message)) {
        this.#open.delete(key);
        this.#cancelled.delete(key);
      }
      this.#closeIfIdle();
    });
  }

  #cancel(id: JsonValue | undefined): void {
    // A cancellation that crosses the response must not cancel a later request with the same id.
    if (this.#open.has(keyOf(id))) this.#cancelled.add(keyOf(id));
  }

  #closeIfIdle(): void {
    if (this.#isEnding && this.#running === 0) void this.#transport.close();
  }

  async #answer(message: JsonObject): Promise<void> {
    const method = methodOf(message);
    const exchange = this.#server.find(message);
    if (exchange === undefined) {
      if (!isRequest(message)) return;
      if (method === 'ping') {
        this.#send({ jsonrpc: '2.0', id: ownMember(message, 'id') ?? null, result: {} });
        return;
      }
      this.#server.warnOf(method, 'not in the recording; answered with an error');
      this.#sendError(message, -32601, `Method not found: ${method} is not in the recording`);
      return;
    }
    const id = ownMember(message, 'id');
    const hasFailed = Object.hasOwn(exchange.response ?? {}, 'error');
    if (method === LISTEN && id !== undefined && !hasFailed)
      this.#server.subscriptions.set(keyOf(ownMember(exchange.message, 'id')), { id, connection: this, exchange });
    const answers: (readonly [Sent, Promise<void>])[] = [];
    // What came after an answer of the client, comes after it now.
    const answersUntil = (at: number): readonly Promise<void>[] =>
      answers.filter(([sent]) => (sent.answeredAt ?? Infinity) <= at).map(([, answer]) => answer);
    for (const sent of exchange.before) {
      const due = answersUntil(sent.at);
      // Over HTTP, initialize has to be answered at once.
      if (due.length > 0) await Promise.all(due);
      const current = this.#current(sent.message, exchange.message, message);
      if (current === undefined) continue;
      if (isRequest(current)) answers.push([sent, this.#ask(current, id)]);
      else this.#sendNotification(current, id);
    }
    const due = answersUntil(Number.MAX_SAFE_INTEGER);
    if (due.length > 0) await Promise.all(due);
    if (!isRequest(message) || this.#cancelled.delete(keyOf(id))) return;
    // A subscription ends when it did, or with its connection.
    if (method === LISTEN && !hasFailed) return;
    if (exchange.response === undefined) {
      this.#server.warnOf(method, 'has no response in the recording, so it has none now');
      return;
    }
    const version = memberAt(exchange.response, 'result', 'protocolVersion');
    if (method === 'initialize' && typeof version === 'string') this.revision = version;
    this.#send(this.#current(exchange.response, exchange.message, message) ?? exchange.response);
    this.#endSubscriptions(exchange.responseAt);
  }

  /** Ends the subscriptions that the server ended after a message. */
  #endSubscriptions(after: number): void {
    let at = after;
    for (const [key, { id, connection, exchange }] of this.#server.subscriptions) {
      const { response, responseAt } = exchange;
      if (response === undefined || responseAt > at + 1) continue;
      at = Math.max(at, responseAt);
      this.#server.subscriptions.delete(key);
      connection.#send(withSubscription({ ...response, id }, 'result', id));
    }
  }

  /** A recorded message with the id and the token of the request that is answered; undefined if nobody wants it. */
  #current(recorded: JsonObject, recordedRequest: JsonObject, request: JsonObject): JsonObject | undefined {
    if (isResponse(recorded)) return { ...recorded, id: ownMember(request, 'id') ?? null };
    const params = ownMember(recorded, 'params');
    if (methodOf(recorded) !== 'notifications/progress' || !isObject(params)) return recorded;
    const recordedToken = memberAt(recordedRequest, 'params', '_meta', 'progressToken');
    if (keyOf(ownMember(params, 'progressToken')) !== keyOf(recordedToken)) return recorded;
    // Without a token, the client does not want progress.
    const token = memberAt(request, 'params', '_meta', 'progressToken');
    return token === undefined ? undefined : { ...recorded, params: { ...params, progressToken: token } };
  }

  /** A notification of a subscription goes over its connection, with its id. */
  #sendNotification(message: JsonObject, relatedRequestId: JsonValue | undefined): void {
    const key = keyOf(memberAt(message, 'params', '_meta', META_KEYS.SUBSCRIPTION));
    const subscription = this.#server.subscriptions.get(key);
    if (subscription === undefined) this.#send(message, relatedRequestId);
    else subscription.connection.#send(withSubscription(message, 'params', subscription.id), subscription.id);
  }

  /** Sends a request of the server, and waits for the response, whatever it is. */
  async #ask(recorded: JsonObject, relatedRequestId: JsonValue | undefined): Promise<void> {
    let id = ownMember(recorded, 'id') ?? null;
    // The request of this id may still be open, if a request is answered a second time.
    while (this.#answers.has(keyOf(id))) {
      id = `replay-${this.#nextId}`;
      this.#nextId += 1;
    }
    if (this.#isEnding) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLIENT_TIMEOUT_MS);
      this.#answers.set(keyOf(id), resolve);
      this.#send({ ...recorded, id }, relatedRequestId);
    });
    clearTimeout(timer);
    this.#answers.delete(keyOf(id));
  }

  #sendError(request: JsonObject, code: number, message: string): void {
    this.#send({ jsonrpc: '2.0', id: ownMember(request, 'id') ?? null, error: { code, message } });
  }

  #send(message: JsonObject, relatedRequestId?: JsonValue): void {
    const related =
      typeof relatedRequestId === 'string' || typeof relatedRequestId === 'number' ? { relatedRequestId } : {};
    try {
      this.#transport.send(message, related)?.catch(() => undefined);
    } catch {
      // The client is gone.
    }
  }
}

/** A message of a subscription with its id. */
function withSubscription(message: JsonObject, member: 'params' | 'result', id: JsonValue): JsonObject {
  const holder = ownMember(message, member);
  const meta = memberAt(holder, '_meta');
  if (!isObject(holder) || !isObject(meta) || !Object.hasOwn(meta, META_KEYS.SUBSCRIPTION)) return message;
  return { ...message, [member]: { ...holder, _meta: { ...meta, [META_KEYS.SUBSCRIPTION]: id } } };
}
