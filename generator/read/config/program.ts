import { McpgenError } from '../../errors.js';
import { MAX_JSON_DEPTH } from '../json/json.js';
import { loadProgram, thrownReason } from '../program.js';

/**
 * Loads a config that is a program, and returns its default export, which must be plain data.
 *
 * @param file - Absolute path.
 * @throws {@link McpgenError} if it fails, ends the process, does not finish in time, or does not export plain data.
 */
export async function loadConfigProgram(file: string): Promise<unknown> {
  const { exported: value } = await loadProgram(file, { failure: 'the config cannot be loaded' });
  if (value === undefined) {
    throw new McpgenError('the config has no default export', {
      place: file,
      remedy: 'Write `export default { ... }`.',
    });
  }
  // The validation of the config reports that it is not an object.
  if (typeof value === 'function') return value;
  let fault: string | undefined;
  try {
    return toPlainValue(value, 0);
  } catch (error) {
    fault = thrownReason(error);
  }
  throw new McpgenError(`the config is not plain data: ${fault}`, {
    place: file,
    remedy: 'Export the object itself, as in `export default { ... }`; `await` works at the top of the file.',
  });
}

/** A copy of plain data as in JSON: members that are undefined are omitted. */
function toPlainValue(value: unknown, depth: number): unknown {
  if (depth > MAX_JSON_DEPTH) throw new Error('it contains itself, or is nested too deeply');
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
    return value;
  }
  if (Array.isArray(value))
    return Array.from(value as readonly unknown[], (item) => toPlainValue(item ?? null, depth + 1));
  if (typeof value !== 'object') throw new Error(`it contains ${TYPE_NOUNS[typeof value] ?? `a ${typeof value}`}`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new Error(value instanceof Promise ? 'it contains a promise' : 'it contains an instance of a class');
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]: [string, unknown]) =>
      item === undefined ? [] : [[key, toPlainValue(item, depth + 1)]],
    ),
  );
}

const TYPE_NOUNS: Readonly<Record<string, string>> = { function: 'a function', bigint: 'a bigint', symbol: 'a symbol' };
