import { mkdirSync } from 'node:fs';
import { CommanderError } from 'commander';
import { buildProgram } from '../../generator/cli/program.js';
import { McpgenError } from '../../generator/errors.js';
import { DEFAULT_CWD, mcpgen as mcpgenProcess, type Run, type RunOptions } from './cli.js';

let previous: Promise<unknown> = Promise.resolve();

/** Variables that are read once, when the program is loaded. */
const READ_AT_START = ['FORCE_COLOR', 'NO_COLOR', 'TERM', 'CI'];

/**
 * Runs `mcpgen` in this process, which saves the start of another; output and exit code are as `cli.ts` makes them. A run
 * with an input, or with colors, has a separate process. What is about the process itself, its signals or its memory,
 * needs `mcpgen` of `cli.ts`.
 *
 * One runs at a time, since all share the current folder, the environment and the standard streams.
 */
export async function mcpgen(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { cwd, env = {}, ...others } = options;
  if (Object.keys(others).length > 0 || READ_AT_START.some((name) => name in env)) return mcpgenProcess(args, options);
  return captureOutput(async () => buildProgram().parseAsync([...args], { from: 'user' }), cwd, env);
}

/**
 * Does something as a command line would: in a folder, with an environment, and with an exit code and output for a result.
 *
 * @param action - What it throws becomes an error message and exit code 2, as in `cli.ts`.
 */
export async function captureOutput(
  action: () => Promise<unknown>,
  cwd?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const running = previous.then(async () => captureAlone(action, cwd, env));
  previous = running.catch(() => undefined);
  return running;
}

async function captureAlone(
  action: () => Promise<unknown>,
  cwd: string | undefined,
  env: Readonly<Record<string, string>>,
): Promise<Run> {
  if (cwd === undefined) mkdirSync(DEFAULT_CWD, { recursive: true });
  const before = { cwd: process.cwd(), exitCode: process.exitCode, env: { ...process.env } };
  const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write.bind(stream) }));
  let stdout = '';
  let stderr = '';
  process.stdout.write = (chunk: string) => ((stdout += chunk), true);
  process.stderr.write = (chunk: string) => ((stderr += chunk), true);
  process.exitCode = 0;
  let code: number;
  try {
    process.chdir(cwd ?? DEFAULT_CWD);
    Object.assign(process.env, env);
    await action();
    code = process.exitCode;
  } catch (error) {
    if (!(error instanceof McpgenError) && !(error instanceof CommanderError)) throw error;
    if (error instanceof McpgenError) stderr += `error: ${error.format()}\n`;
    code = error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
  } finally {
    for (const { stream, write } of streams) stream.write = write;
    process.exitCode = before.exitCode;
    process.chdir(before.cwd);
    for (const name of Object.keys(env)) {
      if (before.env[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before.env[name];
    }
  }
  return { code, stdout, stderr };
}
