/** Comparing values, for the checks of stores. */

/** How two values differ as JSON, whatever the order of members; undefined if they do not. */
export function difference(
  found: unknown,
  expected: unknown,
): string | undefined {
  const [foundText, expectedText] = [found, expected].map(comparable);
  return foundText === expectedText
    ? undefined
    : `expected ${shortened(expectedText)}, found ${shortened(foundText)}`;
}

/** JSON with sorted members. */
function comparable(value: unknown): string | undefined {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(
          Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : member,
  );
}

const MAX_TEXT = 1000;

function shortened(text = "undefined"): string {
  return text.length > MAX_TEXT
    ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)`
    : text;
}
