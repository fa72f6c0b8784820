import path from 'node:path';
import { watch } from 'chokidar';
import { diagnosticJson, McpgenError } from '../../errors.js';
import { generate } from '../../index.js';
import { isUpToDate } from '../../output/plan.js';
import { pluginFile } from '../../plugin-host/load.js';
import { printError, printLine, printToStderr, printWarning, showProgress, stdoutColors } from '../../terminal.js';
import { fileChangeJson, displayedFolder, countByStatus } from '../shared/file-changes.js';
import { planGenerate } from './plan.js';
import { reportMethodChanges, printMethodChanges } from './method-changes.js';
import type { GenerateCommandLine } from './options.js';
import { withConfigLocations, resolveSettings, type Settings } from '../shared/settings.js';

/** Time without a change before a run begins: editors save in several steps. */
const DEBOUNCE_MS = 100;

/** What is watched. */
interface WatchedInputs {
  /** Absolute paths of single files. */
  readonly files: ReadonlySet<string>;
  /** Absolute paths of folders of which every JSON file is watched. */
  readonly folders: readonly string[];
}

/**
 * `mcpgen generate --watch`: generates now, and again whenever an input changes. A failed run prints its error and
 * waits for the next change. SIGINT and SIGTERM stop it.
 *
 * @returns The exit code, once it is stopped.
 */
export async function watchCommand(commandLine: GenerateCommandLine): Promise<number> {
  refuseWatchOptions(commandLine);
  let settings = await resolveSettings(commandLine);
  let inputs = watchedInputs(settings);
  if (settings.options.out === '-') throw outputFolderError();
  if (inputs.files.size === 0 && inputs.folders.length === 0) {
    throw new McpgenError('nothing to watch: no config, no custom schema, custom tools or plugin', {
      place: '--watch',
      remedy: 'Built-in revisions do not change: omit --watch, or write a mcpgen.config.json.',
    });
  }

  const generateOnce = async (): Promise<void> => {
    try {
      settings = await reloadSettings(settings, commandLine);
      inputs = watchedInputs(settings);
      watcher.add(watchedFolders(inputs));
      await withConfigLocations(settings, commandLine, async () => {
        const plan = await planGenerate(settings);
        const { out, options } = plan;
        if (out === '-') throw outputFolderError();
        const result = await generate(options);
        showProgress('');
        const methodChanges = await reportMethodChanges(result, plan, settings, commandLine);
        if (commandLine.json) {
          const files = result.changes
            .filter((change) => !isUpToDate(change))
            .map((change) => fileChangeJson(change, false));
          printLine(
            JSON.stringify({ out: result.out, files, ...methodChanges, warnings: result.warnings.map(diagnosticJson) }),
          );
          return;
        }
        for (const warning of result.warnings) printWarning(warning);
        printLine(
          `${stdoutColors.green('generated')} ${displayedFolder(out)}: ${countByStatus(result.changes, false)}`,
        );
        printMethodChanges(methodChanges);
      });
    } catch (error) {
      showProgress('');
      if (!(error instanceof McpgenError)) throw error;
      if (commandLine.json) printLine(JSON.stringify({ error }));
      printError(error);
    }
  };

  // Folders are watched, not files: editors save by replacing a file with a new one. Files that are there when a folder is
  // scanned count as changes, since they may have appeared after a run has read the folder.
  const watcher = watch(watchedFolders(inputs), {
    ignoreInitial: false,
    ignored: (file) => !isWatched(inputs, path.resolve(file)),
  });
  return new Promise<number>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let running: Promise<void> | undefined;
    let isRunDue = false;
    let hasEnded = false;
    const end = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      for (const signal of SIGNALS) process.off(signal, end);
      // A run in progress is completed.
      void Promise.allSettled([running, watcher.close()]).then(() => {
        resolve(0);
      });
    };
    const begin = (): void => {
      if (hasEnded) return;
      if (running !== undefined) {
        isRunDue = true;
        return;
      }
      isRunDue = false;
      running = generateOnce().then(
        () => {
          running = undefined;
          if (isRunDue) begin();
        },
        (error: unknown) => {
          end();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    };
    for (const signal of SIGNALS) process.on(signal, end);
    watcher.on('error', (error) => {
      printWarning({ message: `a folder cannot be watched: ${String(error)}` });
    });
    watcher.once('ready', () => {
      watcher.on('all', (_, file) => {
        if (!isInput(inputs, path.resolve(file))) return;
        clearTimeout(timer);
        timer = setTimeout(begin, DEBOUNCE_MS);
      });
      printToStderr('watching for changes; stop with Ctrl-C');
      begin();
    });
  });
}

/** The current settings. Without its config, a project would be generated into another folder. */
async function reloadSettings({ config }: Settings, commandLine: GenerateCommandLine): Promise<Settings> {
  const settings = await resolveSettings(commandLine);
  if (config === undefined || settings.config?.file === config.file) return settings;
  throw new McpgenError('the config no longer exists, so nothing is generated', {
    place: config.file,
    remedy: 'Restore it, or stop with Ctrl-C and start again.',
  });
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

function refuseWatchOptions(commandLine: GenerateCommandLine): void {
  for (const name of ['schema', 'catalog'] as const) {
    if (commandLine[name] !== '-') continue;
    throw new McpgenError('standard input cannot be watched', {
      place: `--watch --${name} -`,
      remedy: 'Pass a file.',
    });
  }
  if (commandLine.out === '-') throw outputFolderError();
}

function outputFolderError(): McpgenError {
  return new McpgenError('--watch needs an output folder', { place: '--out -', remedy: 'Pass --out DIR.' });
}

function watchedInputs({ options, config, pluginFolder }: Settings): WatchedInputs {
  const files = [options.schema, options.catalog, ...(options.additionalSchemas ?? [])].filter(
    (file) => file !== undefined,
  );
  files.push(...(options.plugins ?? []).flatMap((plugin) => pluginFile(plugin, pluginFolder) ?? []));
  const folders: string[] = [];
  for (const catalog of options.extend ?? []) {
    files.push(catalog);
    // Its schema is next to it, under any name.
    folders.push(path.resolve(path.dirname(catalog)));
  }
  if (config !== undefined) files.push(config.file);
  for (const pattern of config?.config.tools ?? []) {
    // The segments before the first wildcard.
    const segments = pattern.split('/');
    const first = segments.findIndex((segment) => /[*?[\]{}()!]/.test(segment));
    if (first === -1) files.push(path.resolve(config?.folder ?? '.', pattern));
    else folders.push(path.resolve(config?.folder ?? '.', ...segments.slice(0, first)));
  }
  return { files: new Set(files.map((file) => path.resolve(file))), folders };
}

function watchedFolders({ files, folders }: WatchedInputs): string[] {
  return [...new Set([...[...files].map((file) => path.dirname(file)), ...folders])];
}

function isInput({ files, folders }: WatchedInputs, file: string): boolean {
  if (files.has(file)) return true;
  return file.endsWith('.json') && folders.some((folder) => file.startsWith(folder + path.sep));
}

/** Whether chokidar watches a path: by default it would also watch everything next to an input. */
function isWatched(inputs: WatchedInputs, file: string): boolean {
  if (/[\\/](?:node_modules|\.git)(?:[\\/]|$)/.test(file)) return false;
  return (
    watchedFolders(inputs).includes(file) ||
    inputs.files.has(file) ||
    inputs.folders.some((folder) => file.startsWith(folder + path.sep))
  );
}
