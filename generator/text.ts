/** Characters that are invisible, that steer a terminal, or that show a reader other text than a program reads. */
export const HIDDEN_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|\p{Surrogate}/gu;

/** A text in which every hidden character is written as an escape, as JSON and TypeScript have it. */
export function escapeHiddenCharacters(text: string): string {
  return text.replace(HIDDEN_CHARACTERS, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** A word of a command line, quoted where a shell would read it otherwise. */
export function shellQuote(word: string): string {
  return /^(?:-|[\w@%+=:,./][\w@%+=:,./-]*)$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * The words of a command line, as a POSIX shell would split it, without expanding anything. Undefined if a quote is not
 * closed.
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

/** The candidate that is nearest to a misspelt word, if one is near enough to be meant. */
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

/** Names of query params whose values are secrets. */
const SECRET_PARAM =
  /token|secret|passw|passphrase|signature|credential|auth|(?:api|access|private|subscription|function)[-_.]?key|^(?:key|sig|sas|pwd|pass|jwt|code)$/i;

/**
 * A URL as it may be shown and stored: without user and password, and without query params that are named like secrets.
 * Any other text stays as it is.
 */
export function displayUrl(url: string): string {
  const [, scheme, rest] = /^(https?:[\\/]{2})([^]*)$/i.exec(url) ?? [];
  if (scheme === undefined || rest === undefined) return url;
  // Where it does not parse, it is not known where the password ends.
  const place = rest.replace(URL.canParse(url) ? /^[^\\/?#]*@/ : /^[^]*@/, '');
  const [address = '', ...query] = place.split(/(?=[?&#])/);
  const shown = query.filter((param) => !SECRET_PARAM.test(percentDecode(/^.([^=]*)/.exec(param)?.[1] ?? '')));
  const [first = '', ...others] = shown;
  // What comes first now begins the query.
  const isCut = query[0]?.startsWith('?') === true && first.startsWith('&');
  return [scheme, address, isCut ? `?${first.slice(1)}` : first, ...others].join('');
}

/** A text, such as a command or a message, with all URLs in it as they may be shown. */
export function withoutCredentials(text: string): string {
  return text.replace(/https?:\/\/(?:[^\s\\/?#@]*@)?[^\s"'`<>]+/gi, displayUrl);
}

/** A text without percent encoding; what is not encoded well stays as it is. */
export function percentDecode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}
