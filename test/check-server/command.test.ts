/** `mcpgen check-server` on the command line. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeTemporaryFolders } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { gardenCommand } from './support.js';
import { REVISION, small } from './command-support.js';

afterAll(removeTemporaryFolders);

let good = '';
let bad = '';

beforeAll(async () => {
  good = await gardenCommand();
  bad = small("if (method === 'ping') { fail(-32601); continue; }");
});

describe('exit codes', () => {
  test('0 without a finding', async () => {
    const { code, stdout, stderr } = await mcpgen(['check-server', good, ...REVISION]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe('garden 1.0.0, stdio, MCP 2025-11-25, 6 tools\n\n0 violations, 0 deviations\n');
  }, 60_000);

  test('1 with a violation, which is shown with its exchange', async () => {
    const { code, stdout } = await mcpgen(['check-server', bad, ...REVISION]);
    expect(code).toBe(1);
    expect(stdout).toContain('\nviolation ping-refused: ping answered with an error\n');
    expect(stdout).toMatch(
      /\n {4}> \{"jsonrpc":"2.0","id":\d+,"method":"ping"\}\n {4}< \{.*-32601.*\n {4}\$ \(printf /,
    );
    expect(stdout).toMatch(/1 violation, 0 deviations\n$/);
  }, 60_000);

  test.each([
    ['a program that does not exist', ['mcpgen-no-such-program'], 'mcpgen-no-such-program: the program was not found'],
    ['an unknown rule', ['node x.js', '--ignore', 'ping-refuse'], 'Did you mean ping-refused?'],
    ['an unknown revision', ['node x.js', '--revision', '2020-01-01'], '2020-01-01'],
    [
      'two reports on standard output',
      ['node x.js', '--json', '--sarif', '-'],
      '--json and --sarif - cannot be combined',
    ],
    ['--update-baseline without a file', ['node x.js', '--update-baseline'], 'Add --baseline FILE.'],
    ['a baseline that is not there', ['node x.js', '--baseline', 'no-such.json'], 'no-such.json'],
    ['an option for URLs', ['node x.js', '--header', 'A: b'], 'does not apply to a command'],
    ['no server', [], 'the server is missing'],
    ['a URL with words after it', ['http://localhost', 'x.js'], 'too many arguments'],
  ])('2 for %s', async (_, args, message) => {
    const { code, stdout, stderr } = await mcpgen(['check-server', ...args]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });
});
