/** Servers whose schemas are next to their tools: what their author runs, and calls by both official clients. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import path from 'node:path';
import { Client as V2Client, StreamableHTTPClientTransport as V2Http } from '@modelcontextprotocol/client';
import { StdioClientTransport as V2Stdio } from '@modelcontextprotocol/client/stdio';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as V1Stdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { itemsOf, shareOfToday, shareText } from '../support/today.js';
import { ALL_FEATURES, runScripts, shareModules } from './support.js';

/** What an author fills in, for each library: the schema that `add tool` writes, and the schemas of a forecast. */
const LIBRARIES = {
  zod: {
    empty: 'z.object({})',
    input: 'z.object({ city: z.string().min(2), days: z.int().max(7).default(3) })',
    output: 'z.object({ city: z.string(), temperatures: z.array(z.number()) })',
  },
  valibot: {
    empty: 'toStandardJsonSchema(v.object({}))',
    input:
      'toStandardJsonSchema(v.object({ city: v.pipe(v.string(), v.minLength(2)), days: v.optional(v.pipe(v.number(), v.integer(), v.maxValue(7)), 3) }))',
    output: 'toStandardJsonSchema(v.object({ city: v.string(), temperatures: v.array(v.number()) }))',
  },
  arktype: {
    empty: 'type({})',
    input: 'type({ city: "string >= 2", days: "number.integer <= 7 = 3" })',
    output: 'type({ city: "string", temperatures: "number[]" })',
  },
};

