/**
 * Runs plugins, and checks what they return. They see a frozen copy of the protocol, so that none can change what the
 * emitters and other plugins see.
 */
import { McpgenError } from '../errors.js';
import { memberOf } from '../model/catalog/derive.js';
import { constantCase } from '../model/naming.js';
import { findDefinition, type Member, type ObjectNode, type Protocol, type TypeNode } from '../model/protocol.js';
import { mergeMembers } from '../model/types/merge-members.js';
import { refsIn } from '../model/types/references.js';
import { JSON_MARK, MARKED_EXTENSIONS, markSyntax } from '../output/ownership.js';
import { PLUGIN_API_VERSION, type NamedPlugin, type Plugin, type PluginTools } from '../plugin.js';
import { typeNames } from '../print/names.js';
import { definitionSchema, memberSchema, typeSchema } from '../print/json-schema.js';
import { MODULE_NAMES, SourceFile, type ImportExtension } from '../print/source-file.js';
import { orderedMembers, printType } from '../print/type.js';
import { programError, runForeign, thrownReason } from '../read/program.js';

/** What a run writes without plugins. */
export interface PluginRun {
  /** The parts, dependencies included. */
  readonly parts: readonly string[];
  /** Files that plugins may import from, without extension: their names on disk, by the names that plugins use. */
  readonly modules: ReadonlyMap<string, string>;
  readonly importExtension: ImportExtension;
}

/** A file of a plugin, whose path was checked. */
export interface PluginOutput {
  /** Path below the folder of the revision. */
  readonly path: string;
  readonly contents: SourceFile<string> | string;
  readonly owner: NamedPlugin;
}

/** Limits of what one plugin returns for a revision. */
const MAX_FILES = 1000;
const MAX_FILE_CHARACTERS = 4 * 1024 * 1024;
const MAX_CHARACTERS = 32 * 1024 * 1024;
const MAX_PATH_LENGTH = 200;

/**
 * Runs the plugins of a run for a protocol.
 *
 * @returns The files of all of them; no two have the same path, and none has that of a file of mcpgen.
 * @throws {@link McpgenError} if a plugin fails or returns something else than files.
 */
export async function runPlugins(
  plugins: readonly (Plugin | NamedPlugin)[],
  protocol: Protocol,
  run: PluginRun,
): Promise<readonly PluginOutput[]> {
  const outputs = new Map<string, PluginOutput>();
  for (const [index, given] of plugins.entries()) {
    const owner = requirePlugin(given, `plugins[${index}]`);
    for (const output of await runPlugin(owner, protocol, run)) {
      // Some file systems ignore case.
      const key = output.path.toLowerCase();
      const other = outputs.get(key);
      if (other !== undefined) {
        throw pluginError(
          owner,
          other.owner === owner
            ? `returns ${shown(output.path)} twice`
            : `returns ${shown(output.path)}, as ${other.owner.name} does`,
          'Choose another path.',
        );
      }
      const inside = [...outputs.keys()].find((one) => one.startsWith(`${key}/`) || key.startsWith(`${one}/`));
      if (inside !== undefined) {
        throw pluginError(
          owner,
          `returns ${shown(output.path)}, and ${outputs.get(inside)?.owner.name ?? ''} returns ${shown(inside)}: one path is a file and a folder`,
          'Choose another path.',
        );
      }
      outputs.set(key, output);
    }
  }
  return [...outputs.values()];
}

/**
 * Checks that a value is a plugin for this version of the API.
 *
 * @param place - Where it is from, if it has no name.
 * @throws {@link McpgenError} if it is not.
 */
