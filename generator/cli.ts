#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { McpgenError } from './errors.js';
import { packageVersion } from './read/files.js';
import { printError, printLine, printToStderr, showProgress } from './terminal.js';

const EXIT_OK = 0;
const EXIT_INVALID_INPUT = 2;
const EXIT_INTERNAL_ERROR = 70;

/** Whether the run is complete, or its error was reported. */
let isDone = false;

async function main(): Promise<void> {
  postponeOptimization();
  process.on('exit', () => {
    if (isDone) return;
    // Otherwise a check that never ran would pass.
    writeSync(2, 'error: a loaded program ended the process\nhint: Check the configs of Prettier and mcpgen.\n');
    process.exitCode = EXIT_INVALID_INPUT;
  });
  // A reader that has seen enough, such as `head`, closes the pipe: that is not an error.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      isDone = true;
      if (error.code === 'EPIPE') process.exit(process.exitCode ?? EXIT_OK);
      // The stream itself failed, so it cannot report it.
      if (stream === process.stdout) {
        writeSync(2, `error: standard output: cannot be written (${error.code ?? error.message})\n`);
      }
      process.exit(EXIT_INVALID_INPUT);
    });
  }
  process.on('uncaughtException', (error) => {
    process.exit(reportError(error));
  });
  try {
    requireWorkingDirectory();
    await run(process.argv.slice(2));
    isDone = true;
  } catch (error) {
    process.exitCode = reportError(error);
  }
  exitSoon();
}

/**
 * Lets V8 wait longer before it optimizes a function: most runs end before that pays off, and it is a third of their
 * processor time. Later versions of Node have no such flag.
 */
function postponeOptimization(): void {
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=600000');
}

/** Runs a command line. Nothing is loaded that it does not need. */
async function run(args: readonly string[]): Promise<void> {
  const [first, second] = args;
  if (first === undefined) {
    const { GUIDE } = await import('./cli/guide.js');
    printLine(GUIDE);
  } else if ((first === '--version' || first === '-v') && second === undefined) printLine(packageVersion());
  else {
    const { buildProgram } = await import('./cli/program.js');
    await buildProgram().parseAsync();
  }
}

/** Reports the error that ended the run. Returns the exit code. */
function reportError(error: unknown): number {
  isDone = true;
  showProgress('');
  // Commander has printed its errors.
  if (isCommanderError(error)) return error.exitCode === 0 ? EXIT_OK : EXIT_INVALID_INPUT;
  if (error instanceof McpgenError) {
    printError(error);
    return EXIT_INVALID_INPUT;
  }
  // Not 1, which means that a check failed.
  printError({ message: 'this is a bug in mcpgen', remedy: 'Please report it with the stack trace below.' });
  printToStderr(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT_INTERNAL_ERROR;
}

/** Commander is not loaded for every command line, so its class is not at hand. */
function isCommanderError(error: unknown): error is Error & { readonly exitCode: number } {
  return (
    error instanceof Error && 'exitCode' in error && 'code' in error && String(error.code).startsWith('commander.')
  );
}

function requireWorkingDirectory(): void {
  try {
    process.cwd();
  } catch (error) {
    throw new McpgenError('the current folder no longer exists', { remedy: 'Change to another folder.', cause: error });
  }
}

/** Ends the process once everything is printed, even if a config or a plugin left something running. */
function exitSoon(): void {
  const timer = setInterval(() => {
    if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
  }, 1000);
  timer.unref();
}

await main();
