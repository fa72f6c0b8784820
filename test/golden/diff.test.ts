/** The changes between two schemas, with verdicts and values as evidence. */
import { describe, expect, test } from 'vitest';
import type { Protocol } from '../../generator/index.js';
import { compareProtocols } from '../../generator/model/diff/compare.js';
import { withEvidence } from '../../generator/model/diff/evidence.js';
import { loadWithoutCatalog } from '../../generator/model/load.js';
import type { JsonObject } from '../../generator/read/json/json.js';
import { buildReport, summaryText, verdictText, type ReportChange } from '../../generator/print/diff/report.js';
import { DEFINITIONS, PROTOCOL_CHANGES } from './diff.js';
import { PROTOCOLS } from './protocols.js';
import { expectedFile, section } from './support.js';

function load(definitions: JsonObject): Promise<Protocol> {
  return loadWithoutCatalog({ name: 'golden.json', contents: JSON.stringify({ $defs: definitions }) });
}

function changeText({ id, before, after, detail, sentBy, evidence, ...change }: ReportChange): string {
  const rest = [
    ...(before === null ? [] : [`before: ${before}`]),
    ...(after === null ? [] : [`after: ${after}`]),
    ...(detail === null ? [] : [`detail: ${detail}`]),
    ...(sentBy.length === 0 ? [] : [`sent by: ${sentBy.join(', ')}`]),
    ...evidence.map(
      ({ breaks, acceptedBy, rejectedBy, value, at }) =>
        `breaks ${breaks}: ${acceptedBy} accepts, ${rejectedBy} rejects ${at || '/'} of ${JSON.stringify(value)}`,
    ),
  ];
  return [`${id} (${verdictText(change)})`, ...rest.map((line) => `  ${line}`)].join('\n');
}

function differenceText(before: Protocol, after: Protocol): string {
  const report = buildReport(
    withEvidence(compareProtocols(before, after)),
    { given: 'before', catalog: 'derived' },
    { given: 'after', catalog: 'derived' },
  );
  return [
    summaryText(report),
    ...report.renames.map((rename) => `rename: ${JSON.stringify(rename)}`),
    ...report.changes.map(changeText),
  ].join('\n');
}

describe('the changes of definitions', () => {
  test.each(Object.entries(DEFINITIONS))('%s', async (name, pairs) => {
    const texts: string[] = [];
    for (const [title, [before, after]] of Object.entries(pairs))
      texts.push(section(title, differenceText(await load(before), await load(after))));
    await expect(texts.join('\n')).toMatchFileSnapshot(expectedFile(`diff-${name}`));
  });
});

test('the changes of methods', async () => {
  const before = await load(PROTOCOLS.stateful.definitions);
  const after = await load({ ...PROTOCOLS.stateful.definitions, ...PROTOCOL_CHANGES });
  const stateless = await load(PROTOCOLS.stateless.definitions);
  const texts = [
    section('changed', differenceText(before, after)),
    section('reversed', differenceText(after, before)),
    section('stateless', differenceText(before, stateless)),
  ];
  await expect(texts.join('\n')).toMatchFileSnapshot(expectedFile('diff-methods'));
});
