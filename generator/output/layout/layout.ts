/**
 * Formats generated TypeScript as Prettier does, without Prettier: `parse-*.ts` read the constructs that emitters use,
 * `print-*.ts` turn them into a document by Prettier's rules, and `print-doc.ts` breaks its lines.
 */
import { parseProgram } from './parse-statements.js';
import { printDoc } from './print-doc.js';
import { StatementPrinter } from './print-statements.js';
import type { LayoutSettings } from './print-types.js';
import { UnknownConstruct } from './tokens.js';

export type { LayoutSettings } from './print-types.js';

/** The settings that Prettier has without a config. */
export const DEFAULT_LAYOUT: LayoutSettings = { printWidth: 80, tabWidth: 2, singleQuote: false };

/**
 * Formats a piece of generated code.
 *
 * @param code - Top-level statements, or comments alone.
 * @returns Without a line break at the end; undefined if the code has a construct that is not known here, which Prettier
 *   must format.
 */
export function formatCode(code: string, settings: LayoutSettings = DEFAULT_LAYOUT): string | undefined {
  try {
    return printDoc(new StatementPrinter(settings).program(parseProgram(code)), settings).trimEnd();
  } catch (error) {
    // A chain of operators that is too deep for the stack may not be too deep for Prettier.
    if (error instanceof UnknownConstruct || error instanceof RangeError) return undefined;
    throw error;
  }
}
