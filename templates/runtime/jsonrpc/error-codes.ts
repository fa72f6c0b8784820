import type { ErrorObject } from "./message.js";

/** The error codes that JSON-RPC itself defines. */
export const STANDARD_ERROR_CODES = {
  /** The text is not JSON. */
  PARSE_ERROR: -32700,
  /** The JSON is no valid message. */
  INVALID_REQUEST: -32600,
  /** The receiver does not offer this method. */
  METHOD_NOT_FOUND: -32601,
  /** The parameters do not fit the method. */
  INVALID_PARAMS: -32602,
  /** The receiver failed while it handled the request. */
  INTERNAL_ERROR: -32603,
} as const;

/** An error that travels: thrown by a handler, or what a peer answered. */
export class RpcError<Data = unknown> extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: Data | undefined;

  /**
   * @param code - An integer; see {@link STANDARD_ERROR_CODES}.
   * @param data - Anything that JSON can hold; left out of the message if undefined.
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

  /** The error of an error response as one that can be thrown. */
  static from(
    error: ErrorObject,
    options?: { readonly cause?: unknown },
  ): RpcError {
    return new RpcError(error.code, error.message, error.data, options);
  }

  /** The `error` member of an error response; without stack and cause, which stay here. */
  toJSON(): ErrorObject {
    const { code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}
