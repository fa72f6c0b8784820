/**
 * What the types cost whoever uses them: the compiler, cold and after an edit, and the editor's first completions inside a
 * tool, for a program with a client and a server. Compared are generated TypeScript, checked or not, generated JavaScript
 * with declarations, and the official SDKs.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { DEFAULT_PARTS } from '../../generator/emit/parts.js';
import type * as Mcpgen from '../../generator/index.js';
import type { Contender, Suite } from './suite.js';

const root = path.resolve(import.meta.dirname, '../..');

/** The package of the compiler. */
const COMPILER = 'typescript';

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

export type Contestant = keyof typeof CONTESTANTS;

const NAMES = Object.keys(CONTESTANTS) as readonly Contestant[];

/** One run of a compiler. */
interface CompilerRun {
  /** What the compiler made; the same in every run. */
  readonly types: number;
  readonly instantiations: number;
  /** Seconds on the clock. */
  readonly checkSeconds: number;
  /** Seconds of processor time of the process. */
  readonly processorSeconds: number;
}

/** How many types and instantiations the compiler needs for the program, which is the same on every machine. */
export async function countTypes(contestant: Contestant): Promise<Pick<CompilerRun, 'types' | 'instantiations'>> {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-bench-'));
  try {
    await writeProject(scratch, contestant, root);
    const { types, instantiations } = compile(folderOf(scratch, contestant));
    return { types, instantiations };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function folderOf(scratch: string, name: Contestant): string {
  return path.join(scratch, String(NAMES.indexOf(name)));
}

/** Writes a project with the code that a checkout generates. */
async function writeProject(scratch: string, name: Contestant, checkout: string): Promise<void> {
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
  const { generate } = (await import(
    pathToFileURL(path.join(checkout, 'dist/generator/index.js')).href
  )) as typeof Mcpgen;
  await generate({
    revisions: ['2025-11-25'],
    emit: [...DEFAULT_WITH_TRANSPORT],
    ...(name === 'mcpgen, JavaScript with declarations' ? { target: 'js' } : {}),
    ...(name === 'mcpgen, TypeScript with --ts-nocheck' ? { tsNocheck: true } : {}),
    out: path.join(folder, 'src/generated'),
  });
}

/** As a scaffolded server has them, for standard input and output. */
const DEFAULT_WITH_TRANSPORT: readonly Mcpgen.Emittable[] = [...DEFAULT_PARTS, 'registry', 'stdio'];

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

function compile(folder: string): CompilerRun {
  const tsc = path.join(root, 'node_modules', COMPILER, 'bin/tsc');
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
    processorSeconds: processorSecondsOf(run.stderr),
  };
}

/** Seconds from the start of an editor's language server to the first completions at the cursor. */
async function complete(folder: string): Promise<number> {
  const server = path.join(root, 'node_modules', COMPILER, 'lib/tsserver.js');
  const file = path.join(folder, 'src/main.ts');
  const before = readFileSync(file, 'utf8').split(CURSOR)[0] ?? '';
  const line = before.split('\n').length;
  const offset = (before.split('\n').at(-1)?.length ?? 0) + CURSOR.length + 1;
  const start = performance.now();
  const child = spawn(process.execPath, [server, '--disableAutomaticTypingAcquisition'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const send = (command: string, args: object): void => {
    child.stdin.write(`${JSON.stringify({ seq: 0, type: 'request', command, arguments: args })}\n`);
  };
  send('open', { file });
  send('completionInfo', { file, line, offset });
  let seconds: number | undefined;
  for await (const text of createInterface({ input: child.stdout })) {
    if (!text.startsWith('{')) continue;
    const { command, body } = JSON.parse(text) as { command?: string; body?: { readonly entries: readonly unknown[] } };
    if (command !== 'completionInfo') continue;
    if ((body?.entries.length ?? 0) > 0) seconds = (performance.now() - start) / 1000;
    send('exit', {});
  }
  if (seconds === undefined) throw new Error(`${folder}: no completions`);
  return seconds;
}

const PEERS = ['SDK v1', 'SDK v2'] as const;

export const types: Suite = {
  name: 'types',
  title: 'Type check of a program with a client and a server',
  about:
    'Check time and processor time of tsc, cold and after a line has changed, with the options of a scaffolded project, and the time from the start of an editor to its first completions. The official SDKs ship declarations, which are not checked.',
  columns: [
    { title: 'check time, cold', unit: 's' },
    { title: 'processor time, cold', unit: 's' },
    { title: 'processor time, after an edit', unit: 's' },
    { title: 'first completions', unit: 's' },
  ],
  races: [
    { title: 'TypeScript', ours: 'mcpgen, TypeScript', peers: PEERS },
    { title: 'TypeScript, --ts-nocheck', ours: 'mcpgen, TypeScript with --ts-nocheck', peers: PEERS },
    {
      title: 'JavaScript with declarations',
      ours: 'mcpgen, JavaScript with declarations',
      peers: PEERS,
      before: 'mcpgen, TypeScript',
      aims: [{ below: 0.5 }],
    },
  ],
  contenders: ({ root: checkout, scratch }) => {
    let edits = 0;
    const contenderOf = (name: Contestant): Contender => {
      let written: Promise<void> | undefined;
      return async () => {
        // An older checkout may not know what others need.
        await (written ??= writeProject(scratch, name, checkout));
        const folder = folderOf(scratch, name);
        rmSync(path.join(folder, 'tsconfig.tsbuildinfo'), { force: true });
        const cold = compile(folder);
        edits += 1;
        edit(folder, edits);
        const edited = compile(folder);
        return [cold.checkSeconds, cold.processorSeconds, edited.processorSeconds, await complete(folder)];
      };
    };
    return Promise.resolve(Object.fromEntries(NAMES.map((name) => [name, contenderOf(name)])));
  },
};
