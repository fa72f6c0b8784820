import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const CLI = path.resolve('dist/generator/cli.js');
const ENTER = '\r';
const DOWN = '\u001B[B';
const CTRL_C = '\u0003';

/** Whether `script` of util-linux, which runs a program in a terminal and reads its input from a pipe, is available. */
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' }).status === 0;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-terminal-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs `mcpgen` on a terminal. Each step waits for a text that was not there before, then types. */
async function onTerminal(
  args: string,
  steps: readonly (readonly [seen: string, keys: string])[],
): Promise<{ code: number | null; screen: string }> {
  const child = spawn('script', ['-qec', `${process.execPath} ${CLI} ${args}`, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, TERM: 'xterm-256color', CI: undefined },
  });
  let screen = '';
  let from = 0;
  const waiting = [...steps];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    const [next] = waiting;
    const at = next === undefined ? -1 : screen.indexOf(next[0], from);
    if (next === undefined || at === -1) return;
    waiting.shift();
    from = at + next[0].length;
    // A person types when the question stands there.
    setTimeout(() => child.stdin.write(next[1]), 200);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  expect(waiting, screen).toEqual([]);
  return { code, screen };
}

// eslint-disable-next-line no-control-regex -- colors and cursor movements of a terminal
const plain = (screen: string): string => screen.replaceAll(/\u001B\[[0-9;?]*[A-Za-z]/g, '');

describe('on a terminal', () => {
  beforeEach((context) => {
    context.skip(!hasTerminal, 'no program `script` to make a terminal with');
  });

  test('prompts are answered by keys', async () => {
    const { code, screen } = await onTerminal('init server --no-install --no-git', [
      ['Name of the package', `typed${ENTER}`],
      ['Revisions of the protocol', ENTER],
      ['Examples to include', ENTER],
      ['Transports', `${DOWN} ${ENTER}`],
      ['Transports', ENTER],
      ['Sessions over HTTP', `${DOWN}${ENTER}`],
    ]);
    expect([code, plain(screen)]).toEqual([0, expect.stringContaining('typed:')]);
    expect(JSON.parse(readFileSync(path.join(folder, 'typed/package.json'), 'utf8'))).toMatchObject({ name: 'typed' });
    expect(readFileSync(path.join(folder, 'typed/mcpgen.config.json'), 'utf8')).toContain('"http-redis"');
  });

  test('with a store, there is no other runtime to choose', async () => {
    const flags = '-r 2025-11-25 --features none --store redis --no-install --no-git';
    const { code, screen } = await onTerminal(`init server stored ${flags}`, [['Transports', `${DOWN} ${ENTER}`]]);
    expect([code, plain(screen)]).toEqual([0, expect.stringContaining('over stdio and http')]);
    expect(readFileSync(path.join(folder, 'stored/package.json'), 'utf8')).toContain('"redis"');
  });

  test('runtimes are chosen among those that go with the answers before', async () => {
    const flags = '--features none --no-install --no-git';
    const v1 = await onTerminal(`init client first -r 2024-11-05 --transport http ${flags}`, [
      ['Transports', `${DOWN}${DOWN}${ENTER}`],
    ]);
    expect([v1.code, plain(v1.screen)]).toEqual([0, expect.stringContaining('official SDK 1.x')]);
    expect(readFileSync(path.join(folder, 'first/package.json'), 'utf8')).toContain('"@modelcontextprotocol/sdk"');
    // Over HTTP the transports of the SDK have nothing for this revision: the only one that is left is taken.
    const none = await onTerminal(`init server second -r 2026-07-28 --transport http ${flags}`, [
      ['Transports', `${DOWN}${ENTER}`],
      ['Sessions over HTTP', ENTER],
    ]);
    expect([none.code, plain(none.screen)]).toEqual([0, expect.stringContaining('(over HTTP only with a revision')]);
    expect(readFileSync(path.join(folder, 'second/package.json'), 'utf8')).not.toContain('"@modelcontextprotocol/');
  });

  test('an invalid name is requested again', async () => {
    const { code, screen } = await onTerminal('init client --no-install --no-git', [
      ['Name of the package', `No Name${ENTER}`],
      ['name', '\u0015'],
      ['Name of the package', CTRL_C],
    ]);
    expect(code).toBe(130);
    expect(plain(screen)).not.toMatch(/^ +at /m);
  });

  test.each([
    ['Name of the package', 0],
    ['Revisions of the protocol', 1],
    ['Transports', 4],
  ])('Ctrl-C at %j leaves nothing behind', async (question, answered) => {
    const before = readdirSync(folder);
    const { code, screen } = await onTerminal('init server --no-install', [
      ...(
        [
          ['Name of the package', `left${ENTER}`],
          ['Revisions of the protocol', ENTER],
          ['Examples to include', ENTER],
          ['Transports', ENTER],
        ] as const
      ).slice(0, answered),
      [question, CTRL_C],
    ]);
    expect(code).toBe(130);
    expect(plain(screen)).toContain('nothing was written');
    expect(plain(screen)).not.toMatch(/^ +at /m);
    expect(readdirSync(folder)).toEqual(before);
    expect(existsSync(path.join(folder, 'left'))).toBe(false);
  });
});
