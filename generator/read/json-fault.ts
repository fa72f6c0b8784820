/** What is wrong with a JSON text, and where. */
export interface JsonFault {
  readonly message: string;
  /** Offset into the text; its length if the text ends too early. */
  readonly offset: number;
}

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const CUT = /^(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|\.|[eE][+-]?)$/;
const ESCAPE = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;

/**
 * Finds the first fault of a JSON text: where it is no JSON, or where an object has a member twice. `JSON.parse` tells
 * the place of the one on some versions of Node only, and the other never. It does not recurse, so nesting is no danger.
 */
export function firstFault(text: string): JsonFault | undefined {
  // Containers that are open where the reader stands: the keys of an object so far, undefined for an array.
  const open: (Set<string> | undefined)[] = [];
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found !== '';
  };
  const expected = (what: string): JsonFault => {
    const found = text.codePointAt(at);
    // A text may have been cut in the middle of a word or number.
    return found === undefined || CUT.test(text.slice(at, at + 6))
      ? { message: `${what} is missing`, offset: text.length }
      : { message: `${what} is expected, not ${shown(found)}`, offset: at };
  };
  for (;;) {
    // In an object, the name of a member; then a value.
    skip(SPACE);
    const keys = open.at(-1);
    if (keys !== undefined) {
      if (text[at] !== '"') return expected('a member name in double quotes');
      const end = endOfString(text, at);
      if (typeof end !== 'number') return end;
      const key = text.slice(at, end);
      const name = JSON.parse(key) as string;
      if (keys.has(name)) {
        return { message: `the member ${key.slice(0, 100)} stands twice in one object`, offset: at };
      }
      keys.add(name);
      at = end;
      skip(SPACE);
      if (text[at] !== ':') return expected('a colon');
      at += 1;
      skip(SPACE);
    }
    const first = text[at];
    if (first === '"') {
      const end = endOfString(text, at);
      if (typeof end !== 'number') return end;
      at = end;
    } else if (first === '{' || first === '[') {
      at += 1;
      skip(SPACE);
      if (text[at] !== (first === '{' ? '}' : ']')) {
        open.push(first === '{' ? new Set() : undefined);
        continue;
      }
      at += 1;
    } else if (!skip(SCALAR)) {
      return expected('a value');
    }
    // What the value closes, until another one follows.
    for (;;) {
      skip(SPACE);
      if (open.length === 0) return at === text.length ? undefined : expected('the end of the file');
      const close = open.at(-1) === undefined ? ']' : '}';
      const next = text[at];
      if (next !== ',' && next !== close) return expected(`a comma or ${close}`);
      at += 1;
      if (next === ',') break;
      open.pop();
    }
  }
}

/** The offset behind a string, or what is wrong in it. */
function endOfString(text: string, start: number): number | JsonFault {
  let at = start + 1;
  while (at < text.length) {
    const character = text.charCodeAt(at);
    if (character === 0x22) return at + 1;
    if (character < 0x20) return { message: 'a control character or line break stands in a string', offset: at };
    at += 1;
    if (character !== 0x5c) continue;
    ESCAPE.lastIndex = at;
    const escape = ESCAPE.exec(text)?.[0];
    if (escape !== undefined) at += escape.length;
    // Near the end the text may have been cut in the middle of an escape.
    else if (text.length - at >= 5) return { message: 'a backslash in a string escapes nothing', offset: at - 1 };
    else break;
  }
  return { message: 'a string does not end', offset: text.length };
}

/** A character for a message; what cannot be seen by its number. */
function shown(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  return /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character)
    ? JSON.stringify(character)
    : `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
}
