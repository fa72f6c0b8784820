import { SERVER_BUSY } from "../../jsonrpc/endpoint.js";
import { STANDARD_ERROR_CODES } from "../../jsonrpc/error-codes.js";
import type { RequestId } from "../../jsonrpc/message.js";
import type { Invalid } from "../../jsonrpc/parse.js";
import { notifyListener } from "../../jsonrpc/transport-events.js";
import { unreadIdPolicy } from "../../protocol/version-rules.js";
import { NO_HEADERS } from "./call.js";
import type { HeaderFields, HttpCall } from "./call.js";
import type { Callers } from "./callers.js";
import type { HttpContext } from "./context.js";
import { encodeErrorResponse, ERROR_HEADERS } from "./error-response.js";
import { ResponseWriter } from "./reply.js";
import type { StreamLimits } from "./reply.js";
import type { HttpEvent } from "./types.js";
import type { UnreadBudget } from "./unread-budget.js";

/** Maximum of characters of an error response that is not counted: a connection has one of them at a time. */
const MAX_UNCOUNTED_REFUSAL_CHARS = 4096;

/**
 * Answers calls: with a writer, or with an error response.
 *
 * A call is in `admitting` from `admit` until it has a writer, or its handling ends.
 * After `close`, `refuseIfClosed` answers every call that has no writer yet with 503.
 */
export class Responder {
  readonly streamLimits: StreamLimits;
  readonly openWriters: ReadonlySet<ResponseWriter>;
  readonly #openWriters: Set<ResponseWriter>;
  readonly #unread: UnreadBudget;
  readonly #callers: Callers;
  readonly #onEvent: ((event: HttpEvent) => void) | undefined;
  readonly #admitting = new Set<HttpCall>();
  #isDraining = false;
  #isClosed = false;

  /** @param openWriters - The set of open writers; `unread` uses the same one. */
  constructor(
    streamLimits: StreamLimits,
    openWriters: Set<ResponseWriter>,
    unread: UnreadBudget,
    callers: Callers,
    onEvent: ((event: HttpEvent) => void) | undefined,
  ) {
    this.streamLimits = streamLimits;
    this.openWriters = openWriters;
    this.#openWriters = openWriters;
    this.#unread = unread;
    this.#callers = callers;
    this.#onEvent = onEvent;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether nothing that would last is begun any more. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Whether all calls that were admitted have a writer or an answer. */
  get isIdle(): boolean {
    return this.#admitting.size === 0;
  }

  /** Whether no response is complete that a client still reads. Streams that can go on do not count. */
  get isRead(): boolean {
    for (const writer of this.#openWriters) if (writer.isFinished) return false;
    return true;
  }

  /** From now on {@link refuseIfDraining} rejects calls. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Handling of a call begins. */
  admit(call: HttpCall): void {
    this.#admitting.add(call);
  }

  /** Handling of a call has ended, successfully or not. */
  endAdmission(call: HttpCall): void {
    this.#admitting.delete(call);
  }

  /** Rejects the calls without a writer, and all later ones. */
  close(): void {
    this.#isDraining = true;
    this.#isClosed = true;
    // A hook or a factory that they wait for may never return.
    for (const call of [...this.#admitting]) {
      this.#admitting.delete(call);
      this.refuseIfClosed(call, NO_HEADERS);
    }
  }

  /** The writer of the response to a call. */
  reply({
    call,
    headers,
    caller,
    isJsonOnly,
    retainedBody: request,
  }: HttpContext): ResponseWriter {
    this.#admitting.delete(call);
    return new ResponseWriter(
      call,
      headers,
      this.streamLimits,
      this.#openWriters,
      this.#unread,
      caller,
      isJsonOnly,
      request,
    );
  }

  /** Whether the handler is closed, which may happen during any `await`; then the call is rejected. */
  refuseIfClosed(call: HttpCall, headers: HeaderFields): boolean {
    if (this.#isClosed)
      this.refuse(call, headers, 503, "the server is shutting down");
    return this.#isClosed;
  }

  /** Whether the handler is draining; then the call, which would begin something that lasts, is rejected. */
  refuseIfDraining(call: HttpCall, headers: HeaderFields): boolean {
    if (this.#isDraining)
      this.refuse(
        call,
        { ...headers, "retry-after": "1" },
        503,
        "the server is shutting down",
      );
    return this.#isDraining;
  }

  refuseUnknownSession({ call, headers }: HttpContext): void {
    this.refuse(
      call,
      headers,
      404,
      "Not Found: there is no such session, or it has ended",
    );
  }

  refuseMethod({ call, headers }: HttpContext): void {
    this.refuse(
      call,
      { ...headers, allow: "POST, GET, DELETE" },
      405,
      "Method Not Allowed",
    );
  }

  /**
   * Responds to an invalid message as the endpoint does, with the id that the revision requires if none can be read.
   */
  refuseInvalid(
    { call, headers }: HttpContext,
    { errorResponse: answer, id, reason }: Invalid,
    version: string,
  ): void {
    // A message that must not be answered gets a transport error, which has no id.
    const answered =
      answer === undefined || unreadIdPolicy(version) === "absent"
        ? (id ?? undefined)
        : id;
    this.refuse(
      call,
      headers,
      400,
      answer?.error.message ?? reason,
      answer?.error.code,
      answered,
    );
  }

  /** Rejects a call that needs what all processes share, while that does not answer. */
  refuseUnavailable(call: HttpCall, headers: HeaderFields): void {
    this.refuseBusy(call, headers, "the session store is not available");
  }

  refuseBusy(
    call: HttpCall,
    headers: HeaderFields,
    reason = "Server busy",
  ): void {
    this.refuse(
      call,
      { ...headers, "retry-after": "1" },
      503,
      reason,
      SERVER_BUSY,
    );
  }

  /** Responds with a transport error (MCP, Streamable HTTP: a response without an id). */
  refuse(
    call: HttpCall,
    headers: HeaderFields,
    status: number,
    reason: string,
    code: number = STANDARD_ERROR_CODES.INVALID_REQUEST,
    id?: RequestId | null,
    data?: unknown,
  ): void {
    this.emit({ kind: "refused", status, reason });
    const text = encodeErrorResponse(code, reason, id, data);
    if (text.length <= MAX_UNCOUNTED_REFUSAL_CHARS)
      call.respond(status, { ...ERROR_HEADERS, ...headers }, text);
    else {
      // It repeats an id that a client chose, and counts like any other response.
      new ResponseWriter(
        call,
        headers,
        this.streamLimits,
        this.#openWriters,
        this.#unread,
        this.#callers.of(undefined),
      ).sendJson(status, text);
    }
  }

  emit(event: HttpEvent): void {
    notifyListener(this.#onEvent, event);
  }
}
