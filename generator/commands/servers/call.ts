import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { callTool, type Progress } from '../../connect/call-tool.js';
import { collectItems } from '../../connect/list-tools.js';
import { withServer } from '../../connect/open.js';
import type { Secrets } from '../../connect/secrets.js';
import type { ServerTarget } from '../../connect/target.js';
import { McpgenError } from '../../errors.js';
import {
  isObject,
  objectFromEntries,
  ownMember,
  parseUntrustedJson,
  type JsonObject,
  type JsonValue,
} from '../../read/json/json.js';
import { printError, printJson, printLine, printToStderr, printWarning, showProgress } from '../../terminal.js';
import { closestMatch, escapeHiddenCharacters } from '../../text.js';
import { readInputFile } from '../shared/options.js';
import { askUser } from './ask.js';
import { resolveReference, typeText } from './ls.js';
import { findTarget, type CallCommandOptions } from './options.js';

/** The first revision with elicitation. */
const ELICITATION_SINCE = '2025-06-18';

/** Extensions of saved files by media type; never from a name that the server sends. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/ogg': 'ogg',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
};

/** `mcpgen call`: calls a tool and prints its result. Returns the exit code: 1 if the tool failed. */
export async function callCommand(
  server: readonly string[],
  name: string,
  options: CallCommandOptions,
): Promise<number> {
  if (options.args !== undefined && options.arg !== undefined) {
    throw new McpgenError('--args and --arg cannot be combined', { place: '--args', remedy: 'Use one of them.' });
  }
  const given = options.args === undefined ? undefined : readArguments(options.args);
  const target = await findTarget(server, options);
  const hasElicitation = target.revisions?.some((revision) => revision >= ELICITATION_SINCE) ?? true;
  const { secrets } = target;
  const printUnchecked = (pointer: string, reason: string): void => {
    printWarning({ place: secrets.redact(`${name}#${pointer}`), message: secrets.redact(`not checked: ${reason}`) });
  };
  const onProgress = ({ message, ...progress }: Progress): void => {
    printProgress(message === undefined ? progress : { ...progress, message: redactText(message, secrets) });
  };
  showProgress('asking the server ...');
  const received = await withServer(
    target,
    'the call failed:',
    async (connection) => {
      const tools = await collectItems(connection, 'tools/list', 'tools');
      const tool = requireTool(tools, name, secrets);
      const args = given ?? argumentsOf(tool, options.arg ?? []);
      const validated = { name, inputSchema: tool['inputSchema'], outputSchema: tool['outputSchema'] };
      try {
        return await callTool(connection, validated, args, onProgress, printUnchecked);
      } catch (error) {
        throw callError(error, name, target);
      }
    },
    hasElicitation
      ? {
          handlers: {
            'elicitation/create': (params) => askUser(secrets.redactJson(params as JsonObject) as JsonObject),
          },
          capabilities: { elicitation: { form: {}, url: {} } },
        }
      : {},
  );
  showProgress('');
  const result = secrets.redactJson(received) as JsonObject;
  const isError = ownMember(result, 'isError') === true;
  const structured = ownMember(result, 'structuredContent');
  if (options.json) printJson(structured ?? result);
  else printContent(result, structured, options.out);
  if (!isError) return 0;
  printError({ place: name, message: 'the tool failed' });
  return 1;
}

/** Text of a server without the credentials. */
function redactText(text: string, secrets: Secrets): string {
  return secrets.redactJson(text) as string;
}

function readArguments(text: string): Record<string, unknown> {
  const isInput = text === '-';
  const value = parseUntrustedJson(isInput ? readInputFile('-', '--args').contents : text, '--args');
  if (isObject(value)) return { ...value };
  throw new McpgenError('must be a JSON object', {
    place: '--args',
    remedy: `For example: --args '{"city": "Oslo"}'.`,
  });
}

function requireTool(tools: readonly JsonValue[], name: string, secrets: Secrets): JsonObject {
  const objects = tools.filter(isObject);
  const found = objects.find((tool) => ownMember(tool, 'name') === name);
  if (found !== undefined) return found;
  const names = objects.map((tool) => ownMember(tool, 'name')).filter((item) => typeof item === 'string');
  const near = closestMatch(name, names);
  throw new McpgenError('the server has no such tool', {
    place: name,
    remedy:
      near === undefined
        ? 'List its tools with mcpgen ls.'
        : `Did you mean ${JSON.stringify(redactText(near, secrets))}?`,
  });
}

