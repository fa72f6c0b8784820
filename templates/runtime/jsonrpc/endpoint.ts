import {
  DEFAULT_CALL_OPTIONS,
  DEFAULT_TIMEOUT_MS,
  SERVER_BUSY,
  maxConcurrent,
} from "./endpoint-options.js";
import type {
  CallOptions,
  EndpointEvent,
  EndpointOptions,
  Progress,
  Role,
} from "./endpoint-options.js";
import { classifyMessage } from "./parse.js";
import type { Classification, Invalid, ParseOptions, Parsed } from "./parse.js";
import { errorResponse } from "./message.js";
import type {
  ErrorObject,
  ErrorResponse,
  Message,
  Notification,
  Request,
  RequestId,
  Response,
} from "./message.js";
import { InboundRequest, PendingBatch } from "./inbound-request.js";
import type { SendOptions, Transport } from "./transport.js";
import { ConnectionClosedError, TimeoutError } from "./call-errors.js";
import { notifyListener } from "./transport-events.js";
import {
  createAbortError,
  errorClassName,
  errorMessage,
  invalidRequestError,
  isPromiseLike,
  serializationErrorOf,
  toErrorObject,
  toResult,
  toRpcError,
} from "./handler-errors.js";
import type { Diagnostic } from "./ndjson.js";
import { RpcError, STANDARD_ERROR_CODES } from "./error-codes.js";
import { MAX_TIMER_DELAY_MS } from "./envelope.js";
export { SERVER_BUSY, maxConcurrent } from "./endpoint-options.js";
export type {
  EndpointEvent,
  Progress,
  CallOptions,
  Role,
  EndpointOptions,
} from "./endpoint-options.js";
export { InboundRequest } from "./inbound-request.js";
export { isPromiseLike, toResult } from "./handler-errors.js";

/** A call of ours that is not answered yet. */
interface PendingRequest {
  readonly id: number;
  readonly method: string;
  readonly options: CallOptions;
  readonly timeout: number;
  readonly resolve: (result: object) => void;
  readonly reject: (error: unknown) => void;
  readonly maxDeadline: number;
  deadline: number;
  lastProgress: number;
  onAbort?: () => void;
}

/**
 * One side of a connection: sends requests and finds their responses, hands requests of the other side to its role and
 * sends the answers. Knows JSON-RPC and what MCP adds for every request: cancellation, progress, time limits.
 */
export class Endpoint {
  readonly #role: Role;
  readonly #options: EndpointOptions;
  readonly #timeout: number;
  readonly #maxConcurrentRequests: number;
  readonly #parseOptions: ParseOptions;
  readonly #receiving: ParseOptions;
  readonly #pending = new Map<RequestId, PendingRequest>();
  readonly #inboundRequests = new Map<RequestId, InboundRequest>();
  /** Handlers that have not ended, those of cancelled requests among them. */
  #runningHandlers = 0;
  readonly #closed: Promise<void>;
  #resolveClosed: () => void = () => undefined;
  #transport: Transport | undefined;
  #state: "new" | "open" | "closed" = "new";
  /** The other side says nothing more: when the last request is answered, all is over. */
  #isDraining = false;
  #nextId = 1;
  #expiryTimer: ReturnType<typeof setTimeout> | undefined;
  #expiryTime = Number.POSITIVE_INFINITY;

