import { metaOf, methodOf } from "../../jsonrpc/envelope.js";
import type { RequestId } from "../../jsonrpc/message.js";
import type { Parsed } from "../../jsonrpc/parse.js";
import { META_KEYS } from "../../protocol/revision.js";
import type { Auth } from "./auth.js";
import type { RetainedBody } from "./bodies.js";
import type { HeaderFields, HttpCall } from "./call.js";
import type { Caller } from "./callers.js";

/** One HTTP request and what is known about it. */
export interface HttpContext<A extends Auth = Auth> {
  readonly call: HttpCall;
  readonly path: string;
  /** Headers of every response. */
  readonly headers: HeaderFields;
  readonly auth: A | undefined;
  /** The caller by principal with authorization, otherwise the same as {@link connection}. */
  readonly caller: Caller;
  /** The caller by connection. */
  readonly connection: Caller;
  /** Whether the client accepts only JSON. */
  readonly isJsonOnly: boolean;
  /** The bytes of its body, once complete, if they are counted. */
  retainedBody?: RetainedBody;
}

/** A request that was posted. */
export interface PostedRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params?: object;
}

/** The version in a request's `_meta`; undefined if it has none. */
export function metaVersionOf(value: unknown): unknown {
  return metaOf(value)?.[META_KEYS.VERSION];
}

/** Whether a message is a request that gets a response although its parameters are invalid. */
export function isRequestWithInvalidParams(parsed: Parsed): boolean {
  return (
    parsed.kind === "invalid" &&
    parsed.code === "params" &&
    parsed.messageKind === "request" &&
    parsed.id !== null
  );
}

/** Whether a message opens a subscription: a request that stays open (MCP 2026-07-28, subscriptions). */
export function isListenRequest(value: unknown): boolean {
  return methodOf(value) === "subscriptions/listen";
}
