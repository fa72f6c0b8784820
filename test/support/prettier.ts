/**
 * Prettier as the generator imports it in tests: what it formatted once is remembered by all tests of a worker, since many
 * of them render the same revision. Text and options decide the result; plugins may not, so they are left alone.
 */
import { createRequire } from 'node:module';
import type * as Prettier from 'prettier';

// Not imported by its name, which leads here.
const prettier = createRequire(import.meta.url)('prettier') as typeof Prettier;

export const { clearConfigCache, getFileInfo, resolveConfig, resolveConfigFile } = prettier;

/** Between pieces that the generator formats together; `test/output/format.test.ts` checks that they come out as alone. */
const PIECE_BORDER = '\n\n// mcpgen: border\n\n';
/** Characters to remember before starting over. */
const MAX_CHARACTERS = 100_000_000;

const known = new Map<string, string>();
let characters = 0;

function remember(key: string, result: string): void {
  if (characters > MAX_CHARACTERS) {
    known.clear();
    characters = 0;
  }
  characters += key.length + result.length;
  known.set(key, result);
}

export async function format(text: string, options: Prettier.Options): Promise<string> {
  if ((options.plugins ?? []).length > 0) return prettier.format(text, options);
  // With a parser the name of the file makes no difference.
  const { filepath, ...others } = options;
  const prefix = JSON.stringify([others, options.parser === undefined ? filepath : '']);
  const pieces = text.split(PIECE_BORDER);
  const missing = [...new Set(pieces.filter((piece) => !known.has(prefix + piece)))];
  if (missing.length > 0) {
    const result = await prettier.format(missing.join(PIECE_BORDER), options);
    if (pieces.length === 1) {
      remember(prefix + text, result);
      return result;
    }
    const formatted = result.trimEnd().split(PIECE_BORDER);
    if (formatted.length !== missing.length) return prettier.format(text, options);
    missing.forEach((piece, index) => {
      remember(prefix + piece, `${formatted[index] ?? ''}\n`);
    });
  }
  const results = pieces.map((piece) => known.get(prefix + piece));
  // Not all are there if the memory started over just now.
  if (results.includes(undefined)) return prettier.format(text, options);
  return results.length === 1
    ? (results[0] ?? '')
    : `${results.map((result) => result?.trimEnd()).join(PIECE_BORDER)}\n`;
}
