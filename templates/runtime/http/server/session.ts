import { hasPrimingEvents } from "../../protocol/version-rules.js";
import type { HeaderFields, HttpCall } from "./call.js";
import type { LogEntry, LoggedSession } from "./cluster/log-entries.js";
import type { SessionJournal } from "./cluster/session-journal.js";
import {
  encodeErrorResponse,
  encodeLostRequests,
  STREAM_NOT_ACCEPTED,
} from "./error-response.js";
import { HttpExtra } from "./extra.js";
import { EventBuffer } from "./event-buffer.js";
import type { BufferedEvent, ResumeLimits } from "./event-buffer.js";
import { MessageQueue } from "./message-queue.js";
import { encodeSseEvent } from "./reply.js";
import type { ResponseWriter } from "./reply.js";
import { HTTP_HEADERS } from "../headers.js";
import type { CallerResumeBudget } from "./resume-budget.js";
import { listenKeyOf, parseEventId, SessionStream } from "./session-stream.js";
import type { AnyServer } from "./types.js";
import { dropKeyOf } from "./unread-budget.js";
import { cancelledIdOf, responseIdOf } from "../../jsonrpc/envelope.js";
import { SERVER_BUSY } from "../../jsonrpc/endpoint.js";
import type { RequestId } from "../../jsonrpc/message.js";
import type { Invalid, Parsed } from "../../jsonrpc/parse.js";
import {
  emitMessage,
  emitClose,
  emitInvalid,
  toError,
} from "../../jsonrpc/transport-events.js";
import type {
  WithHandlerCounter,
  SendOptions,
  Transport,
  TransportNetwork,
} from "../../jsonrpc/transport.js";
import { HTTP_NETWORK } from "../../jsonrpc/transport.js";
import { versionOf } from "../../protocol/revision.js";
import type { SavedSession } from "../../server/saved-session.js";
import { encodeLine } from "../../jsonrpc/write.js";

/** What a session needs from its handler. */
export interface SessionHost {
  readonly resumeLimits: ResumeLimits | undefined;
  /** @param hasLeft - Whether it goes on in another process. */
  onClosed(session: HttpSession, hasLeft: boolean): void;
}

/** What a session begins with. */
export interface SessionInit {
  readonly id: string;
  readonly principal: string | undefined;
  readonly host: SessionHost;
  readonly budget: CallerResumeBudget;
  readonly server: AnyServer;
  /** Writes down what other processes need; undefined without a cluster. */
  readonly journal?: SessionJournal | undefined;
}

/** What is known of a session that another process had before. */
export interface FormerSession {
  readonly saved: SavedSession;
  /** The first stream key, and id of a request to the client, that no former owner has used. */
  readonly firstKey: number;
  readonly log: LoggedSession;
}

/** What a session passes with a posted message. */
export interface PostSender extends WithHandlerCounter {
  readonly auth: unknown;
  readonly principal: string | undefined;
}

/** Maximum of streams in one session that listen for messages of no request. */
const MAX_LISTEN_STREAMS = 8;
/**
 * A session of a stateful revision over HTTP (MCP 2025-03-26 to 2025-11-25, Streamable HTTP): the transport of one
 * connection of the server, made of many HTTP requests.
 *
 * A client that disconnects does not cancel its requests: it may reconnect for the responses. Messages that cannot be
 * sent are kept within limits if they can be sent later, and dropped otherwise.
 *
 * A request id is in `streamByRequest` until its response is sent or the request is cancelled.
 * `currentStream` is set only during a synchronous call of `onmessage` or `oninvalid`.
 */
export class HttpSession implements Transport {
  onmessage: Transport["onmessage"];
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  oninvalid: Transport["oninvalid"];

  readonly id: string;
  readonly principal: string | undefined;
  /** When it was last used; milliseconds since 1970. */
  lastUsedAt: number = Date.now();
  /** Whether any message came after `initialize`. */
  hasBeenUsed = false;
  /** Whether `initialize` was answered with a result. */
  isInitialized = false;

