#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { CommanderError } from 'commander';
import { buildProgram } from './cli/program.js';
import { McpgenError } from './errors.js';
import { note, noteColour, progress } from './terminal.js';

const DONE = 0;
const WRONG_INPUT = 2;
const OWN_FAULT = 70;

async function main(): Promise<void> {
  // A reader that has seen enough, such as `head`, closes the pipe: that is no fault.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(process.exitCode ?? DONE);
      // The stream itself is what failed, so it cannot say so.
      if (stream === process.stdout) {
        writeSync(2, `error: standard output: cannot be written (${error.code ?? error.message})\n`);
      }
      process.exit(WRONG_INPUT);
    });
  }
  try {
    await buildProgram().parseAsync();
  } catch (error) {
    progress('');
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? DONE : WRONG_INPUT;
      return;
    }
    if (error instanceof McpgenError) {
      note(`${noteColour.red('error')}: ${error.format()}`);
      process.exitCode = WRONG_INPUT;
      return;
    }
    // Not 1, which says that a check failed.
    note(`${noteColour.red('error')}: this is a fault of mcpgen itself; please report it`);
    note(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = OWN_FAULT;
  }
}

await main();
