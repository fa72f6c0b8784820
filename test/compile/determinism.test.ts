import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { SHARED_PARTS } from '../../generator/emit/parts.js';
import { check, DEFAULT_PARTS } from '../../generator/index.js';
import { removeTemporaryFolders } from '../support/cli.js';
import { REVISIONS } from '../support/revisions.js';
import { testRevisions, generated } from './determinism-revisions.js';

afterAll(removeTemporaryFolders);

// The others are in determinism.slow.test.ts.
testRevisions(REVISIONS.slice(-1));

describe('surroundings', () => {
  test('finds generated/ up to date', async () => {
    // `pipe` has only files that the defaults have too.
    const shared = SHARED_PARTS.filter((part) => part !== 'pipe');
    const { upToDate, changes, warnings } = await check({ out: generated, emit: [...DEFAULT_PARTS, ...shared] });
    expect(
      changes.filter((change) => change.status !== 'unchanged').map(({ path: file, status }) => ({ file, status })),
    ).toEqual([]);
    expect(upToDate).toBe(true);
    expect(warnings).toEqual([]);
    expect([...new Set(changes.map((change) => change.path.split('/')[0]))].sort()).toEqual(
      readdirSync(generated).sort(),
    );
  });
});
