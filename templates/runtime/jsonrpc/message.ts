/** Matches a response to its request. `1` and `"1"` are different ids. */
export type RequestId = string | number;

/** A request, which expects a response. */
export type Request<M extends string = string, P extends object = object> = {
  jsonrpc: "2.0";
  id: RequestId;
  method: M;
  params?: P;
};

/** A notification, which has no response. */
export type Notification<
  M extends string = string,
  P extends object = object,
> = {
  jsonrpc: "2.0";
  method: M;
  params?: P;
};

/** The response to a request that succeeded. */
export type ResultResponse<R extends object = object> = {
  jsonrpc: "2.0";
  id: RequestId;
  result: R;
};

/** The error of an error response. */
export type ErrorObject = { code: number; message: string; data?: unknown };

/** The response to a request that failed. Its id is null or absent if the request's id could not be read. */
export type ErrorResponse = {
  jsonrpc: "2.0";
  id?: RequestId | null;
  error: ErrorObject;
};

/** Any response. */
export type Response = ResultResponse | ErrorResponse;

/** Any message. */
export type Message = Request | Notification | Response;

/** Whether a value is a valid id: a string or a safe integer. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/**
 * Creates a request.
 *
 * @param id - A string or a safe integer. The response has the same id, of the same type.
 * @param method - Any name that does not begin with `rpc.`, which JSON-RPC reserves.
 * @param params - An object, not an array: parameters have names. If undefined, the message has no member `params`.
 * @throws TypeError if an argument is invalid.
 */
export function request<const M extends string>(
  id: RequestId,
  method: M,
): { jsonrpc: "2.0"; id: RequestId; method: M };
export function request<const M extends string, P extends object>(
  id: RequestId,
  method: M,
  params: P,
): { jsonrpc: "2.0"; id: RequestId; method: M; params: P };
export function request(
  id: RequestId,
  method: string,
  params?: object,
): Request;
export function request(
  id: RequestId,
  method: string,
  params?: object,
): Request {
  checkId(id);
  checkMethod(method);
  if (params === undefined) return { jsonrpc: "2.0", id, method };
  checkObject("params", params);
  return { jsonrpc: "2.0", id, method, params };
}

/**
 * Creates a notification.
 *
 * @param method - Any name that does not begin with `rpc.`, which JSON-RPC reserves.
 * @param params - An object. If undefined, the message has no member `params`.
 * @throws TypeError if an argument is invalid.
 */
export function notification<const M extends string>(
  method: M,
): { jsonrpc: "2.0"; method: M };
export function notification<const M extends string, P extends object>(
  method: M,
  params: P,
): { jsonrpc: "2.0"; method: M; params: P };
export function notification(method: string, params?: object): Notification;
export function notification(method: string, params?: object): Notification {
  checkMethod(method);
  if (params === undefined) return { jsonrpc: "2.0", method };
  checkObject("params", params);
  return { jsonrpc: "2.0", method, params };
}

/**
 * Creates the response to a request that succeeded.
 *
 * @param id - The id of the request, unchanged.
 * @param result - An object.
 * @throws TypeError if an argument is invalid.
 */
export function resultResponse<R extends object>(
  id: RequestId,
  result: R,
): ResultResponse<R> {
  checkId(id);
  checkObject("result", result);
  return { jsonrpc: "2.0", id, result };
}

/**
 * Creates the response to a request that failed.
 *
 * @param id - The id of the request, unchanged. If it could not be read: null, as JSON-RPC requires, or undefined for a
 *   message without an id, where the protocol's schema allows that.
 * @param error - An `RpcError` or an error object: `code`, `message` and `data` are copied; stack and cause are not.
 * @throws TypeError if the code is not an integer or the message not a string.
 */
export function errorResponse(
  id: RequestId | null | undefined,
  error: Readonly<ErrorObject>,
): ErrorResponse {
  if (id !== null && id !== undefined) checkId(id);
  const { code, message, data } = error;
  if (!Number.isSafeInteger(code))
    throw new TypeError(
      `an error code must be an integer, not ${describeValue(code)}`,
    );
  if (typeof message !== "string")
    throw new TypeError(
      `an error message must be a string, not ${describeValue(message)}`,
    );
  const errorObject =
    data === undefined ? { code, message } : { code, message, data };
  return id === undefined
    ? { jsonrpc: "2.0", error: errorObject }
    : { jsonrpc: "2.0", id, error: errorObject };
}

function checkId(id: unknown): void {
  if (!isRequestId(id))
    throw new TypeError(
      `an id must be a string or a safe integer, not ${describeValue(id)}`,
    );
}

function checkMethod(method: unknown): void {
  if (typeof method !== "string")
    throw new TypeError(
      `a method must be a string, not ${describeValue(method)}`,
    );
  if (method.startsWith("rpc.")) {
    throw new TypeError(
      `${describeValue(method)} cannot be a method: JSON-RPC reserves names that begin with rpc.`,
    );
  }
}

function checkObject(name: string, value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TypeError(
      `${name} must be an object, not ${describeValue(value)}`,
    );
  }
}

/** Describes a value for an error message: always short, and never throws. */
function describeValue(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(
      value.length > 60 ? `${value.slice(0, 60)}...` : value,
    );
  if (typeof value === "number" || typeof value === "bigint")
    return String(value);
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}
