/** Reads the tokens of generated TypeScript, with the comments and line breaks before them. */

/** Thrown where a piece of code has a construct that the layout does not know; never leaves this folder. */
export class UnknownConstruct extends Error {}

export interface Comment {
  /** The whole comment, with its marks. */
  readonly text: string;
  readonly isBlock: boolean;
  /** Whether a line break is in front of it, or nothing. */
  readonly startsLine: boolean;
  readonly endsLine: boolean;
  /** Whether an empty line follows it. */
  readonly beforeBlankLine: boolean;
}

export type TokenKind = 'name' | 'string' | 'number' | 'template' | 'regex' | 'punctuator' | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly comments: readonly Comment[];
  /** Whether a line break is between it and the token before it. */
  readonly afterLineBreak: boolean;
  /** Whether an empty line is between the token before it and its first comment, or it. */
  readonly afterBlankLine: boolean;
}

/** Operators of more than one character, longest first, by their first character. */
const LONG_PUNCTUATORS: ReadonlyMap<string, readonly string[]> = groupByFirst(
  '... === !== **= &&= ||= ??= => == != <= >= && || ?? ?. ++ -- += -= **'.split(' '),
);
const PUNCTUATORS = '{}()[];,<>+-*/%&|^!~?:=.@#';

const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w$.])/y;
const STRING = /"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*'/y;
const TEMPLATE_CHUNK = /(?:[^`\\$]|\\[^]|\$(?!\{))*/y;
const REGEX = /\/(?:[^/\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+\/[a-z]*/y;
/** Characters that are one column wide for certain: of the rest, some have none, and some two. */
const ONE_COLUMN = /^[\x20-\x7e\u00c0-\u024f\u0391-\u03ff\u0400-\u0482\u048a-\u052f]*$/;

const NO_COMMENTS: readonly Comment[] = [];

function groupByFirst(texts: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const text of texts) groups.set(text.charAt(0), [...(groups.get(text.charAt(0)) ?? []), text]);
  return groups;
}

/** Whether a character is part of an ASCII name, by its code. */
const IN_NAME: readonly boolean[] = Array.from({ length: 128 }, (_, code) => /[\w$]/.test(String.fromCharCode(code)));

/**
 * The tokens of a piece of code; the last one is the end.
 *
 * @throws {@link UnknownConstruct} for what is not read, such as text whose width is not its length.
 */
export function readTokens(code: string): readonly Token[] {
  const reader = new TokenReader(code);
  const tokens: Token[] = [];
  let token: Token | undefined;
  do {
    token = reader.next(token);
    tokens.push(token);
  } while (token.kind !== 'end');
  return tokens;
}

class TokenReader {
  readonly #code: string;
  readonly #isAscii: boolean;
  #index = 0;

  constructor(code: string) {
    this.#code = code;
    this.#isAscii = !/[\u0080-\uffff]/.test(code);
  }

  next(previous: Token | undefined): Token {
    let breaks = this.#skipSpace();
    const afterBlankLine = breaks > 1;
    let afterLineBreak = breaks > 0;
    let comments = NO_COMMENTS;
    while (this.#code.charCodeAt(this.#index) === 47) {
      const second = this.#code.charCodeAt(this.#index + 1);
      if (second !== 47 && second !== 42) break;
      const start = this.#index;
      const text = this.#readComment(second === 42);
      const startsLine = breaks > 0 || start === 0;
      breaks = this.#skipSpace();
      afterLineBreak ||= breaks > 0 || text.includes('\n');
      const endsLine = breaks > 0 || this.#index === this.#code.length;
      const comment = { text, isBlock: second === 42, startsLine, endsLine, beforeBlankLine: breaks > 1 };
      comments = comments.length === 0 ? [comment] : [...comments, comment];
    }
    const start = this.#index;
    const kind = this.#readToken(previous);
    const text = this.#code.slice(start, this.#index);
    if (!this.#isAscii && !ONE_COLUMN.test(text)) throw new UnknownConstruct('a text of unknown width');
    return { kind, text, comments, afterLineBreak, afterBlankLine };
  }

  /** Skips spaces. Returns the number of line breaks in them. */
  #skipSpace(): number {
    let breaks = 0;
    for (;;) {
      const code = this.#code.charCodeAt(this.#index);
      if (code === 10) breaks += 1;
      else if (code !== 32 && code !== 9) return breaks;
      this.#index += 1;
    }
  }

  #readComment(isBlock: boolean): string {
    const start = this.#index;
    const close = this.#code.indexOf(isBlock ? '*/' : '\n', start + 2);
    if (close === -1 && isBlock) throw new UnknownConstruct('a comment that does not end');
    this.#index = close === -1 ? this.#code.length : isBlock ? close + 2 : close;
    const text = this.#code.slice(start, this.#index);
    return isBlock ? text : text.trimEnd();
  }

  #readToken(previous: Token | undefined): TokenKind {
    const code = this.#code.charCodeAt(this.#index);
    if (Number.isNaN(code)) return 'end';
    if (code >= 48 && code <= 57) return this.#require(NUMBER, 'number');
    if (code > 127 || IN_NAME[code] === true) return this.#readName();
    if (code === 34 || code === 39) return this.#readString();
    if (code === 96) return this.#readTemplate();
    if (code === 47 && !endsOperand(previous)) return this.#require(REGEX, 'regex');
    const first = this.#code.charAt(this.#index);
    const long = LONG_PUNCTUATORS.get(first)?.find((text) => this.#code.startsWith(text, this.#index));
    if (long === undefined && !PUNCTUATORS.includes(first)) throw new UnknownConstruct('an unknown character');
    this.#index += long?.length ?? 1;
    return 'punctuator';
  }

  #readName(): TokenKind {
    let index = this.#index;
    while (IN_NAME[this.#code.charCodeAt(index)] === true) index += 1;
    if (this.#isAscii || this.#code.charCodeAt(index) < 128) {
      this.#index = index;
      return 'name';
    }
    return this.#require(NAME, 'name');
  }

  /** A string without escapes is read faster. */
  #readString(): TokenKind {
    const close = this.#code.indexOf(this.#code.charAt(this.#index), this.#index + 1);
    const text = this.#code.slice(this.#index, close + 1);
    if (close === -1 || text.includes('\\') || text.includes('\n')) return this.#require(STRING, 'string');
    this.#index = close + 1;
    return 'string';
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#index;
    if (!pattern.test(this.#code)) return false;
    this.#index = pattern.lastIndex;
    return true;
  }

  #require(pattern: RegExp, kind: TokenKind): TokenKind {
    if (!this.#match(pattern)) throw new UnknownConstruct(`an unknown ${kind}`);
    return kind;
  }

  /** A template with everything in it is one token. */
  #readTemplate(): TokenKind {
    this.#index += 1;
    this.#match(TEMPLATE_CHUNK);
    // What is in braces is read again by the parser.
    while (this.#code.startsWith('${', this.#index)) {
      this.#index += 2;
      let depth = 1;
      while (depth > 0) {
        const token = this.next(undefined);
        if (token.kind === 'end' || token.comments.length > 0)
          throw new UnknownConstruct('a template that does not end');
        if (token.text === '{') depth += 1;
        if (token.text === '}') depth -= 1;
      }
      this.#match(TEMPLATE_CHUNK);
    }
    if (this.#code.charAt(this.#index) !== '`') throw new UnknownConstruct('a template that does not end');
    this.#index += 1;
    return 'template';
  }
}

/** After these words, a slash begins a regular expression. */
const BEFORE_OPERAND: ReadonlySet<string> = new Set(['return', 'case', 'typeof', 'in', 'of']);

/** Whether a slash after a token divides. */
function endsOperand(token: Token | undefined): boolean {
  if (token === undefined) return false;
  if (token.kind === 'punctuator') return token.text === ')' || token.text === ']' || token.text === '}';
  return !(token.kind === 'name' && BEFORE_OPERAND.has(token.text));
}
