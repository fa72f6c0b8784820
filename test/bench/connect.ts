/**
 * Benchmarks of client and server, for `npm run bench:connect`: `tools/call` one at a time and with 100 in flight, in
 * memory and over stdio, against pairs of the official SDKs and the least that anyone must do; and how long a stdio
 * server takes from nothing to its first answer.
 *
 * Each is measured in a separate process, in turns, and the best of all runs counts, since a busy machine only ever
 * adds. `npm run bench:connect -- --runs 5` makes more than 3 rounds.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type * as OurClient from '../../generated/2025-11-25/client.js';
import type * as OurServer from '../../generated/2025-11-25/server.js';
import type * as OurMemory from '../../generated/runtime/memory.js';
import type * as OurStdio from '../../generated/runtime/stdio-client.js';

const root = path.resolve(import.meta.dirname, '../..');
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const IN_FLIGHT = 100;
const INFO = { name: 'bench', version: '1.0.0' };
const PARAMS = { name: 'echo', arguments: { text: 'hello world' } };

type Medium = 'memory' | 'stdio';
/** Makes a call and checks its result; `close` ends what it needs. */
interface Pair {
  readonly call: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** The built file of a generated module, which is what users run. */
function built(name: string): string {
  return pathToFileURL(path.join(root, 'dist/generated', `${name}.js`)).href;
}

const textOf = (params: { readonly arguments?: Readonly<Record<string, unknown>> | undefined }): string =>
  String(params.arguments?.['text']);

// The servers that are run as processes: plain JavaScript, so that no compiler is measured.

const ANSWER = `({ content: [{ type: 'text', text: String(params.arguments.text) }] })`;

/** The least that answers: lines in, lines out, with a write for each, or one for all answers to a piece of input. */
const bareServer = (joins: boolean): string => `
let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  let out = '';
  for (const line of lines) {
    const { id, params } = JSON.parse(line);
    out += JSON.stringify({ jsonrpc: '2.0', id, result: params.arguments === undefined ? {} : ${ANSWER} }) + '\\n';
    ${joins ? '' : "process.stdout.write(out); out = '';"}
  }
  ${joins ? 'process.stdout.write(out);' : ''}
});
`;

const ourServer = (revision: string): string => `
import { createServer } from ${JSON.stringify(built(`${revision}/server`))};
import { stdioServerTransport } from ${JSON.stringify(built('runtime/stdio-server'))};
const server = createServer({ info: ${JSON.stringify(INFO)}, handlers: { 'tools/call': (params) => ${ANSWER} } });
await server.connect(stdioServerTransport());
`;

const SERVERS: Readonly<Record<string, () => string>> = {
  'bare loop': () => bareServer(false),
  'bare loop, joined writes': () => bareServer(true),
  ours: () => ourServer('2025-11-25'),
  'ours, 2026-07-28': () => ourServer('2026-07-28'),
  'SDK v1': () => `
import { Server } from ${JSON.stringify(import.meta.resolve('@modelcontextprotocol/sdk/server/index.js'))};
import { StdioServerTransport } from ${JSON.stringify(import.meta.resolve('@modelcontextprotocol/sdk/server/stdio.js'))};
import { CallToolRequestSchema } from ${JSON.stringify(import.meta.resolve('@modelcontextprotocol/sdk/types.js'))};
const server = new Server(${JSON.stringify(INFO)}, { capabilities: { tools: {} } });
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ${ANSWER});
await server.connect(new StdioServerTransport());
`,
  'SDK v2': () => `
import { Server } from ${JSON.stringify(import.meta.resolve('@modelcontextprotocol/server'))};
import { StdioServerTransport } from ${JSON.stringify(import.meta.resolve('@modelcontextprotocol/server/stdio'))};
const server = new Server(${JSON.stringify(INFO)}, { capabilities: { tools: {} } });
server.setRequestHandler('tools/call', ({ params }) => ${ANSWER});
await server.connect(new StdioServerTransport());
`,
  'SDK v2, 2026-07-28': () => `
import { Server } from ${JSON.stringify(import.meta.resolve('@modelcontextprotocol/server'))};
import { serveStdio } from ${JSON.stringify(import.meta.resolve('@modelcontextprotocol/server/stdio'))};
serveStdio(() => {
  const server = new Server(${JSON.stringify(INFO)}, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', ({ params }) => ${ANSWER});
  return server;
});
`,
};

// The pairs.

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

/** By hand as well: lines out, lines in, with a write for each request, or one write for a whole burst. */
function bareLoop(server: string, joins: boolean): Pair {
  const child = spawn(process.execPath, [server], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, (result: unknown) => void>();
  let nextId = 1;
  let rest = '';
  let out = '';
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
  const flush = (): void => {
    child.stdin.write(out);
    out = '';
  };
  return {
    call: () =>
      new Promise((resolve) => {
        const id = nextId++;
        waiting.set(id, resolve);
        const isFirst = out === '';
        out += `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: PARAMS })}\n`;
        if (!joins) flush();
        else if (isFirst) process.nextTick(flush);
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

/** The baselines that all others are compared with. */
const FLOORS: Readonly<Record<Medium, string>> = { memory: 'by hand', stdio: 'bare loop' };

const PAIRS: Readonly<Record<string, (medium: Medium, script: string) => Pair | Promise<Pair>>> = {
  'by hand': floorInMemory,
  'bare loop': (_, script) => bareLoop(script, false),
  'bare loop, joined writes': (_, script) => bareLoop(script, true),
  ours: (medium, script) => ours('2025-11-25', medium, script),
  'ours, 2026-07-28': (medium, script) => ours('2026-07-28', medium, script),
  'SDK v1': (medium, script) => sdkV1(medium, script),
  'SDK v2': (medium, script) => sdkV2(medium, script, false),
  'SDK v2, 2026-07-28': (medium, script) => sdkV2(medium, script, true),
};

// Measuring, in a separate process.

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

/** Microseconds that a call takes: of the processor in memory, on the clock where another process answers. */
async function measure(call: Pair['call'], medium: Medium, inFlight: number): Promise<number> {
  const time = async (count: number): Promise<number> => {
    const start = performance.now();
    const before = process.cpuUsage();
    await runCalls(call, count, inFlight);
    const { user, system } = process.cpuUsage(before);
    return medium === 'memory' ? user + system : (performance.now() - start) * 1000;
  };
  let count = 500;
  while ((await time(count)) < 1e5) count *= 2;
  let best = Number.POSITIVE_INFINITY;
  for (let sample = 0; sample < 8; sample += 1) best = Math.min(best, (await time(count)) / count);
  return best;
}

async function measurePair(name: string, medium: Medium, script: string): Promise<void> {
  const pair = await PAIRS[name]?.(medium, script);
  if (pair === undefined) throw new Error(`nothing is called ${name}`);
  const result = JSON.stringify(await pair.call());
  if (!result.includes('"text":"hello world"')) throw new Error(`${name} answers ${result}`);
  const sequential = await measure(pair.call, medium, 1);
  const concurrent = await measure(pair.call, medium, IN_FLIGHT);
  process.stdout.write(JSON.stringify([sequential, concurrent]));
  await pair.close();
  process.exit();
}

// What the user sees.

function printTable(title: string, rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  process.stdout.write(`\n${title}\n${rows.map((row) => `  ${line(row)}\n`).join('')}`);
}

function throughput(medium: Medium, scripts: ReadonlyMap<string, string>, runs: number): void {
  const floor = FLOORS[medium];
  const isFloor = (name: string): boolean => Object.values(FLOORS).some((item) => name.startsWith(item));
  const names = Object.keys(PAIRS).filter((name) => name.startsWith(floor) || !isFloor(name));
  const best = new Map(names.map((name) => [name, [Infinity, Infinity] as [number, number]]));
  for (let round = 0; round < runs; round += 1) {
    for (const name of names) {
      const args = ['--import', TSX, import.meta.filename, '--pair', name, medium, scripts.get(name) ?? ''];
      const run = spawnSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
      if (run.status !== 0) throw new Error(`${name}, ${medium}: exit code ${String(run.status)}`);
      const [sequential, concurrent] = JSON.parse(run.stdout) as [number, number];
      const so = best.get(name) ?? [Infinity, Infinity];
      best.set(name, [Math.min(so[0], sequential), Math.min(so[1], concurrent)]);
    }
  }
  const of = (name: string, column: 0 | 1): number => best.get(name)?.[column] ?? NaN;
  const cells = (name: string, column: 0 | 1): string[] => [
    of(name, column).toFixed(2),
    (of(floor, column) / of(name, column)).toFixed(2),
    (of('SDK v1', column) / of(name, column)).toFixed(1),
  ];
  const unit = medium === 'memory' ? 'processor us' : 'us';
  printTable(`tools/call, ${medium === 'memory' ? 'in memory' : 'over stdio'}: best of ${runs} processes each`, [
    ['', `${unit} a call`, `of ${floor}`, 'times v1', `with ${IN_FLIGHT} in flight`, `of ${floor}`, 'times v1'],
    ...names.map((name) => [name, ...cells(name, 0), ...cells(name, 1)]),
  ]);
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO },
};
const DISCOVER = {
  jsonrpc: '2.0',
  id: 1,
  method: 'server/discover',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': INFO,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};

/** Milliseconds from the start of a process to its first answer; without a question, to its end. */
function firstAnswer(args: readonly string[], question: object | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    let time = 0;
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes('\n')) return;
      time = performance.now() - start;
      if (!text.includes('"result"')) reject(new Error(`${args.join(' ')} answers ${text}`));
      child.stdin.end();
      child.kill();
    });
    child.on('exit', () => {
      if (question === undefined) resolve(performance.now() - start);
      else if (time === 0) reject(new Error(`${args.join(' ')} gave no answer`));
      else resolve(time);
    });
    if (question !== undefined) child.stdin.write(`${JSON.stringify(question)}\n`);
  });
}

async function coldStart(scripts: ReadonlyMap<string, string>, runs: number): Promise<void> {
  const NODE = 'node -e 0';
  const names = [NODE, ...scripts.keys()];
  const best = new Map<string, number>();
  // More than of the others, since each takes so little.
  for (let round = 0; round < runs * 4; round += 1) {
    for (const name of names) {
      const script = scripts.get(name);
      const question = name === NODE ? undefined : name.includes('2026') ? DISCOVER : INITIALIZE;
      const time = await firstAnswer(script === undefined ? ['-e', '0'] : [script], question);
      best.set(name, Math.min(best.get(name) ?? Infinity, time));
    }
  }
  const of = (name: string): number => best.get(name) ?? NaN;
  printTable(`A stdio server, from nothing to its first answer: best of ${runs * 4} processes each`, [
    ['', 'ms', 'more than bare Node', 'of v1'],
    ...names.map((name) => [
      name,
      of(name).toFixed(0),
      (of(name) - of(NODE)).toFixed(0),
      (of(name) / of('SDK v1')).toFixed(2),
    ]),
  ]);
}

function versionOf(name: string): string {
  const file = path.join(root, 'node_modules', name, 'package.json');
  return `${name} ${(JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version}`;
}

async function main(): Promise<void> {
  const runs = Math.max(1, Number(process.argv[process.argv.indexOf('--runs') + 1]) || 3);
  const load = os.loadavg().map((value) => value.toFixed(1));
  process.stdout.write(
    `Node ${process.version}, ${os.cpus().length} processors, load ${load.join(' ')}, ` +
      `${versionOf('@modelcontextprotocol/sdk')}, ${versionOf('@modelcontextprotocol/server')}\n`,
  );
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-bench-'));
  try {
    const scripts = new Map(
      Object.entries(SERVERS).map(([name, text], index) => {
        const file = path.join(scratch, `server-${index}.mjs`);
        writeFileSync(file, text());
        return [name, file];
      }),
    );
    throughput('memory', scripts, runs);
    throughput('stdio', scripts, runs);
    await coldStart(scripts, runs);
    process.stdout.write(
      '\n  (aims: in memory 10 times v1 and a third of what is done by hand; over stdio 0.8 of the bare loop; first answer within 60 ms of bare Node)\n',
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const at = process.argv.indexOf('--pair');
const [name = '', medium = '', script = ''] = process.argv.slice(at + 1);
if (at === -1) await main();
else await measurePair(name, medium as Medium, script);
