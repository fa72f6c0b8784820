/**
 * The trace context of messages, in `_meta` (MCP 2026-07-28, `_meta`, OpenTelemetry trace context; SEP-414): the keys of
 * the configured propagators, without a prefix.
 */
import { isObject } from "../jsonrpc/envelope.js";
import type { Notification, Request } from "../jsonrpc/message.js";
import type { OpenTelemetryApi, TelemetryContext } from "./api.js";

/** W3C Baggage, Limits: 8192 bytes, which is more than the other formats need. */
const MAX_VALUE_CHARS = 8192;

const SETTER = {
  set(carrier: Record<string, string>, key: string, value: string): void {
    carrier[key] = value;
  },
};

const GETTER = {
  keys: (carrier: Readonly<Record<string, unknown>>): string[] =>
    Object.keys(carrier),
  get(
    carrier: Readonly<Record<string, unknown>>,
    key: string,
  ): string | undefined {
    const value = Object.hasOwn(carrier, key) ? carrier[key] : undefined;
    return typeof value === "string" && value.length <= MAX_VALUE_CHARS
      ? value
      : undefined;
  },
};

/** The params of a message with a trace context, which replaces one that they have: the caller's span is its parent. */
export function inject(
  { propagation }: OpenTelemetryApi,
  context: TelemetryContext,
  params: object | undefined,
): object | undefined {
  const injected: Record<string, string> = {};
  propagation.inject(context, injected, SETTER);
  if (Object.keys(injected).length === 0) return params;
  const meta = (params as { readonly _meta?: unknown } | undefined)?._meta;
  return Object.assign({}, params, {
    _meta: Object.assign({}, isObject(meta) ? meta : undefined, injected),
  });
}

/** The context with what a message says about its trace; unchanged if that is missing or invalid. */
export function extract(
  { propagation }: OpenTelemetryApi,
  context: TelemetryContext,
  { params }: Request | Notification,
): TelemetryContext {
  const meta = isObject(params) ? params["_meta"] : undefined;
  return isObject(meta) ? propagation.extract(context, meta, GETTER) : context;
}
