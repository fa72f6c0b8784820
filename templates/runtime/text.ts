import { isRequestId } from "./message.js";
import type { RequestId } from "./message.js";

/** What a message is, or was meant to be. */
export type About = "request" | "notification" | "response" | "unknown";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether a JSON text has more than `limit` arrays and objects inside one another. Linear, and ends at the first too many. With no number as limit, all are. */
export function isNestedDeeper(text: string, limit: number): boolean {
  // As long as there are no more brackets than levels, which native search finds out at once, nothing can be too deep.
  if (text.length <= limit || !hasMoreBrackets(text, limit)) return false;
  const end = text.length;
  let depth = 0;
  for (let at = 0; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
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
      let at = text.indexOf(bracket);
      at >= 0;
      at = text.indexOf(bracket, at + 1)
    ) {
      count += 1;
      if (!(count <= limit)) return true;
    }
  }
  return false;
}

/** Place of the quote that closes the string that opens at `start`, or the text's length if none does. */
export function endOfString(text: string, start: number): number {
  const end = text.length;
  for (let at = start + 1; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return end;
}

/**
 * Deletes each member named `__proto__` from a value just parsed. `JSON.parse` makes it a plain member, which the first
 * copy by assignment would turn into the object's prototype.
 *
 * @param text - What the value was parsed from; as long as it does not name the key, the value is not walked.
 */
export function dropPrototypeKeys(text: string, value: unknown): void {
  if (!mayNamePrototype(text)) return;
  // A list, not recursion: it does not depend on the depth limit being a sane one.
  const open = [value];
  while (open.length > 0) {
    const item = open.pop();
    if (typeof item !== "object" || item === null) continue;
    if (!Array.isArray(item) && Object.hasOwn(item, "__proto__"))
      Reflect.deleteProperty(item, "__proto__");
    for (const member of Object.values(item)) {
      if (typeof member === "object" && member !== null) open.push(member);
    }
  }
}

function mayNamePrototype(text: string): boolean {
  // Escaped, it has a \u00 with the code of one of its letters; the first search is native and settles most texts.
  return (
    text.includes("__proto__") ||
    (text.includes("\\u00") && /\\u00(?:5[fF]|7[024]|6[fF])/.test(text))
  );
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[\s,}])/y;
const BLANK = /[ \t\r\n]*/y;

/**
 * Reads off a text that is not parsed, since it is too deep or too long, what it was meant to be and its id.
 *
 * @param isWhole - Whether the text is all of the message. Of a part, a missing id says nothing.
 */
export function readEnvelope(
  text: string,
  isWhole: boolean,
): { readonly about: About; readonly id: RequestId | null } {
  let hasMethod = false;
  let hasOutcome = false;
  let hasId = false;
  let id: RequestId | null = null;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
    if (char !== '"') continue;
    const end = endOfString(text, at);
    const colon = skipBlank(text, end + 1);
    if (depth === 1 && text[colon] === ":") {
      const name = valueOf(text.slice(at, end + 1));
      if (name === "method") hasMethod = true;
      else if (name === "result" || name === "error") hasOutcome = true;
      else if (name === "id") {
        hasId = true;
        id = idAt(text, skipBlank(text, colon + 1));
      }
    }
    at = end;
  }
  return { about: aboutOf(), id };

  function aboutOf(): About {
    if (!hasMethod) return hasOutcome ? "response" : "unknown";
    if (hasId) return "request";
    return isWhole && !hasOutcome ? "notification" : "unknown";
  }
}

function idAt(text: string, start: number): RequestId | null {
  if (text.charCodeAt(start) === QUOTE) {
    const id = valueOf(text.slice(start, endOfString(text, start) + 1));
    return typeof id === "string" ? id : null;
  }
  NUMBER.lastIndex = start;
  const id = Number(NUMBER.exec(text)?.[0]);
  return isRequestId(id) ? id : null;
}

function skipBlank(text: string, start: number): number {
  BLANK.lastIndex = start;
  BLANK.exec(text);
  return BLANK.lastIndex;
}

/** What a string literal says, or undefined if it is none. */
function valueOf(literal: string): unknown {
  try {
    return JSON.parse(literal);
  } catch {
    return undefined;
  }
}
