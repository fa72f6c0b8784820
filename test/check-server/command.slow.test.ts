/** `mcpgen check-server` on the command line. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CheckReport } from '../../generator/check-server/report.js';
import { mcpgen as mcpgenProcess, removeTemporaryFolders, run, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { gardenCommand, scriptCommand, withGarden } from './support.js';
import { REVISION, small } from './command-support.js';

afterAll(removeTemporaryFolders);

const SECRET = 'very-secret-value-91';

let good = '';
let bad = '';
/** What one check of {@link bad} wrote in all forms. */
let reports: { readonly code: number | null; readonly stdout: string; readonly folder: string };

beforeAll(async () => {
  good = await gardenCommand();
  bad = small("if (method === 'ping') { fail(-32601); continue; }");
  const folder = temporaryFolder();
  const files = ['--sarif', path.join(folder, 'a.sarif'), '--junit', path.join(folder, 'a.xml')];
  const { code, stdout } = await mcpgen(['check-server', bad, ...REVISION, '--json', ...files]);
  reports = { code, stdout, folder };
});

describe('exit codes', () => {
  test('--fail-on decides which severities fail', async () => {
    const server = small("if (method === 'logging/setLevel') { answer({}); continue; }");
    const codes = await Promise.all(
      [[], ['--fail-on', 'deviation'], ['--fail-on', 'advice'], ['--fail-on', 'never']].map(
        async (options) => (await mcpgen(['check-server', server, ...REVISION, ...options])).code,
      ),
    );
    expect(codes).toEqual([0, 1, 1, 0]);
  }, 120_000);

  test('2 for a server that ends at once, with what it wrote', async () => {
    const server = `${process.execPath} -e "console.error('no license'); process.exit(3)"`;
    const { code, stderr } = await mcpgen(['check-server', server]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/speaks no revision of MCP[^]*no license[^]*hint: /)]);
  }, 60_000);

  test('2 for a port where nothing listens', async () => {
    const { code, stderr } = await mcpgen(['check-server', 'http://127.0.0.1:9/mcp']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('speaks no revision of MCP')]);
  }, 60_000);
});

