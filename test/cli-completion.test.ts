import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { GUIDE } from '../generator/cli/guide.js';
import { buildProgram } from '../generator/cli/program.js';
import { splitCommand } from '../generator/text.js';
import { CLI, mcpgen, plainEnvironment, removeTemporaryFolders, temporaryFolder } from './support/cli.js';
import { testUnless } from './support/skip.js';

afterAll(removeTemporaryFolders);

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

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

/** A folder with a program `mcpgen`, for `PATH`. */
function folderWithProgram(): string {
  const folder = temporaryFolder();
  const program = path.join(folder, 'mcpgen');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  chmodSync(program, 0o755);
  return folder;
}

/** How each shell is asked to complete `mcpgen <words>` with the script in the file `$1`. */
const SHELLS = {
  bash: (words: string) =>
    `set -eu; . "$1"; . "$1"; COMP_WORDS=(mcpgen ${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _mcpgen_completion; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (words: string) =>
    `compdef() {}; source "$1"; _describe() { print -l "\${(@P)2}" | cut -d : -f 1 }; words=(mcpgen ${words}); CURRENT=$#words; _mcpgen`,
  fish: (words: string) => `source $argv[1]; complete --do-complete "mcpgen ${words.replaceAll("''", '')}" | cut -f 1`,
};

describe.each(Object.entries(SHELLS))('the script for %s', (shell, scriptOf) => {
  const isMissing = spawnSync(shell, ['--version']).error !== undefined;
  testUnless(isMissing ? `${shell} is not installed` : undefined)('completes in a real shell', async () => {
    const folder = folderWithProgram();
    const { stdout: script, code } = await mcpgen(['completion', shell]);
    expect(code).toBe(0);
    const file = path.join(folder, 'script');
    writeFileSync(file, script);
    const completions = (words: string): readonly string[] => {
      const env = plainEnvironment({ PATH: `${folder}:${process.env['PATH'] ?? ''}`, TERM: 'dumb' });
      const args =
        shell === 'fish' ? ['--no-config', '-c', scriptOf(words), file] : ['-c', scriptOf(words), shell, file];
      const { stdout, stderr } = spawnSync(shell, args, { env, encoding: 'utf8', cwd: folder });
      expect(stderr).toBe('');
      return stdout.trim().split('\n');
    };
    expect(completions("generate --revision ''")).toEqual(REVISIONS);
    expect(completions('add ha')).toEqual(['handler']);
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
