import process from 'node:process';
import { McpgenError } from '../errors.js';

/** A reference: `${NAME}` or `${NAME:-default}`. */
const REFERENCE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** A text with its references replaced, and the values of the variables that it refers to. */
export interface ExpandedText {
  readonly text: string;
  readonly values: readonly string[];
}

/**
 * Replaces `${NAME}` by the environment variable of that name, and `${NAME:-default}` by the default if it is unset or
 * empty. Values are not expanded again, and any other text is unchanged.
 *
 * @param place - The option, for errors; it must not contain the value.
 * @throws {@link McpgenError} if a variable is not set and has no default.
 */
export function expandVariables(text: string, place: string): ExpandedText {
  const values: string[] = [];
  const expanded = text.replace(REFERENCE, (_, name: string, fallback: string | undefined) => {
    const value = process.env[name];
    if (fallback !== undefined && (value === undefined || value === '')) return fallback;
    if (value === undefined) throw unsetVariableError(name, place);
    values.push(value);
    return value;
  });
  return { text: expanded, values };
}

/**
 * An environment variable that must not be empty.
 *
 * @throws {@link McpgenError} if it is unset or empty.
 */
export function requireVariable(name: string, place: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw unsetVariableError(name, place);
  return value;
}

function unsetVariableError(name: string, place: string): McpgenError {
  const shown = /^\w{1,100}$/.test(name) ? name : 'it names';
  return new McpgenError(`the environment variable ${shown} is not set`, {
    place,
    remedy: `Set it${place === '--bearer-env' ? '' : `, or write \${${shown}:-DEFAULT}`}.`,
  });
}
