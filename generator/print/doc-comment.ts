import { HIDDEN_CHARACTERS } from '../text.js';

/** Longest line of a comment, in columns without indentation. */
const DOC_WIDTH = 96;

/** The contents of a doc comment: paragraphs, then tags. */
export interface DocComment {
  readonly text?: string | undefined;
  /** Further paragraphs, each after a blank line. */
  readonly more?: readonly string[];
  readonly deprecated?: string | true | undefined;
  readonly defaultValue?: string | undefined;
}

/**
 * Prints a TSDoc comment with a trailing line break, or an empty text without contents. Text from a schema cannot end
 * the comment, begin a tag, or hide itself with control or bidirectional characters.
 *
 * @param doc - The contents.
 * @param linkable - Names that `{@link ...}` may refer to; a link to another name becomes plain text.
 * @param columns - Maximum columns including comment marks; by default only the text is measured.
 */
export function docComment(doc: DocComment, linkable: ReadonlySet<string>, columns?: number): string {
  const width = columns === undefined ? DOC_WIDTH : columns - ' * '.length;
  const paragraphs = [doc.text ?? '', ...(doc.more ?? [])]
    .map((text) => cleanDocText(text, linkable))
    .filter((text) => text !== '');
  const lines: string[] = [];
  for (const paragraph of paragraphs) {
    if (lines.length > 0) lines.push('');
    lines.push(...wrapText(paragraph, width));
  }
  const tags: string[] = [];
  if (doc.deprecated !== undefined) {
    const reason = doc.deprecated === true ? '' : cleanDocText(doc.deprecated, linkable);
    tags.push(...wrapText(`@deprecated ${reason}`.trimEnd(), width));
  }
  if (doc.defaultValue !== undefined) {
    tags.push(
      `@defaultValue \`${cleanDocText(doc.defaultValue, linkable).replaceAll('`', "'").replaceAll('\n', ' ')}\``,
    );
  }
  if (tags.length > 0) lines.push(...(lines.length > 0 ? [''] : []), ...tags);
  if (lines.length === 0) return '';
  const [only] = lines;
  const oneLine = `/** ${only ?? ''} */`;
  if (lines.length === 1 && oneLine.length <= (columns ?? Number.POSITIVE_INFINITY)) return `${oneLine}\n`;
  return `/**\n${lines.map((line) => (line === '' ? ' *' : ` * ${line}`)).join('\n')}\n */\n`;
}

/**
 * Escapes text for use in a comment.
 *
 * @param linkable - Names that `{@link ...}` may refer to.
 */
export function cleanDocText(text: string, linkable: ReadonlySet<string>): string {
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/\t/g, '  ')
    .replace(HIDDEN_CHARACTERS, (character) => (character === '\n' ? character : ''))
    .replace(/\{@link\s+([^\s|}]+)\s*(?:\|\s*)?([^}]*)\}/g, (_, target: string, label: string) =>
      linkText(target, label.trim(), linkable),
    )
    .replaceAll('*/', '*\\/')
    .replace(/(^|\s)@/gm, '$1\\@')
    .replace(/\{@(?!link [^\s{}|]+\})/g, '{\\@')
    .replace(/[ ]+$/gm, '')
    .trim();
}

/**
 * A link to a definition, or the text of a link to anything else. The tool that generated the official schemas drops
 * the separator between target and label, as in `{@link ListenRequestsubscriptions/listen}`: then the target is the
 * definition with which it begins.
 */
function linkText(target: string, label: string, linkable: ReadonlySet<string>): string {
  if (linkable.has(target)) return `{@link ${target}}`;
  const tick = target.indexOf('`');
  if (tick > 0) {
    const own = target.slice(0, tick);
    return linkable.has(own) ? `{@link ${own}}` : `${target.slice(tick)} ${label}`.trimEnd();
  }
  const slash = target.indexOf('/');
  for (let end = slash; end > 0; end -= 1) {
    if (linkable.has(target.slice(0, end))) return `{@link ${target.slice(0, end)}}`;
  }
  return label || `\`${target}\``;
}

/** Breaks long lines at spaces; fenced code, indented lines and list items keep their own lines. */
export function wrapText(text: string, width: number): string[] {
  let fenced = false;
  return text.split('\n').flatMap((line) => {
    if (line.trimStart().startsWith('```')) {
      fenced = !fenced;
      return [line];
    }
    return fenced || line.length <= width ? [line] : wrapLine(line, width);
  });
}

function wrapLine(line: string, width: number): string[] {
  const hanging = /^\s*(?:[-*+]|\d+\.)\s+/.exec(line)?.[0].length ?? 0;
  const indent = ' '.repeat(hanging);
  const lines: string[] = [];
  let current = '';
  // A link stays on one line.
  for (const word of line.split(/(?<!\{@link) /)) {
    const candidate = current === '' ? word : `${current} ${word}`;
    if (candidate.length > width && current.trim() !== '') {
      lines.push(current);
      // Prevents a word from becoming a tag at the start of a line.
      current = indent + (word.startsWith('@') ? `\\${word}` : word);
    } else {
      current = candidate;
    }
  }
  lines.push(current);
  return lines;
}