  constructor(role: Role, options: EndpointOptions) {
    this.#role = role;
    this.#options = options;
    this.#timeout = options.timeout ?? DEFAULT_TIMEOUT_MS;
    this.#maxConcurrentRequests = maxConcurrent(options);
    this.#parseOptions = {
      classify: (value) => role.classify(value),
      refuseInBatch: ({ message }) =>
        "method" in message ? role.refuseInBatch?.(message.method) : undefined,
      nullErrorAsAbsent: options.nullErrorAsAbsent === true,
    };
    this.#receiving = {
      ...this.#parseOptions,
      onTolerated: (deviation, id) => {
        this.emit({ kind: "toleratedMessage", deviation, id });
      },
    };
    this.#closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  /** Resolves when the connection is over, whoever ended it. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** How many requests of the other side are being handled, and how many of ours wait for an answer. */
  get inFlight(): { readonly inbound: number; readonly outbound: number } {
    return {
      inbound: this.#inboundRequests.size,
      outbound: this.#pending.size,
    };
  }

  /**
   * Takes a transport and starts it.
   *
   * @throws Error if it has one already, or the transport cannot start.
   */
  async connect(transport: Transport): Promise<void> {
    if (this.#state !== "new")
      throw new Error(
        "an endpoint has one connection in its life; make a new one",
      );
    this.#state = "open";
    this.#transport = transport;
    transport.onmessage = (value, extra) => {
      this.#handleMessage(value, extra);
    };
    transport.oninvalid = (invalid) => {
      this.#rejectInvalid(invalid);
    };
    transport.onerror = (error) => {
      this.emit({ kind: "transportFailed", error });
    };
    transport.onclose = () => {
      this.#teardown();
    };
    transport.onend = () => {
      this.#drain();
    };
    transport.onexit = () => {
      if (this.#state !== "open" || this.#role.handleExit?.() !== true)
        return false;
      this.#rejectPending(
        new ConnectionClosedError("the other side has ended"),
      );
      return true;
    };
    try {
      await transport.start();
    } catch (error) {
      this.#teardown();
      throw error;
    }
  }

  /** What a value is, by the rules of the revision that is spoken by now. */
  classifyMessage(value: unknown): Parsed {
    return classifyMessage(value, this.#parseOptions);
  }

  /** Ends the connection. Calls that wait are rejected with {@link ConnectionClosedError}, handlers are aborted. */
  async close(): Promise<void> {
    if (this.#state === "open") {
      // Before the transport is closed, so that no handler's late answer is written to it.
      this.#teardown();
      await this.#transport?.close();
    }
    this.#teardown();
  }

  /** Tells who listens; its own failure is nobody's concern. */
  emit(event: EndpointEvent): void {
    notifyListener(this.#options.onEvent, event);
  }

  /**
   * Sends a request.
   *
   * @returns The result of the response.
   * @throws RpcError if the other side answers with an error; {@link TimeoutError}; {@link ConnectionClosedError}; the
   *   signal's reason if it is aborted.
   */
  request(
    method: string,
    params: object | undefined,
    options: CallOptions = DEFAULT_CALL_OPTIONS,
  ): Promise<object> {
    return new Promise((resolve, reject) => {
      if (this.#state !== "open" || this.#isDraining) {
        reject(
          new ConnectionClosedError(
            this.#state === "new"
              ? "there is no connection yet"
              : this.#isDraining
                ? INPUT_ENDED
                : undefined,
          ),
        );
        return;
      }
      const { signal } = options;
      signal?.throwIfAborted();
      const id = this.#nextId;
      this.#nextId += 1;
      // What of this can throw comes before anybody waits.
      const sentParams =
        options.onProgress === undefined &&
        options.resetTimeoutOnProgress !== true
          ? params
          : withProgressToken(params, id);
      const message: Request =
        sentParams === undefined
          ? { jsonrpc: "2.0", id, method }
          : { jsonrpc: "2.0", id, method, params: sentParams };
      options.onSent?.(id);
      const timeout = options.timeout ?? this.#timeout;
      const now =
        timeout === Number.POSITIVE_INFINITY && options.maxTimeout === undefined
          ? 0
          : performance.now();
      const maxDeadline =
        now + (options.maxTimeout ?? Number.POSITIVE_INFINITY);
      const pending: PendingRequest = {
        id,
        method,
        options,
        timeout,
        resolve,
        reject,
        maxDeadline,
        deadline: Math.min(now + timeout, maxDeadline),
        lastProgress: Number.NEGATIVE_INFINITY,
      };
      this.#pending.set(id, pending);
      this.#scheduleExpiry(pending.deadline, now);
      if (signal !== undefined) {
        pending.onAbort = () => {
          this.#cancelCall(pending, signal.reason, "cancelled by the caller");
        };
        signal.addEventListener("abort", pending.onAbort, { once: true });
      }
      this.#send(message, options.relatedRequestId, (error) => {
        if (this.#removePending(pending)) pending.reject(error);
      });
    });
  }

  /** Ends a call of ours as if this were its answer; nothing happens if it is over. */
  resolveLocally(id: RequestId, result: object): void {
    const pending = this.#pending.get(id);
    if (pending !== undefined && this.#removePending(pending))
      pending.resolve(result);
  }

  /** Sends a notification. Nothing comes back, so a failure is an event. */
  notify(method: string, params?: object, relatedRequestId?: RequestId): void {
    if (this.#state !== "open") return;
    const message: Notification =
      params === undefined
        ? { jsonrpc: "2.0", method }
        : { jsonrpc: "2.0", method, params };
    this.#send(message, relatedRequestId);
  }

  #send(
    message: Message | readonly Message[],
    relatedRequestId?: RequestId,
    onFailure?: (error: unknown) => void,
  ): void {
    const options: SendOptions | undefined =
      relatedRequestId === undefined ? undefined : { relatedRequestId };
    const failed = (error: unknown): void => {
      if (onFailure === undefined)
        this.emit({ kind: "transportFailed", error });
      else onFailure(error);
    };
    try {
      const sent = this.#transport?.send(message, options);
      if (sent instanceof Promise) sent.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #handleMessage(value: unknown, extra: unknown): void {
    if (this.#state !== "open") return;
    const parsed = classifyMessage(value, this.#receiving);
    switch (parsed.kind) {
      case "request":
        this.#handleRequest(parsed.message, extra, undefined);
        break;
      case "notification":
        this.#handleNotification(parsed.message);
        break;
      case "result":
      case "error":
        this.#handleResponse(parsed.message);
        break;
      case "invalid":
        if (
          !this.#handleRequestWithInvalidParams(parsed, value, extra, undefined)
        )
          this.#rejectInvalid(parsed);
        break;
      case "batch":
        this.#handleBatch(parsed.members, value as unknown[], extra);
        break;
    }
  }

  /** MCP 2025-03-26, basic protocol: a batch is answered by one array. */
  #handleBatch(
    members: readonly (
      Invalid | Exclude<Classification, { kind: "batch" | "invalid" }>
    )[],
    values: readonly unknown[],
    extra: unknown,
  ): void {
    const expected = members.filter(
      ({ kind }) => kind === "request" || kind === "invalid",
    ).length;
    const batch = new PendingBatch(expected, (answers) => {
      this.#sendBatchResponse(answers);
    });
    for (const [index, member] of members.entries()) {
      // One of them may have ended the connection.
      if (this.#state !== "open") return;
      switch (member.kind) {
        case "request":
          this.#handleRequest(member.message, extra, batch);
          break;
        case "notification":
          this.#handleNotification(member.message);
          break;
        case "invalid":
          if (
            this.#handleRequestWithInvalidParams(
              member,
              values[index],
              extra,
              batch,
            )
          )
            break;
          this.emit({ kind: "invalidMessage", invalid: member });
          batch.addResponse(this.#answerTo(member));
          break;
        default:
          this.#handleResponse(member.message);
      }
    }
  }

  /** A batch that cannot be written is answered all the same: only the answer to blame gives way to an error. */
  #sendBatchResponse(responses: readonly Response[]): void {
    if (responses.length === 0) {
      this.#transport?.endUnanswered?.();
      return;
    }
    this.#send(responses, undefined, (error) => {
      const serializationErrors = responses.map(serializationErrorOf);
      if (
        this.#state !== "open" ||
        serializationErrors.every(
          (serializationError) => serializationError === undefined,
        )
      ) {
        this.emit({ kind: "transportFailed", error });
        return;
      }
      const writable = responses.map((response, index): Response => {
        const serializationError = serializationErrors[index];
        if (serializationError === undefined) return response;
        this.emit({
          kind: "handlerFailed",
          method: "a member of a batch",
          error: serializationError.reason,
        });
        const { id = null } = response;
        return {
          jsonrpc: "2.0",
          id,
          error: this.#internalError(serializationError.reason),
        };
      });
      this.#send(writable);
    });
  }

  /**
   * A request of which only the params are no object is handled like any other, so that an unknown method and a wrong
   * time come before them in the order of checks; the role refuses the params.
   */
  #handleRequestWithInvalidParams(
    invalid: Invalid,
    value: unknown,
    extra: unknown,
    batch: PendingBatch | undefined,
  ): boolean {
    if (
      invalid.code !== "params" ||
      invalid.messageKind !== "request" ||
      invalid.errorResponse === undefined
    )
      return false;
    const { id } = invalid;
    if (id === null) return false;
    this.emit({ kind: "invalidMessage", invalid });
    this.#handleRequest(value as Request, extra, batch);
    return true;
  }

  #rejectInvalid(invalid: Invalid | Diagnostic): void {
    this.emit({ kind: "invalidMessage", invalid });
    // A broken answer to a call of ours: there will be no other.
    const pending =
      invalid.messageKind === "response" && invalid.id !== null
        ? this.#pending.get(invalid.id)
        : undefined;
    if (pending !== undefined && this.#removePending(pending)) {
      pending.reject(
        new RpcError(
          STANDARD_ERROR_CODES.INVALID_REQUEST,
          `the answer is no valid message: ${invalid.reason}`,
        ),
      );
    }
    const requestId = invalid.messageKind === "request" ? invalid.id : null;
    const answer = this.#answerTo(invalid);
    if (
      answer !== undefined &&
      this.#state === "open" &&
      this.#role.mayRespond?.(requestId) !== false
    )
      this.#send(answer);
  }

  /** The answer to what is no message. Whoever read it may not have known the revision. */
  #answerTo({
    errorResponse: answer,
  }: Invalid | Diagnostic): ErrorResponse | undefined {
    return answer?.id === null && this.#role.unreadId?.() === "absent"
      ? errorResponse(undefined, answer.error)
      : answer;
  }

  #handleRequest(
    request: Request,
    extra: unknown,
    batch: PendingBatch | undefined,
  ): void {
    if (this.#role.mayRespond?.(request.id) === false) {
      const { id, method } = request;
      this.emit({ kind: "unexpectedRequest", id, method });
      batch?.addResponse(undefined);
      return;
    }
    const inbound = new InboundRequest(request, extra, batch);
    if (this.#inboundRequests.has(request.id)) {
      this.#sendError(
        inbound,
        invalidRequestError("a request with this id is being handled"),
      );
      return;
    }
    if (
      Math.max(this.#inboundRequests.size, this.#runningHandlers) >=
      this.#maxConcurrentRequests
    ) {
      this.#sendError(inbound, { code: SERVER_BUSY, message: "Server busy" });
      return;
    }
    this.#inboundRequests.set(request.id, inbound);
    let outcome: object | Promise<object>;
    try {
      outcome = this.#role.handleRequest(request, inbound);
      if (isPromiseLike(outcome)) {
        // A promise of another kind may throw, call back twice or give one more; one of ours does not.
        this.#awaitHandler(inbound, Promise.resolve(outcome));
        return;
      }
    } catch (error) {
      this.#completeWithError(inbound, error);
      return;
    }
    this.#completeWithResult(inbound, outcome);
  }

  #awaitHandler(inbound: InboundRequest, outcome: Promise<object>): void {
    const { counter } = inbound;
    outcome.then(
      (result) => {
        this.#runningHandlers -= 1;
        counter?.handlerEnded();
        this.#completeWithResult(inbound, result);
      },
      (error: unknown) => {
        this.#runningHandlers -= 1;
        counter?.handlerEnded();
        this.#completeWithError(inbound, error);
      },
    );
    this.#runningHandlers += 1;
    counter?.handlerStarted();
  }

  #completeWithResult(inbound: InboundRequest, handlerResult: object): void {
    let result: object;
    try {
      result = toResult(handlerResult);
    } catch (error) {
      this.#completeWithError(inbound, error);
      return;
    }
    if (this.#completeRequest(inbound))
      this.#sendResponse(inbound, {
        jsonrpc: "2.0",
        id: inbound.request.id,
        result,
      });
  }

  #completeWithError(inbound: InboundRequest, thrown: unknown): void {
    if (!this.#completeRequest(inbound)) return;
    const { id, method } = inbound.request;
    let error = toErrorObject(thrown);
    if (error === undefined) {
      this.emit({ kind: "handlerFailed", method, error: thrown });
      error = this.#internalError(thrown);
    }
    this.#sendResponse(inbound, { jsonrpc: "2.0", id, error });
  }

  /** Sends an answer. If it cannot be written, the caller is told that instead of waiting for ever. */
  #sendResponse(inbound: InboundRequest, response: Response): void {
    if (inbound.batch !== undefined) {
      inbound.batch.addResponse(response);
      return;
    }
    const { id, method } = inbound.request;
    this.#send(response, id, (error) => {
      const serializationError =
        this.#state === "open" ? serializationErrorOf(response) : undefined;
      if (serializationError === undefined) {
        this.emit({ kind: "transportFailed", error });
        return;
      }
      this.emit({
        kind: "handlerFailed",
        method,
        error: serializationError.reason,
      });
      this.#sendError(inbound, this.#internalError(serializationError.reason));
    });
  }

  #internalError(error: unknown): ErrorObject {
    const code = STANDARD_ERROR_CODES.INTERNAL_ERROR;
    const data = { name: errorClassName(error) };
    const message =
      this.#options.exposeErrors === true
        ? errorMessage(error)
        : "Internal error";
    return { code, message, data };
  }

  #sendError(inbound: InboundRequest, error: ErrorObject): void {
    const { id } = inbound.request;
    const response: Response = { jsonrpc: "2.0", id, error };
    if (inbound.batch === undefined) this.#send(response, id);
    else inbound.batch.addResponse(response);
  }

  /** Ends the handling of a request; false if it was over already. */
  #completeRequest(inbound: InboundRequest): boolean {
    if (inbound.isSettled) return false;
    inbound.complete();
    this.#inboundRequests.delete(inbound.request.id);
    // The answer is sent before that.
    if (this.#isDraining) queueMicrotask(this.#closeIfIdle);
    return true;
  }

  /**
   * The other side has ended its output, as in the shutdown over stdio (MCP, lifecycle), and may still read: answers what
   * is in flight and closes. How long that may take is the transport's to say.
   */
  #drain(): void {
    if (this.#state !== "open" || this.#isDraining) return;
    this.#isDraining = true;
    this.#rejectPending(new ConnectionClosedError(INPUT_ENDED));
    this.#role.handleInputEnd?.();
    this.#closeIfIdle();
  }

  readonly #closeIfIdle = (): void => {
    if (this.#inboundRequests.size > 0 || this.#state !== "open") return;
    this.close().catch((error: unknown) => {
      this.emit({ kind: "transportFailed", error });
    });
  };

  /** Calls of ours that no answer can come to any more. */
  #rejectPending(error: ConnectionClosedError): void {
    for (const pending of [...this.#pending.values()]) {
      this.#removePending(pending);
      pending.reject(error);
    }
  }

  #handleResponse(response: Response): void {
    const pending =
      response.id === undefined || response.id === null
        ? undefined
        : this.#pending.get(response.id);
    if (pending === undefined) {
      const { id = null } = response;
      const isOurs = typeof id === "number" && id > 0 && id < this.#nextId;
      this.emit(
        isOurs ? { kind: "lateResponse", id } : { kind: "unknownResponse", id },
      );
      return;
    }
    this.#removePending(pending);
    if ("result" in response) pending.resolve(response.result);
    else pending.reject(toRpcError(response.error));
  }

  #handleNotification(notification: Notification): void {
    if (notification.method === "notifications/cancelled")
      this.#handleCancelled(notification.params);
    else if (notification.method === "notifications/progress")
      this.#handleProgress(notification.params);
    try {
      this.#role.handleNotification(notification);
    } catch (error) {
      this.emit({ kind: "handlerFailed", method: notification.method, error });
    }
  }

  /** MCP, cancellation: the handler is aborted, and no answer is sent. `initialize` cannot be cancelled. */
  #handleCancelled(params: object | undefined): void {
    const { requestId, reason } = (params ?? {}) as {
      readonly requestId?: RequestId;
      readonly reason?: unknown;
    };
    const inbound =
      requestId === undefined
        ? undefined
        : this.#inboundRequests.get(requestId);
    if (inbound === undefined) {
      if (requestId !== undefined) this.#role.handleCancelled?.(requestId);
      return;
    }
    if (inbound.request.method === "initialize") return;
    this.#inboundRequests.delete(inbound.request.id);
    inbound.abort(
      createAbortError(
        typeof reason === "string" ? reason : "cancelled by the other side",
      ),
    );
    inbound.batch?.addResponse(undefined);
  }

  #handleProgress(params: object | undefined): void {
    const {
      progressToken: token,
      progress,
      total,
      message,
    } = (params ?? {}) as Record<string, unknown>;
    const pending = this.#pending.get(token as RequestId);
    if (
      pending === undefined ||
      (pending.options.onProgress === undefined &&
        pending.options.resetTimeoutOnProgress !== true) ||
      typeof progress !== "number"
    ) {
      this.emit({ kind: "unknownProgress", token });
      return;
    }
    if (!(progress > pending.lastProgress)) {
      this.emit({ kind: "progressNotIncreasing", token });
      return;
    }
    pending.lastProgress = progress;
    if (pending.options.resetTimeoutOnProgress === true) {
      pending.deadline = Math.min(
        performance.now() + pending.timeout,
        pending.maxDeadline,
      );
    }
    const failed = (error: unknown): void => {
      this.emit({
        kind: "handlerFailed",
        method: "notifications/progress",
        error,
      });
    };
    try {
      const listener: ((progress: Progress) => unknown) | undefined =
        pending.options.onProgress;
      const outcome = listener?.({
        progress,
        total: typeof total === "number" ? total : undefined,
        message: typeof message === "string" ? message : undefined,
      });
      // An `async` function fits a type that says void.
      if (outcome instanceof Promise) outcome.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  /** Gives a call up, and says so to the other side. */
  #cancelCall(pending: PendingRequest, error: unknown, reason: string): void {
    if (!this.#removePending(pending)) return;
    // MCP, cancellation: `initialize` must not be cancelled.
    if (pending.method !== "initialize") {
      this.notify(
        "notifications/cancelled",
        { requestId: pending.id, reason },
        pending.options.relatedRequestId,
      );
    }
    pending.reject(error);
  }

  /** Takes a call out of those that wait; false if it was no longer among them. */
  #removePending(pending: PendingRequest): boolean {
    if (!this.#pending.delete(pending.id)) return false;
    if (pending.onAbort !== undefined)
      pending.options.signal?.removeEventListener("abort", pending.onAbort);
    if (this.#pending.size === 0) keepProcessAlive(this.#expiryTimer, false);
    return true;
  }

  /** One timer serves all calls: most are answered long before, and a timer for each would cost more than the call. */
  #scheduleExpiry(deadline: number, now: number): void {
    if (this.#pending.size === 1) keepProcessAlive(this.#expiryTimer, true);
    if (deadline >= this.#expiryTime) return;
    clearTimeout(this.#expiryTimer);
    this.#expiryTime = deadline;
    this.#expiryTimer = setTimeout(
      () => {
        this.#expirePending();
      },
      Math.min(Math.max(0, deadline - now), MAX_TIMER_DELAY_MS),
    );
  }

  #expirePending(): void {
    const now = performance.now();
    this.#expiryTime = Number.POSITIVE_INFINITY;
    this.#expiryTimer = undefined;
    let nextDeadline = Number.POSITIVE_INFINITY;
    const expired: PendingRequest[] = [];
    for (const pending of this.#pending.values()) {
      if (pending.deadline <= now) expired.push(pending);
      else nextDeadline = Math.min(nextDeadline, pending.deadline);
    }
    // In the order of their limits, also where a busy process comes late to several at once.
    for (const pending of expired.sort((a, b) => a.deadline - b.deadline)) {
      const { method, timeout, options } = pending;
      const isLast = pending.deadline === pending.maxDeadline;
      this.#cancelCall(
        pending,
        new TimeoutError(
          method,
          isLast ? (options.maxTimeout ?? timeout) : timeout,
        ),
        "timed out",
      );
    }
    // Telling the other side may have ended the connection, and no timer may outlive that.
    if (nextDeadline < Number.POSITIVE_INFINITY && this.#state === "open")
      this.#scheduleExpiry(nextDeadline, now);
  }

  #teardown(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    clearTimeout(this.#expiryTimer);
    // To make an error takes longer than all the rest, and most connections of one request have nothing to end.
    if (this.#pending.size + this.#inboundRequests.size > 0) {
      const error = new ConnectionClosedError();
      this.#rejectPending(error);
      for (const inbound of this.#inboundRequests.values())
        inbound.abort(error);
      this.#inboundRequests.clear();
    }
    this.#role.handleClose();
    this.#resolveClosed();
  }
}

const INPUT_ENDED = "the other side sends nothing more, so no answer either";

function withProgressToken(
  params: object | undefined,
  progressToken: number,
): object {
  const meta = (params as { readonly _meta?: object } | undefined)?._meta;
  // Not spread: in Node 20, members that are added to a spread copy cost twenty times as much.
  return Object.assign({}, params, {
    _meta: Object.assign({}, meta, { progressToken }),
  });
}

/** In Node, whether a timer keeps the process alive; elsewhere timers have no say in that. */
function keepProcessAlive(timer: unknown, isKept: boolean): void {
  const node = timer as { ref?(): void; unref?(): void } | undefined;
  if (isKept) node?.ref?.();
  else node?.unref?.();
}
