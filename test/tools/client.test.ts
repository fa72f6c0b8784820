import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from '../../generated/2025-11-25/client.js';
import { createServer, type ServerContext } from '../../generated/2025-11-25/server.js';
import { revision } from '../../generated/2025-11-25/revision.js';
import type { CallOptions } from '../../generated/runtime/jsonrpc/endpoint.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import { defineTool, toolHandlers } from '../../generated/runtime/registry.js';
import { renderAll, renderTools } from '../../generator/index.js';
import type { JsonValue } from '../../generator/read/json/json.js';
import { parseTools } from '../../generator/read/tools.js';
import { listFiles, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { importOutput } from '../support/import-output.js';
import { mcpgen } from '../support/in-process.js';
import { compileOutput, findHiddenCharacters, findInternals } from '../support/hostile.js';

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

afterAll(removeTemporaryFolders);

const WEATHER = {
  name: 'get_weather',
  description: 'The weather of a city.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string', minLength: 1 }, days: { type: 'integer' } },
    required: ['city'],
  },
  outputSchema: { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] },
};
const LIST = [WEATHER, { name: 'noop', inputSchema: { type: 'object' } }];

const sources = (list: unknown) => parseTools(JSON.parse(JSON.stringify(list)) as JsonValue, 'tools.json');

// Uses of a result; an editor shows its hover for what follows each comment.
const NARROWING = `import { tools } from "../tools/index.js";
import type { Client } from "./client.js";

export async function use(client: Client): Promise<number> {
  const /*hover*/result = await tools(client).getWeather({ city: "Graz" });
  // @ts-expect-error -- the tool may have failed
  void result.structuredContent.celsius;
  if (result.isError) {
    void result./*hover*/isError;
    void result./*hover*/structuredContent;
    // @ts-expect-error -- it is not validated
    void result.structuredContent.celsius;
    const [text] = result.content;
    throw new Error(JSON.stringify(text));
  }
  const again = await tools(client).getWeather({ city: "Graz" });
  if (!again.isError) {
    const exact: number = again.structuredContent.celsius;
    void exact;
  }
  return result./*hover*/structuredContent.celsius;
}
`;

