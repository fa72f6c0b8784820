/** `mcpgen vectors run` with adapters, servers and folders that are broken or hostile: nothing hangs, and memory is bounded. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, test } from 'vitest';
import type { VectorFile } from '../../generator/vectors/form.js';
import { readVectorFolder } from '../../generator/vectors/read.js';
import { runAdapter } from '../../generator/vectors/run/adapter.js';
import { playSessions } from '../../generator/vectors/run/play.js';
import { ReportBuilder, type VectorReport } from '../../generator/vectors/run/report.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';

afterAll(removeTemporaryFolders);

/** Answers each vector with the members that an expression makes of it. */
const answering = (members: string): string => `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const vector = JSON.parse(line);
    console.log(JSON.stringify({ name: vector.name, ...(${members}) }));
  });`;

async function* only(file: VectorFile): AsyncIterable<{ revision: string; file: VectorFile }> {
  yield await Promise.resolve({ revision: '2025-11-25', file });
}

const definitions = (count: number, value: unknown = 1): VectorFile => ({
  kind: 'definition',
  definition: 'Tool',
  vectors: Array.from({ length: count }, (_, index) => ({
    name: `Tool/${index}`,
    reason: 'A value.',
    valid: true,
    value: value as string,
  })),
});

async function run(program: string, file: VectorFile, timeoutMs = 1000): Promise<VectorReport> {
  const report = new ReportBuilder('adapter', false);
  await runAdapter(only(file), report, { command: [process.execPath, '-e', program], timeoutMs });
  return report.finish();
}

describe('an adapter', () => {
  test('that writes only empty lines does not answer', async () => {
    const program = `setInterval(() => console.log(''), 20); process.stdin.resume();`;
    await expect(run(program, definitions(2))).rejects.toThrow('did not answer within 1 s');
  });

  test('that never reads its input is stuck, although it has answers', async () => {
    const program = `setInterval(() => console.log(''), 20);`;
    await expect(run(program, definitions(3, 'x'.repeat(1_000_000)))).rejects.toThrow('did not answer within 1 s');
  });

  test('that writes only logs is an error with the first of them', async () => {
    const program = `process.stdin.once('data', () => console.log('Loading')); setInterval(() => {}, 1000);`;
    await expect(run(program, definitions(2))).rejects.toMatchObject({
      message: expect.stringContaining('(a line is not JSON: Loading)') as string,
      remedy: expect.stringContaining('logs belong on standard error') as string,
    });
  });

  test('that ends at once is not asked to flush', async () => {
    await expect(run('process.exit(7)', definitions(2))).rejects.toMatchObject({
      message: expect.stringContaining('exited with 7') as string,
      remedy: expect.stringContaining('until the input ends') as string,
    });
  });

  test('whose answer cannot be read has failed that vector, without a pause', async () => {
    const start = performance.now();
    const report = await run(answering(`{ valid: 'yes' }`), definitions(5), 20_000);
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(report.counts).toMatchObject({ vectors: 5, noAnswer: 5 });
    expect(report.findings[0]?.message).toBe('the answer has neither valid nor skip: {"name":"Tool/0","valid":"yes"}');
  });

  test('with long texts in its answers does not fill the memory', async () => {
    const pointers = await run(answering(`{ valid: false, pointer: '/'.repeat(100000) }`), definitions(40), 20_000);
    expect(pointers.counts.wronglyRejected).toBe(40);
    expect(JSON.stringify(pointers).length).toBeLessThan(100_000);
    const reasons = await run(answering(`{ skip: vector.name + 'x'.repeat(100000) }`), definitions(40), 20_000);
    expect(reasons.counts.skipped).toBe(40);
    expect(JSON.stringify(reasons).length).toBeLessThan(100_000);
  });
});

describe('a server', () => {
  const vector = {
    name: 'session/a',
    reason: 'It answers.',
    role: 'server',
    rule: 'unanswered-request',
    severity: 'violation',
    section: 'https://example.com',
    ignore: [{ method: 'log' }],
  } as const;

  async function play(program: string, steps: readonly object[], timeoutMs = 3000): Promise<VectorReport> {
    const report = new ReportBuilder('server', false);
    const file = { kind: 'session', vectors: [{ ...vector, steps }] } as unknown as VectorFile;
    const command = [process.execPath, '-e', program];
    await playSessions(only(file), report, { command, role: 'server', timeoutMs });
    return report.finish();
  }

  test('that floods its output is stopped, and that is what is reported', async () => {
    const program = `
      const line = JSON.stringify({ method: 'log', text: 'x'.repeat(10000000) }) + '\\n';
      const write = () => { while (process.stdout.write(line)); process.stdout.once('drain', write); };
      write();`;
    const { findings } = await play(program, [{ sendChunks: Array(300).fill('IA==') }, { expect: { id: 1 } }], 20_000);
    expect(findings[0]?.message).toContain('it floods its output');
  }, 30_000);

  test('that reads nothing does not stop the run', async () => {
    const { findings } = await play('setInterval(() => {}, 1000)', [{ sendText: 'x'.repeat(1_000_000) }]);
    expect(findings[0]?.message).toContain('the server does not read its input within 3 s');
  }, 20_000);
});

describe('a folder of vectors', () => {
  const framing = { name: 'a', reason: 'A.', rule: 'a', severity: 'violation', section: '', chunks: [], frames: [] };
  const session = { ...framing, role: 'server', ignore: [], steps: [] };

  function read(kind: string, vector: unknown): readonly unknown[] {
    const folder = path.join(temporaryFolder(), '2025-11-25');
    mkdirSync(folder);
    const about = kind === 'definition' ? { definition: 'Tool' } : {};
    writeFileSync(path.join(folder, 'a.json'), JSON.stringify({ kind, ...about, vectors: [vector] }));
    const index = { form: 1, revision: '2025-11-25', files: [{ path: 'a.json', kind }] };
    writeFileSync(path.join(folder, 'index.json'), JSON.stringify(index));
    return [...readVectorFolder(folder)];
  }

  test.each([
    ['definition', null],
    ['definition', { name: 'a', reason: 'A.', valid: true, value: 1, text: 7 }],
    ['definition', { name: 'a', reason: 'A.', valid: true, value: 1, rule: {} }],
    ['framing', { ...framing, severity: 'fatal' }],
    ['framing', { ...framing, chunks: [7] }],
    ['framing', { ...framing, frames: [null] }],
    ['framing', { ...framing, alternatives: [7] }],
    ['session', { ...session, steps: [{ wait: 1 }] }],
    ['session', { ...session, steps: [null] }],
    ['session', { ...session, steps: [{ silenceMs: 'long' }] }],
    ['session', { ...session, steps: [{ sendChunks: [7] }] }],
  ])('with a wrong %s is an error: %j', (kind, vector) => {
    expect(() => read(kind, vector)).toThrow(/^not a file of vectors with the kind \w+: \/vectors\/0/);
  });

  test('may have members that a later version adds', () => {
    expect(read('session', { ...session, later: 1, steps: [{ end: true, later: 1 }] })).toHaveLength(1);
    expect(read('framing', { ...framing, later: 1 })).toHaveLength(1);
  });
});
