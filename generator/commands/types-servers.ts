import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  folderNames,
  isHttpServer,
  targetOf,
  type ConfiguredOptions,
  type ConfiguredServer,
  type McpConfig,
} from '../connect/mcp-config.js';
import { FOLDER_ABOVE, formatCommand, type ShownOptions } from '../command-line.js';
import { diagnosticJson, McpgenError, type Diagnostic } from '../errors.js';
import { loadAll, renderServers } from '../index.js';
import { compareTools, type ToolChange } from '../model/diff/tools.js';
import { refuseWarnings } from '../model/load.js';
import { readOrigin } from '../output/ownership.js';
import { isUpToDate, planChanges } from '../output/plan.js';
import { writeChanges } from '../output/write.js';
import type { ImportExtension, Target } from '../print/source-file.js';
import { NO_DOCS } from '../read/builtin/docs.js';
import { readBytes, readTextIfExists } from '../read/files.js';
import type { SchemaDocuments } from '../read/schema/documents.js';
import { parseTools, readToolList, type ToolSource } from '../read/tools.js';
import {
  formatTable,
  printError,
  printJson,
  printLine,
  printToStderr,
  printWarning,
  showProgress,
  stdoutColors,
} from '../terminal.js';
import {
  displayedFolder,
  fileChangeJson,
  outdatedCount,
  pluralize,
  printOutdatedFiles,
} from './shared/file-changes.js';

/** Most servers that are asked at the same time. */
const MAX_CONCURRENT = 4;

/** How to write the types of all servers of a file. */
export interface TypesServersOptions extends ConfiguredOptions {
  readonly out: string;
  /** The folder with a saved list for each server. */
  readonly save: string | undefined;
  readonly check: boolean;
  /** Only compares what the servers list with the saved lists. */
  readonly liveCheck: boolean;
  readonly strict: boolean;
  readonly json: boolean;
  readonly importExtension: ImportExtension;
  readonly target: Target;
  readonly tsNocheck: boolean;
  readonly documents: SchemaDocuments;
  readonly trustPatterns: boolean;
  readonly nullable: boolean;
  /** Whether to write `clients.ts` with clients of the servers. */
  readonly clients: boolean;
  /** The options to show in the headers. */
  readonly shown: ShownOptions;
}

/** What became of one server. */
interface ServerOutcome {
  readonly server: ConfiguredServer;
  readonly folder: string;
  /** Undefined if nothing was asked. */
  readonly revision?: string;
  readonly seconds?: number;
  readonly contents?: string;
  readonly tools: readonly ToolSource[];
  readonly error?: McpgenError;
}

/** What a server or its saved list answered. */
type ServerAnswer = Pick<ServerOutcome, 'tools' | 'contents' | 'revision'>;

/** `mcpgen types tools --mcp-config`: a folder for each server. Returns the exit code. */
export async function typesServers(config: McpConfig, options: TypesServersOptions): Promise<number> {
  const { check, liveCheck, save } = options;
  if ((check || liveCheck) && save === undefined) {
    throw new McpgenError('needs the saved lists', {
      place: check ? '--check' : '--live-check',
      remedy: 'Pass the folder that --save wrote them to: --save DIR.',
    });
  }
  const folders = folderNames(config.servers.map(({ name }) => name));
  const all = config.servers.map((server, index) => ({ server, folder: folders[index] ?? '' }));
  const enabled = all.filter(({ server }) => !server.isDisabled);
  if (!options.json) {
    printToStderr(`${config.file}: ${pluralize(all.length, 'server')} in the form of ${config.host}`);
    for (const { server } of all.filter((item) => item.server.isDisabled)) {
      printToStderr(`${JSON.stringify(server.name)} is disabled there and skipped`);
    }
  }
  if (enabled.length === 0) {
    throw new McpgenError('the file has no enabled server', { place: config.file, remedy: 'Add or enable one there.' });
  }
  const saved = (folder: string): string => path.join(save ?? '', `${folder}.json`);
  const outcomes = check
    ? await Promise.all(enabled.map((item) => readSaved(item, saved(item.folder))))
    : await askServers(config, enabled, options);
  if (liveCheck) return reportDrift(outcomes, saved, options.json);
  return writeServers(outcomes, saved, options);
}

function readSaved(item: Pick<ServerOutcome, 'server' | 'folder'>, file: string): Promise<ServerOutcome> {
  return withOutcome(item, () => {
    if (!existsSync(file)) {
      throw new McpgenError(`the server ${JSON.stringify(item.server.name)} has no saved list`, {
        place: file,
        remedy: 'Run the same command without --check and --live-check once, where the server can be reached.',
      });
    }
    return { tools: readToolList(readBytes(file), file) };
  });
}