/** What an editor shows for what follows each comment `hover` in a file: its type, and its docs after a colon. */
function hoversIn(files: readonly { path: string; contents: string }[], file: string): readonly string[] {
  const texts = new Map(files.map(({ path: name, contents }) => [`/hover/${name}`, contents]));
  const read = (name: string): string | undefined => texts.get(name) ?? ts.sys.readFile(name);
  const service = ts.createLanguageService({
    getScriptFileNames: () => [...texts.keys()],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const text = read(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => '/hover',
    getCompilationSettings: () => ({ strict: true, module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022 }),
    getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
    fileExists: (name) => read(name) !== undefined,
    readFile: read,
  });
  const marked = [...(texts.get(`/hover/${file}`) ?? '').matchAll(/\/\*hover\*\//g)];
  return marked.map(({ index, 0: mark }) => {
    const info = service.getQuickInfoAtPosition(`/hover/${file}`, index + mark.length);
    const parts = [info?.displayParts, info?.documentation].map((part) => ts.displayPartsToString(part));
    return parts.filter((part) => part !== '').join(': ');
  });
}

describe('types', () => {
  test('hold in the client of each revision', async () => {
    const { files } = await renderAll({
      revisions: REVISIONS,
      emit: ['client'],
      tools: sources(LIST),
      out: '/nowhere',
    });
    const uses = REVISIONS.map((name) => ({
      path: `${name}/use.ts`,
      contents: `import { tools } from "../tools/index.js";
import type { CallToolResult } from "./types.js";
import type { Client } from "./client.js";

export async function use(client: Client): Promise<number> {
  const server = tools(client);
  const { isError, content, structuredContent } = await server.getWeather({ city: "Graz" }, { timeout: 5, onProgress: (at) => at.progress });
  const plain: CallToolResult = await server.noop();
  await server.noop({});
  // @ts-expect-error -- the city is missing
  await server.getWeather({});
  // @ts-expect-error -- there are no arguments
  await server.getWeather();
  // @ts-expect-error -- it is a number of days
  await server.getWeather({ city: "Graz", days: "1" });
  // @ts-expect-error -- there is no such tool
  await server.getClimate({});
  // @ts-expect-error -- there is no such option
  await server.noop({}, { tiemout: 5 });
  if (isError === true) throw new Error(JSON.stringify([content, plain.content]));
  // @ts-expect-error -- there is no such member
  void structuredContent.kelvin;
  const exact: number = structuredContent.celsius;
  return exact;
}
`,
    }));
    expect(await compileOutput([...files, ...uses]).errors()).toEqual([]);
  });

  test('isError tells whether structured content is present, in the client of each revision', async () => {
    const { files } = await renderAll({
      revisions: REVISIONS,
      emit: ['client'],
      tools: sources(LIST),
      out: '/nowhere',
    });
    const uses = REVISIONS.map((name) => ({ path: `${name}/use.ts`, contents: NARROWING }));
    expect(await compileOutput([...files, ...uses]).errors()).toEqual([]);
  });

  test('the editor says what isError and structured content mean', async () => {
    const { files } = await renderAll({
      revisions: ['2026-07-28'],
      emit: ['client'],
      tools: sources(LIST),
      out: '/nowhere',
    });
    const hovers = hoversIn([...files, { path: '2026-07-28/use.ts', contents: NARROWING }], '2026-07-28/use.ts');
    expect(hovers).toEqual([
      'const result: ToolResult<CallToolResult, GetWeatherOutput>',
      '(property) isError: true: The tool failed: `content` says why.',
      '(property) structuredContent?: unknown: Not validated, since the tool failed.',
      '(property) structuredContent: GetWeatherOutput: Present and valid by the output schema, since the tool succeeded.',
    ]);
  });

  test('accept any name', async () => {
    const names = [
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'then',
      'then_tool',
      'Then',
      'delete',
      'await',
      'tools',
      'Tools',
      'client',
      'args',
      'options',
      'callTool',
      'call_structured_tool',
      'ToolClient',
      'ToolResult',
      '*/ alert(1) /*',
      '"; x',
      "'`${1}",
      '\n',
      'a\u202Eb',
      '🙂',
      '3d',
      'get weather',
      'get_weather',
      'GetWeather',
    ];
    const list = names.map((name) => ({
      name,
      description: `*/ } ${name}`,
      inputSchema: { type: 'object' },
      ...(name.length % 2 === 0 ? { outputSchema: { type: 'object' } } : {}),
    }));
    const { files } = await renderTools(sources([...list, { name: 'bare' }, { name: 'odd', inputSchema: 7 }]), '/x');
    expect(await compileOutput(files).errors()).toEqual([]);
    const text = files.find((file) => file.path === 'tools/client.ts')?.contents ?? '';
    expect(findHiddenCharacters(text)).toEqual([]);
    const methods = [...text.matchAll(/^ {2}readonly ([\p{ID_Continue}$]+): \(/gmu)].map(([, name]) => name);
    expect(new Set(methods).size).toBe(names.length + 2);
    // What has a method `then` is a promise to those who await it.
    expect(methods).not.toContain('then');
    const { tools } = await written<{ tools: (client: object) => Record<string, (args?: object) => Promise<unknown>> }>(
      files,
    );
    const called: unknown[] = [];
    const result = { content: [], structuredContent: {} };
    const all = tools({
      callTool: async ({ name }: { name: string }) => {
        called.push(name);
        return Promise.resolve(result);
      },
    });
    for (const name of methods) expect(await all[name ?? '']?.({})).toBe(result);
    expect(new Set(called)).toEqual(new Set([...names, 'bare', 'odd']));
  });

  test('exclude tools that a client serves', async () => {
    const own = sources(LIST).map((tool) => ({ ...tool, isOwn: true }));
    const { files } = await renderTools(own, '/nowhere');
    expect(files.map((file) => file.path)).not.toContain('tools/client.ts');
    expect(files.map((file) => file.path)).not.toContain('runtime/client/tool-calls.ts');
  });
});

/** Files on the disk, and what their index exports. */
async function written<T>(files: readonly { readonly path: string; readonly contents: string }[]): Promise<T> {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file.path)), { recursive: true });
    writeFileSync(path.join(folder, file.path), file.contents);
  }
  return importOutput<T>(path.join(folder, 'tools/index.ts'));
}

