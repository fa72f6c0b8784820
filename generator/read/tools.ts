import path from 'node:path';
import { McpgenError } from '../errors.js';
import { readBytes } from './files.js';
import {
  compareText,
  isObject,
  ownMember,
  parseUntrustedJson,
  formatPointer,
  type JsonObject,
  type JsonValue,
} from './json/json.js';

/** A tool, from the list of a server or from the files of its author. */
export interface ToolSource {
  readonly name: string;
  /** What it does. */
  readonly description?: string;
  /** Whether its server marks it as read-only. */
  readonly isReadOnly?: boolean;
  /** JSON Schema of its arguments. */
  readonly input?: JsonValue;
  /** JSON Schema of its structured content. */
  readonly output?: JsonValue;
  /** The place of each schema for messages: a file, with a pointer if it is a part of one. */
  readonly places: { readonly input: string; readonly output: string };
  /** Whether it is the author's own tool, whose schemas are generated too, because the server lists them. */
  readonly isOwn: boolean;
}

const INPUT_SUFFIX = '.input.json';
const OUTPUT_SUFFIX = '.output.json';

/**
 * Reads the tools of a project: `<name>.input.json` and `<name>.output.json` have the schemas of one tool, any other
 * file a `tools/list` response.
 *
 * @param patterns - Paths; `*` matches any name.
 * @param folder - The folder that they are relative to.
 * @param shownFrom - The folder that paths in messages are relative to.
 * @param replacement - A `tools/list` response to use instead of the contents of a file.
 * @returns The tools by name, and the files that they were read from.
 * @throws {@link McpgenError} if a file is invalid, or a path without `*` does not exist.
 */
export async function readToolFiles(
  patterns: readonly string[],
  folder: string,
  shownFrom: string = folder,
  replacement?: { readonly file: string; readonly contents: string | Uint8Array },
): Promise<{ readonly tools: readonly ToolSource[]; readonly files: readonly string[] }> {
  const files = [...(await findFiles(patterns, folder))];
  const coming = patterns.map((pattern) => path.resolve(folder, pattern)).find((file) => file === replacement?.file);
  if (coming !== undefined && !files.includes(coming)) files.push(coming);
  files.sort(compareText);
  for (const pattern of patterns) {
    const exact = path.resolve(folder, pattern);
    // A missing file is an error.
    if (!/[*?[\]{}()!]/.test(pattern) && !files.includes(exact)) readBytes(path.relative(shownFrom, exact));
  }
  const displayed = (file: string): string => path.relative(shownFrom, file) || file;
  const filesByTool = new Map<string, { input?: string; output?: string }>();
  const tools: ToolSource[] = [];
  for (const file of files) {
    const base = path.basename(file);
    const suffix = [INPUT_SUFFIX, OUTPUT_SUFFIX].find((item) => base.endsWith(item) && base.length > item.length);
    if (suffix === undefined) {
      tools.push(...readToolList(file === replacement?.file ? replacement.contents : readBytes(file), displayed(file)));
    } else {
      const name = base.slice(0, -suffix.length);
      const role = suffix === INPUT_SUFFIX ? 'input' : 'output';
      const files = filesByTool.get(name) ?? {};
      const other = files[role];
      if (other !== undefined) throw duplicateToolError(name, `${displayed(other)} and ${displayed(file)}`);
      filesByTool.set(name, { ...files, [role]: file });
    }
  }
  for (const [name, { input, output }] of filesByTool) {
    tools.push({
      name,
      ...(input === undefined ? {} : { input: readOwnSchema(input, displayed(input)) }),
      ...(output === undefined ? {} : { output: readOwnSchema(output, displayed(output)) }),
      places: { input: displayed(input ?? output ?? ''), output: displayed(output ?? input ?? '') },
      isOwn: true,
    });
  }
  tools.sort((a, b) => compareText(a.name, b.name));
  tools.forEach((tool, index) => {
    const next = tools[index + 1];
    if (next?.name === tool.name) throw duplicateToolError(tool.name, `${tool.places.input} and ${next.places.input}`);
  });
  return { tools, files };
}

