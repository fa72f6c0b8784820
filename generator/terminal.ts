import { isatty } from 'node:tty';
import pc from 'picocolors';
import { formatDiagnostic, type Diagnostic } from './errors.js';
import { escapeHiddenCharacters, HIDDEN_CHARACTERS } from './text.js';

/** Colors for standard output; they are off when it is piped or NO_COLOR is set. */
export const stdoutColors = pc.createColors(supportsColor(1));

/** Colors for standard error, which may be redirected by itself. */
export const stderrColors = pc.createColors(supportsColor(2));

/** Not picocolors' own choice, which considers only standard output, and colors piped output if `CI` is set. */
function supportsColor(fileDescriptor: number): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isatty(fileDescriptor) && TERM !== 'dumb';
}

const CONTROL_SEQUENCES = new RegExp(`[\\n\\t]|\\u001b\\[[\\d;]*m|${HIDDEN_CHARACTERS.source}`, 'gu');

/** Escapes control characters except line ends, tabs and our own colors, since parts of the text come from others. */
function escapeControls(text: string, hasColor: boolean): string {
  return text.replace(CONTROL_SEQUENCES, (found) =>
    found === '\n' || found === '\t' || (hasColor && found.length > 2) ? found : escapeHiddenCharacters(found),
  );
}

/** Writes a line to standard output. */
export function printLine(line = ''): void {
  process.stdout.write(`${escapeControls(line, stdoutColors.isColorSupported)}\n`);
}

/** Writes a value to standard output as JSON, indented for readers. */
export function printJson(value: unknown): void {
  printLine(JSON.stringify(value, undefined, 2));
}

/** Writes a line to standard error: notices and progress, which are not part of the result. */
export function printToStderr(line: string): void {
  process.stderr.write(`${escapeControls(line, stderrColors.isColorSupported)}\n`);
}

/** Prints an error to standard error: `error: PLACE: message`, then a line `hint: remedy`. */
export function printError(error: Diagnostic): void {
  printToStderr(`${stderrColors.red('error')}: ${formatDiagnostic(error, stderrColors.cyan)}`);
}

/** Prints a warning to standard error like an error. Its message is one line, since it may contain untrusted names. */
export function printWarning({ message, ...warning }: Diagnostic): void {
  const line = { ...warning, message: escapeHiddenCharacters(message) };
  printToStderr(`${stderrColors.yellow('warning')}: ${formatDiagnostic(line, stderrColors.cyan)}`);
}

/** Shows a line that the next one replaces; nothing if standard error is not a terminal. */
export function showProgress(line: string): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(`\r\u001b[2K${escapeControls(line, false)}`);
}

/** A cell of a table: its text, and its color. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

/**
 * Formats rows as columns, two spaces apart. Columns that do not fit the terminal go onto indented lines below, each
 * cell after its heading.
 *
 * @param width - Columns of the terminal; unlimited by default.
 */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  width = Number.POSITIVE_INFINITY,
): string {
  const all = [head.map((text): Cell => ({ text, paint: stdoutColors.bold })), ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.text.length ?? 0)));
  const total = widths.reduce((sum, item) => sum + item + 2, -2);
  const cut = total <= width ? head.length : columnsThatFit(widths, width);
  const line = (cells: readonly Cell[], from: number): string =>
    cells
      .map(
        ({ text, paint }, index) =>
          (paint ? paint(text) : text) + ' '.repeat((widths[from + index] ?? 0) - text.length),
      )
      .join('  ')
      .trimEnd();
  const labelled = (row: readonly Cell[]): Cell[] =>
    head.slice(cut).flatMap((label, index) => {
      const { text = '-', paint } = row[cut + index] ?? {};
      if (text === '-') return [];
      return { text: `${label}: ${text}`, paint: () => `${label}: ${paint ? paint(text) : text}` };
    });
  return all
    .flatMap((row, index) => [line(row.slice(0, cut), 0), ...(index === 0 ? [] : packCells(labelled(row), width))])
    .join('\n');
}

/** Packs cells into indented lines that fit the terminal, unless a single cell is wider. */
function packCells(cells: readonly Cell[], width: number): readonly string[] {
  const lines: string[] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const { text, paint } of cells) {
    const painted = paint ? paint(text) : text;
    used += 2 + text.length;
    if (used > width) {
      lines.push(`    ${painted}`);
      used = 4 + text.length;
    } else {
      lines.push(`${lines.pop() ?? ''}  ${painted}`);
    }
  }
  return lines;
}

function columnsThatFit(widths: readonly number[], width: number): number {
  let used = 0;
  for (const [index, item] of widths.entries()) {
    used += item + 2;
    if (used - 2 > width) return Math.max(1, index);
  }
  return widths.length;
}
