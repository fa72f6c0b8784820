import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A fenced code block of a Markdown file. */
export interface CodeBlock {
  readonly file: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  /** Empty if the fence names none. */
  readonly language: string;
  readonly text: string;
  /** The paragraph before the block, on one line; empty if another block or a heading comes before it. */
  readonly lead: string;
}

/** What a block of output belongs to: a command, or the block before it. */
export interface Output {
  readonly expected: string;
  readonly line: number;
  readonly command: string | undefined;
  readonly source: CodeBlock | undefined;
}

/** Markdown files of the project that users read. */
export function markdownFiles(): readonly string[] {
  const isMarkdown = (name: string): boolean => name.endsWith('.md');
  return [
    ...readdirSync('.').filter(isMarkdown),
    ...readdirSync('docs')
      .filter(isMarkdown)
      .map((name) => path.posix.join('docs', name)),
  ].sort();
}

/** The fenced code blocks of a file, in order. */
export function codeBlocks(file: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const lines = readFileSync(file, 'utf8').split('\n');
  let paragraph: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const fence = /^( *)```(\w*)\s*$/.exec(line);
    if (fence === null) {
      if (line.startsWith('#')) paragraph = [];
      // A blank line ends a paragraph once the next one begins.
      else if (line.trim() !== '') paragraph = lines[index - 1]?.trim() === '' ? [line] : [...paragraph, line];
      continue;
    }
    const [, indentation = '', language = ''] = fence;
    const end = lines.indexOf(`${indentation}\`\`\``, index + 1);
    if (end === -1) throw new Error(`${file}:${index + 1}: the code block is not closed`);
    const text = lines
      .slice(index + 1, end)
      .map((item) => `${item.slice(indentation.length)}\n`)
      .join('');
    blocks.push({ file, line: index + 1, language, text, lead: paragraph.join(' ').trim() });
    paragraph = [];
    index = end;
  }
  return blocks;
}

/**
 * The outputs that a file shows. A block without a language after a paragraph that ends with `prints:` is output: of the
 * command that the paragraph names, as in "`npx tsx client.ts` prints:", or of the block before it.
 */
export function shownOutputs(file: string): readonly Output[] {
  const blocks = codeBlocks(file);
  return blocks.flatMap((block, index): Output[] => {
    if (!/\bprints:$/.test(block.lead)) return [];
    if (block.language !== '') throw new Error(`${file}:${block.line}: output has no language`);
    const command = /`([^`]+)` prints:$/.exec(block.lead)?.[1];
    const source = command === undefined ? blocks[index - 1] : undefined;
    return [{ expected: block.text, line: block.line, command, source }];
  });
}

/** The file name in the first line of a block, as in `// server.ts`. */
export function fileNameOf({ text }: CodeBlock): string | undefined {
  return /^\/\/ ([\w./-]+\.ts)\n/.exec(text)?.[1];
}

/** Anchors of a file: those of headings, as GitHub makes them, and explicit ones. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id));
  for (const [, heading = ''] of text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    let anchor = slug;
    for (let number = 1; anchors.has(anchor); number += 1) anchor = `${slug}-${number}`;
    anchors.add(anchor);
  }
  return anchors;
}
