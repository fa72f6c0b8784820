import { format } from 'prettier';
import { expect } from 'vitest';
import { emitTool, emitToolIndex, summarizeTool, ToolNamer } from '../../generator/emit/tools/tools.js';
import { parseTool } from '../../generator/model/tools.js';
import { DEFAULT_LAYOUT, formatCode, type LayoutSettings } from '../../generator/output/layout/layout.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import type { JsonValue } from '../../generator/read/json/json.js';
import { parseTools } from '../../generator/read/tools.js';

/** Between pieces that Prettier formats together, which is faster. */
const BORDER = '\n\n// border\n\n';

/**
 * Expects the layout of each piece of code that it knows to be Prettier's.
 *
 * @returns The pieces that the layout does not know.
 */
export async function expectPrettierLayout(
  pieces: Iterable<string>,
  settings: LayoutSettings = DEFAULT_LAYOUT,
): Promise<readonly string[]> {
  const unique = [...new Set(pieces)];
  const known = unique.flatMap((piece) => {
    const text = formatCode(piece, settings);
    return text === undefined ? [] : [{ piece, text }];
  });
  const whole = await format(known.map(({ piece }) => piece).join(BORDER), {
    parser: 'babel-ts',
    filepath: 'a.ts',
    ...settings,
  });
  const formatted = whole.trimEnd().split(BORDER);
  expect(formatted).toHaveLength(Math.max(known.length, 1));
  for (const [index, { text }] of known.entries()) expect(text).toBe(formatted[index]);
  const wellKnown = new Set(known.map(({ piece }) => piece));
  return unique.filter((piece) => !wellKnown.has(piece));
}

/** The pieces of all files of tools. */
export function toolPieces(list: JsonValue): readonly string[] {
  const namer = new ToolNamer();
  const tools = parseTools(list, 't.json').map((tool) => namer.name(parseTool(tool, NO_DOCS)));
  const files = [...tools.map(emitTool), ...emitToolIndex(tools.map(summarizeTool), 'js')];
  return files.flatMap((file) => file.print({ header: '// one\n// two\n/* eslint-disable */', importExtension: 'js' }));
}