/** The part of both official clients that is used here. */
interface OfficialClient {
  listTools(): Promise<{ tools: { name: string; inputSchema: object; outputSchema?: object | undefined }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<object>;
  getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<object>;
  close(): Promise<void>;
}

const INFO = { name: 'visitor', version: '1.0.0' };

let folder = '';
beforeAll(() => {
  folder = temporaryFolder();
  shareModules(folder);
});
afterAll(removeTemporaryFolders);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Each library takes more than a minute. */
const SHARE = shareOfToday(3);
const TODAY = itemsOf(['zod', 'valibot', 'arktype'] as const, SHARE);

describe.each(TODAY)(`a server with schemas in %s, ${shareText(SHARE)}`, (library) => {
  const { empty, input, output } = LIBRARIES[library];
  let project = '';
  let http: ChildProcess | undefined;
  let url = new URL('http://127.0.0.1');

  beforeAll(async () => {
    const flags = ['--schemas', library, '--features', ALL_FEATURES.server, '--transport', 'stdio,http'];
    const made = await mcpgen(['init', 'server', library, '--yes', '--no-install', '--no-git', ...flags], {
      cwd: folder,
    });
    expect(made).toMatchObject({ code: 0, stderr: '' });
    project = path.join(folder, library);
    for (const kind of ['tool', 'prompt'])
      expect(await mcpgen(['add', kind, `new-${kind}`], { cwd: project })).toMatchObject({ code: 0, stderr: '' });
    expect(await mcpgen(['add', 'tool', 'forecast'], { cwd: project })).toMatchObject({ code: 0, stderr: '' });
  });
  afterAll(() => {
    http?.kill('SIGTERM');
  });

  test('passes what its author runs, with additions that are not filled in', { timeout: 300_000 }, async () => {
    for (const { command, code, output: text } of await runScripts(project))
      expect([command, code, text]).toEqual([command, 0, expect.any(String)]);
  });

  test('builds with a tool that is filled in, and starts over HTTP', async () => {
    const file = path.join(project, 'src/tools/forecast.ts');
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(`inputSchema(${empty})`);
    const filled = text
      .replace(`inputSchema(${empty})`, `inputSchema(${input}),\n  output: outputSchema(${output})`)
      .replace('import { inputSchema }', 'import { inputSchema, outputSchema }')
      .replace(
        /run: [^]*\n\}\);/,
        'run: ({ city, days }) => ({ structuredContent: { city, temperatures: Array<number>(days).fill(20) } }),\n});',
      );
    writeFileSync(file, filled);
    for (const { command, code, output: printed } of await runScripts(project, ['build']))
      expect([command, code, printed]).toEqual([command, 0, expect.any(String)]);
    const port = await freePort();
    url = new URL(`http://127.0.0.1:${port}/mcp`);
    http = spawn(process.execPath, [path.join(project, 'dist/http.js')], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await once(http.stderr ?? http, 'data');
  });

  const program = (): { command: string; args: string[]; stderr: 'ignore' } => ({
    command: process.execPath,
    args: [path.join(project, 'dist/index.js')],
    stderr: 'ignore',
  });
  const CONNECT: Readonly<Record<string, () => Promise<OfficialClient>>> = {
    'v1 over stdio': async () => v1(new V1Stdio(program())),
    'v1 over HTTP': async () => v1(new V1Http(url)),
    'v2 over stdio': async () => v2(new V2Stdio(program())),
    'v2 over HTTP': async () => v2(new V2Http(url)),
    'v2 over stdio, in 2026-07-28': async () => v2(new V2Stdio(program()), '2026-07-28'),
    'v2 over HTTP, in 2026-07-28': async () => v2(new V2Http(url), '2026-07-28'),
  };

  describe.each(Object.keys(CONNECT))('for the official client %s', (how) => {
    let client: OfficialClient | undefined;
    const connected = (): OfficialClient => {
      if (client === undefined) throw new Error(`${how} is not connected`);
      return client;
    };
    beforeAll(async () => {
      client = await CONNECT[how]?.();
    });
    afterAll(() => client?.close());

    test('lists JSON Schema 2020-12, the default dialect since 2025-11-25', async () => {
      const { tools } = await connected().listTools();
      expect(tools.map(({ name }) => name)).toContain('forecast');
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      for (const { name, inputSchema, outputSchema } of tools) {
        for (const schema of [inputSchema, outputSchema ?? { type: 'object' }]) {
          expect([name, ajv.validateSchema(schema), ajv.errors]).toEqual([name, true, null]);
          expect([name, { $schema: DIALECT, ...schema }]).toMatchObject([name, { $schema: DIALECT, type: 'object' }]);
        }
      }
      expect(tools.find(({ name }) => name === 'forecast')).toMatchObject({
        inputSchema: {
          $schema: DIALECT,
          properties: { city: { type: 'string', minLength: 2 }, days: { type: 'integer', maximum: 7 } },
          required: ['city'],
        },
        outputSchema: {
          $schema: DIALECT,
          properties: { temperatures: { type: 'array', items: { type: 'number' } } },
          required: ['city', 'temperatures'],
        },
      });
    });

    test('answers a call with structured content, and applies defaults', async () => {
      expect(await connected().callTool({ name: 'forecast', arguments: { city: 'Graz' } })).toMatchObject({
        structuredContent: { city: 'Graz', temperatures: [20, 20, 20] },
        content: [{ type: 'text', text: '{"city":"Graz","temperatures":[20,20,20]}' }],
      });
    });

    test.each([
      [{ city: 'Graz', days: 9 }, /^Invalid arguments: \/days is wrong: /],
      [{ days: 1 }, /^Invalid arguments: \/city is missing: /],
    ])('answers a call with %j with an error that names the argument', async (args, text) => {
      expect(await connected().callTool({ name: 'forecast', arguments: args })).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: expect.stringMatching(text) as string }],
      });
    });

    test('renders a prompt', async () => {
      const introduce = (args: Record<string, string>): Promise<object> =>
        connected().getPrompt({ name: 'introduce', arguments: args });
      expect(await introduce({ name: 'Ann' })).toMatchObject({
        messages: [{ content: { text: 'Write an introduction of Ann, in a friendly tone and three sentences.' } }],
      });
      await expect(introduce({})).rejects.toThrow('Missing argument: name');
    });
  });
});

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

async function v1(transport: V1Stdio | V1Http): Promise<OfficialClient> {
  const client = new V1Client(INFO);
  await client.connect(transport);
  return client;
}

/** @param revision - One without `initialize`; else the newest that begins with it. */
async function v2(transport: V2Stdio | V2Http, revision?: string): Promise<OfficialClient> {
  const client = new V2Client(INFO, revision === undefined ? {} : { versionNegotiation: { mode: { pin: revision } } });
  await client.connect(transport);
  expect(client.getNegotiatedProtocolVersion()).toBe(revision ?? '2025-11-25');
  return client;
}
