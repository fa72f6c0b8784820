import { optionFlag } from '../../command-line.js';
import { McpgenError } from '../../errors.js';
import type { InputFile } from '../../model/load.js';
import { readBytes, readDescriptor, STANDARD_INPUT } from '../../read/files.js';

/** Options as commander parses them. Each command converts them once, into a typed object. */
export type RawOptions = Readonly<Record<string, unknown>>;

/**
 * An option's text, if it was given.
 *
 * @throws {@link McpgenError} if it is empty, such as from an unset shell variable: an empty value would have another
 *   meaning.
 */
export function stringOption(options: RawOptions, name: string): string | undefined {
  const value = options[name];
  if (typeof value !== 'string') return undefined;
  if (value.trim() === '') throw emptyValueError(name);
  return value;
}

function emptyValueError(name: string): McpgenError {
  return new McpgenError('its value is empty', {
    place: optionFlag(name),
    remedy: 'Pass a value, or omit the option.',
  });
}

/**
 * Rejects two flags that cannot be combined.
 *
 * @throws {@link McpgenError} if both were given.
 */
export function refuseBothOptions<Options extends object>(
  options: Options,
  firstOption: keyof Options & string,
  secondOption: keyof Options & string,
  remedy = 'Use one of them.',
): void {
  if (options[firstOption] !== true || options[secondOption] !== true) return;
  throw new McpgenError(`${optionFlag(firstOption)} and ${optionFlag(secondOption)} cannot be combined`, {
    place: optionFlag(secondOption),
    remedy,
  });
}

/**
 * A time limit in seconds; 30 by default.
 *
 * @throws {@link McpgenError} if it is not a number, or more than an hour.
 */
export function secondsOption(options: RawOptions, name: string): number {
  const value = Number(stringOption(options, name) ?? 30);
  if (value > 0 && value <= 3600) return value;
  throw new McpgenError('must be a number of seconds, up to an hour', {
    place: optionFlag(name),
    remedy: `For example: ${optionFlag(name)} 60.`,
  });
}

/** The values of a repeatable option with a path; they may contain commas. */
export function pathsOption(options: RawOptions, name: string): readonly string[] | undefined {
  const value = options[name];
  if (!Array.isArray(value)) return undefined;
  return value.map((item: unknown) => {
    if (item === '') throw emptyValueError(name);
    return String(item);
  });
}

/** Whether a flag was given. */
export function booleanOption(options: RawOptions, name: string): boolean {
  return options[name] === true;
}

/** Whether a flag was not disabled by its `--no-` form. */
export function negatableOption(options: RawOptions, name: string): boolean {
  return options[name] !== false;
}

/** The values of a repeatable option, if it was given; each can be a comma-separated list. */
export function stringsOption(options: RawOptions, name: string): readonly string[] | undefined {
  const value = options[name];
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((item: unknown) => {
    const list = splitList(String(item));
    if (list.length === 0) throw emptyValueError(name);
    return list;
  });
}

function splitList(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/**
 * The text of an option that commander requires.
 *
 * @throws {@link McpgenError} if it is empty.
 */
export function requiredOption(options: RawOptions, name: string): string {
  const value = stringOption(options, name);
  if (value === undefined) throw emptyValueError(name);
  return value;
}

/** One of several choices, which commander has validated. */
export function choiceOption<Choice extends string>(
  options: RawOptions,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = stringOption(options, name);
  return choices.find((choice) => choice === value);
}

/** The items of a list, if it was given. */
export function listOption(options: RawOptions, name: string): readonly string[] | undefined {
  const value = stringOption(options, name);
  if (value === undefined) return undefined;
  const items = splitList(value);
  if (items.length === 0) throw emptyValueError(name);
  return items;
}

/**
 * Reads a file that an option names; `-` is standard input.
 *
 * @param place - The option, for errors: `--schema`.
 */
export function readInputFile(file: string, place: string): InputFile {
  if (file !== '-') return { name: file, contents: readBytes(file) };
  try {
    return { name: STANDARD_INPUT, contents: readDescriptor(0, STANDARD_INPUT) };
  } catch (error) {
    if (error instanceof McpgenError) throw error;
    throw new McpgenError('standard input cannot be read', {
      place: `${place} -`,
      remedy: 'Pipe a file into it.',
      cause: error,
    });
  }
}
