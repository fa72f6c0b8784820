/** Requests from the other side that are being handled, alone or in a batch. */
import type { ReceivedMessage } from "./instrument.js";
import type { Request, RequestId, Response } from "./message.js";
import type { HandlerCounter } from "./transport.js";
import { isAbortError } from "./abort.js";
import { collectBatchResponse } from "./parse.js";

/**
 * A request from the other side that is being handled.
 *
 * It settles once, when it is answered or aborted. After that nothing is sent for it, and its signal does not change.
 */
export class InboundRequest {
  readonly request: Request;
  /** What the transport knows in addition to the message. */
  readonly extra: unknown;
  /** The batch that collects the response, if the request came in one. */
  readonly batch: PendingBatch | undefined;
  /** Counts its handler across connections, if the role runs one that counts. */
  counter: HandlerCounter | undefined;
  /** Whether its handler only waits, so that it does not count in the limit of requests. */
  isWaiting = false;
  /** Undefined unless an instrument observes it. */
  observed: ReceivedMessage | undefined;
  #isSettled = false;
  #controller: AbortController | undefined;
  #abortReason: unknown;
  #settled: Promise<void> | undefined;
  #resolveSettled: (() => void) | undefined;

  constructor(
    request: Request,
    extra: unknown,
    batch: PendingBatch | undefined,
  ) {
    this.request = request;
    this.extra = extra;
    this.batch = batch;
  }

  get id(): RequestId {
    return this.request.id;
  }

  /** Whether it is answered or cancelled, so that nothing more may be sent for it. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Resolves when it is answered or cancelled. Created on first access, since only closing a session needs it. */
  get settled(): Promise<void> {
    this.#settled ??= this.#isSettled
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#resolveSettled = resolve;
        });
    return this.#settled;
  }

  /**
   * Aborted if the request is cancelled or the connection ends. Created on first access, since most handlers do not
   * need it.
   */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#abortReason !== undefined && !this.#controller.signal.aborted)
      this.#controller.abort(this.#abortReason);
    return this.#controller.signal;
  }

  /** Whether the other side has cancelled it, or the connection ended. */
  get isAborted(): boolean {
    return this.#abortReason !== undefined;
  }

  /** Aborts the signal of a request that is answered nevertheless. */
  cancel(reason: unknown): void {
    if (this.#isSettled) return;
    this.#abortReason = reason;
    this.#controller?.abort(reason);
  }

  /** Marks the request as answered. */
  complete(): void {
    this.#isSettled = true;
    this.#resolveSettled?.();
  }

  /** Marks the request as cancelled. */
  abort(reason: unknown): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#abortReason = reason;
    this.#controller?.abort(reason);
    this.#resolveSettled?.();
    this.observed?.end(
      isAbortError(reason)
        ? { kind: "cancelled" }
        : { kind: "failed", error: reason },
    );
  }
}

/**
 * Requests that came in one batch and get one array of responses.
 *
 * Each member that needs a response adds one, or undefined if it was cancelled; the array is sent once, after the last.
 */
export class PendingBatch {
  readonly #responses: Response[] = [];
  #outstanding: number;
  readonly #send: (answers: readonly Response[]) => void;

  constructor(expected: number, send: (answers: readonly Response[]) => void) {
    this.#outstanding = expected;
    this.#send = send;
  }

  /** Adds the response of one member, or undefined if it needs none. */
  addResponse(response: Response | undefined): void {
    if (response !== undefined) this.#responses.push(response);
    this.#outstanding -= 1;
    if (this.#outstanding > 0) return;
    const responses = collectBatchResponse(this.#responses);
    this.#send(responses ?? []);
  }
}
