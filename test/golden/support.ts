/**
 * Golden tests render small inputs of many forms as text, one file for each case in `expected/`. A change of the
 * generator shows as a diff of these files. `npx vitest run test/golden -u` writes them again: read the diff.
 */
import path from 'node:path';
import { McpgenError } from '../../generator/index.js';
import type { Warning } from '../../generator/model/protocol.js';
import { formatCode } from '../../generator/output/layout/layout.js';

/** The file of a case. */
export function expectedFile(name: string): string {
  return path.resolve(import.meta.dirname, 'expected', `${name}.txt`);
}

/** A part of a golden file. */
export function section(title: string, text: string): string {
  return `======== ${title}\n\n${text.trimEnd()}\n`;
}

/** Pieces of code, formatted. */
export function formatPieces(pieces: readonly string[]): string {
  return pieces
    .filter((piece) => piece !== '')
    .map((piece) => formatCode(piece) ?? piece)
    .join('\n\n');
}

/** A message with its place and the way to fix it. */
export function messageText({ place, message, remedy }: Warning): string {
  return [`${place}: ${message}`, ...(remedy === undefined ? [] : [`  hint: ${remedy}`])].join('\n');
}

/** What an action returns, or the message of its error. */
export function messageOr(action: () => string, show: (message: string) => string = (message) => message): string {
  try {
    return action();
  } catch (error) {
    return show(errorText(error));
  }
}

/** The message of an error for users; any other error is thrown again. */
export function errorText(error: unknown): string {
  if (!(error instanceof McpgenError)) throw error;
  const { place = '-', message, remedy } = error;
  return messageText({ place, message, ...(remedy === undefined ? {} : { remedy }) });
}
