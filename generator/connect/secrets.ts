import { isObject, objectFromEntries, type JsonValue } from '../read/json/json.js';
import { displayUrl, percentDecode } from '../text.js';

/** What replaces a secret. */
const MASK = '***';

/** Shortest value that is removed from texts: shorter ones occur in ordinary words. */
const MIN_LENGTH = 4;

/** Names of headers and variables whose values are secrets. */
const SECRET_NAME =
  /auth|cookie|token|secret|key|passw|credential|session|signature|(?:^|_)(?:pwd|pass|pat|jwt|dsn)(?:$|_)/i;

/** Whether the value of a header or an environment variable with this name is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** The values that a connection was given, which must not reach any output. */
export class Secrets {
  /** Removed from messages. */
  readonly #given = new Set<string>();
  /** Removed from what a server lists, too: the secrets among them. */
  readonly #secret = new Set<string>();

  /**
   * Adds a value of an option, or of a variable that an option refers to.
   *
   * @param isSecret - Whether it is also removed from lists, where replacing an ordinary word would do harm.
   */
  add(value: string, isSecret: boolean): void {
    const trimmed = value.trim();
    if (trimmed.length < MIN_LENGTH) return;
    const words = isSecret ? trimmed.split(/\s+/) : [];
    const forms = [trimmed, encodeURIComponent(trimmed), JSON.stringify(trimmed).slice(1, -1), ...words];
    // `Bearer` is not a secret.
    for (const form of forms) {
      if (form.length < MIN_LENGTH || /^(?:bearer|basic|digest|token)$/i.test(form)) continue;
      this.#given.add(form);
      if (isSecret) this.#secret.add(form);
    }
  }

  /** Adds what the user and password, and the query of a URL contain. */
  addUrl(url: string): void {
    if (!URL.canParse(url)) return;
    const { username, password, searchParams } = new URL(url);
    if (password !== '') this.add(percentDecode(password), true);
    if (username !== '') this.add(percentDecode(username), password === '');
    const shown = displayUrl(url);
    const kept = URL.canParse(shown) ? new URL(shown).searchParams : new URLSearchParams();
    for (const [name, value] of searchParams) if (!kept.has(name)) this.add(value, true);
  }

  /** A message without the values, also where one was cut off at its start or its end. */
  redact(text: string): string {
    let result = replaceAll(text, this.#given);
    for (const value of this.#given) {
      for (let length = value.length - 1; length >= MIN_LENGTH; length -= 1) {
        const [start, end] = [value.slice(0, length), value.slice(-length)];
        const cut = result.replace(/(?:\.\.\.|…)?\s*$/u, '');
        if (cut.endsWith(start)) result = cut.slice(0, -length) + MASK + result.slice(cut.length);
        if (result.startsWith(end)) result = MASK + result.slice(length);
      }
    }
    return result;
  }

  /** A value from a server without the secrets, in its strings and its keys. */
  redactJson(value: JsonValue): JsonValue {
    if (this.#secret.size === 0) return value;
    if (typeof value === 'string') return replaceAll(value, this.#secret);
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => this.redactJson(item));
    if (!isObject(value)) return value;
    return objectFromEntries(
      Object.entries(value).map(([key, item]) => [replaceAll(key, this.#secret), this.redactJson(item)] as const),
    );
  }
}

function replaceAll(text: string, values: ReadonlySet<string>): string {
  return [...values].sort((a, b) => b.length - a.length).reduce((rest, value) => rest.replaceAll(value, MASK), text);
}
