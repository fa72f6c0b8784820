import path from 'node:path';
import { McpgenError } from '../errors.js';
import { renderTools, type ToolRendering } from '../index.js';
import { refuseWarnings } from '../model/load.js';
import { isSettled, planChanges } from '../output/plan.js';
import { writeChanges } from '../output/write.js';
import type { ImportExtension } from '../print/source-file.js';
import type { JsonValue } from '../read/json.js';
import { readToolList, toolsOf, type ToolSource } from '../read/tools.js';
import { progress, say } from '../terminal.js';
import { shellQuoted } from '../text.js';
import { asJson, count, noteWarning, sayWrong, shown, tally } from './changes.js';
import { flag, inputFile, text } from './options.js';
import { settingsOf } from './settings.js';

/** `mcpgen types tools`: writes or checks types of tools. Returns the exit code. */
export async function typesToolsCommand(file: string | undefined, given: Record<string, unknown>): Promise<number> {
  const server = text(given, 'fromServer');
  refuse(file, server, given);
  const { flags } = await settingsOf(given);
  const out = text(flags, 'out') ?? 'generated';
  const importExtension = (text(flags, 'importExtension') ?? 'js') as ImportExtension;
  const { tools, list } = server === undefined ? fromFile(file ?? '') : await fromServer(server, given);
  const command = [
    'mcpgen types tools',
    server === undefined ? shellQuoted(file === '-' ? '-' : path.basename(file ?? '')) : '--from-server <its command>',
    ...(importExtension === 'js' ? [] : [`--import-extension ${importExtension}`]),
    '--out <folder above this one>',
  ].join(' ');
  const folder = path.resolve(out === '-' ? '.' : out);
  progress('tools ...');
  const rendered = await renderTools(tools, folder, { importExtension, command });
  progress('');
  if (flag(flags, 'strict')) refuseWarnings(rendered.warnings);
  const saved = text(given, 'save');
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
    if (saved !== undefined && list !== undefined) save(saved, list);
  }
  if (flag(given, 'json')) {
    const summary = {
      out: folder,
      ...(isCheck ? { upToDate: wrong.length === 0 } : {}),
      tools: tools.map(({ name }) => name),
      files: changes.map((change) => asJson(change, isCheck)),
      warnings: rendered.warnings,
    };
    say(JSON.stringify(summary, undefined, 2));
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
  /** The list as a server gave it. */
  readonly list?: readonly JsonValue[];
}

function fromFile(file: string): Listed {
  const input = inputFile({ file }, 'file');
  return { tools: input === undefined ? [] : readToolList(input.contents, input.name) };
}

async function fromServer(server: string, given: Record<string, unknown>): Promise<Listed> {
  const seconds = Number(text(given, 'timeout') ?? '30');
  if (!(seconds > 0 && seconds <= 3600)) {
    throw new McpgenError('a number of seconds is expected, up to an hour', {
      place: '--timeout',
      remedy: 'As in --timeout 60.',
    });
  }
  progress('asking the server ...');
  // Loaded only where a server is asked: it is a whole client.
  const { listTools } = await import('../connect/list-tools.js');
  const { tools } = await listTools(server, seconds * 1000);
  progress('');
  return { tools: toolsOf(tools, 'list of the server'), list: tools };
}

function save(file: string, tools: readonly JsonValue[]): void {
  const target = path.resolve(file);
  const contents = `${JSON.stringify({ tools }, undefined, 2)}\n`;
  writeChanges(path.dirname(target), [
    { path: path.basename(target), status: 'stale', expected: contents, actual: undefined },
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
