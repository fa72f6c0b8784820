import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { argumentsOf } from '../../generator/commands/servers/call.js';
import type { JsonObject } from '../../generator/read/json/json.js';
import { listFiles, removeTemporaryFolders, temporaryFolder, type Run } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { PLAIN } from './server-support.js';

afterAll(removeTemporaryFolders);

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]).toString('base64');

/** A server of 2025-11-25 with a few tools. */
const SERVER = `
const tools = [
  { name: "add", description: "Adds \\u001b[31mtwo\\u001b[0m numbers", inputSchema: { type: "object",
    properties: { a: { type: "number", description: "First" }, b: { type: "integer" } }, required: ["a"] },
    outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] } },
  { name: "fail", inputSchema: { type: "object" } },
  { name: "media", inputSchema: { type: "object" } },
  { name: "escape", inputSchema: { type: "object" } },
  { name: "liar", inputSchema: { type: "object" }, outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } },
  { name: "ask", inputSchema: { type: "object" } },
  { name: "env", inputSchema: { type: "object" } },
  { name: "slow", inputSchema: { type: "object" } },
  { name: "leak", inputSchema: { type: "object", properties: { key: { type: "string", pattern: "(" + process.env.API_KEY + "+)+$" } } } },
];
const text = (t) => ({ content: [{ type: "text", text: t }] });
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
let asked;
const calls = {
  add: ({ a, b = 0 }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  fail: () => ({ ...text("no luck"), isError: true }),
  media: () => ({ content: [
    { type: "image", data: "${PNG}", mimeType: "image/png" },
    { type: "resource", resource: { uri: "file:///../../etc/x", blob: "${PNG}", mimeType: "../../x" } },
    { type: "resource", resource: { uri: "file:///t", text: "inside" } },
    { type: "resource_link", uri: "file:///l", name: "l" } ] }),
  escape: () => text("a\\u001b]0;owned\\u0007b\\n\\u001b[31mred\\tc"),
  liar: () => ({ content: [], structuredContent: { n: "x" } }),
  env: () => text("key " + process.env.API_KEY),
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) { send({ id: asked, result: text(JSON.stringify(result)) }); return; }
  if (id === undefined) return;
  if (method === "initialize") send({ id, result: { protocolVersion: "2025-11-25", serverInfo: { name: "demo", version: "1.2" },
    capabilities: { tools: {}, resources: {}, prompts: {} } } });
  else if (method === "tools/list") send({ id, result: { tools } });
  else if (method === "resources/list") send({ id, result: { resources: [{ uri: "file:///a", name: "a", description: "A file" }] } });
  else if (method === "prompts/list") send({ id, result: { prompts: [{ name: "intro", arguments: [{ name: "who", required: true }] }] } });
  else if (method === "tools/call" && params.name === "ask") {
    asked = id;
    send({ id: "q", method: "elicitation/create", params: { message: "Sure?", requestedSchema: { type: "object", properties: { ok: { type: "boolean" } } } } });
  } else if (method === "tools/call" && params.name === "leak") {
    const message = "key " + process.env.API_KEY;
    send({ method: "notifications/progress", params: { progressToken: params._meta.progressToken, progress: 1, message } });
    asked = id;
    send({ id: "q", method: "elicitation/create", params: { message, requestedSchema: { type: "object", properties: {} } } });
  } else if (method === "tools/call" && params.name === "slow") {
    send({ method: "notifications/progress", params: { progressToken: params._meta.progressToken, progress: 1, total: 2, message: "half" } });
    send({ id, result: text("done") });
  } else if (method === "tools/call") send({ id, result: calls[params.name](params.arguments) });
  else send({ id, error: { code: -32601, message: "unknown" } });
});`;

const folder = temporaryFolder();
const file = path.join(folder, 'server.cjs');
writeFileSync(file, SERVER);
const server = `"${process.execPath}" "${file}"`;

