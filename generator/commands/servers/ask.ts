/** Asks the user on a terminal for what a server requests (MCP 2025-06-18, client/elicitation). */
import { checkbox, input, select } from '@inquirer/prompts';
import { compileSchema } from '../../connect/call-tool.js';
import { isObject, ownMember, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { isUrl } from '../../read/fetch.js';
import { printToStderr, showProgress } from '../../terminal.js';
import { escapeHiddenCharacters } from '../../text.js';
import { typeText } from './ls.js';

/** Where to ask. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

const TERMINAL: Terminal = { input: process.stdin, output: process.stderr };

/**
 * Answers a request for input: asks for the fields of a form, or for consent to visit a URL. Declines if there is no
 * terminal, and cancels if the user does (Ctrl+C).
 */
export async function askUser(params: object, terminal = TERMINAL): Promise<object> {
  const request = params as JsonObject;
  const message = ownMember(request, 'message');
  const asks = `the server asks: ${typeof message === 'string' ? escapeHiddenCharacters(message) : ''}`;
  showProgress('');
  if (terminal.input.isTTY !== true || terminal.output.isTTY !== true) {
    printToStderr(`${asks} (declined: not running in a terminal)`);
    return { action: 'decline' };
  }
  printToStderr(asks);
  try {
    return ownMember(request, 'mode') === 'url'
      ? await askForVisit(ownMember(request, 'url'), terminal)
      : await askForForm(ownMember(request, 'requestedSchema'), terminal);
  } catch (error) {
    if ((error as Error).name === 'ExitPromptError') return { action: 'cancel' };
    throw error;
  }
}

/** The user opens the page; nothing is opened for a server. */
async function askForVisit(url: JsonValue | undefined, terminal: Terminal): Promise<object> {
  if (typeof url !== 'string' || !isUrl(url)) {
    printToStderr('it names no page that a browser can open (declined)');
    return { action: 'decline' };
  }
  printToStderr(`  ${escapeHiddenCharacters(url)}`);
  const choices = [
    { name: 'I open this page', value: 'accept' },
    { name: 'decline', value: 'decline' },
  ];
  return { action: await select({ message: 'Open it only if you trust the server', choices }, terminal) };
}

async function askForForm(schema: JsonValue | undefined, terminal: Terminal): Promise<object> {
  if (!isObject(schema)) return { action: 'decline' };
  const members = ownMember(schema, 'properties');
  const required = (ownMember(schema, 'required') ?? []) as readonly JsonValue[];
  const content: Record<string, JsonValue> = {};
  for (const [name, field] of Object.entries(isObject(members) ? members : {})) {
    if (!isObject(field)) continue;
    const isRequired = Array.isArray(required) && required.includes(name);
    const value = await askForField(name, field, isRequired, terminal);
    if (value !== undefined) content[name] = value;
  }
  return { action: 'accept', content };
}

/** @returns The value of a field; undefined if the user leaves it empty. */
async function askForField(
  name: string,
  field: JsonObject,
  isRequired: boolean,
  terminal: Terminal,
): Promise<JsonValue | undefined> {
  const title = ownMember(field, 'title');
  const label = escapeHiddenCharacters(`${typeof title === 'string' ? title : name}${isRequired ? '' : ' (optional)'}`);
  const choices = choicesOf(field);
  if (choices !== undefined) {
    const shown = choices.map(({ value, text }) => ({ name: escapeHiddenCharacters(text), value }));
    const none = isRequired ? [] : [{ name: '(no answer)', value: undefined }];
    const initial = ownMember(field, 'default');
    return select(
      { message: label, choices: [...shown, ...none], ...(initial === undefined ? {} : { default: initial }) },
      terminal,
    );
  }
  const validate = compileSchema(field);
  const items = ownMember(field, 'items');
  const several = isObject(items) ? choicesOf(items) : undefined;
  if (several !== undefined) {
    const given = ownMember(field, 'default');
    const checked = Array.isArray(given) ? (given as readonly JsonValue[]) : [];
    const answer = await checkbox<JsonValue>(
      {
        message: label,
        choices: several.map(({ value, text }) => ({
          name: escapeHiddenCharacters(text),
          value,
          checked: checked.includes(value),
        })),
        validate: (chosen) => {
          const outcome = validate(chosen.map(({ value }) => value));
          return outcome.success || `must be ${escapeHiddenCharacters(outcome.failure.expected)}`;
        },
      },
      terminal,
    );
    return answer.length === 0 && !isRequired ? undefined : answer;
  }
  const type = typeText(field, field);
  const fallback = ownMember(field, 'default');
  const answer = await input(
    {
      message: `${label}, ${type === 'boolean' ? 'yes or no' : escapeHiddenCharacters(type)}`,
      ...(fallback === undefined || fallback === null ? {} : { default: textOf(fallback) }),
      validate: (text) => {
        if (text === '') return !isRequired || 'an answer is required; Ctrl+C cancels';
        const value = answerOf(text, type);
        const checked = value === undefined ? undefined : validate(value);
        if (checked?.success === true) return true;
        const expected = checked?.success === false ? checked.failure.expected : type;
        return `must be ${escapeHiddenCharacters(expected)}`;
      },
    },
    terminal,
  );
  return answer === '' ? undefined : answerOf(answer, type);
}

/** The values among which a field chooses one, with their titles; undefined if it does not. */
function choicesOf(field: JsonObject): readonly { readonly value: JsonValue; readonly text: string }[] | undefined {
  const values = ownMember(field, 'enum');
  const names = ownMember(field, 'enumNames');
  if (Array.isArray(values)) {
    return (values as readonly JsonValue[]).map((value, index) => {
      const name = Array.isArray(names) ? (names as readonly JsonValue[])[index] : undefined;
      return { value, text: typeof name === 'string' ? name : textOf(value) };
    });
  }
  const options = ownMember(field, 'oneOf') ?? ownMember(field, 'anyOf');
  if (!Array.isArray(options)) return undefined;
  const choices = (options as readonly JsonValue[]).flatMap((option) => {
    const value = isObject(option) ? ownMember(option, 'const') : undefined;
    if (value === undefined || !isObject(option)) return [];
    const title = ownMember(option, 'title');
    return [{ value, text: typeof title === 'string' ? title : textOf(value) }];
  });
  return choices.length === options.length && choices.length > 0 ? choices : undefined;
}

function textOf(value: JsonValue): string {
  if (Array.isArray(value)) return value.map((item) => textOf(item as JsonValue)).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
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
  return text;
}
