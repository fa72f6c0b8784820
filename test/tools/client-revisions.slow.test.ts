import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { renderAll } from '../../generator/index.js';
import { listFiles, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { compileOutput, findInternals } from '../support/hostile.js';
import { LIST, sources, NARROWING } from './client-support.js';

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

afterAll(removeTemporaryFolders);

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
