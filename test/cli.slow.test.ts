import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test, type TestContext } from 'vitest';
import { CLI, plainEnvironment, removeTemporaryFolders, run, temporaryFolder, type Run } from './support/cli.js';
import { mcpgen } from './support/in-process.js';
import { findInternals, schemaWith } from './support/hostile.js';
import { expectSuccess, smallProtocol } from './cli-support.js';

afterAll(removeTemporaryFolders);

describe.concurrent('streams', () => {
  test('waits for a schema that arrives in pieces', async () => {
    const cwd = smallProtocol();
    const args = ['generate', '--schema', '-', '--catalog', 'catalog.json', '--emit', 'types'];
    const late = await mcpgen(args, { cwd, input: JSON.stringify(schemaWith()), inputAfter: 1500 });
    expect(late).toMatchObject({ code: 0, stderr: '' });
    expect(late.stdout).toContain('export type PingRequest = {');
    const shell = `(sleep 1; head -c 100 schema.json; sleep 1; tail -c +101 schema.json) | "$0" "$@"`;
    const pieces = await run('sh', ['-c', shell, process.execPath, CLI, ...args], { cwd });
    expect(pieces).toMatchObject({ code: 0, stderr: '' });
    const withoutHashes = (text: string): string => text.replace(/sha256[ :]\w+/g, '');
    expect(withoutHashes(pieces.stdout)).toBe(withoutHashes(late.stdout));
  });

  test('nothing on standard input is an explained fault', async () => {
    const cwd = smallProtocol();
    const args = ['generate', '--schema', '-', '--catalog', 'catalog.json'];
    const result = await mcpgen(args, { cwd, input: '' });
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(/^error: standard input: the file is empty\n/);
    const closed = await run('sh', ['-c', '"$0" "$@" <&-', process.execPath, CLI, ...args], { cwd });
    expect(closed.code).toBe(2);
    expect(findInternals(closed.stderr)).toEqual([]);
  });

  test.each([
    [['methods', '--json']],
    [['errata']],
    [['explain', 'tools/call', '--json']],
    [['generate', '-r', '2025-11-25', '--emit', 'types', '--out', '-']],
    [['generate', '--help']],
  ])('a reader that closes the pipe is no fault: %j', async (args) => {
    const command = 'set -o pipefail; "$0" "$@" | head -n 1';
    const result = await run('bash', ['-c', command, process.execPath, CLI, ...args]);
    expect(result.stderr).toBe('');
    expect(result.code).toBe(0);
    expect(result.stdout.split('\n')).toHaveLength(2);
  });

  test('standard output that cannot be written is reported', async (context) => {
    context.skip(!existsSync('/dev/full'), 'there is no /dev/full here');
    const result = await run('sh', ['-c', '"$0" "$@" > /dev/full', process.execPath, CLI, 'methods']);
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(/^error: standard output: .*ENOSPC/);
  });
});

