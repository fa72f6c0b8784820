/**
 * Replaces comments and trailing commas, which editors allow in their settings, by spaces, so that the positions in
 * errors stay the same.
 */
export function withoutComments(text: string): string {
  return text
    .replace(/"(?:\\[^]|[^"\\])*"|\/\/[^\r\n]*|\/\*[^]*?\*\//g, (part) => (part.startsWith('"') ? part : blank(part)))
    .replace(/"(?:\\[^]|[^"\\])*"|,(?=\s*[}\]])/g, (part) => (part === ',' ? ' ' : part));
}

function blank(text: string): string {
  return text.replace(/[^\r\n]/g, ' ');
}
