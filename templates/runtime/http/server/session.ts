import { hasPrimingEvents } from "../../protocol/version-rules.js";
import type { HttpCall } from "./call.js";
import { encodeErrorResponse, STREAM_NOT_ACCEPTED } from "./error-response.js";
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
import type { RequestId } from "../../jsonrpc/message.js";
import type { Invalid, Parsed } from "../../jsonrpc/parse.js";
import {
  emitMessage,
  emitClose,
  emitInvalid,
} from "../../jsonrpc/transport-events.js";
import type {
  WithHandlerCounter,
  SendOptions,
  Transport,
  TransportNetwork,
} from "../../jsonrpc/transport.js";
import { HTTP_NETWORK } from "../../jsonrpc/transport.js";
import { versionOf } from "../../protocol/revision.js";
import { encodeLine } from "../../jsonrpc/write.js";

/** What a session needs from its handler. */
export interface SessionHost {
  readonly resumeLimits: ResumeLimits | undefined;
  onClosed(session: HttpSession): void;
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
  #nextKey = 1;
  /** The stream for a response without a request, such as one to an invalid message. */
  #currentStream: SessionStream | undefined;
  readonly #onDrained: () => void;
  #isClosed = false;

  private constructor(
    id: string,
    principal: string | undefined,
    host: SessionHost,
    budget: CallerResumeBudget,
    server: AnyServer,
  ) {
    this.id = id;
    this.principal = principal;
    this.#host = host;
    this.#queue = new MessageQueue(budget);
    const { resumeLimits } = host;
    if (resumeLimits !== undefined)
      this.#events = new EventBuffer(resumeLimits, budget);
    this.#onDrained = () => this.#events?.handleDrained();
    this.#server = server;
  }

  /** Connects a server to a new session, which has not been initialized. */
  static async open(
    id: string,
    principal: string | undefined,
    host: SessionHost,
    budget: CallerResumeBudget,
    server: AnyServer,
  ): Promise<HttpSession> {
    const session = new HttpSession(id, principal, host, budget, server);
    session.#connection = await server.connect(session);
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

  /** Whether no handler of a request runs. */
  get isIdle(): boolean {
    return (this.#connection?.inFlight.inbound ?? 0) === 0;
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

  send(message: object, options?: SendOptions): void {
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
    for (const id of responseIds) this.#removePending(stream, id);
    if (Array.isArray(message))
      for (const id of [...stream.pending]) this.#removePending(stream, id);
    this.#sendResponse(stream, data, message);
  }

  close(): Promise<void> {
    this.#teardown();
    return Promise.resolve();
  }

  /** Ends streams whose requests were all cancelled: nothing will be sent for them. */
  #handleCancelled(id: RequestId): void {
    const stream = this.#streamByRequest.get(id);
    if (stream === undefined) return;
    this.#removePending(stream, id);
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
    writer.sendEmpty(202);
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
  }

  /** Sends the client an id to resume after, before there is anything to send. */
  #sendPrimingEvent(stream: SessionStream, retry?: number): void {
    if (
      this.#host.resumeLimits === undefined ||
      !hasPrimingEvents(this.revision ?? "")
    )
      return;
    stream.hasSentEventId = true;
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
    else this.#queue.add(data);
  }

  #sendQueued(stream: SessionStream): void {
    for (const data of this.#queue.takeAll()) this.#sendEvent(stream, data);
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

  #findStream(key: number): SessionStream | undefined {
    for (const stream of this.#streamByRequest.values())
      if (stream.key === key) return stream;
    return (
      this.#listenStreams.find((stream) => stream.key === key) ??
      this.#events?.findStream(key)
    );
  }

  #teardown(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const streams = new Set([
      ...this.#streamByRequest.values(),
      ...this.#listenStreams,
    ]);
    this.#streamByRequest.clear();
    this.#listenStreams.length = 0;
    for (const { writer } of streams) {
      if (writer?.isStream === false) writer.sendEmpty(503);
      else writer?.end();
    }
    this.#queue.takeAll();
    this.#events?.clear();
    this.#host.onClosed(this);
    emitClose(this);
  }
}

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
