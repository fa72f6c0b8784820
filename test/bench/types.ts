/**
 * What the types cost whoever uses them, for `npm run bench:types`: the compiler, cold and after an edit, and the editor's
 * first completions inside a tool, for a program with a client and a server. Compared are generated TypeScript, checked or not, generated
 * JavaScript with declarations, and the official SDKs, in turns, so that a busy machine slows all alike.
 *
 * `--rounds 9` repeats more than 5 times; `--compilers 6,7` measures only these.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { generate } from '../../generator/index.js';
import { median, printTable } from './support.js';

const root = path.resolve(import.meta.dirname, '../..');

/** The compilers, by the name that `--compilers` has for them. */
const COMPILERS: Readonly<Record<string, string>> = {
  '5.9': 'typescript-5.9',
  '6': 'typescript',
  '7': 'typescript-7',
};

/** Where completions are requested. */
const CURSOR = '/*cursor*/';

const OURS = `
import { createClient } from './generated/2025-11-25/client.js';
import { createServer } from './generated/2025-11-25/server.js';
import { memoryPair } from './generated/runtime/memory.js';

const info = { name: 'bench', version: '1.0.0' };
const server = createServer({
  info,
  handlers: {
    'tools/list': () => ({ tools: [{ name: 'add', inputSchema: { type: 'object', required: ['a', 'b'] } }] }),
    'tools/call': ({ name, arguments: args }, context) => {
      context.${CURSOR}signal.throwIfAborted();
      return { content: [{ type: 'text', text: name + String(Number(args?.['a']) + Number(args?.['b'])) }] };
    },
  },
});
const client = createClient({ info });
const [left, right] = memoryPair();
await Promise.all([server.connect(left), client.connect(right)]);
const { content } = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
for (const block of content) if (block.type === 'text') console.error(block.text);
await client.close();
`;

/** The same as their documentation writes it; their schemas are values of Zod. */
const SDK_V1 = `
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

const info = { name: 'bench', version: '1.0.0' };
const server = new McpServer(info);
server.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }, context) => {
  context.${CURSOR}signal.throwIfAborted();
  return { content: [{ type: 'text', text: 'add' + String(a + b) }] };
});
const client = new Client(info);
const [left, right] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(left), client.connect(right)]);
const result = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
if ('content' in result && Array.isArray(result.content)) console.error(result.content);
await client.close();
`;

const SDK_V2 = `
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const info = { name: 'bench', version: '1.0.0' };
const server = new McpServer(info);
server.registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }, context) => {
  context.${CURSOR}mcpReq.signal.throwIfAborted();
  return { content: [{ type: 'text', text: 'add' + String(a + b) }] };
});
const client = new Client(info);
const [left, right] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(left), client.connect(right)]);
const { content } = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
for (const block of content) if (block.type === 'text') console.error(block.text);
await client.close();
`;

