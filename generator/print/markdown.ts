/** Formats a text as code in Markdown, including table cells. */
export function codeSpan(text: string): string {
  const body = text.replaceAll('|', '\\|');
  // A code span ends with the number of backticks that it began with.
  const ticks = '`'.repeat(1 + Math.max(0, ...[...body.matchAll(/`+/g)].map(([run]) => run.length)));
  const pad = ticks.length > 1 ? ' ' : '';
  return `${ticks}${pad}${body}${pad}${ticks}`;
}
