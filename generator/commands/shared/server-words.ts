/** The server that a command line names: one text with its command or URL, or the words of its command after `--`. */
import { existsSync } from 'node:fs';
import { McpgenError } from '../../errors.js';
import { isUrl } from '../../read/fetch.js';
import { shellQuote, splitCommand } from '../../text.js';

/**
 * The program of a server and its arguments. One word is a command line, unless it is the path of a file.
 *
 * @throws {@link McpgenError} if a quote is not closed.
 */
export function commandOf(words: readonly string[]): readonly string[] {
  const [line = ''] = words;
  if (words.length !== 1 || !/[\s"']/.test(line) || existsSync(line)) return words;
  const split = splitCommand(line);
  if (split !== undefined) return split;
  throw new McpgenError('a quote is not closed', {
    place: JSON.stringify(line),
    remedy: 'Pass a command with its arguments, such as "node dist/index.js", or a URL.',
  });
}

/**
 * The server as one text: a URL, or a command line with quotes.
 *
 * @throws {@link McpgenError} if no word is there, or a URL has words after it.
 */
export function serverText(words: readonly string[]): string {
  const [first, second] = words;
  if (first === undefined) {
    throw new McpgenError('the server is missing', {
      remedy: 'Write its command in quotes, or after --, or pass its URL.',
    });
  }
  if (isUrl(first) && second !== undefined) {
    throw new McpgenError(`too many arguments: ${JSON.stringify(second)}`, {
      remedy: 'Pass the URL alone; a command has no URL in front of it.',
    });
  }
  if (second !== undefined) return words.map(shellQuote).join(' ');
  return /[\s"']/.test(first) && existsSync(first) ? shellQuote(first) : first;
}
