import { isObject, metaOf } from "../jsonrpc/envelope.js";
import type { UnknownObject } from "../jsonrpc/envelope.js";
import { META_KEYS } from "../protocol/revision.js";

export const JSON_TYPE = "application/json";
export const STREAM_TYPE = "text/event-stream";

/** Names of the headers that MCP defines; like all header names, they are case-insensitive. */
export const HTTP_HEADERS = {
  PROTOCOL_VERSION: "MCP-Protocol-Version",
  SESSION_ID: "Mcp-Session-Id",
  LAST_EVENT_ID: "Last-Event-ID",
  METHOD: "Mcp-Method",
  NAME: "Mcp-Name",
  /** Prefix of the headers that repeat a tool's arguments. */
  PARAM_PREFIX: "Mcp-Param-",
} as const;

/** The keyword of a property's schema that repeats the argument in a header. */
export const HEADER_ANNOTATION = "x-mcp-header";

/** An argument of a tool that is repeated in a header. */
export interface HeaderParam {
  /** The whole name, such as `Mcp-Param-Region`. */
  readonly header: string;
  /** Path of property names in the arguments, outermost first. */
  readonly path: readonly string[];
}

/** The annotations of a tool's input schema, or why the tool must not be used. */
export type HeaderParams =
  | { readonly success: true; readonly value: readonly HeaderParam[] }
  | { readonly success: false; readonly reason: string };

/** The parts of a message that headers repeat. */
export interface MirroredMessage {
  readonly method: string;
  readonly params?: object | undefined;
}

/** A field name by RFC 9110, 5.1. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Values that a header can have as they are: printable ASCII, without spaces at the ends. Others need Base64. */
const PLAIN_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;
/** A field value by RFC 9110, 5.5, as the specification narrows it. */
const FIELD_VALUE = /^[\t -~]*$/;
const ENCODED_VALUE = /^=\?base64\?(.*)\?=$/;
const BASE64 =
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const SESSION_ID_PATTERN = /^[!-~]+$/;

const MIRRORED_TYPES: ReadonlySet<unknown> = new Set([
  "string",
  "integer",
  "boolean",
]);

/** Which param `Mcp-Name` repeats (MCP 2026-07-28, Streamable HTTP, Standard Request Headers). */
const NAME_PARAM: Readonly<Record<string, "name" | "uri" | "taskId">> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  // Tasks extension, Streamable HTTP: Routing Headers.
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** Keywords of JSON Schema whose value is a schema or a list of schemas. */
const SUBSCHEMA_KEYWORDS = [
  "additionalItems",
  "additionalProperties",
  "allOf",
  "anyOf",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "oneOf",
  "prefixItems",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
];
/** Keywords whose value has schemas by name. */
const SUBSCHEMA_MAP_KEYWORDS = [
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
];

/** Whether a session id is valid: at least one character, and only visible ASCII. */
export function isSessionId(value: string): boolean {
  return SESSION_ID_PATTERN.test(value);
}

/** Encodes a value for `Mcp-Name` and `Mcp-Param-*` (MCP 2026-07-28, Streamable HTTP, Value Encoding). */
export function encodeHeaderValue(value: string): string {
  if (PLAIN_VALUE.test(value) && !ENCODED_VALUE.test(value)) return value;
  return `=?base64?${btoa(utf8Characters(value))}?=`;
}

/** The UTF-8 bytes of a text, one character each, as `btoa` and `Headers` want them. */
export function utf8Characters(text: string): string {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text))
    bytes += String.fromCharCode(byte);
  return bytes;
}

/** Decodes such a header; undefined if it is invalid. */
export function decodeHeaderValue(header: string): string | undefined {
  if (!FIELD_VALUE.test(header)) return undefined;
  const encoded = ENCODED_VALUE.exec(header)?.[1];
  if (encoded === undefined) return header;
  if (!BASE64.test(encoded)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      bytes,
    );
  } catch {
    return undefined;
  }
}

