import { execSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { codeBlocks } from './markdown.js';

export const README = 'README.md';
export const readme = readFileSync(README, 'utf8');
export const blocks = codeBlocks(README);
const commandBlocks = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text.trim());

/** The commands of the README, in its order: those of the first screen, the installation, and a block for each path. */
export const [GENERATE = '', TEST = '', INSTALL = '', ...PATHS] = commandBlocks;

/** Output as it is when piped, even where the test run asks for colors; no package comes from a registry. */
const ENVIRONMENT = {
  ...process.env,
  NO_COLOR: '1',
  FORCE_COLOR: undefined,
  npm_config_offline: 'true',
  npm_config_audit: 'false',
};

/** Runs commands in a shell, and returns what they print. */
export function runInShell(command: string, cwd: string): string {
  return execSync(command, { cwd, encoding: 'utf8', shell: '/bin/bash', env: ENVIRONMENT, stdio: 'pipe' });
}
