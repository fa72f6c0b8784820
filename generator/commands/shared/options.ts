import { optionFlag } from '../../command-line.js';
import { DEFAULT_PARTS, EMITTABLE, type Emittable } from '../../emit/parts.js';
import { McpgenError } from '../../errors.js';
import { STANDARD_INPUT, type InputFile } from '../../model/load.js';
import { readDescriptor, readBytes } from '../../read/files.js';
import { closestMatch } from '../../text.js';

/**
 * An option's text, if it was given.
 *
 * @throws {@link McpgenError} if it is empty, as that of a shell variable that is not set: it would mean something else.
 */
export function stringOption(options: Record<string, unknown>, name: string): string | undefined {
  const value = options[name];
  if (typeof value !== 'string') return undefined;
  if (value.trim() === '') throw emptyValueError(name);
  return value;
}

function emptyValueError(name: string): McpgenError {
  return new McpgenError('its value is empty', {
    place: optionFlag(name),
    remedy: 'Give a value, or leave the option out.',
  });
}

/**
 * Refuses two flags of which only one has a meaning.
 *
 * @throws {@link McpgenError} if both were given.
 */
export function refuseBothOptions(
  options: Record<string, unknown>,
  firstOption: string,
  secondOption: string,
  remedy = 'Give one of them.',
): void {
  if (!booleanOption(options, firstOption) || !booleanOption(options, secondOption)) return;
  throw new McpgenError(`${optionFlag(firstOption)} and ${optionFlag(secondOption)} exclude each other`, {
    place: optionFlag(secondOption),
    remedy,
  });
}

/**
 * A time limit in seconds; 30 by default.
 *
 * @throws {@link McpgenError} if it is no number, or more than an hour.
 */
export function secondsOption(options: Record<string, unknown>, name: string): number {
  const value = Number(stringOption(options, name) ?? 30);
  if (value > 0 && value <= 3600) return value;
  throw new McpgenError('a number of seconds is expected, up to an hour', {
    place: optionFlag(name),
    remedy: `As in ${optionFlag(name)} 60.`,
  });
}

/** Whether a flag was given. */
export function booleanOption(options: Record<string, unknown>, name: string): boolean {
  return options[name] === true;
}

/** The texts of a repeatable option; commas separate as well. */
export function stringsOption(options: Record<string, unknown>, name: string): readonly string[] {
  const value = options[name];
  if (!Array.isArray(value)) return [];
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

/** The file that an option names; `-` is standard input. */
export function inputFileOption(options: Record<string, unknown>, name: string): InputFile | undefined {
  const file = stringOption(options, name);
  if (file === undefined) return undefined;
  if (file !== '-') return { name: file, contents: readBytes(file) };
  try {
    return { name: STANDARD_INPUT, contents: readDescriptor(0, STANDARD_INPUT) };
  } catch (error) {
    if (error instanceof McpgenError) throw error;
    throw new McpgenError('standard input cannot be read', {
      place: `--${name} -`,
      remedy: 'Pipe a file into it.',
      cause: error,
    });
  }
}

/** The items of a list, if it was given. */
export function listOption(options: Record<string, unknown>, name: string): readonly string[] | undefined {
  const value = stringOption(options, name);
  if (value === undefined) return undefined;
  const items = splitList(value);
  if (items.length === 0) throw emptyValueError(name);
  return items;
}

/**
 * The parts that `--emit` names; `default` stands for those that are written without it.
 *
 * @throws {@link McpgenError} if one of them does not exist.
 */
export function emitOption(options: Record<string, unknown>): readonly Emittable[] | undefined {
  return listOption(options, 'emit')?.flatMap((part) => {
    if (part === 'default') return DEFAULT_PARTS;
    const known = EMITTABLE.find((item) => item === part);
    if (known !== undefined) return known;
    const near = closestMatch(part, [...EMITTABLE, 'default']);
    throw new McpgenError(`there is no part ${JSON.stringify(part)}`, {
      place: '--emit',
      remedy: near === undefined ? `There are ${EMITTABLE.join(', ')}.` : `Did you mean ${near}?`,
    });
  });
}
