/**
 * One side of a connection. Long because the states of a connection and of its requests change together; ids, timeouts
 * and responses are in separate files.
 */
import {
  DEFAULT_CALL_OPTIONS,
  DEFAULT_TIMEOUT_MS,
  SERVER_BUSY,
  maxConcurrent,
} from "./endpoint-options.js";
import type {
  CallOptions,
  CancellationRule,
  EndpointEvent,
  EndpointOptions,
  Role,
} from "./endpoint-options.js";
import { classifyMessage } from "./parse.js";
import type { Classification, Invalid, ParseOptions, Parsed } from "./parse.js";
import { errorResponse } from "./message.js";
import type {
  ErrorResponse,
  Message,
  Notification,
  Request,
  RequestId,
  Response,
} from "./message.js";
import { InboundRequest, PendingBatch } from "./inbound-request.js";
import type {
  ReceivedMessage,
  SafeConnectionObserver,
  SentMessage,
} from "./instrument.js";
import type { SendOptions, Transport } from "./transport.js";
import { createAbortError } from "./abort.js";
import { ConnectionClosedError } from "./call-errors.js";
import { notifyListener } from "./transport-events.js";
import {
  invalidRequestError,
  isPromiseLike,
  toErrorObject,
  toResult,
  toRpcError,
} from "./handler-errors.js";
import { PendingRequests, withProgressToken } from "./pending-requests.js";
import { RequestsById } from "./requests-by-id.js";
import type { PendingRequest } from "./pending-requests.js";
import { ResponseSender } from "./response-sender.js";
import type { Diagnostic } from "./ndjson.js";
import { RpcError, STANDARD_ERROR_CODES } from "./error-codes.js";
export { SERVER_BUSY, maxConcurrent } from "./endpoint-options.js";
export type {
  CancellationRule,
  EndpointEvent,
  Progress,
  ProgressRule,
  CallOptions,
  Role,
  EndpointOptions,
} from "./endpoint-options.js";
export { InboundRequest } from "./inbound-request.js";
export { isPromiseLike, toResult } from "./handler-errors.js";

/**
 * One side of a connection: sends requests and matches responses to them, passes the other side's requests to its role
 * and sends the responses. It implements JSON-RPC and what protocols add to every request: timeouts, and cancellation
 * and progress by the rules of its role.
 *
 * The state goes from new to open to closed and never back; once closed, nothing is sent and no callback runs.
 * #inboundRequests holds the requests that may still be answered; #runningHandlers also counts cancelled ones, but not
 * those that only wait.
 */
export class Endpoint {
  readonly #role: Role;
  readonly #options: EndpointOptions;
  readonly #timeout: number;
  readonly #maxConcurrentRequests: number;
  readonly #parseOptions: ParseOptions;
  readonly #receiving: ParseOptions;
  readonly #pending: PendingRequests;
  readonly #responses: ResponseSender;
  readonly #inboundRequests = new RequestsById<InboundRequest>();
  /** Handlers that have not ended, including those of cancelled requests. */
  #runningHandlers = 0;
  #waitingHandlers = 0;
  readonly #closed: Promise<void>;
  #resolveClosed: () => void = () => undefined;
  #transport: Transport | undefined;
  /** Undefined without the option `instrument`. */
  #observer: SafeConnectionObserver | undefined;
  /** Set only while a notification is passed to its handlers, which is synchronous. */
  #observedNotification: ReceivedMessage | undefined;
  #state: "new" | "open" | "closed" = "new";
  /** The other side sends nothing more: the connection closes with the last response. */
  #isDraining = false;
  /** This side sends no more calls: the connection closes with the last response to it. */
  #hasEnded = false;

