import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  bundled,
  countOf,
  failuresOf,
  isTask,
  runSuite,
  runTaskScenarios,
  SERVER_CHECKS,
  warningsOf,
} from './suite.js';
import { tasksRevision } from './tasks-revision.js';

// The official suite against a server on our stubs. What it checks and what it does not score, it says itself.

const folder = mkdtempSync(path.join(os.tmpdir(), 'conformance-server-'));
let server: ChildProcess;
let url = '';

beforeAll(async () => {
  const [node = '', program = ''] = (await bundled('server.ts', folder)).split(' ');
  server = spawn(node, [program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, MCPGEN_TASKS_REVISION: await tasksRevision(folder) },
  });
  const [line] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  url = line.toString().trim();
}, 60_000);
afterAll(() => {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
});

test.each(SERVER_CHECKS)('$revision: every check passes', { timeout: 120_000 }, async ({ revision, checks }) => {
  const outcomes = await runSuite(['server', '--url', url, '--suite', 'all', '--spec-version', revision]);
  const core = outcomes.filter((outcome) => !isTask(outcome));
  expect([...failuresOf(core), ...warningsOf(core)]).toEqual([]);
  expect(countOf(core)).toEqual({ passed: checks, failed: 0 });
});

test('2026-07-28: every check of the tasks extension passes', { timeout: 120_000 }, async () => {
  const outcomes = await runTaskScenarios(url);
  expect([...failuresOf(outcomes), ...warningsOf(outcomes)]).toEqual([]);
  expect(countOf(outcomes)).toEqual({ passed: 44, failed: 0 });
});
