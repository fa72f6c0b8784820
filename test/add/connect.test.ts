import { describe, expect, test } from 'vitest';
import type { Addable } from '../../generator/scaffold/edit/addition.js';
import { connectListToServer } from '../../generator/scaffold/edit/connect.js';

const served = (kind: Addable) => ({ kind, registry: './generated/runtime/registry', extension: '.js' });

async function connected(text: string): Promise<string> {
  const result = await connectListToServer(text, served('prompt'));
  expect(result).toMatchObject({ status: 'added' });
  return result.status === 'added' ? result.text : '';
}

const PROTOCOL = 'import { createServer } from "./protocol.js";\n';
const REGISTRY = 'import { toolHandlers } from "./generated/runtime/registry.js";\n';
const LIST = 'import { prompts } from "./prompts/index.js";\n';
const NEW = 'import { promptHandlers } from "./generated/runtime/registry.js";\n';

describe('a server that its author has edited', () => {
  test.each<[string, string, string]>([
    [
      'without handlers',
      `${PROTOCOL}createServer({ info, handlers: {}, revisions });\n`,
      `${PROTOCOL}${NEW}${LIST}createServer({ info, handlers: { ...promptHandlers(prompts) }, revisions });\n`,
    ],
    [
      'as it was written, with tools',
      `import {\n  toolHandlers,\n} from "./generated/runtime/registry.js";\n${PROTOCOL}createServer({\n  handlers: {\n    ...toolHandlers(tools),\n  },\n});\n`,
      `import {\n  toolHandlers,\n  promptHandlers,\n} from "./generated/runtime/registry.js";\n${PROTOCOL}${LIST}createServer({\n  handlers: {\n    ...toolHandlers(tools),\n    ...promptHandlers(prompts),\n  },\n});\n`,
    ],
    [
      'an import of nothing',
      `import {} from "./generated/runtime/registry.js";\n${PROTOCOL}createServer({ handlers: { } });\n`,
      `import { promptHandlers } from "./generated/runtime/registry.js";\n${PROTOCOL}${LIST}createServer({ handlers: { ...promptHandlers(prompts) } });\n`,
    ],
    [
      'handlers in a constant, with satisfies and a comment behind the last',
      `${REGISTRY}${PROTOCOL}const handlers = {\n  ...toolHandlers(tools) // mine\n} satisfies Handlers;\nexport const s = createServer({ handlers });\n`,
      `import { toolHandlers, promptHandlers } from "./generated/runtime/registry.js";\n${PROTOCOL}${LIST}const handlers = {\n  ...toolHandlers(tools), // mine\n  ...promptHandlers(prompts)\n} satisfies Handlers;\nexport const s = createServer({ handlers });\n`,
    ],
    [
      'what the author overrides stays last',
      `${REGISTRY}${PROTOCOL}createServer({ handlers: { ...toolHandlers(tools), ...custom, "ping": () => ({}) } });\n`,
      `{ ...toolHandlers(tools), ...promptHandlers(prompts), ...custom, "ping": () => ({}) }`,
    ],
    [
      'the same over several lines, with comments',
      `${REGISTRY}${PROTOCOL}createServer({\n  handlers: {\n    ...toolHandlers(tools), // first\n    /* mine */ ...custom,\n  },\n});\n`,
      '    ...toolHandlers(tools), // first\n    ...promptHandlers(prompts),\n    /* mine */ ...custom,\n',
    ],
    [
      'single quotes, no semicolons, tabs',
      "import { toolHandlers } from './generated/runtime/registry'\nimport { createServer } from './protocol'\n\nexport default createServer({\n\thandlers: {\n\t\t...toolHandlers(tools)\n\t}\n})\n",
      "import { toolHandlers, promptHandlers } from './generated/runtime/registry'\nimport { createServer } from './protocol'\nimport { prompts } from './prompts/index'\n\nexport default createServer({\n\thandlers: {\n\t\t...toolHandlers(tools),\n\t\t...promptHandlers(prompts)\n\t}\n})\n",
    ],
    [
      'CRLF and a byte order mark',
      '\ufeffimport { createServer } from "./protocol.js";\r\ncreateServer({\r\n  handlers: {\r\n    // none yet\r\n  },\r\n});\r\n',
      `\ufeff${PROTOCOL}${NEW}${LIST}createServer({\n  handlers: {\n    // none yet\n    ...promptHandlers(prompts),\n  },\n});\n`.replaceAll(
        '\n',
        '\r\n',
      ),
    ],
    [
      'aliased imports',
      `import { toolHandlers as th, promptHandlers as ph } from "./generated/runtime/registry.js";\nimport { createServer as make } from "#protocol";\nimport { prompts as mine } from "./prompts";\nmake({ handlers: { ...th(tools) } });\n`,
      'make({ handlers: { ...th(tools), ...ph(mine) } });\n',
    ],
    [
      'imports of whole modules',
      `import * as registry from "./generated/runtime/registry.js";\nimport * as protocol from "./protocol.js";\nprotocol.createServer({ handlers: { ...registry.toolHandlers(tools) } });\n`,
      `${LIST}protocol.createServer({ handlers: { ...registry.toolHandlers(tools), ...registry.promptHandlers(prompts) } });\n`,
    ],
    [
      'a module of its author that passes the registry on',
      `import { toolHandlers } from "./lib.js";\n${PROTOCOL}createServer({ handlers: { ...toolHandlers(tools) } });\n`,
      'import { toolHandlers, promptHandlers } from "./lib.js";\n',
    ],
    [
      'a registry of which only types are imported',
      `import type { ToolDefinition } from "./generated/runtime/registry.js";\n${PROTOCOL}createServer({ handlers: {} });\n`,
      `import type { ToolDefinition } from "./generated/runtime/registry.js";\n${PROTOCOL}${NEW}${LIST}`,
    ],
    [
      'a function that returns the handlers',
      `${PROTOCOL}function handlers() {\n  const f = () => { return 1; };\n  return { ping: f };\n}\ncreateServer({ handlers: handlers() });\n`,
      'return { ping: f, ...promptHandlers(prompts) };\n',
    ],
    [
      'an arrow function, and options in a constant',
      `${PROTOCOL}const make = () => ({});\nconst options = { handlers: make() } as const;\ncreateServer(options);\n`,
      'const make = () => ({ ...promptHandlers(prompts) });\n',
    ],
    [
      'a frozen object in quotes',
      `${PROTOCOL}createServer({ "handlers": Object.freeze({ /* none */ }) });\n`,
      'Object.freeze({ /* none */ ...promptHandlers(prompts) })',
    ],
    [
      'a server of Node beside it',
      `import { createServer as http } from "node:http";\n${PROTOCOL}http({});\ncreateServer({ handlers: {} });\n`,
      'http({});\ncreateServer({ handlers: { ...promptHandlers(prompts) } });\n',
    ],
  ])('%s', async (_, text, after) => {
    const result = await connected(text);
    expect(result).toContain(after);
    // All that its author wrote is there, in its order.
    let at = 0;
    for (const character of result) if (character === text.charAt(at)) at += 1;
    expect(at).toBe(text.length);
    expect(await connectListToServer(result, served('prompt'))).toEqual({ status: 'present' });
  });

  test.each([
    ['by hand', `${LIST}${NEW}${PROTOCOL}createServer({ handlers: { ...promptHandlers(prompts) } });`],
    ['with more of its own', `${LIST}${NEW}${PROTOCOL}createServer(options(promptHandlers([...prompts, other])));`],
    [
      'under other names',
      'import { prompts as p } from "./prompts/index";\nimport { promptHandlers as h } from "x";\nh(p);',
    ],
  ])('is left alone if it is connected %s', async (_, text) => {
    expect(await connectListToServer(text, served('prompt'))).toEqual({ status: 'present' });
  });

  test.each<[string, string, number]>([
    [
      'it has another `prompts`',
      `import { type prompts } from "./prompts/index.js";\n${PROTOCOL}createServer({ handlers: {} });\n`,
      1,
    ],
    ['it has a syntax error', `${PROTOCOL}createServer({ handlers: {\n`, 3],
    [
      'it does not call `createServer`',
      'import { createServer } from "node:http";\ncreateServer({ handlers: {} });\n',
      1,
    ],
    [
      'it calls `createServer` more than once',
      `${PROTOCOL}createServer({ handlers: {} });\ncreateServer({ handlers: {} });\n`,
      3,
    ],
    ['the argument of `createServer` is not an object literal', `${PROTOCOL}\ncreateServer(options());\n`, 3],
    ['the argument of `createServer` has no `handlers`', `${PROTOCOL}createServer({ info });\n`, 2],
    [
      'the handlers are not an object literal',
      `${PROTOCOL}import { handlers } from "./h.js";\ncreateServer({\n  handlers,\n});\n`,
      4,
    ],
    ['the handlers are not an object literal', `${PROTOCOL}let handlers = {};\ncreateServer({ handlers });\n`, 3],
    ['the handlers are not an object literal', `${PROTOCOL}createServer({ handlers: a ? {} : {} });\n`, 2],
    [
      'the handlers are not an object literal',
      `${PROTOCOL}const f = () => { if (a) return {}; return {}; };\ncreateServer({ handlers: f() });\n`,
      3,
    ],
    ['the handlers are not an object literal', `${PROTOCOL}const a = b, b = a;\ncreateServer({ handlers: a });\n`, 3],
    [
      'it already has a handler for "prompts/get"',
      `${PROTOCOL}createServer({ handlers: {\n  "prompts/get": get } });\n`,
      3,
    ],
    [
      'it calls `promptHandlers` with another list',
      `${NEW}${PROTOCOL}createServer({ handlers: { ...promptHandlers([mine]) } });\n`,
      3,
    ],
    ['it has another `prompts`', `${PROTOCOL}const prompts = [];\ncreateServer({ handlers: {} });\n`, 2],
    [
      'it has another `prompts`',
      `${PROTOCOL}export function build(\n  prompts: string[]) { return createServer({ handlers: {} }); }\n`,
      3,
    ],
    ['it has another `promptHandlers`', `${PROTOCOL}const promptHandlers = 1;\ncreateServer({ handlers: {} });\n`, 2],
  ])('%s: the lines to write by hand', async (reason, text, line) => {
    const result = await connectListToServer(text, served('prompt'));
    expect(result).toMatchObject({ status: 'unknown', reason, line });
    expect(result.status === 'unknown' && result.byHand).toContain('import { prompts } from "./prompts/index.js";');
  });
});
