/**
 * Renders a protocol or a list of tools as formatted files. Reads only the Prettier config, and writes nothing.
 */
import path from 'node:path';
import type { Protocol, Warning } from './model/protocol.js';
import { partsToEmit } from './render-options.js';
import type { RenderOptions } from './render-options.js';
import type { PlannedFile } from './output/plan.js';
import { formatAnyText, Formatter } from './output/format.js';
import { refuseTarget, requireFolder } from './render-options.js';
import { compileFiles } from './output/compile/compile.js';
import { toolBuildHash } from './read/builtin/tool-build.js';
import { McpgenError } from './errors.js';
import { EMITTABLE, runtimeModulesFor, withDependencies, type Emittable } from './emit/parts.js';
import { hasRoles } from './emit/handled.js';
import { emit, refusePartsOfRoles } from './emit/index.js';
import { protocolHeader, protocolHeaderLines, runtimeHeader, toolHeader } from './print/header.js';
import { regenerateCommand } from './command-line.js';
import { fileExtension } from './print/source-file.js';
import type { ImportExtension, RuntimeModule, SourceFile, Target, ToolModule } from './print/source-file.js';
import { readRuntimeFiles } from './read/builtin/runtime.js';
import { addHeader, addJsonMark, commentLine, completeJsonMark, markSyntax, removeHeader } from './output/ownership.js';
import { pluginError, runPlugins, type PluginOutput } from './plugin-host/run.js';
import type { ToolSource } from './read/tools.js';
import { ToolNamer, emitTool, emitToolIndex, summarizeTool, toolRuntime } from './emit/tools/tools.js';
import type { ToolSummary } from './emit/tools/tools.js';
import { printServerClients, printServerIndex } from './emit/tools/servers.js';
import { parseTool } from './model/tools.js';
import { NO_DOCS } from './read/builtin/docs.js';
import { createPatternCheck } from './read/patterns.js';
import type { SchemaDocuments } from './read/schema/documents.js';

/**
 * Renders the files of a protocol in memory, formatted with the Prettier config of a folder.
 *
 * @param protocol - The result of {@link loadProtocol}.
 * @param out - The output folder; only its Prettier config is read.
 * @returns Files with paths below the output folder: `<revision>/types.ts` and so on, and `runtime/*.ts` which all
 *   revisions share.
 * @throws {@link McpgenError} if names collide.
 */
export async function render(
  protocol: Protocol,
  out: string,
  options: RenderOptions = {},
): Promise<readonly PlannedFile[]> {
  return filesFor(options, await renderProtocolFiles(new Formatter(), protocol, out, options));
}

/**
 * Files as the options have them: as they are, or as JavaScript with declarations.
 *
 * @throws {@link McpgenError} if that is not possible.
 */
export async function filesFor(
  options: Pick<RenderOptions, 'target' | 'tsNocheck' | 'importExtension'>,
  files: readonly PlannedFile[],
): Promise<readonly PlannedFile[]> {
  refuseTarget(options);
  const marked = options.tsNocheck === true ? files.map(withoutTypeCheck) : files;
  return options.target === 'js' ? compileFiles(marked, toolBuildHash()) : marked;
}

/** Has compilers skip a file of mcpgen; what plugins and authors write is checked. */
function withoutTypeCheck(file: PlannedFile): PlannedFile {
  if (file.belongsToUser === true || !file.path.endsWith('.ts')) return file;
  const text = removeHeader(file.contents);
  const [header = ''] = /^(?:\/\/.*\r?\n)*\/\* eslint-disable \*\/(\r?\n)/.exec(text) ?? [];
  if (header === '' || header.includes('\n// Plugin: ')) return file;
  const lineEnd = header.endsWith('\r\n') ? '\r\n' : '\n';
  const marked = `${header}// @ts-nocheck${lineEnd}${text.slice(header.length)}`;
  return { ...file, contents: addHeader(file.path, marked) };
}