  /** @param firstId - The id of the first request of this side. */
  constructor(role: Role, options: EndpointOptions, firstId = 1) {
    this.#role = role;
    this.#pending = new PendingRequests((pending, error) => {
      this.#cancelCall(pending, error, "timed out");
    }, firstId);
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
    this.#responses = new ResponseSender(options.exposeErrors === true, {
      isOpen: () => this.#state === "open",
      send: (message, relatedRequestId) =>
        this.#transmit(message, relatedRequestId),
      endUnanswered: () => this.#transport?.endUnanswered?.(),
      emit: (event) => {
        this.emit(event);
      },
    });
    this.#closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  /** Resolves when the connection is closed, by either side. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** The number of requests being handled, and of this side's requests waiting for a response. */
  get inFlight(): { readonly inbound: number; readonly outbound: number } {
    return {
      inbound: this.#inboundRequests.size,
      outbound: this.#pending.size,
    };
  }

  /**
   * Connects to a transport and starts it.
   *
   * @throws Error if it has been connected before, or the transport cannot start.
   */
  async connect(transport: Transport): Promise<void> {
    if (this.#state !== "new")
      throw new Error("an endpoint connects only once; create a new one");
    this.#state = "open";
    this.#transport = transport;
    const { instrument } = this.#options;
    if (instrument !== undefined) {
      const role = this.#role;
      this.#observer = instrument.create({
        side: role.side,
        get revision() {
          return role.sessionRevision?.();
        },
        transport,
      });
    }
    transport.onmessage = (value, extra) => {
      this.#handleMessage(value, extra);
    };
    transport.oninvalid = (invalid) => {
      this.#rejectInvalid(invalid);
    };
    transport.onerror = (error) => {
      this.emit({ kind: "transportFailed", error });
    };
    transport.onevent = (event) => {
      if (this.#state !== "open") return;
      this.#role.handleConnectionEvent?.(event);
      this.#observer?.handleEvent(event);
      this.emit(event);
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
      this.#pending.rejectAll(
        new ConnectionClosedError("the other side has exited"),
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

  /** Resolves when each of these requests from the other side was answered or cancelled. */
  async settled(ids: readonly RequestId[]): Promise<void> {
    for (const id of ids) await this.#inboundRequests.get(id)?.settled;
  }

  /** Classifies a value by the rules of the current revision. */
  classifyMessage(value: unknown): Parsed {
    return classifyMessage(value, this.#parseOptions);
  }

  /** Closes the connection. Pending calls are rejected with {@link ConnectionClosedError}, and handlers are aborted. */
  async close(): Promise<void> {
    if (this.#state === "open") {
      // Before the transport closes, so that no handler's late response is written to it.
      this.#teardown();
      await this.#transport?.close();
    }
    this.#teardown();
  }

  /**
   * Half-close: sends nothing more, and closes once all pending calls are answered. The other side is notified of the
   * end, if the transport can do that.
   */
  async end(): Promise<void> {
    if (this.#state !== "open" || this.#pending.size === 0) return this.close();
    this.#hasEnded = true;
    this.#pending.onEmpty = () => {
      if (!this.#isDraining) this.#closeQuietly();
    };
    await this.#transport?.end?.();
    await this.#closed;
  }

  /** Reports an event to the listener, whose own failure is ignored. */
  emit(event: EndpointEvent): void {
    notifyListener(this.#options.onEvent, event);
  }

  /**
   * Sends a request.
   *
   * @param accept - Receives the result of the response when it arrives; what it returns is the result of the call, and
   *   what it throws its error. It costs less than waiting for one more promise.
   * @returns The result of the response.
   * @throws RpcError if the other side responds with an error; {@link TimeoutError}; {@link ConnectionClosedError}; the
   *   signal's reason if it is aborted.
   */
  request(
    method: string,
    params: object | undefined,
    options: CallOptions = DEFAULT_CALL_OPTIONS,
    accept?: (result: object) => object | Promise<object>,
  ): Promise<object> {
    return new Promise((resolve, reject) => {
      if (this.#state !== "open" || this.#isDraining || this.#hasEnded) {
        reject(
          new ConnectionClosedError(
            this.#state === "new"
              ? "there is no connection yet"
              : this.#hasEnded
                ? "this side has ended its output"
                : this.#isDraining
                  ? INPUT_ENDED
                  : undefined,
            { mayHaveRun: false },
          ),
        );
        return;
      }
      const { signal } = options;
      signal?.throwIfAborted();
      const id = this.#pending.takeId();
      // Everything here that can throw comes before the call is pending.
      const { progress } = this.#role;
      const sentParams =
        progress === undefined ||
        (options.onProgress === undefined &&
          options.resetTimeoutOnProgress !== true)
          ? params
          : withProgressToken(progress, params, id);
      const message: Request =
        sentParams === undefined
          ? { jsonrpc: "2.0", id, method }
          : { jsonrpc: "2.0", id, method, params: sentParams };
      options.onSent?.(id);
      const settle =
        accept === undefined ? resolve : resolvingWith(accept, resolve, reject);
      const observed = this.#observer?.send(message);
      const pending = this.#pending.add(
        id,
        method,
        options,
        options.timeout ?? this.#timeout,
        observed?.resolving(settle) ?? settle,
        observed?.rejecting(reject, signal) ?? reject,
      );
      if (signal !== undefined) {
        pending.onAbort = () => {
          this.#cancelCall(pending, signal.reason, "cancelled by the caller");
        };
        signal.addEventListener("abort", pending.onAbort, { once: true });
      }
      this.#sendCall(pending, observed?.message ?? message, observed);
    });
  }

  #sendCall(
    pending: PendingRequest,
    message: Message,
    observed: SentMessage | undefined,
  ): void {
    const { relatedRequestId } = pending.options;
    try {
      const sent = this.#transmit(message, relatedRequestId, observed);
      if (sent instanceof Promise)
        sent.catch((error: unknown) => {
          this.#failCall(pending, error);
        });
    } catch (error) {
      this.#failCall(pending, error);
    }
  }

  #failCall(pending: PendingRequest, error: unknown): void {
    if (this.#pending.remove(pending)) pending.reject(error);
  }

  /** Resolves a pending call of this side as if this were the response; does nothing if it has ended. */
  resolveLocally(id: RequestId, result: object): void {
    const pending = this.#pending.get(id);
    if (pending !== undefined && this.#pending.remove(pending))
      pending.resolve(result);
  }

  /** Sends a notification. It has no response, so a failure is reported as an event. */
  notify(method: string, params?: object, relatedRequestId?: RequestId): void {
    if (this.#state !== "open") return;
    const message: Notification =
      params === undefined
        ? { jsonrpc: "2.0", method }
        : { jsonrpc: "2.0", method, params };
    const observed = this.#observer?.send(message);
    this.#send(observed?.message ?? message, relatedRequestId, observed);
  }

  /** Runs a handler of a notification; an error that it throws becomes a `handlerFailed` event. */
  async runNotificationHandler(
    method: string,
    handler: () => unknown,
  ): Promise<void> {
    const observed = this.#observedNotification;
    observed?.hold();
    try {
      await handler();
      observed?.release();
    } catch (error) {
      observed?.release({ error });
      this.emit({ kind: "handlerFailed", method, error });
    }
  }

  /** Sends a message, and reports a failure as an event. */
  #send(
    message: Message,
    relatedRequestId?: RequestId,
    observed?: SentMessage,
  ): void {
    const failed = (error: unknown): void => {
      this.emit({ kind: "transportFailed", error });
    };
    try {
      const sent = this.#transmit(message, relatedRequestId, observed);
      if (sent instanceof Promise) sent.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  /** Passes a message to the transport, which throws or rejects if it cannot send it. */
  #transmit(
    message: Message | readonly Message[],
    relatedRequestId: RequestId | undefined,
    observed?: SentMessage,
  ): Promise<void> | void {
    const transport = this.#transport;
    const options: SendOptions | undefined =
      relatedRequestId === undefined ? undefined : { relatedRequestId };
    return observed === undefined || transport === undefined
      ? transport?.send(message, options)
      : observed.send(transport, message as Message, options);
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

  /** JSON-RPC 2.0 §6: one array of responses answers a batch. */
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
      this.#responses.sendBatch(answers);
    });
    for (const [index, member] of members.entries()) {
      // One of them may have closed the connection.
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

  /**
   * A request whose only fault is that its params are not an object is handled like any other, so that an unknown
   * method and a wrong time are reported first; the role then rejects the params.
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
    // An invalid response to a call of this side: no other will come.
    const pending =
      invalid.messageKind === "response" && invalid.id !== null
        ? this.#pending.get(invalid.id)
        : undefined;
    if (pending !== undefined && this.#pending.remove(pending)) {
      pending.reject(
        new RpcError(
          STANDARD_ERROR_CODES.INVALID_REQUEST,
          `the response is not a valid message: ${invalid.reason}`,
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

  /** The response to an invalid message. Its reader may not have known the revision. */
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
    const observed = this.#observer?.receive(request);
    if (observed === undefined) this.#acceptRequest(inbound);
    else this.#acceptObservedRequest(inbound, observed);
  }

  #acceptObservedRequest(
    inbound: InboundRequest,
    observed: ReceivedMessage,
  ): void {
    inbound.observed = observed;
    observed.run(() => {
      this.#acceptRequest(inbound);
    });
  }

  #acceptRequest(inbound: InboundRequest): void {
    const { request } = inbound;
    if (this.#inboundRequests.get(request.id) !== undefined) {
      this.#responses.sendError(
        inbound,
        invalidRequestError("a request with this id is being handled"),
      );
      return;
    }
    if (
      Math.max(
        this.#inboundRequests.size - this.#waitingHandlers,
        this.#runningHandlers,
      ) >= this.#maxConcurrentRequests
    ) {
      this.#responses.sendError(inbound, {
        code: SERVER_BUSY,
        message: "Server busy",
      });
      return;
    }
    this.#inboundRequests.add(inbound);
    let outcome: object | Promise<object>;
    try {
      outcome = this.#role.handleRequest(request, inbound);
      if (isPromiseLike(outcome)) {
        // A foreign promise may throw, call back twice or resolve to another one; a native promise does not.
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
    outcome.then(
      (result) => {
        this.#countHandler(inbound, -1);
        this.#completeWithResult(inbound, result);
      },
      (error: unknown) => {
        this.#countHandler(inbound, -1);
        this.#completeWithError(inbound, error);
      },
    );
    this.#countHandler(inbound, 1);
  }

  #countHandler({ isWaiting, counter }: InboundRequest, change: 1 | -1): void {
    if (isWaiting) this.#waitingHandlers += change;
    else this.#runningHandlers += change;
    if (change === 1) counter?.handlerStarted();
    else counter?.handlerEnded();
  }

  #completeWithResult(inbound: InboundRequest, handlerResult: object): void {
    let result: object;
    try {
      result = toResult(handlerResult);
    } catch (error) {
      this.#completeWithError(inbound, error);
      return;
    }
    if (!this.#completeRequest(inbound)) return;
    this.#responses.send(inbound, {
      jsonrpc: "2.0",
      id: inbound.request.id,
      result,
    });
    if (this.#isDraining) this.#closeIfIdle();
  }

  #completeWithError(inbound: InboundRequest, thrown: unknown): void {
    if (!this.#completeRequest(inbound)) return;
    const { id, method } = inbound.request;
    let error = toErrorObject(thrown);
    const cancelledCode = this.#role.cancellation?.errorCode;
    if (error === undefined && cancelledCode !== undefined && inbound.isAborted)
      error = { code: cancelledCode, message: "Request cancelled" };
    if (error === undefined) {
      this.emit({ kind: "handlerFailed", method, error: thrown });
      error = this.#responses.internalError(thrown);
    }
    this.#responses.send(inbound, { jsonrpc: "2.0", id, error });
    if (this.#isDraining) this.#closeIfIdle();
  }

  /** Ends the handling of a request; false if it has ended already. */
  #completeRequest(inbound: InboundRequest): boolean {
    if (inbound.isSettled) return false;
    inbound.complete();
    this.#inboundRequests.delete(inbound.request.id);
    return true;
  }

  /**
   * The other side has ended its output, as when shutting down over stdio, and may still read: pending
   * requests are answered, then the connection closes. The transport limits how long that may take.
   */
  #drain(): void {
    if (this.#state !== "open" || this.#isDraining) return;
    this.#isDraining = true;
    this.#pending.rejectAll(new ConnectionClosedError(INPUT_ENDED));
    this.#role.handleInputEnd?.();
    this.#closeIfIdle();
  }

  #closeIfIdle(): void {
    if (this.#inboundRequests.size === 0 && this.#state === "open")
      this.#closeQuietly();
  }

  #closeQuietly(): void {
    this.close().catch((error: unknown) => {
      this.emit({ kind: "transportFailed", error });
    });
  }

  #handleResponse(response: Response): void {
    const pending =
      response.id === undefined || response.id === null
        ? undefined
        : this.#pending.get(response.id);
    if (pending === undefined) {
      const { id = null } = response;
      this.emit(
        this.#pending.hasIssued(id)
          ? { kind: "lateResponse", id }
          : { kind: "unknownResponse", id },
      );
      return;
    }
    this.#pending.remove(pending);
    if ("result" in response) pending.resolve(response.result);
    else pending.reject(toRpcError(response.error));
  }

  #handleNotification(notification: Notification): void {
    const observed = this.#observer?.receive(notification);
    if (observed === undefined) this.#dispatchNotification(notification);
    else this.#dispatchObservedNotification(notification, observed);
  }

  #dispatchObservedNotification(
    notification: Notification,
    observed: ReceivedMessage,
  ): void {
    observed.run(() => {
      this.#observedNotification = observed;
      try {
        this.#dispatchNotification(notification);
      } finally {
        this.#observedNotification = undefined;
        observed.release();
      }
    });
  }

  #dispatchNotification(notification: Notification): void {
    const { cancellation, progress } = this.#role;
    if (notification.method === cancellation?.method)
      this.#handleCancelled(cancellation, notification.params);
    else if (notification.method === progress?.method)
      this.#pending.handleProgress(progress, notification.params, (event) => {
        this.emit(event);
      });
    try {
      this.#role.handleNotification(notification);
    } catch (error) {
      this.emit({ kind: "handlerFailed", method: notification.method, error });
    }
  }

  /** The handler is aborted. A protocol without an error code for it sends no response. */
  #handleCancelled(rule: CancellationRule, params: object | undefined): void {
    const members = (params ?? {}) as Readonly<Record<string, unknown>>;
    const requestId = members[rule.id] as RequestId | undefined;
    const reason = rule.reason === undefined ? undefined : members[rule.reason];
    const inbound =
      requestId === undefined
        ? undefined
        : this.#inboundRequests.get(requestId);
    if (inbound === undefined) {
      if (requestId !== undefined) this.#role.handleCancelled?.(requestId);
      return;
    }
    if (rule.except?.includes(inbound.request.method) === true) return;
    const error = createAbortError(
      typeof reason === "string" ? reason : "cancelled by the other side",
    );
    if (rule.errorCode !== undefined) {
      inbound.cancel(error);
      return;
    }
    this.#inboundRequests.delete(inbound.request.id);
    inbound.abort(error);
    inbound.batch?.addResponse(undefined);
  }

  /** Cancels a call of this side, and notifies the other side. */
  #cancelCall(pending: PendingRequest, error: unknown, reason: string): void {
    if (!this.#pending.remove(pending)) return;
    const { cancellation: rule } = this.#role;
    if (rule !== undefined && rule.except?.includes(pending.method) !== true) {
      this.notify(
        rule.method,
        rule.reason === undefined
          ? { [rule.id]: pending.id }
          : { [rule.id]: pending.id, [rule.reason]: reason },
        pending.options.relatedRequestId,
      );
    }
    pending.reject(error);
  }

  #teardown(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#pending.stop();
    // Creating an error costs more than the rest, and most connections of one request have nothing to end.
    if (this.#pending.size + this.#inboundRequests.size > 0) {
      const error = new ConnectionClosedError();
      this.#pending.rejectAll(error);
      for (const inbound of this.#inboundRequests.values()) {
        this.#inboundRequests.delete(inbound.id);
        inbound.abort(error);
      }
    }
    this.#role.handleClose();
    this.#observer?.close();
    this.#resolveClosed();
  }
}

/** A function that resolves a call with what `accept` makes of its result. */
function resolvingWith(
  accept: (result: object) => object | Promise<object>,
  resolve: (result: object | Promise<object>) => void,
  reject: (error: unknown) => void,
): (result: object) => void {
  return (result) => {
    try {
      resolve(accept(result));
    } catch (error) {
      reject(error);
    }
  };
}

const INPUT_ENDED = "the other side sends nothing more, so no response either";
