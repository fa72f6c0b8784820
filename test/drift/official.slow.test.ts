import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { compareWithPackage } from '../../generator/drift/drift.js';
import { REVISIONS } from '../support/revisions.js';
import { compareTypes } from '../support/type-equality.js';
import { FIXTURES, findingLines, definitionsWithStatus } from './support.js';

const root = path.resolve(import.meta.dirname, '../..');

describe('our own types', () => {
  test.each(REVISIONS)('$revision: has no findings', async ({ revision, definitions }) => {
    const sdk = `./generated/${revision}/types.ts`;
    const report = await compareWithPackage({ sdk, revision, folder: root });
    expect(findingLines(report)).toEqual([]);
    expect(definitionsWithStatus(report, 'same')).toHaveLength(definitions);
    expect(report.drift).toBe(false);
  });

  test('have no findings in an exact comparison', async () => {
    const sdk = './generated/2026-07-28/index.ts';
    const report = await compareWithPackage({ sdk, revision: '2026-07-28', folder: root, exact: true });
    expect(findingLines(report)).toEqual([]);
    expect(report.definitions.every(({ status }) => status === 'same')).toBe(true);
  });

  test('other revisions are distinguished', async () => {
    const sdk = './generated/2025-06-18/types.ts';
    const report = await compareWithPackage({ sdk, revision: '2025-03-26', folder: root });
    expect(definitionsWithStatus(report, 'missing')).toContain('JSONRPCBatchRequest');
    expect(findingLines(report)).toContain(
      'extra Tool.outputSchema: theirs { type: "object"; properties?: { [key: string]: object; }; required?: string[]; } (optional), ours missing',
    );
    expect(report.otherExports).toContainEqual({
      name: 'ElicitResult',
      revisions: ['2025-06-18', '2025-11-25', '2026-07-28'].filter((item) => item !== '2025-03-26'),
    });
  });
});

describe('the official types of 2025-11-25, as the SDK brings them along', () => {
  const sdk = '@modelcontextprotocol/sdk/spec.types.js';

  test('only what is known to differ', async () => {
    const report = await compareWithPackage({ sdk, revision: '2025-11-25', folder: root });
    const counted = report.findings.filter(({ erratum }) => erratum === undefined);
    // Their params are maps of any, and two capabilities are ahead of the revision.
    expect(counted.map(({ kind, path: place }) => `${kind} ${place}`)).toEqual([
      'any JSONRPCNotification.params[key]',
      'any JSONRPCRequest.params[key]',
      'any Notification.params[key]',
      'any Request.params[key]',
      'extra ClientCapabilities.extensions',
      'extra ServerCapabilities.extensions',
    ]);
    const explained = report.findings.filter(({ erratum }) => erratum !== undefined);
    expect(explained.map(({ path: place, erratum }) => `${place} ${erratum ?? ''}`)).toEqual([
      'CancelTaskRequest.params._meta request-meta',
      'ElicitationCompleteNotification.params._meta notification-meta',
      'GetTaskPayloadRequest.params._meta request-meta',
      'GetTaskRequest.params._meta request-meta',
    ]);
    expect(report.summary).toMatchObject({ missing: 0, errata: 4 });
  });

  test('errata count in an exact comparison', async () => {
    const report = await compareWithPackage({ sdk, revision: '2025-11-25', folder: root, exact: true });
    expect(report.summary.errata).toBe(4);
    expect(report.summary.findings.missing).toBeGreaterThanOrEqual(4);
  });
});

describe('the compiler as the judge', () => {
  /** What is taken as equal though one side is not assignable to the other. */
  const EQUIVALENT = [
    'Annotations',
    'Cursor',
    'Icon',
    'RequestId',
    'Role',
    'Implementation',
    'TaskStatus',
    'PaginatedResult',
    'TextContent',
    'PingRequest',
  ];

  test.each([
    ['the official types', '@modelcontextprotocol/sdk/spec.types.js', [] as string[]],
    ['the types with planted mismatches', path.join(FIXTURES, 'planted/types/index.d.ts'), []],
    ['the same in other words', path.join(FIXTURES, 'planted/types/same.d.ts'), EQUIVALENT],
  ])('%s: what is not assignable both ways has a finding', async (_, sdk, equivalent) => {
    const report = await compareWithPackage({ sdk, revision: '2025-11-25', folder: root });
    const same = report.definitions.filter(
      ({ name, theirs, status }) => status === 'same' && theirs === name && !equivalent.includes(name),
    );
    const relations = await compareTypes(
      path.join(root, 'generated/2025-11-25/types.ts'),
      sdk,
      same.filter(({ name }) => name !== 'PromptArgument').map(({ name }) => ({ ours: name, theirs: name })),
    );
    // A finding that lies in another definition shows here too, as one of the places in `also`.
    const shown = new Set(
      report.findings.flatMap(({ path: at, also }) => [at, ...also].map((place) => place.split(/[.[<]/)[0])),
    );
    const apart = relations.filter(({ toOurs, toTheirs }) => !toOurs || !toTheirs).map(({ name }) => name);
    expect(apart.filter((name) => !shown.has(name))).toEqual([]);
    expect(relations.length).toBeGreaterThan(1);
  });
});