export async function renderProtocolFiles(
  formatter: Formatter,
  protocol: Protocol,
  out: string,
  options: RenderOptions,
): Promise<readonly PlannedFile[]> {
  requireFolder(out);
  const importExtension = options.importExtension ?? 'js';
  const parts = partsToEmit(options);
  if (parts.length === 0) {
    throw new McpgenError('the list of parts is empty', {
      remedy: `Use some of ${EMITTABLE.join(', ')}, or omit it.`,
    });
  }
  refusePartsOfRoles(protocol, parts);
  const files = emit(protocol, parts, importExtension, options.methods);
  const head = protocolHeader(protocol, regenerateCommand(protocol, options));
  const own = files.map((file) => ({
    path: `${protocol.revision}/${file.fileName}.ts`,
    pieces: file.print({ header: file.belongsToUser ? '' : head, importExtension }),
    isFormatted: false,
    belongsToUser: file.belongsToUser,
  }));
  const roots = [...runtimeModulesFor(parts, hasRoles(protocol)), ...(protocol.runtime ?? [])];
  const shared = runtimeFiles(roots, importExtension);
  const planned = await formatFiles(formatter, [...own, ...shared], out);
  const { plugins = [] } = options;
  if (plugins.length === 0) return planned;
  const modules = new Map<string, string>([
    ...files.flatMap(({ name, fileName }): [string, string][] => [
      [fileName, fileName],
      [name, fileName],
    ]),
    ...shared.map(({ path: file }): [string, string] => [file.replace(/\.ts$/, ''), file.replace(/\.ts$/, '')]),
  ]);
  const outputs = await runPlugins(plugins, protocol, { parts: withDependencies(parts), modules, importExtension });
  for (const output of outputs) planned.push(await renderPluginFile(output, protocol, out, options, modules));
  return planned;
}

/** A file of a plugin, formatted and with a header. */
async function renderPluginFile(
  { path: name, contents, owner }: PluginOutput,
  protocol: Protocol,
  out: string,
  options: RenderOptions,
  fileNames: ReadonlyMap<string, string>,
): Promise<PlannedFile> {
  const { importExtension = 'js' } = options;
  const file = `${protocol.revision}/${name}`;
  const target = path.resolve(out, file);
  const command = regenerateCommand(protocol, options);
  try {
    if (typeof contents !== 'string') {
      const header = protocolHeader(protocol, command, owner.name);
      // In one piece and without a shared cache, since the code may not be valid.
      const pieces = [contents.print({ header, importExtension, fileNames }).join('\n\n')];
      return { path: file, contents: addHeader(file, await new Formatter().format(pieces, target)) };
    }
    if (markSyntax(file) === 'json') {
      const marked = completeJsonMark(file, await formatAnyText(addJsonMark(file, contents), target));
      if (marked !== undefined) return { path: file, contents: marked };
      throw new Error('the Prettier config changes its first member');
    }
    const isScript = /\.[mc]?[jt]sx?$/.test(file);
    const lines = protocolHeaderLines(protocol, command, owner.name).map((line) => commentLine(file, line));
    const header = [...lines, ...(isScript ? ['/* eslint-disable */'] : []), ''].join('\n');
    return { path: file, contents: addHeader(file, await formatAnyText(`${header}\n${contents}`, target)) };
  } catch (error) {
    if (error instanceof McpgenError) throw error;
    const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n');
    throw pluginError(owner, `returned ${name}, which cannot be formatted: ${reason}`, 'Return a valid file.');
  }
}

/** A file that is not yet formatted. */
interface UnformattedFile {
  readonly path: string;
  readonly pieces: readonly string[];
  readonly isFormatted: boolean;
  readonly belongsToUser: boolean;
}

/** The shared files of several roots, and everything that they import. */
function runtimeFiles(roots: readonly RuntimeModule[], importExtension: ImportExtension): readonly UnformattedFile[] {
  const extension = fileExtension(importExtension);
  return readRuntimeFiles(roots, extension).map(({ name, text }) => ({
    path: `${name}.ts`,
    pieces: [runtimeHeader(name), text],
    isFormatted: true,
    belongsToUser: false,
  }));
}