const run = async (...args: readonly string[]): Promise<Run> =>
  mcpgen(args, { cwd: folder, env: { ...PLAIN, MY_KEY: 's3cr3t-0123456789' } });

describe('ls', () => {
  test('prints tools with arguments, resources and prompts', async () => {
    const { code, stdout, stderr } = await run('ls', server, '-r', '2025-11-25');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('demo 1.2, MCP 2025-11-25');
    expect(stdout).toContain('\n  add  Adds \\u001b[31mtwo\\u001b[0m numbers\n    a: number  First\n    b?: integer\n');
    expect(stdout).toContain('\nResources\n  file:///a  A file\n\nPrompts\n  intro\n    who\n');
  });

  test('takes the command after --', async () => {
    const { code, stdout } = await run('ls', '-r', '2025-11-25', '--', process.execPath, file);
    expect([code, stdout]).toEqual([0, expect.stringContaining('demo 1.2, MCP 2025-11-25')]);
    const { code: refused, stderr } = await run('ls', '--');
    expect([refused, stderr]).toEqual([2, expect.stringContaining('the server is missing')]);
  });

  test('--json prints the lists', async () => {
    const { code, stdout } = await run('ls', server, '--json', '-r', '2025-11-25');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      revision: '2025-11-25',
      server: { name: 'demo' },
      tools: { length: 9 },
      resourceTemplates: [],
      prompts: [{ name: 'intro' }],
    });
  });

  test('finds a server by its name in the file of a host', async () => {
    const config = { mcpServers: { mine: { command: process.execPath, args: ['server.cjs'] } } };
    writeFileSync(path.join(folder, '.mcp.json'), JSON.stringify(config));
    expect((await run('ls', 'mine', '--mcp-config', '.mcp.json')).stdout).toContain('demo 1.2');
    expect((await run('ls', 'mime', '--mcp-config', '.mcp.json')).stderr).toContain('hint: Did you mean "mine"?');
  });
});

