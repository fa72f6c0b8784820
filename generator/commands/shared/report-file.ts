import process from 'node:process';
import { McpgenError } from '../../errors.js';
import { writeFileAtomically } from '../../output/write.js';

/**
 * Writes a report; `-` is standard output.
 *
 * @param place - The option, for errors: `--sarif`.
 * @throws {@link McpgenError} if it cannot be written.
 */
export function writeReport(file: string, text: string, place: string): void {
  if (file === '-') {
    process.stdout.write(text);
    return;
  }
  try {
    writeFileAtomically(file, text);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new McpgenError(`cannot be written (${error instanceof McpgenError ? error.message : code})`, {
      place: `${place} ${file}`,
      remedy: 'Check that its folder exists.',
    });
  }
}