async function formatFiles(
  formatter: Formatter,
  drafts: readonly UnformattedFile[],
  out: string,
): Promise<PlannedFile[]> {
  const planned: PlannedFile[] = [];
  // Sequential, so that each file reuses the cached pieces of those before it.
  for (const { path: name, pieces, isFormatted, belongsToUser } of drafts) {
    const text = await formatter.format(pieces, path.resolve(out, name), isFormatted);
    planned.push(
      belongsToUser ? { path: name, contents: text, belongsToUser } : { path: name, contents: addHeader(name, text) },
    );
  }
  return planned;
}

/** How to render the files of tools. */
export interface ToolOptions {
  /** Extension of imported files; `js` by default. */
  readonly importExtension?: ImportExtension;
  /** `js` writes `.js` with `.d.ts` files instead of `.ts`; `ts` by default. */
  readonly target?: Target;
  /** Whether files begin with `// @ts-nocheck`; false by default. */
  readonly tsNocheck?: boolean;
  /** The command that regenerates the files, for their headers. */
  readonly command?: string;
  /** The folder below the output folder; `tools` by default. */
  readonly folder?: string;
  /** Documents that the schemas may refer to, by URI. Nothing is ever fetched. */
  readonly documents?: SchemaDocuments;
  /**
   * Uses all regular expressions, without a check of their running time. By default, one that is slow is a warning in
   * the author's own schema, and is not part of the validators of a server's tools.
   */
  readonly trustPatterns?: boolean;
  /** Whether `nullable: true` of OpenAPI 3.0 allows null, with a warning for each; false by default. */
  readonly nullable?: boolean;
}

/** Files of tools in memory. */
export interface ToolRendering {
  readonly files: readonly PlannedFile[];
  /** Where a type is wider than its schema. */
  readonly warnings: readonly Warning[];
}

/**
 * Renders types, guards and validators of tools' arguments and structured content, formatted with the Prettier config
 * of a folder.
 *
 * @param tools - The result of {@link readToolFiles} or {@link readToolList}.
 * @param out - The output folder; only its Prettier config is read.
 * @returns Files with paths below the output folder: `tools/<name>.ts`, `tools/index.ts` and their shared files, with
 *   another folder instead of `tools` if the options name one.
 */
export async function renderTools(
  tools: readonly ToolSource[],
  out: string,
  options: ToolOptions = {},
): Promise<ToolRendering> {
  const { files, warnings } = await renderToolsWith(new Formatter(), tools, out, options);
  return { files: await filesFor(options, files), warnings };
}

export async function renderToolsWith(
  formatter: Formatter,
  tools: readonly ToolSource[],
  out: string,
  options: ToolOptions,
): Promise<ToolRendering> {
  requireFolder(out);
  const { importExtension = 'js', command = 'mcpgen generate', folder = 'tools', documents, nullable } = options;
  const namer = new ToolNamer();
  const summaries: ToolSummary[] = [];
  const warnings: Warning[] = [];
  const files: PlannedFile[] = [];
  const add = async (file: SourceFile<ToolModule>, source?: ToolSource): Promise<void> => {
    const head = toolHeader(
      source === undefined ? undefined : { name: source.name, places: toolLocations(source) },
      command,
    );
    const pieces = file.print({ header: head, importExtension });
    const name = `${folder}/${file.name.slice('tools/'.length)}.ts`;
    files.push(...(await formatFiles(formatter, [{ path: name, pieces, ...GENERATED_FILE }], out)));
  };
  const checkPattern = options.trustPatterns === true ? undefined : createPatternCheck();
  // Sequential, so that only the texts of thousands of tools stay in memory.
  for (const tool of tools) {
    const model = parseTool(tool, NO_DOCS, { documents, checkPattern, nullable });
    const named = namer.name(model);
    warnings.push(...model.warnings);
    summaries.push(summarizeTool(named));
    await add(emitTool(named), tool);
  }
  for (const file of emitToolIndex(summaries, importExtension)) await add(file);
  files.push(...(await formatFiles(formatter, runtimeFiles(toolRuntime(summaries), importExtension), out)));
  return { files, warnings };
}

