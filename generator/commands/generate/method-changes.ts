import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { handledMethods, hasRoles } from '../../emit/handled.js';
import type { GenerateResult } from '../../index.js';
import {
  compareMethods,
  parseMethodsFile,
  type ChangedMethod,
  type MethodConstant,
} from '../../model/catalog/method-changes.js';
import { constantCase } from '../../model/naming.js';
import { sideWords, type MessageKind, type Method, type Protocol, type Side } from '../../model/protocol.js';
import { displayPath } from '../../paths.js';
import { readOrigin } from '../../output/ownership.js';
import { tryReadText } from '../../read/files.js';
import { handlerTarget, registerHandler } from '../../scaffold/edit/register-handler.js';
import { findHandledMethods, findMethodLocations, type MethodLocation } from '../../scaffold/edit/method-names.js';
import { stdoutColors, printLine } from '../../terminal.js';
import { escapeHiddenCharacters } from '../../text.js';
import { readAuthorFiles } from '../shared/author-files.js';
import { pluralize } from '../shared/file-changes.js';
import type { GeneratePlan } from './plan.js';
import { ENTRY_FILES, projectCommand, projectFolder, sidesOf } from '../shared/project.js';
import type { CommandLine, Settings } from '../shared/settings.js';

/** A method that is new in this run and that can have a handler. */
export interface NewMethod {
  readonly method: string;
  readonly kind: MessageKind;
  /** The new revisions that have it, sorted. */
  readonly revisions: readonly string[];
  /** The side that handles it. */
  /** The protocol's word for the side that handles it. */
  readonly to: string;
  /** Its summary. */
  readonly summary: string;
  /** The capability that a side with a handler of it declares: `tasks.list`. */
  readonly declares?: string;
  /** Whether a handler is optional: nobody sends what was not declared, and nobody waits for a response. */
  readonly optional: boolean;
  /** The command that writes a handler; absent if it must be written by hand. */
  readonly command?: string;
  /** What to do to handle it: the command, or what to write and where. */
  readonly offer: string;
}

/** A method that the generated code no longer has. */
export interface RemovedMethod {
  readonly method: string;
  /** The revisions that had it, sorted. */
  readonly revisions: readonly string[];
  /** Where the author's code uses it; paths are relative to the current folder. */
  readonly places: readonly Omit<MethodLocation, 'method'>[];
}

/** A revision that was generated for the first time. */
export interface NewRevision {
  readonly revision: string;
  /** The command that adds it to the project. */
  readonly command: string;
  /** The command that prints which lines of the author's code it affects. */
  readonly diffCommand?: string;
}

/** A revision in the output folder that is not in the config. */
export interface LeftRevision {
  readonly revision: string;
  /** Its folder, relative to the current one, with a slash at the end. */
  readonly folder: string;
  /** Names in the folder that are not unmodified output: files and folders of the user, and edited files; sorted. */
  readonly userFiles: readonly string[];
  /** Whether `src/protocol.ts` uses it. */
  readonly isSpoken: boolean;
}

/** What a run changed that affects the author's code. */
export interface MethodChangeReport {
  /** Revisions that `src/protocol.ts` does not use yet. */
  readonly newRevisions: readonly NewRevision[];
  /** Revisions in the output folder that are not in the config. */
  readonly leftRevisions: readonly LeftRevision[];
  readonly newMethods: readonly NewMethod[];
  readonly removedMethods: readonly RemovedMethod[];
}

/** Methods whose handlers come from a list of the project. */
const ADDABLE_KIND_BY_METHOD: Readonly<Record<string, string>> = {
  'tools/list': 'tool',
  'tools/call': 'tool',
  'resources/list': 'resource',
  'resources/read': 'resource',
  'resources/templates/list': 'resource',
  'prompts/list': 'prompt',
  'prompts/get': 'prompt',
};

/**
 * Compares the methods of the previous output with those of a run. Works after the files were written too, since the
 * run's changes have their previous contents.
 *
 * @param commandLine - The options without those of the config.
 */
