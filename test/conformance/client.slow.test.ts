import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundled, countOf, failuresOf, requiredScenarios, runSuite, SUITE_REVISIONS } from './suite.js';

/** Extensions of the protocol that neither this client nor the official SDK's has; the suite does not score them. */
const UNSUPPORTED = ['auth/dpop', 'auth/dpop-nonce', 'auth/wif-jwt-bearer'];

const REQUIRED: Readonly<Record<string, number>> = { '2025-11-25': 18, '2026-07-28': 32 };

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'conformance-client-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(SUITE_REVISIONS)('the official conformance suite, %s', (revision) => {
  test('our client passes every check of every scenario', { timeout: 300_000 }, async () => {
    const command = await bundled('client.ts', folder);
    const outcomes = await runSuite(['client', '--command', command, '--requirements', revision]);
    const required = await requiredScenarios(revision, 'client');
    expect(required.size).toBe(REQUIRED[revision]);
    expect(outcomes.map(({ scenario }) => scenario)).toEqual(expect.arrayContaining([...required]));
    const known = outcomes.filter(({ scenario }) => !UNSUPPORTED.includes(scenario));
    expect(failuresOf(known)).toEqual([]);
    // How many there are depends on how often a client asks; each scenario has several.
    expect(countOf(known).passed).toBeGreaterThan(4 * known.length);
    for (const { scenario, checks } of known)
      expect([scenario, checks.some(({ status }) => status === 'SUCCESS')]).toEqual([scenario, true]);
  });
});