describe('calls', () => {
  interface Weather {
    getWeather: (
      args: object,
      options?: CallOptions,
    ) => Promise<{ isError?: boolean; structuredContent?: unknown; content: unknown[] }>;
  }
  interface Generated {
    tools: (client: Client) => Weather;
    ToolArgumentsError: new () => Error;
    ToolOutputError: new () => Error;
  }
  let generated: Generated;

  beforeAll(async () => {
    generated = await written<Generated>((await renderTools(sources(LIST), '/nowhere')).files);
  });

  async function connected(
    run: (args: Record<string, unknown>, context: ServerContext) => object | Promise<object>,
  ): Promise<Weather> {
    const [ours, theirs] = memoryPair();
    const server = createServer({
      info: { name: 'test', version: '1' },
      handlers: toolHandlers([defineTool({ name: 'get_weather', run })]),
    });
    const client = new Client([revision], { info: { name: 'test', version: '1' } });
    await server.connect(theirs);
    await client.connect(ours);
    return generated.tools(client);
  }

  test('structured content comes validated', async () => {
    const weather = await connected(({ city }) => ({ structuredContent: { celsius: 7, city } }));
    const result = await weather.getWeather({ city: 'Graz' });
    expect(result.structuredContent).toEqual({ celsius: 7, city: 'Graz' });
    expect(result.content).toHaveLength(1);
  });

  test('wrong arguments are not sent', async () => {
    let calls = 0;
    const weather = await connected(() => {
      calls += 1;
      return { structuredContent: { celsius: 7 } };
    });
    for (const args of [{}, { city: '' }, { city: 'Graz', days: 1.5 }, undefined as never]) {
      const error: unknown = await weather.getWeather(args).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(generated.ToolArgumentsError);
      expect(error).toMatchObject({ tool: 'get_weather', name: 'ToolArgumentsError' });
    }
    expect(calls).toBe(0);
  });

  test.each([
    ['wrong', { structuredContent: { celsius: 'warm' } }, '/celsius is wrong'],
    ['missing', { content: [] }, 'the result of get_weather has invalid structured content'],
  ])('structured content that is %s is an error, with the result', async (_, outcome, message) => {
    const weather = await connected(() => outcome);
    const error: unknown = await weather.getWeather({ city: 'Graz' }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(generated.ToolOutputError);
    expect(error).toMatchObject({ message: expect.stringContaining(message) as string, result: outcome });
  });

  test('a failure of the tool is given as it is', async () => {
    const failed = { isError: true, content: [{ type: 'text', text: 'no such city' }] } as const;
    const weather = await connected(() => failed);
    expect(await weather.getWeather({ city: 'Graz' })).toEqual(failed);
  });

  test('pass options through', async () => {
    const weather = await connected(async ({ days }, context) => {
      context.progress(1, 2);
      if (days === 2)
        await new Promise((resolve) => {
          context.signal.addEventListener('abort', resolve);
        });
      return { structuredContent: { celsius: 7 } };
    });
    const seen: unknown[] = [];
    await weather.getWeather({ city: 'Graz' }, { onProgress: (at) => seen.push(at.progress) });
    expect(seen).toEqual([1]);
    const controller = new AbortController();
    const aborted = weather.getWeather(
      { city: 'Graz', days: 2 },
      {
        signal: controller.signal,
        onProgress: () => {
          controller.abort(new Error('enough'));
        },
      },
    );
    await expect(aborted).rejects.toThrow('enough');
    await expect(weather.getWeather({ city: 'Graz', days: 2 }, { timeout: 20 })).rejects.toThrow(/20 ms/);
  });
});

/** A server over stdio that lists some tools and answers each call with what it got. */
const serverOf = (tools: unknown): string => `
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const results = {
    initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } },
    "tools/list": { tools: ${JSON.stringify(tools)} },
    "tools/call": { content: [{ type: "text", text: JSON.stringify(params) }], structuredContent: { celsius: 7 } },
  };
  const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: "no" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
});`;

const FLAGS = ['--yes', '--no-install', '--no-git', '-r', '2025-11-25'];

describe('init client', () => {
  test('reads types from a file', async () => {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, 'list.json'), JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: LIST } }));
    for (const [name, flag] of [
      ['one', '--from-server'],
      ['two', '--tools'],
    ] as const) {
      const made = await mcpgen(['init', 'client', name, ...FLAGS, flag, 'list.json'], { cwd });
      expect([made.code, made.stderr]).toEqual([0, '']);
      const read = (file: string): string => readFileSync(path.join(cwd, name, file), 'utf8');
      expect(JSON.parse(read('tools.json'))).toEqual({ tools: LIST });
      expect(JSON.parse(read('mcpgen.config.json'))).toMatchObject({ tools: ['tools.json'] });
      expect(read('src/example.ts')).toMatch(/server\.getWeather\(\{\s+city: "some city",\s+\}\)/);
      expect(read('src/target.ts')).toContain('= [];');
      expect(read('src/arguments.ts')).not.toContain('defaultTarget');
    }
  });

  test('reads tools over HTTP from a URL', async () => {
    const cwd = temporaryFolder();
    const made = await mcpgen(
      ['init', 'client', 'demo', ...FLAGS, '--from-server', 'http://127.0.0.1:9/mcp', '--timeout', '5'],
      { cwd },
    );
    expect([made.code, listFiles(cwd)]).toEqual([2, []]);
    expect((await mcpgen(['init', 'client', 'demo', ...FLAGS], { cwd })).code).toBe(0);
    for (const name of ['tools.json', 'src/target.ts', 'src/example.ts', 'test/example.test.ts', 'src/generated/tools'])
      expect([name, existsSync(path.join(cwd, 'demo', name))]).toEqual([name, false]);
  });

  test('for a server leaves roots off unless they are requested', async () => {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, 'server.cjs'), serverOf(LIST));
    const handlersOf = async (name: string, ...more: readonly string[]): Promise<boolean> => {
      expect((await mcpgen(['init', 'client', name, ...FLAGS, ...more], { cwd })).code).toBe(0);
      return existsSync(path.join(cwd, name, 'src/handlers/roots.ts'));
    };
    const from = ['--from-server', 'node server.cjs'];
    expect(await handlersOf('plain')).toBe(true);
    expect(await handlersOf('given', ...from)).toBe(false);
    expect(await handlersOf('wanted', ...from, '--features', 'roots')).toBe(true);
    writeFileSync(path.join(cwd, 'list.json'), JSON.stringify(LIST));
    expect(await handlersOf('listed', '--tools', 'list.json')).toBe(false);
  });

  test.each<[string, readonly string[], RegExp]>([
    ['is missing', ['--from-server', 'no-such-program'], /no such command/],
    ['has a command that does not exist', ['--from-server', 'no-such-program x'], /hint: Install "no-such-program"/],
    [
      'has a module that does not exist',
      ['--from-server', 'node lost.cjs'],
      /: the connection is closed\n {2}a module is missing:\n {4}Error: Cannot find module 'no-such-module'\n.*hint: Install its dependencies/s,
    ],
    ['is nothing', ['--from-server', ' '], /its value is empty/],
    ['hangs', ['--from-server', 'node hangs.cjs', '--timeout', '2'], /timed out after 2 s/],
    ['crashes', ['--from-server', 'node crashes.cjs'], /the connection is closed\n {2}its log ends with:\n {4}no luck/],
    ['has no tools', ['--from-server', 'node empty.cjs'], /the server has no tools/],
    ['is a file that is not there', ['--tools', 'none.json'], /none\.json: no such file/],
    ['is a file without tools', ['--tools', 'empty.json'], /empty\.json.*no list of tools/],
    ['is given twice', ['--tools', 'a.json', '--from-server', 'x'], /a server and a file cannot be combined/],
    ['is reached otherwise', ['--from-server', 'x', '--transport', 'http'], /needs the transport stdio/],
  ])('a server that %s causes one error message', async (_, flags, message) => {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, 'hangs.cjs'), 'setInterval(() => 0, 1000)');
    writeFileSync(path.join(cwd, 'crashes.cjs'), 'console.error("no luck"); process.exit(3)');
    writeFileSync(path.join(cwd, 'lost.cjs'), 'require("no-such-module")');
    writeFileSync(path.join(cwd, 'empty.cjs'), serverOf([]));
    writeFileSync(path.join(cwd, 'empty.json'), '{}');
    const before = listFiles(cwd);
    const result = await mcpgen(['init', 'client', 'demo', ...FLAGS, ...flags], { cwd });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(message);
    expect(findInternals(result.stderr)).toEqual([]);
    expect(listFiles(cwd)).toEqual(before);
  });
});

