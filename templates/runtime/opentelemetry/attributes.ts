/**
 * Attributes and names by the OpenTelemetry semantic conventions for MCP (`docs/gen-ai/mcp.md` of
 * open-telemetry/semantic-conventions-genai at commit 0393513, status Development).
 */
import { ConnectionClosedError } from "../jsonrpc/call-errors.js";
import { isObject } from "../jsonrpc/envelope.js";
import type { Outcome } from "../jsonrpc/instrument.js";
import type { Notification, Request } from "../jsonrpc/message.js";
import type { TransportNetwork } from "../jsonrpc/transport.js";
import { META_KEYS } from "../protocol/revision.js";
import type { TelemetryAttributes } from "./api.js";

/** The value for what has no value with few variants. */
const OTHER = "_OTHER";

/** Maximum of characters that are recorded of a name, an id or a URI, which the other side may choose. */
const MAX_NAME_CHARS = 256;
/** The same for arguments and results. */
const MAX_CONTENT_CHARS = 65_536;
/** Maximum of methods that metrics have as values, in addition to {@link METHODS}. */
const MAX_METRIC_METHODS = 100;
/** Maximum of names of tools or prompts that metrics have as values. */
const MAX_METRIC_NAMES = 1000;

/** The methods in the conventions, and those of newer revisions. */
const METHODS: ReadonlySet<string> = new Set([
  "completion/complete",
  "elicitation/create",
  "initialize",
  "logging/setLevel",
  "notifications/cancelled",
  "notifications/elicitation/complete",
  "notifications/initialized",
  "notifications/message",
  "notifications/progress",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
  "notifications/roots/list_changed",
  "notifications/subscriptions/acknowledged",
  "notifications/tasks/status",
  "notifications/tools/list_changed",
  "ping",
  "prompts/get",
  "prompts/list",
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "resources/templates/list",
  "resources/unsubscribe",
  "roots/list",
  "sampling/createMessage",
  "server/discover",
  "subscriptions/listen",
  "tasks/cancel",
  "tasks/get",
  "tasks/list",
  "tasks/result",
  "tasks/update",
  "tools/call",
  "tools/list",
]);

const RESOURCE_METHODS: ReadonlySet<string> = new Set([
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "notifications/resources/updated",
]);

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

/** What is recorded of a message. */
export interface DescribedMessage {
  /** The name of its span: the method and, if known, the tool or prompt. */
  readonly spanName: string;
  /** Attributes of both its span and its metrics. */
  readonly common: TelemetryAttributes;
  /** Attributes of its span alone. */
  readonly spanOnly: TelemetryAttributes;
  /** The arguments of a tool call. */
  readonly toolArguments: unknown;
}

/** Describes a message, whose params may be anything. */
export function describe(message: Request | Notification): DescribedMessage {
  const method = shorten(message.method);
  const params = isObject(message.params) ? message.params : {};
  const common: TelemetryAttributes = { "mcp.method.name": method };
  const spanOnly: TelemetryAttributes = {};
  if ("id" in message)
    spanOnly["jsonrpc.request.id"] = shorten(String(message.id));
  const name =
    typeof params["name"] === "string" ? shorten(params["name"]) : undefined;
  let target: string | undefined;
  let toolArguments: unknown;
  if (method === "tools/call") {
    common["gen_ai.operation.name"] = "execute_tool";
    toolArguments = params["arguments"];
    if (name !== undefined) common["gen_ai.tool.name"] = target = name;
  } else if (method === "prompts/get" && name !== undefined)
    common["gen_ai.prompt.name"] = target = name;
  else if (RESOURCE_METHODS.has(method) && typeof params["uri"] === "string")
    spanOnly["mcp.resource.uri"] = shorten(params["uri"]);
  const spanName = target === undefined ? method : `${method} ${target}`;
  return { spanName, common, spanOnly, toolArguments };
}