export function requirePlugin(given: unknown, place: string): NamedPlugin {
  const isNamed = isRecord(given) && 'plugin' in given;
  const named: Partial<NamedPlugin> = isNamed ? given : {};
  const owner = {
    name: typeof named.name === 'string' ? named.name : place,
    ...(typeof named.file === 'string' ? { file: named.file } : {}),
  };
  const plugin: unknown = isNamed ? named.plugin : given;
  const remedy = `Write \`export default definePlugin(${PLUGIN_API_VERSION}, (protocol, tools) => [...])\` with \`definePlugin\` of mcpgen/plugin.`;
  if (!isRecord(plugin) || !('mcpgenPlugin' in plugin)) {
    throw pluginError(
      owner,
      plugin === undefined ? 'has no default export' : 'exports something else than a plugin',
      remedy,
    );
  }
  const { mcpgenPlugin: version, generate } = plugin;
  if (version !== PLUGIN_API_VERSION) {
    const known =
      typeof version === 'number'
        ? `is for version ${version} of the plugin API`
        : 'names no version of the plugin API';
    throw pluginError(
      owner,
      `${known}, and this mcpgen has version ${PLUGIN_API_VERSION}`,
      'Install a version of the plugin and of mcpgen that match, or pass 1 to `definePlugin`.',
    );
  }
  if (typeof generate !== 'function') throw pluginError(owner, 'was defined without a function', remedy);
  return { ...owner, plugin: plugin as unknown as Plugin };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** An error about a plugin, or about a file that it returned. */
export function pluginError(
  { name, file }: Pick<NamedPlugin, 'name' | 'file'>,
  message: string,
  remedy: string,
): McpgenError {
  return new McpgenError(`the plugin ${message}`, { place: file ?? name, remedy });
}

async function runPlugin(owner: NamedPlugin, protocol: Protocol, run: PluginRun): Promise<readonly PluginOutput[]> {
  const made = new Set<unknown>();
  const tools = createTools(frozenCopy(protocol), run, (file) => made.add(file));
  let returned: unknown;
  try {
    returned = await runForeign(async () => owner.plugin.generate(frozenCopy(protocol), tools));
  } catch (error) {
    if (error instanceof RangeError && thrownReason(error).includes('call stack')) {
      throw pluginError(
        owner,
        `failed for ${protocol.revision}: it calls itself too often`,
        'Fix the recursion; types may refer to themselves.',
      );
    }
    throw programError(`the plugin failed for ${protocol.revision}`, owner.file ?? owner.name, error);
  }
  if (!Array.isArray(returned)) {
    throw pluginError(
      owner,
      `returned ${describe(returned)} instead of a list of files`,
      'Return a list, which may be empty.',
    );
  }
  if (returned.length > MAX_FILES) {
    throw pluginError(
      owner,
      `returned ${returned.length} files; at most ${MAX_FILES} are written`,
      'Join some of them.',
    );
  }
  let characters = 0;
  // A list with holes is read as one with undefined.
  return Array.from(returned as readonly unknown[], (item, index): PluginOutput => {
    const output = readFile(owner, item, made.has(item), index, run);
    if (typeof output.contents === 'string') characters += output.contents.length;
    if (characters > MAX_CHARACTERS) {
      throw pluginError(owner, `returned more than ${MAX_CHARACTERS / 1024 / 1024} MiB of text`, 'Write less.');
    }
    return output;
  });
}

/** Checks one file that a plugin returned. */
function readFile(owner: NamedPlugin, item: unknown, isSource: boolean, index: number, run: PluginRun): PluginOutput {
  if (item instanceof SourceFile && isSource) {
    const file = item as SourceFile<string>;
    const path = requirePath(owner, `${file.name}.ts`, run);
    for (const name of file.importedModules()) {
      if (run.modules.has(name)) continue;
      throw pluginError(
        owner,
        `imports ${name} in ${path}, which this run does not write`,
        `Request a part that writes it with --emit, or import from ${[...run.modules.keys()].filter((one) => !one.includes('/')).join(', ')}.`,
      );
    }
    return { path, contents: file, owner };
  }
  let fields: { path: unknown; text: unknown };
  try {
    const { path, text } = isRecord(item) ? item : {};
    fields = { path, text };
  } catch (error) {
    throw programError('the plugin returned a file that cannot be read', owner.file ?? owner.name, error);
  }
  const { path: given, text } = fields;
  if (typeof given !== 'string' || typeof text !== 'string') {
    const problem = isRecord(item)
      ? `without ${typeof given === 'string' ? '`text`' : '`path`'} as a string`
      : `that is ${describe(item)}`;
    throw pluginError(
      owner,
      `returned a file ${problem} (item ${index})`,
      'Return objects { path, text }, or files of tools.sourceFile().',
    );
  }
  const path = requirePath(owner, given, run);
  if (text.length > MAX_FILE_CHARACTERS) {
    throw pluginError(
      owner,
      `returned ${path} with more than ${MAX_FILE_CHARACTERS / 1024 / 1024} MiB`,
      'Split it into several files.',
    );
  }
  if (markSyntax(path) === 'json') requireJsonObject(owner, path, text);
  return { path, contents: text, owner };
}

const SCRIPT_EXTENSION = /(?:\.d)?\.[mc]?[jt]sx?$/;

const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Checks a path: below the folder of the revision on every system, with a format that can have our mark. */
function requirePath(owner: NamedPlugin, path: string, { modules }: PluginRun): string {
  const steps = path.split('/');
  const isValid =
    path.length <= MAX_PATH_LENGTH &&
    steps.every((step) => /^[\w@+-](?:[\w@+.-]*[\w@+-])?$/.test(step) && !DEVICE_NAME.test(step));
  if (!isValid) {
    throw pluginError(
      owner,
      `returned the path ${shown(path)}, which is not below the folder of the revision or has other characters than letters, digits and @+._-`,
      'Return a relative path with forward slashes, such as docs/reference.md.',
    );
  }
  if (markSyntax(path) === undefined) {
    throw pluginError(
      owner,
      `returned ${path}, whose format cannot have the mark of a generated file`,
      `Use one of ${MARKED_EXTENSIONS.map((extension) => `.${extension}`).join(', ')}.`,
    );
  }
  const [first = '', ...rest] = steps.map((step) => step.toLowerCase());
  // Compilers and runtimes choose between files that differ in extension only.
  const stem = SCRIPT_EXTENSION.test(first) ? first.replace(SCRIPT_EXTENSION, '') : undefined;
  const isOurs = [...MODULE_NAMES, ...modules.values()].some((name) => stem === name.toLowerCase());
  if (isOurs || first === 'runtime') {
    throw pluginError(owner, `returned ${path}, which is the path of a file of mcpgen`, 'Choose another path.');
  }
  if ([first, ...rest].some((step) => step === 'node_modules' || step === 'package.json')) {
    throw pluginError(owner, `returned ${path}, which changes how modules are resolved`, 'Choose another path.');
  }
  return path;
}

function requireJsonObject(owner: NamedPlugin, path: string, text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw pluginError(
      owner,
      `returned ${path}, which is not JSON: ${thrownReason(error).split('\n')[0] ?? ''}`,
      'Use JSON.stringify.',
    );
  }
  if (!isRecord(value) || Array.isArray(value)) {
    throw pluginError(
      owner,
      `returned ${path}, which is not an object, so it cannot have the mark of a generated file`,
      'Return an object, or YAML.',
    );
  }
  if (Object.hasOwn(value, JSON_MARK)) {
    throw pluginError(
      owner,
      `returned ${path}, which has the member "${JSON_MARK}", the mark of a generated file`,
      'Omit it.',
    );
  }
}