async function withOutcome(
  item: Pick<ServerOutcome, 'server' | 'folder'>,
  read: () => ServerAnswer | Promise<ServerAnswer>,
): Promise<ServerOutcome> {
  try {
    return { ...item, ...(await read()) };
  } catch (error) {
    if (!(error instanceof McpgenError)) throw error;
    return { ...item, tools: [], error };
  }
}

async function askServers(
  config: McpConfig,
  items: readonly Pick<ServerOutcome, 'server' | 'folder'>[],
  options: TypesServersOptions,
): Promise<readonly ServerOutcome[]> {
  const { listTools } = await import('../connect/list-tools.js');
  const outcomes: ServerOutcome[] = [];
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item === undefined) return;
      const start = performance.now();
      const outcome = await withOutcome(item, async () => {
        const { revision, tools } = await listTools(targetOf(config, item.server, options));
        return {
          revision,
          contents: `${JSON.stringify({ tools }, undefined, 2)}\n`,
          // The name of the saved list, so that the headers are the same from both.
          tools: parseTools(tools, `${item.folder}.json`),
        };
      });
      outcomes[index] = { ...outcome, seconds: (performance.now() - start) / 1000 };
      done += 1;
      showProgress(`asked ${done} of ${items.length} servers ...`);
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, work));
  showProgress('');
  return outcomes;
}

async function writeServers(
  outcomes: readonly ServerOutcome[],
  saved: (folder: string) => string,
  options: TypesServersOptions,
): Promise<number> {
  const { out, importExtension, target, check, save, revisions } = options;
  const command = formatCommand('types tools', {
    options: {
      ...options.shown,
      mcpConfig: { placeholder: 'its file' },
      importExtension: importExtension === 'js' ? undefined : importExtension,
      target: target === 'ts' ? undefined : target,
      tsNocheck: options.tsNocheck ? true : undefined,
      trustPatterns: options.trustPatterns ? true : undefined,
      nullable: options.nullable ? true : undefined,
      clients: options.clients ? true : undefined,
      revision: options.clients ? revisions : undefined,
      out: FOLDER_ABOVE,
    },
  });
  const failed = outcomes.filter(({ error }) => error !== undefined);
  // The output of an earlier run stays for a server that failed now, and so does its export.
  const included = outcomes.filter((outcome) => outcome.error === undefined || hasOutput(out, outcome));
  const rendered = await renderServers(
    included.map(({ server, folder, tools, error }) => ({
      name: server.name,
      folder,
      isHttp: isHttpServer(server),
      tools: error === undefined ? tools : undefined,
      hasKeptTools: ['client.ts', 'client.js'].some((name) => existsSync(path.join(out, folder, name))),
    })),
    out,
    {
      ...options,
      command,
      protocols: options.clients ? await loadAll(revisions === undefined ? {} : { revisions }) : [],
      onProgress: (name) => {
        showProgress(`${name} ...`);
      },
    },
  );
  showProgress('');
  if (options.strict) refuseWarnings([...rendered.warnings.values()].flat());
  const changes = included.length === 0 ? [] : planChanges(out, rendered.files);
  const outdated = changes.filter((change) => !isUpToDate(change));
  if (!check) {
    writeChanges(out, changes);
    if (save !== undefined)
      saveLists(
        outcomes.filter(({ error }) => error === undefined),
        saved,
      );
  }
  const warningsOf = new Map(outcomes.map((outcome) => [outcome, rendered.warnings.get(outcome.folder) ?? []]));
  const code = failed.length > 0 || (check && outdated.length > 0) ? 1 : 0;
  if (options.json) {
    printJson({
      out: path.resolve(out),
      ...(check ? { upToDate: code === 0 } : {}),
      servers: outcomes.map((outcome) => outcomeJson(outcome, warningsOf.get(outcome) ?? [])),
      files: changes.map((change) => fileChangeJson(change, check)),
    });
    return code;
  }
  for (const warning of [...warningsOf.values()].flat()) printWarning(warning);
  for (const { error } of failed) if (error !== undefined) printError(error);
  if (check) printOutdatedFiles(outdated, out);
  printSummary(outcomes, warningsOf);
  const names = failed.map(({ server }) => JSON.stringify(server.name)).join(', ');
  if (failed.length > 0) printLine(`\n${failed.length} of ${pluralize(outcomes.length, 'server')} failed: ${names}`);
  else if (!check) printLine(`\n${pluralize(outcomes.length, 'server')} in ${displayedFolder(out)}`);
  if (check && outdated.length > 0) {
    printLine(`\n${outdatedCount(outdated.length, changes.length)}. To fix it, run the same command without --check.`);
  } else if (check && failed.length === 0) printLine('\nall up to date');
  return code;
}

