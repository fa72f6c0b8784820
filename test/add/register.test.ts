import { describe, expect, test } from 'vitest';
import { findDefineCall, registerInList } from '../../generator/scaffold/edit/register.js';

const ENTRY = { name: 'weather', from: './weather' };

async function added(text: string): Promise<string> {
  const result = await registerInList(text, 'tools', ENTRY);
  expect(result.status).toBe('added');
  return result.status === 'added' ? result.text : '';
}

describe('an index that its author has edited', () => {
  test.each<[string, string, string]>([
    [
      'as it was written',
      'import { greet } from "./greet.js";\n\n/** The tools. */\nexport const tools = [greet];\n',
      'import { greet } from "./greet.js";\nimport { weather } from "./weather.js";\n\n/** The tools. */\nexport const tools = [greet, weather];\n',
    ],
    [
      'several lines, comments, a trailing comma',
      'import { b } from "./b.js"; // second\n\nexport const tools = [\n  b, // first of all\n  /* old */ a,\n  // the rest comes later\n];\n',
      'import { b } from "./b.js"; // second\nimport { weather } from "./weather.js";\n\nexport const tools = [\n  b, // first of all\n  /* old */ a,\n  weather,\n  // the rest comes later\n];\n',
    ],
    [
      'a comment behind the last element',
      'export const tools = [\n  a,\n  b, // last\n];\n',
      'import { weather } from "./weather.js";\n\nexport const tools = [\n  a,\n  b, // last\n  weather,\n];\n',
    ],
    [
      'no trailing comma, single quotes, no semicolons, tabs',
      "import { a } from './a.js'\n\nexport const tools = [\n\ta,\n\tb\n]\n",
      "import { a } from './a.js'\nimport { weather } from './weather.js'\n\nexport const tools = [\n\ta,\n\tb,\n\tweather\n]\n",
    ],
    [
      'CRLF and a byte order mark',
      '\ufeffimport { a } from "./a.js";\r\nexport const tools = [\r\n  a,\r\n];\r\n',
      '\ufeffimport { a } from "./a.js";\r\nimport { weather } from "./weather.js";\r\nexport const tools = [\r\n  a,\r\n  weather,\r\n];\r\n',
    ],
    ['as const', 'export const tools = [a] as const;\n', 'export const tools = [a, weather] as const;\n'],
    [
      'satisfies, in parentheses, with a type',
      'export const tools: readonly Tool[] = ([a,] satisfies Tool[]) as Tool[];\n',
      'export const tools: readonly Tool[] = ([a, weather,] satisfies Tool[]) as Tool[];\n',
    ],
    [
      'spread members',
      'export const tools = [...more, a, ...others()];\n',
      'export const tools = [...more, a, ...others(), weather];\n',
    ],
    ['an empty list', 'export const tools = [];\n', 'export const tools = [weather];\n'],
    [
      'an empty list with a comment',
      'export const tools = [\n  // none yet\n];\n',
      'export const tools = [\n  // none yet\n  weather,\n];\n',
    ],
    [
      'files without extension',
      'import { a } from "./a";\nexport const tools = [a];\n',
      'import { weather } from "./weather";\nexport const tools = [a, weather];\n',
    ],
    [
      'files of TypeScript',
      'import { a } from "./a.ts";\nexport const tools = [a];\n',
      'import { weather } from "./weather.ts";\n',
    ],
    [
      'an import over several lines',
      'import {\n  a,\n} from "./a.js";\nexport const tools = [a];\n',
      '} from "./a.js";\nimport { weather } from "./weather.js";\nexport',
    ],
    [
      'an export by name',
      'const tools = [a];\nexport { tools };\n',
      'const tools = [a, weather];\nexport { tools };\n',
    ],
    ['an export under another name', 'const all = [a];\nexport { all as tools };\n', 'const all = [a, weather];\n'],
    [
      'imported already, under another name',
      'import { weather as forecast } from "./weather.js";\nexport const tools = [a];\n',
      'import { weather as forecast } from "./weather.js";\nexport const tools = [a, forecast];\n',
    ],
    [
      'other lists beside it',
      'export const others = [x];\nexport const tools = [a];\n',
      'export const others = [x];\nexport const tools = [a, weather];\n',
    ],
    [
      'elements that are calls',
      'export const tools = [\n  wrap(a, [1, 2]), // x\n];\n',
      '  wrap(a, [1, 2]), // x\n  weather,\n];\n',
    ],
    [
      'a line for the shell',
      '#!/usr/bin/env node\nexport const tools = [a];\n',
      '#!/usr/bin/env node\nimport { weather } from "./weather.js";\n\nexport const tools = [a, weather];\n',
    ],
    ['no end of line at the end', 'import { a } from "./a.js"', ''],
  ])('%s', async (_, before, after) => {
    const text = before.includes('tools') ? before : `export const tools = [a];\n${before}`;
    const result = await added(text);
    expect(result).toContain(after);
    // All that its author wrote is there, in its order.
    let at = 0;
    for (const character of result) if (character === text.charAt(at)) at += 1;
    expect(at).toBe(text.length);
    // And adding it again changes nothing.
    expect(await registerInList(result, 'tools', ENTRY)).toEqual({ status: 'present' });
  });

  test('is left alone if it has it already', async () => {
    const renamed = 'import { weather as w } from "./weather";\nexport const tools = [w] as const;\n';
    expect(await registerInList(renamed, 'tools', ENTRY)).toEqual({ status: 'present' });
  });

  test.each<[string, string, string]>([
    ['a call', 'export const tools = list(a);\n', '`tools` is not an array literal'],
    ['a choice', 'export const tools = a ? [b] : [c];\n', '`tools` is not an array literal'],
    ['no such list', 'export const others = [];\n', 'it does not export a list `tools`'],
    ['one that is not exported', 'const tools = [];\n', 'it does not export a list `tools`'],
    ['a default export', 'export default [a];\n', 'it does not export a list `tools`'],
    ['passed on from elsewhere', 'export { tools } from "./all.js";\n', 'it does not export a list `tools`'],
    ['code that does not parse', 'export const tools = [a;\n', 'it has a syntax error'],
    [
      'another thing of that name',
      'import { weather } from "./other.js";\nexport const tools = [a];\n',
      'it has another `weather`',
    ],
    ['nothing', '', 'it does not export a list `tools`'],
  ])('%s is not touched', async (_, text, reason) => {
    expect(await registerInList(text, 'tools', ENTRY)).toMatchObject({ status: 'unknown', reason });
  });
});

test.each<[string, object | undefined]>([
  ['export const weather = defineTool({ name: "get-weather" });', { identifier: 'weather', name: 'get-weather' }],
  ['export const other = defineTool({ name: NAME });', { identifier: 'other', name: undefined }],
  ['export const a = defineTool({}), b = defineTool({});', undefined],
  ['export const helper = 1;', undefined],
  ['export const helper = (;', undefined],
])('a file that is there already: %s', async (text, expected) => {
  expect(await findDefineCall(text, 'weather')).toEqual(expected);
});