function createTools(
  protocol: Protocol,
  { parts, importExtension }: PluginRun,
  onFile: (file: SourceFile<string>) => void,
): PluginTools {
  const names = typeNames(protocol);
  const printer = { name: (name: string) => names.get(name) ?? name, linkable: new Set(names.values()) };
  const find = (name: string): ReturnType<PluginTools['definition']> => findDefinition(protocol, name);
  return Object.freeze<PluginTools>({
    parts: Object.freeze([...parts]),
    importExtension,
    sourceFile: (name) => {
      const file = new SourceFile<string>(name);
      onFile(file);
      return file;
    },
    typeName: printer.name,
    methodConstant: constantCase,
    printType: (type) => printType(type, printer),
    references: (type) => [...new Set(refsIn(type))],
    definition: find,
    params: ({ params, message }) => {
      if (params === null) return undefined;
      return find(params) === undefined ? memberOf(find(message)?.type, 'params')?.type : { kind: 'ref', name: params };
    },
    members: (type) => membersOf(type, protocol),
    jsonSchema: typeSchema,
    documentedSchema: (owner, options) =>
      'required' in owner ? memberSchema(owner, options) : definitionSchema(owner, options),
  });
}

/** The members of all object types that a value is of. */
function membersOf(type: TypeNode, protocol: Protocol): readonly Member[] {
  const objects: ObjectNode[] = [];
  const seen = new Set<string>();
  const visit = (node: TypeNode): void => {
    if (node.kind === 'object') objects.push(node);
    if (node.kind === 'refined') visit(node.type);
    if (node.kind === 'intersection') node.parts.forEach(visit);
    if (node.kind !== 'ref' || seen.has(node.name)) return;
    seen.add(node.name);
    const target = findDefinition(protocol, node.name);
    if (target !== undefined) visit(target.type);
  };
  visit(type);
  return orderedMembers(mergeMembers(objects));
}

const copies = new WeakMap<Protocol, Protocol>();

/** A copy of a protocol that nobody can change. */
function frozenCopy(protocol: Protocol): Protocol {
  const known = copies.get(protocol);
  if (known !== undefined) return known;
  const copy = structuredClone(protocol);
  freezeDeeply(copy);
  copies.set(protocol, copy);
  return copy;
}

function freezeDeeply(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const item of Object.values(value)) freezeDeeply(item);
}

function shown(path: string): string {
  return JSON.stringify(path.length > 80 ? `${path.slice(0, 80)}...` : path);
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
