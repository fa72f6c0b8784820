import { cancelledIdOf, isObject, methodOf } from "./jsonrpc/envelope.js";
import type { UnknownObject } from "./jsonrpc/envelope.js";
import { STANDARD_ERROR_CODES } from "./jsonrpc/error-codes.js";
import { isPromiseLike } from "./jsonrpc/handler-errors.js";
import { errorResponse, isRequestId } from "./jsonrpc/message.js";
import type { RequestId } from "./jsonrpc/message.js";
import type { Diagnostic } from "./jsonrpc/ndjson.js";
import { invalidId } from "./jsonrpc/parse.js";
import type { Invalid } from "./jsonrpc/parse.js";
import { notifyListener, toError } from "./jsonrpc/transport-events.js";
import type { Transport } from "./jsonrpc/transport.js";

/** An end of a pipe. */
export type PipeEnd = "a" | "b";

/**
 * What to do with a frame: forward it or another one in its place, answer it to its sender, or drop it.
 */
export type FrameAction =
  { readonly forward: unknown } | { readonly answer: object } | "drop";

/** What a {@link pipe} does with frames. */
export interface PipeOptions {
  /**
   * Decides about each frame, in the order of arrival; without it, all frames are forwarded. While its promise is
   * pending, later frames from the same end wait.
   *
   * If it throws, the frame is dropped; a request gets the error -32603.
   *
   * @param frame - Any JSON value: a message, a batch, or something invalid. `classifyMessage` returns which, with the
   *   response that JSON-RPC requires if it is invalid. No id in it is an unsafe integer.
   */
  readonly onFrame?: (
    frame: unknown,
    from: PipeEnd,
  ) => FrameAction | Promise<FrameAction>;
  /**
   * Receives input that is not JSON or is too large, and messages whose id is an integer beyond 2^53 - 1, also those in a
   * batch. What it returns is sent back; `invalid.errorResponse` is what JSON-RPC requires of a server. Without it, such
   * input is dropped.
   */
  readonly onInvalid?: (
    invalid: Diagnostic | Invalid,
    from: PipeEnd,
  ) => object | undefined;
  /** Receives failures of an end's transport, of `onFrame`, and of frames that could not be forwarded. */
  readonly onError?: (error: Error, from: PipeEnd) => void;
  /**
   * Maximum of frames from one end that wait, for an end that cannot pause; 1000 by default. Above it, both ends are
   * closed with an error.
   */
  readonly maxQueuedFrames?: number;
}

/** Two connected transports. */
export interface Pipe {
  /** Resolves when both ends are closed. */
  readonly closed: Promise<void>;
  /** Closes both ends. */
  close(): Promise<void>;
}

const DEFAULT_MAX_QUEUED_FRAMES = 1000;

/**
 * Starts two transports and forwards each frame of one to the other, in order.
 *
 * - A frame that the other end has no room for is waited for, and its sender is paused meanwhile. So a slow reader
 *   makes the other side wait, and memory stays bounded.
 * - When an end closes, the other is closed after the frames that already arrived were delivered.
 * - When the input of an end ends (half-close), the other end's output ends too, after the frames that already
 *   arrived. Answers still pass until the other end closes. If its transport cannot half-close, it is closed once all
 *   requests are answered.
 * - A request that cannot be forwarded gets the error -32603.
 *
 * Frames are parsed and written again, not copied. The receiver gets the same JSON values, except that numbers beyond
 * 2^53 are rounded, `1.0` becomes `1`, and members named `__proto__` are dropped.
 *
 * @param a - A transport that has not been started, such as the side of a client.
 * @param b - The other one, such as the side of a server.
 * @throws What `start` of either transport rejects with; both are closed.
 */
