/** `mcpgen vectors run`: adapters that are wrong, late, silent or broken, and what is reported. */
import path from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, test } from 'vitest';
import type { VectorFile } from '../../generator/vectors/form.js';
import { readVectorFolder } from '../../generator/vectors/read.js';
import { runAdapter } from '../../generator/vectors/run/adapter.js';
import { countedFindings, ReportBuilder } from '../../generator/vectors/run/report.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { FILE, folderWith, runWith, names } from './run-support.js';

afterAll(removeTemporaryFolders);

describe('an adapter', () => {
  test('that accepts everything fails for each invalid value, except where an erratum explains it', async () => {
    const report = await runWith(['accept']);
    expect(names(report, 'wrongly-accepted')).toHaveLength(20);
    expect(report.findings.find(({ name }) => name === 'Tool/7')?.erratum).toBe('some-erratum');
    expect(countedFindings(report)).toHaveLength(19);
    expect(report.counts).toMatchObject({ vectors: 40, passed: 20, wronglyAccepted: 20, errata: 1 });
  });

  test('that rejects everything fails for each valid value, and its other pointers are counted', async () => {
    const report = await runWith(['reject']);
    expect(names(report, 'wrongly-rejected')).toHaveLength(20);
    expect(report.counts).toMatchObject({ passed: 20, wronglyRejected: 20, otherPointer: 20 });
    expect(report.findings[0]?.message).toBe('Value 0. (at /nowhere)');
  });

  test('that skips a vector is not at fault', async () => {
    const report = await runWith(['skip', 'Tool/1']);
    expect(report.counts.skipped).toBe(1);
    expect(report.skipped).toEqual([{ reason: 'not implemented', count: 1 }]);
  });

  test('may write other lines, which are reported', async () => {
    const report = await runWith(['garbage']);
    expect(report.counts.vectors).toBe(40);
    expect(report.problems.map(({ message }) => message)).toEqual([
      'a line is not JSON: starting',
      'an answer has no name: {"name": 7}',
      'an answer to a vector that does not wait for one: nobody',
    ]);
    expect(report.problems[0]?.count).toBe(8);
  });

  test.each([
    ['that ends at once', ['exit'], 5000, /the adapter exited with 3/],
    ['that never answers', ['silent'], 200, /did not answer within 0.2 s/],
  ])('%s is an error', async (_, args, timeoutMs, message) => {
    await expect(runWith(args, timeoutMs)).rejects.toThrow(message);
  });

  test('that does not exist is an error with a hint', async () => {
    const report = new ReportBuilder('', false);
    async function* files(): AsyncIterable<{ revision: string; file: VectorFile }> {
      yield await Promise.resolve({ revision: '2025-11-25', file: FILE });
    }
    await expect(runAdapter(files(), report, { command: ['no-such-adapter'], timeoutMs: 100 })).rejects.toThrow(
      'the program was not found',
    );
  });

  test('gets a value whose notation matters as it is written', async () => {
    const vector = { name: 'Tool/a', reason: 'A.', valid: true, value: 1, text: '1.0' };
    const echo = `
      process.stdin.on('data', (chunk) => {
        if (!String(chunk).includes('"value":1.0}')) process.exit(1);
        console.log('{"name":"Tool/a","valid":true}');
      });`;
    const report = new ReportBuilder('', false);
    async function* files(): AsyncIterable<{ revision: string; file: VectorFile }> {
      const file: VectorFile = { kind: 'definition', definition: 'Tool', vectors: [vector] };
      yield await Promise.resolve({ revision: '2025-11-25', file });
    }
    await runAdapter(files(), report, { command: [process.execPath, '-e', echo], timeoutMs: 5000 });
    expect(report.finish().counts.passed).toBe(1);
  });
});

const RULED = {
  name: 'a',
  reason: 'b',
  rule: 'not-json',
  severity: 'violation',
  section: 'https://example.com',
} as const;

describe('a folder of vectors', () => {
  test.each([
    ['has no index', () => temporaryFolder(), 'no vectors here'],
    ['has a newer form', () => folderWith([FILE], { form: 2 }), 'the vectors have the form 2'],
    [
      'names files outside',
      () => folderWith([FILE], { files: [{ path: '../a.json', kind: 'framing' }] }),
      'not a path inside',
    ],
    ['has no list of files', () => folderWith([FILE], { files: {} }), 'not an index of vectors'],
    [
      'has a vector without a verdict',
      () =>
        folderWith([
          { kind: 'definition', definition: 'Tool', vectors: [{ name: 'a', reason: 'b', value: 1 } as never] },
        ]),
      'not a file of vectors with the kind definition: /vectors/0/valid is missing',
    ],
    [
      'has a frame that is none',
      () => folderWith([{ kind: 'framing', vectors: [{ ...RULED, chunks: [], frames: [null as never] }] }]),
      'not a file of vectors with the kind framing: /vectors/0/frames/0 is wrong',
    ],
    [
      'has a step that is none',
      () =>
        folderWith([{ kind: 'session', vectors: [{ ...RULED, role: 'server', ignore: [], steps: [null as never] }] }]),
      'not a file of vectors with the kind session: /vectors/0/steps/0',
    ],
  ])('that %s is an error', (_, make, message) => {
    expect(() => [...readVectorFolder(make())]).toThrow(message);
  });

  test('may have members that only a newer version knows', () => {
    const vectors = [{ ...RULED, chunks: [], frames: [], newer: true }];
    expect([...readVectorFolder(folderWith([{ kind: 'framing', vectors, newer: true } as never]))]).toHaveLength(1);
  });

  test('may have several revisions', () => {
    const folder = folderWith();
    expect([...readVectorFolder(path.dirname(folder))].map(({ revision }) => revision)).toEqual(['2025-11-25']);
  });
});