/**
 * The arguments of `--arg name=value`, converted by the types of the schema. A list is JSON, or the option is repeated.
 *
 * @throws {@link McpgenError} if a value is not of its type.
 */
export function argumentsOf(tool: JsonObject, items: readonly string[]): Record<string, unknown> {
  const root = ownMember(tool, 'inputSchema');
  const schema = isObject(root) ? root : {};
  const members = ownMember(schema, 'properties');
  const texts = new Map<string, string[]>();
  for (const item of items) {
    const equals = item.indexOf('=');
    if (equals < 1) {
      throw new McpgenError(`not a name and a value: ${JSON.stringify(item)}`, {
        place: '--arg',
        remedy: 'Write --arg name=value.',
      });
    }
    const name = item.slice(0, equals);
    texts.set(name, [...(texts.get(name) ?? []), item.slice(equals + 1)]);
  }
  return {
    ...objectFromEntries(
      [...texts].map(([name, values]) => {
        const own = isObject(members) ? ownMember(members, name) : undefined;
        return [name, convertAll(name, values, own ?? {}, schema)] as const;
      }),
    ),
  };
}

function convertAll(name: string, values: readonly string[], schema: JsonValue, root: JsonObject): JsonValue {
  const [only = '', ...others] = values;
  const found = isObject(schema) ? (resolveReference(schema, root) ?? schema) : schema;
  const isList = isObject(found) && ownMember(found, 'type') === 'array';
  if (isList && (others.length > 0 || !only.trimStart().startsWith('['))) {
    const itemSchema = ownMember(found, 'items') ?? {};
    return values.map((value) => convert(name, value, itemSchema, root));
  }
  if (others.length === 0) return convert(name, only, found, root);
  throw new McpgenError('given more than once, and not a list', { place: `--arg ${name}`, remedy: 'Pass it once.' });
}

