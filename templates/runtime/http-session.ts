import { answeredBy, eventText, HttpExtra } from "./http-call.js";
import type { HttpCall, Receipt, Reply } from "./http-call.js";
import { HTTP_HEADERS } from "./http-headers.js";
import type { CallerResumeBudget, EventHolder } from "./http-resume.js";
import { droppableName } from "./http-unread.js";
import type { RequestId } from "./message.js";
import type { Invalid, Parsed } from "./parse.js";
import { receive, receiveClose, receiveInvalid } from "./receive.js";
import type { Counted, SendOptions, Transport } from "./transport.js";
import { encodeLine } from "./write.js";

/** How much a session keeps of what its streams carried, so that a client can come back for what it missed. */
export interface ResumeRules {
  readonly maxEvents: number;
  readonly maxBytes: number;
  /** Milliseconds after which a client should come back when a stream's connection was closed on purpose. */
  readonly retry: number;
}

/** What a session must know of the handler that it belongs to. */
export interface SessionHost {
  readonly resume: ResumeRules | undefined;
  onClosed(session: HttpSession): void;
}

/** What is said with a message that a client posts. */
export interface Sender extends Counted {
  readonly auth: unknown;
  readonly principal: string | undefined;
}

/** From this revision on an event may hold nothing but an id (MCP 2025-11-25, Streamable HTTP). */
const PRIMED_FROM = "2025-11-25";

/** What event ids of streams begin with that listen. */
const LISTENING = "g";

/** The refusal of a client that accepts JSON alone, where the answer must be a stream. */
export const NO_STREAM =
  "the answer is a stream: Accept must list text/event-stream";

/** Streams that listen for messages of no request, in one session. */
const MAX_LISTENING = 8;
/** Messages that wait until the client listens. */
const MAX_WAITING = 256;
/** Characters of these, if there is more than one. */
const MAX_WAITING_LENGTH = 1024 * 1024;

/** A stream of events, which may outlive the connection that carries it. */
class Stream {
  readonly key: number;
  /** The requests that it answers. */
  readonly pending = new Set<RequestId>();
  readonly isListening: boolean;
  /** The number of the last event; the priming one has 0. */
  sequence = 0;
  isPrimed = false;
  /** The number of the last event that is not kept any more and that nobody may miss without knowing. */
  lost = 0;
  reply: Reply | undefined;

  constructor(key: number, reply: Reply, isListening: boolean) {
    this.key = key;
    this.reply = reply;
    this.isListening = isListening;
  }

  /** The id of the last event: it tells the stream, and the place in it. */
  get eventId(): string {
    return `${this.isListening ? LISTENING : ""}${this.key}-${this.sequence}`;
  }
}

/** An event that was sent and can be sent again. */
interface Kept extends Receipt {
  readonly stream: Stream;
  readonly sequence: number;
  readonly text: string;
  /** Whether it was said of a request and is no more than a notification: the next one stands for it as well. */
  readonly isPassing: boolean;
  /** An answer, or a question, that no connection has carried to its end yet. */
  isOwed: boolean;
}

/**
 * A session of a stateful revision over HTTP (MCP 2025-03-26 to 2025-11-25, Streamable HTTP): the transport of one
 * connection of the server, made of many HTTP requests.
 *
 * That a client goes away does not end its requests: it may come back for the answers. What cannot be sent is kept within
 * bounds, as far as it can be sent later, and dropped otherwise.
 */
export class HttpSession implements Transport, EventHolder {
  onmessage: Transport["onmessage"];
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  oninvalid: Transport["oninvalid"];

  readonly id: string;
  readonly principal: string | undefined;
  /** When it was last used; milliseconds since 1970. */
  usedAt: number = Date.now();
  /** Whether anything came after `initialize`. */
  isConfirmed = false;
  /** Whether `initialize` was answered with a result. */
  isOpen = false;
  /** Reads a value by the rules of the revision that is spoken. */
  judge: (value: unknown) => Parsed = () => {
    throw new Error("the session is not connected yet");
  };
  /** The revision that was agreed upon. */
  revision: () => string | undefined = () => undefined;
  /** The stateful revisions that the server speaks. */
  versions: () => readonly string[] = () => [];

