/** Names that objects inherit or that JavaScript treats specially are names like any other, wherever they come from. */
import { afterAll, describe, expect, test } from 'vitest';
import { bestToolExample } from '../../generator/emit/tools/example.js';
import { nameTools } from '../../generator/emit/tools/tools.js';
import { renderTools } from '../../generator/index.js';
import { findRejection } from '../../generator/model/types/accepts.js';
import { exampleOf } from '../../generator/model/types/example.js';
import { parseTool } from '../../generator/model/tools.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import { type JsonObject } from '../../generator/read/json/json.js';
import { parseTools, type ToolSource } from '../../generator/read/tools.js';
import { removeTemporaryFolders } from '../support/cli.js';
import { LIST, members, NAMES } from './inherited-names-support.js';
import { compileOutput } from '../support/hostile.js';

afterAll(removeTemporaryFolders);

describe('types tools', () => {
  const sources = parseTools(LIST, 'tools.json');

  test('compiles with the examples', async () => {
    const { files } = await renderTools(sources, '/nowhere');
    const named = nameTools(sources.map((source) => parseTool(source, NO_DOCS)));
    const calls = named.map((tool) => {
      const { method, args, isValid } = bestToolExample([tool]);
      expect([tool.model.source.name, isValid]).toEqual([tool.model.source.name, true]);
      return `await all.${method}(${args ?? ''});`;
    });
    const example = {
      path: 'tools/example.ts',
      contents: `import { tools, type ToolClient } from "./client.js";
export async function example(client: ToolClient<object, object>): Promise<void> {
  const all = tools(client);
  ${calls.join('\n  ')}
}
`,
    };
    expect(await compileOutput([...files, example]).errors()).toEqual([]);
  });

  test.each(NAMES)('a required member %s gets an example with its name', (name) => {
    const source: ToolSource = {
      name: 'x',
      input: members([name], [name]),
      places: { input: 'x', output: '' },
      isOwn: true,
    };
    const { definitions } = parseTool(source, NO_DOCS);
    const types = new Map(definitions.map((definition) => [definition.name, definition.type]));
    const type = types.get('Input') ?? { kind: 'never' as const };
    const value = exampleOf({ definitions }, type) as JsonObject;
    expect(Object.keys(value)).toEqual([name]);
    expect(value[name]).toBe(`some ${name}`);
    expect(findRejection(types, type, value)).toBeUndefined();
  });
});
