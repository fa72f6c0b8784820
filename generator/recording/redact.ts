/** Replaces secrets in what is recorded. */
import { isSecretParam, percentDecode } from '../text.js';
import type { HttpHeaders } from './entry.js';
import { redactJson, REDACTED } from './redact-json.js';
import { SecretNames } from './secret-names.js';

/** Most pointers that an entry lists. */
const MAX_POINTERS = 100;

/** Longest pointer that an entry lists, in UTF-16 code units. */
const MAX_POINTER_LENGTH = 1000;

/** Names that are counted; others are counted together. */
const MAX_COUNTED_NAMES = 100;

/** JSON in strings of JSON is redacted as far as this, in levels. */
const MAX_EMBEDDING = 5;

/** The places of one entry that were replaced, as JSON pointers into its line. */
export class RedactedPlaces {
  readonly #pointers = new Set<string>();

  add(pointer: string): void {
    if (this.#pointers.size < MAX_POINTERS && pointer.length <= MAX_POINTER_LENGTH) this.#pointers.add(pointer);
  }

  /** Undefined if nothing was replaced. */
  get list(): readonly string[] | undefined {
    return this.#pointers.size === 0 ? undefined : [...this.#pointers];
  }
}

/** Replaces secrets, and counts them by name. */
export class Redactor {
  readonly #names: SecretNames;
  readonly #counts = new Map<string, number>();

  /**
   * @param patterns - Regular expressions of names in addition to the usual ones.
   * @throws McpgenError if one is invalid or slow.
   */
  constructor(patterns: readonly string[] = []) {
    this.#names = new SecretNames(patterns);
  }

  /** How often each secret was replaced, by its name. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** Valid JSON in one line or many, without the values of secret members. `pointer` is where it is in the line. */
  json(text: string, places: RedactedPlaces, pointer = '/frame'): string {
    return this.#json(text, 0, (inner) => {
      places.add(pointer + inner);
    });
  }

  /** Text that is not JSON: also without what follows a secret name and a colon or an equals sign. */
  text(text: string, places: RedactedPlaces, pointer: string): string {
    const redacted = this.#values(this.#string(text, 0));
    if (redacted !== text) places.add(pointer);
    return redacted;
  }

  /** Bytes that are not UTF-8, without what {@link text} replaces. */
  bytes(bytes: Buffer, places: RedactedPlaces, pointer: string): Buffer {
    return Buffer.from(this.text(bytes.toString('latin1'), places, pointer), 'latin1');
  }

  /** Headers, by names in lower case. */
  headers(headers: HttpHeaders, places: RedactedPlaces): HttpHeaders {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => {
        const isSecret = this.#names.kindOf(name) !== undefined;
        if (isSecret) this.#count(name);
        const redacted = isSecret ? REDACTED : this.#string(value, 0);
        if (redacted !== value) places.add(`/http/headers/${name}`);
        return [name, redacted];
      }),
    );
  }

  /** The path of a request with its query. */
  path(path: string, places: RedactedPlaces): string {
    const redacted = this.#query(path);
    if (redacted !== path) places.add('/http/path');
    return redacted;
  }

  /** A word of a command line, after the word before it: `--token abc`, `--token=abc`, `API_KEY=abc`, a URL. */
  argument(word: string, before: string | undefined): string {
    const [, option] = /^--?([\w.-]+)$/.exec(before ?? '') ?? [];
    if (option !== undefined && !word.startsWith('-') && this.#names.kindOf(option) !== undefined) return REDACTED;
    return this.text(word, new RedactedPlaces(), '');
  }

  #json(text: string, level: number, onPointer: (pointer: string) => void): string {
    return redactJson(text, {
      kindOf: (name) => this.#names.kindOf(name),
      redactString: (value) => this.#string(value, level + 1),
      mayContainSecret,
      onRedacted: (name, pointer) => {
        if (name !== undefined) this.#count(name);
        if (pointer !== undefined) onPointer(pointer);
      },
    });
  }

  /** A string that is not secret by its name. */
  #string(text: string, level: number): string {
    // Results of tools contain their structured content again, as text.
    if (level <= MAX_EMBEDDING && /^\s{0,100}[[{]/.test(text) && isJson(text))
      return this.#json(text, level, () => undefined);
    return text
      .replace(/\bBearer[ ]{1,4}[\w.~+/=-]{20,}/gi, (found) => {
        this.#count('bearer token');
        return `${found.slice(0, 6)} ${REDACTED}`;
      })
      .replace(/\b[a-z][a-z\d+.-]{0,20}:\/\/[^\s"'`<>]+/gi, (url) => this.#url(url));
  }

  #url(url: string): string {
    const withoutUser = url.replace(/^([a-z\d+.-]+:\/\/)[^/?#]*@/i, (_, scheme: string) => {
      this.#count('user and password of a URL');
      return `${scheme}${REDACTED}@`;
    });
    return this.#query(withoutUser);
  }

  #query(url: string): string {
    return url.replace(/([?&#])([^=&#?]*)=([^&#]+)/g, (found, separator: string, name: string) => {
      const decoded = percentDecode(name);
      if (!isSecretParam(decoded) && this.#names.kindOf(decoded) === undefined) return found;
      this.#count(decoded);
      return `${separator}${name}=${REDACTED}`;
    });
  }

  /** Replaces what follows a secret name: after a colon to the end of the line, after an equals sign one word. */
  #values(text: string): string {
    const parts: string[] = [];
    let position = 0;
    const separators = /[:=]/g;
    for (let found = separators.exec(text); found !== null; found = separators.exec(text)) {
      const name = nameBefore(text, found.index);
      if (name === '' || this.#names.kindOf(name) === undefined) continue;
      const value = found[0] === ':' ? /[^\r\n]*/y : /[ \t]*(?:"[^"\r\n]*"?|'[^'\r\n]*'?|[^\s&;,"']*)/y;
      value.lastIndex = found.index + 1;
      const { 0: replaced = '' } = value.exec(text) ?? [];
      if (replaced.trim() === '') continue;
      this.#count(name);
      parts.push(text.slice(position, found.index + 1), REDACTED);
      position = found.index + 1 + replaced.length;
      separators.lastIndex = position;
    }
    return parts.join('') + text.slice(position);
  }

  #count(name: string): void {
    const counted = this.#counts.has(name) || this.#counts.size < MAX_COUNTED_NAMES ? name.slice(0, 60) : 'others';
    this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + 1);
  }
}

/** Whether a string, as JSON text, may contain JSON, a URL or a bearer token. */
function mayContainSecret(json: string): boolean {
  return json.includes('://') || json.includes('\\/') || json.includes('\\u') || /^"\s*[[{\\]|bearer/i.test(json);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The name before a separator, without quotes and spaces between them. */
function nameBefore(text: string, separator: number): string {
  let end = separator;
  for (let skipped = 0; skipped < 10 && /[\s"'\\]/.test(text.charAt(end - 1)); skipped += 1) end -= 1;
  let start = end;
  while (end - start < 100 && /[\w.-]/.test(text.charAt(start - 1))) start -= 1;
  return text.slice(start, end);
}
