/** Clients and servers whose calls are measured: ours, those of the official SDKs, and the least that anyone must do. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type * as OurClient from '../../generated/2025-11-25/client.js';
import type * as OurServer from '../../generated/2025-11-25/server.js';
import type * as OurMemory from '../../generated/runtime/memory.js';
import type * as OurStdio from '../../generated/runtime/stdio-client.js';
import { median } from './suite.js';

export const INFO = { name: 'bench', version: '1.0.0' };
const PARAMS = { name: 'echo', arguments: { text: 'hello world' } };

export type Medium = 'memory' | 'stdio';
/** Makes a call and checks its result; `close` ends what it needs. */
export interface Pair {
  readonly call: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** The checkout that is measured. */
const ROOT = process.env['BENCH_ROOT'] ?? path.resolve(import.meta.dirname, '../..');

/** The built file of a generated module, which is what users run. */
export function built(name: string, root = ROOT): string {
  return pathToFileURL(path.join(root, 'dist/generated', `${name}.js`)).href;
}

const textOf = (params: { readonly arguments?: Readonly<Record<string, unknown>> | undefined }): string =>
  String(params.arguments?.['text']);

type Deliver = (line: object) => void;

/** By hand: ids, a map of who waits, a microtask between the ends. No checks, no time limits, no cancellation. */
function floorInMemory(): Pair {
  const waiting = new Map<number, (result: unknown) => void>();
  let nextId = 1;
  const later = (receive: Deliver): Deliver => {
    let queue: object[] = [];
    const flush = (): void => {
      const all = queue;
      queue = [];
      for (const message of all) receive(message);
    };
    return (message) => {
      if (queue.length === 0) queueMicrotask(flush);
      queue.push(message);
    };
  };
  const toClient = later((message) => {
    const { id, result } = message as { readonly id: number; readonly result: unknown };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  const toServer = later((message) => {
    const { id, method, params } = message as {
      readonly id: number;
      readonly method: string;
      readonly params: typeof PARAMS;
    };
    if (method !== 'tools/call') throw new Error(method);
    toClient({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: textOf(params) }] } });
  });
  return {
    call: () =>
      new Promise((resolve) => {
        const id = nextId++;
        waiting.set(id, resolve);
        toServer({ jsonrpc: '2.0', id, method: 'tools/call', params: PARAMS });
      }),
    close: () => Promise.resolve(),
  };
}