  readonly #host: SessionHost;
  readonly #budget: CallerResumeBudget;
  readonly #byRequest = new Map<RequestId, Stream>();
  readonly #listening: Stream[] = [];
  readonly #waiting: string[] = [];
  #waitingLength = 0;
  #kept: Kept[] = [];
  keptLength = 0;
  heapIndex = -1;
  /** The newest of the streams that listened and of which an event is not kept any more. */
  #lostListening = 0;
  #nextKey = 1;
  /** Where an answer goes that names no request, such as one to what is no message. */
  #current: Stream | undefined;
  #isClosed = false;

  constructor(
    id: string,
    principal: string | undefined,
    host: SessionHost,
    budget: CallerResumeBudget,
  ) {
    this.id = id;
    this.principal = principal;
    this.#host = host;
    this.#budget = budget;
  }

  /** Whether a connection is held for it. */
  get isAttached(): boolean {
    if (this.#listening.length > 0) return true;
    for (const { reply } of this.#byRequest.values())
      if (reply !== undefined) return true;
    return false;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Takes what was posted, and answers it. */
  post(call: HttpCall, reply: Reply, value: unknown, sender: Sender): void {
    this.usedAt = Date.now();
    if (this.isOpen) this.isConfirmed = true;
    const parsed = this.judge(value);
    const requests = requestsIn(parsed);
    if (requests.length === 0) {
      this.#take(reply, parsed, value);
      return;
    }
    const taken = requests.find((id) => this.#byRequest.has(id));
    if (taken !== undefined || new Set(requests).size < requests.length) {
      reply.json(
        400,
        errorText(
          -32600,
          "Invalid Request: a request with this id is being handled",
          taken,
        ),
      );
      return;
    }
    const stream = new Stream(this.#nextKey, reply, false);
    this.#nextKey += 1;
    for (const id of requests) {
      stream.pending.add(id);
      this.#byRequest.set(id, stream);
    }
    this.#begin(stream, reply);
    const extra = new HttpExtra(
      call,
      reply,
      sender.auth,
      sender.principal,
      sender.counter,
      () => this.#part(stream),
    );
    this.#current = stream;
    receiveWith(this, value, extra);
    this.#current = undefined;
    for (const id of cancelledIn(parsed)) this.#cancelled(id);
  }

  /** Opens a stream for what belongs to no request, or goes on with one that broke off. */
  listen(reply: Reply, lastEventId: string | undefined): void {
    this.usedAt = Date.now();
    this.isConfirmed = true;
    if (lastEventId !== undefined) {
      if (this.#resume(reply, lastEventId)) return;
      // The client had better hear that something is gone than wait for it.
      if (!this.#hasMissedNothing(lastEventId)) {
        reply.json(
          400,
          errorText(
            -32600,
            `Invalid Request: what came after this ${HTTP_HEADERS.LAST_EVENT_ID} is not known, or not kept any more`,
          ),
        );
        return;
      }
    }
    const oldest = this.#listening[0];
    if (oldest !== undefined && this.#listening.length >= MAX_LISTENING) {
      const { reply: former } = oldest;
      this.#detach(oldest);
      former?.end();
    }
    const stream = new Stream(this.#nextKey, reply, true);
    this.#nextKey += 1;
    this.#begin(stream, reply);
    reply.open();
    this.#sendWaiting(stream);
  }

  send(message: object, options?: SendOptions): void {
    if (this.#isClosed) throw new Error("the connection is closed");
    const data = encodeLine(message as never);
    const answered = Array.isArray(message)
      ? (message as object[]).map(answeredBy)
      : [answeredBy(message)];
    if (answered[0] === undefined) {
      const { relatedRequestId } = options ?? {};
      const stream =
        relatedRequestId === undefined
          ? undefined
          : this.#byRequest.get(relatedRequestId);
      if (stream?.reply?.isJsonOnly === true) {
        // A notification is dropped; a question has no way to the client.
        if (!("id" in message)) return;
        stream.reply.json(406, errorText(-32600, NO_STREAM));
        throw new Error("the client accepts no stream to be asked on");
      }
      if (stream !== undefined)
        this.#event(stream, data, !("id" in message), droppableName(message));
      else this.#unrelated(data, droppableName(message));
      return;
    }
    const stream =
      answered
        .map((id) =>
          id === null || id === undefined ? undefined : this.#byRequest.get(id),
        )
        .find((found) => found !== undefined) ?? this.#current;
    if (stream === undefined) return;
    for (const id of answered) this.#settle(stream, id);
    if (Array.isArray(message))
      for (const id of [...stream.pending]) this.#settle(stream, id);
    this.#answer(stream, data, message);
  }

  close(): Promise<void> {
    this.#end();
    return Promise.resolve();
  }

  /** Ends streams whose requests were all cancelled: nothing will be sent for them. */
  #cancelled(id: RequestId): void {
    const stream = this.#byRequest.get(id);
    if (stream === undefined) return;
    this.#settle(stream, id);
    if (stream.pending.size === 0) this.#conclude(stream);
  }

  #take(reply: Reply, parsed: Parsed, value: unknown): void {
    if (parsed.kind === "invalid") {
      this.#refuse(reply, parsed);
      return;
    }
    // A batch of nothing but invalid messages is answered.
    this.#current = new Stream(0, reply, false);
    receive(this, value);
    this.#current = undefined;
    reply.empty(202);
    for (const id of cancelledIn(parsed)) this.#cancelled(id);
  }

  #refuse(reply: Reply, invalid: Invalid): void {
    // What the endpoint answers to it goes out here.
    const stream = new Stream(0, reply, false);
    this.#current = stream;
    receiveInvalid(this, invalid);
    this.#current = undefined;
    if (!reply.isOver)
      reply.json(400, errorText(-32600, `Invalid Request: ${invalid.reason}`));
  }

  #attach(stream: Stream, reply: Reply): void {
    stream.reply = reply;
    if (stream.isListening) this.#listening.push(stream);
    reply.onGone = () => {
      this.#detach(stream);
    };
    reply.onTaken = this.#onTaken;
  }

  /** Attaches the first connection of a stream: once events go over it, it starts with an id to come back with. */
  #begin(stream: Stream, reply: Reply): void {
    this.#attach(stream, reply);
    reply.onOpen = () => {
      this.#prime(stream);
    };
  }

  #detach(stream: Stream): void {
    stream.reply = undefined;
    const at = this.#listening.indexOf(stream);
    if (at >= 0) this.#listening.splice(at, 1);
    this.usedAt = Date.now();
  }

  #settle(stream: Stream, id: RequestId | null | undefined): void {
    if (id === null || id === undefined) return;
    if (stream.pending.delete(id)) this.#byRequest.delete(id);
  }

  /** The answer to all that is on a stream, and its end. */
  #answer(stream: Stream, data: string, message: object): void {
    const { reply } = stream;
    if (reply === undefined || reply.isStream) {
      this.#event(stream, data);
      this.#conclude(stream);
      return;
    }
    if (!this.isOpen && "result" in message) {
      this.isOpen = true;
      reply.json(200, data, {
        [HTTP_HEADERS.SESSION_ID.toLowerCase()]: this.id,
      });
    } else reply.json(stream.key === 0 ? 400 : 200, data);
    stream.reply = undefined;
  }

