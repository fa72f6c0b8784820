import { isatty } from 'node:tty';
import pc from 'picocolors';
import { escapeHiddenCharacters, HIDDEN_CHARACTERS } from './text.js';

/** Colours for standard output; they are off when it is piped or NO_COLOR is set. */
export const stdoutColors = pc.createColors(supportsColor(1));

/** Colours for standard error, which may go elsewhere. */
export const stderrColors = pc.createColors(supportsColor(2));

/** Not picocolors' own choice, which looks at standard output only and colours what is piped where `CI` is set. */
function supportsColor(fileDescriptor: number): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isatty(fileDescriptor) && TERM !== 'dumb';
}

const CONTROL_SEQUENCES = new RegExp(`[\\n\\t]|\\u001b\\[[\\d;]*m|${HIDDEN_CHARACTERS.source}`, 'gu');

/** Text in which nothing steers the terminal but line ends and, where there are any, colours: parts of it are others'. */
function escapeControls(text: string, hasColour: boolean): string {
  return text.replace(CONTROL_SEQUENCES, (found) =>
    found === '\n' || found === '\t' || (hasColour && found.length > 2) ? found : escapeHiddenCharacters(found),
  );
}

/** Writes a line to standard output. */
export function printLine(line = ''): void {
  process.stdout.write(`${escapeControls(line, stdoutColors.isColorSupported)}\n`);
}

/** Writes a value to standard output, for machines that people look over the shoulder of. */
export function printJson(value: unknown): void {
  printLine(JSON.stringify(value, undefined, 2));
}

/** Writes a line to standard error: notices and progress, which never belong to the result. */
export function printToStderr(line: string): void {
  process.stderr.write(`${escapeControls(line, stderrColors.isColorSupported)}\n`);
}

/** Shows a line that the next one replaces, where a person is looking; nothing when piped. */
export function showProgress(line: string): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(`\r\u001b[2K${escapeControls(line, false)}`);
}

/** A cell of a table: its text, and how it is coloured. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

/**
 * Lays out rows in columns, two spaces apart. Where they are wider than the terminal, the columns that no longer fit go
 * onto indented lines below, each cell behind its heading, so that no row is cut or broken at random.
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

/** Indented lines of cells, none wider than the terminal as long as no single cell is. */
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
