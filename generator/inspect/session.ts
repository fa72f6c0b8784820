/** One session of a conversation: pairs requests and responses, knows the revision, and runs the checks. */
import { META_KEYS, type Revision } from '../../generated/runtime/protocol/revision.js';
import {
  formatPointer,
  isObject,
  memberAt,
  objectFromEntries,
  ownMember,
  type JsonObject,
  type JsonValue,
} from '../read/json/json.js';
import type { Side } from '../recording/entry.js';
import { isResponse, keyOf, messagesOf } from '../recording/message.js';
import { BoundedMap, BoundedSet, sizeOf } from './bounded.js';
import { CancellationCheck } from './checks/cancellation.js';
import { ClientFeatureCheck } from './checks/client-features.js';
import { ContentCheck } from './checks/content.js';
import { checkEnvelope } from './checks/envelope.js';
import { InputRoundCheck } from './checks/input-rounds.js';
import { LifecycleCheck } from './checks/lifecycle.js';
import { LoggingCheck } from './checks/logging.js';
import { MethodCheck } from './checks/methods.js';
import { PaginationCheck } from './checks/pagination.js';
import { ProgressCheck } from './checks/progress.js';
import { SubscriptionCheck } from './checks/subscriptions.js';
import { ToolCheck } from './checks/tools.js';
import { ExtendedRevisions, requestCapabilities } from './extensions.js';
import type { Finding, InspectedMessage } from './finding.js';
import { findRevision, REVISIONS } from '../revisions.js';
import { reportTo } from './report.js';
import {
  otherSide,
  show,
  type PendingRequest,
  type Report,
  type Seen,
  type SeenCall,
  type SeenResponse,
  type SessionCheck,
  type SessionFacts,
} from './seen.js';

/** Most requests without a response, and most used ids, that are remembered. */
const MAX_PENDING = 10_000;
/** Most bytes of their parameters, for each side. */
const MAX_PENDING_BYTES = 16 * 1024 * 1024;
const MAX_IDS = 100_000;
const MAX_UNREADABLE = 10_000;

/** Where a message is. */
export interface Position {
  readonly frame: number;
  readonly from: Side;
  readonly time: number | undefined;
  /** The number of the HTTP exchange, and the revision of its header. */
  readonly exchange?: number | undefined;
  readonly headerVersion?: string | undefined;
  /** A stream that repeats what was sent before. */
  readonly isReplay?: boolean;
  /** The body of an HTTP error, which may have no id. */
  readonly isRefusal?: boolean;
}

/** A message with its findings. */
export interface InspectedPart {
  readonly message: InspectedMessage;
  readonly revision: string | undefined;
  readonly findings: readonly Finding[];
  /** The message that was understood; undefined if it is invalid. */
  readonly seen: Seen | undefined;
}

/** What a session needs to know from outside of it. */
export interface SessionOptions {
  /** The revision if no message names one. */
  readonly revision?: string | undefined;
  /** Each exchange has its own ids, as in a stateless revision over HTTP, where clients are mixed. */
  readonly hasExchangeIds?: boolean;
  /** Whether several clients may be mixed although ids belong to the session. */
  readonly isShared?: boolean;
  /** Whether nothing was said before the first message, as when the recorder started the server. */
  readonly isComplete?: boolean;
  /** The revisions with extensions; by default with those that are built in and that a side declares. */
  readonly extensions?: ExtendedRevisions | undefined;
}

/** For sessions without other extensions. */
let builtinOnly: ExtendedRevisions | undefined;

type Sides<T> = Readonly<Record<Side, T>>;

