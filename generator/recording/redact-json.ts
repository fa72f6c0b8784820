/** Replaces secret values in JSON text. All other text stays as it is, including numbers, order and repeated members. */
import { formatPointer } from '../read/json/json.js';
import type { SecretKind } from './secret-names.js';

/** What replaces a secret. */
export const REDACTED = '[redacted]';

/** How secrets are found. */
export interface JsonRedaction {
  readonly kindOf: (name: string) => SecretKind | undefined;
  /** A string that is not secret by its name, without the secrets in its text. Receives and returns no JSON. */
  readonly redactString: (text: string) => string;
  /** Whether a string, as JSON text with quotes, may contain such secrets. */
  readonly mayContainSecret: (json: string) => boolean;
  /**
   * Receives each place.
   *
   * @param name - The name of the secret; undefined if {@link redactString} replaced it.
   * @param pointer - JSON pointer to it; undefined if it is nested too deeply.
   */
  readonly onRedacted: (name: string | undefined, pointer: string | undefined) => void;
}

/** A secret member, and all values inside it. */
interface SecretMember {
  readonly kind: SecretKind;
  readonly name: string;
  /** How many containers are around it. */
  readonly depth: number;
  isReported: boolean;
}

/** An object or array around the current position. */
interface Container {
  readonly isObject: boolean;
  /** The secret member that it is part of. */
  readonly secret: SecretMember | undefined;
  /** Whether it maps names to schemas: a schema of a password is not a password. */
  readonly isSchemaMap: boolean;
  /** The current member. */
  key: string;
  /** The current element. */
  index: number;
  expectsKey: boolean;
  /** The secret that the string member `name` names, as in lists of headers and variables. */
  secretName: string | undefined;
  /** The string members `value`. */
  values: Span[] | undefined;
}

/** A part of the text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface Replacement extends Span {
  readonly text: string;
}

/** Pointers to deeper places are not made. */
const MAX_POINTER_DEPTH = 300;

const SCHEMA_MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

/**
 * The text with its secrets replaced: strings by {@link REDACTED}, numbers by 0.
 *
 * @param json - Valid JSON.
 */
export function redactJson(json: string, redaction: JsonRedaction): string {
  return new JsonRedactor(json, redaction).run();
}

class JsonRedactor {
  readonly #json: string;
  readonly #redaction: JsonRedaction;
  readonly #stack: Container[] = [];
  readonly #replacements: Replacement[] = [];

  constructor(json: string, redaction: JsonRedaction) {
    this.#json = json;
    this.#redaction = redaction;
  }

  run(): string {
    const json = this.#json;
    for (let index = 0; index < json.length;) {
      const character = json.charAt(index);
      const top = this.#stack.at(-1);
      if (character === '"') {
        const end = stringEnd(json, index);
        if (top?.expectsKey === true) {
          top.key = unquote(json.slice(index, end));
          top.expectsKey = false;
        } else this.#visitString(index, end);
        index = end;
      } else if (character === '-' || (character >= '0' && character <= '9')) {
        const end = numberEnd(json, index);
        this.#visitNumber(index, end);
        index = end;
      } else {
        if (character === '{' || character === '[') this.#open(character === '{');
        else if (character === '}' || character === ']') this.#close();
        else if (character === ',' && top !== undefined) {
          top.expectsKey = top.isObject;
          top.index += 1;
        }
        index += 1;
      }
    }
    return this.#result();
  }

  #open(isObject: boolean): void {
    const top = this.#stack.at(-1);
    // A schema below the name of a secret describes it.
    const secret = top?.isSchemaMap === true && isObject ? top.secret : this.#secretHere();
    const isSchemaMap = top?.isObject === true && isObject && SCHEMA_MAPS.has(top.key);
    const members = { key: '', index: 0, expectsKey: isObject, secretName: undefined, values: undefined };
    this.#stack.push({ isObject, secret, isSchemaMap, ...members });
  }

  #close(): void {
    const { secretName, values = [] } = this.#stack.pop() ?? {};
    if (secretName === undefined) return;
    for (const value of values) {
      this.#replacements.push({ ...value, text: JSON.stringify(REDACTED) });
      const pointer = this.#pointer();
      this.#redaction.onRedacted(secretName, pointer === undefined ? undefined : `${pointer}/value`);
    }
  }

  /** The secret that a value at the current position is part of. */
  #secretHere(): SecretMember | undefined {
    const top = this.#stack.at(-1);
    if (top?.secret !== undefined || top?.isObject !== true) return top?.secret;
    const kind = this.#redaction.kindOf(top.key);
    return kind === undefined ? undefined : { kind, name: top.key, depth: this.#stack.length, isReported: false };
  }

  #visitString(start: number, end: number): void {
    const secret = this.#secretHere();
    const source = this.#json.slice(start, end);
    if (secret !== undefined) {
      if (source !== '""') this.#replaceSecret(secret, start, end, JSON.stringify(REDACTED));
      return;
    }
    const top = this.#stack.at(-1);
    if (top?.isObject === true && top.key === 'name') {
      const name = unquote(source);
      if (this.#redaction.kindOf(name) !== undefined) top.secretName = name;
    }
    if (this.#redaction.mayContainSecret(source)) {
      const text = unquote(source);
      const redacted = this.#redaction.redactString(text);
      if (redacted !== text) {
        this.#replacements.push({ start, end, text: JSON.stringify(redacted) });
        this.#redaction.onRedacted(undefined, this.#pointer());
        return;
      }
    }
    if (top?.isObject === true && top.key === 'value' && source !== '""') (top.values ??= []).push({ start, end });
  }

  #visitNumber(start: number, end: number): void {
    const secret = this.#secretHere();
    if (secret?.kind === 'secret') this.#replaceSecret(secret, start, end, '0');
  }

  #replaceSecret(secret: SecretMember, start: number, end: number, text: string): void {
    this.#replacements.push({ start, end, text });
    if (secret.isReported) return;
    secret.isReported = true;
    this.#redaction.onRedacted(secret.name, this.#pointer(secret.depth));
  }

  #pointer(depth = this.#stack.length): string | undefined {
    if (depth > MAX_POINTER_DEPTH) return undefined;
    return formatPointer(...this.#stack.slice(0, depth).map(({ isObject, key, index }) => (isObject ? key : index)));
  }

  #result(): string {
    if (this.#replacements.length === 0) return this.#json;
    const parts: string[] = [];
    let position = 0;
    // Values of pairs are found at the end of their object.
    for (const { start, end, text } of this.#replacements.sort((a, b) => a.start - b.start)) {
      parts.push(this.#json.slice(position, start), text);
      position = end;
    }
    return parts.join('') + this.#json.slice(position);
  }
}

/** Where a string ends, after its quote. */
function stringEnd(json: string, start: number): number {
  for (let index = start + 1; ;) {
    const quote = json.indexOf('"', index);
    if (quote === -1) return json.length;
    let slashes = 0;
    while (json.charAt(quote - 1 - slashes) === '\\') slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    index = quote + 1;
  }
}

function numberEnd(json: string, start: number): number {
  let end = start + 1;
  while (/[\d.eE+-]/.test(json.charAt(end))) end += 1;
  return end;
}

function unquote(source: string): string {
  return source.includes('\\') ? (JSON.parse(source) as string) : source.slice(1, -1);
}
