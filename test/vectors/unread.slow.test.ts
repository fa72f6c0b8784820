/** `mcpgen vectors run` with programs that stop reading their input, which fills the pipe. */
import { expect, test } from 'vitest';
import type { RevisionFile } from '../../generator/vectors/read.js';
import { runAdapter } from '../../generator/vectors/run/adapter.js';
import { playSessions } from '../../generator/vectors/run/play.js';
import { ReportBuilder } from '../../generator/vectors/run/report.js';
import type { FramingVector, SessionVector } from '../../generator/vectors/form.js';

/** More than a pipe and both of its ends hold. */
const LARGE = 'A'.repeat(1_000_000);
const RULE = { rule: 'not-json', severity: 'violation', section: 'https://example.com' } as const;

const framing = (name: string, chunk: string): FramingVector => ({
  name,
  reason: 'A reason.',
  ...RULE,
  chunks: [chunk],
  frames: [],
});

async function* files(...given: readonly RevisionFile['file'][]): AsyncIterable<RevisionFile> {
  for (const file of given) yield await Promise.resolve({ revision: '2025-11-25', file });
}

/** Answers each line of less than 1000 characters, and stops reading at the first longer one. */
const ADAPTER = `let text = '';
process.stdin.on('data', (chunk) => {
  text += chunk;
  for (let end = text.indexOf('\\n'); end !== -1; end = text.indexOf('\\n')) {
    console.log(JSON.stringify({ name: JSON.parse(text.slice(0, end)).name, frames: [] }));
    text = text.slice(end + 1);
  }
  if (text.length < 1000) return;
  process.stdin.pause();
  setInterval(() => undefined, 1000);
});`;

test('reports the vector at which an adapter stops reading, and asks the others', async () => {
  const report = new ReportBuilder('adapter', false);
  const vectors = [framing('first', ''), framing('large', LARGE), framing('last', '')];
  await runAdapter(files({ kind: 'framing', vectors } as never), report, {
    command: [process.execPath, '-e', ADAPTER],
    timeoutMs: 700,
  });
  const { counts, findings } = report.finish();
  expect(counts).toMatchObject({ vectors: 3, passed: 2, noAnswer: 1 });
  expect(findings.map(({ name, message }) => `${name}: ${message}`)).toEqual([
    'large: the adapter did not answer within 0.7 s',
  ]);
});

test.each([
  { what: 'a line', step: { sendText: LARGE } },
  { what: 'bytes', step: { sendChunks: [Buffer.from(LARGE).toString('base64')] } },
])('ends a conversation with a server that does not read $what', async ({ step }) => {
  const report = new ReportBuilder('server', false);
  const vector: SessionVector = {
    name: 'large',
    reason: 'A reason.',
    ...RULE,
    role: 'server',
    ignore: [],
    steps: [step],
  };
  await playSessions(files({ kind: 'session', vectors: [vector] } as never), report, {
    command: [process.execPath, '-e', 'setInterval(() => undefined, 1000)'],
    role: 'server',
    timeoutMs: 300,
  });
  expect(report.finish().findings.map(({ status, message }) => `${status}: ${message}`)).toEqual([
    'no-answer: A reason. But the server does not read its input within 0.3 s',
  ]);
});