function convert(name: string, text: string, schema: JsonValue, root: JsonObject): JsonValue {
  // The kinds of values that the type allows, such as `string | null`.
  const type = typeText(schema, root);
  const kinds = type.split(' | ');
  if (kinds.includes(text) && ['true', 'false', 'null'].includes(text)) return JSON.parse(text) as JsonValue;
  if ((kinds.includes('number') || kinds.includes('integer')) && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) {
    if (!isTooLarge(text)) return Number(text);
    if (kinds.includes('string')) return text;
    throw new McpgenError(`cannot be sent exactly: ${text.slice(0, 60)}`, {
      place: `--arg ${name}`,
      remedy: `JavaScript rounds integers beyond ${Number.MAX_SAFE_INTEGER}.`,
    });
  }
  if (kinds.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (kinds.includes('null') && text === 'null') return null;
  if (kinds.includes('string') || kinds.includes(JSON.stringify(text))) return text;
  try {
    return parseUntrustedJson(text, `--arg ${name}`);
  } catch (error) {
    // A type that is unknown, or only literals: the validator reports what is wrong.
    if (type === 'any' || kinds.some((kind) => kind.startsWith('"'))) return text;
    const isNested = kinds.some((kind) => kind === 'object' || kind.endsWith('[]'));
    throw new McpgenError(`must be ${withArticle(type)}, not ${JSON.stringify(text.slice(0, 60))}`, {
      place: `--arg ${name}`,
      remedy: isNested ? 'Pass lists and objects as JSON.' : 'mcpgen ls prints the arguments of each tool.',
      cause: error,
    });
  }
}

/** A type in a sentence: `an integer`, but `string | null` as it is. */
function withArticle(type: string): string {
  if (!/^(?:string|number|integer|boolean|object)$/.test(type)) return type;
  return `${/^[io]/.test(type) ? 'an' : 'a'} ${type}`;
}

/** Whether a number would be sent as another integer, or as no number. */
function isTooLarge(text: string): boolean {
  const value = Number(text);
  return !Number.isFinite(value) || (/^-?\d+$/.test(text) && BigInt(text) !== BigInt(value));
}

function printProgress({ progress, total, message }: Progress): void {
  const share = total === undefined ? String(progress) : `${progress} of ${total}`;
  const line = escapeHiddenCharacters(message === undefined ? share : `${share}: ${message}`);
  if (process.stderr.isTTY) showProgress(line.slice(0, process.stderr.columns - 1));
  else printToStderr(line);
}

/** The error of a call for the user. */
function callError(error: unknown, tool: string, { secrets }: ServerTarget): unknown {
  const { name, message } = error as { readonly name?: unknown; readonly message?: unknown };
  const text = secrets.redact(typeof message === 'string' ? message : String(error));
  const remedies: Readonly<Record<string, string>> = {
    ToolArgumentsError: 'Nothing was sent. mcpgen ls prints the arguments of each tool.',
    ToolOutputError: 'The tool has run, but its result does not match its own output schema.',
    RpcError: 'The server rejected the call.',
  };
  const remedy = typeof name === 'string' && Object.hasOwn(remedies, name) ? remedies[name] : undefined;
  if (remedy === undefined) return error;
  // The place names the tool already.
  const shortened = text
    .replace(secrets.redact(`Invalid arguments of ${tool}: `), () => 'invalid arguments: ')
    .replace(secrets.redact(`the result of ${tool} has `), () => 'the result has ');
  return new McpgenError(shortened, { place: tool, remedy });
}

/** Prints the content of a result, and saves what is not text. */
function printContent(result: JsonObject, structured: JsonValue | undefined, out: string | undefined): void {
  const content = ownMember(result, 'content');
  const items = Array.isArray(content) ? (content as readonly JsonValue[]).filter(isObject) : [];
  const files = new ResultFiles(out);
  for (const item of items) {
    const resource = ownMember(item, 'resource');
    const holder = isObject(resource) ? resource : item;
    const text = ownMember(holder, 'text');
    const data = ownMember(holder, isObject(resource) ? 'blob' : 'data');
    const uri = ownMember(holder, 'uri');
    if (typeof text === 'string') printText(text);
    else if (typeof data === 'string') printLine(`saved: ${files.save(data, ownMember(holder, 'mimeType'))}`);
    else if (typeof uri === 'string') printText(`resource: ${uri}`);
  }
  if (items.length === 0 && structured !== undefined) printJson(structured);
  // What is no content is shown as it is.
  else if (!Array.isArray(content)) printJson(result);
}

/** Prints text of the server, in which nothing controls the terminal. */
function printText(text: string): void {
  for (const line of text.split(/\r?\n/)) printLine(line.split('\t').map(escapeHiddenCharacters).join('\t'));
}

/** Saves parts of a result; the names are ours. */
class ResultFiles {
  #folder: string | undefined;
  #count = 0;
  readonly #out: string | undefined;

  constructor(out: string | undefined) {
    this.#out = out;
  }

  /** @returns The path of the file. */
  save(base64: string, mediaType: JsonValue | undefined): string {
    this.#folder ??= createFolder(this.#out);
    const type = typeof mediaType === 'string' ? (mediaType.split(';')[0] ?? '').trim().toLowerCase() : '';
    const extension = Object.hasOwn(EXTENSIONS, type) ? (EXTENSIONS[type] ?? 'bin') : 'bin';
    for (;;) {
      this.#count += 1;
      const file = path.join(this.#folder, `result-${this.#count}.${extension}`);
      try {
        // Never replaces a file, and never follows a link.
        writeFileSync(file, Buffer.from(base64, 'base64'), { flag: 'wx' });
        return file;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
        throw cannotWrite(file, error);
      }
    }
  }
}

/** @throws {@link McpgenError} if it cannot be created, or is a file. */
function createFolder(given: string | undefined): string {
  try {
    const folder = given ?? mkdtempSync(path.join(os.tmpdir(), 'mcpgen-'));
    mkdirSync(folder, { recursive: true });
    return folder;
  } catch (error) {
    throw cannotWrite(given ?? os.tmpdir(), error);
  }
}

function cannotWrite(place: string, error: unknown): McpgenError {
  return new McpgenError(`cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`, {
    place,
    remedy: 'Choose another folder with --out.',
    cause: error,
  });
}
