import type { ErrorObject } from "./message.js";

/** The error codes of JSON-RPC 2.0. */
export const STANDARD_ERROR_CODES = {
  /** The text is not JSON. */
  PARSE_ERROR: -32700,
  /** The JSON is not a valid message. */
  INVALID_REQUEST: -32600,
  /** The receiver does not offer this method. */
  METHOD_NOT_FOUND: -32601,
  /** The parameters do not match the method. */
  INVALID_PARAMS: -32602,
  /** The receiver failed while handling the request. */
  INTERNAL_ERROR: -32603,
} as const;

/**
 * The base of the errors with which the runtime fails a call of a client. `name` tells them apart. An aborted call rejects
 * with the reason of its signal instead, and what the `send` of a transport throws is passed on as it is.
 */
export abstract class CallError extends Error {
  /**
   * Whether the other side may have run the call, completely or in part. If false, nothing was run, and the call can be
   * repeated once its cause is gone. If true, repeat only calls that have no effect, or the same effect twice.
   */
  abstract readonly mayHaveRun: boolean;
}

/** Codes of errors that come before a handler runs. */
const CODES_BEFORE_RUNNING: ReadonlySet<number> = new Set([
  STANDARD_ERROR_CODES.PARSE_ERROR,
  STANDARD_ERROR_CODES.INVALID_REQUEST,
  STANDARD_ERROR_CODES.METHOD_NOT_FOUND,
]);

/**
 * A JSON-RPC error: thrown by a handler, or received from a peer. The code says what to do; only with -32700, -32600 and
 * -32601 is it sure that nothing was run.
 */
export class RpcError<Data = unknown> extends CallError {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: Data | undefined;

  /**
   * @param code - An integer; see {@link STANDARD_ERROR_CODES}.
   * @param data - Any JSON value; omitted if undefined.
   */
  constructor(
    code: number,
    message: string,
    data?: Data,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
    if (!Number.isSafeInteger(code))
      throw new TypeError(`an error code must be an integer, not ${code}`);
    this.code = code;
    this.data = data;
  }

  get mayHaveRun(): boolean {
    return !CODES_BEFORE_RUNNING.has(this.code);
  }

  /** Converts the error of an error response to one that can be thrown. */
  static from(
    error: ErrorObject,
    options?: { readonly cause?: unknown },
  ): RpcError {
    return new RpcError(error.code, error.message, error.data, options);
  }

  /** The `error` member of an error response; stack and cause are not sent. */
  toJSON(): ErrorObject {
    const { code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

/** A sender's text, shortened for an error message. */
export function truncate(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}

/** The error for a method that this side does not offer. */
export function methodNotFoundError(method: string): RpcError {
  return new RpcError(
    STANDARD_ERROR_CODES.METHOD_NOT_FOUND,
    "Method not found",
    { method: truncate(method) },
  );
}
