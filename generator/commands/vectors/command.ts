import { diagnosticJson } from '../../errors.js';
import { generateVectors, type RevisionVectors, type VectorsResult } from '../../index.js';
import { isUpToDate } from '../../output/plan.js';
import {
  formatTable,
  printJson,
  printLine,
  printWarning,
  showProgress,
  stdoutColors,
  type Cell,
} from '../../terminal.js';
import { readRequestedExtensions } from '../shared/extensions.js';
import {
  countByStatus,
  displayedFolder,
  fileChangeJson,
  pluralize,
  printOutdatedFiles,
} from '../shared/file-changes.js';
import { readInputFile } from '../shared/options.js';
import type { VectorsCommandLine } from './options.js';

/** `mcpgen vectors`: writes or checks test vectors. Returns the exit code. */
export async function vectorsCommand(commandLine: VectorsCommandLine): Promise<number> {
  const { check, json, out, revisions, schema, catalog } = commandLine;
  showProgress('Making vectors');
  const result = await generateVectors({
    out,
    dryRun: check,
    ...(await readRequestedExtensions(commandLine)),
    ...(revisions === undefined ? {} : { revisions }),
    ...(schema === undefined ? {} : { schema: readInputFile(schema, '--schema') }),
    ...(catalog === undefined ? {} : { catalog: readInputFile(catalog, '--catalog') }),
  });
  showProgress('');
  const exitCode = check && !result.upToDate ? 1 : 0;
  // Set before anything is printed: a reader that closes the pipe early must not turn a failed check into a passed one.
  process.exitCode = exitCode;
  if (json) printJson(vectorsReport(result, check));
  else printVectorsReport(result, commandLine);
  return exitCode;
}

/** How many vectors there are of each kind, and how many of them are invalid. */
function countsOf({ set, files }: RevisionVectors): {
  readonly vectors: number;
  readonly invalid: number;
  readonly byKind: Readonly<Record<string, number>>;
  readonly bytes: number;
} {
  const byKind: Record<string, number> = {};
  let invalid = 0;
  for (const { kind, vectors } of set.files.values()) {
    byKind[kind] = (byKind[kind] ?? 0) + vectors.length;
    for (const vector of vectors) if ('valid' in vector && !vector.valid) invalid += 1;
  }
  const bytes = files.reduce((sum, { contents }) => sum + Buffer.byteLength(contents), 0);
  return { vectors: Object.values(byKind).reduce((sum, count) => sum + count, 0), invalid, byKind, bytes };
}

function vectorsReport(result: VectorsResult, isCheck: boolean): object {
  return {
    out: result.out,
    ...(isCheck ? { upToDate: result.upToDate } : {}),
    revisions: result.revisions.map((revision) => ({
      revision: revision.protocol.revision,
      extensions: revision.set.index.extensions,
      sha256: revision.set.index.schema,
      ...countsOf(revision),
    })),
    files: result.changes.map((change) => fileChangeJson(change, isCheck)),
    warnings: result.warnings.map(diagnosticJson),
  };
}

function printVectorsReport(result: VectorsResult, { check, out }: VectorsCommandLine): void {
  for (const warning of result.warnings) printWarning(warning);
  const rows = result.revisions.map((revision): Cell[] => {
    const { vectors, invalid, bytes } = countsOf(revision);
    const { revision: name } = revision.protocol;
    const files = result.changes.filter(({ path }) => path.startsWith(`${name}/`));
    return [
      { text: name, paint: stdoutColors.cyan },
      { text: String(vectors) },
      { text: String(invalid) },
      { text: `${Math.ceil(bytes / 1000)} kB` },
      { text: countByStatus(files, check) },
    ];
  });
  printLine(formatTable(['revision', 'vectors', 'invalid', 'size', 'files'], rows));
  const outdated = result.changes.filter((change) => !isUpToDate(change));
  if (!check) {
    printLine(`${pluralize(result.changes.length, 'file')} in ${displayedFolder(out)}`);
  } else if (outdated.length === 0) {
    printLine(`${displayedFolder(out)} is up to date`);
  } else {
    printOutdatedFiles(outdated, out);
    printLine('Run the same command without --check to update them.');
  }
}
