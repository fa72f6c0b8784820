import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import path from 'node:path';
import { Client as V2Client, StreamableHTTPClientTransport as V2Http } from '@modelcontextprotocol/client';
import { StdioClientTransport as V2Stdio } from '@modelcontextprotocol/client/stdio';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as V1Stdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { runStep, type Choice } from './support.js';

/** The inspector needs a newer Node than we do, so there is one among the packages. */
const NODE = path.join(path.dirname(createRequire(import.meta.url).resolve('node-22/package.json')), 'bin/node');
const INSPECTOR = path.resolve('node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');

const info = { name: 'visitor', version: '1.0.0' };

function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}

/** Talks to a project that is built as those do for whom it is meant. */
export async function converse(project: string, choice: Choice): Promise<void> {
  if (choice.kind === 'client') {
    await talkAsServer(project, choice);
    return;
  }
  const hasTools = choice.features.split(',').some((name) => name === 'tools');
  // The official client 1.x speaks what begins with a handshake.
  const isStateful = choice.revisions.some((revision) => revision < '2026');
  const isStateless = choice.revisions.includes('2026-07-28');
  if (choice.transport.includes('stdio')) {
    const server = {
      command: process.execPath,
      args: [path.join(project, 'dist/index.js')],
      stderr: 'ignore' as const,
    };
    if (isStateful) await talkAsV1Client('v1 over stdio', new V1Stdio(server), hasTools);
    await talkAsV2Client('v2 over stdio', new V2Stdio(server), hasTools, isStateful);
    if (hasTools && isStateful) inspect(server.command, server.args);
    expectPureOutput(server.args, isStateful);
  }
  if (choice.transport.includes('http')) {
    const { url, child } = await startServer(project);
    try {
      if (isStateful) await talkAsV1Client('v1 over HTTP', new V1Http(url), hasTools);
      if (isStateful || (isStateless && choice.runtime === 'none')) {
        await talkAsV2Client('v2 over HTTP', new V2Http(url), hasTools, isStateful);
      }
    } finally {
      child.kill('SIGTERM');
    }
  }
}

const GREETING = [{ type: 'text', text: 'Hello, Ann!' }];
const CALL = { name: 'greet', arguments: { name: 'Ann' } };

async function talkAsV1Client(what: string, transport: unknown, hasTools: boolean): Promise<void> {
  const client = new V1Client(info);
  await client.connect(transport as V1Stdio);
  if (hasTools) {
    const { tools } = await client.listTools();
    expectEqual(`${what}, first tool`, tools[0]?.name, 'greet');
    expectEqual(`${what}, call`, (await client.callTool(CALL)).content, GREETING);
  }
  await client.close();
}

async function talkAsV2Client(what: string, transport: unknown, hasTools: boolean, isStateful: boolean): Promise<void> {
  const client = new V2Client(info, isStateful ? {} : { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(transport as V2Stdio);
  if (hasTools) {
    const { tools } = await client.listTools();
    expectEqual(`${what}, first tool`, tools[0]?.name, 'greet');
    expectEqual(`${what}, call`, (await client.callTool(CALL)).content, GREETING);
  }
  await client.close();
}

function inspect(command: string, args: readonly string[]): void {
  const ask = (...words: readonly string[]): unknown => {
    const line = [INSPECTOR, '--cli', ...words, '--', command, ...args];
    const { status, stdout, stderr } = spawnSync(NODE, line, { encoding: 'utf8', timeout: 120_000 });
    if (status !== 0) throw new Error(`the inspector: ${stderr}${stdout}`);
    return JSON.parse(stdout);
  };
  const { tools } = ask('--method', 'tools/list') as { tools: readonly { name: string }[] };
  expectEqual('the inspector, first tool', tools[0]?.name, 'greet');
  const called = ask('--method', 'tools/call', '--tool-name', 'greet', '--tool-arg', 'name=Ann');
  expectEqual('the inspector, call', (called as { content: unknown }).content, GREETING);
}

/** Every line of standard output is a message, whatever comes in; the log goes to standard error. */
function expectPureOutput(args: readonly string[], isStateful: boolean): void {
  const params = isStateful
    ? { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info }
    : {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      };
  const method = isStateful ? 'initialize' : 'server/discover';
  const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\nthis is no message\n`;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { input, encoding: 'utf8', timeout: 60_000 });
  expectEqual('exit code at the end of input', status, 0);
  expectEqual('end of standard output', stdout.endsWith('\n'), true);
  const lines = stdout.slice(0, -1).split('\n');
  for (const line of lines) expectEqual('jsonrpc', (JSON.parse(line) as { jsonrpc: unknown }).jsonrpc, '2.0');
  expectEqual('answers', lines.length >= 1, true);
  expectEqual('log on standard error', stderr.includes('ready on standard input and output'), true);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Starts the HTTP server of a project. */
export async function startServer(project: string): Promise<{ readonly url: URL; readonly child: ChildProcess }> {
  const port = await freePort();
  const child = spawn(process.execPath, [path.join(project, 'dist/http.js')], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      if (log.includes('ready at')) resolve();
    });
    child.on('exit', (code) => {
      reject(new Error(`the server ended with ${code ?? 'a signal'}: ${log}`));
    });
  });
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), child };
}

/** Has a client list and call tools of a server of ours that speaks every revision. */
async function talkAsServer(project: string, { transport }: Choice): Promise<void> {
  const program = path.join(project, 'dist/index.js');
  const template = path.resolve('templates/server/src');
  const tsx = path.resolve('node_modules/tsx/dist/cli.mjs');
  const call = ['--call', 'greet', '--arguments', '{"name":"Ann"}'];
  const ways: { words: readonly string[]; child?: ChildProcess }[] = [];
  if (transport.includes('stdio')) ways.push({ words: ['--', process.execPath, tsx, path.join(template, 'index.ts')] });
  if (transport.includes('http')) {
    const port = await freePort();
    const child = spawn(process.execPath, [tsx, path.join(template, 'http.ts')], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await new Promise((resolve) => child.stderr.once('data', resolve));
    ways.push({ words: [`http://127.0.0.1:${port}/mcp`], child });
  }
  if (!existsSync(program)) throw new Error(`${program} is not there`);
  for (const { words, child } of ways) {
    try {
      const listed = await runStep(process.execPath, [program, ...words], project);
      expectEqual(`tools listed (${listed.output})`, [listed.code, listed.output.includes('greet: Greets')], [0, true]);
      const called = await runStep(process.execPath, [program, ...call, ...words], project);
      expectEqual(`tool called (${called.output})`, [called.code, called.output.includes('Hello, Ann!')], [0, true]);
    } finally {
      child?.kill('SIGTERM');
    }
  }
}