  #conclude(stream: Stream): void {
    const { reply } = stream;
    stream.reply = undefined;
    if (reply === undefined) return;
    // One that ends without an event has none to come back for.
    reply.onOpen = undefined;
    reply.end();
  }

  #event(stream: Stream, data: string, isPassing = false, name?: string): void {
    const { reply } = stream;
    reply?.open();
    // A client that went away before the first event knows no id to come back with.
    const canResume =
      this.#host.resume !== undefined &&
      (reply !== undefined || stream.isPrimed || stream.sequence > 0);
    if (!canResume) {
      reply?.write(`data: ${data}\n`, name);
      return;
    }
    stream.sequence += 1;
    const text = `id: ${stream.eventId}\ndata: ${data}\n`;
    const kept: Kept = {
      stream,
      sequence: stream.sequence,
      text,
      isPassing,
      isOwed: !isPassing,
    };
    reply?.write(text, name, isPassing ? undefined : kept);
    this.#keep(kept);
  }

  /** Gives the client an id to come back with before there is anything to send. */
  #prime(stream: Stream, retry?: number): void {
    if (
      this.#host.resume === undefined ||
      (this.revision() ?? "") < PRIMED_FROM
    )
      return;
    stream.isPrimed = true;
    stream.reply?.write(
      eventText("", {
        id: stream.eventId,
        retry: retry ?? this.#host.resume.retry,
      }),
    );
  }

  #part(stream: Stream): boolean {
    const { reply } = stream;
    if (
      reply === undefined ||
      reply.isJsonOnly ||
      this.#host.resume === undefined ||
      (this.revision() ?? "") < PRIMED_FROM
    )
      return false;
    reply.open();
    this.#detach(stream);
    reply.end();
    return true;
  }

  /** What belongs to no request goes to one stream that listens, or waits for one. */
  #unrelated(data: string, name?: string): void {
    const stream = this.#listening.at(-1);
    if (stream !== undefined)
      this.#event(stream, data, name !== undefined, name);
    else if (this.#waiting.length >= MAX_WAITING)
      throw new Error("the client does not listen");
    else {
      const isLarge = this.#waitingLength + data.length > MAX_WAITING_LENGTH;
      if (
        (isLarge && this.#waiting.length > 0) ||
        !this.#budget.reserve(data.length)
      )
        throw new Error("too much waits for clients that do not listen");
      this.#waitingLength += data.length;
      this.#waiting.push(data);
    }
  }

  #sendWaiting(stream: Stream): void {
    const waiting = this.#waiting.splice(0);
    this.#budget.release(this.#waitingLength);
    this.#waitingLength = 0;
    for (const data of waiting) this.#event(stream, data);
  }

  #keep(kept: Kept): void {
    const { resume } = this.#host;
    const budget = this.#budget;
    if (resume === undefined) return;
    if (kept.text.length > budget.max) {
      this.#noteLost(kept);
      return;
    }
    this.#kept.push(kept);
    this.#change(kept.text.length);
    if (!kept.isOwed) budget.noteDelivered(this);
    this.#trim(resume);
    budget.trim();
  }

  /** A session forgets events by its own limits: undelivered ones only where there are too many. */
  #trim({ maxEvents, maxBytes }: ResumeRules): void {
    while (this.#kept.length > maxEvents)
      if (!this.forgetDelivered()) this.forgetUndelivered();
    // A client may be about to lose the connection that carries the newest one.
    while (this.keptLength > maxBytes) {
      const index = this.#kept.findIndex(({ isOwed }) => !isOwed);
      if (index < 0 || index === this.#kept.length - 1) return;
      this.#forget(index);
    }
  }

  readonly #onTaken = (): void => {
    this.#taken();
  };

  /** Something that waited was taken. */
  #taken(): void {
    const { resume } = this.#host;
    const budget = this.#budget;
    if (resume === undefined || this.#kept.length === 0) return;
    budget.noteDelivered(this);
    this.#trim(resume);
  }

  /** @internal */
  forgetDelivered(): boolean {
    return this.#forget(this.#kept.findIndex(({ isOwed }) => !isOwed));
  }

  /** @internal */
  forgetUndelivered(): boolean {
    return this.#forget(this.#kept.findIndex(({ isOwed }) => isOwed));
  }

  #forget(index: number): boolean {
    const [forgotten] = index < 0 ? [] : this.#kept.splice(index, 1);
    if (forgotten === undefined) return false;
    this.#change(-forgotten.text.length);
    this.#noteLost(forgotten);
    return true;
  }

  #noteLost({ stream, sequence, isPassing }: Kept): void {
    if (stream.isListening)
      this.#lostListening = Math.max(this.#lostListening, stream.key);
    if (!isPassing) stream.lost = Math.max(stream.lost, sequence);
  }

  #change(characters: number): void {
    this.keptLength += characters;
    this.#budget.change(this, characters);
  }

  /** Of a stream that listened and is not known any more: whether nothing of it was lost, so that a new one will do. */
  #hasMissedNothing(lastEventId: string): boolean {
    const key = /^g(\d{1,15})-\d{1,15}$/.exec(lastEventId)?.[1];
    return key !== undefined && Number(key) > this.#lostListening;
  }

  /**
   * Sends what came on a stream after an event, and goes on with it (MCP 2025-11-25, Resumability and Redelivery). False if
   * the stream is not known, or too much of it is gone.
   */
  #resume(reply: Reply, lastEventId: string): boolean {
    const [, key, sequence] =
      /^g?(\d{1,15})-(\d{1,15})$/.exec(lastEventId) ?? [];
    if (key === undefined) return false;
    const stream = this.#streamOf(Number(key));
    if (stream === undefined || Number(sequence) < stream.lost) return false;
    // A connection that the client has given up, though we do not know it yet.
    const former = stream.reply;
    this.#detach(stream);
    if (former !== undefined) {
      former.onGone = undefined;
      // What waits there will be sent here.
      if (former.unread > 0) former.abort();
      else former.end();
    }
    this.#attach(stream, reply);
    reply.open();
    for (const kept of this.#kept) {
      if (kept.stream === stream && kept.sequence > Number(sequence))
        reply.write(kept.text, undefined, kept.isPassing ? undefined : kept);
    }
    this.#taken();
    if (stream.isListening) this.#sendWaiting(stream);
    else if (stream.pending.size === 0) this.#conclude(stream);
    return true;
  }

  #streamOf(key: number): Stream | undefined {
    for (const stream of this.#byRequest.values())
      if (stream.key === key) return stream;
    return (
      this.#listening.find((stream) => stream.key === key) ??
      this.#kept.find(({ stream }) => stream.key === key)?.stream
    );
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const streams = new Set([...this.#byRequest.values(), ...this.#listening]);
    this.#byRequest.clear();
    this.#listening.length = 0;
    for (const { reply } of streams) {
      if (reply?.isStream === false) reply.empty(503);
      else reply?.end();
    }
    this.#waiting.length = 0;
    this.#budget.release(this.#waitingLength);
    this.#waitingLength = 0;
    this.#kept = [];
    this.#change(-this.keptLength);
    this.#host.onClosed(this);
    receiveClose(this);
  }
}

/** The ids of what has to be answered. */
function requestsIn(parsed: Parsed): readonly RequestId[] {
  switch (parsed.kind) {
    case "request":
      return [parsed.message.id];
    case "batch":
      return parsed.members.flatMap((member) => requestsIn(member));
    case "invalid":
      return parsed.fault === "params" &&
        parsed.about === "request" &&
        parsed.id !== null
        ? [parsed.id]
        : [];
    default:
      return [];
  }
}

function cancelledIn(parsed: Parsed): readonly RequestId[] {
  if (parsed.kind === "batch") return parsed.members.flatMap(cancelledIn);
  if (
    parsed.kind !== "notification" ||
    parsed.message.method !== "notifications/cancelled"
  )
    return [];
  const { requestId } = (parsed.message.params ?? {}) as {
    readonly requestId?: RequestId;
  };
  return requestId === undefined ? [] : [requestId];
}

function receiveWith(
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

/** An error response as a text; without a request, it has no id. */
export function errorText(
  code: number,
  message: string,
  id?: RequestId | null,
  data?: unknown,
): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    ...(id === undefined ? {} : { id }),
    error: { code, message, ...(data === undefined ? {} : { data }) },
  });
}
