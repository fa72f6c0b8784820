import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { writeEntry, writeHeader, type Entry } from '../../generator/recording/entry.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { c, handshake, notification, request, result, s } from './support.js';

afterAll(removeTemporaryFolders);

const folder = temporaryFolder();

function recording(name: string, entries: readonly Entry[]): string {
  const file = path.join(folder, name);
  const lines = [writeHeader({ version: 1, transport: 'stdio' }), ...entries.map((entry) => writeEntry(entry))];
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

const clean = [...handshake('2025-11-25'), c(request(1, 'ping')), s(result(1))];
const broken = [...clean, s(result(1)), c(request(2, 'vendor/thing'))];

describe('the exit code', () => {
  test.each([
    ['clean', clean, [], 0],
    ['broken', broken, [], 1],
    ['ignored', broken, ['--ignore', 'duplicate-response'], 0],
    ['advice', broken, ['--ignore', 'duplicate-response', '--fail-on', 'advice'], 1],
    ['never', broken, ['--fail-on', 'never'], 0],
  ] as const)('%s', async (name, entries, options, code) => {
    expect(await mcpgen(['inspect', recording(`${name}.ndjson`, entries), ...options])).toMatchObject({
      code,
      stderr: '',
    });
  });
});

test('the report has findings, latencies, errors and unanswered requests', async () => {
  const timed = broken.map((entry, index) => ({ ...entry, time: index * 10 }));
  const { stdout } = await mcpgen(['inspect', recording('timed.ndjson', timed)]);
  expect(stdout).toContain('mcpgen recording, stdio, 2025-11-25, 60 ms');
  expect(stdout).toContain('violation duplicate-response: a second response to one request');
  expect(stdout).toContain('#6 server: the request with the id 1 was answered  /id');
  expect(stdout).toContain('https://modelcontextprotocol.io/specification/2025-11-25/basic#messages');
  expect(stdout).toMatch(/ping +client +1 +- +- +10 ms/);
  expect(stdout).toContain('#7 client: vendor/thing, id 2');
  expect(stdout).toMatch(/1 violation, 1 advice\n$/);
});

test('JSON has all of it', async () => {
  const { stdout } = await mcpgen(['inspect', recording('json.ndjson', broken), '--json']);
  const report = JSON.parse(stdout) as { conversations: { findings: object[]; statistics: object }[] };
  expect(report.conversations[0]?.findings[0]).toMatchObject({
    rule: 'duplicate-response',
    severity: 'violation',
    frame: 6,
    line: 7,
    by: 'server',
    pointer: '/id',
    specification: 'https://modelcontextprotocol.io/specification/2025-11-25/basic#messages',
  });
  expect(report.conversations[0]?.statistics).toMatchObject({ requests: 3, responses: 3, unanswered: [{ frame: 7 }] });
});

test('--frame prints one entry with its findings', async () => {
  const { stdout, stderr } = await mcpgen(['inspect', recording('frame.ndjson', broken), '--frame', '6']);
  expect(JSON.parse(stdout)).toEqual({ from: 'server', frame: { jsonrpc: '2.0', id: 1, result: {} } });
  expect(stderr).toContain('duplicate-response');
});

test('Markdown has the findings with links, and what is in them formats nothing', async () => {
  const odd = [...clean, c(request(2, '<img src=x>[a](b)', {}))];
  const { code, stdout } = await mcpgen(['inspect', recording('md.ndjson', odd), '--markdown']);
  expect(code).toBe(0);
  expect(stdout).toContain('## Advice');
  expect(stdout).toContain('## `unknown-method`');
  expect(stdout).toContain('[Specification](https://modelcontextprotocol.io/');
  expect(stdout).not.toMatch(/(?<!\\)<img/);
});

test('SARIF has each finding at its line', async () => {
  const file = path.join(folder, 'x.sarif');
  const { code } = await mcpgen(['inspect', recording('sarif.ndjson', broken), '--sarif', file]);
  expect(code).toBe(1);
  const log = JSON.parse(readFileSync(file, 'utf8')) as {
    runs: { results: { ruleId: string; locations: { physicalLocation: { region: { startLine: number } } }[] }[] }[];
  };
  expect(
    log.runs[0]?.results.map(({ ruleId, locations }) => [ruleId, locations[0]?.physicalLocation.region.startLine]),
  ).toEqual([
    ['duplicate-response', 7],
    ['unknown-method', 8],
  ]);
});

test('--html writes a page that has the conversation', async () => {
  const file = path.join(folder, 'x.html');
  const { code, stderr } = await mcpgen(['inspect', recording('html.ndjson', broken), '--html', file]);
  expect([code, stderr]).toEqual([1, `${file} written\n`]);
  const page = readFileSync(file, 'utf8');
  expect(page).toContain('Content-Security-Policy');
  expect(page).toContain('duplicate-response');
});

test('text of a conversation does not control the terminal', async () => {
  const hostile = [...clean, c(request(2, '\u001b[2J\u202evil\nline', {}))];
  const { stdout } = await mcpgen(['inspect', recording('hostile.ndjson', hostile)]);
  // eslint-disable-next-line no-control-regex -- that is what must not be there
  expect(stdout).not.toMatch(/[\u001b\u202e]/);
  expect(stdout).toContain('\\u001b[2J');
});

describe('what is wrong with the command line', () => {
  test.each([
    [['no-such-file'], 'no-such-file: the file does not exist'],
    [[folder], 'it is a folder'],
    [['--ignore', 'duplicate-respons', 'x'], 'Did you mean duplicate-response?'],
    [['--revision', '2025-01-01', 'x'], '--revision'],
    [['--frame', '0', 'x'], '--frame: must be the number of an entry'],
    [['--json', '--markdown', 'x'], '--json and --markdown cannot be combined'],
    [[], 'inspect: no file was given'],
  ])('%j is explained', async (args, message) => {
    const { code, stdout, stderr } = await mcpgen(['inspect', ...args]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).toContain('hint: ');
  });

  test('a file without messages is explained', async () => {
    const file = path.join(folder, 'text.txt');
    writeFileSync(file, 'hello\n');
    const { code, stderr } = await mcpgen(['inspect', file]);
    expect(code).toBe(2);
    expect(stderr).toContain('no message was found in it');
  });
});

test('every fixture passes without a finding, and breaks what it says', async () => {
  const fixtures = path.resolve('test/fixtures');
  const files = readdirSync(fixtures, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ndjson'));
  expect(files.length).toBeGreaterThan(40);
  for (const file of files) {
    const { code, stdout } = await mcpgen(['inspect', path.join(fixtures, file), '--fail-on', 'advice']);
    expect([file, code, stdout.trim().split('\n').at(-1)]).toEqual([file, 0, 'no findings']);
  }
});

test('--follow prints findings of what is appended', async () => {
  const file = recording('growing.ndjson', clean);
  const stop = new AbortController();
  const { readSource } = await import('../../generator/commands/inspect/source.js');
  const { inspectRecording } = await import('../../generator/inspect/inspect.js');
  const found: string[] = [];
  const running = inspectRecording(readSource(file, stop.signal), {
    onEntry: ({ findings }) => {
      found.push(...findings.map(({ rule }) => rule));
      if (findings.length > 0) stop.abort();
    },
  });
  // The end of the file was reached by then, or is still read; both work.
  appendFileSync(file, `${writeEntry(s(notification('tools/list')))}\n`);
  await running;
  expect(found).toEqual(['wrong-direction']);
});
