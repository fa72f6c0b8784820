/** `mcpgen vectors run`: adapters that are wrong, late, silent or broken, and what is reported. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, test } from 'vitest';
import { vectorsRunCommand } from '../../generator/commands/vectors/run.js';
import { parseVectorsRunOptions } from '../../generator/commands/vectors/run-options.js';
import type { VectorFile, VectorIndex } from '../../generator/vectors/form.js';
import { readVectorFolder } from '../../generator/vectors/read.js';
import { runAdapter } from '../../generator/vectors/run/adapter.js';
import { countedFindings, ReportBuilder, type VectorReport } from '../../generator/vectors/run/report.js';
import { mcpgen, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';

afterAll(removeTemporaryFolders);

const ADAPTER = path.join(import.meta.dirname, 'fixtures/adapter.mjs');

/** Forty vectors of a definition: even ones are valid. One depends on an erratum. */
const FILE: VectorFile = {
  kind: 'definition',
  definition: 'Tool',
  vectors: Array.from({ length: 40 }, (_, index) => ({
    name: `Tool/${index}`,
    reason: `Value ${index}.`,
    value: { index },
    ...(index % 2 === 0 ? { valid: true } : { valid: false, pointer: '/index', rule: 'type' }),
    ...(index === 7 ? { erratum: 'some-erratum', officialValid: true } : {}),
  })),
};

/** Writes a folder with these files and returns it. */
function folderWith(
  files: readonly VectorFile[] = [FILE],
  index: Partial<Record<keyof VectorIndex, unknown>> = {},
): string {
  const folder = path.join(temporaryFolder(), '2025-11-25');
  mkdirSync(folder);
  for (const [number, file] of files.entries())
    writeFileSync(path.join(folder, `${number}.json`), JSON.stringify(file));
  const listed = files.map(({ kind, vectors }, number) => ({ path: `${number}.json`, kind, count: vectors.length }));
  const whole = { form: 1, revision: '2025-11-25', extensions: [], schema: '', flags: {}, files: listed, ...index };
  writeFileSync(path.join(folder, 'index.json'), JSON.stringify(whole));
  return folder;
}

async function runWith(args: readonly string[], timeoutMs = 5000, folder = folderWith()): Promise<VectorReport> {
  const report = new ReportBuilder('adapter', false);
  async function* files(): AsyncIterable<{ revision: string; file: VectorFile }> {
    await Promise.resolve();
    yield* readVectorFolder(folder);
  }
  await runAdapter(files(), report, { command: [process.execPath, ADAPTER, ...args], timeoutMs });
  return report.finish();
}

const names = (report: VectorReport, status: string): readonly string[] =>
  report.findings.filter((finding) => finding.status === status).map(({ name }) => name);

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

  test('that ends is started again, and the vector that ends it is named', async () => {
    const report = await runWith(['crash', 'Tool/20']);
    expect(names(report, 'no-answer')).toEqual(['Tool/20']);
    expect(report.findings.find(({ status }) => status === 'no-answer')?.message).toContain(
      'exited with 9: out of memory',
    );
    expect(report.counts.vectors).toBe(40);
  });

  test('that does not answer a vector is started again, and the vector is named', async () => {
    const report = await runWith(['hang', 'Tool/4'], 2000);
    expect(names(report, 'no-answer')).toEqual(['Tool/4']);
    expect(report.counts.vectors).toBe(40);
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

describe('mcpgen vectors run', () => {
  const command = ['--', process.execPath, ADAPTER];

  test('prints failures by rule, and writes reports and a baseline', async () => {
    const folder = folderWith();
    const out = temporaryFolder();
    const files = [
      '--junit',
      path.join(out, 'r.xml'),
      '--markdown',
      path.join(out, 'r.md'),
      '--baseline',
      path.join(out, 'b.json'),
    ];
    const args = ['vectors', 'run', '--vectors', folder, ...files];
    const first = await mcpgen([...args, '--update-baseline', ...command, 'accept']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain('violation type: the keyword type of the schema (19)');
    expect(first.stdout).toContain('  Tool/1 (2025-11-25): wrongly accepted\n    Value 1.\n');
    expect(first.stdout).toContain('and 14 more');
    expect(first.stdout).toContain('Of the failures, 1 follows the official schema');
    expect(first.stdout).toContain(`Updated ${path.join(out, 'b.json')}: 20 of 40 vectors passed`);
    expect(first.stdout).not.toContain('Failed');
    expect(readFileSync(path.join(out, 'r.xml'), 'utf8')).toContain(
      '<testcase classname="2025-11-25 definition" name="Tool"',
    );
    expect(readFileSync(path.join(out, 'r.md'), 'utf8')).toContain('| 2025-11-25 | definition | 40 | 20 | 20 |');
    const second = await mcpgen([...args, ...command, 'accept']);
    expect(second.code).toBe(0);
    expect(second.stdout).toContain('20 failures of the baseline do not count.');
    expect(second.stdout).toContain('Passed: 20 of 40 vectors passed, 20 wrongly accepted');
    const third = await mcpgen([...args, ...command, 'reject']);
    expect(third.code).toBe(1);
    expect(third.stdout).toContain('No longer found, remove from the baseline');
  }, 20_000);

  test('prints JSON, and selects by name and kind', async () => {
    const args = ['vectors', 'run', '--vectors', folderWith(), '--json', '--only', 'Tool/1*', '--ignore', 'Tool/1'];
    const { code, stdout } = await mcpgen([...args, ...command, 'accept']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ counts: { vectors: 10 }, failed: 5, findings: { length: 5 } });
  });

  test.each([
    ['no command', [], {}, 'no command to run'],
    ['an empty command', [''], {}, 'no command to run'],
    ['two roles', ['a'], { server: true, client: true }, '--server and --client cannot be combined'],
    ['a kind of a server', ['a'], { server: true, kind: 'framing' }, '--kind and --server cannot be combined'],
    ['a baseline without a file', ['a'], { updateBaseline: true }, 'there is no file to write'],
    ['two reports at once', ['a'], { json: true, junit: '-' }, '--json and --junit - cannot be combined'],
    ['no time', ['a'], { timeout: '0' }, 'must be a number of seconds'],
  ])('refuses %s', (_, words, raw, message) => {
    expect(() => parseVectorsRunOptions(words, raw)).toThrow(message);
  });

  test.each([
    ['an unknown revision', { revision: ['2025-01-01'] }, '2025-01-01'],
    [
      'a selection of nothing',
      { revision: ['2025-11-25'], kind: 'framing', only: ['Nothing'] },
      'no vector is selected',
    ],
  ])('refuses %s', async (_, raw, message) => {
    const options = parseVectorsRunOptions([process.execPath, ADAPTER], raw);
    await expect(vectorsRunCommand(options)).rejects.toThrow(message);
  });
});
