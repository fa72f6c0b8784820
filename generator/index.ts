/**
 * The programmatic interface of `mcpgen`. The command line is a thin layer over it.
 *
 * @packageDocumentation
 */
import path from 'node:path';
import { emit } from './emit/index.js';
import { DEFAULT_PARTS, EMITTABLE, runtimeModulesFor, type Emittable } from './emit/parts.js';
import { refuseMethodsWithoutStub } from './emit/stubs.js';
import type { DriftOptions } from './drift/drift.js';
import type { DriftReport } from './drift/report.js';
import {
  emitTool,
  emitToolIndex,
  summarizeTool,
  ToolNamer,
  toolRuntime,
  type ToolSummary,
} from './emit/tools/tools.js';
import { McpgenError } from './errors.js';
import { loadProtocol, refuseWarnings, STANDARD_INPUT, type InputFile, type LoadOptions } from './model/load.js';
import type { Protocol, Warning } from './model/protocol.js';
import { parseTool } from './model/tools.js';
import { Formatter } from './output/format.js';
import { addHeader } from './output/ownership.js';
import {
  isUpToDate,
  findKeptFiles,
  planChanges,
  refuseOutputFolder,
  type FileChange,
  type PlannedFile,
} from './output/plan.js';
import { writeChanges } from './output/write.js';
import { protocolHeader, runtimeHeader, toolHeader } from './print/header.js';
import type { ImportExtension, RuntimeModule, SourceFile, ToolModule } from './print/source-file.js';
import { builtinRevisions, type BuiltinRevision } from './read/builtin/revisions.js';
import { defineConfig, type Config } from './read/config/config.js';
import { NO_DOCS } from './read/builtin/docs.js';
import { readRuntimeFiles } from './read/builtin/runtime.js';
import { readToolFiles, readToolList, type ToolSource } from './read/tools.js';
import { shellQuote } from './text.js';

export {
  builtinRevisions,
  defineConfig,
  loadProtocol,
  readToolFiles,
  readToolList,
  McpgenError,
  EMITTABLE,
  DEFAULT_PARTS,
};
export type {
  BuiltinRevision,
  Config,
  Emittable,
  FileChange,
  ImportExtension,
  InputFile,
  LoadOptions,
  PlannedFile,
  Protocol,
  ToolSource,
  Warning,
};
export type { Definition, Member, Method, ObjectNode, TypeNode, Source } from './model/protocol.js';

/** How the files of a protocol are made. */
export interface RenderOptions {
  /** The parts wanted; what they need comes along. All but `registry`, `stdio`, the three of HTTP, `stubs`, `zod` and `aliases` by default, and with `stubs` alone. */
  readonly emit?: readonly Emittable[];
  /** The methods that `stubs` makes handlers of; all that need one by default. */
  readonly methods?: readonly string[];
  /** What stands behind the name of an imported file; `js` by default. */
  readonly importExtension?: ImportExtension;
}

/** What to generate, and where to. */
export interface GenerateOptions extends RenderOptions {
  /** Built-in revisions; all released ones by default. With `schema`, the one revision that it is of. */
  readonly revisions?: readonly string[];
  /** A schema that is not built in. */
  readonly schema?: InputFile;
  /** The catalog of `schema`. */
  readonly catalog?: InputFile;
  /** Tools to write types and validators of, into the folder `tools` below the output folder; see {@link readToolFiles}. */
  readonly tools?: readonly ToolSource[];
  /** Whether errata are applied; true by default. */
  readonly errata?: boolean;
  /** Makes an error of what would otherwise be a warning. */
  readonly strict?: boolean;
  /** The output folder. Each revision gets a folder of its own below it. */
  readonly out: string;
  /** Plans, but writes nothing. */
  readonly dryRun?: boolean;
  /** Told of each revision before its files are rendered. */
  readonly onProgress?: (revision: string) => void;
}

/** What a run did, or would do. */
export interface GenerateResult {
  /** The output folder, absolute. */
  readonly out: string;
  readonly protocols: readonly Protocol[];
  /** Every planned file, every orphan, and files beside them that are not ours, with what is to happen to each. */
  readonly changes: readonly FileChange[];
  readonly warnings: readonly Warning[];
}

/**
 * Renders the files of a protocol in memory, laid out by the Prettier config that holds for a folder.
 *
 * @param protocol - As {@link loadProtocol} gives it.
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
  return renderProtocolFiles(new Formatter(), protocol, out, options);
}

async function renderProtocolFiles(
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
      remedy: `Name some of ${EMITTABLE.join(', ')}, or leave it out.`,
    });
  }
  const files = emit(protocol, parts, importExtension, options.methods);
  const head = protocolHeader(protocol, regenerateCommand(protocol, options));
  const own = files.map((file) => ({
    path: `${protocol.revision}/${file.name}.ts`,
    pieces: file.print({ header: file.belongsToUser ? '' : head, importExtension }),
    isFormatted: false,
    belongsToUser: file.belongsToUser,
  }));
  return formatFiles(formatter, [...own, ...runtimeFiles(runtimeModulesFor(parts), importExtension)], out);
}

/** A file whose text is still to be laid out. */
interface UnformattedFile {
  readonly path: string;
  readonly pieces: readonly string[];
  readonly isFormatted: boolean;
  readonly belongsToUser: boolean;
}

