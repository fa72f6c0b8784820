import { mcpgen } from '../support/in-process.js';

/** One small revision and no installation: these tests are about the command, not about what it writes. */
export const QUICK = ['--yes', '--no-install', '--no-git', '-r', '2024-11-05'];

export const init = (cwd: string, ...args: readonly string[]) => mcpgen(['init', ...args], { cwd });
