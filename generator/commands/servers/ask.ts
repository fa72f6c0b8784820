import { input } from '@inquirer/prompts';
import { isObject, ownMember, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { printToStderr, showProgress } from '../../terminal.js';
import { escapeHiddenCharacters } from '../../text.js';
import { typeText } from './ls.js';

/**
 * Asks the user for the form that a server requests (MCP 2025-06-18, client/elicitation). Declines if there is no
 * terminal, or the request is not a form. An empty answer to a required field declines.
 */
export async function askForm(params: never): Promise<object> {
  const request = params as unknown as JsonObject;
  const schema = ownMember(request, 'requestedSchema');
  const message = ownMember(request, 'message');
  const shown = typeof message === 'string' ? escapeHiddenCharacters(message) : '';
  showProgress('');
  if (!isObject(schema) || !process.stdin.isTTY || !process.stderr.isTTY) {
    printToStderr(`the server asks: ${shown} (declined${isObject(schema) ? ': not running in a terminal' : ''})`);
    return { action: 'decline' };
  }
  printToStderr(`the server asks: ${shown}`);
  const members = ownMember(schema, 'properties');
  const required = (ownMember(schema, 'required') ?? []) as readonly JsonValue[];
  const content: Record<string, JsonValue> = {};
  for (const [name, field] of Object.entries(isObject(members) ? members : {})) {
    const type = typeText(field, schema);
    const isRequired = Array.isArray(required) && required.includes(name);
    const label = escapeHiddenCharacters(`${name}${isRequired ? '' : ' (optional)'}, ${type}`);
    const answer = await input(
      {
        message: label,
        validate: (text) =>
          text === '' || answerOf(text, type) !== undefined || `must be ${escapeHiddenCharacters(type)}`,
      },
      { output: process.stderr },
    );
    const value = answer === '' ? undefined : answerOf(answer, type);
    if (value !== undefined) content[name] = value;
    else if (isRequired) return { action: 'decline' };
  }
  return { action: 'accept', content };
}

/** The value of an answer; undefined if the type does not allow it. */
function answerOf(text: string, type: string): JsonValue | undefined {
  const kinds = type.split(' | ');
  if (kinds.includes('number') || kinds.includes('integer')) {
    const number = Number(text);
    return Number.isFinite(number) && (kinds.includes('number') || Number.isInteger(number)) ? number : undefined;
  }
  if (kinds.includes('boolean'))
    return /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : undefined;
  if (type.endsWith('[]')) return text.split(',').map((item) => item.trim());
  if (kinds.every((kind) => kind.startsWith('"'))) return kinds.includes(JSON.stringify(text)) ? text : undefined;
  return text;
}