/** The shared files of some roots, and what these import. */
function runtimeFiles(roots: readonly RuntimeModule[], importExtension: ImportExtension): readonly UnformattedFile[] {
  const extension = importExtension === 'none' ? '' : `.${importExtension}`;
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
): Promise<readonly PlannedFile[]> {
  const planned: PlannedFile[] = [];
  // One after the other, so that each finds what the ones before it had in common with it.
  for (const { path: name, pieces, isFormatted, belongsToUser } of drafts) {
    const text = await formatter.format(pieces, path.resolve(out, name), isFormatted);
    planned.push(
      belongsToUser ? { path: name, contents: text, belongsToUser } : { path: name, contents: addHeader(name, text) },
    );
  }
  return planned;
}

/** How the files of tools are made. */
export interface ToolOptions {
  /** What stands behind the name of an imported file; `js` by default. */
  readonly importExtension?: ImportExtension;
  /** The command that makes the files anew, for their headers. */
  readonly command?: string;
}

/** Files of tools in memory. */
export interface ToolRendering {
  readonly files: readonly PlannedFile[];
  /** Where a type is wider than the schema that it was made from. */
  readonly warnings: readonly Warning[];
}

/**
 * Renders types, guards and validators of tools' arguments and structured content, laid out by the Prettier config that
 * holds for a folder.
 *
 * @param tools - As {@link readToolFiles} or {@link readToolList} gives them.
 * @param out - The output folder; only its Prettier config is read.
 * @returns Files with paths below the output folder: `tools/<name>.ts`, `tools/index.ts` and what they share.
 */
export async function renderTools(
  tools: readonly ToolSource[],
  out: string,
  options: ToolOptions = {},
): Promise<ToolRendering> {
  return renderToolsWith(new Formatter(), tools, out, options);
}

async function renderToolsWith(
  formatter: Formatter,
  tools: readonly ToolSource[],
  out: string,
  { importExtension = 'js', command = 'mcpgen generate' }: ToolOptions,
): Promise<ToolRendering> {
  requireFolder(out);
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
    files.push(...(await formatFiles(formatter, [{ path: `${file.name}.ts`, pieces, ...GENERATED_FILE }], out)));
  };
  // One after the other, so that of thousands only the texts are kept.
  for (const tool of tools) {
    const model = parseTool(tool, NO_DOCS);
    const named = namer.name(model);
    warnings.push(...model.warnings);
    summaries.push(summarizeTool(named));
    await add(emitTool(named), tool);
  }
  for (const file of emitToolIndex(summaries, importExtension)) await add(file);
  files.push(...(await formatFiles(formatter, runtimeFiles(toolRuntime(summaries), importExtension), out)));
  return { files, warnings };
}

/** What holds of every file of tools. */
const GENERATED_FILE = { isFormatted: false, belongsToUser: false } as const;

/** The files that a tool's schemas are in, without their folders. */
function toolLocations({ input, output, places }: ToolSource): readonly string[] {
  const used = [...(input === undefined ? [] : [places.input]), ...(output === undefined ? [] : [places.output])];
  return [...new Set(used.map((place) => path.basename(place.split('#')[0] ?? '')))];
}

/**
 * Generates typings into a folder: plans all files first, writes them all or none, and removes files of its own that
 * nothing generates any more.
 *
 * @example
 * ```ts
 * const { changes } = await generate({ revisions: ['2025-11-25'], out: 'src/generated' });
 * ```
 * @throws {@link McpgenError} if the input is wrong or the output cannot be written; nothing has changed then.
 */
export async function generate(options: GenerateOptions): Promise<GenerateResult> {
  const result = await planGeneration(options);
  if (options.dryRun !== true) writeChanges(result.out, result.changes);
  return result;
}

/** What {@link check} found. */
export interface CheckResult extends GenerateResult {
  /** Whether every file is there, up to date, and none is left over. */
  readonly upToDate: boolean;
}

/**
 * Checks whether a folder holds just what {@link generate} would write. Writes nothing.
 *
 * @throws {@link McpgenError} if the input is wrong.
 */
export async function check(options: Omit<GenerateOptions, 'dryRun'>): Promise<CheckResult> {
  const result = await planGeneration(options);
  return { ...result, upToDate: result.changes.every(isUpToDate) };
}

/** Files in memory, with the protocols that they were made from. */
export interface Rendering {
  readonly protocols: readonly Protocol[];
  readonly files: readonly PlannedFile[];
  readonly warnings: readonly Warning[];
}

/**
 * Renders all files that {@link generate} would write, and writes none.
 *
 * @throws {@link McpgenError} if the input is wrong.
 */