  readonly #host: SessionHost;
  readonly #server: AnyServer;
  /** Set before {@link open} resolves. */
  #connection: Awaited<ReturnType<AnyServer["connect"]>> | undefined;
  readonly #streamByRequest = new Map<RequestId, SessionStream>();
  readonly #listenStreams: SessionStream[] = [];
  readonly #queue: MessageQueue;
  /** Undefined without resumability. */
  readonly #events: EventBuffer | undefined;
  readonly #journal: SessionJournal | undefined;
  /** Responses that wait until the state is stored. */
  #unsaved = 0;
  /** Settles when the last of them was sent. */
  #saving: Promise<void> | undefined;
  #nextKey = 1;
  /** Streams with lower keys are those of former owners. */
  #firstKey = 1;
  /** The stream for a response without a request, such as one to an invalid message. */
  #currentStream: SessionStream | undefined;
  readonly #onDrained: () => void;
  #isClosed = false;

  private constructor({
    id,
    principal,
    host,
    budget,
    server,
    journal,
  }: SessionInit) {
    this.id = id;
    this.principal = principal;
    this.#host = host;
    this.#queue = new MessageQueue(budget);
    const { resumeLimits } = host;
    if (resumeLimits !== undefined)
      this.#events = new EventBuffer(resumeLimits, budget);
    this.#onDrained = () => this.#events?.handleDrained();
    this.#server = server;
    this.#journal = journal;
  }

  /** Connects a server to a new session, which has not been initialized. */
  static async open(init: SessionInit): Promise<HttpSession> {
    const session = new HttpSession(init);
    session.#connection = await init.server.connect(session);
    return session;
  }

