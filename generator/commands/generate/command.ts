import path from 'node:path';
import { optionFlag } from '../../command-line.js';
import { diagnosticJson, McpgenError } from '../../errors.js';
import type { CheckResult, GenerateOptions, GenerateResult } from '../../generate.js';
import type { Protocol } from '../../model/protocol.js';
import { isUpToDate } from '../../output/plan.js';
import { readOrigin } from '../../output/ownership.js';
import {
  stdoutColors,
  showProgress,
  printLine,
  printJson,
  printWarning,
  formatTable,
  type Cell,
} from '../../terminal.js';
import { escapeHiddenCharacters } from '../../text.js';
import {
  fileChangeJson,
  outdatedCount,
  pluralize,
  printFiles,
  printOutdatedFiles,
  displayedFolder,
  countByStatus,
} from '../shared/file-changes.js';
import { planGenerate, type GeneratePlan } from './plan.js';
import type { MethodChangeReport } from './method-changes.js';
import { provenFiles, storeProof } from './proof.js';
import type { GenerateCommandLine } from './options.js';
import { projectCommand, projectFolder } from '../shared/project.js';
import { withConfigLocations, resolveSettings, type Settings } from '../shared/settings.js';

export { parseGenerateOptions } from './options.js';

/** `mcpgen generate`: writes, checks, watches or only plans. Returns the exit code. */
export async function generateCommand(commandLine: GenerateCommandLine): Promise<number> {
  if (commandLine.watch) {
    const { watchCommand } = await import('./watch.js');
    return watchCommand(commandLine);
  }
  const settings = await resolveSettings(commandLine);
  return withConfigLocations(settings, commandLine, async () =>
    generateOnce(await planGenerate(settings, commandLine), settings, commandLine),
  );
}

async function generateOnce(plan: GeneratePlan, settings: Settings, commandLine: GenerateCommandLine): Promise<number> {
  const { out, options } = plan;
  if (out === '-') return printGeneratedFile(options, commandLine);
  if (commandLine.check) {
    const proven = commandLine.json ? undefined : await provenFiles(options);
    if (proven !== undefined) {
      showProgress('');
      printUpToDate(proven, out);
      return 0;
    }
    const { check } = await import('../../generate.js');
    const { reportMethodChanges, printMethodChanges } = await import('./method-changes.js');
    const result = await check(options);
    showProgress('');
    // Set before anything is printed: a reader that closes the pipe early must not turn a failed check into a passed
    // one.
    const methodChanges = await reportMethodChanges(result, plan, settings, commandLine);
    const orphaned = methodChanges.leftRevisions.length;
    const upToDate = result.upToDate && orphaned === 0;
    if (upToDate) await storeProof(options, result);
    process.exitCode = upToDate ? 0 : 1;
    // It removes no folder of a revision.
    const fix = result.upToDate ? undefined : fixCommand(settings, commandLine);
    const report: CheckResult = { ...result, upToDate };
    printGenerateReport(report, commandLine, methodChanges, fix, () => {
      printCheckFailures(result, out, fix, orphaned);
      printMethodChanges(methodChanges);
    });
    return upToDate ? 0 : 1;
  }
  const { generate } = await import('../../generate.js');
  const { reportMethodChanges, printMethodChanges } = await import('./method-changes.js');
  const result = await generate(options);
  showProgress('');
  const methodChanges = await reportMethodChanges(result, plan, settings, commandLine);
  if (options.dryRun !== true) await storeProof(options, result);
  printGenerateReport(result, commandLine, methodChanges, undefined, () => {
    printGenerateSummary(result, out, options.dryRun === true);
    printMethodChanges(methodChanges);
  });
  return 0;
}

async function printGeneratedFile(options: GenerateOptions, commandLine: GenerateCommandLine): Promise<number> {
  for (const name of ['check', 'dryRun', 'json'] as const) {
    if (!commandLine[name]) continue;
    throw new McpgenError(`${optionFlag(name)} needs an output folder`, {
      place: '--out -',
      remedy: 'Pass --out DIR.',
    });
  }
  const { renderAll } = await import('../../generate.js');
  const { files, warnings } = await renderAll(options);
  showProgress('');
  // With one part requested, only that file is printed, so that it can be redirected into a file.
  const [only = '', second] = options.emit ?? [];
  const name = only === 'stubs' ? 'handlers' : only;
  const wanted =
    only === '' || second !== undefined
      ? files
      : files.filter((file) => fileStem(path.posix.basename(file.path)) === name);
  printFiles(wanted, warnings, { withPaths: wanted.length !== 1 });
  return 0;
}

/** A name without the extensions of code: `types` of `types.ts`, `types.js` and `types.d.ts`. */
function fileStem(name: string): string {
  return name.replace(/(?:\.d)?\.[jt]s$/, '');
}

