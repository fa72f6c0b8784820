import path from 'node:path';
import { watch } from 'chokidar';
import { McpgenError } from '../errors.js';
import { generate } from '../index.js';
import { isSettled } from '../output/plan.js';
import { colour, note, noteColour, progress, say } from '../terminal.js';
import { escapeHidden } from '../text.js';
import { asJson, noteWarning, shown, tally } from './changes.js';
import { planOf } from './generate-plan.js';
import { methodNews, sayMethodNews } from './method-news.js';
import { flag, optionOf, refuseBoth, text } from './options.js';
import { naming, settingsOf, type Settings } from './settings.js';

/** Milliseconds without a change before a round begins: editors save in several steps. */
const QUIET = 100;

/** What changes are looked for. */
interface Inputs {
  /** Absolute paths of single files. */
  readonly files: ReadonlySet<string>;
  /** Absolute paths of folders in which every JSON file counts. */
  readonly folders: readonly string[];
}

/**
 * `mcpgen generate --watch`: generates, and again whenever an input changes. A round that fails says why and is over; the
 * next change begins another. SIGINT and SIGTERM end it.
 *
 * @returns The exit code, once it was told to end.
 */
export async function watchCommand(given: Record<string, unknown>): Promise<number> {
  refuse(given);
  let settings = await settingsOf(given);
  let inputs = inputsOf(settings);
  if (text(settings.flags, 'out') === '-') throw withoutFolder();
  if (inputs.files.size === 0 && inputs.folders.length === 0) {
    throw new McpgenError('there is nothing to watch: no config, no schema and no tools of your own', {
      place: '--watch',
      remedy: 'Built-in revisions do not change; leave --watch out, or write a mcpgen.config.json.',
    });
  }

  const round = async (): Promise<void> => {
    try {
      settings = await sameProject(settings, given);
      inputs = inputsOf(settings);
      watcher.add(foldersOf(inputs));
      await naming(settings, given, async () => {
        const plan = await planOf(settings);
        const { out, options } = plan;
        if (out === '-') throw withoutFolder();
        const result = await generate(options);
        progress('');
        const news = await methodNews(result, plan, settings, given);
        if (flag(given, 'json')) {
          const files = result.changes.filter((change) => !isSettled(change)).map((change) => asJson(change, false));
          say(JSON.stringify({ out: result.out, files, ...news, warnings: result.warnings }));
          return;
        }
        for (const warning of result.warnings) noteWarning(warning);
        say(`${colour.green('generated')} ${shown(out)}: ${tally(result.changes, false)}`);
        sayMethodNews(news);
      });
    } catch (error) {
      progress('');
      if (!(error instanceof McpgenError)) throw error;
      if (flag(given, 'json')) say(JSON.stringify({ error: escapeHidden(error.format()) }));
      note(`${noteColour.red('error')}: ${error.format()}`);
    }
  };

  // Folders are watched, not files: one that is replaced by another, as editors save it, is a new file.
  const watcher = watch(foldersOf(inputs), {
    ignoreInitial: true,
    ignored: (file) => !isWatched(inputs, path.resolve(file)),
  });
  return new Promise<number>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let running: Promise<void> | undefined;
    let isDue = false;
    let hasEnded = false;
    const end = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      for (const signal of SIGNALS) process.off(signal, end);
      // What is being written is written to its end.
      void Promise.allSettled([running, watcher.close()]).then(() => {
        resolve(0);
      });
    };
    const begin = (): void => {
      if (hasEnded) return;
      if (running !== undefined) {
        isDue = true;
        return;
      }
      isDue = false;
      running = round().then(
        () => {
          running = undefined;
          if (isDue) begin();
        },
        (error: unknown) => {
          end();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    };
    for (const signal of SIGNALS) process.on(signal, end);
    watcher.on('all', (_, file) => {
      if (!concerns(inputs, path.resolve(file))) return;
      clearTimeout(timer);
      timer = setTimeout(begin, QUIET);
    });
    watcher.on('error', (error) => {
      note(`${noteColour.yellow('warning')}: a folder cannot be watched: ${escapeHidden(String(error))}`);
    });
    watcher.once('ready', () => {
      note('watching for changes; Ctrl-C ends it');
      begin();
    });
  });
}

/** The settings as they are now. Without its config a project would be written as if it had none, and elsewhere. */
async function sameProject({ config }: Settings, given: Record<string, unknown>): Promise<Settings> {
  const settings = await settingsOf(given);
  if (config === undefined || settings.config?.file === config.file) return settings;
  throw new McpgenError('the config is not there any more, so nothing is generated', {
    place: config.file,
    remedy: 'Put it back, or end with Ctrl-C and begin anew.',
  });
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

function refuse(given: Record<string, unknown>): void {
  for (const name of ['check', 'dryRun']) {
    refuseBoth(given, 'watch', name, `Leave one of them out; ${optionOf(name)} writes nothing.`);
  }
  for (const name of ['schema', 'catalog'] as const) {
    if (given[name] !== '-') continue;
    throw new McpgenError('standard input cannot be watched', {
      place: `--watch --${name} -`,
      remedy: 'Give a file.',
    });
  }
  if (given['out'] === '-') throw withoutFolder();
}

function withoutFolder(): McpgenError {
  return new McpgenError('--watch needs an output folder', { place: '--out -', remedy: 'Give --out DIR.' });
}

function inputsOf({ flags, config }: Settings): Inputs {
  const files = [text(flags, 'schema'), text(flags, 'catalog')].filter((file) => file !== undefined);
  if (config !== undefined) files.push(config.file);
  const folders: string[] = [];
  for (const pattern of config?.config.tools ?? []) {
    // What stands before the first segment with a wildcard.
    const segments = pattern.split('/');
    const first = segments.findIndex((segment) => /[*?[\]{}()!]/.test(segment));
    if (first === -1) files.push(path.resolve(config?.folder ?? '.', pattern));
    else folders.push(path.resolve(config?.folder ?? '.', ...segments.slice(0, first)));
  }
  return { files: new Set(files.map((file) => path.resolve(file))), folders };
}

function foldersOf({ files, folders }: Inputs): string[] {
  return [...new Set([...[...files].map((file) => path.dirname(file)), ...folders])];
}

function concerns({ files, folders }: Inputs, file: string): boolean {
  if (files.has(file)) return true;
  return file.endsWith('.json') && folders.some((folder) => file.startsWith(folder + path.sep));
}

/** Whether chokidar is to look at a file or folder at all: it would go through all that lies beside an input. */
function isWatched(inputs: Inputs, file: string): boolean {
  if (/[\\/](?:node_modules|\.git)(?:[\\/]|$)/.test(file)) return false;
  return (
    foldersOf(inputs).includes(file) ||
    inputs.files.has(file) ||
    inputs.folders.some((folder) => file.startsWith(folder + path.sep))
  );
}
