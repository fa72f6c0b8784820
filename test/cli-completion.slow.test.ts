import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { CLI, mcpgen, plainEnvironment, removeTemporaryFolders, temporaryFolder } from './support/cli.js';
import { testUnless } from './support/skip.js';
import { REVISIONS } from './cli-completion-support.js';

afterAll(removeTemporaryFolders);

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