/** By hand as well: lines out, lines in, with a write for each request. */
function bareLoop(server: string): Pair {
  const child = spawn(process.execPath, [server], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, (result: unknown) => void>();
  let nextId = 1;
  let rest = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { id, result } = JSON.parse(line) as { readonly id: number; readonly result: unknown };
      waiting.get(id)?.(result);
      waiting.delete(id);
    }
  });
  return {
    call: () =>
      new Promise((resolve) => {
        const id = nextId++;
        waiting.set(id, resolve);
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: PARAMS })}\n`);
      }),
    close: () =>
      new Promise((resolve) => {
        child.once('exit', () => {
          resolve();
        });
        child.stdin.end();
      }),
  };
}

async function ours(revision: string, medium: Medium, script: string): Promise<Pair> {
  const { createClient } = (await import(built(`${revision}/client`))) as typeof OurClient;
  const client = createClient({ info: INFO });
  if (medium === 'memory') {
    const { createServer } = (await import(built(`${revision}/server`))) as typeof OurServer;
    const { memoryPair } = (await import(built('runtime/memory'))) as typeof OurMemory;
    const server = createServer({
      info: INFO,
      handlers: { 'tools/call': (params) => ({ content: [{ type: 'text', text: textOf(params) }] }) },
    });
    const [one, other] = memoryPair();
    await Promise.all([server.connect(one), client.connect(other)]);
  } else {
    const { stdioClientTransport } = (await import(built('runtime/stdio-client'))) as typeof OurStdio;
    await client.connect(stdioClientTransport({ command: process.execPath, args: [script] }));
  }
  return { call: () => client.callTool(PARAMS), close: () => client.close() };
}

async function sdkV1(medium: Medium, script: string): Promise<Pair> {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const client = new Client(INFO);
  if (medium === 'memory') {
    const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js');
    const { CallToolRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    // Its `McpServer` would also validate the arguments, which ours does not.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    const { Server } = await import('@modelcontextprotocol/sdk/server/index.js');
    const server = new Server(INFO, { capabilities: { tools: {} } });
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
      content: [{ type: 'text', text: textOf(params) }],
    }));
    const [one, other] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(one), client.connect(other)]);
  } else {
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [script] }));
  }
  return { call: () => client.callTool(PARAMS), close: () => client.close() };
}

async function sdkV2(medium: Medium, script: string, isModern: boolean): Promise<Pair> {
  const { Client, InMemoryTransport } = await import('@modelcontextprotocol/client');
  const client = new Client(INFO, isModern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {});
  if (medium === 'memory') {
    const { Server } = await import('@modelcontextprotocol/server');
    const make = (): InstanceType<typeof Server> => {
      const server = new Server(INFO, { capabilities: { tools: {} } });
      server.setRequestHandler('tools/call', ({ params }) => ({ content: [{ type: 'text', text: textOf(params) }] }));
      return server;
    };
    const [one, other] = InMemoryTransport.createLinkedPair();
    if (isModern) {
      const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
      serveStdio(make, { transport: one });
    } else await make().connect(one);
    await client.connect(other);
  } else {
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [script] }));
  }
  return { call: () => client.callTool(PARAMS), close: () => client.close() };
}

export const PAIRS: Readonly<Record<string, (medium: Medium, script: string) => Pair | Promise<Pair>>> = {
  'by hand': floorInMemory,
  'bare loop': (_, script) => bareLoop(script),
  ours: (medium, script) => ours('2025-11-25', medium, script),
  'ours, 2026-07-28': (medium, script) => ours('2026-07-28', medium, script),
  'SDK v1': (medium, script) => sdkV1(medium, script),
  'SDK v2': (medium, script) => sdkV2(medium, script, false),
  'SDK v2, 2026-07-28': (medium, script) => sdkV2(medium, script, true),
};

async function runCalls(call: Pair['call'], count: number, inFlight: number): Promise<void> {
  let left = count;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
}

const WARM_UP_US = 2e6;

/** Microseconds that a call takes: of the processor in memory, on the clock where another process answers. */
async function timeOf(call: Pair['call'], medium: Medium, inFlight: number): Promise<number> {
  const time = async (count: number): Promise<number> => {
    const start = performance.now();
    const before = process.cpuUsage();
    await runCalls(call, count, inFlight);
    const { user, system } = process.cpuUsage(before);
    return medium === 'memory' ? user + system : (performance.now() - start) * 1000;
  };
  let count = 500;
  while ((await time(count)) < 8e4) count *= 2;
  // Both processes of a pair compile and recompile their code for a second or two, on a busy machine for longer.
  for (let warm = 0; warm < WARM_UP_US;) warm += await time(count);
  const samples: number[] = [];
  for (let sample = 0; sample < 5; sample += 1) samples.push((await time(count)) / count);
  return median(samples);
}

/** Microseconds of a call of a pair, one at a time and with 100 in flight. */
export async function measurePair(name: string, medium: Medium, script: string): Promise<readonly number[]> {
  const pair = await PAIRS[name]?.(medium, script);
  if (pair === undefined) throw new Error(`nothing is called ${name}`);
  const result = JSON.stringify(await pair.call());
  if (!result.includes('"text":"hello world"')) throw new Error(`${name} answers ${result}`);
  const times = [await timeOf(pair.call, medium, 1), await timeOf(pair.call, medium, 100)];
  await pair.close();
  return times;
}