export async function pipe(
  a: Transport,
  b: Transport,
  options: PipeOptions = {},
): Promise<Pipe> {
  const toB = new Direction(a, b, "a", options);
  const toA = new Direction(b, a, "b", options);
  toB.connect(toA);
  toA.connect(toB);
  const closed = Promise.all([toB.closed, toA.closed]).then(() => undefined);
  const close = async (): Promise<void> => {
    await Promise.all([a.close(), b.close()]);
  };
  try {
    await b.start();
    await a.start();
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  toB.open();
  toA.open();
  return { closed, close };
}

/** Forwards the frames of one end. */
class Direction {
  readonly closed: Promise<void>;
  readonly #source: Transport;
  readonly #target: Transport;
  readonly #from: PipeEnd;
  readonly #options: PipeOptions;
  readonly #maxQueued: number;
  #back!: Direction;
  #queue: unknown[] = [];
  /** Frames wait until both ends have started, and while one is being forwarded. */
  #isBusy = true;
  #isPaused = false;
  /** What to do with the target after the last frame. */
  #last: "nothing" | "end" | "close" = "nothing";
  /** Requests that were forwarded and not answered; only kept if the target has to be closed after the last one. */
  readonly #unanswered: Set<unknown> | undefined;
  #initializeId: unknown;
  /** Ends the wait for the frame that is being sent. */
  #stopWaiting: (() => void) | undefined;
  #resolveClosed: () => void = () => undefined;

  constructor(
    source: Transport,
    target: Transport,
    from: PipeEnd,
    options: PipeOptions,
  ) {
    this.#source = source;
    this.#target = target;
    this.#from = from;
    this.#options = options;
    this.#maxQueued = options.maxQueuedFrames ?? DEFAULT_MAX_QUEUED_FRAMES;
    this.#unanswered = target.end === undefined ? new Set() : undefined;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  /** Listens to the source. */
  connect(back: Direction): void {
    this.#back = back;
    const source = this.#source;
    source.onmessage = (received) => {
      const frame = this.#withoutUnsafeIds(received);
      if (frame === undefined) return;
      this.#queue.push(frame);
      if (!this.#isBusy) void this.#forwardQueued();
      else if (this.#queue.length > this.#maxQueued) this.#overflow();
    };
    source.oninvalid = (invalid) => {
      this.#handleInvalid(invalid);
    };
    source.onerror = (error) => {
      this.#report(error);
    };
    source.onend = () => {
      this.#last = "end";
      this.#finishIfIdle();
    };
    source.onclose = () => {
      // Nobody receives what the other end sends.
      this.#back.#queue = [];
      this.#last = "close";
      this.#stopWaiting?.();
      this.#resolveClosed();
      this.#finishIfIdle();
    };
  }

  /** Begins to forward. */
  open(): void {
    void this.#forwardQueued();
  }

  /** Without a promise to wait for, all of it runs at once. */
  async #forwardQueued(): Promise<void> {
    this.#isBusy = true;
    while (this.#queue.length > 0) {
      const frame = this.#queue.shift();
      try {
        let action = this.#options.onFrame?.(frame, this.#from);
        if (isPromiseLike(action)) {
          this.#pause();
          action = await action;
        }
        const sent = this.#apply(frame, action ?? { forward: frame });
        // It has the ids that the other direction forwarded, whatever becomes of it.
        this.#back.#handleAnswers(frame);
        if (sent === undefined) continue;
        this.#pause();
        await this.#waitFor(sent);
      } catch (error) {
        this.#back.#handleAnswers(frame);
        this.#fail(frame, error);
      }
    }
    this.#isBusy = false;
    if (this.#isPaused) {
      this.#isPaused = false;
      // It may deliver frames at once.
      this.#source.resume?.();
    }
    this.#finishIfIdle();
  }

  /** A closed sender cannot be slowed down, and the target may not read: then nothing is waited for. */
  async #waitFor(sent: Promise<void>): Promise<void> {
    if (this.#last === "close") return;
    await new Promise<void>((resolve) => {
      this.#stopWaiting = resolve;
      void sent.then(resolve, resolve);
    });
    this.#stopWaiting = undefined;
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#source.pause?.();
  }

  /**
   * @param received - The frame as its sender sent it.
   * @returns A promise if later frames must wait; it never rejects.
   */
  #apply(received: unknown, action: FrameAction): Promise<void> | undefined {
    if (action === "drop") return undefined;
    if ("answer" in action)
      return toPromise(this.#source.send(action.answer))?.catch(
        (error: unknown) => {
          this.#report(error);
        },
      );
    const { forward: frame } = action;
    const requests = idsOf(frame, isRequest);
    if (methodOf(frame) === "initialize") this.#initializeId = requests[0];
    for (const id of requests) this.#unanswered?.add(id);
    if (methodOf(frame) === "notifications/cancelled")
      this.#unanswered?.delete(cancelledIdOf(frame));
    const fail = (error: unknown): void => {
      this.#fail(received, error, frame);
    };
    try {
      // The transport checks what it can send.
      const sent = toPromise(this.#target.send(frame as object))?.catch(fail);
      const isAnswer =
        requests.length > 0 && this.#target.sendAwaitsResponse === true;
      return isAnswer ? undefined : sent;
    } catch (error) {
      fail(error);
      return undefined;
    }
  }

  /** Notes the responses in a frame of the other direction. */
  #handleAnswers(frame: unknown): void {
    for (const id of idsOf(frame, isResponse)) {
      this.#unanswered?.delete(id);
      if (id === this.#initializeId) this.#handleInitialized(frame);
    }
    if (this.#last === "end") this.#finishIfIdle();
  }

  /** Transports over HTTP send the agreed revision along. */
  #handleInitialized(response: unknown): void {
    this.#initializeId = undefined;
    const result = isObject(response) ? response["result"] : undefined;
    const version = isObject(result) ? result["protocolVersion"] : undefined;
    if (typeof version !== "string") return;
    for (const transport of [this.#source, this.#target])
      this.#run(() => transport.setProtocolVersion?.(version));
  }

  /**
   * Parsing has rounded an unsafe id, so no response could have it: its message is reported and not forwarded.
   *
   * @returns Undefined if nothing remains.
   */
  #withoutUnsafeIds(frame: unknown): unknown {
    const members: readonly unknown[] = Array.isArray(frame) ? frame : [frame];
    const unsafe = members.filter(hasUnsafeId);
    if (unsafe.length === 0) return frame;
    for (const message of unsafe) {
      const messageKind =
        methodOf(message) === undefined ? "response" : "request";
      this.#handleInvalid(invalidId(messageKind, {}));
    }
    const rest = members.filter((message) => !hasUnsafeId(message));
    return rest.length === 0 ? undefined : rest;
  }

  #handleInvalid(invalid: Diagnostic | Invalid): void {
    try {
      const answer = this.#options.onInvalid?.(invalid, this.#from);
      if (answer !== undefined) this.#run(() => this.#source.send(answer));
    } catch (error) {
      this.#report(error);
    }
  }

  /**
   * Reports that a frame was not forwarded, to its sender too.
   *
   * @param forwarded - The frame that was sent in its place, if that failed.
   */
  #fail(frame: unknown, error: unknown, forwarded?: unknown): void {
    this.#report(error);
    this.#answerUnforwarded(frame, idsOf(forwarded, isRequest));
    this.#finishIfIdle();
  }

  /** Answers the requests of a frame that have no answer yet. */
  #answerUnforwarded(frame: unknown, forwarded: readonly RequestId[]): void {
    const unanswered = this.#unanswered;
    const isAnswered = (id: RequestId | undefined): boolean =>
      id !== undefined && unanswered?.has(id) === false;
    const received = idsOf(frame, isRequest);
    // `onFrame` may have reordered or removed members of a batch, or changed ids.
    const requests = received.filter((id, index) => {
      if (forwarded.includes(id)) return !isAnswered(id);
      const isPaired = forwarded.length === received.length;
      return !isPaired || !isAnswered(forwarded[index]);
    });
    for (const id of forwarded) unanswered?.delete(id);
    if (requests.length === 0 || this.#last === "close") return;
    const answers = requests.map((id) =>
      errorResponse(id, {
        code: STANDARD_ERROR_CODES.INTERNAL_ERROR,
        message: "The message could not be forwarded",
      }),
    );
    const [first = answers] = answers;
    this.#run(() => this.#source.send(Array.isArray(frame) ? answers : first));
  }

  /** Ends or closes the target, once all frames are forwarded. */
  #finishIfIdle(): void {
    if (this.#isBusy || this.#queue.length > 0) return;
    const target = this.#target;
    if (this.#last === "end" && target.end !== undefined) {
      this.#last = "nothing";
      this.#run(() => target.end?.());
    } else if (
      this.#last === "close" ||
      (this.#last === "end" && this.#unanswered?.size === 0)
    )
      this.#run(() => target.close());
  }

  #overflow(): void {
    this.#report(
      new Error(
        `more than ${this.#maxQueued} frames wait for an end that does not read`,
      ),
    );
    this.#queue = [];
    this.#run(() => this.#source.close());
    this.#run(() => this.#target.close());
  }

  #run(step: () => Promise<void> | void): void {
    try {
      toPromise(step())?.catch((error: unknown) => {
        this.#report(error);
      });
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    const { onError } = this.#options;
    if (onError === undefined) return;
    notifyListener((failure: Error) => {
      onError(failure, this.#from);
    }, toError(error));
  }
}

function hasUnsafeId(message: unknown): boolean {
  if (!isObject(message)) return false;
  const { id } = message;
  return typeof id === "number" && Math.abs(id) > Number.MAX_SAFE_INTEGER;
}

function toPromise(value: Promise<void> | void): Promise<void> | undefined {
  return value === undefined ? undefined : Promise.resolve(value);
}

/** The ids of the requests or responses in a frame, which may be a batch. */
function idsOf(
  frame: unknown,
  accepts: (message: UnknownObject) => boolean,
): readonly RequestId[] {
  const members: readonly unknown[] = Array.isArray(frame) ? frame : [frame];
  const ids: RequestId[] = [];
  for (const member of members) {
    if (!isObject(member) || !accepts(member)) continue;
    const { id } = member;
    if (isRequestId(id)) ids.push(id);
  }
  return ids;
}

function isRequest({ method }: UnknownObject): boolean {
  return typeof method === "string";
}

function isResponse({ method, result, error }: UnknownObject): boolean {
  return method === undefined && (result !== undefined || error !== undefined);
}