/**
 * Which arguments of a tool are repeated in headers (MCP 2026-07-28, Streamable HTTP, Schema Extension).
 *
 * @param inputSchema - The tool's. Only its annotations are read; it need not be valid otherwise.
 * @returns The reason if an annotation is invalid: such a tool must not be used.
 */
export function headerParamsOf(inputSchema: unknown): HeaderParams {
  const params: HeaderParam[] = [];
  const seen = new Set<string>();
  // A queue instead of recursion, since the other side controls the depth.
  const queue: {
    readonly schema: unknown;
    readonly path: readonly string[] | undefined;
  }[] = [{ schema: inputSchema, path: [] }];
  for (const { schema, path } of queue) {
    if (!isObject(schema)) continue;
    if (Object.hasOwn(schema, HEADER_ANNOTATION)) {
      const name = schema[HEADER_ANNOTATION];
      const annotationError = annotationErrorOf(
        name,
        schema["type"],
        path,
        seen,
      );
      if (annotationError !== undefined)
        return { success: false, reason: annotationError };
      params.push({
        header: HTTP_HEADERS.PARAM_PREFIX + String(name),
        path: path ?? [],
      });
    }
    for (const [name, subschema] of entriesOf(schema, "properties"))
      queue.push({
        schema: subschema,
        path: path === undefined ? undefined : [...path, name],
      });
    for (const subschema of subschemasOutsideProperties(schema))
      queue.push({ schema: subschema, path: undefined });
  }
  return { success: true, value: params };
}

/**
 * The headers that repeat parts of a 2026-07-28 request (MCP 2026-07-28, Streamable HTTP, Request Metadata), encoded.
 * `MCP-Protocol-Version` is among them if the request names a version.
 *
 * @param headerParams - Those of the called tool.
 */
export function mirroredHeaders(
  message: MirroredMessage,
  headerParams: readonly HeaderParam[] = [],
): readonly (readonly [name: string, value: string])[] {
  const headers: (readonly [string, string])[] = [];
  const version = bodyVersion(message);
  if (typeof version === "string")
    headers.push([HTTP_HEADERS.PROTOCOL_VERSION, version]);
  headers.push([HTTP_HEADERS.METHOD, message.method]);
  const name = bodyName(message);
  if (name !== undefined)
    headers.push([HTTP_HEADERS.NAME, encodeHeaderValue(name)]);
  for (const { header, path } of headerParams) {
    const text = headerText(argumentAt(message, path));
    if (text !== undefined) headers.push([header, encodeHeaderValue(text)]);
  }
  return headers;
}

/**
 * Compares the headers of a request with its body (MCP 2026-07-28, Streamable HTTP, Server Validation).
 *
 * @param header - Returns a header's value by its name, or null; such as `(name) => request.headers.get(name)`.
 * @param headerParams - Those of the called tool.
 * @returns The first mismatch, as the message of an error with code -32020; undefined if everything matches.
 */
export function headerMismatch(
  header: (name: string) => string | null,
  message: MirroredMessage,
  headerParams: readonly HeaderParam[] = [],
): string | undefined {
  const { PROTOCOL_VERSION, METHOD, NAME } = HTTP_HEADERS;
  const version = header(PROTOCOL_VERSION);
  if (version === null) return `${PROTOCOL_VERSION} is missing`;
  if (version !== bodyVersion(message))
    return `${PROTOCOL_VERSION} is ${quoteValue(version)}, not what ${META_KEYS.VERSION} says`;
  const method = header(METHOD);
  if (method === null) return `${METHOD} is missing`;
  if (method !== message.method)
    return `${METHOD} is ${quoteValue(method)}, not the method`;
  const name = bodyName(message);
  if (name !== undefined) {
    const reason = describeDifference(header(NAME), name);
    if (reason !== undefined)
      return `${NAME} ${reason} params.${NAME_PARAM[message.method] ?? ""}`;
  }
  for (const param of headerParams) {
    const value = argumentAt(message, param.path);
    if (headerText(value) === undefined) {
      // Server Validation: a gateway that routes by a header must not be misled by a header without a counterpart in
      // the body.
      if (header(param.header) === null) continue;
      return `${param.header} is there, and no value for it in params.arguments.${param.path.join(".")}`;
    }
    const reason = describeDifference(header(param.header), value);
    if (reason !== undefined)
      return `${param.header} ${reason} params.arguments.${param.path.join(".")}`;
  }
  return undefined;
}