export async function reportMethodChanges(
  result: GenerateResult,
  { options }: GeneratePlan,
  { config }: Settings,
  commandLine: CommandLine,
): Promise<MethodChangeReport> {
  const methodsAfter = new Map(result.protocols.map((protocol) => [protocol.revision, namedMethodsOf(protocol)]));
  const written = new Map(
    result.changes.flatMap(({ path: file, actual: textBefore }): [string, readonly MethodConstant[]][] =>
      METHODS_FILES.includes(path.posix.basename(file)) &&
      textBefore !== undefined &&
      methodsAfter.has(path.posix.dirname(file))
        ? [[path.posix.dirname(file), parseMethodsFile(textBefore)]]
        : [],
    ),
  );
  const leftoverRevisions = leftoverRevisionsIn(result.out, new Set(methodsAfter.keys()));
  const { newRevisions, added, removed } = compareMethods(new Map([...written, ...leftoverRevisions]), methodsAfter);
  // A config lists everything in the folder; a command line may be one of several that write to it.
  const coversAllRevisions =
    config !== undefined && commandLine.revisions === undefined && commandLine.schema === undefined;
  const remainingMethods = new Set(
    coversAllRevisions ? [] : [...leftoverRevisions.values()].flat().map(({ name }) => name),
  );
  const project = projectFolder(config);
  const unhandled = new Set(added.map(({ name }) => name));
  const handled =
    unhandled.size === 0
      ? unhandled
      : await findHandledMethods(await readAuthorFiles(project, result.out), [...unhandled]);
  const configFile = commandLine.config;
  const newNames = added.filter(({ name }) => !handled.has(name));
  const editable = config === undefined || newNames.length === 0 ? new Set<string>() : await editableHandlers(project);
  const context: OfferContext = { project, out: result.out, emit: options.emit, configFile, editable };
  const newMethods = newNames.flatMap((method) => newMethodsOf(method, result.protocols, context));
  const previous = [...written.keys()]
    .filter((revision) => !newRevisions.includes(revision))
    .sort()
    .at(-1);
  return {
    newRevisions: revisionsNotRegistered(project, newRevisions).map((revision) => ({
      revision,
      command: projectCommand(project, 'add revision', { words: [revision], options: { config: configFile } }),
      ...(previous === undefined
        ? {}
        : {
            diffCommand: projectCommand(project, 'diff', { words: [previous, revision], options: { code: 'src' } }),
          }),
    })),
    leftRevisions: coversAllRevisions
      ? subfolderNames(result.out)
          .filter((name) => !methodsAfter.has(name))
          .sort()
          .flatMap((name) => leftoverRevision(project, result.out, name) ?? [])
      : [],
    newMethods,
    removedMethods: await locateRemovedMethods(
      removed.filter(({ name }) => !remainingMethods.has(name)),
      { project, out: result.out, written: new Set(written.keys()) },
    ),
  };
}

/** The file with the methods of a revision, by what a run writes. */
const METHODS_FILES: readonly string[] = ['methods.ts', 'methods.js'];

function namedMethodsOf({ methods }: Protocol): readonly MethodConstant[] {
  return methods.map(({ name }) => ({ name, constant: constantCase(name) }));
}

/** Methods of revisions in the output folder that this run does not write. */
function leftoverRevisionsIn(
  out: string,
  currentRevisions: ReadonlySet<string>,
): ReadonlyMap<string, readonly MethodConstant[]> {
  const left = new Map<string, readonly MethodConstant[]>();
  for (const name of subfolderNames(out)) {
    const texts = currentRevisions.has(name)
      ? []
      : METHODS_FILES.map((file) => ({ file, text: tryReadText(path.join(out, name, file)) }));
    const own = texts.find(({ file, text = '' }) => readOrigin(path.join(name, file), text) !== 'foreign');
    const methods = parseMethodsFile(own?.text ?? '');
    if (methods.length > 0) left.set(name, methods);
  }
  return left;
}

/** Folders of the output that belong to no revision. */
const SHARED_FOLDERS: ReadonlySet<string> = new Set(['runtime', 'tools']);