describe.concurrent('color', () => {
  const ESCAPE = '\u001b[';
  const loud = async (env: Readonly<Record<string, string>>): Promise<readonly Run[]> => {
    const cwd = temporaryFolder();
    mkdirSync(path.join(cwd, 'out'));
    writeFileSync(path.join(cwd, 'schema.json'), JSON.stringify(schemaWith({ Odd: {} })));
    return Promise.all(
      [
        ['methods'],
        ['explain', 'pingg', '-r', '2024-11-05'],
        ['generate', '-r', '2024-11-05', '--emit', 'errors', '-o', 'out', '--check'],
        ['catalog', 'derive', '--schema', 'schema.json'],
      ].map(async (args) => mcpgen(args, { cwd, env })),
    );
  };

  test.each<[string, Record<string, string>]>([
    ['nothing else', {}],
    ['NO_COLOR', { NO_COLOR: '1' }],
    ['NO_COLOR and FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }],
    ['FORCE_COLOR=0', { FORCE_COLOR: '0' }],
    ['CI, which says nothing of a terminal', { CI: 'true' }],
  ])('piped output has none with %s', async (_, env) => {
    for (const result of await loud(env)) {
      expect(result.stdout).not.toContain('\u001b');
      expect(result.stderr).not.toContain('\u001b');
    }
  });

  test('FORCE_COLOR colors only text output', async () => {
    for (const result of await loud({ FORCE_COLOR: '1' })) expect(result.stdout + result.stderr).toContain(ESCAPE);
    for (const args of [
      ['methods', '--json'],
      ['methods', '--markdown'],
      ['explain', 'ping', '--json'],
      ['errata', '--json'],
      ['generate', '-r', '2024-11-05', '--emit', 'errors', '--out', '-'],
    ]) {
      expect(await expectSuccess(args, { env: { FORCE_COLOR: '1' } })).not.toContain('\u001b');
    }
  });

  test('a terminal gets colors unless NO_COLOR is set', async (context) => {
    context.skip(spawnSync('script', ['--version']).status !== 0, 'no program `script` to make a terminal with');
    const inTerminal = async (command: string, env: Record<string, string> = {}): Promise<string> => {
      const quoted = command.replace('mcpgen', () => `'${process.execPath}' '${CLI}'`);
      const { stdout } = await run('script', ['-qec', quoted, '/dev/null'], { env: { TERM: 'xterm', ...env } });
      return stdout;
    };
    expect(await inTerminal('mcpgen errata')).toContain(ESCAPE);
    expect(await inTerminal('mcpgen errata', { NO_COLOR: '1' })).not.toContain('\u001b');
    expect(await inTerminal('mcpgen explain pingg', { NO_COLOR: '1' })).not.toContain(`${ESCAPE}3`);
    const cwd = temporaryFolder();
    await inTerminal(`mcpgen explain pingg 2> '${path.join(cwd, 'stderr')}'`);
    expect(readFileSync(path.join(cwd, 'stderr'), 'utf8')).not.toContain('\u001b');
  });
});

describe('a terminal of some width', () => {
  const inTerminal = async (context: TestContext, columns: number, command: string): Promise<string> => {
    context.skip(spawnSync('script', ['--version']).status !== 0, 'no program `script` to make a terminal with');
    const line = `stty cols ${columns} && '${process.execPath}' '${CLI}' ${command}`;
    const { stdout } = await run('script', ['-qec', line, '/dev/null'], { env: { TERM: 'xterm', NO_COLOR: '1' } });
    return stdout.replaceAll('\r', '');
  };

  test('breaks no row of a table', async (context) => {
    const stdout = await inTerminal(context, 80, 'methods');
    const rows = stdout.split('\n\n')[0]?.split('\n') ?? [];
    expect(rows.filter((row) => row.length > 80)).toEqual([]);
    const methods = rows.filter((row) => !row.startsWith(' ')).slice(1);
    expect(methods).toHaveLength(new Set(methods).size);
    expect(rows.join(' ').replace(/\s+/g, ' ')).toContain(
      'elicitation/create inside results request since: 2025-06-18 status: embedded since 2026-07-28 params: ElicitRequestParams result: ElicitResult capability: client.elicitation',
    );
  });

  test('gets changes that fit into 80 columns, with all of their words', async (context) => {
    const command = 'diff 2025-06-18 2025-11-25';
    const rows = (await inTerminal(context, 80, command)).split('\n');
    expect(rows.filter((row) => row.length > 80)).toEqual([]);
    const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');
    expect(words(rows.join(' '))).toEqual(words(await expectSuccess(command.split(' '))));
  });

  test.for([60, 80, 200])('gets TypeScript that fits into %i columns', async (columns, context) => {
    const names = ['tools/call', 'sampling/createMessage', 'Tool', 'ElicitRequestFormParams'];
    for (const name of names) {
      const text = await inTerminal(context, columns, `explain ${name}`);
      const code = text.slice(text.indexOf('\n\n'), text.indexOf('// example')).split('\n');
      expect(code.length).toBeGreaterThan(10);
      expect(code.filter((line) => line.length > Math.min(columns, 100))).toEqual([]);
      if (columns === 80) expect(text).toBe(await expectSuccess(['explain', name]));
    }
  });
});

describe('an interrupt', () => {
  test('ends a run that waits for its input', async () => {
    const child = spawn(process.execPath, [CLI, 'catalog', 'derive', '--schema', '-'], { env: plainEnvironment() });
    const ended = new Promise<NodeJS.Signals | null>((resolve) =>
      child.on('close', (_, signal) => {
        resolve(signal);
      }),
    );
    setTimeout(() => child.kill('SIGINT'), 1500);
    expect(await ended).toBe('SIGINT');
  });
});