describe('types tools where a config names tools', () => {
  async function project(): Promise<string> {
    const cwd = temporaryFolder();
    writeFileSync(
      path.join(cwd, 'mcpgen.config.json'),
      JSON.stringify({ out: 'out', revisions: ['2025-11-25'], emit: ['types'], tools: ['one.json', 'two.json'] }),
    );
    writeFileSync(path.join(cwd, 'one.json'), JSON.stringify(LIST));
    writeFileSync(path.join(cwd, 'two.json'), JSON.stringify([{ name: 'second' }]));
    writeFileSync(path.join(cwd, 'server.cjs'), serverOf([{ name: 'third', inputSchema: { type: 'object' } }]));
    expect((await mcpgen(['generate'], { cwd })).code).toBe(0);
    return cwd;
  }

  test('keeps the other lists of the config', async () => {
    const cwd = await project();
    const asked = await mcpgen(['types', 'tools', '--from-server', 'node server.cjs', '--save', 'two.json'], { cwd });
    expect([asked.code, asked.stderr]).toEqual([0, '']);
    const files = listFiles(path.join(cwd, 'out/tools')).filter((name) => name.endsWith('.ts'));
    expect(files).toEqual(['client.ts', 'get_weather.ts', 'index.ts', 'noop.ts', 'third.ts']);
    expect((await mcpgen(['generate', '--check'], { cwd })).code).toBe(0);
    expect((await mcpgen(['types', 'tools', 'one.json', '--check'], { cwd })).code).toBe(0);
  });

  test.each([
    ['kept nowhere', ['--from-server', 'node server.cjs'], /mcpgen\.config\.json: tools:.*\n.*--save FILE/],
    ['kept elsewhere', ['--from-server', 'node server.cjs', '--save', 'x.json'], /Add the file there/],
    ['another file', ['three.json'], /lists other tools/],
  ])('%s is rejected', async (_, args, message) => {
    const cwd = await project();
    writeFileSync(path.join(cwd, 'three.json'), '[]');
    const before = listFiles(cwd);
    const result = await mcpgen(['types', 'tools', ...args], { cwd });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(message);
    expect(listFiles(cwd)).toEqual(before);
    expect((await mcpgen(['types', 'tools', ...args, '--out', 'elsewhere'], { cwd })).code).toBe(0);
  });
});