/** What is left of a revision; undefined if a folder has no generated file. */
function leftoverRevision(project: string, out: string, name: string): LeftRevision | undefined {
  if (SHARED_FOLDERS.has(name)) return undefined;
  const entries = readdirSync(path.join(out, name), { withFileTypes: true }).map((entry) => {
    const text = entry.isFile() ? tryReadText(path.join(out, name, entry.name)) : undefined;
    const origin = text === undefined ? 'foreign' : readOrigin(path.posix.join(name, entry.name), text);
    return { name: entry.name, origin };
  });
  if (entries.every(({ origin }) => origin === 'foreign')) return undefined;
  return {
    revision: name,
    folder: `${displayPath(path.join(out, name))}/`,
    userFiles: entries
      .filter(({ origin }) => origin !== 'generated')
      .map((entry) => entry.name)
      .sort(),
    isSpoken: protocolFileText(project)?.includes(`/${name}/`) === true,
  };
}

function subfolderNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

/** The file in which a project lists its revisions. */
function protocolFileText(project: string): string | undefined {
  return tryReadText(path.join(project, 'src/protocol.ts'));
}

/** New revisions that `src/protocol.ts` does not use yet; empty without that file. */
function revisionsNotRegistered(project: string, revisions: readonly string[]): readonly string[] {
  const text = revisions.length === 0 ? undefined : protocolFileText(project);
  return text === undefined ? [] : revisions.filter((revision) => !text.includes(`/${revision}/revision`));
}

interface OfferContext {
  readonly project: string;
  readonly out: string;
  readonly emit: readonly string[] | undefined;
  /** The value of `--config`, which printed commands repeat. */
  readonly configFile: string | undefined;
  /** The sides and kinds of messages whose handlers `add handler` can add: `server request`. */
  readonly editable: ReadonlySet<string>;
}

/** The sides and kinds of messages whose handlers are where `add handler` finds them; their code may be different. */
async function editableHandlers(project: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const probe = { name: 'onProbe', from: './handlers/probe.js', method: 'probe' };
  for (const side of sidesOf(project)) {
    const text = tryReadText(path.join(project, ENTRY_FILES[side])) ?? '';
    for (const kind of ['request', 'notification'] as const) {
      const { status } = await registerHandler(text, handlerTarget(side, kind), probe);
      if (status !== 'unknown') found.add(`${side} ${kind}`);
    }
  }
  return found;
}

/** How to handle a method; undefined if the runtime handles it, or if the project does not have that side. */
function newMethodsOf(
  { name, revisions }: ChangedMethod,
  protocols: readonly Protocol[],
  context: OfferContext,
): readonly NewMethod[] {
  const own = protocols.filter(({ revision }) => revisions.includes(revision));
  const sides = sidesOf(context.project);
  const among: readonly Side[] = sides.length === 0 ? ['server', 'client'] : sides;
  return among.flatMap((to) => {
    const found = own.flatMap((protocol) =>
      handledMethods(protocol, to).flatMap((method) => (method.name === name ? [{ method, protocol }] : [])),
    );
    const { method, protocol } = found.at(-1) ?? {};
    if (method === undefined || protocol === undefined) return [];
    const word = sideWords(protocol)[to];
    // What `add` writes is for the client and server of the runtime.
    const command = hasRoles(protocol) ? addCommandFor(method, to, sides, context) : undefined;
    const offer = command ?? manualInstructions(method, word);
    const { kind, summary } = method;
    const needed = method.capabilities.find((path) => path.startsWith(`${word}.`))?.slice(word.length + 1);
    const declares = kind === 'request' ? needed : undefined;
    return [
      {
        method: name,
        kind,
        revisions,
        to: word,
        summary,
        ...(declares === undefined ? {} : { declares }),
        optional: kind === 'notification' || declares !== undefined,
        ...(command === undefined ? {} : { command }),
        offer,
      },
    ];
  });
}

function addCommandFor(
  { name, kind }: Method,
  to: Side,
  sides: readonly Side[],
  { project, out, emit, configFile, editable }: OfferContext,
): string | undefined {
  const addable = ADDABLE_KIND_BY_METHOD[name];
  if (sides.includes(to)) {
    if (to === 'server' && addable !== undefined && emit?.includes('registry') === true) {
      const hasList = existsSync(path.join(project, `src/${addable}s/index.ts`));
      if (hasList) {
        return projectCommand(project, `add ${addable}`, { words: [`my-${addable}`], options: { config: configFile } });
      }
    }
    if (!editable.has(`${to} ${kind}`)) return undefined;
    const side = sides.length > 1 ? to : undefined;
    return projectCommand(project, 'add handler', { words: [name], options: { to: side, config: configFile } });
  }
  if (to !== 'server' || kind !== 'request') return undefined;
  // An existing handlers.ts belongs to the author and is not written again.
  const isThere = subfolderNames(out).some((folder) => existsSync(path.join(out, folder, 'handlers.ts')));
  const parts = [...new Set([...(emit ?? []), 'stubs'])].join(',');
  if (isThere) return undefined;
  return projectCommand(project, 'generate', { options: { config: configFile, emit: parts, methods: name } });
}

