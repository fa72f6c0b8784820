import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateWithTasks } from '../tasks/generated.js';
import { bundled, countOf, failuresOf, runSuite, type Outcome } from './suite.js';

// The official suite against a server on our stubs. What it checks and what it does not score, it says itself.

const folder = mkdtempSync(path.join(os.tmpdir(), 'conformance-server-'));
let server: ChildProcess;
let url = '';

/** Generates 2026-07-28 with the extension for tasks. Returns the path of its revision as one file. */
async function tasksRevision(): Promise<string> {
  const out = path.join(folder, 'out');
  await generateWithTasks(out);
  const file = path.join(folder, 'revision.mjs');
  await build({
    entryPoints: [path.join(out, '2026-07-28/revision.ts')],
    outfile: file,
    bundle: true,
    format: 'esm',
    logLevel: 'error',
  });
  return file;
}

beforeAll(async () => {
  const [node = '', program = ''] = (await bundled('server.ts', folder)).split(' ');
  server = spawn(node, [program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, MCPGEN_TASKS_REVISION: await tasksRevision() },
  });
  const [line] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  url = line.toString().trim();
}, 60_000);
afterAll(() => {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
});

const isTask = ({ scenario }: Outcome): boolean => scenario.includes('tasks-');

function warningsOf(outcomes: readonly Outcome[]): readonly string[] {
  return outcomes.flatMap(({ scenario, checks }) =>
    checks
      .filter(({ status }) => status === 'WARNING')
      .map(({ id, errorMessage, description }) => `${scenario}: ${id}: ${errorMessage ?? description}`),
  );
}

test.each([
  { revision: '2025-06-18', checks: 56 },
  { revision: '2025-11-25', checks: 84 },
  { revision: '2026-07-28', checks: 153 },
])('$revision: every check passes', { timeout: 120_000 }, async ({ revision, checks }) => {
  const outcomes = await runSuite(['server', '--url', url, '--suite', 'all', '--spec-version', revision]);
  const core = outcomes.filter((outcome) => !isTask(outcome));
  expect([...failuresOf(core), ...warningsOf(core)]).toEqual([]);
  expect(countOf(core)).toEqual({ passed: checks, failed: 0 });
});

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

test('2026-07-28: every check of the tasks extension passes', { timeout: 120_000 }, async () => {
  const outcomes: Outcome[] = [];
  // A few at a time: each is a process, and a machine that is too busy resets their connections.
  for (let first = 0; first < TASKS.length; first += 3) {
    const runs = TASKS.slice(first, first + 3).map((scenario) =>
      runSuite(['server', '--url', url, '--scenario', scenario, '--spec-version', '2026-07-28', '--force']),
    );
    outcomes.push(...(await Promise.all(runs)).flat());
  }
  expect([...failuresOf(outcomes), ...warningsOf(outcomes)]).toEqual([]);
  expect(countOf(outcomes)).toEqual({ passed: 44, failed: 0 });
});
