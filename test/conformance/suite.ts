import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { build } from 'esbuild';

const root = path.resolve(import.meta.dirname, '../..');
/** The suite needs a different version of Node. */
const NODE = path.join(root, 'node_modules/node-22/bin/node');
const SUITE = path.join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** The revisions of which the suite knows what they require. */
export const SUITE_REVISIONS = ['2025-11-25', '2026-07-28'] as const;

/** One thing that the suite looked at. */
export interface Check {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  readonly errorMessage?: string;
}

/** What came of a scenario. */
export interface Outcome {
  readonly scenario: string;
  readonly checks: readonly Check[];
  /** What the client under test had to say. */
  readonly output: string;
}

/**
 * Runs the suite.
 *
 * @param args - Its command line, without the folder for results.
 * @returns What came of each scenario that it ran.
 */
export async function runSuite(args: readonly string[]): Promise<readonly Outcome[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'conformance-'));
  try {
    const printed = await run([...args, '--output-dir', folder]);
    const files = await readdir(folder, { recursive: true });
    const outcomes = await Promise.all(
      files
        .filter((file) => path.basename(file) === 'checks.json')
        .sort()
        .map(async (file) => ({
          scenario: scenarioOf(path.dirname(file)),
          checks: JSON.parse(await readFile(path.join(folder, file), 'utf8')) as Check[],
          output: await readFile(path.join(folder, path.dirname(file), 'stderr.txt'), 'utf8').catch(() => ''),
        })),
    );
    if (outcomes.length === 0) throw new Error(`the suite gave no result:\n${printed}`);
    return outcomes;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The scenarios that a revision requires, in the suite's own words; the rest is run and not scored. */
export async function requiredScenarios(revision: string, side: 'client' | 'server'): Promise<ReadonlySet<string>> {
  const printed = await run(['list', '--requirements', revision]);
  const [, section = ''] = printed.split(side === 'client' ? /^Client scenarios.*$/m : /^Server scenarios.*$/m);
  const [list = ''] = section.split(/^\S/m);
  return new Set(list.match(/(?<=- )\S+/g));
}

/** How many checks passed and failed; others are no verdict. */
export function countOf(outcomes: readonly Outcome[]): { readonly passed: number; readonly failed: number } {
  const statuses = outcomes.flatMap(({ checks }) => checks.map(({ status }) => status));
  return {
    passed: statuses.filter((status) => status === 'SUCCESS').length,
    failed: statuses.filter((status) => status === 'FAILURE').length,
  };
}

/** Every check that failed, a line each, for people. */
export function failuresOf(outcomes: readonly Outcome[]): readonly string[] {
  return outcomes.flatMap(({ scenario, checks, output }) =>
    checks
      .filter(({ status }) => status === 'FAILURE')
      .map(({ id, errorMessage, description }) => {
        const said = output.split('\n').find((line) => /^\w*Error\b.*:/.test(line));
        return `${scenario}: ${id}: ${errorMessage ?? description}${said === undefined ? '' : ` (${said.trim()})`}`;
      }),
  );
}

/** The revisions that servers are checked in, and how many checks there are without those of tasks. */
export const SERVER_CHECKS = [
  { revision: '2025-06-18', checks: 56 },
  { revision: '2025-11-25', checks: 84 },
  { revision: '2026-07-28', checks: 153 },
] as const;

/** Whether a scenario is one of the extension for tasks. */
export const isTask = ({ scenario }: Outcome): boolean => scenario.includes('tasks-');

/** Every check that passed with a warning, a line each. */
export function warningsOf(outcomes: readonly Outcome[]): readonly string[] {
  return outcomes.flatMap(({ scenario, checks }) =>
    checks
      .filter(({ status }) => status === 'WARNING')
      .map(({ id, errorMessage, description }) => `${scenario}: ${id}: ${errorMessage ?? description}`),
  );
}

const TASKS = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-status-notifications',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
];

/** Runs the scenarios of the extension for tasks against a server. */
export async function runTaskScenarios(url: string): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  // A few at a time: each is a process, and a machine that is too busy resets their connections.
  for (let first = 0; first < TASKS.length; first += 3) {
    const runs = TASKS.slice(first, first + 3).map((scenario) =>
      runSuite(['server', '--url', url, '--scenario', scenario, '--spec-version', '2026-07-28', '--force']),
    );
    outcomes.push(...(await Promise.all(runs)).flat());
  }
  return outcomes;
}

/** A program of this folder as one file that starts at once, and the command that runs it. */
export async function bundled(program: string, folder: string): Promise<string> {
  const outfile = path.join(folder, program.replace(/\.ts$/, '.mjs'));
  await build({
    entryPoints: [path.join(import.meta.dirname, program)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Some packages are CommonJS and ask for what Node has.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return `${process.execPath} ${outfile}`;
}

function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(NODE, [SUITE, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        printed += String(chunk);
      });
    child.once('error', reject);
    child.once('close', () => {
      resolve(printed);
    });
  });
}

/** The suite puts the time behind the name of a scenario. */
function scenarioOf(folder: string): string {
  return folder.replaceAll(path.sep, '/').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
}
