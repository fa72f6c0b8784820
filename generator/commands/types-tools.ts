import path from 'node:path';
import { McpgenError } from '../errors.js';
import { renderTools, type ToolRendering } from '../index.js';
import { refuseWarnings } from '../model/load.js';
import { isSettled, planChanges } from '../output/plan.js';
import { writeChanges } from '../output/write.js';
import type { ImportExtension } from '../print/source-file.js';
import type { ConfigFile } from '../read/config.js';
import { requireRevision } from '../read/builtin.js';
import { readToolFiles, readToolList, toolsOf, type ToolSource } from '../read/tools.js';
import { progress, say, sayJson } from '../terminal.js';
import { shellQuoted } from '../text.js';
import { asJson, count, noteWarning, sayWrong, shown, tally } from './changes.js';
import { askServer } from './ask-server.js';
import { flag, inputFile, text, texts } from './options.js';
import { DEFAULT_OUT, settingsOf } from './settings.js';

/** `mcpgen types tools`: writes or checks types of tools. Returns the exit code. */
export async function typesToolsCommand(file: string | undefined, given: Record<string, unknown>): Promise<number> {
  const server = text(given, 'fromServer');
  refuse(file, server, given);
  const { flags, config } = await settingsOf(given);
  const out = text(flags, 'out') ?? DEFAULT_OUT;
  const importExtension = (text(flags, 'importExtension') ?? 'js') as ImportExtension;
  const listed = server === undefined ? fromFile(file ?? '') : await fromServer(server, given);
  const saved = text(given, 'save');
  const folder = path.resolve(out === '-' ? '.' : out);
  const isConfigured = out !== '-' && config !== undefined && folder === toolFolderOf(config);
  const tools = isConfigured
    ? await withConfigured(config, listed, saved ?? (server === undefined ? file : undefined))
    : listed.tools;
  const command = [
    'mcpgen types tools',
    server === undefined ? shellQuoted(file === '-' ? '-' : path.basename(file ?? '')) : '--from-server <its command>',
    ...(importExtension === 'js' ? [] : [`--import-extension ${importExtension}`]),
    '--out <folder above this one>',
  ].join(' ');
  progress('tools ...');
  const rendered = await renderTools(tools, folder, { importExtension, ...(isConfigured ? {} : { command }) });
  progress('');
  if (flag(flags, 'strict')) refuseWarnings(rendered.warnings);
  if (out === '-') {
    toStandardOutput(rendered);
    return 0;
  }
  const changes = planChanges(folder, rendered.files);
  const isCheck = flag(given, 'check');
  const wrong = changes.filter((change) => !isSettled(change));
  if (isCheck) process.exitCode = wrong.length === 0 ? 0 : 1;
  else {
    writeChanges(folder, changes);
    if (saved !== undefined && server !== undefined) save(saved, listed.contents);
  }
  if (flag(given, 'json')) {
    const summary = {
      out: folder,
      ...(isCheck ? { upToDate: wrong.length === 0 } : {}),
      tools: tools.map(({ name }) => name),
      files: changes.map((change) => asJson(change, isCheck)),
      warnings: rendered.warnings,
    };
    sayJson(summary);
  } else {
    for (const warning of rendered.warnings) noteWarning(warning);
    if (isCheck && wrong.length > 0) {
      sayWrong(wrong, out);
      say(
        `\n${wrong.length} of ${count(changes.length, 'file')} not up to date. To mend it: the same without --check.`,
      );
    } else if (isCheck) say(`${count(tools.length, 'tool')} in ${shown(out)}: all up to date`);
    else say(`${count(tools.length, 'tool')} in ${shown(out)}: ${tally(changes, false)}`);
  }
  return isCheck && wrong.length > 0 ? 1 : 0;
}

function refuse(file: string | undefined, server: string | undefined, given: Record<string, unknown>): void {
  if (file === undefined && server === undefined) {
    throw new McpgenError('neither a file nor a server is given', {
      remedy: 'Give a file with a `tools/list` answer, or --from-server COMMAND.',
    });
  }
  if (file !== undefined && server !== undefined) {
    throw new McpgenError('a file and a server are given', {
      place: `--from-server ${file}`,
      remedy: 'Give one of them.',
    });
  }
  const revisions = texts(given, 'revision');
  for (const name of revisions) requireRevision(name);
  if (revisions.length > 0 && server === undefined) {
    throw new McpgenError('a file is read the same for every revision', {
      place: '--revision',
      remedy: 'Leave it out.',
    });
  }
  if (given['save'] !== undefined && server === undefined) {
    throw new McpgenError('what comes from a file is saved already', { place: '--save', remedy: 'Leave it out.' });
  }
  if (given['out'] !== '-') return;
  for (const name of ['check', 'json', 'save']) {
    if (given[name] === undefined) continue;
    throw new McpgenError(`--${name} needs an output folder`, { place: '--out -', remedy: 'Give --out DIR.' });
  }
}

interface Listed {
  readonly tools: readonly ToolSource[];
  /** The list as a file holds it. */
  readonly contents: string | Uint8Array;
}

/** The output folder of a config whose tools are written there; undefined if it has none. */
function toolFolderOf({ config, folder }: ConfigFile): string | undefined {
  return config.tools === undefined ? undefined : path.resolve(folder, config.out ?? DEFAULT_OUT);
}

/**
 * All tools of a config, with those of a list that one of its files holds or is going to: a folder has the tools of one
 * source, and `mcpgen generate` has to come to the same.
 *
 * @throws {@link McpgenError} if the config does not name the file.
 */
async function withConfigured(
  config: ConfigFile,
  { contents }: Listed,
  file: string | undefined,
): Promise<readonly ToolSource[]> {
  if (file !== undefined && file !== '-') {
    const instead = { file: path.resolve(file), contents };
    const found = await readToolFiles(config.config.tools ?? [], config.folder, process.cwd(), instead);
    if (found.files.includes(instead.file)) return found.tools;
  }
  throw new McpgenError('the tools in the output folder are those that the config names, and these are not', {
    place: config.placeOf('tools'),
    remedy:
      file === undefined
        ? 'Keep the list in a file that the config names: --save FILE. Or give another folder: --out DIR.'
        : 'Name the file there. Or give another folder: --out DIR.',
  });
}

function fromFile(file: string): Listed {
  const input = inputFile({ file }, 'file');
  const contents = input?.contents ?? '[]';
  return { tools: input === undefined ? [] : readToolList(input.contents, input.name), contents };
}

async function fromServer(server: string, given: Record<string, unknown>): Promise<Listed> {
  const revisions = texts(given, 'revision');
  const tools = await askServer(server, given, revisions.length === 0 ? undefined : revisions);
  return {
    tools: toolsOf(tools, 'list of the server'),
    contents: `${JSON.stringify({ tools }, undefined, 2)}\n`,
  };
}

function save(file: string, contents: string | Uint8Array): void {
  const target = path.resolve(file);
  writeChanges(path.dirname(target), [
    { path: path.basename(target), status: 'stale', expected: String(contents), actual: undefined },
  ]);
}

function toStandardOutput({ files, warnings }: ToolRendering): void {
  for (const file of files) {
    if (file.path.startsWith('tools/') && file.path !== 'tools/index.ts') {
      process.stdout.write(`// file: ${file.path}\n${file.contents}\n`);
    }
  }
  for (const warning of warnings) noteWarning(warning);
}
