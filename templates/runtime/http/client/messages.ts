import {
  isObject,
  metaOf,
  methodOf,
  paramsOf,
} from "../../jsonrpc/envelope.js";
import type { UnknownObject } from "../../jsonrpc/envelope.js";
import type { RequestId } from "../../jsonrpc/message.js";
import { META_KEYS } from "../../protocol/revision.js";

/** A request to send. */
export interface SentRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params?: object;
}

/** The error of an error response. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
}

export function isRequest(message: object): message is SentRequest {
  return methodOf(message) !== undefined && "id" in message;
}

/** Whether the request names its revision in `_meta`, as only stateless revisions do. */
export function isStatelessRequest(request: SentRequest): boolean {
  return typeof metaOf(request)?.[META_KEYS.VERSION] === "string";
}

/** The name of the tool that a request calls; undefined for other requests. */
export function calledTool(request: SentRequest): string | undefined {
  if (request.method !== "tools/call") return undefined;
  const { name } = paramsOf(request);
  return typeof name === "string" ? name : undefined;
}

/** The `error` member of a value; undefined if there is no such object. */
export function errorIn(value: unknown): UnknownObject | undefined {
  if (!isObject(value)) return undefined;
  const { error } = value;
  return isObject(error) ? error : undefined;
}

export function isErrorObject(
  error: UnknownObject | undefined,
): error is ErrorObject & UnknownObject {
  return (
    typeof error?.["code"] === "number" && typeof error["message"] === "string"
  );
}
