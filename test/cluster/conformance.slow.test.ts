/** The official suite, and its tasks, against three processes without sticky sessions. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  countOf,
  failuresOf,
  isTask,
  runSuite,
  runTaskScenarios,
  SERVER_CHECKS,
  warningsOf,
} from '../conformance/suite.js';
import { tasksRevision } from '../conformance/tasks-revision.js';
import { REDIS_MISSING } from '../support/redis.js';
import { describeUnless, testUnless } from '../support/skip.js';
import { itemsOf, shareOfToday, shareText, skipReason } from '../support/today.js';
import { startFleet, type Fleet } from './fleet.js';

const PROGRAM = path.resolve(import.meta.dirname, '../conformance/server.ts');
const share = shareOfToday(SERVER_CHECKS.length + 1);
const runsTasks = itemsOf([...SERVER_CHECKS, 'tasks'], share).includes('tasks');

describeUnless(REDIS_MISSING)(`three processes, ${shareText(share)}`, () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'conformance-fleet-'));
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await startFleet({ program: PROGRAM, env: { MCPGEN_TASKS_REVISION: await tasksRevision(folder) } });
  }, 60_000);
  afterAll(async () => {
    await fleet.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(itemsOf(SERVER_CHECKS, share))(
    '$revision: every check passes',
    { timeout: 120_000 },
    async ({ revision, checks }) => {
      const outcomes = await runSuite(['server', '--url', fleet.url, '--suite', 'all', '--spec-version', revision]);
      const core = outcomes.filter((outcome) => !isTask(outcome));
      expect([...failuresOf(core), ...warningsOf(core)]).toEqual([]);
      expect(countOf(core)).toEqual({ passed: checks, failed: 0 });
      // Each process has answered.
      for (const { port } of fleet.members) expect(fleet.balancer.sent.get(port)).toBeGreaterThan(10);
    },
  );

  testUnless(skipReason(runsTasks, share))(
    '2026-07-28: every check of the tasks extension passes',
    { timeout: 120_000 },
    async () => {
      const outcomes = await runTaskScenarios(fleet.url);
      expect([...failuresOf(outcomes), ...warningsOf(outcomes)]).toEqual([]);
      expect(countOf(outcomes)).toEqual({ passed: 44, failed: 0 });
    },
  );
});