/** Whether an earlier run wrote the types of a server that failed now. */
function hasOutput(out: string, { folder }: ServerOutcome): boolean {
  return [`${folder}/index.ts`, `${folder}/index.js`].some((file) => {
    const text = readTextIfExists(path.join(out, file));
    return text !== undefined && readOrigin(file, text) !== 'foreign';
  });
}

function saveLists(outcomes: readonly ServerOutcome[], saved: (folder: string) => string): void {
  for (const { folder, contents } of outcomes) {
    if (contents === undefined) continue;
    const file = path.resolve(saved(folder));
    const change = { path: path.basename(file), status: 'stale', expected: contents, actual: undefined } as const;
    writeChanges(path.dirname(file), [change]);
  }
}

function outcomeJson(outcome: ServerOutcome, warnings: readonly Diagnostic[]): object {
  const { server, folder, revision, seconds, tools, error } = outcome;
  return {
    name: server.name,
    folder,
    ...(revision === undefined ? {} : { revision }),
    ...(seconds === undefined ? {} : { seconds: Number(seconds.toFixed(2)) }),
    tools: tools.map(({ name }) => name),
    warnings: warnings.map(diagnosticJson),
    ...(error === undefined ? {} : { error: error.toJSON() }),
  };
}

function printSummary(
  outcomes: readonly ServerOutcome[],
  warningsOf: ReadonlyMap<ServerOutcome, readonly Diagnostic[]>,
): void {
  const rows = outcomes.map((outcome) => {
    const { server, folder, revision, seconds, tools, error } = outcome;
    const count = warningsOf.get(outcome)?.length ?? 0;
    return [
      { text: server.name },
      { text: folder },
      { text: revision ?? '-' },
      error === undefined ? { text: String(tools.length) } : { text: 'failed', paint: stdoutColors.red },
      { text: String(count), ...(count === 0 ? {} : { paint: stdoutColors.yellow }) },
      { text: seconds?.toFixed(1) ?? '-' },
    ];
  });
  printLine(
    formatTable(['server', 'folder', 'revision', 'tools', 'warnings', 'seconds'], rows, process.stdout.columns),
  );
}

/** Reports how the tools of servers differ from the saved lists. Returns the exit code. */
async function reportDrift(
  outcomes: readonly ServerOutcome[],
  saved: (folder: string) => string,
  isJson: boolean,
): Promise<number> {
  const comparisons = outcomes.map(async (outcome) => {
    const before = await readSaved(outcome, saved(outcome.folder));
    const error = outcome.error ?? before.error;
    const changes = error === undefined ? compareTools(before.tools, outcome.tools, NO_DOCS) : [];
    return { name: outcome.server.name, changes, error };
  });
  const compared = await Promise.all(comparisons);
  const differs = compared.some(({ changes, error }) => changes.length > 0 || error !== undefined);
  if (isJson) {
    printJson({
      upToDate: !differs,
      servers: compared.map(({ name, changes, error }) => ({
        name,
        changes,
        ...(error === undefined ? {} : { error: error.toJSON() }),
      })),
    });
    return differs ? 1 : 0;
  }
  for (const { name, changes, error } of compared) {
    if (error !== undefined) printError(error);
    const state =
      error !== undefined ? 'failed' : changes.length === 0 ? 'as saved' : pluralize(changes.length, 'change');
    printLine(`${stdoutColors.bold(JSON.stringify(name))}: ${state}`);
    for (const change of changes) printLine(`  ${describeChange(change)}`);
  }
  return differs ? 1 : 0;
}

function describeChange({ tool, text, location, callers, readers }: ToolChange): string {
  const place = location === '' ? tool : `${tool} ${location}`;
  const broken = [...(callers === 'breaking' ? ['callers'] : []), ...(readers === 'breaking' ? ['readers'] : [])];
  const verdict = broken.length === 0 ? stdoutColors.green('safe') : stdoutColors.red(`breaks ${broken.join(' and ')}`);
  return `${place}: ${text} (${verdict})`;
}