describe('call', () => {
  const call = async (...args: readonly string[]): Promise<Run> => run('call', server, ...args, '-r', '2025-11-25');

  test('converts arguments and prints text', async () => {
    expect(await call('add', '--arg', 'a=1.5', '--arg', 'b=2')).toEqual({ code: 0, stdout: '3.5\n', stderr: '' });
  });

  test('takes the command of the server after --', async () => {
    const args = ['add', '--arg', 'a=1.5', '--arg', 'b=2', '-r', '2025-11-25'];
    expect(await run('call', ...args, '--', process.execPath, file)).toEqual({ code: 0, stdout: '3.5\n', stderr: '' });
  });

  test('--json prints the structured content', async () => {
    const { code, stdout } = await call('add', '--args', '{"a": 1}', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, { sum: 1 }]);
  });

  test('exits with 1 if the tool failed', async () => {
    expect(await call('fail')).toEqual({ code: 1, stdout: 'no luck\n', stderr: 'error: fail: the tool failed\n' });
  });

  test.each<[readonly string[], string]>([
    [
      ['add', '--arg', 'a=x'],
      '--arg a: must be a number, not "x"\nhint: mcpgen ls prints the arguments of each tool.\n',
    ],
    [['add', '--arg', 'b=1'], 'add: invalid arguments: '],
    [['add', '--args', '{"a": "1"}'], 'add: invalid arguments: /a'],
    [['add', '--args', '[1]'], '--args: must be a JSON object'],
    [['add', '--args', '{}', '--arg', 'a=1'], '--args: --args and --arg cannot be combined'],
    [['ad'], 'ad: the server has no such tool\nhint: Did you mean "add"?'],
    [['liar'], 'liar: the result has invalid structured content'],
  ])('%j is an error', async (args, message) => {
    const { code, stderr } = await call(...args);
    expect(stderr).toContain(`error: ${message}`);
    expect(code).toBe(2);
  });

  test('saves images and files under names that mcpgen chooses', async () => {
    const { code, stdout } = await call('media', '--out', 'saved');
    expect(code).toBe(0);
    expect(stdout).toBe('saved: saved/result-1.png\nsaved: saved/result-2.bin\ninside\nresource: file:///l\n');
    expect(readFileSync(path.join(folder, 'saved/result-1.png')).toString('base64')).toBe(PNG);
    await call('media', '--out', 'saved');
    expect(listFiles(path.join(folder, 'saved'))).toHaveLength(4);
  });

  test('neutralizes terminal escapes', async () => {
    expect((await call('escape')).stdout).toBe('a\\u001b]0;owned\\u0007b\n\\u001b[31mred\tc\n');
  });

  test('declines questions outside a terminal', async () => {
    const { code, stdout, stderr } = await call('ask');
    expect([code, stdout]).toEqual([0, '{"action":"decline"}\n']);
    expect(stderr).toBe('the server asks: Sure? (declined: not running in a terminal)\n');
  });

  test('shows progress on standard error', async () => {
    expect(await call('slow')).toEqual({ code: 0, stdout: 'done\n', stderr: '1 of 2: half\n' });
  });

  test('removes credentials from progress, questions and warnings', async () => {
    const { code, stderr } = await call('leak', '--arg', 'key=x', '--env', 'API_KEY=${MY_KEY}');
    expect(stderr).toContain('1: key ***\n');
    expect(stderr).toContain('the server asks: key *** (declined');
    expect(stderr).toContain('(***+)+$');
    expect(stderr).not.toContain('s3cr3t');
    expect(code).toBe(0);
  });

  test('a folder for results that is a file is an error', async () => {
    const { code, stderr } = await call('media', '--out', 'server.cjs');
    expect([code, stderr]).toEqual([
      2,
      'error: server.cjs: cannot be written (EEXIST)\nhint: Choose another folder with --out.\n',
    ]);
  });

  test('removes credentials from a result', async () => {
    expect((await call('env', '--env', 'API_KEY=${MY_KEY}')).stdout).toBe('key ***\n');
  });
});

test('arguments are converted by the types of the schema', () => {
  const properties = {
    text: { type: 'string' },
    flag: { type: 'boolean' },
    list: { type: 'array', items: { type: 'integer' } },
    object: { $ref: '#/$defs/object' },
    choice: { enum: ['a', 'b'] },
    maybe: { anyOf: [{ type: 'number' }, { type: 'null' }] },
  };
  const tool = { inputSchema: { type: 'object', properties, $defs: { object: { type: 'object' } } } };
  const given = [
    'text=1=2',
    'flag=true',
    'list=1',
    'list=2',
    'object={"a":1}',
    'choice=b',
    'maybe=null',
    'more=[1]',
    'word=x',
  ];
  expect(argumentsOf(tool, given)).toEqual({
    text: '1=2',
    flag: true,
    list: [1, 2],
    object: { a: 1 },
    choice: 'b',
    maybe: null,
    more: [1],
    word: 'x',
  });
});

test.each(['9007199254740993', '-9007199254740993', '1e999'])(
  'a number that JavaScript rounds is an error: %s',
  (text) => {
    const tool = (type: unknown): JsonObject => ({
      inputSchema: { type: 'object', properties: { id: { type } } } as unknown as JsonObject,
    });
    expect(() => argumentsOf(tool('integer'), [`id=${text}`])).toThrow(
      expect.objectContaining({ message: `cannot be sent exactly: ${text}`, place: '--arg id' }),
    );
    expect(argumentsOf(tool(['integer', 'string']), [`id=${text}`])).toEqual({ id: text });
    expect(argumentsOf(tool('integer'), ['id=9007199254740991'])).toEqual({ id: Number.MAX_SAFE_INTEGER });
    expect(argumentsOf(tool('integer'), ['id=9007199254740994'])).toEqual({ id: 9_007_199_254_740_994 });
  },
);