function printGenerateReport(
  result: GenerateResult,
  { json, dryRun }: GenerateCommandLine,
  methodChanges: MethodChangeReport,
  fix: string | undefined,
  printForPeople: () => void,
): void {
  if (!json) {
    for (const warning of result.warnings) printWarning(warning);
    printForPeople();
    return;
  }
  const { upToDate } = result as Partial<CheckResult>;
  const summary = {
    out: result.out,
    ...(upToDate === undefined ? {} : { upToDate }),
    revisions: result.protocols.map((protocol) => ({
      revision: protocol.revision,
      definitions: protocol.definitions.length,
      methods: protocol.methods.length,
      ...(protocol.extensions.length === 0 ? {} : { extensions: protocol.extensions.map(({ id }) => id) }),
      sha256: protocol.source.sha256,
      errata: protocol.errata.map((erratum) => erratum.id),
    })),
    dryRun,
    files: result.changes.map((change) => fileChangeJson(change, upToDate !== undefined)),
    ...methodChanges,
    ...(fix === undefined ? {} : { fix }),
    warnings: result.warnings.map(diagnosticJson),
  };
  printJson(summary);
}

function printGenerateSummary(result: GenerateResult, out: string, dryRun: boolean): void {
  const filesIn = (folder: string): Cell => {
    const userFiles = result.changes.filter((change) => change.path.startsWith(`${folder}/`));
    return { text: countByStatus(userFiles, dryRun) };
  };
  const rows = result.protocols.map((protocol): Cell[] => [
    { text: protocol.revision, paint: stdoutColors.cyan },
    { text: String(protocol.definitions.length) },
    { text: String(protocol.methods.length) },
    { text: String(protocol.errata.length) },
    filesIn(protocol.revision),
  ]);
  for (const folder of ['tools', 'runtime']) {
    const files = filesIn(folder);
    if (files.text !== '') rows.push([{ text: folder }, { text: '-' }, { text: '-' }, { text: '-' }, files]);
  }
  printLine(formatTable(['revision', 'definitions', 'methods', 'errata', 'files'], rows));
  for (const note of extensionNotes(result.protocols)) printLine(note);
  for (const change of result.changes.filter((item) => item.status === 'orphaned')) {
    printLine(`${dryRun ? 'would remove' : 'removed'} ${escapeHiddenCharacters(change.path)}`);
  }
  for (const change of result.changes.filter((item) => item.status === 'kept')) {
    const isEdited = readOrigin(change.path, change.actual ?? '') === 'edited';
    const why = isEdited ? 'edited since mcpgen wrote it; delete it if nothing needs it' : 'mcpgen did not write it';
    printLine(`kept ${escapeHiddenCharacters(change.path)}: ${why}`);
  }
  const all = result.changes.length;
  printLine(
    `\n${pluralize(all, 'file')} in ${displayedFolder(out)}: ${countByStatus(result.changes, dryRun)}${dryRun ? '; nothing was written' : ''}`,
  );
}

/** Which revisions an extension was not added to. */
function extensionNotes(protocols: readonly Protocol[]): readonly string[] {
  const ids = new Set(protocols.flatMap(({ extensions }) => extensions.map(({ id }) => id)));
  return [...ids].flatMap((id) => {
    const others = protocols.filter(
      ({ extensions, partOf }) => partOf === undefined && !extensions.some((extension) => extension.id === id),
    );
    if (others.length === 0) return [];
    return [`${id} does not extend ${others.map(({ revision }) => revision).join(', ')}: generated without it`];
  });
}

function printUpToDate(files: number, out: string, rest = 'all up to date'): void {
  printLine(`${pluralize(files, 'file')} in ${displayedFolder(out)}: ${rest}`);
}

function printCheckFailures(
  { changes }: CheckResult,
  out: string,
  fix: string | undefined,
  orphanedRevisions: number,
): void {
  const outdated = changes.filter((change) => !isUpToDate(change));
  // Kept files belong to the user: nothing is compared.
  const checked = changes.filter(({ status }) => status !== 'kept').length;
  if (fix === undefined) {
    const rest =
      orphanedRevisions === 0
        ? 'all up to date'
        : `up to date, but ${pluralize(orphanedRevisions, 'revision')} orphaned`;
    printUpToDate(checked, out, rest);
    return;
  }
  printOutdatedFiles(outdated, out);
  printLine(`\n${outdatedCount(outdated.length, checked)}. To fix it:\n  ${escapeHiddenCharacters(fix)}`);
}

/** The command line without `--check`; values from the config are not repeated. */
function fixCommand({ config }: Settings, commandLine: GenerateCommandLine): string {
  return projectCommand(projectFolder(config), 'generate', {
    options: {
      config: commandLine.config,
      schema: commandLine.schema,
      catalog: commandLine.catalog,
      revision: commandLine.revisions,
      emit: commandLine.emit?.join(','),
      methods: commandLine.methods?.join(','),
      importExtension: commandLine.importExtension,
      target: commandLine.target,
      tsNocheck: commandLine.tsNocheck ? true : undefined,
      errata: commandLine.errata ? undefined : false,
      trustPatterns: commandLine.trustPatterns ? true : undefined,
      additionalSchema: commandLine.additionalSchemas,
      nullable: commandLine.nullable ? true : undefined,
      extension: commandLine.extensions,
      extend: commandLine.extend,
      plugin: commandLine.plugins,
      out: commandLine.out,
      allowOutside: commandLine.allowOutside ? true : undefined,
    },
  });
}
