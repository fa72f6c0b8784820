/** `tools/call` in memory and over stdio, and the time of a stdio server from nothing to its first answer. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { built, INFO, type Medium } from './pairs.js';
import type { Bench, Contender, Race, Suite } from './suite.js';

// The servers that are run as processes: plain JavaScript, so that no compiler is measured.

const ANSWER = `({ content: [{ type: 'text', text: String(params.arguments.text) }] })`;

/** The least that answers: lines in, lines out, with a write for each. */
const BARE_SERVER = `
let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const { id, params } = JSON.parse(line);
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: ${ANSWER} }) + '\\n');
  }
});
`;

const ourServer = (revision: string, root: string | undefined): string => `
import { createServer } from ${JSON.stringify(built(`${revision}/server`, root))};
import { stdioServerTransport } from ${JSON.stringify(built('runtime/stdio-server', root))};
const server = createServer({ info: ${JSON.stringify(INFO)}, handlers: { 'tools/call': (params) => ${ANSWER} } });
await server.connect(stdioServerTransport());
`;

/** The programs; ours with the built files of a checkout. */
export const SERVERS: Readonly<Record<string, (root?: string) => string>> = {
  'bare loop': () => BARE_SERVER,
  ours: (root) => ourServer('2025-11-25', root),
  'ours, 2026-07-28': (root) => ourServer('2026-07-28', root),
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

/** Writes the programs of all servers, and returns their files. */
function writeServers({ scratch, root }: Bench): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(SERVERS).map(([name, text], index) => {
      const file = path.join(scratch, `server-${index}.mjs`);
      writeFileSync(file, text(root));
      return [name, file];
    }),
  );
}

const OF_BOTH_KINDS = ['ours', 'ours, 2026-07-28', 'SDK v1', 'SDK v2', 'SDK v2, 2026-07-28'];

function racesOf(floor: string, aims: readonly (readonly [number, number])[]): readonly Race[] {
  const [stateful, stateless] = aims.map((pair) => pair.map((speed) => ({ speed })));
  return [
    { title: '2025-11-25', floor, ours: 'ours', peers: ['SDK v1', 'SDK v2'], aims: stateful ?? [] },
    { title: '2026-07-28', floor, ours: 'ours, 2026-07-28', peers: ['SDK v2, 2026-07-28'], aims: stateless ?? [] },
  ];
}

function contendersOf(bench: Bench, medium: Medium, names: readonly string[]): Record<string, Contender> {
  const scripts = medium === 'stdio' ? writeServers(bench) : new Map<string, string>();
  return Object.fromEntries(
    names.map((name) => [name, () => bench.measure('calls', { name, medium, script: scripts.get(name) ?? '' })]),
  );
}

export const memory: Suite = {
  name: 'memory',
  title: 'tools/call in memory',
  about:
    'Processor time of a call between a client and a server in one process, each pair in a separate process. The floor matches answers to requests by id, by hand, and checks nothing.',
  columns: [
    { title: '1 in flight', unit: 'us' },
    { title: '100 in flight', unit: 'us' },
  ],
  races: racesOf('by hand', [
    [0.5, 0.5],
    [0.4, 0.4],
  ]),
  contenders: (bench) => Promise.resolve(contendersOf(bench, 'memory', ['by hand', ...OF_BOTH_KINDS])),
};

export const stdio: Suite = {
  name: 'stdio',
  title: 'tools/call over stdio',
  about:
    'Time of a call to a server in another process. The floor is a bare loop on both sides: lines out, lines in, JSON, one write for each message.',
  columns: [
    { title: '1 in flight', unit: 'us' },
    { title: '100 in flight', unit: 'us' },
  ],
  races: racesOf('bare loop', [
    [0.9, 0.85],
    [0.8, 0.75],
  ]),
  contenders: (bench) => Promise.resolve(contendersOf(bench, 'stdio', ['bare loop', ...OF_BOTH_KINDS])),
};

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

const NODE = 'node -e 0';

export const firstAnswers: Suite = {
  name: 'first-answer',
  title: 'Start of a stdio server',
  about: 'From the start of the process to its first answer. The floor is Node that does nothing.',
  columns: [{ title: 'first answer', unit: 'ms' }],
  races: [
    { title: '2025-11-25', floor: NODE, ours: 'ours', peers: ['SDK v1', 'SDK v2'] },
    { title: '2026-07-28', floor: NODE, ours: 'ours, 2026-07-28', peers: ['SDK v2, 2026-07-28'] },
  ],
  contenders: (bench) => {
    const scripts = writeServers(bench);
    return Promise.resolve({
      [NODE]: async () => [await firstAnswer(['-e', '0'], undefined)],
      ...Object.fromEntries(
        OF_BOTH_KINDS.map((name) => {
          const question = name.includes('2026') ? DISCOVER : INITIALIZE;
          return [name, async () => [await firstAnswer([scripts.get(name) ?? ''], question)]];
        }),
      ),
    });
  },
};
