/** Which patterns of strangers can be tested safely. */

/** Longest pattern that is tested. */
const MAX_PATTERN_CHARS = 2000;

/** Maximum of steps at each position of a text. */
const MAX_STEPS = 1000;

/** Maximum of steps of a pattern that only begins at the start of a text, and has no repetition without a limit. */
const MAX_STEPS_ONCE = 1_000_000;

/**
 * One character of a string: a class, an escape or a literal. References to groups do not count. If a pattern is invalid
 * with the flag "u", the braces of its escapes are repetitions: those of `\p` begin with a letter here, and those of `\u`
 * count as a repetition in any case.
 */
const ATOM = String.raw`(?:\[(?:[^\]\\]|\\.)*\]|\\[pP]\{[A-Za-z]\w*(?:=\w+)?\}|\\[^\dkpP]|[^()[\]{}*+?|\\^$])`;

const TOKEN = new RegExp(
  String.raw`(?<atom>${ATOM})(?:(?<many>[*+]|\{(?<from>\d+),\})|\{(?<least>\d+)(?:,(?<most>\d+))?\}|(?<maybe>\?))?\??|(?<open>\((?:\?:)?)|(?<close>\)\??)|(?<or>\|)|[\^$]`,
  "suy",
);

/**
 * Whether a pattern surely takes a time proportional to the length of the text: only single characters are repeated, and
 * at most one of them without a limit, in a pattern that begins with `^`. Many patterns that do not pass are safe too.
 */
export function isLinear(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_CHARS) return false;
  let ways = 1;
  let chars = 1;
  let unlimited = 0;
  /** Alternatives of the open groups; the first is the pattern. */
  const alternatives = [1];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < pattern.length;) {
    const { groups: token } = TOKEN.exec(pattern) ?? {};
    if (token === undefined) return false;
    const { atom, many, from, least, most, maybe, open, close, or } = token;
    if (atom !== undefined) chars += Number(most ?? least ?? from ?? 1);
    if (many !== undefined) unlimited += 1;
    if (most !== undefined) ways *= Number(most) - Number(least) + 1;
    if (maybe !== undefined) ways *= 2;
    if (open !== undefined) alternatives.push(1);
    if (or !== undefined) alternatives.push((alternatives.pop() ?? 0) + 1);
    if (close !== undefined)
      ways *= (alternatives.pop() ?? 0) + (close === ")" ? 0 : 1);
    if (alternatives.length === 0) return false;
  }
  const [own = 0, ...others] = alternatives;
  const isAnchored = pattern.startsWith("^") && own === 1;
  if (others.length > 0 || unlimited > (isAnchored ? 1 : 0)) return false;
  const isOnce = isAnchored && unlimited === 0;
  return ways * own * chars <= (isOnce ? MAX_STEPS_ONCE : MAX_STEPS);
}
