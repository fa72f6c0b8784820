/** Servers of which one kind of answer is far slower than the others: no finding is missed, and there is no false one. */
import { afterAll, describe, expect, test } from 'vitest';
import { removeTemporaryFolders } from '../support/cli.js';
import { testUnless } from '../support/skip.js';
import { itemsOf, shareOfToday, shareText, skipReason } from '../support/today.js';
import { check, gardenCommand, scriptCommand, shown } from './support.js';

afterAll(removeTemporaryFolders);

const CALLS = { readOnly: true, tools: [] };
const NEWEST = '2025-11-25';
const SHARE = shareOfToday(4);

describe(`a correct server has no finding if it is slow, ${shareText(SHARE)}`, () => {
  test.concurrent.each(
    itemsOf(
      [
        ['with its lists', { 'tools/list': 3000 }, NEWEST],
        ['with ping', { ping: 2500 }, NEWEST],
        ['with errors', { error: 2200 }, NEWEST],
        ['with batches', { batch: 4000 }, '2025-03-26'],
        ['with each answer, one after the other', { each: 300 }, NEWEST],
        ['with errors', { error: 2200 }, '2026-07-28'],
      ] as const,
      SHARE,
    ),
  )(
    '%s: %j, in %s',
    async (_, delays, revision) => {
      const report = await check(await gardenCommand('', delays), { revisions: [revision] }, CALLS);
      expect(shown(report)).toEqual([]);
      expect(report.tools).toBe(6);
      expect(report.probes.filter(({ note }) => note === 'the server hangs')).toEqual([]);
    },
    120_000,
  );
});

describe(`a slow answer that is wrong has a finding, ${shareText(SHARE)}`, () => {
  test.concurrent.each(
    itemsOf(
      [
        ['unknown-tool-result', 'unknown-tool-is-a-result', { 'tools/call': 2500 }],
        ['unknown-method-code', 'other-code-for-unknown-methods', { 'mcpgen/check-unknown': 2500 }],
        ['served-not-declared', 'hides-its-tools', { 'tools/list': 3000 }],
        ['invalid-cursor-ignored', 'ignores-cursors', { 'tools/list': 3000 }],
        ['invalid-tool-schema', 'has-an-invalid-schema', { 'tools/list': 3000 }],
        ['ping-refused', 'refuses-ping', { ping: 2500 }],
        ['log-level-accepted', 'accepts-any-log-level', { 'logging/setLevel': 2500 }],
        ['id-not-echoed', 'turns-ids-into-numbers', { 'mcpgen/check-ids': 2200 }],
      ] as const,
      SHARE,
    ),
  )(
    '%s of a server that %s, %j',
    async (rule, mutant, delays) => {
      const report = await check(await gardenCommand(mutant, delays), { revisions: [NEWEST] });
      // Rules of recorded conversations see it, too.
      const own = report.findings.filter((finding) => finding.rule !== 'wrong-error-code');
      expect([...new Set(own.map((finding) => finding.rule))]).toEqual([rule]);
    },
    120_000,
  );
});

testUnless(skipReason(SHARE.part === 0, SHARE))(
  'a server that starts slowly speaks all its revisions',
  async () => {
    const command = await gardenCommand('', { start: 11_500 });
    const report = await check(command, { revisions: [NEWEST, '2026-07-28'], timeoutSeconds: 30 });
    expect(report.revisions).toEqual([NEWEST, '2026-07-28']);
    expect(report.probes.filter(({ id, status }) => id === 'handshake' && status !== 'passed')).toEqual([]);
    expect(shown(report)).toEqual([]);
  },
  240_000,
);

test('a server without ping has that finding, and no other one', async () => {
  const body = `const { id, method, params } = message;
    if (method === 'initialize') write({ jsonrpc: '2.0', id, result: { protocolVersion: params.protocolVersion.startsWith('20') && params.protocolVersion < '2026' ? params.protocolVersion : '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } } });
    else if (method === 'tools/list' && params?.cursor === undefined) write({ jsonrpc: '2.0', id, result: { tools: [] } });
    else if (method === 'tools/list' || method === 'tools/call') write({ jsonrpc: '2.0', id, error: { code: -32602, message: 'No' } });
    else if (id !== undefined && typeof method === 'string' && method !== 'ping') write({ jsonrpc: '2.0', id, error: { code: -32601, message: 'No' } });`;
  const report = await check(scriptCommand(body), { revisions: [NEWEST] });
  const found = report.findings.filter(({ severity }) => severity !== 'advice');
  expect(found.map(({ rule, subject }) => [rule, subject])).toEqual([['no-answer', 'ping']]);
  expect(report.probes.filter(({ note }) => note === 'the server hangs')).toEqual([]);
}, 120_000);
