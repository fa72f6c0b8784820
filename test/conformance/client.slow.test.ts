import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundled, countOf, failuresOf, requiredScenarios, runSuite, SUITE_REVISIONS } from './suite.js';

/** Extensions of the protocol, which the suite does not score. */
const EXTENSIONS = ['auth/dpop', 'auth/dpop-nonce', 'auth/wif-jwt-bearer', 'auth/enterprise-managed-authorization'];
/** Scenarios of an older revision, for which the suite has no list of requirements. */
const LEGACY = ['auth/2025-03-26-oauth-metadata-backcompat', 'auth/2025-03-26-oauth-endpoint-fallback'];

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
    expect(outcomes.map(({ scenario }) => scenario)).toEqual(expect.arrayContaining([...required, ...EXTENSIONS]));
    expect(failuresOf(outcomes)).toEqual([]);
    // How many there are depends on how often a client asks; each scenario has several.
    expect(countOf(outcomes).passed).toBeGreaterThan(4 * outcomes.length);
    for (const { scenario, checks } of outcomes)
      expect([scenario, checks.some(({ status }) => status === 'SUCCESS')]).toEqual([scenario, true]);
  });
});

test.each(LEGACY)('our client passes %s', { timeout: 60_000 }, async (scenario) => {
  const command = await bundled('client.ts', folder);
  const outcomes = await runSuite([
    'client',
    '--command',
    command,
    '--scenario',
    scenario,
    '--spec-version',
    '2025-03-26',
  ]);
  expect(failuresOf(outcomes)).toEqual([]);
  expect(countOf(outcomes).passed).toBeGreaterThan(4);
});
