/** A syntax error of a JSON text, with its offset. */
export interface JsonSyntaxFault {
  readonly message: string;
  /** Offset into the text; its length if the text ends too early. */
  readonly offset: number;
}

const WHITESPACE = /[ \t\n\r]*/y;
const SCALAR_LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const TRUNCATED_TOKEN = /^(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|\.|[eE][+-]?)$/;
const ESCAPE_SEQUENCE = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;

/**
 * Finds the first syntax error or duplicate member of a JSON text. `JSON.parse` reports the place of syntax errors on
 * some versions of Node only, and never duplicates. Iterative, so deep nesting is safe.
 */
export function findJsonFault(text: string): JsonSyntaxFault | undefined {
  // Open containers at the current offset: the keys of an object so far, undefined for an array.
  const openContainers: (Set<string> | undefined)[] = [];
  let offset = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = offset;
    const found = pattern.exec(text)?.[0] ?? '';
    offset += found.length;
    return found !== '';
  };
  const expectedFault = (what: string): JsonSyntaxFault => {
    const found = text.codePointAt(offset);
    // A text may be truncated in the middle of a word or number.
    return found === undefined || TRUNCATED_TOKEN.test(text.slice(offset, offset + 6))
      ? { message: `${what} is missing`, offset: text.length }
      : { message: `expected ${what}, found ${showCharacter(found)}`, offset: offset };
  };
  for (;;) {
    // In an object, the name of a member; then a value.
    skip(WHITESPACE);
    const keys = openContainers.at(-1);
    if (keys !== undefined) {
      if (text[offset] !== '"') return expectedFault('a member name in double quotes');
      const end = endOfString(text, offset);
      if (typeof end !== 'number') return end;
      const key = text.slice(offset, end);
      const name = JSON.parse(key) as string;
      if (keys.has(name)) {
        return { message: `duplicate member ${key.slice(0, 100)}`, offset: offset };
      }
      keys.add(name);
      offset = end;
      skip(WHITESPACE);
      if (text[offset] !== ':') return expectedFault('a colon');
      offset += 1;
      skip(WHITESPACE);
    }
    const first = text[offset];
    if (first === '"') {
      const end = endOfString(text, offset);
      if (typeof end !== 'number') return end;
      offset = end;
    } else if (first === '{' || first === '[') {
      offset += 1;
      skip(WHITESPACE);
      if (text[offset] !== (first === '{' ? '}' : ']')) {
        openContainers.push(first === '{' ? new Set() : undefined);
        continue;
      }
      offset += 1;
    } else if (!skip(SCALAR_LITERAL)) {
      return expectedFault('a value');
    }
    // Closes containers until another value follows.
    for (;;) {
      skip(WHITESPACE);
      if (openContainers.length === 0) return offset === text.length ? undefined : expectedFault('the end of the file');
      const close = openContainers.at(-1) === undefined ? ']' : '}';
      const next = text[offset];
      if (next !== ',' && next !== close) return expectedFault(`a comma or ${close}`);
      offset += 1;
      if (next === ',') break;
      openContainers.pop();
    }
  }
}

/** The offset after a string, or its syntax error. */
function endOfString(text: string, start: number): number | JsonSyntaxFault {
  let offset = start + 1;
  while (offset < text.length) {
    const character = text.charCodeAt(offset);
    if (character === 0x22) return offset + 1;
    if (character < 0x20) return { message: 'a control character or line break in a string', offset: offset };
    offset += 1;
    if (character !== 0x5c) continue;
    ESCAPE_SEQUENCE.lastIndex = offset;
    const escape = ESCAPE_SEQUENCE.exec(text)?.[0];
    if (escape !== undefined) offset += escape.length;
    // Near the end the text may be truncated in the middle of an escape.
    else if (text.length - offset >= 5) return { message: 'an invalid escape in a string', offset: offset - 1 };
    else break;
  }
  return { message: 'an unterminated string', offset: text.length };
}

/** A character for a message; an invisible one by its code. */
function showCharacter(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  return /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character)
    ? JSON.stringify(character)
    : `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
}
