import { isRequestId } from "./message.js";
import type { RequestId } from "./message.js";

/** The kind of a message, or of what seems to be one. */
export type MessageKind = "request" | "notification" | "response" | "unknown";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether arrays and objects are nested deeper than `limit` in a JSON text. Linear, and ends at the first excess level.
 * If the limit is not a number, every text is too deep.
 */
export function exceedsDepth(text: string, limit: number): boolean {
  // With no more brackets than levels, which native search counts at once, nothing can be too deep.
  if (text.length <= limit || !hasMoreBrackets(text, limit)) return false;
  const end = text.length;
  let depth = 0;
  for (let index = 0; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
    } else if (code > 0x5a) {
      // [ and { differ in one bit, as do ] and }.
      const bracket = code & ~0x20;
      if (bracket === 0x5b) {
        depth += 1;
        if (!(depth <= limit)) return true;
      } else if (bracket === 0x5d) depth -= 1;
    }
  }
  return false;
}

function hasMoreBrackets(text: string, limit: number): boolean {
  let count = 0;
  for (const bracket of ["{", "["]) {
    for (
      let index = text.indexOf(bracket);
      index >= 0;
      index = text.indexOf(bracket, index + 1)
    ) {
      count += 1;
      if (!(count <= limit)) return true;
    }
  }
  return false;
}

/** Index of the quote that closes the string opened at `start`, or the text's length if it is not closed. */
export function endOfString(text: string, start: number): number {
  const end = text.length;
  for (let index = start + 1; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index;
    if (code === BACKSLASH) index += 1;
  }
  return end;
}

/**
 * Deletes each member named `__proto__` from a parsed value. `JSON.parse` creates a plain member, which the first copy
 * by assignment would turn into the object's prototype.
 *
 * @param text - The source of the value; if it does not contain the key, the value is not walked.
 */
export function dropPrototypeKeys(text: string, value: unknown): void {
  if (!mayContainProtoKey(text)) return;
  // A list instead of recursion, so that no depth limit is needed.
  const stack = [value];
  while (stack.length > 0) {
    const item = stack.pop();
    if (typeof item !== "object" || item === null) continue;
    if (!Array.isArray(item) && Object.hasOwn(item, "__proto__"))
      Reflect.deleteProperty(item, "__proto__");
    for (const member of Object.values(item)) {
      if (typeof member === "object" && member !== null) stack.push(member);
    }
  }
}

function mayContainProtoKey(text: string): boolean {
  // An escaped key has a \u00 escape for at least one letter; the first search is native and settles most texts.
  return (
    text.includes("__proto__") ||
    (text.includes("\\u00") && /\\u00(?:5[fF]|7[024]|6[fF])/.test(text))
  );
}

const NUMBER_LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[\s,}])/y;
const JSON_WHITESPACE = /[ \t\r\n]*/y;

/**
 * Reads the kind and the id of a message from a text that is not parsed, since it is too deep or too long.
 *
 * @param isWhole - Whether the text is complete. In a part of a message, a missing id means nothing.
 */
export function scanEnvelope(
  text: string,
  isWhole: boolean,
): { readonly messageKind: MessageKind; readonly id: RequestId | null } {
  let hasMethod = false;
  let hasResultOrError = false;
  let hasId = false;
  let id: RequestId | null = null;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
    if (char !== '"') continue;
    const end = endOfString(text, index);
    const colon = skipWhitespace(text, end + 1);
    if (depth === 1 && text[colon] === ":") {
      const name = parseLiteral(text.slice(index, end + 1));
      if (name === "method") hasMethod = true;
      else if (name === "result" || name === "error") hasResultOrError = true;
      else if (name === "id") {
        hasId = true;
        id = readIdAt(text, skipWhitespace(text, colon + 1));
      }
    }
    index = end;
  }
  return { messageKind: scannedKind(), id };

  function scannedKind(): MessageKind {
    if (!hasMethod) return hasResultOrError ? "response" : "unknown";
    if (hasId) return "request";
    return isWhole && !hasResultOrError ? "notification" : "unknown";
  }
}

function readIdAt(text: string, start: number): RequestId | null {
  if (text.charCodeAt(start) === QUOTE) {
    const id = parseLiteral(text.slice(start, endOfString(text, start) + 1));
    return typeof id === "string" ? id : null;
  }
  NUMBER_LITERAL.lastIndex = start;
  const id = Number(NUMBER_LITERAL.exec(text)?.[0]);
  return isRequestId(id) ? id : null;
}

function skipWhitespace(text: string, start: number): number {
  JSON_WHITESPACE.lastIndex = start;
  JSON_WHITESPACE.exec(text);
  return JSON_WHITESPACE.lastIndex;
}

/** The value of a string literal, or undefined if it is not one. */
function parseLiteral(literal: string): unknown {
  try {
    return JSON.parse(literal);
  } catch {
    return undefined;
  }
}

/** Maximum nesting depth of arrays and objects, unless an option sets another. */
export const DEFAULT_MAX_DEPTH = 256;

/** A JSON value that was parsed. */
export interface JsonValue {
  readonly kind: "value";
  readonly value: unknown;
}

/** Parses a JSON text within a limit on nesting, or says what is wrong with it. */
export function parseJson(
  text: string,
  maxDepth: number,
): JsonValue | "not-json" | "too-deep" {
  // Before JSON.parse, which recurses in some engines.
  if (exceedsDepth(text, maxDepth)) return "too-deep";
  const value = parseJsonOrUndefined(text);
  if (value === undefined) return "not-json";
  dropPrototypeKeys(text, value);
  return { kind: "value", value };
}

/** The value of a JSON text, or undefined if it is not JSON. */
export function parseJsonOrUndefined(text: string): unknown {
  // The first character reveals a banner, which is much cheaper than an error.
  if (text.charCodeAt(0) !== 0x7b && !/^[ \t\r\n]*[-{["\dtfn]/.test(text))
    return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