/** A server whose tools are rendered. */
export interface ServerTools {
  /** Its name in the config. */
  readonly name: string;
  /** The folder of its tools. */
  readonly folder: string;
  /** Whether it is reached at a URL; otherwise it is a program. */
  readonly isHttp: boolean;
  /** Undefined for output of an earlier run that stays. */
  readonly tools: readonly ToolSource[] | undefined;
  /** Whether the output that stays has tools. */
  readonly hasKeptTools?: boolean;
}

/** What was rendered for several servers. */
export interface ServersRendering {
  readonly files: readonly PlannedFile[];
  /** Where a type is wider than its schema, by the folder of the server. */
  readonly warnings: ReadonlyMap<string, readonly Warning[]>;
}

/** How to render the files of several servers. */
export interface ServersOptions extends Omit<ToolOptions, 'folder'> {
  /** With them, `clients.ts` connects to the servers: by revision, the newest last. */
  readonly protocols?: readonly Protocol[];
  /** Called with each folder before its files are rendered. */
  readonly onProgress?: (folder: string) => void;
}

/** Renders a folder for the tools of each server, and the files over all of them. */
export async function renderServers(
  servers: readonly ServerTools[],
  out: string,
  options: ServersOptions,
): Promise<ServersRendering> {
  const { importExtension = 'js', command = 'mcpgen generate', protocols = [], onProgress } = options;
  const formatter = new Formatter();
  const files: PlannedFile[] = [];
  const warnings = new Map<string, readonly Warning[]>();
  for (const { folder, tools } of servers) {
    if (tools === undefined) continue;
    onProgress?.(folder);
    const rendered = await renderToolsWith(formatter, tools, out, { ...options, folder });
    files.push(...rendered.files);
    warnings.set(folder, rendered.warnings);
  }
  const generated = servers.map(({ tools, hasKeptTools = false, ...server }) => ({
    ...server,
    hasTools: tools === undefined ? hasKeptTools : tools.length > 0,
  }));
  const parts: Emittable[] = [
    ...(servers.some(({ isHttp }) => isHttp) ? (['http-client'] as const) : []),
    ...(servers.some(({ isHttp }) => !isHttp) ? (['stdio'] as const) : []),
  ];
  for (const [index, protocol] of protocols.entries()) {
    onProgress?.(protocol.revision);
    const part = index === protocols.length - 1 ? 'client' : 'revision';
    files.push(...(await renderProtocolFiles(formatter, protocol, out, { emit: [part, ...parts], importExtension })));
  }
  const header = toolHeader(undefined, command);
  const file = (path: string, pieces: readonly string[]): UnformattedFile => ({
    path,
    pieces: [header, ...pieces],
    ...GENERATED_FILE,
  });
  const drafts = [file('index.ts', printServerIndex(generated, importExtension, protocols.length > 0))];
  if (protocols.length > 0) {
    const revisions = protocols.map(({ revision }) => revision);
    drafts.push(
      file('clients.ts', printServerClients(generated, revisions, importExtension)),
      ...runtimeFiles(['runtime/clients'], importExtension),
    );
  }
  files.push(...(await formatFiles(formatter, drafts, out)));
  const distinct = [...new Map(files.map((item) => [item.path, item])).values()];
  return { files: await filesFor(options, distinct), warnings };
}

/** The settings of every file of tools. */
const GENERATED_FILE = { isFormatted: false, belongsToUser: false } as const;

/** The names of the files with a tool's schemas, without folders. */
function toolLocations({ input, output, places }: ToolSource): readonly string[] {
  const used = [...(input === undefined ? [] : [places.input]), ...(output === undefined ? [] : [places.output])];
  return [...new Set(used.map((place) => path.basename(place.split('#')[0] ?? '')))];
}
