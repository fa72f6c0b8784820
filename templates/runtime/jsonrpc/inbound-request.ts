/**
 * Requests of the other side that are being handled, alone or in a batch.
 */
import type { Request, Response } from "./message.js";
import type { HandlerCounter } from "./transport.js";
import { collectBatchResponse } from "./parse.js";

/** A request of the other side that is being handled. */
export class InboundRequest {
  readonly request: Request;
  /** What the transport knows beyond the message. */
  readonly extra: unknown;
  /** Where the answer goes if the request came in a batch. */
  readonly batch: PendingBatch | undefined;
  /** What counts its handler beyond the connection, if the role has it run one that counts. */
  counter: HandlerCounter | undefined;
  #isSettled = false;
  #controller: AbortController | undefined;
  #abortReason: unknown;

  constructor(
    request: Request,
    extra: unknown,
    batch: PendingBatch | undefined,
  ) {
    this.request = request;
    this.extra = extra;
    this.batch = batch;
  }

  /** Whether it is answered or cancelled: nothing more may be sent for it. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Aborted if the request is cancelled or the connection ends. Made when first asked for, since most handlers never do. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#abortReason !== undefined && !this.#controller.signal.aborted)
      this.#controller.abort(this.#abortReason);
    return this.#controller.signal;
  }

  /** It is answered. */
  complete(): void {
    this.#isSettled = true;
  }

  /** Nobody waits for it any more. */
  abort(reason: unknown): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#abortReason = reason;
    this.#controller?.abort(reason);
  }
}

/** Requests that came together and are answered together. */
export class PendingBatch {
  readonly #responses: Response[] = [];
  #outstanding: number;
  readonly #send: (answers: readonly Response[]) => void;

  constructor(expected: number, send: (answers: readonly Response[]) => void) {
    this.#outstanding = expected;
    this.#send = send;
  }

  /** One more is answered, or needs no answer. */
  addResponse(response: Response | undefined): void {
    if (response !== undefined) this.#responses.push(response);
    this.#outstanding -= 1;
    if (this.#outstanding > 0) return;
    const responses = collectBatchResponse(this.#responses);
    this.#send(responses ?? []);
  }
}
