import { afterAll, describe, expect, test } from 'vitest';
import { GUIDE } from '../generator/cli/guide.js';
import { buildProgram } from '../generator/cli/program.js';
import { splitCommand } from '../generator/text.js';
import { mcpgen, removeTemporaryFolders } from './support/cli.js';
import { REVISIONS } from './cli-completion-support.js';

afterAll(removeTemporaryFolders);

/** The values that `mcpgen complete` prints, without their descriptions. */
async function complete(...words: string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await mcpgen(['complete', '--', ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t')[0] ?? '');
}

describe.concurrent('mcpgen complete', () => {
  test.each<[string, string[], string[]]>([
    ['commands by their beginning', ['ge'], ['generate']],
    ['subcommands', ['add', 'r'], ['resource', 'revision']],
    ['options', ['generate', '--rev'], ['--revision']],
    ['the built-in revisions', ['generate', '--revision', ''], REVISIONS],
    ['a value after the sign =, which bash splits off', ['generate', '--revision', '=', '2026'], ['2026-07-28']],
    ['the choices of an option', ['methods', '--kind', ''], ['request', 'notification']],
    ['the choices of an argument', ['completion', ''], ['bash', 'zsh', 'fish']],
    ['both revisions of a diff', ['diff', '2025-11-25', '2026'], ['2026-07-28']],
    ['methods', ['explain', 'resources/t'], ['resources/templates/list']],
    ['the methods of a repeated argument', ['add', 'handler', 'ping', 'tools/c'], ['tools/call']],
    ['what follows an option without a value', ['generate', '--check', '--outp'], []],
    ['nothing where the name of a file is expected', ['generate', '--config', ''], []],
    ['nothing after an unknown command', ['nonsense', ''], []],
  ])('completes %s', async (_, words, want) => {
    expect(await complete(...words)).toEqual(want);
  });

  test('lists each visible command once', async () => {
    const names = buildProgram()
      .commands.map((command) => command.name())
      .filter((name) => name !== 'complete');
    expect(await complete('')).toEqual([...names, 'help']);
  });

  test('prints one line for each completion', async () => {
    const { stdout } = await mcpgen(['complete', '--', '']);
    for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^[a-z-]+\t\S/);
  });
});

test('an unknown shell is refused with the known ones', async () => {
  const { code, stderr } = await mcpgen(['completion', 'tcsh']);
  expect(code).toBe(2);
  expect(stderr).toContain('bash, zsh, fish');
});

describe('mcpgen without arguments', () => {
  test('prints the guide', async () => {
    const { code, stdout, stderr } = await mcpgen([]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${GUIDE}\n`, stderr: '' });
  });

  test('fits into 80 columns', () => {
    expect(GUIDE.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('names only commands and options that exist', () => {
    const lines = GUIDE.split('\n').filter((line) => line.startsWith('  mcpgen '));
    expect(lines.length).toBeGreaterThan(8);
    for (const line of lines) {
      const [, ...words] = splitCommand(line.trim().replace(/ {2,}.*$/, '')) ?? [];
      let command = buildProgram();
      for (const word of words) command = command.commands.find((item) => item.name() === word) ?? command;
      const options = words.filter((word) => word.startsWith('-'));
      const known = command.createHelp().visibleOptions(command);
      expect(options.filter((option) => !known.some(({ long }) => long === option))).toEqual([]);
      if (words[0] !== '<command>' && !options.includes('--help')) expect(command.name()).not.toBe('mcpgen');
    }
  });
});