/** The revision that a request of a stateless revision names. */
export function revisionIn({
  params,
}: Request | Notification): string | undefined {
  const meta = isObject(params) ? params["_meta"] : undefined;
  const version = isObject(meta) ? meta[META_KEYS.VERSION] : undefined;
  return typeof version === "string" ? shorten(version) : undefined;
}

/** The attributes of a transport. */
export function networkAttributes(
  network: TransportNetwork | undefined,
): TelemetryAttributes {
  const attributes: TelemetryAttributes = {};
  if (network === undefined) return attributes;
  const { transport, protocol, address, port } = network;
  attributes["network.transport"] = transport;
  if (protocol !== undefined) attributes["network.protocol.name"] = protocol;
  if (address !== undefined) attributes["server.address"] = address;
  if (port !== undefined) attributes["server.port"] = port;
  return attributes;
}

/** What an outcome adds to spans and metrics: `error.type` if it is an error. */
export function outcomeAttributes(
  method: string,
  outcome: Outcome,
): TelemetryAttributes {
  if (method === "subscriptions/listen" && isEnd(outcome)) return {};
  switch (outcome.kind) {
    case "result":
      return method === "tools/call" &&
        (outcome.result as { readonly isError?: unknown } | undefined)
          ?.isError === true
        ? { "error.type": "tool_error" }
        : {};
    case "error": {
      const code = String(outcome.code);
      return { "error.type": code, "rpc.response.status_code": code };
    }
    case "cancelled":
      return { "error.type": "cancelled" };
    case "failed":
      return { "error.type": errorTypeOf(outcome.error) };
  }
}

/** Whether a subscription ended as subscriptions do: its client left. */
function isEnd(outcome: Outcome): boolean {
  return (
    outcome.kind === "cancelled" ||
    (outcome.kind === "failed" &&
      outcome.error instanceof ConnectionClosedError)
  );
}

/** The class of an error: `timeout` for timeouts, `_OTHER` for what is no error. Messages are not recorded. */
export function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return OTHER;
  const { name } = error;
  if (name === "TimeoutError") return "timeout";
  return typeof name === "string" && name !== "" ? shorten(name) : OTHER;
}

/** A value as JSON, since attributes have no objects; undefined if it has no JSON. */
export function contentOf(value: unknown): string | undefined {
  return value === undefined
    ? undefined
    : JSON.stringify(value).slice(0, MAX_CONTENT_CHARS);
}

/**
 * Bounds the names that the other side can add to metrics: each combination of attributes costs memory for as long as
 * the process runs.
 */
export class MetricNames {
  readonly #known = new Map<string, Set<string>>();

  /** The attributes for a metric of a received message. */
  bounded(common: TelemetryAttributes, outcome: Outcome): TelemetryAttributes {
    const code = outcome.kind === "error" ? outcome.code : undefined;
    const isKnown = (key: string, isValid: boolean): boolean =>
      this.#isKnown(key, String(common[key]), isValid);
    const exists = code !== METHOD_NOT_FOUND && code !== INVALID_PARAMS;
    const bounded: TelemetryAttributes = {};
    for (const [key, value] of Object.entries(common)) {
      if (key === "mcp.method.name")
        bounded[key] =
          METHODS.has(String(value)) || isKnown(key, code !== METHOD_NOT_FOUND)
            ? value
            : OTHER;
      else if (key === "gen_ai.operation.name" || isKnown(key, exists))
        bounded[key] = value;
    }
    return bounded;
  }

  /** @param isValid - Whether the outcome shows that the name exists. */
  #isKnown(key: string, name: string, isValid: boolean): boolean {
    const known = this.#known.get(key) ?? new Set();
    if (known.has(name)) return true;
    const max =
      key === "mcp.method.name" ? MAX_METRIC_METHODS : MAX_METRIC_NAMES;
    if (!isValid || known.size >= max) return false;
    this.#known.set(key, known.add(name));
    return true;
  }
}

function shorten(text: string): string {
  return text.length > MAX_NAME_CHARS ? text.slice(0, MAX_NAME_CHARS) : text;
}
