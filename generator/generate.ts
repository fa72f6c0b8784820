/**
 * Generates files into a folder: loads protocols, renders them, and plans and writes the result.
 */
import path from 'node:path';
import { partsToEmit, refuseTarget, requireFolder } from './render-options.js';
import type { RenderOptions } from './render-options.js';
import { selectExtensions } from './model/extensions/load.js';
import { loadExtensionProtocol, loadProtocol, refuseWarnings } from './model/load.js';
import type { InputFile } from './model/load.js';
import type { SchemaDocuments } from './read/schema/documents.js';
import type { ToolSource } from './read/tools.js';
import type { Protocol, Warning } from './model/protocol.js';
import { findKeptFiles, isUpToDate, planChanges, refuseOutputFolder } from './output/plan.js';
import type { FileChange, PlannedFile } from './output/plan.js';
import { writeChanges } from './output/write.js';
import { McpgenError } from './errors.js';
import { PARTS_OF_ROLES } from './emit/parts.js';
import { refuseMethodsWithoutStub } from './emit/stubs.js';
import { Formatter } from './output/format.js';
import { filesFor, renderProtocolFiles, renderToolsWith } from './render.js';
import { builtinRevisions } from './read/builtin/revisions.js';
import type { ExtensionFiles } from './read/extension.js';

/** What to generate, and where. */
export interface GenerateOptions extends RenderOptions {
  /** Built-in revisions; all released ones by default. With `schema`, its one revision. */
  readonly revisions?: readonly string[];
  /** A schema that is not built in. */
  readonly schema?: InputFile;
  /** The catalog of `schema`. */
  readonly catalog?: InputFile;
  /** Tools to generate types and validators for, in the folder `tools` of the output; see {@link readToolFiles}. */
  readonly tools?: readonly ToolSource[];
  /** Whether errata are applied; true by default. */
  readonly errata?: boolean;
  /** Treats warnings as errors. */
  readonly strict?: boolean;
  /** Uses all regular expressions of `schema` and `tools`, without a check of their running time. */
  readonly trustPatterns?: boolean;
  /** Identifiers of built-in extensions, each added to the revisions that it extends. */
  readonly extensions?: readonly string[];
  /** Files of other extensions; see {@link readExtension}. */
  readonly extend?: readonly ExtensionFiles[];
  /** Documents that the schemas of `tools` may refer to, by URI. */
  readonly documents?: SchemaDocuments;
  /** Whether `nullable: true` of OpenAPI 3.0 allows null in the schemas of `tools`, with a warning for each. */
  readonly nullable?: boolean;
  /** The output folder. Each revision has a folder below it. */
  readonly out: string;
  /** Plans, but writes nothing. */
  readonly dryRun?: boolean;
  /** Called with each revision before its files are rendered. */
  readonly onProgress?: (revision: string) => void;
}

/** The result of a run. */
export interface GenerateResult {
  /** The output folder, absolute. */
  readonly out: string;
  readonly protocols: readonly Protocol[];
  /** The change of each planned, orphaned or foreign file in the output folder. */
  readonly changes: readonly FileChange[];
  readonly warnings: readonly Warning[];
}

/**
 * Generates typings into a folder. Writes are all-or-nothing; generated files that are no longer needed are removed.
 *
 * @example
 * ```ts
 * const { changes } = await generate({ revisions: ['2025-11-25'], out: 'src/generated' });
 * ```
 * @throws {@link McpgenError} if the input is invalid or the output cannot be written; then nothing is changed.
 */
export async function generate(options: GenerateOptions): Promise<GenerateResult> {
  const result = await planGeneration(options);
  if (options.dryRun !== true) writeChanges(result.out, result.changes);
  return result;
}

/** The result of {@link check}. */
export interface CheckResult extends GenerateResult {
  /** Whether every file exists and is up to date, and none is orphaned. */
  readonly upToDate: boolean;
}

/**
 * Checks whether a folder has exactly what {@link generate} would write. Writes nothing.
 *
 * @throws {@link McpgenError} if the input is invalid.
 */