export async function renderAll(options: GenerateOptions): Promise<Rendering> {
  requireFolder(options.out);
  const protocols = await loadAll(options);
  if (options.methods !== undefined) {
    if (!partsToEmit(options).includes('stubs')) {
      throw new McpgenError('methods are named, but no stubs are asked for', {
        place: '--methods',
        remedy: 'Add --emit stubs.',
      });
    }
    refuseMethodsWithoutStub(protocols, options.methods);
  }
  const files: PlannedFile[] = [];
  const formatter = new Formatter();
  for (const protocol of protocols) {
    options.onProgress?.(protocol.revision);
    files.push(...(await renderProtocolFiles(formatter, protocol, options.out, options)));
  }
  const warnings = protocols.flatMap((protocol) => protocol.warnings);
  if (options.tools !== undefined) {
    options.onProgress?.('tools');
    const rendered = await renderToolsWith(formatter, options.tools, options.out, options);
    if (options.strict === true) refuseWarnings(rendered.warnings);
    files.push(...rendered.files);
    warnings.push(...rendered.warnings);
  }
  // Each revision brings the shared files that it needs; they are the same.
  return { protocols, files: [...new Map(files.map((file) => [file.path, file])).values()], warnings };
}

/** Refuses a call from JavaScript that names no output folder, before Node does in words of its own. */
function requireFolder(out: unknown): asserts out is string {
  if (typeof out === 'string' && out !== '') return;
  throw new McpgenError('no output folder is given', {
    place: 'out',
    remedy: "Name one, as in { out: 'src/generated' }; only its Prettier config is read where nothing is written.",
  });
}

async function planGeneration(options: GenerateOptions): Promise<GenerateResult> {
  requireFolder(options.out);
  const out = path.resolve(options.out);
  refuseOutputFolder(out);
  const { protocols, files, warnings } = await renderAll(options);
  return { out, protocols, changes: [...planChanges(out, files), ...findKeptFiles(out, files)], warnings };
}

/**
 * Loads the protocols that {@link generate} would write, and renders nothing.
 *
 * @throws {@link McpgenError} if the input is wrong.
 */
export async function loadAll(options: Omit<GenerateOptions, 'out'>): Promise<readonly Protocol[]> {
  const common = {
    ...(options.errata === undefined ? {} : { errata: options.errata }),
    ...(options.strict === undefined ? {} : { strict: options.strict }),
  };
  if (options.schema !== undefined) {
    const [revision, second] = options.revisions ?? [];
    if (second !== undefined) {
      throw new McpgenError('a schema is of one revision', { remedy: 'Name one revision, or leave the schema out.' });
    }
    return [
      await loadProtocol({
        ...common,
        schema: options.schema,
        ...(revision === undefined ? {} : { revision }),
        ...(options.catalog === undefined ? {} : { catalog: options.catalog }),
      }),
    ];
  }
  if (options.catalog !== undefined) {
    throw new McpgenError('a catalog is given without a schema', { remedy: 'Give the schema that it belongs to.' });
  }
  const released = builtinRevisions().filter((item) => item.status === 'released');
  const revisions = options.revisions ?? released.map((item) => item.revision);
  if (revisions.length === 0) {
    throw new McpgenError('the list of revisions is empty', { remedy: 'Name one, or leave the list out for all.' });
  }
  return Promise.all([...new Set(revisions)].sort().map((revision) => loadProtocol({ ...common, revision })));
}

/** A file as a word of a command line. */
function fileArgument(file: string): string {
  return file === STANDARD_INPUT ? '-' : shellQuote(file);
}

/** The parts asked for. Stubs stand on all the rest, and whoever adds them to a folder wants none of that removed. */
function partsToEmit({ emit: asked = DEFAULT_PARTS }: RenderOptions): readonly Emittable[] {
  return asked.length > 0 && asked.every((part) => part === 'stubs') ? [...DEFAULT_PARTS, 'stubs'] : asked;
}

/** The option that names parts, as short as it can be. */
function emitFlag(parts: readonly Emittable[]): readonly string[] {
  const hasDefault = DEFAULT_PARTS.every((part) => parts.includes(part));
  const others = hasDefault ? parts.filter((part) => !DEFAULT_PARTS.includes(part)) : parts;
  if (hasDefault && others.length === 0) return [];
  return [`--emit ${[...(hasDefault ? ['default'] : []), ...new Set(others)].join(',')}`];
}

/** The command that makes a protocol's files anew, as their header names it. */
function regenerateCommand({ source, revision }: Protocol, options: RenderOptions): string {
  // Stubs are never made anew, so a file does not change because they were once asked for.
  const parts = partsToEmit(options).filter((part) => part !== 'stubs');
  return [
    'mcpgen generate',
    ...(source.builtin ? [] : [`--schema ${fileArgument(source.file)}`]),
    ...(source.catalogFile === undefined ? [] : [`--catalog ${fileArgument(source.catalogFile)}`]),
    `--revision ${revision}`,
    ...emitFlag(parts),
    ...(options.importExtension === undefined || options.importExtension === 'js'
      ? []
      : [`--import-extension ${options.importExtension}`]),
    ...(source.corrected ? [] : ['--no-errata']),
    '--out <folder above this one>',
  ].join(' ');
}

export type { DriftOptions, DriftReport };
export type { ComparedDefinition, DriftFinding, DriftKind } from './drift/report.js';
export { compareWithPackage } from './drift/drift.js';
