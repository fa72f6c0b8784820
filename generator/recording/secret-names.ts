import { McpgenError } from '../errors.js';
import { createPatternCheck } from '../read/patterns.js';

/**
 * How values of a name are replaced. Numbers of a `token` are kept, because most of them count tokens: `maxTokens`.
 */
export type SecretKind = 'secret' | 'token';

const SECRET =
  /authorization$|cookie|secret|passw|passphrase|credential|(?:api|access|private|signing|encryption|subscription)[-_. ]?key|^(?:x[-_])?auth(?:[-_]?key)?$|^(?:pwd|jwt)$/i;

const TOKEN = /token/i;

/** A token that names a request, not its sender. */
const PUBLIC = /^progressToken$/;

/** Names that are remembered, so that each is tested once. */
const MAX_KNOWN_NAMES = 10_000;

/** Longest name that is tested, in UTF-16 code units; of longer ones, the beginning. */
const MAX_NAME_LENGTH = 200;

/** Says which names of headers, members and query parameters have secret values. */
export class SecretNames {
  readonly #patterns: readonly RegExp[];
  readonly #known = new Map<string, SecretKind | undefined>();

  /**
   * @param patterns - Regular expressions of more names, which ignore case.
   * @throws {@link McpgenError} if one is invalid, or takes more than linear time.
   */
  constructor(patterns: readonly string[] = []) {
    const riskOf = createPatternCheck();
    this.#patterns = patterns.map((pattern) => {
      const place = `--redact ${pattern}`;
      let compiled: RegExp;
      try {
        compiled = new RegExp(pattern, 'iu');
      } catch (error) {
        throw new McpgenError('not a valid regular expression', {
          place,
          remedy: 'Pass a pattern of names, such as "^account_?id$".',
          cause: error,
        });
      }
      if (riskOf(pattern, 'u') !== undefined) {
        throw new McpgenError('the regular expression takes more than linear time on some names', {
          place,
          remedy: 'Simplify it: avoid a repeat inside another one, and next to one that matches the same text.',
        });
      }
      return compiled;
    });
  }

  /** How values of this name are replaced; undefined if they are not secret. */
  kindOf(name: string): SecretKind | undefined {
    if (name.length > MAX_NAME_LENGTH) return this.#classify(name.slice(0, MAX_NAME_LENGTH));
    if (this.#known.has(name)) return this.#known.get(name);
    const kind = this.#classify(name);
    if (this.#known.size < MAX_KNOWN_NAMES) this.#known.set(name, kind);
    return kind;
  }

  #classify(name: string): SecretKind | undefined {
    if (this.#patterns.some((pattern) => pattern.test(name))) return 'secret';
    if (PUBLIC.test(name)) return undefined;
    if (SECRET.test(name)) return 'secret';
    return TOKEN.test(name) ? 'token' : undefined;
  }
}