/** The absolute paths of existing files that match patterns. */
export async function findFiles(patterns: readonly string[], folder: string): Promise<readonly string[]> {
  // Imported on demand.
  const { glob } = await import('tinyglobby');
  const found = await glob([...patterns], { cwd: folder, onlyFiles: true, expandDirectories: false, absolute: true });
  // Found files have forward slashes, even on Windows.
  return [...new Set(found.map((file) => path.resolve(file)))];
}

function duplicateToolError(name: string, place: string): McpgenError {
  return new McpgenError(`there are two tools ${JSON.stringify(name.slice(0, 80))}`, {
    place,
    remedy: 'Rename one of them.',
  });
}

/** Rejects a schema of the author's own tool that MCP does not allow. */
function readOwnSchema(file: string, place: string): JsonValue {
  const schema = parseUntrustedJson(readBytes(file), place);
  if (isObject(schema) && ownMember(schema, 'type') === 'object') return schema;
  throw new McpgenError('the schema of a tool must have the type object', {
    place,
    remedy: 'Write { "type": "object", "properties": { ... } }.',
  });
}

/**
 * Reads the tools of a `tools/list` response: the whole message, its result, or the list alone.
 *
 * @param contents - The file.
 * @param place - Its name in messages.
 * @returns The tools by name.
 * @throws {@link McpgenError} if it contains no list of tools, or two tools with one name.
 */
export function readToolList(contents: string | Uint8Array, place: string): readonly ToolSource[] {
  return parseTools(parseUntrustedJson(contents, place), place);
}

/** The tools of a `tools/list` response, unparsed. */
export function readRawTools(contents: string | Uint8Array, place: string): readonly JsonValue[] {
  return requireToolList(parseUntrustedJson(contents, place), place).list;
}

function requireToolList(value: JsonValue, place: string): { list: readonly JsonValue[]; at: string } {
  const { list, at } = findToolList(value);
  if (!Array.isArray(list)) {
    throw new McpgenError('it contains no list of tools', {
      place: at === '' ? place : `${place}#${at}`,
      remedy: 'Pass a `tools/list` response, its result, or the list alone.',
    });
  }
  return { list: list as readonly JsonValue[], at };
}

/** Like {@link readToolList}, for a parsed value. */
export function parseTools(value: JsonValue, place: string): readonly ToolSource[] {
  const { list, at } = requireToolList(value, place);
  const tools = new Map<string, ToolSource>();
  for (const [index, item] of list.entries()) {
    const where = `${place}#${at}${formatPointer(index)}`;
    const name = isObject(item) ? ownMember(item, 'name') : undefined;
    if (name === '') {
      throw new McpgenError('the name of the tool is empty', {
        place: `${where}/name`,
        remedy: 'Types need a name: set one on the server, or remove the tool from the list.',
      });
    }
    if (!isObject(item) || typeof name !== 'string') {
      throw new McpgenError('a tool must be an object with a name', { place: where, remedy: 'Fix the error there.' });
    }
    const earlier = tools.get(name);
    if (earlier !== undefined) throw duplicateToolError(name, where);
    const description = ownMember(item, 'description');
    const input = ownMember(item, 'inputSchema');
    const output = ownMember(item, 'outputSchema');
    const annotations = ownMember(item, 'annotations');
    const isReadOnly = isObject(annotations) && ownMember(annotations, 'readOnlyHint') === true;
    tools.set(name, {
      name,
      ...(typeof description === 'string' ? { description } : {}),
      ...(isReadOnly ? { isReadOnly } : {}),
      ...(input === undefined ? {} : { input }),
      ...(output === undefined ? {} : { output }),
      places: { input: `${where}/inputSchema`, output: `${where}/outputSchema` },
      isOwn: false,
    });
  }
  return [...tools.values()].sort((a, b) => compareText(a.name, b.name));
}

function findToolList(value: JsonValue): { list: JsonValue | undefined; at: string } {
  if (!isObject(value)) return { list: value, at: '' };
  const result = ownMember(value, 'result');
  const inside: JsonObject = isObject(result) ? result : value;
  return { list: ownMember(inside, 'tools'), at: formatPointer(...(inside === value ? [] : ['result']), 'tools') };
}
