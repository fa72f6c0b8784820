/**
 * Benchmark of `mcpgen init server`, for `npm run bench:scaffold`: from the command to the first answer of the built
 * server and to the first passing test, compared with the official `@modelcontextprotocol/create-server`, in turns. Both are on
 * the machine already; what their projects need comes from npm's cache where it is there.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { median, printTable } from './support.js';

const RUNS = 3;
const OFFICIAL = '@modelcontextprotocol/create-server@0.3.1';
const root = path.resolve(import.meta.dirname, '../..');
const scratch = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-bench-'));
const env = { ...process.env, npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };

function run(cwd: string, program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Starts a server, and waits for its answer to `initialize`. */
async function answered(cwd: string, file: string): Promise<void> {
  const child = spawn(process.execPath, [file], { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  const answer = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', resolve);
    child.once('error', reject).once('exit', () => {
      reject(new Error(`${file} ended without an answer`));
    });
  });
  child.kill();
  if (!answer.includes('"serverInfo"')) throw new Error(answer);
}

type Times = Readonly<Record<'written' | 'installed' | 'answered' | 'tested', number>>;

/** Seconds since the command was given, at each step. */
async function measure(steps: {
  readonly write: (cwd: string) => void;
  readonly entry: string;
  readonly hasTests: boolean;
}): Promise<Times> {
  const folder = mkdtempSync(path.join(scratch, 'run-'));
  const start = performance.now();
  const since = (): number => (performance.now() - start) / 1000;
  steps.write(folder);
  const written = since();
  const project = path.join(folder, 'demo');
  run(project, 'npm', 'install');
  const installed = since();
  run(project, 'npm', 'run', 'build');
  await answered(project, steps.entry);
  const first = since();
  if (steps.hasTests) run(project, 'npm', 'test');
  const tested = steps.hasTests ? since() : Number.NaN;
  rmSync(folder, { recursive: true, force: true });
  return { written, installed, answered: first, tested };
}

try {
  // As a published package would come: from a tarball, installed next to the projects.
  run(root, 'npm', 'pack', '--ignore-scripts', '--pack-destination', scratch);
  const tarball = readdirSync(scratch).find((name) => name.endsWith('.tgz')) ?? '';
  const tools = path.join(scratch, 'tools');
  mkdirSync(tools);
  run(tools, 'npm', 'install', '--prefix', '.', path.join(scratch, tarball), OFFICIAL);
  const bin = (name: string): string => path.join(tools, 'node_modules/.bin', name);
  const contestants = {
    'mcpgen init server': {
      write: (cwd: string) => {
        const spec = `file:${path.join(scratch, tarball)}`;
        run(cwd, bin('mcpgen'), 'init', 'server', 'demo', '--yes', '--no-install', '--no-git', '--mcpgen', spec);
      },
      entry: 'dist/index.js',
      hasTests: true,
    },
    [OFFICIAL]: {
      write: (cwd: string) => {
        run(cwd, bin('create-mcp-server'), 'demo', '--name', 'demo', '--description', 'demo');
      },
      entry: 'build/index.js',
      hasTests: false,
    },
  };
  const times = new Map<string, Times[]>();
  for (let round = 0; round < RUNS; round += 1) {
    for (const [name, steps] of Object.entries(contestants)) {
      times.set(name, [...(times.get(name) ?? []), await measure(steps)]);
    }
  }
  const cell = (all: readonly Times[], key: keyof Times): string => {
    const value = median(all.map((item) => item[key]));
    return Number.isNaN(value) ? 'no tests' : `${value.toFixed(1)} s`;
  };
  printTable(`Seconds since the command, median of ${RUNS} runs`, [
    ['', 'written', 'installed', 'first answer', 'first passing test'],
    ...[...times].map(([name, all]) => [
      name,
      cell(all, 'written'),
      cell(all, 'installed'),
      cell(all, 'answered'),
      cell(all, 'tested'),
    ]),
  ]);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