/** How a header differs from the value that it repeats, as the middle of a sentence. */
function describeDifference(
  header: string | null,
  value: unknown,
): string | undefined {
  if (header === null) return "is missing, for";
  const decoded = decodeHeaderValue(header);
  if (decoded === undefined) return "has invalid characters, for";
  const isSame =
    typeof value === "number"
      ? DECIMAL.test(decoded) && Number(decoded) === value
      : decoded === headerText(value);
  return isSame ? undefined : `is ${quoteValue(header)}, which is not`;
}

/** Why an annotation is invalid. */
function annotationErrorOf(
  name: unknown,
  type: unknown,
  path: readonly string[] | undefined,
  seen: Set<string>,
): string | undefined {
  if (path === undefined || path.length === 0)
    return `${HEADER_ANNOTATION} ${quoteValue(name)} cannot be reached through properties alone`;
  const location = `${HEADER_ANNOTATION} of ${quoteValue(path.join("."))}`;
  if (typeof name !== "string" || !HEADER_NAME.test(name))
    return `${location} is ${quoteValue(name)}, which cannot be part of a header's name`;
  const types = Array.isArray(type)
    ? (type as readonly unknown[]).filter((item) => item !== "null")
    : [type];
  if (types.length !== 1 || !MIRRORED_TYPES.has(types[0]))
    return `${location} is at a parameter that is not a string, integer or boolean`;
  const key = name.toLowerCase();
  if (seen.has(key))
    return `${location} is ${quoteValue(name)}, which another parameter has already`;
  seen.add(key);
  return undefined;
}

/** The subschemas of a schema under keywords other than `properties`. */
function subschemasOutsideProperties(
  schema: UnknownObject,
): readonly unknown[] {
  return [
    ...SUBSCHEMA_KEYWORDS.flatMap((keyword) =>
      Object.hasOwn(schema, keyword) ? schema[keyword] : [],
    ),
    ...SUBSCHEMA_MAP_KEYWORDS.flatMap((keyword) =>
      entriesOf(schema, keyword).map(([, subschema]) => subschema),
    ),
  ];
}

function entriesOf(
  schema: UnknownObject,
  keyword: string,
): readonly (readonly [string, unknown])[] {
  const value = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
  return isObject(value) ? Object.entries(value) : [];
}

function bodyVersion(message: MirroredMessage): unknown {
  return metaOf(message)?.[META_KEYS.VERSION];
}

function bodyName({ method, params }: MirroredMessage): string | undefined {
  const member = Object.hasOwn(NAME_PARAM, method)
    ? NAME_PARAM[method]
    : undefined;
  const name = member === undefined ? undefined : memberAt(params, [member]);
  return typeof name === "string" ? name : undefined;
}

function argumentAt(
  { params }: MirroredMessage,
  path: readonly string[],
): unknown {
  return memberAt(params, ["arguments", ...path]);
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (!isObject(current) || !Object.hasOwn(current, name)) return undefined;
    current = current[name];
  }
  return current;
}

/** A value as text; undefined for values that no header repeats. */
function headerText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || Number.isSafeInteger(value))
    return String(value);
  return undefined;
}

/** Quotes a value of the sender, shortened for an error message. */
function quoteValue(value: unknown): string {
  const text = typeof value === "string" ? value : typeof value;
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}
