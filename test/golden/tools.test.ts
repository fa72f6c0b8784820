/** What becomes of the schemas of tools, of a server and of an author. */
import { describe, expect, test } from 'vitest';
import { emitTool, emitToolIndex, summarizeTool, ToolNamer } from '../../generator/emit/tools/tools.js';
import { parseTool, type ToolModel } from '../../generator/model/tools.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import type { JsonValue } from '../../generator/read/json/json.js';
import { createPatternCheck } from '../../generator/read/patterns.js';
import { parseTools, type ToolSource } from '../../generator/read/tools.js';
import { errorText, expectedFile, formatPieces, messageText, section } from './support.js';
import { INVALID_SCHEMAS, LISTS, SCHEMAS } from './tools.js';

const checkPattern = createPatternCheck();

function read(source: ToolSource, nullable?: boolean): ToolModel {
  return parseTool(source, NO_DOCS, { checkPattern, nullable });
}

function sourceOf(input: JsonValue, isOwn: boolean): ToolSource {
  return { name: 'tool', input, places: { input: 'in.json', output: 'out.json' }, isOwn };
}

/** Imports follow from the code. */
function isShown(piece: string): boolean {
  return !piece.startsWith('import ');
}

function rendered(models: readonly ToolModel[], withIndex = false): string {
  const namer = new ToolNamer();
  const named = models.map((model) => namer.name(model));
  const files = [...named.map(emitTool), ...(withIndex ? emitToolIndex(named.map(summarizeTool), 'js') : [])];
  const warnings = models.flatMap((model) => model.warnings);
  return [
    ...(warnings.length === 0 ? [] : [section('warnings', warnings.map(messageText).join('\n'))]),
    ...files.map((file) =>
      section(file.name, formatPieces(file.print({ header: '', importExtension: 'js' }).filter(isShown))),
    ),
  ].join('\n');
}

describe('the files of a list of tools', () => {
  test.each(Object.entries(LISTS))('%s', async (name, list) => {
    const models = parseTools(list, 'tools.json').map((source) => read(source));
    await expect(rendered(models, true)).toMatchFileSnapshot(expectedFile(`tools-${name}`));
  });
});

describe('the file of a tool of the author', () => {
  test.each(Object.entries(SCHEMAS))('%s', async (name, schema) => {
    await expect(rendered([read(sourceOf(schema, true))])).toMatchFileSnapshot(expectedFile(`tool-${name}`));
  });
});

test('the messages about schemas that are not valid', async () => {
  const texts = Object.entries(INVALID_SCHEMAS).map(([title, schema]) => {
    const own = ((): string => {
      try {
        return read(sourceOf(schema, true)).warnings.map(messageText).join('\n');
      } catch (error) {
        return errorText(error);
      }
    })();
    const { warnings, definitions } = read(sourceOf(schema, false), title.includes('allowed'));
    const types = definitions.map(({ name, type }) => `${name}: ${JSON.stringify(type)}`);
    return section(
      title,
      [own, '', ...warnings.map(messageText), ...(title.includes('deeply') ? [] : types)].join('\n'),
    );
  });
  await expect(texts.join('\n')).toMatchFileSnapshot(expectedFile('tool-messages'));
});