describe('reports', () => {
  test('--json has one format', () => {
    const report = JSON.parse(reports.stdout) as CheckReport;
    expect(reports.code).toBe(1);
    expect(report).toMatchObject({
      server: { name: 'small', version: '1.0.0' },
      transport: 'stdio',
      revisions: ['2025-11-25'],
      tools: 0,
      fixed: [],
    });
    const [finding] = report.findings;
    expect(finding).toMatchObject({
      rule: 'ping-refused',
      severity: 'violation',
      subject: 'ping',
      revisions: ['2025-11-25'],
      isKnown: false,
    });
    expect(finding?.evidence.sent).toHaveLength(1);
    expect(finding?.evidence.received).toHaveLength(1);
  }, 60_000);

  test('the line to see it again shows it again', async () => {
    const { findings } = JSON.parse(reports.stdout) as CheckReport;
    const again = findings[0]?.again ?? '';
    const { stdout: answers } = await run('sh', ['-c', again]);
    expect(answers.trim().split('\n')).toHaveLength(2);
    expect(answers).toContain('-32601');
  }, 60_000);

  test('over HTTP the line uses curl, with the session', async () => {
    await withGarden('serves-any-version-header', async (url) => {
      const { stdout } = await mcpgen(['check-server', url, ...REVISION, '--json', '--only', 'http-version-unchecked']);
      const { findings } = JSON.parse(stdout) as CheckReport;
      const again = findings[0]?.again ?? '';
      const { stdout: answers } = await run('sh', ['-c', again]);
      expect(answers).toMatch(/^HTTP\/1.1 200 /m);
    });
  }, 60_000);

  test('SARIF is valid, and has each finding with a fingerprint', () => {
    const log = JSON.parse(readFileSync(path.join(reports.folder, 'a.sarif'), 'utf8')) as {
      runs: readonly [{ results: readonly object[]; tool: { driver: { rules: readonly object[] } } }];
    };
    const schemaFile = createRequire(import.meta.url).resolve(
      '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json',
    );
    // Its draft-04 identifier is all that Ajv does not know.
    const { id: _, ...schema } = JSON.parse(readFileSync(schemaFile, 'utf8')) as { id?: string };
    const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile({
      ...schema,
      $schema: 'http://json-schema.org/draft-07/schema#',
    });
    expect([validate(log), validate.errors]).toEqual([true, null]);
    expect(log.runs[0].results).toMatchObject([
      { ruleId: 'ping-refused', level: 'error', partialFingerprints: { 'mcpgen/v1': 'ping-refused ping' } },
    ]);
    expect(log.runs[0].tool.driver.rules).toMatchObject([{ id: 'ping-refused' }]);
  }, 60_000);

  test('JUnit has a failure for each rule, escaped', () => {
    const xml = readFileSync(path.join(reports.folder, 'a.xml'), 'utf8');
    expect(xml).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites /);
    expect(xml).toContain('<failure type="ping-refused"');
    expect(xml).toContain('{&quot;jsonrpc&quot;:&quot;2.0&quot;');
    // Tags are balanced.
    const open: string[] = [];
    for (const [, end, name, self] of xml.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
      if (end === '/') expect(open.pop()).toBe(name);
      else if (self !== '/') open.push(name ?? '');
    }
    expect(open).toEqual([]);
    expect(xml.replaceAll(/<[^<>]*>/g, '')).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot);)/);
  }, 60_000);

  test('the page is escaped and loads nothing', async () => {
    const server = scriptCommand(
      `if (message.method === 'initialize') write({ jsonrpc: '2.0', id: message.id, result: { protocolVersion: message.params.protocolVersion, capabilities: {}, serverInfo: { name: '<script>alert(1)</script>', version: '1' } } });
       else if (message.id !== undefined) write({ jsonrpc: '2.0', id: message.id, error: { code: -32000, message: '<img src=x onerror=alert(2)>' } });`,
    );
    const folder = temporaryFolder();
    const file = path.join(folder, 'a.html');
    const { code } = await mcpgen(['check-server', server, ...REVISION, '--html', file, '--markdown']);
    expect(code).toBe(1);
    const page = readFileSync(file, 'utf8');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).not.toMatch(/<(?:script|img|link|iframe)|<[a-z]+\s[^>]*\b(?:src|on[a-z]+)=|@import|url\(/);
    expect(page).toMatch(/default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'/);
  }, 60_000);

  test('text of a server cannot format the Markdown report', async () => {
    const server = scriptCommand(
      `if (message.method === 'initialize') write({ jsonrpc: '2.0', id: message.id, result: { protocolVersion: message.params.protocolVersion, capabilities: {}, serverInfo: { name: 'a', version: '1' } } });
       else if (message.id !== undefined) write({ jsonrpc: '2.0', id: message.id, result: {} });`,
      "write('![x](https://example.com) <b> | @someone ```')",
    );
    const { stdout } = await mcpgen(['check-server', server, ...REVISION, '--markdown']);
    expect(stdout).toContain('## Violations');
    const prose = stdout.replaceAll(/^ *(`{3,})[^]*?^ *\1$/gm, '');
    expect(prose).not.toMatch(/(?<!\\)!\[|(?<!\\)<b>|(?<!\\)@someone/);
  }, 60_000);
});

describe('known findings', () => {
  test('a baseline hides what it has, and names what is gone', async () => {
    const file = path.join(temporaryFolder(), 'known.json');
    const update = await mcpgen(['check-server', bad, ...REVISION, '--baseline', file, '--update-baseline']);
    expect(update.code).toBe(0);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ findings: [{ rule: 'ping-refused', subject: 'ping' }] });
    const known = await mcpgen(['check-server', bad, ...REVISION, '--baseline', file]);
    expect([known.code, known.stdout]).toEqual([0, expect.stringContaining('0 violations, 0 deviations, 1 known')]);
    const gone = await mcpgen(['check-server', small(''), ...REVISION, '--baseline', file]);
    expect([gone.code, gone.stdout]).toEqual([
      0,
      expect.stringContaining('No longer found, remove from the baseline: ping-refused ping'),
    ]);
    // A reason survives an update.
    writeFileSync(file, JSON.stringify({ findings: [{ rule: 'ping-refused', subject: 'ping', reason: 'planned' }] }));
    await mcpgen(['check-server', bad, ...REVISION, '--baseline', file, '--update-baseline']);
    expect(readFileSync(file, 'utf8')).toContain('"reason": "planned"');
  }, 120_000);

  test('--ignore and --only choose rules', async () => {
    const skipped = await mcpgen(['check-server', bad, ...REVISION, '--ignore', 'ping-refused']);
    expect(skipped.code).toBe(0);
    const other = await mcpgen(['check-server', bad, ...REVISION, '--only', 'no-answer,flood']);
    expect(other.code).toBe(0);
  }, 60_000);

  test.each([
    ['not JSON', '{', ':1:2'],
    ['no list', '{}', 'not a baseline of check-server'],
    ['a finding without a rule', '{"findings": [{"subject": "a"}]}', '#/findings/0'],
  ])('a baseline with %s is an error', async (_, text, message) => {
    const file = path.join(temporaryFolder(), 'known.json');
    writeFileSync(file, text);
    const { code, stderr } = await mcpgen(['check-server', good, '--baseline', file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('secrets', () => {
  test('values of variables and headers are in no report', async () => {
    const folder = temporaryFolder();
    const files = ['a.sarif', 'a.xml', 'a.html'].map((name) => path.join(folder, name));
    const [sarif = '', junit = '', html = ''] = files;
    // It repeats its environment in each answer.
    const server = scriptCommand(
      `if (message.method === 'initialize') write({ jsonrpc: '2.0', id: message.id, result: { protocolVersion: message.params.protocolVersion, capabilities: {}, serverInfo: { name: process.env.API_KEY, version: '1' } } });
       else if (message.id !== undefined) write({ jsonrpc: '2.0', id: message.id, error: { code: -32000, message: 'key ' + process.env.API_KEY } });`,
    );
    const forms = ['--sarif', sarif, '--junit', junit, '--html', html];
    const outputs = await Promise.all([
      mcpgen(['check-server', server, ...REVISION, '--env', `API_KEY=${SECRET}`, '--json', ...forms]),
      mcpgen(['check-server', server, ...REVISION, '--env', `API_KEY=${SECRET}`]),
    ]);
    const texts = [
      ...outputs.flatMap(({ stdout, stderr }) => [stdout, stderr]),
      ...files.map((file) => readFileSync(file, 'utf8')),
    ];
    for (const text of texts) expect(text).not.toContain(SECRET);
    expect(outputs[0].stdout).toContain('API_KEY=\\"$API_KEY\\"');
  }, 60_000);

  test('a token is a variable in the line to see it again', async () => {
    await withGarden('has-no-get', async (url) => {
      const { stdout } = await mcpgen(['check-server', url, ...REVISION, '--bearer-env', 'TOKEN', '--json'], {
        env: { TOKEN: SECRET },
      });
      expect(stdout).not.toContain(SECRET);
      expect(stdout).toContain('authorization: $MCPGEN_AUTHORIZATION');
    });
  }, 60_000);
});

test('a signal ends the servers, too', async () => {
  const server = scriptCommand(
    '',
    "process.stderr.write('started'); setInterval(() => {}, 1000); process.on('SIGTERM', () => {})",
  );
  const marker = `mcpgen-marker-${process.pid}`;
  const checked = mcpgenProcess(['check-server', `${server} ${marker}`]);
  const list = async (): Promise<readonly string[]> =>
    (await run('ps', ['-eo', 'pid,args'])).stdout
      .split('\n')
      .filter((line) => line.includes(marker) && !line.includes('check-server'));
  await expect.poll(list, { timeout: 10_000 }).not.toEqual([]);
  const own = (await run('ps', ['-eo', 'pid,args'])).stdout
    .split('\n')
    .find((line) => line.includes(marker) && line.includes('check-server'));
  process.kill(Number(own?.trim().split(' ')[0]), 'SIGTERM');
  await checked;
  await expect.poll(list, { timeout: 5000 }).toEqual([]);
}, 60_000);
