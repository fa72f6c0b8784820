/** Characters that are invisible, control a terminal, or display differently from what programs read. */
export const HIDDEN_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|\p{Surrogate}/gu;

/** Replaces hidden characters by their escapes in JSON and TypeScript. */
export function escapeHiddenCharacters(text: string): string {
  return text.replace(HIDDEN_CHARACTERS, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** A text whose first character is a capital one. */
export function capitalizeFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Quotes a word for a shell, if necessary. */
export function shellQuote(word: string): string {
  return /^(?:-|[\w@%+=:,./][\w@%+=:,./-]*)$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Splits a command line like a POSIX shell, without expansion. Undefined if a quote is not closed.
 */
export function splitCommand(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (character === quote) quote = undefined;
    else if (character === '\\' && quote !== "'" && (quote === undefined || /["\\]/.test(line.charAt(at + 1)))) {
      at += 1;
      word = (word ?? '') + line.charAt(at);
    } else word = (word ?? '') + character;
  }
  if (quote !== undefined) return undefined;
  return word === undefined ? words : [...words, word];
}

/** The candidate that is closest to a misspelled word, if one is close enough. */
export function closestMatch(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Names of query parameters whose values are secrets. */
const SECRET_PARAM =
  /token|secret|passw|passphrase|signature|credential|auth|(?:api|access|private|subscription|function)[-_.]?key|^(?:key|sig|sas|pwd|pass|jwt|code)$/i;

/** Whether the value of a query parameter with this name is a secret. */
export function isSecretParam(name: string): boolean {
  return SECRET_PARAM.test(name);
}

/**
 * A URL for messages and files: without user and password, and without query parameters that are named like secrets.
 * Any other text is unchanged.
 */
export function displayUrl(url: string): string {
  const [, scheme, rest] = /^(https?:[\\/]{2})([^]*)$/i.exec(url) ?? [];
  if (scheme === undefined || rest === undefined) return url;
  // In an invalid URL, the end of the password is unknown.
  const place = rest.replace(URL.canParse(url) ? /^[^\\/?#]*@/ : /^[^]*@/, '');
  const [address = '', ...query] = place.split(/(?=[?&#])/);
  const shown = query.filter((param) => !isSecretParam(percentDecode(/^.([^=]*)/.exec(param)?.[1] ?? '')));
  const [first = '', ...others] = shown;
  // The first remaining parameter begins the query.
  const isCut = query[0]?.startsWith('?') === true && first.startsWith('&');
  return [scheme, address, isCut ? `?${first.slice(1)}` : first, ...others].join('');
}

/** A text, such as a command or a message, with the secrets of all its URLs removed. */
export function withoutCredentials(text: string): string {
  return text.replace(/https?:\/\/(?:[^\s\\/?#@]*@)?[^\s"'`<>]+/gi, displayUrl);
}

/** Decodes percent encoding; invalid encoding is unchanged. */
export function percentDecode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}
