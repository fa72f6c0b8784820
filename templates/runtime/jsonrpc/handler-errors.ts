/**
 * What handlers return and throw, as results and error objects.
 */
import type { ErrorObject, Response } from "./message.js";
import { RpcError, STANDARD_ERROR_CODES } from "./error-codes.js";
import { isObject } from "./envelope.js";

export function invalidRequestError(reason: string): ErrorObject {
  return {
    code: STANDARD_ERROR_CODES.INVALID_REQUEST,
    message: `Invalid Request: ${reason}`,
  };
}

/** Whether a handler's outcome is a promise. It may be no object at all, and one of another library or realm is one too. */
export function isPromiseLike(
  value: object | Promise<object>,
): value is Promise<object> {
  return (
    typeof (value as { readonly then?: unknown } | null | undefined)?.then ===
    "function"
  );
}

/**
 * What a handler gave as a result.
 *
 * @throws TypeError if it is none.
 */
export function toResult(handlerResult: object | null | undefined): object {
  // What says itself how it is written may say anything, such as nothing.
  const { toJSON } = (handlerResult ?? {}) as { readonly toJSON?: unknown };
  const result: unknown =
    typeof toJSON === "function"
      ? toJSON.call(handlerResult, "result")
      : handlerResult;
  if (!isObject(result))
    throw new TypeError("a handler gave no object as result");
  return result;
}

/** Why JSON cannot hold an answer; undefined if it can. */
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
 * A batch's responses with an error in the place of each that JSON cannot hold.
 *
 * @returns Undefined if JSON can hold all of them, so that something else is wrong.
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

/** The error of an answer, if what was thrown is one. Nothing that it brings along can make this fail. */
export function toErrorObject(thrown: unknown): ErrorObject | undefined {
  try {
    if (!(thrown instanceof RpcError)) return undefined;
    const { code, message, data } = thrown.toJSON();
    // It may have been changed since it was made.
    return Number.isSafeInteger(code) && typeof message === "string"
      ? { code, message, ...(data === undefined ? {} : { data }) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The name of the class of what was thrown, likewise. */
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

/** Its message, likewise. */
export function errorMessage(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "Internal error";
  }
}

/** The error of an answer. A code that no error of ours can have must not keep the caller waiting. */
export function toRpcError(error: ErrorObject): RpcError {
  if (Number.isSafeInteger(error.code)) return RpcError.from(error);
  return new RpcError(
    STANDARD_ERROR_CODES.INVALID_REQUEST,
    `the answer is an error with the code ${error.code}, which is out of range: ${error.message}`,
    error.data,
  );
}

export function createAbortError(reason: string): Error {
  return Object.assign(new Error(reason), { name: "AbortError" });
}