function manualInstructions({ name, kind }: Method, to: string): string {
  const body = kind === 'request' ? '{ throw new Error("not written yet"); }' : '{}';
  return `among the \`${kind === 'request' ? 'handlers' : 'notifications'}\` of the ${to}: ${JSON.stringify(name)}: () => ${body},`;
}

async function locateRemovedMethods(
  removed: readonly ChangedMethod[],
  { project, out, written }: { readonly project: string; readonly out: string; readonly written: ReadonlySet<string> },
): Promise<readonly RemovedMethod[]> {
  if (removed.length === 0) return [];
  const places = await findMethodLocations(await readAuthorFiles(project, out), removed);
  return (
    removed
      .map(({ name, revisions }) => ({
        method: name,
        revisions,
        places: places.filter(({ method }) => method === name).map(({ method: _, ...place }) => place),
      }))
      // An orphaned folder would be reported in every run: only as long as code uses its methods.
      .filter(({ revisions, places: own }) => own.length > 0 || revisions.some((revision) => written.has(revision)))
  );
}

/** Prints which methods and revisions a run has added or removed, if any. */
export function printMethodChanges({
  newRevisions,
  leftRevisions,
  newMethods,
  removedMethods,
}: MethodChangeReport): void {
  if (newRevisions.length + leftRevisions.length + newMethods.length + removedMethods.length > 0) printLine();
  for (const { revision, command, diffCommand } of newRevisions) {
    printLine(
      `${stdoutColors.green('new revision')} ${escapeHiddenCharacters(revision)}: src/protocol.ts does not use it yet`,
    );
    printLine(`  ${escapeHiddenCharacters(command)}`);
    if (diffCommand !== undefined)
      printLine(stdoutColors.dim(`  what it changes in your code: ${escapeHiddenCharacters(diffCommand)}`));
  }
  for (const { revision, folder, userFiles, isSpoken } of leftRevisions) {
    printLine(`${stdoutColors.red('orphaned')}: ${escapeHiddenCharacters(revision)} is not in the config`);
    const first = isSpoken ? 'remove it from src/protocol.ts, which still uses it, and ' : '';
    const what =
      userFiles.length === 0
        ? escapeHiddenCharacters(folder)
        : `the generated files in ${escapeHiddenCharacters(`${folder}, which also has ${userFiles.join(', ')}`)}`;
    printLine(`  ${first}delete ${what}, or add it to the config again`);
  }
  for (const { method, kind, revisions, to, summary, declares, offer } of newMethods) {
    const where = escapeHiddenCharacters(revisions.join(', '));
    const declared = declares === undefined ? '' : `; a handler declares ${escapeHiddenCharacters(declares)}`;
    const what = kind === 'request' ? `request to the ${to}${declared}` : `notification to the ${to}, optional`;
    printLine(`${stdoutColors.green(`new in ${where}`)}: ${escapeHiddenCharacters(method)} (${what})`);
    if (summary !== '') printLine(`  ${stdoutColors.dim(escapeHiddenCharacters(summary))}`);
    printLine(`  ${escapeHiddenCharacters(offer)}`);
  }
  for (const { method, revisions, places } of removedMethods) {
    const named = places.length === 0 ? 'your code does not use it' : `used in ${pluralize(places.length, 'place')}`;
    printLine(
      `${stdoutColors.red('removed')}: ${escapeHiddenCharacters(method)} (was in ${escapeHiddenCharacters(revisions.join(', '))}); ${named}`,
    );
    for (const { path: file, line, column } of places) printLine(`  ${escapeHiddenCharacters(file)}:${line}:${column}`);
  }
}
