import { mkdirSync, writeFileSync } from 'node:fs';
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
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { importOutput } from '../support/import-output.js';
import { compileOutput, findHiddenCharacters } from '../support/hostile.js';
import { LIST, sources, NARROWING } from './client-support.js';

afterAll(removeTemporaryFolders);

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
