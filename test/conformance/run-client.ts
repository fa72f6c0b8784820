/** Runs the official conformance suite against our client and against one on the official SDK, and prints a table. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { bundled, countOf, failuresOf, requiredScenarios, runSuite, SUITE_REVISIONS } from './suite.js';

const folder = await mkdtemp(path.join(os.tmpdir(), 'conformance-client-'));
try {
  const rows: Record<string, string>[] = [];
  for (const [name, program] of [
    ['ours', 'client.ts'],
    ['official SDK v2', 'client-sdk.ts'],
  ] as const) {
    const command = await bundled(program, folder);
    for (const revision of SUITE_REVISIONS) {
      const outcomes = await runSuite(['client', '--command', command, '--requirements', revision]);
      const required = await requiredScenarios(revision, 'client');
      const scored = outcomes.filter(({ scenario }) => required.has(scenario));
      const others = outcomes.filter(({ scenario }) => !required.has(scenario));
      rows.push({
        client: name,
        revision,
        'required scenarios': share(scored.length, scored.filter((one) => failuresOf([one]).length === 0).length),
        'their checks': verdict(scored),
        'not scored': share(others.length, others.filter((one) => failuresOf([one]).length === 0).length),
        'their checks ': verdict(others),
      });
      for (const failure of failuresOf(outcomes)) process.stdout.write(`${name}, ${revision}: ${failure}\n`);
      if (name === 'ours' && failuresOf(scored).length > 0) process.exitCode = 1;
    }
  }
  console.table(rows);
} finally {
  await rm(folder, { recursive: true, force: true });
}

function share(all: number, passed: number): string {
  return `${passed} of ${all}`;
}

function verdict(outcomes: Parameters<typeof countOf>[0]): string {
  const { passed, failed } = countOf(outcomes);
  return share(passed + failed, passed);
}
