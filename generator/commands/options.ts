import { readFileSync } from 'node:fs';
import { EMITTABLE, type Emittable } from '../emit/index.js';
import { McpgenError } from '../errors.js';
import type { InputFile } from '../model/load.js';
import { readBytes } from '../read/files.js';
import { nearest } from '../terminal.js';

/** An option's text, if it was given. */
export function text(options: Record<string, unknown>, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** Whether a flag was given. */
export function flag(options: Record<string, unknown>, name: string): boolean {
  return options[name] === true;
}

/** The texts of a repeatable option; commas separate as well. */
export function texts(options: Record<string, unknown>, name: string): readonly string[] {
  const value = options[name];
  return Array.isArray(value) ? value.flatMap((item: unknown) => splitList(String(item))) : [];
}

function splitList(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** The file that an option names; `-` is standard input. */
export function inputFile(options: Record<string, unknown>, name: string): InputFile | undefined {
  const file = text(options, name);
  if (file === undefined) return undefined;
  if (file !== '-') return { name: file, contents: readBytes(file) };
  try {
    return { name: 'standard input', contents: readFileSync(0) };
  } catch (error) {
    throw new McpgenError('standard input cannot be read', {
      place: `--${name} -`,
      remedy: 'Pipe a file into it.',
      cause: error,
    });
  }
}

/**
 * The parts that `--emit` names.
 *
 * @throws {@link McpgenError} if one of them does not exist.
 */
export function emitParts(options: Record<string, unknown>): readonly Emittable[] | undefined {
  const value = text(options, 'emit');
  if (value === undefined) return undefined;
  const parts = splitList(value);
  if (parts.length === 0) {
    throw new McpgenError('no part is named', { place: '--emit', remedy: `Name some of ${EMITTABLE.join(', ')}.` });
  }
  return parts.map((part) => {
    const known = EMITTABLE.find((item) => item === part);
    if (known !== undefined) return known;
    const near = nearest(part, EMITTABLE);
    throw new McpgenError(`there is no part ${JSON.stringify(part)}`, {
      place: '--emit',
      remedy: near === undefined ? `There are ${EMITTABLE.join(', ')}.` : `Did you mean ${near}?`,
    });
  });
}
