import { CommanderError } from 'commander';
import { buildProgram } from '../../generator/cli/program.js';
import { McpgenError } from '../../generator/errors.js';
import type { Run } from './cli.js';

/**
 * Runs `mcpgen` in this process, which spares the start of another; output and exit code are as `cli.ts` makes them. One at
 * a time: the current folder and the standard streams belong to all.
 */
export async function runInProcess(args: readonly string[], cwd: string): Promise<Run> {
  const before = { cwd: process.cwd(), exitCode: process.exitCode };
  const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write.bind(stream) }));
  let stdout = '';
  let stderr = '';
  process.stdout.write = (chunk: string) => ((stdout += chunk), true);
  process.stderr.write = (chunk: string) => ((stderr += chunk), true);
  process.exitCode = 0;
  let code: number;
  try {
    process.chdir(cwd);
    await buildProgram().parseAsync([...args], { from: 'user' });
    code = process.exitCode;
  } catch (error) {
    if (!(error instanceof McpgenError) && !(error instanceof CommanderError)) throw error;
    if (error instanceof McpgenError) stderr += `error: ${error.format()}\n`;
    code = error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
  } finally {
    for (const { stream, write } of streams) stream.write = write;
    process.exitCode = before.exitCode;
    process.chdir(before.cwd);
  }
  return { code, stdout, stderr };
}
