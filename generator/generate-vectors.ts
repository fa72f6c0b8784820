/**
 * Writes test vectors into a folder.
 */
import path from 'node:path';
import { McpgenError } from './errors.js';
import { loadAll, type GenerateOptions } from './generate.js';
import type { Protocol, Warning } from './model/protocol.js';
import { addJsonMark, completeJsonMark } from './output/ownership.js';
import { isUpToDate, planChanges, refuseOutputFolder, type FileChange, type PlannedFile } from './output/plan.js';
import { writeChanges } from './output/write.js';
import type { JsonValue } from './read/json/json.js';
import { FORM_SCHEMA, readFormSchema } from './vectors/form-schema.js';
import { printJsonDocument } from './vectors/print.js';
import { vectorsOf, type VectorSet } from './vectors/set.js';

/** Which vectors to make, and where. */
export interface VectorsOptions extends Pick<
  GenerateOptions,
  'revisions' | 'schema' | 'catalog' | 'extensions' | 'extend' | 'strict' | 'trustPatterns'
> {
  /** The output folder. Each revision has a folder below it. */
  readonly out: string;
  /** Plans, but writes nothing. */
  readonly dryRun?: boolean;
}

/** The vectors of a revision, with their protocol and the files that contain them. */
export interface RevisionVectors {
  readonly protocol: Protocol;
  readonly set: VectorSet;
  readonly files: readonly PlannedFile[];
}

/** The result of {@link generateVectors}. */
export interface VectorsResult {
  /** The output folder, absolute. */
  readonly out: string;
  readonly revisions: readonly RevisionVectors[];
  /** The change of each planned or orphaned file. */
  readonly changes: readonly FileChange[];
  readonly warnings: readonly Warning[];
  /** Whether every file exists and is up to date, and none is orphaned; before anything is written. */
  readonly upToDate: boolean;
}

/**
 * Makes test vectors with which an implementation in any language can test itself, and writes them as JSON files. Writes
 * are all-or-nothing; files of vectors that are no longer needed are removed.
 *
 * @example
 * ```ts
 * const { changes } = await generateVectors({ revisions: ['2025-11-25'], out: 'vectors' });
 * ```
 * @throws {@link McpgenError} if the input is invalid, the folder contains generated code, or the output cannot be
 *   written; then nothing is changed.
 */
export async function generateVectors(options: VectorsOptions): Promise<VectorsResult> {
  const { out: folder, dryRun = false, ...input } = options;
  const out = path.resolve(folder);
  refuseOutputFolder(out);
  const protocols = await loadAll(input);
  const official = await loadAll({ ...input, errata: false });
  const revisions = protocols.map((protocol, index): RevisionVectors => {
    const set = vectorsOf(protocol, official[index]);
    return { protocol, set, files: printSet(protocol.revision, set) };
  });
  const files = revisions.flatMap((revision) => revision.files);
  const changes = planChanges(out, files);
  refuseGeneratedCode(out, changes);
  if (!dryRun) writeChanges(out, changes);
  const warnings = protocols.flatMap((protocol) => protocol.warnings);
  return { out, revisions, changes, warnings, upToDate: changes.every(isUpToDate) };
}

function printSet(folder: string, { index, files }: VectorSet): readonly PlannedFile[] {
  return [
    markedFile(`${folder}/index.json`, printJsonDocument(index as unknown as JsonValue)),
    markedFile(`${folder}/${FORM_SCHEMA}`, readFormSchema()),
    ...[...files].map(([file, contents]) =>
      markedFile(`${folder}/${file}`, printJsonDocument(contents as unknown as JsonValue)),
    ),
  ];
}

function markedFile(file: string, text: string): PlannedFile {
  const marked = completeJsonMark(file, addJsonMark(file, text).replace('{\n', '{\n  '));
  if (marked === undefined) throw new Error(`${file} has no mark`);
  return { path: file, contents: marked };
}

/** Code in the same folder would count as orphaned, and be removed. */
function refuseGeneratedCode(out: string, changes: readonly FileChange[]): void {
  const code = changes.find(({ path: file, status }) => status === 'orphaned' && !file.endsWith('.json'));
  if (code === undefined) return;
  throw new McpgenError('the folder contains generated code', {
    place: path.join(out, code.path),
    remedy: 'Choose another --out for vectors.',
  });
}