/** The options of a scaffolded project. */
const COMPILER_OPTIONS = {
  target: 'ES2022',
  lib: ['ES2022'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  noPropertyAccessFromIndexSignature: true,
  noFallthroughCasesInSwitch: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: true,
  noEmit: true,
  incremental: true,
};

const CONTESTANTS = {
  'mcpgen, TypeScript': OURS,
  'mcpgen, TypeScript with --ts-nocheck': OURS,
  'mcpgen, JavaScript with declarations': OURS,
  'SDK v1': SDK_V1,
  'SDK v2': SDK_V2,
} as const;

type Contestant = keyof typeof CONTESTANTS;

const NAMES = Object.keys(CONTESTANTS) as readonly Contestant[];

/** One run of a compiler. */
export interface CompilerRun {
  /** What the compiler made; the same in every run. */
  readonly types: number;
  readonly instantiations: number;
  /** Seconds on the clock. */
  readonly checkSeconds: number;
  readonly totalSeconds: number;
  /** Seconds of processor time of the process. */
  readonly processorSeconds: number;
  /** Megabytes that the compiler reports. */
  readonly megabytes: number;
}

/** Medians of the runs of one compiler for one contestant. */
export interface CompilerRow extends CompilerRun {
  readonly contestant: Contestant;
  readonly compiler: string;
  /** Without earlier results, or after a line of the program has changed. */
  readonly mode: 'cold' | 'after an edit';
}

/** Seconds until the first completions of an editor, from its start, as a median. */
export interface CompletionRow {
  readonly contestant: Contestant;
  readonly compiler: string;
  readonly seconds: number;
  readonly processorSeconds: number;
  /** How many names were offered. */
  readonly entries: number;
}

/** What {@link measureTypes} measures. */
export interface TypesResult {
  readonly compiler: readonly CompilerRow[];
  readonly completions: readonly CompletionRow[];
}

/** What to measure. */
export interface TypesOptions {
  readonly rounds?: number;
  readonly compilers?: readonly string[];
}

/** Measures what types cost a project. */
export async function measureTypes({
  rounds = 5,
  compilers = Object.keys(COMPILERS),
}: TypesOptions = {}): Promise<TypesResult> {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-bench-'));
  try {
    for (const name of NAMES) await writeProject(scratch, name);
    const runs = new Map<string, CompilerRun[]>();
    const completions = new Map<string, CompletionRow[]>();
    for (let round = 0; round < rounds; round += 1) {
      for (const compiler of compilers) {
        for (const name of NAMES) {
          const folder = folderOf(scratch, name);
          rmSync(path.join(folder, 'tsconfig.tsbuildinfo'), { force: true });
          for (const mode of ['cold', 'after an edit'] as const) {
            if (mode === 'after an edit') edit(folder, round);
            const key = JSON.stringify({ contestant: name, compiler, mode });
            runs.set(key, [...(runs.get(key) ?? []), compile(folder, compiler)]);
          }
          // The language server of TypeScript 7 speaks another protocol.
          if (compiler === '7') continue;
          const key = JSON.stringify({ contestant: name, compiler });
          completions.set(key, [...(completions.get(key) ?? []), await complete(folder, compiler, name)]);
        }
      }
    }
    return {
      compiler: [...runs].map(([key, all]) => ({ ...(JSON.parse(key) as CompilerRow), ...medians(all) })),
      completions: [...completions].map(([key, all]) => ({ ...(JSON.parse(key) as CompletionRow), ...medians(all) })),
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * How many types and instantiations the compiler needs for the program, which is the same on every machine.
 *
 * @param compiler - As in {@link TypesOptions.compilers}.
 */
export async function countTypes(
  contestant: Contestant,
  compiler = '6',
): Promise<Pick<CompilerRun, 'types' | 'instantiations'>> {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-bench-'));
  try {
    await writeProject(scratch, contestant);
    const { types, instantiations } = compile(folderOf(scratch, contestant), compiler);
    return { types, instantiations };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function medians<T extends object>(all: readonly T[]): T {
  const [first] = all;
  const entries = Object.entries(first ?? {}).map(([key, value]: [string, unknown]) => [
    key,
    typeof value === 'number' ? median(all.map((item) => (item as Record<string, number>)[key] ?? Number.NaN)) : value,
  ]);
  return Object.fromEntries(entries) as T;
}

function folderOf(scratch: string, name: Contestant): string {
  return path.join(scratch, String(NAMES.indexOf(name)));
}

async function writeProject(scratch: string, name: Contestant): Promise<void> {
  const folder = folderOf(scratch, name);
  mkdirSync(path.join(folder, 'src'), { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['src'] }),
  );
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
  writeFileSync(path.join(folder, 'src/main.ts'), CONTESTANTS[name]);
  if (!name.startsWith('mcpgen')) return;
  await generate({
    revisions: ['2025-11-25'],
    emit: [...DEFAULT_WITH_TRANSPORT],
    target: name === 'mcpgen, JavaScript with declarations' ? 'js' : 'ts',
    tsNocheck: name === 'mcpgen, TypeScript with --ts-nocheck',
    out: path.join(folder, 'src/generated'),
  });
}

/** As a scaffolded server has them, for standard input and output. */
const DEFAULT_WITH_TRANSPORT = [
  'types',
  'methods',
  'messages',
  'guards',
  'validators',
  'errors',
  'revision',
  'client',
  'server',
  'registry',
  'stdio',
] as const;

function edit(folder: string, round: number): void {
  const file = path.join(folder, 'src/main.ts');
  const [program = ''] = readFileSync(file, 'utf8').split('// Edited');
  writeFileSync(file, `${program}// Edited.\nconsole.error('${String(round)} ${String(Date.now())}');\n`);
}

/** Runs a program, and reads the processor time of it and its children from the shell. */
const WITH_TIMES = '"$@"; code=$?; times >&2; exit $code';

function processorSecondsOf(times: string): number {
  // The second line is that of the children: user and system time.
  const [, children = ''] = times.trim().split('\n').slice(-2);
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  return seconds.reduce((sum, value) => sum + value, 0);
}

function compile(folder: string, compiler: string): CompilerRun {
  const tsc = path.join(root, 'node_modules', COMPILERS[compiler] ?? '', 'bin/tsc');
  const run = spawnSync('sh', ['-c', WITH_TIMES, 'sh', process.execPath, tsc, '-p', folder, '--extendedDiagnostics'], {
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(`${folder}: ${run.stdout}`);
  const figure = (label: string): number =>
    Number(new RegExp(`^${label}:\\s+([\\d.]+)`, 'm').exec(run.stdout)?.[1] ?? 0);
  return {
    types: figure('Types'),
    instantiations: figure('Instantiations'),
    checkSeconds: figure('Check time'),
    totalSeconds: figure('Total time'),
    processorSeconds: processorSecondsOf(run.stderr),
    megabytes: figure('Memory used') / 1024,
  };
}

/** Starts an editor's language server, opens the program, and waits for completions at the cursor. */
async function complete(folder: string, compiler: string, contestant: Contestant): Promise<CompletionRow> {
  const server = path.join(root, 'node_modules', COMPILERS[compiler] ?? '', 'lib/tsserver.js');
  const file = path.join(folder, 'src/main.ts');
  const before = readFileSync(file, 'utf8').split(CURSOR)[0] ?? '';
  const line = before.split('\n').length;
  const offset = (before.split('\n').at(-1)?.length ?? 0) + CURSOR.length + 1;
  const start = performance.now();
  const child = spawn('sh', ['-c', WITH_TIMES, 'sh', process.execPath, server, '--disableAutomaticTypingAcquisition']);
  let times = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (times += text));
  const send = (command: string, args: object): void => {
    child.stdin.write(`${JSON.stringify({ seq: 0, type: 'request', command, arguments: args })}\n`);
  };
  send('open', { file });
  send('completionInfo', { file, line, offset });
  let row: CompletionRow | undefined;
  for await (const text of createInterface({ input: child.stdout })) {
    if (!text.startsWith('{')) continue;
    const { command, body } = JSON.parse(text) as { command?: string; body?: { readonly entries: readonly unknown[] } };
    if (command !== 'completionInfo') continue;
    const seconds = (performance.now() - start) / 1000;
    row = { contestant, compiler, seconds, processorSeconds: 0, entries: body?.entries.length ?? 0 };
    send('exit', {});
  }
  if (row === undefined || row.entries === 0) throw new Error(`${folder}: no completions\n${times}`);
  return { ...row, processorSeconds: processorSecondsOf(times) };
}

function printResult({ compiler, completions }: TypesResult): void {
  const seconds = (value: number): string => `${value.toFixed(2)} s`;
  const ratioTo = <T extends { readonly contestant: Contestant }>(row: T, all: readonly T[], key: keyof T): string => {
    const others = all.filter((other) => other.contestant.startsWith('SDK')).map((other) => Number(other[key]));
    return `${(Number(row[key]) / Math.min(...others)).toFixed(2)}`;
  };
  for (const name of new Set(compiler.map((row) => row.compiler))) {
    for (const mode of ['cold', 'after an edit'] as const) {
      const rows = compiler.filter((row) => row.compiler === name && row.mode === mode);
      printTable(`tsc ${name}, ${mode}; ratios to the better SDK`, [
        ['', 'check time', 'ratio', 'processor time', 'ratio', 'types', 'instantiations', 'memory'],
        ...rows.map((row) => [
          row.contestant,
          seconds(row.checkSeconds),
          ratioTo(row, rows, 'checkSeconds'),
          seconds(row.processorSeconds),
          ratioTo(row, rows, 'processorSeconds'),
          String(row.types),
          String(row.instantiations),
          `${row.megabytes.toFixed(0)} MB`,
        ]),
      ]);
    }
    const rows = completions.filter((row) => row.compiler === name);
    if (rows.length === 0) continue;
    printTable(`tsserver ${name}, from its start to the first completions; ratios to the better SDK`, [
      ['', 'time', 'ratio', 'processor time', 'ratio', 'names'],
      ...rows.map((row) => [
        row.contestant,
        seconds(row.seconds),
        ratioTo(row, rows, 'seconds'),
        seconds(row.processorSeconds),
        ratioTo(row, rows, 'processorSeconds'),
        String(row.entries),
      ]),
    ]);
  }
}

function option(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const compilers = option('--compilers')?.split(',');
  const result = await measureTypes({
    rounds: Math.max(1, Number(option('--rounds') ?? 5)),
    ...(compilers === undefined ? {} : { compilers }),
  });
  printResult(result);
}
