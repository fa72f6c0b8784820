/** Converts what handlers return and throw to results and error objects. */
import { CapabilityError, UnsupportedMethodError } from "./call-errors.js";
import type { ErrorObject, Response } from "./message.js";
import { RpcError, STANDARD_ERROR_CODES } from "./error-codes.js";
import { isObject } from "./envelope.js";

export function invalidRequestError(reason: string): ErrorObject {
  return {
    code: STANDARD_ERROR_CODES.INVALID_REQUEST,
    message: `Invalid Request: ${reason}`,
  };
}

/**
 * Whether a handler returned a promise, including promises of other libraries and realms. The value may be of any type.
 */
export function isPromiseLike<T>(value: T | Promise<T>): value is Promise<T> {
  return (
    typeof (value as { readonly then?: unknown } | null | undefined)?.then ===
    "function"
  );
}

/**
 * Converts a handler's return value to a result.
 *
 * @throws TypeError if it is not an object.
 */
export function toResult(handlerResult: object | null | undefined): object {
  // `toJSON` may return anything, such as undefined.
  const { toJSON } = (handlerResult ?? {}) as { readonly toJSON?: unknown };
  const result: unknown =
    typeof toJSON === "function"
      ? toJSON.call(handlerResult, "result")
      : handlerResult;
  if (!isObject(result)) throw new TypeError("a handler must return an object");
  return result;
}

/** Why a response cannot be serialized; undefined if it can. */
export function serializationErrorOf(
  response: Response,
): { readonly reason: unknown } | undefined {
  try {
    JSON.stringify(response);
    return undefined;
  } catch (reason) {
    return { reason };
  }
}

/**
 * A batch's responses, where an error replaces each one that cannot be serialized.
 *
 * @returns Undefined if all of them can be serialized, so the failure has another cause.
 */
export function replaceUnserializable(
  responses: readonly Response[],
  errorOf: (reason: unknown) => ErrorObject,
): readonly Response[] | undefined {
  const failures = responses.map(serializationErrorOf);
  if (failures.every((failure) => failure === undefined)) return undefined;
  return responses.map((response, index): Response => {
    const failure = failures[index];
    if (failure === undefined) return response;
    const { id = null } = response;
    return { jsonrpc: "2.0", id, error: errorOf(failure.reason) };
  });
}

/** Converts a thrown RpcError to an error object; undefined for anything else. Its members cannot make this throw. */
export function toErrorObject(thrown: unknown): ErrorObject | undefined {
  try {
    if (!(thrown instanceof RpcError)) return undefined;
    const { code, message, data } = thrown.toJSON();
    // The error may have been changed since it was created.
    return Number.isSafeInteger(code) && typeof message === "string"
      ? { code, message, ...(data === undefined ? {} : { data }) }
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a handler made a call that the other side does not support. The message of such an error contains only names of
 * the protocol, and tells the author of the other side what to change. Never throws.
 */
export function isUnsupportedCall(thrown: unknown): boolean {
  try {
    return (
      thrown instanceof CapabilityError ||
      thrown instanceof UnsupportedMethodError
    );
  } catch {
    return false;
  }
}

/** The class name of a thrown value. Never throws. */
export function errorClassName(error: unknown): string {
  try {
    if (!(error instanceof Error)) return typeof error;
    const { constructor } = error as { readonly constructor: unknown };
    const name: unknown =
      typeof constructor === "function" ? constructor.name : undefined;
    return typeof name === "string" ? name : "Error";
  } catch {
    return typeof error;
  }
}

/** The message of a thrown value. Never throws. */
export function errorMessage(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "Internal error";
  }
}

/** Converts a received error. An invalid code must not leave the caller waiting. */
export function toRpcError(error: ErrorObject): RpcError {
  if (Number.isSafeInteger(error.code)) return RpcError.from(error);
  return new RpcError(
    STANDARD_ERROR_CODES.INVALID_REQUEST,
    `the response is an error with the code ${error.code}, which is out of range: ${error.message}`,
    error.data,
  );
}
