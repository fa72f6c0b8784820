/** Which patterns of strangers can be tested safely. */

/** Maximum of ways to match the alternatives and the limited repetitions of a pattern. */
const MAX_WAYS = 1000;

/** One character of a string: a class, an escape or a literal. References to groups do not count. */
const ATOM = String.raw`(?:\[(?:[^\]\\]|\\.)*\]|\\[pPu]\{[^}]*\}|\\[^\dkpP]|[^()[\]{}*+?|\\^$])`;

const TOKEN = new RegExp(
  String.raw`(?:${ATOM}(?:(?<many>[*+]|\{\d+,\})|\{(?<least>\d+)(?:,(?<most>\d+))?\}|(?<maybe>\?))?\??)|(?<open>\((?:\?:)?)|(?<close>\)\??)|(?<or>\|)|[\^$]`,
  "suy",
);

/**
 * Whether a pattern surely takes a time proportional to the length of the text: only single characters are repeated, and
 * at most one of them without a limit, in a pattern that begins with `^`. Many patterns that do not pass are safe too.
 */
export function isLinear(pattern: string): boolean {
  let ways = 1;
  let unlimited = 0;
  /** Alternatives of the open groups; the first is the pattern. */
  const alternatives = [1];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < pattern.length;) {
    const { groups: token } = TOKEN.exec(pattern) ?? {};
    if (token === undefined) return false;
    const { many, least, most, maybe, open, close, or } = token;
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
  return (
    others.length === 0 &&
    ways * own <= MAX_WAYS &&
    (unlimited === 0 || (unlimited === 1 && isAnchored))
  );
}
