/**
 * Reads the members of JSON-RPC messages from values of any type. Imports only types, so that all layers can use it.
 */
import type { RequestId } from "./message.js";

/** A JSON object with unknown members. */
export type UnknownObject = Readonly<Record<string, unknown>>;

/** The longest delay of a timer in milliseconds; timers with a longer one fire at once. */
export const MAX_TIMER_DELAY_MS: number = 2 ** 31 - 1;

/** In Node, sets whether a timer keeps the process alive; other runtimes have no such setting. */
export function keepProcessAlive(timer: unknown, isKept: boolean): void {
  const node = timer as { ref?(): void; unref?(): void } | undefined;
  if (isKept) node?.ref?.();
  else node?.unref?.();
}

/** Whether a value is a JSON object: not null, and not an array. */
export function isObject(value: unknown): value is UnknownObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The method of a request or notification; undefined for anything else. */
export function methodOf(message: unknown): string | undefined {
  if (!isObject(message)) return undefined;
  const { method } = message;
  return typeof method === "string" ? method : undefined;
}

/** The parameters of a request or notification; an empty object if it has none. */
export function paramsOf(message: unknown): UnknownObject {
  if (!isObject(message)) return NO_MEMBERS;
  const { params } = message;
  return isObject(params) ? params : NO_MEMBERS;
}

/** The `_meta` of a request's or notification's parameters; undefined if there is no such object. */
export function metaOf(message: unknown): UnknownObject | undefined {
  const { _meta: meta } = paramsOf(message);
  return isObject(meta) ? meta : undefined;
}

/** The id of a response: null if it has none, undefined if the value is not a response. */
export function responseIdOf(message: unknown): RequestId | null | undefined {
  if (!isObject(message) || "method" in message) return undefined;
  if (!("result" in message || "error" in message)) return undefined;
  const { id = null } = message;
  return id as RequestId | null;
}

/** The id of the request that `notifications/cancelled` cancels; undefined if it names none. */
export function cancelledIdOf(notification: unknown): RequestId | undefined {
  const { requestId } = paramsOf(notification);
  return typeof requestId === "string" || typeof requestId === "number"
    ? requestId
    : undefined;
}

const NO_MEMBERS: UnknownObject = Object.freeze({});