  /**
   * Goes on with a session of another process. Requests that it was handling are answered with an error.
   *
   * @throws RangeError if the server does not support its revision.
   */
  static async resume(
    init: SessionInit,
    { saved, firstKey, log }: FormerSession,
  ): Promise<HttpSession> {
    const session = new HttpSession(init);
    session.#nextKey = firstKey;
    session.#firstKey = firstKey;
    session.isInitialized = true;
    session.hasBeenUsed = true;
    session.#connection = await init.server.connect(session, undefined, {
      saved,
      firstRequestId: firstKey,
    });
    const restored = session.#journal?.restore(log, {
      queue: session.#queue,
      events: session.#events,
    });
    for (const { stream, isPending } of restored ?? []) {
      const ids = [...stream.pending];
      stream.pending.clear();
      if (isPending)
        session.#sendEvent(
          stream,
          `${encodeLostRequests(ids, stream.isBatch)}\n`,
        );
    }
    return session;
  }

  get network(): TransportNetwork {
    return HTTP_NETWORK;
  }

  get sessionId(): string {
    return this.id;
  }

  /** The negotiated revision. */
  get revision(): string | undefined {
    return this.#connection?.revision;
  }

  /** The stateful revisions that the server supports. */
  get statefulVersions(): readonly string[] {
    return this.#server.revisions
      .filter(({ isStateless }) => !isStateless)
      .map(versionOf);
  }

  /** Whether it has an open connection. */
  get isAttached(): boolean {
    if (this.#listenStreams.length > 0) return true;
    for (const { writer } of this.#streamByRequest.values())
      if (writer !== undefined) return true;
    return false;
  }

  /** Whether no handler of a request runs, and no response waits to be sent. */
  get isIdle(): boolean {
    return (
      (this.#connection?.inFlight.inbound ?? 0) === 0 && this.#unsaved === 0
    );
  }

  /** Settles when the response that waits until the state is stored was sent; undefined if none does. */
  get saving(): Promise<void> | undefined {
    return this.#saving;
  }

  /** What another process needs to know of its streams, as entries of a log. */
  get snapshot(): readonly LogEntry[] {
    return (
      this.#journal?.snapshotOf({
        openStreams: this.#streamByRequest.values(),
        queue: this.#queue,
        events: this.#events,
      }) ?? []
    );
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Handles a posted message, and answers it. */
  post(
    call: HttpCall,
    writer: ResponseWriter,
    value: unknown,
    sender: PostSender,
  ): void {
    this.lastUsedAt = Date.now();
    if (this.isInitialized) this.hasBeenUsed = true;
    const parsed = this.#classify(value);
    const requests = requestIdsIn(parsed);
    if (requests.length === 0) {
      this.#acceptWithoutRequests(writer, parsed, value);
      return;
    }
    const duplicate = requests.find((id) => this.#streamByRequest.has(id));
    if (duplicate !== undefined || new Set(requests).size < requests.length) {
      writer.sendJson(
        400,
        encodeErrorResponse(
          -32600,
          "Invalid Request: a request with this id is being handled",
          duplicate,
        ),
      );
      return;
    }
    const stream = new SessionStream(this.#nextKey, writer, false);
    this.#nextKey += 1;
    stream.isBatch = parsed.kind === "batch";
    stream.requestTag = this.#journal?.tagOf({
      ids: requests,
      isBatch: stream.isBatch,
    });
    for (const id of requests) {
      stream.pending.add(id);
      this.#streamByRequest.set(id, stream);
    }
    this.#attachFirst(stream, writer);
    const extra = new HttpExtra(
      call,
      writer,
      sender.auth,
      sender.principal,
      sender.counter,
      () => this.#detachConnection(stream),
    );
    this.#currentStream = stream;
    deliverWith(this, value, extra);
    this.#currentStream = undefined;
    for (const id of cancelledIdsIn(parsed)) this.#handleCancelled(id);
  }

  /** Opens a stream for messages of no request, or resumes one that broke off. */
  listen(writer: ResponseWriter, lastEventId: string | undefined): void {
    this.lastUsedAt = Date.now();
    this.hasBeenUsed = true;
    if (lastEventId !== undefined) {
      if (this.#resume(writer, lastEventId)) return;
      if (this.#answerForFormerOwner(writer, lastEventId)) return;
      // An error is better than waiting for events that are gone.
      if (!this.#hasLostNothing(lastEventId)) {
        writer.sendJson(
          400,
          encodeErrorResponse(
            -32600,
            `Invalid Request: the events after this ${HTTP_HEADERS.LAST_EVENT_ID} are unknown or no longer kept`,
          ),
        );
        return;
      }
    }
    const oldest = this.#listenStreams[0];
    if (
      oldest !== undefined &&
      this.#listenStreams.length >= MAX_LISTEN_STREAMS
    ) {
      const { writer: previous } = oldest;
      this.#detach(oldest);
      previous?.end();
    }
    const stream = new SessionStream(this.#nextKey, writer, true);
    this.#nextKey += 1;
    this.#attachFirst(stream, writer);
    writer.startStream();
    this.#sendQueued(stream);
  }

  /** Ends the streams for messages of no request; their clients are asked to reconnect. */
  endListening(): void {
    const retry = this.#host.resumeLimits?.retry;
    for (const stream of [...this.#listenStreams]) {
      const { writer } = stream;
      // Clients of every revision know the field: it is part of server-sent events.
      if (retry !== undefined) writer?.writeEvent(`retry: ${retry}\n\n`);
      this.#detach(stream);
      writer?.end();
    }
  }

  send(message: object, options?: SendOptions): Promise<void> | void {
    if (this.#isClosed) throw new Error("the connection is closed");
    const data = encodeLine(message as never);
    const responseIds = Array.isArray(message)
      ? (message as object[]).map(responseIdOf)
      : [responseIdOf(message)];
    if (responseIds[0] === undefined) {
      const { relatedRequestId } = options ?? {};
      const stream =
        relatedRequestId === undefined
          ? undefined
          : this.#streamByRequest.get(relatedRequestId);
      if (stream?.writer?.isJsonOnly === true) {
        // A notification is dropped; a request cannot reach the client.
        if (!("id" in message)) return;
        stream.writer.sendJson(
          406,
          encodeErrorResponse(-32600, STREAM_NOT_ACCEPTED),
        );
        throw new Error(
          "the client accepts no stream, so it cannot receive requests",
        );
      }
      if (stream !== undefined)
        this.#sendEvent(stream, data, !("id" in message), dropKeyOf(message));
      else this.#sendUnrelated(data, dropKeyOf(message));
      return;
    }
    const stream =
      responseIds
        .map((id) =>
          id === null || id === undefined
            ? undefined
            : this.#streamByRequest.get(id),
        )
        .find((found) => found !== undefined) ?? this.#currentStream;
    if (stream === undefined) return;
    const saving = this.#save();
    if (saving === undefined) {
      this.#answer(stream, responseIds, data, message);
      return;
    }
    // What a request changed is stored before its client learns of it.
    return this.#whenSaved(saving, (error) => {
      if (error === undefined) this.#answer(stream, responseIds, data, message);
      else this.#answerUnsaved(stream, responseIds, error);
    });
  }

  close(): Promise<void> {
    this.#teardown(false);
    return Promise.resolve();
  }

  /** Ends it here, as it goes on in another process. Requests that run are answered with an error, and aborted. */
  leave(): void {
    this.endListening();
    this.#teardown(true);
  }

  /** Stores the state of the protocol; undefined if nothing has to wait for that. */
  #save(): Promise<void> | undefined {
    const connection = this.#connection;
    return connection === undefined
      ? undefined
      : this.#journal?.save(connection);
  }

  #whenSaved(
    saving: Promise<void>,
    onSettled: (error: Error | undefined) => void,
  ): Promise<void> {
    this.#unsaved += 1;
    const settle = (error?: Error): void => {
      this.#unsaved -= 1;
      onSettled(error);
    };
    this.#saving = saving.then(
      () => {
        settle();
      },
      (error: unknown) => {
        settle(toError(error));
      },
    );
    return this.#saving;
  }

  #answer(
    stream: SessionStream,
    ids: readonly (RequestId | null | undefined)[],
    data: string,
    message: object,
  ): void {
    for (const id of ids) this.#removePending(stream, id);
    if (Array.isArray(message))
      for (const id of [...stream.pending]) this.#removePending(stream, id);
    this.#sendResponse(stream, data, message);
  }

  /** What a request changed could not be stored, so it may be lost. */
  #answerUnsaved(
    stream: SessionStream,
    ids: readonly (RequestId | null | undefined)[],
    { isFull }: Error & { readonly isFull?: boolean },
  ): void {
    const { writer } = stream;
    const reason = isFull === true ? "Server busy" : UNAVAILABLE;
    const data = encodeErrorResponse(SERVER_BUSY, reason, ids[0]);
    if (writer?.isStream === false) {
      for (const id of ids) this.#removePending(stream, id);
      writer.sendJson(503, data, RETRY_HEADERS);
      stream.writer = undefined;
    } else this.#answer(stream, ids, `${data}\n`, {});
  }

  /** Ends streams whose requests were all cancelled: nothing will be sent for them. */
  #handleCancelled(id: RequestId): void {
    const stream = this.#streamByRequest.get(id);
    if (stream === undefined) return;
    this.#removePending(stream, id);
    this.#journal?.updateStream(stream);
    if (stream.pending.size === 0) this.#endStream(stream);
  }

  /** Classifies a value by the rules of the negotiated revision. */
  #classify(value: unknown): Parsed {
    if (this.#connection === undefined)
      throw new Error("the session is not connected yet");
    return this.#connection.classifyMessage(value);
  }

  #acceptWithoutRequests(
    writer: ResponseWriter,
    parsed: Parsed,
    value: unknown,
  ): void {
    if (parsed.kind === "invalid") {
      this.#rejectInvalid(writer, parsed);
      return;
    }
    // A batch of only invalid messages is answered.
    this.#currentStream = new SessionStream(0, writer, false);
    emitMessage(this, value);
    this.#currentStream = undefined;
    const saving = this.#save();
    if (saving === undefined) writer.sendEmpty(202);
    else
      void this.#whenSaved(saving, (error) => {
        if (error === undefined) writer.sendEmpty(202);
        else
          writer.sendJson(
            503,
            encodeErrorResponse(SERVER_BUSY, UNAVAILABLE),
            RETRY_HEADERS,
          );
      });
    for (const id of cancelledIdsIn(parsed)) this.#handleCancelled(id);
  }

  #rejectInvalid(writer: ResponseWriter, invalid: Invalid): void {
    // The endpoint's response to it is sent here.
    const stream = new SessionStream(0, writer, false);
    this.#currentStream = stream;
    emitInvalid(this, invalid);
    this.#currentStream = undefined;
    if (!writer.isFinished)
      writer.sendJson(
        400,
        encodeErrorResponse(-32600, `Invalid Request: ${invalid.reason}`),
      );
  }

  #attach(stream: SessionStream, writer: ResponseWriter): void {
    stream.writer = writer;
    if (stream.isListenStream) this.#listenStreams.push(stream);
    writer.onDisconnect = () => {
      this.#detach(stream);
    };
    writer.onDrained = this.#onDrained;
  }

  /** Attaches the first connection of a stream: if events go over it, it starts with an id for reconnecting. */
  #attachFirst(stream: SessionStream, writer: ResponseWriter): void {
    this.#attach(stream, writer);
    writer.onStreamStart = () => {
      this.#sendPrimingEvent(stream);
    };
  }

  #detach(stream: SessionStream): void {
    stream.writer = undefined;
    const index = this.#listenStreams.indexOf(stream);
    if (index >= 0) this.#listenStreams.splice(index, 1);
    this.lastUsedAt = Date.now();
  }

  #removePending(
    stream: SessionStream,
    id: RequestId | null | undefined,
  ): void {
    if (id === null || id === undefined) return;
    if (stream.pending.delete(id)) this.#streamByRequest.delete(id);
  }

  /** Sends the responses of a stream, and ends it. */
  #sendResponse(stream: SessionStream, data: string, message: object): void {
    const { writer } = stream;
    if (writer === undefined || writer.isStream) {
      this.#sendEvent(stream, data);
      this.#endStream(stream);
      return;
    }
    if (!this.isInitialized && "result" in message) {
      this.isInitialized = true;
      writer.sendJson(200, data, {
        [HTTP_HEADERS.SESSION_ID.toLowerCase()]: this.id,
      });
    } else writer.sendJson(stream.key === 0 ? 400 : 200, data);
    stream.writer = undefined;
  }

  #endStream(stream: SessionStream): void {
    const { writer } = stream;
    stream.writer = undefined;
    if (writer === undefined) return;
    // A stream that ends without an event has none to resume after.
    writer.onStreamStart = undefined;
    writer.end();
  }

  #sendEvent(
    stream: SessionStream,
    data: string,
    isDroppable = false,
    name?: string,
  ): void {
    const { writer } = stream;
    writer?.startStream();
    // A client that disconnected before the first event knows no id to resume after.
    const events = this.#events;
    const canResume =
      events !== undefined &&
      !this.#isClosed &&
      (writer !== undefined || stream.hasSentEventId || stream.sequence > 0);
    if (!canResume) {
      writer?.writeEvent(`data: ${data}\n`, name);
      return;
    }
    stream.sequence += 1;
    const text = `id: ${stream.eventId}\ndata: ${data}\n`;
    const kept: BufferedEvent = {
      stream,
      sequence: stream.sequence,
      text,
      isDroppable,
      isUndelivered: !isDroppable,
    };
    writer?.writeEvent(text, name, isDroppable ? undefined : kept);
    events.add(kept);
    this.#journal?.addEvent(kept);
  }

  /** Sends the client an id to resume after, before there is anything to send. */
  #sendPrimingEvent(stream: SessionStream, retry?: number): void {
    if (
      this.#host.resumeLimits === undefined ||
      !hasPrimingEvents(this.revision ?? "")
    )
      return;
    stream.hasSentEventId = true;
    this.#journal?.addStream(stream);
    stream.writer?.writeEvent(
      encodeSseEvent("", {
        id: stream.eventId,
        retry: retry ?? this.#host.resumeLimits.retry,
      }),
    );
  }

  #detachConnection(stream: SessionStream): boolean {
    const { writer } = stream;
    if (
      writer === undefined ||
      writer.isJsonOnly ||
      this.#host.resumeLimits === undefined ||
      !hasPrimingEvents(this.revision ?? "")
    )
      return false;
    writer.startStream();
    this.#detach(stream);
    writer.end();
    return true;
  }

  /** Sends a message of no request on one listening stream, or queues it. */
  #sendUnrelated(data: string, name?: string): void {
    const stream = this.#listenStreams.at(-1);
    if (stream !== undefined)
      this.#sendEvent(stream, data, name !== undefined, name);
    else {
      const number = this.#queue.add(data);
      this.#journal?.addQueued(number, data);
    }
  }

  #sendQueued(stream: SessionStream): void {
    const queued = this.#queue.takeAll();
    for (const data of queued) this.#sendEvent(stream, data);
    // Written down after the events, so that none is lost in between.
    if (queued.length > 0) this.#journal?.setSent(this.#queue.lastSent);
  }

  /** Whether an unknown stream listened, and nothing of it was lost: then a new stream can replace it. */
  #hasLostNothing(lastEventId: string): boolean {
    const key = listenKeyOf(lastEventId);
    return key !== undefined && key > (this.#events?.newestLostListenKey ?? 0);
  }

  /**
   * Resends the events of a stream after a given one, and resumes it (MCP 2025-11-25, Resumability and Redelivery).
   * False if the stream is unknown, or some of the events were dropped.
   */
  #resume(writer: ResponseWriter, lastEventId: string): boolean {
    const position = parseEventId(lastEventId);
    if (position === undefined) return false;
    const { key, sequence } = position;
    const stream = this.#findStream(key);
    if (stream === undefined || sequence < stream.lastLostSequence)
      return false;
    // A connection that the client has abandoned, which we have not noticed yet.
    const previous = stream.writer;
    this.#detach(stream);
    if (previous !== undefined) {
      previous.onDisconnect = undefined;
      // Waiting messages are sent here.
      if (previous.unreadBytes > 0) previous.abort();
      else previous.end();
    }
    this.#attach(stream, writer);
    writer.startStream();
    this.#events?.replay(stream, sequence, writer);
    if (stream.isListenStream) this.#sendQueued(stream);
    else if (stream.pending.size === 0) this.#endStream(stream);
    return true;
  }

  /**
   * Answers the requests of a stream that a former owner has not written down before it ended, or whose events are no
   * longer kept: clients wait for an answer, and not all of them notice that they cannot resume.
   *
   * @returns False, with nothing sent, if it was not such a stream.
   */
  #answerForFormerOwner(writer: ResponseWriter, lastEventId: string): boolean {
    const position = parseEventId(lastEventId);
    if (position?.requestTag === undefined || position.key >= this.#firstKey)
      return false;
    const requests = this.#journal?.requestsOf(position.requestTag);
    if (requests === undefined) return false;
    writer.startStream();
    writer.writeEvent(
      `data: ${encodeLostRequests(requests.ids, requests.isBatch)}\n\n`,
    );
    writer.end();
    return true;
  }

  #findStream(key: number): SessionStream | undefined {
    for (const stream of this.#streamByRequest.values())
      if (stream.key === key) return stream;
    return (
      this.#listenStreams.find((stream) => stream.key === key) ??
      this.#events?.findStream(key)
    );
  }

  #teardown(hasLeft: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const streams = new Set([
      ...this.#streamByRequest.values(),
      ...this.#listenStreams,
    ]);
    this.#streamByRequest.clear();
    this.#listenStreams.length = 0;
    for (const stream of streams) {
      const { writer } = stream;
      if (hasLeft) this.#answerLost(stream);
      else if (writer?.isStream === false) writer.sendEmpty(503);
      else writer?.end();
    }
    this.#queue.takeAll();
    this.#events?.clear();
    this.#host.onClosed(this, hasLeft);
    emitClose(this);
  }

  /** Answers the requests of a stream, whose outcome is not known, unless the client can resume it elsewhere. */
  #answerLost({ writer, pending, isBatch, isLogged }: SessionStream): void {
    if (writer === undefined) return;
    const error = encodeLostRequests([...pending], isBatch);
    if (!writer.isStream) writer.sendJson(200, error);
    else {
      if (!isLogged) writer.writeEvent(`data: ${error}\n\n`);
      writer.end();
    }
  }
}

const UNAVAILABLE = "the session store is not available";
const RETRY_HEADERS: HeaderFields = { "retry-after": "1" };

/** The ids of the requests to answer. */
function requestIdsIn(parsed: Parsed): readonly RequestId[] {
  switch (parsed.kind) {
    case "request":
      return [parsed.message.id];
    case "batch":
      return parsed.members.flatMap((member) => requestIdsIn(member));
    case "invalid":
      return parsed.code === "params" &&
        parsed.messageKind === "request" &&
        parsed.id !== null
        ? [parsed.id]
        : [];
    default:
      return [];
  }
}

function cancelledIdsIn(parsed: Parsed): readonly RequestId[] {
  if (parsed.kind === "batch") return parsed.members.flatMap(cancelledIdsIn);
  if (
    parsed.kind !== "notification" ||
    parsed.message.method !== "notifications/cancelled"
  )
    return [];
  const requestId = cancelledIdOf(parsed.message);
  return requestId === undefined ? [] : [requestId];
}

function deliverWith(
  session: HttpSession,
  value: unknown,
  extra: HttpExtra,
): void {
  try {
    session.onmessage?.(value, extra);
  } catch (error) {
    session.onerror?.(error as Error);
  }
}
