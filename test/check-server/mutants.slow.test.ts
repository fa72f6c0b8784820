import { afterAll, describe, expect, test } from 'vitest';
import type { CheckReport } from '../../generator/check-server/report.js';
import { removeTemporaryFolders } from '../support/cli.js';
import { itemsOf, shareOfToday, shareText } from '../support/today.js';
import { HTTP_MUTANTS, STDIO_MUTANTS } from './mutants.js';
import { check, gardenCommand, shown, withGarden } from './support.js';

afterAll(removeTemporaryFolders);

const CALLS = { readOnly: true, tools: [] };

/** The rule that finds a mutant, and the revision in which it does; 2025-11-25 by default. */
type Expected = readonly [rule: string, revisions?: string];

const STDIO_RULES: Readonly<Record<string, Expected>> = {
  'drops-unknown-methods': ['no-answer'],
  'accepts-unknown-methods': ['unknown-method-accepted'],
  'other-code-for-unknown-methods': ['unknown-method-code'],
  'agrees-on-any-version': ['unknown-version-accepted'],
  'refuses-unknown-versions': ['unknown-version-refused'],
  'offers-what-it-refuses': ['handshake-version', '2025-06-18,2025-11-25'],
  'refuses-ping': ['ping-refused'],
  'loses-id-zero': ['id-not-echoed'],
  'turns-ids-into-numbers': ['id-not-echoed'],
  'answers-notifications': ['notification-answered'],
  'has-no-set-level': ['declared-partly'],
  'accepts-any-log-level': ['log-level-accepted'],
  'hides-its-tools': ['served-not-declared'],
  'declares-what-it-lacks': ['declared-not-served'],
  'unknown-tool-is-a-result': ['unknown-tool-result'],
  'unknown-tool-succeeds': ['unknown-tool-accepted'],
  'unknown-tool-has-another-code': ['unknown-tool-code'],
  'unknown-resource-succeeds': ['unknown-resource-accepted'],
  'unknown-resource-has-another-code': ['unknown-resource-code'],
  'unknown-prompt-succeeds': ['unknown-prompt-accepted'],
  'prompt-needs-nothing': ['prompt-arguments-accepted'],
  'ignores-cursors': ['invalid-cursor-ignored'],
  'pages-without-end': ['paging-endless'],
  'writes-noise': ['not-json'],
  'takes-chunks-for-messages': ['split-frame'],
  'reads-only-the-first-line': ['joined-frames'],
  'exits-on-malformed-lines': ['ended-by-input'],
  'hangs-after-malformed-lines': ['malformed-blocks'],
  'runs-without-input': ['stays-after-input-ends'],
  'ignores-sigterm': ['ignores-sigterm'],
  'drops-batches': ['batch-unsupported', '2025-03-26'],
  'loses-some-of-many': ['concurrent-lost'],
  'answers-twice': ['duplicate-response'],
  'stops-at-cancellations': ['cancellation-blocks'],
  'answers-what-was-cancelled': ['cancelled-answered'],
  'stops-at-large-messages': ['large-frame'],
  'sends-without-end': ['flood'],
  'lists-a-tool-twice': ['duplicate-tool'],
  'has-an-invalid-schema': ['invalid-tool-schema'],
  'has-a-slow-pattern': ['slow-pattern'],
  'has-large-tools': ['list-large'],
  'returns-other-content': ['invalid-structured-content'],
  'does-not-validate': ['arguments-not-validated'],
  'has-no-result-type': ['missing-result-type', '2026-07-28'],
  'serves-any-version': ['version-accepted', '2026-07-28'],
  'refuses-versions-with-another-code': ['version-code', '2026-07-28'],
  'needs-no-capabilities': ['meta-not-required', '2026-07-28'],
  'has-no-discover': ['discover-missing', '2026-07-28'],
  'does-not-acknowledge': ['listen-unacknowledged', '2026-07-28'],
  'shuffles-its-tools': ['list-order', '2026-07-28'],
  'lists-other-tools-each-time': ['list-changes', '2026-07-28'],
  'unknown-resource-is-empty': ['resource-not-found', '2026-07-28'],
};

const HTTP_RULES: typeof STDIO_RULES = {
  'serves-any-origin': ['http-origin'],
  'refuses-origins-with-400': ['http-origin-status'],
  'serves-any-host': ['http-host'],
  'serves-any-version-header': ['http-version-unchecked'],
  'keeps-sessions': ['http-session-ended'],
  'has-one-session-id': ['http-session-reused'],
  'answers-notifications-with-200': ['http-notification-status'],
  'has-no-get': ['http-get'],
  'ignores-headers': ['http-header-unchecked', '2026-07-28'],
  'refuses-headers-with-another-code': ['http-header-code', '2026-07-28'],
  'does-not-decode-names': ['http-header-encoding', '2026-07-28'],
  'has-one-status': ['http-error-status', '2026-07-28'],
  'accepts-malformed-bodies': ['http-malformed-status'],
  'has-another-content-type': ['http-content-type'],
};

/** The rules of what was found. */
function rulesOf({ findings }: CheckReport): readonly string[] {
  return [...new Set(findings.map(({ rule }) => rule))];
}

const SHARE = shareOfToday(8);

describe(`over stdio, ${shareText(SHARE)}`, () => {
  test('our own server has no finding', async () => {
    const report = await check(await gardenCommand(), {}, CALLS);
    expect(shown(report)).toEqual([]);
    expect(report.revisions).toHaveLength(5);
    expect(report.probes.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(new Set(report.probes.map(({ id }) => id)).size).toBeGreaterThan(25);
  }, 120_000);

  test('every mutant has a rule', () => {
    expect(Object.keys(STDIO_MUTANTS)).toEqual(Object.keys(STDIO_RULES));
  });

  test.concurrent.each(itemsOf(Object.entries(STDIO_RULES), SHARE))(
    'finds a server that %s',
    async (mutant, [rule, revisions = '2025-11-25']) => {
      const report = await check(await gardenCommand(mutant), { revisions: revisions.split(',') }, CALLS);
      expect(rulesOf(report), shown(report).join('\n')).toContain(rule);
    },
    120_000,
  );

  test('a server that sends without end has that finding alone, and is not asked again and again', async () => {
    const report = await check(await gardenCommand('sends-without-end'), { revisions: ['2025-11-25'] }, CALLS);
    expect(shown(report)).toEqual([expect.stringMatching(/^flood: /)]);
    const skipped = report.probes.filter(({ note }) => note === 'the server sends without end');
    expect(skipped.length).toBeGreaterThan(report.probes.length / 2);
  }, 120_000);
});

describe('over HTTP', () => {
  test('our own server has no finding', async () => {
    const report = await withGarden('', async (url) => check(url, {}, CALLS));
    expect(shown(report)).toEqual([]);
    expect(report.revisions).toHaveLength(5);
    expect(report.probes.filter(({ status }) => status === 'failed')).toEqual([]);
  }, 120_000);

  test('every mutant has a rule', () => {
    expect(Object.keys(HTTP_MUTANTS)).toEqual(Object.keys(HTTP_RULES));
  });

  test.concurrent.each(Object.entries(HTTP_RULES))(
    'finds a server that %s',
    async (mutant, [rule, revisions = '2025-11-25']) => {
      const report = await withGarden(mutant, async (url) => check(url, { revisions: revisions.split(',') }, CALLS));
      expect(rulesOf(report), shown(report).join('\n')).toContain(rule);
    },
    120_000,
  );
});