export async function check(options: Omit<GenerateOptions, 'dryRun'>): Promise<CheckResult> {
  const result = await planGeneration(options);
  return { ...result, upToDate: result.changes.every(isUpToDate) };
}

/** Files in memory, with the protocols that they were rendered from. */
export interface Rendering {
  readonly protocols: readonly Protocol[];
  readonly files: readonly PlannedFile[];
  readonly warnings: readonly Warning[];
}

/**
 * Renders all files that {@link generate} would write, and writes none.
 *
 * @throws {@link McpgenError} if the input is invalid.
 */
export async function renderAll(options: GenerateOptions): Promise<Rendering> {
  requireFolder(options.out);
  refuseTarget(options);
  const protocols = await loadAll(options);
  if (options.methods !== undefined) {
    if (!partsToEmit(options).includes('stubs')) {
      throw new McpgenError('only applies to --emit stubs', {
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
    files.push(...(await renderProtocolFiles(formatter, protocol, options.out, optionsFor(protocol, options))));
  }
  const warnings = protocols.flatMap((protocol) => protocol.warnings);
  if (options.tools !== undefined) {
    options.onProgress?.('tools');
    const rendered = await renderToolsWith(formatter, options.tools, options.out, options);
    if (options.strict === true) refuseWarnings(rendered.warnings);
    files.push(...rendered.files);
    warnings.push(...rendered.warnings);
  }
  // Revisions share runtime files, which are the same for all.
  const distinct = [...new Map(files.map((file) => [file.path, file])).values()];
  return { protocols, files: await filesFor(options, distinct), warnings };
}

/** The protocol of an extension is for its own two sides, and has the parts that both kinds of protocols have. */
function optionsFor({ partOf }: Protocol, options: GenerateOptions): RenderOptions {
  if (partOf === undefined) return options;
  const { methods: _, ...others } = options;
  const parts = partsToEmit(options).filter((part) => !PARTS_OF_ROLES.includes(part) && part !== 'stubs');
  return { ...others, emit: [...new Set([...parts, 'client', 'server'] as const)] };
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
 * @throws {@link McpgenError} if the input is invalid.
 */
export async function loadAll(options: Omit<GenerateOptions, 'out'>): Promise<readonly Protocol[]> {
  const common = {
    ...(options.errata === undefined ? {} : { errata: options.errata }),
    ...(options.strict === undefined ? {} : { strict: options.strict }),
    ...(options.trustPatterns === undefined ? {} : { trustPatterns: options.trustPatterns }),
  };
  if (options.schema !== undefined) {
    const [revision, second] = options.revisions ?? [];
    if (second !== undefined) {
      throw new McpgenError('a schema has only one revision', { remedy: 'Pass one revision, or omit the schema.' });
    }
    return [
      await loadProtocol({
        ...common,
        ...(options.extensions === undefined ? {} : { extensions: options.extensions }),
        ...(options.extend === undefined ? {} : { extend: options.extend }),
        schema: options.schema,
        ...(revision === undefined ? {} : { revision }),
        ...(options.catalog === undefined ? {} : { catalog: options.catalog }),
      }),
    ];
  }
  if (options.catalog !== undefined) {
    throw new McpgenError('a catalog needs a schema', { remedy: 'Pass the schema that it belongs to.' });
  }
  const released = builtinRevisions().filter((item) => item.status === 'released');
  const revisions = options.revisions ?? released.map((item) => item.revision);
  if (revisions.length === 0) {
    throw new McpgenError('the list of revisions is empty', { remedy: 'Pass at least one, or omit the list for all.' });
  }
  const chosen = [...new Set(revisions)].sort();
  const extensionsOf = await selectExtensions(chosen, options);
  const protocols = await Promise.all(
    chosen.map((revision) => loadProtocol({ ...common, ...extensionsOf(revision), revision })),
  );
  const others = await Promise.all((options.extensions ?? []).map((id) => loadExtensionProtocol(id, common)));
  return [...protocols, ...others.filter((protocol) => protocol !== undefined)];
}
