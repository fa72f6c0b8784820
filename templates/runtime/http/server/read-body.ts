import { readJson } from "../../jsonrpc/parse.js";
import type { Invalid } from "../../jsonrpc/parse.js";
import type { JsonValue } from "../../jsonrpc/scan.js";
import {
  ArrivingBodies,
  MAX_UNCOUNTED_BODY_BYTES,
  RetainedBody,
} from "./bodies.js";
import type { Callers } from "./callers.js";
import type { HttpContext } from "./context.js";
import { ERROR_HEADERS } from "./error-response.js";
import type { Responder } from "./responder.js";

/** Limits of a body. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly maxTotalBodyBytes: number;
  readonly maxDepth: number;
}

/**
 * Reads the bodies of POST requests.
 *
 * A body counts as arriving from its first byte until `read` has parsed it, failed, or dropped it.
 * `read` returns undefined exactly when it has answered the call.
 */
export class BodyReader {
  readonly #responder: Responder;
  readonly #limits: BodyLimits;
  readonly #bodies: ArrivingBodies;

  constructor(responder: Responder, callers: Callers, limits: BodyLimits) {
    this.#responder = responder;
    this.#limits = limits;
    this.#bodies = new ArrivingBodies(callers, limits.maxTotalBodyBytes);
  }

  /** The posted JSON value, or why it is invalid. Undefined if the call was answered. */
  async read(context: HttpContext): Promise<JsonValue | Invalid | undefined> {
    const { call, headers, connection } = context;
    const length = call.header("content-length");
    const maxBytes = this.#limits.maxBodyBytes;
    if (length !== undefined && !/^\d+$/.test(length)) {
      this.#responder.refuse(
        call,
        headers,
        400,
        "Bad Request: Content-Length is not a number",
      );
      return undefined;
    }
    if (length !== undefined && Number(length) > maxBytes) {
      this.#refuseTooLarge(context);
      return undefined;
    }
    const arriving = this.#bodies.begin(connection);
    try {
      const body = await call.body(maxBytes, arriving);
      if (this.#responder.refuseIfClosed(call, headers)) return undefined;
      if (arriving.isDropped) {
        this.#responder.refuseBusy(call, headers);
        return undefined;
      }
      if (body === undefined) {
        this.#refuseTooLarge(context);
        return undefined;
      }
      if (!this.retain(context, body.length)) {
        this.#responder.refuseBusy(call, headers);
        return undefined;
      }
      return readJson(body, { maxDepth: this.#limits.maxDepth });
    } catch {
      // The connection broke, so nobody can receive an error.
      call.respond(400, ERROR_HEADERS);
      return undefined;
    } finally {
      arriving.end();
    }
  }

  /** Counts a complete body, if it is large. Returns false if there is no room for it. */
  retain(context: HttpContext, length: number): boolean {
    const { caller } = context;
    if (length <= MAX_UNCOUNTED_BODY_BYTES) return true;
    if (!caller.requestBytes.canAcquire(this.#limits.maxTotalBodyBytes))
      return false;
    context.retainedBody = new RetainedBody(caller, length);
    return true;
  }

  /** Drops incomplete bodies. */
  dropAll(): void {
    this.#bodies.dropAll();
  }

  #refuseTooLarge({ call, headers }: HttpContext): void {
    this.#responder.refuse(
      call,
      headers,
      413,
      `a body must not have more than ${this.#limits.maxBodyBytes} bytes`,
    );
  }
}