/** One session. Give it each message in the order of the recording. */
export class Session implements SessionFacts {
  readonly capabilities: Record<Side, JsonObject | undefined> = { client: undefined, server: undefined };
  agreed: Revision | undefined;
  agreedVersion: string | undefined;
  isComplete: boolean;
  isShared: boolean;
  readonly extensions: ExtendedRevisions;
  /** Known extensions that a side declared. */
  readonly #declared = new Set<string>();
  readonly #given: Revision | undefined;
  readonly #hasExchangeIds: boolean;
  readonly #pending: Sides<BoundedMap<string, PendingRequest>> = {
    client: new BoundedMap(MAX_PENDING, MAX_PENDING_BYTES),
    server: new BoundedMap(MAX_PENDING, MAX_PENDING_BYTES),
  };
  readonly #usedIds: Sides<BoundedSet<string>> = {
    client: new BoundedSet(MAX_IDS),
    server: new BoundedSet(MAX_IDS),
  };
  #lastNamed: Revision | undefined;
  #hasBegun = false;
  /** Whether the last message of each side was a notification: it may explain a response without an id. */
  readonly #lastIsNotification: Record<Side, boolean> = { client: false, server: false };
  /** What could not be read, of each side: each may be answered by an error without an id, or with its id. */
  readonly #unreadable: Record<Side, number> = { client: 0, server: 0 };
  readonly #unreadableIds: Sides<BoundedSet<string>> = {
    client: new BoundedSet(MAX_UNREADABLE),
    server: new BoundedSet(MAX_UNREADABLE),
  };
  readonly #checks: readonly SessionCheck[] = [
    new LifecycleCheck(),
    new MethodCheck(),
    new ProgressCheck(),
    new CancellationCheck(),
    new PaginationCheck(),
    new ToolCheck(),
    new ClientFeatureCheck(),
    new LoggingCheck(),
    new SubscriptionCheck(),
    new InputRoundCheck(),
    new ContentCheck(),
  ];

  constructor({
    revision,
    hasExchangeIds = false,
    isShared = false,
    isComplete = false,
    extensions = (builtinOnly ??= new ExtendedRevisions()),
  }: SessionOptions = {}) {
    this.isComplete = isComplete;
    this.extensions = extensions;
    this.#given = findRevision(revision);
    this.#hasExchangeIds = hasExchangeIds;
    this.isShared = isShared;
  }

  pendingOf(from: Side): Iterable<PendingRequest> {
    return this.#pending[from].values();
  }

  /** The revision that is spoken at the moment. */
  get revision(): Revision | undefined {
    return this.agreed ?? this.#lastNamed ?? this.#given;
  }

  /** What comes from a side could not be read: an error without an id may follow. */
  noteUnreadable(from: Side): void {
    this.#unreadable[from] += 1;
    this.#lastIsNotification[from] = false;
    this.#hasBegun = true;
  }

  /** Whether anything was said. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** A frame was too large to be recorded: it may have been any message. */
  noteOmitted(): void {
    this.isComplete = false;
    this.#hasBegun = true;
  }

  /** A request was refused before it was read, as by the status 401: the same one may be sent again. */
  forget(sent: readonly Seen[], exchange: number): void {
    for (const { kind, from, message } of sent) {
      if (kind !== 'request') continue;
      const key = this.#key(ownMember(message, 'id'), exchange);
      const request = this.#pending[from].get(key);
      if (request === undefined) continue;
      this.#pending[from].delete(key);
      this.#usedIds[from].delete(key);
      for (const check of this.#checks) check.forget?.(request);
    }
  }

  /** Inspects a frame: one message, or those of a batch. */
  see(frame: JsonValue, position: Position): readonly InspectedPart[] {
    if (!Array.isArray(frame)) return [this.#seeMessage(frame, position, '', false)];
    const findings: Finding[] = [];
    const report = reportTo(findings, position, () => this.revision?.version);
    this.#checkBatch(frame as readonly JsonValue[], position, report);
    const parts = (frame as readonly JsonValue[])
      .slice(0, MAX_BATCH)
      .map((message, index) => this.#seeMessage(message, position, formatPointer(index), true));
    const [first] = parts;
    if (first === undefined) {
      return [{ message: { kind: 'invalid' }, revision: this.revision?.version, findings, seen: undefined }];
    }
    return [{ ...first, findings: [...findings, ...first.findings] }, ...parts.slice(1)];
  }

  #checkBatch(batch: readonly JsonValue[], position: Position, report: Report): void {
    const version = (this.revision ?? findRevision(position.headerVersion))?.version;
    // JSON-RPC has batches; only these revisions took a position against them.
    if (version !== undefined && version >= '2025-06-18') report('batch-not-supported', `${version} has no batches`);
    if (batch.length === 0) report('invalid-batch', 'the batch is empty');
    const responses = messagesOf(batch).filter(isResponse).length;
    const isMixed = responses > 0 && responses < batch.length;
    if (isMixed) report('invalid-batch', 'responses are mixed with other messages');
    // Whoever refuses a batch answers it with one error, which has no id.
    if (version !== BATCH_VERSION || batch.length === 0 || isMixed) this.#unreadable[position.from] += 1;
  }

  #seeMessage(message: JsonValue, position: Position, pointer: string, isInBatch: boolean): InspectedPart {
    const findings: Finding[] = [];
    const { from, frame } = position;
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    const revision = this.#extendedRevisionOf(message, position);
    const report = reportTo(findings, { ...position, prefix: pointer }, () => revision?.version);
    const kind = checkEnvelope(message, report);
    if (kind === 'invalid' || !isObject(message)) {
      this.noteUnreadable(from);
      if (isObject(message)) this.#unreadableIds[from].add(this.#key(ownMember(message, 'id'), position.exchange));
      return { message: { kind: 'invalid' }, revision: revision?.version, findings, seen: undefined };
    }
    const base = {
      session: this,
      from,
      frame,
      time: position.time,
      message,
      revision,
      exchange: position.exchange,
      isInBatch,
      report,
    };
    const rawId = ownMember(message, 'id');
    const id = typeof rawId === 'string' || typeof rawId === 'number' ? rawId : undefined;
    let seen: Seen;
    let description: InspectedMessage;
    if (kind === 'request' || kind === 'notification') {
      const method = ownMember(message, 'method') as string;
      const given = ownMember(message, 'params');
      const params = isObject(given) ? given : {};
      if (isFirst && beginsSession(method)) this.isComplete = true;
      const cancels = method === 'notifications/cancelled' ? this.#cancel(params, position, report) : undefined;
      seen = { ...base, kind, method, id: kind === 'request' ? id : undefined, params, cancels };
      const target = ownMember(params, 'name') ?? ownMember(params, 'uri');
      description = {
        kind,
        method,
        ...(kind === 'request' ? { id } : {}),
        ...(typeof target === 'string' ? { target } : {}),
        ...(cancels === undefined ? {} : { request: cancels.frame }),
      };
    } else {
      const request = this.#answer(id, rawId, position, report);
      const result = ownMember(message, 'result');
      const error = ownMember(message, 'error');
      const response: SeenResponse = { ...base, kind, request, result: isObject(result) ? result : undefined, error };
      seen = response;
      const code = isObject(error) ? ownMember(error, 'code') : undefined;
      description = {
        kind,
        id,
        ...(request === undefined ? {} : { method: request.method, request: request.frame }),
        ...(request?.time === undefined || position.time === undefined
          ? {}
          : { latencyMs: Math.max(0, position.time - request.time) }),
        ...(typeof code === 'number' ? { code } : {}),
      };
      this.#learn(response);
    }
    for (const check of this.#checks) check.see(seen);
    if (seen.kind === 'request' && id !== undefined) this.#remember(seen, id, position, report);
    this.#lastIsNotification[from] = kind === 'notification';
    return { message: description, revision: revision?.version, findings, seen };
  }

  /** The revision of a message, with the extensions that were declared until then. */
  #extendedRevisionOf(message: JsonValue, position: Position): Revision | undefined {
    if (position.from === 'client') {
      const params = isObject(message) ? ownMember(message, 'params') : undefined;
      this.#declare(requestCapabilities(params));
      if (memberAt(message, 'method') === 'initialize') this.#declare(memberAt(params, 'capabilities'));
    }
    const revision = this.#revisionOf(message, position);
    return revision === undefined ? undefined : this.extensions.extend(revision, [...this.#declared]);
  }

  #declare(capabilities: JsonValue | undefined): void {
    for (const id of this.extensions.declaredIn(capabilities)) this.#declared.add(id);
  }

  /**
   * The revision of a message: `_meta` names it from 2026-07-28 on, `initialize` proposes it and its response agrees
   * to it; a response is in the revision of its request.
   */
  #revisionOf(message: JsonValue, { from, exchange, headerVersion }: Position): Revision | undefined {
    if (!isObject(message)) return this.revision;
    const method = ownMember(message, 'method');
    const params = ownMember(message, 'params');
    if (typeof method === 'string') {
      if (from === 'client' && method === 'initialize') return findRevision(memberAt(params, 'protocolVersion'));
      const named = findRevision(memberAt(params, '_meta', META_KEYS.VERSION));
      if (from === 'client' && named?.isStateless === true) {
        this.#lastNamed = named;
        return named;
      }
    } else {
      const request = this.#pending[otherSide(from)].get(this.#key(ownMember(message, 'id'), exchange));
      const result = ownMember(message, 'result');
      if (request?.method === 'initialize' && isObject(result)) {
        return findRevision(ownMember(result, 'protocolVersion'));
      }
      if (request !== undefined) return findRevision(request.revision?.version);
    }
    return this.agreed ?? this.#lastNamed ?? findRevision(headerVersion) ?? this.#given;
  }

  /** What a response teaches about the session. */
  #learn(seen: SeenResponse): void {
    const { request, result } = seen;
    if (request === undefined || result === undefined || seen.from !== 'server') return;
    if (request.method !== 'initialize' && request.method !== 'server/discover') return;
    const server = ownMember(result, 'capabilities');
    if (isObject(server)) this.capabilities.server = server;
    this.#declare(server);
    if (request.method !== 'initialize') return;
    const client = ownMember(request.params, 'capabilities');
    this.capabilities.client = isObject(client) ? client : {};
    this.#declare(client);
    // A draft is inspected like the newest revision with sessions.
    const version = ownMember(result, 'protocolVersion');
    this.agreedVersion = typeof version === 'string' ? version : undefined;
    this.agreed = seen.revision ?? REVISIONS.filter(({ isStateless }) => !isStateless).at(-1);
  }

  /** Over HTTP, clients of stateless revisions are mixed, and each exchange has its own ids. */
  #key(id: unknown, exchange: number | undefined): string {
    return this.#hasExchangeIds ? `${exchange ?? ''} ${keyOf(id)}` : keyOf(id);
  }

  #remember(seen: SeenCall, id: string | number, at: Position, report: Report): void {
    const { from, method, params, revision, frame } = seen;
    const key = this.#key(id, at.exchange);
    const pending = this.#pending[from];
    const other = pending.get(key);
    if (!this.isShared) {
      if (other !== undefined)
        report('duplicate-id', `the request with the id ${show(id)} has no response yet`, {
          pointer: '/id',
          related: other.frame,
        });
      // From 2026-07-28 on, an id may be used again after its response.
      else if (revision?.isStateless !== true && this.#usedIds[from].has(key))
        report('reused-id', `an earlier request has the id ${show(id)}`, { pointer: '/id' });
    }
    this.#usedIds[from].add(key);
    const { exchange } = at;
    pending.delete(key);
    const remembered = neededLater(params);
    pending.set(
      key,
      { frame, from, id, method, params: remembered, revision, time: at.time, exchange, cancelledBy: undefined },
      sizeOf(remembered),
    );
  }

  /** The request that a response answers. */
  #answer(
    id: string | number | undefined,
    rawId: JsonValue | undefined,
    { from, exchange, isReplay = false, isRefusal = false }: Position,
    report: Report,
  ): PendingRequest | undefined {
    const asker = otherSide(from);
    if (id === undefined) {
      if (rawId !== undefined && rawId !== null) return undefined;
      if (isRefusal) return undefined;
      if (this.#unreadable[asker] > 0) this.#unreadable[asker] -= 1;
      else if (this.#lastIsNotification[asker])
        report('response-to-notification', 'the message before was a notification');
      else if (this.isComplete) report('response-without-id', 'no message before it was unreadable');
      return undefined;
    }
    const pending = this.#pending[asker];
    const key = this.#key(id, exchange);
    const request = pending.get(key);
    if (request !== undefined) {
      pending.delete(key);
      return request;
    }
    const used = this.#usedIds[asker];
    if (this.isShared || isReplay || this.#unreadableIds[asker].has(key) || pending.hasForgotten) return undefined;
    if (used.has(key))
      report('duplicate-response', `the request with the id ${show(id)} was answered`, { pointer: '/id' });
    else if (this.isComplete && !used.hasForgotten)
      report('unknown-response', `no request has the id ${show(id)}`, { pointer: '/id' });
    return undefined;
  }

  #cancel(params: JsonObject, { from, frame, exchange }: Position, report: Report): PendingRequest | undefined {
    const id = ownMember(params, 'requestId');
    if (typeof id !== 'string' && typeof id !== 'number') return undefined;
    // Over HTTP, a cancellation has another exchange than its request.
    const request = this.#hasExchangeIds
      ? [...this.pendingOf(from)].find((other) => other.id === id)
      : // In 2026-07-28, a server ends a subscription of the client.
        (this.#pending[from].get(keyOf(id)) ?? this.#subscriptionOf(from, this.#key(id, exchange)));
    if (request !== undefined) {
      request.cancelledBy ??= frame;
      return request;
    }
    const isKnown = this.isShared || this.#hasExchangeIds || this.#usedIds[from].has(keyOf(id));
    if (!isKnown && this.isComplete && !this.#usedIds[from].hasForgotten)
      report('cancel-unknown', `no request has the id ${show(id)}`, { pointer: '/params/requestId' });
    return undefined;
  }

  #subscriptionOf(from: Side, key: string): PendingRequest | undefined {
    const request = from === 'server' ? this.#pending.client.get(key) : undefined;
    return request?.revision?.isStateless === true ? request : undefined;
  }
}

/** The parameters that a check of the response needs. Arguments are often the largest, and are checked when they are sent. */
function neededLater(params: JsonObject): JsonObject {
  if (!Object.hasOwn(params, 'arguments')) return params;
  return objectFromEntries(Object.entries(params).filter(([key]) => key !== 'arguments'));
}

/** The only revision with batches. */
const BATCH_VERSION = '2025-03-26';

/** Most messages of a batch that are inspected. */
const MAX_BATCH = 10_000;

/** Whether a message is the first of a session, so that nothing before it is missing. */
function beginsSession(method: string): boolean {
  return method === 'initialize' || method === 'server/discover';
}
