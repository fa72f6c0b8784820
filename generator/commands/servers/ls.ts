import { collectItems } from '../../connect/list-tools.js';
import { withServer, type Connection } from '../../connect/open.js';
import { isObject, ownMember, parsePointer, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { printJson, printLine, showProgress, stdoutColors } from '../../terminal.js';
import { escapeHiddenCharacters } from '../../text.js';
import { findTarget, type LsOptions } from './options.js';

/** The lists of a server: the capability, the method and the member of its results. */
const LISTS = [
  ['tools', 'tools/list', 'tools', 'Tools'],
  ['resources', 'resources/list', 'resources', 'Resources'],
  ['resources', 'resources/templates/list', 'resourceTemplates', 'Resource templates'],
  ['prompts', 'prompts/list', 'prompts', 'Prompts'],
] as const;

/** JSON-RPC: the method does not exist. */
const METHOD_NOT_FOUND = -32601;

/** Most levels of a schema that are shown. */
const MAX_TYPE_DEPTH = 3;

/** `mcpgen ls`: prints what a server offers. Returns the exit code. */
export async function lsCommand(server: readonly string[], options: LsOptions): Promise<number> {
  const target = await findTarget(server, options);
  showProgress('asking the server ...');
  const found = await withServer(target, 'the server did not return its lists:', async (connection) => {
    const { client } = connection;
    const lists: Record<string, readonly JsonValue[]> = {};
    for (const [capability, method, member] of LISTS) {
      lists[member] = capability in client.server.capabilities ? await listOrNone(connection, method, member) : [];
    }
    const info = (client.server.info ?? {}) as unknown as JsonObject;
    return { revision: client.revision ?? '', server: info, ...lists };
  });
  showProgress('');
  const shown = target.secrets.redactJson(found) as JsonObject;
  if (options.json) printJson(shown);
  else printLists(shown);
  return 0;
}

/** A server may have resources but no templates, or the other way round. */
async function listOrNone(connection: Connection, method: string, member: string): Promise<readonly JsonValue[]> {
  try {
    return await collectItems(connection, method, member);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === METHOD_NOT_FOUND) return [];
    throw error;
  }
}

function printLists(found: JsonObject): void {
  const server = ownMember(found, 'server');
  const [name, version] = ['name', 'version'].map((key) => (isObject(server) ? textOf(ownMember(server, key)) : ''));
  const title = [name, version].filter((text) => text !== '').join(' ');
  printLine(`${stdoutColors.bold(title === '' ? 'server' : title)}, MCP ${textOf(ownMember(found, 'revision'))}`);
  for (const [, , member, heading] of LISTS) {
    const list = (ownMember(found, member) ?? []) as readonly JsonValue[];
    if (list.length === 0) continue;
    printLine(`\n${stdoutColors.bold(heading)}`);
    for (const item of list) if (isObject(item)) printItem(item, member);
  }
}

function printItem(item: JsonObject, member: string): void {
  const key = member === 'resources' ? 'uri' : member === 'resourceTemplates' ? 'uriTemplate' : 'name';
  printCut('  ', textOf(ownMember(item, key)), textOf(ownMember(item, 'description') ?? ownMember(item, 'title')));
  if (member === 'tools') {
    const schema = ownMember(item, 'inputSchema');
    if (isObject(schema)) printArguments(schema);
  }
  const args = ownMember(item, 'arguments');
  if (member !== 'prompts' || !Array.isArray(args)) return;
  for (const arg of args as readonly JsonValue[]) {
    if (!isObject(arg)) continue;
    const mark = ownMember(arg, 'required') === true ? '' : '?';
    printCut('    ', textOf(ownMember(arg, 'name')) + mark, textOf(ownMember(arg, 'description')));
  }
}

function printArguments(schema: JsonObject): void {
  const members = ownMember(schema, 'properties');
  const required = ownMember(schema, 'required');
  const names: readonly JsonValue[] = Array.isArray(required) ? (required as readonly JsonValue[]) : [];
  if (!isObject(members)) return;
  for (const [name, member] of Object.entries(members)) {
    const head = `${singleLine(name)}${names.includes(name) ? '' : '?'}: ${singleLine(typeText(member, schema))}`;
    printCut('    ', head, isObject(member) ? textOf(ownMember(member, 'description')) : '');
  }
}

/** A short form of a schema's type, such as `string[]` or `"a" | "b"`. */
export function typeText(schema: JsonValue, root: JsonObject, depth = 0): string {
  if (!isObject(schema) || depth > MAX_TYPE_DEPTH) return 'any';
  const target = resolveReference(schema, root);
  if (target !== undefined) return typeText(target, root, depth + 1);
  const values = ownMember(schema, 'enum');
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(ownMember(schema, 'const'));
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = ownMember(schema, keyword);
    if (!Array.isArray(branches)) continue;
    const types = (branches as readonly JsonValue[]).map((branch) => typeText(branch, root, depth + 1));
    return [...new Set(types)].join(' | ');
  }
  const type = ownMember(schema, 'type');
  const types = Array.isArray(type) ? (type as readonly JsonValue[]) : type === undefined ? [] : [type];
  if (types.length === 0) return 'any';
  return types
    .map((name) => {
      if (name !== 'array') return textOf(name);
      const items = typeText(ownMember(schema, 'items') ?? {}, root, depth + 1);
      return items.includes(' ') ? `(${items})[]` : `${items}[]`;
    })
    .join(' | ');
}

/** The schema that a local reference leads to; undefined without one. */
export function resolveReference(schema: JsonObject, root: JsonObject): JsonValue | undefined {
  const reference = ownMember(schema, '$ref');
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  let at: JsonValue | undefined = root;
  for (const key of parsePointer(reference.slice(1))) at = isObject(at) ? ownMember(at, key) : undefined;
  return at;
}

/** Prints a name and the beginning of its description, as far as the terminal is wide. */
function printCut(indent: string, name: string, description: string): void {
  const head = `${indent}${singleLine(name)}`;
  const text = singleLine(description);
  const width = (outputWidth() ?? Number.POSITIVE_INFINITY) - head.length - 2;
  const cut = text.length <= width ? text : width < 10 ? '' : `${text.slice(0, width - 3).trimEnd()}...`;
  printLine(cut === '' ? head : `${head}  ${stdoutColors.dim(cut)}`);
}

/** Columns of the terminal; undefined without one. */
function outputWidth(): number | undefined {
  return process.stdout.columns;
}

/** One line, in which nothing controls the terminal. */
function singleLine(text: string): string {
  return escapeHiddenCharacters(text.replace(/\s+/g, ' ').trim());
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
