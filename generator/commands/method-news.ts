import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { handledMethods } from '../emit/handled.js';
import type { GenerateResult } from '../index.js';
import { compareMethods, methodsOfFile, type ChangedMethod, type NamedMethod } from '../model/method-changes.js';
import { constantCase } from '../model/naming.js';
import type { MessageKind, Method, Protocol, Side } from '../model/protocol.js';
import { shownPath } from '../paths.js';
import { originOf } from '../output/ownership.js';
import { handledIn, placesOfMethods, type MethodPlace } from '../scaffold/method-names.js';
import { colour, say } from '../terminal.js';
import { escapeHidden, shellQuoted } from '../text.js';
import { authorFiles } from './author-files.js';
import { count } from './changes.js';
import type { Plan } from './generate-plan.js';
import { text } from './options.js';
import { runsAs, sidesOf } from './project.js';
import type { Settings } from './settings.js';

/** A method that this generation brought and that a handler can be written for. */
export interface NewMethod {
  readonly method: string;
  readonly kind: MessageKind;
  /** The revisions that brought it, sorted. */
  readonly revisions: readonly string[];
  /** Who handles it. */
  readonly to: Side;
  /** What it means, in a sentence. */
  readonly summary: string;
  /** The capability that a side with a handler of it declares: `tasks.list`. */
  readonly declares?: string;
  /** Whether the protocol does without a handler: nothing is asked for that was not declared, and nobody waits for an answer. */
  readonly optional: boolean;
  /** A command to paste that writes a handler; absent where only an author's hand can. */
  readonly command?: string;
  /** What to do to handle it: the command, or what to write and where. */
  readonly offer: string;
}

/** A method that generated code had and has no more. */
export interface RemovedMethod {
  readonly method: string;
  /** The revisions that had it, sorted. */
  readonly revisions: readonly string[];
  /** Where the author's code names it; paths as seen from the current folder. */
  readonly places: readonly Omit<MethodPlace, 'method'>[];
}

/** What an author has to know after a generation. */
export interface MethodNews {
  /** Revisions that `src/protocol.ts` does not name yet, with a command to paste that adds each. */
  readonly newRevisions: readonly { readonly revision: string; readonly command: string }[];
  /** Revisions that are still in the output folder although the config, which says all that it holds, does not name them. */
  readonly leftRevisions: readonly { readonly revision: string; readonly folder: string; readonly isSpoken: boolean }[];
  readonly newMethods: readonly NewMethod[];
  readonly removedMethods: readonly RemovedMethod[];
}

/** What makes handlers of a method, where a list of the project does. */
const ADDABLE: Readonly<Record<string, string>> = {
  'tools/list': 'tool',
  'tools/call': 'tool',
  'resources/list': 'resource',
  'resources/read': 'resource',
  'resources/templates/list': 'resource',
  'prompts/list': 'prompt',
  'prompts/get': 'prompt',
};

/**
 * Compares the methods of what was generated before with those of a run. It is as well called after the files were
 * written: a run's changes say what they held.
 *
 * @param given - What the command line alone says.
 */
export async function methodNews(
  result: GenerateResult,
  { options }: Plan,
  { config }: Settings,
  given: Readonly<Record<string, unknown>>,
): Promise<MethodNews> {
  const now = new Map(result.protocols.map((protocol) => [protocol.revision, methodsOf(protocol)]));
  const written = new Map(
    result.changes.flatMap(({ path: file, actual }): [string, readonly NamedMethod[]][] =>
      file.endsWith('/methods.ts') && actual !== undefined && now.has(path.posix.dirname(file))
        ? [[path.posix.dirname(file), methodsOfFile(actual)]]
        : [],
    ),
  );
  const left = leftBeside(result.out, new Set(now.keys()));
  const { newRevisions, added, removed } = compareMethods(new Map([...written, ...left]), now);
  // A config says all that the folder is to hold; a command line may be one of several that write to it.
  const isWhole = config !== undefined && given['revision'] === undefined && given['schema'] === undefined;
  const stillThere = new Set(isWhole ? [] : [...left.values()].flat().map(({ name }) => name));
  const project = config?.folder ?? process.cwd();
  const open = new Set(added.map(({ name }) => name));
  const handled = open.size === 0 ? open : await handledIn(await authorFiles(project, result.out), [...open]);
  const named = text(given, 'config');
  const ofConfig = named === undefined ? '' : ` --config ${shellQuoted(named)}`;
  const runner = runsAs(project);
  const pasted = (verb: string, words: string): string => `${runner} ${verb}${ofConfig} ${words}`;
  const context: OfferContext = { project, out: result.out, emit: options.emit, pasted };
  const newMethods = added
    .filter(({ name }) => !handled.has(name))
    .flatMap((method) => offersOf(method, result.protocols, context));
  return {
    newRevisions: unspoken(project, newRevisions).map((revision) => ({
      revision,
      command: pasted('add revision', shellQuoted(revision)),
    })),
    leftRevisions: isWhole
      ? [...left.keys()].sort().map((revision) => leftRevision(project, result.out, revision))
      : [],
    newMethods,
    removedMethods: await located(
      removed.filter(({ name }) => !stillThere.has(name)),
      { project, out: result.out, written: new Set(written.keys()) },
    ),
  };
}

function methodsOf({ methods }: Protocol): readonly NamedMethod[] {
  return methods.map(({ name }) => ({ name, constant: constantCase(name) }));
}

/** Methods of revisions in the output folder that a run does not write. */
function leftBeside(out: string, now: ReadonlySet<string>): ReadonlyMap<string, readonly NamedMethod[]> {
  const left = new Map<string, readonly NamedMethod[]>();
  for (const name of foldersIn(out)) {
    const text = now.has(name) ? undefined : textOf(path.join(out, name, 'methods.ts'));
    const methods =
      text !== undefined && originOf(path.join(name, 'methods.ts'), text) !== 'foreign' ? methodsOfFile(text) : [];
    if (methods.length > 0) left.set(name, methods);
  }
  return left;
}

function leftRevision(project: string, out: string, revision: string): MethodNews['leftRevisions'][number] {
  return {
    revision,
    folder: `${shownPath(path.join(out, revision))}/`,
    isSpoken: spokenIn(project)?.includes(`/${revision}/`) === true,
  };
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

/** The text of a file that tells something if it is there; whatever keeps it from being read, a run stands without. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** The file in which a project names the revisions that it speaks. */
function spokenIn(project: string): string | undefined {
  return textOf(path.join(project, 'src/protocol.ts'));
}

/** New revisions that `src/protocol.ts` does not name yet, in a project that has one. */
function unspoken(project: string, revisions: readonly string[]): readonly string[] {
  const text = revisions.length === 0 ? undefined : spokenIn(project);
  return text === undefined ? [] : revisions.filter((revision) => !text.includes(`/${revision}/revision`));
}

interface OfferContext {
  readonly project: string;
  readonly out: string;
  readonly emit: readonly string[] | undefined;
  /** A command line of `mcpgen` that works where the project is. */
  readonly pasted: (verb: string, words: string) => string;
}

/** What to do about a method: nothing if the runtime sees to it, or if it is of a side that the project has not. */
function offersOf(
  { name, revisions }: ChangedMethod,
  protocols: readonly Protocol[],
  context: OfferContext,
): readonly NewMethod[] {
  const own = protocols.filter(({ revision }) => revisions.includes(revision));
  const sides = sidesOf(context.project);
  const among: readonly Side[] = sides.length === 0 ? ['server', 'client'] : sides;
  return among.flatMap((to) => {
    const found = own.flatMap((protocol) => handledMethods(protocol, to).filter((method) => method.name === name));
    const method = found.at(-1);
    if (method === undefined) return [];
    const command = commandOf(method, to, sides, context);
    const offer = command ?? byHand(method, to);
    const { kind, summary } = method;
    const needed = method.capabilities.find((path) => path.startsWith(`${to}.`))?.slice(to.length + 1);
    const declares = kind === 'request' ? needed : undefined;
    return [
      {
        method: name,
        kind,
        revisions,
        to,
        summary,
        ...(declares === undefined ? {} : { declares }),
        optional: kind === 'notification' || declares !== undefined,
        ...(command === undefined ? {} : { command }),
        offer,
      },
    ];
  });
}

function commandOf(
  { name, kind }: Method,
  to: Side,
  sides: readonly Side[],
  { project, out, emit, pasted }: OfferContext,
): string | undefined {
  const addable = ADDABLE[name];
  if (sides.includes(to)) {
    if (to === 'server' && addable !== undefined && emit?.includes('registry') === true) {
      const hasList = existsSync(path.join(project, `src/${addable}s/index.ts`));
      if (hasList) return pasted(`add ${addable}`, `my-${addable}`);
    }
    // Not an option, whatever it is called.
    const word = name.startsWith('-') ? `-- ${shellQuoted(name)}` : shellQuoted(name);
    return pasted(`add handler${sides.length > 1 ? ` --to ${to}` : ''}`, word);
  }
  if (to !== 'server' || kind !== 'request') return undefined;
  // It is written once: what is there is the author's.
  const isThere = foldersIn(out).some((folder) => existsSync(path.join(out, folder, 'handlers.ts')));
  const parts = [...new Set([...(emit ?? []), 'stubs'])].join(',');
  return isThere ? undefined : pasted('generate', `--emit ${parts} --methods ${shellQuoted(name)}`);
}

function byHand({ name, kind }: Method, to: Side): string {
  const body = kind === 'request' ? '{ throw new Error("not written yet"); }' : '{}';
  return `among the \`${kind === 'request' ? 'handlers' : 'notifications'}\` of the ${to}: ${JSON.stringify(name)}: () => ${body},`;
}

async function located(
  removed: readonly ChangedMethod[],
  { project, out, written }: { readonly project: string; readonly out: string; readonly written: ReadonlySet<string> },
): Promise<readonly RemovedMethod[]> {
  if (removed.length === 0) return [];
  const places = await placesOfMethods(await authorFiles(project, out), removed);
  return (
    removed
      .map(({ name, revisions }) => ({
        method: name,
        revisions,
        places: places.filter(({ method }) => method === name).map(({ method: _, ...place }) => place),
      }))
      // A folder that is only left over would be told of in every run: only as long as code names what it has.
      .filter(({ revisions, places: own }) => own.length > 0 || revisions.some((revision) => written.has(revision)))
  );
}

/** Tells the news of a run; nothing if there are none. */
export function sayMethodNews({ newRevisions, leftRevisions, newMethods, removedMethods }: MethodNews): void {
  if (newRevisions.length + leftRevisions.length + newMethods.length + removedMethods.length > 0) say();
  for (const { revision, command } of newRevisions) {
    say(`${colour.green('new revision')} ${escapeHidden(revision)}: src/protocol.ts does not speak it yet`);
    say(`  ${escapeHidden(command)}`);
  }
  for (const { revision, folder, isSpoken } of leftRevisions) {
    say(`${colour.red('left over')}: the config does not name ${escapeHidden(revision)}`);
    const first = isSpoken ? 'take it out of src/protocol.ts, which speaks it still, and ' : '';
    say(`  ${first}delete ${escapeHidden(folder)}, or name it again`);
  }
  for (const { method, kind, revisions, to, summary, declares, offer } of newMethods) {
    const where = escapeHidden(revisions.join(', '));
    const declared = declares === undefined ? '' : `; a handler declares ${escapeHidden(declares)}`;
    const what = kind === 'request' ? `request to the ${to}${declared}` : `notification to the ${to}, optional`;
    say(`${colour.green(`new in ${where}`)}: ${escapeHidden(method)} (${what})`);
    if (summary !== '') say(`  ${colour.dim(escapeHidden(summary))}`);
    say(`  ${escapeHidden(offer)}`);
  }
  for (const { method, revisions, places } of removedMethods) {
    const named = places.length === 0 ? 'your code does not name it' : `named in ${count(places.length, 'place')}`;
    say(`${colour.red('removed')}: ${escapeHidden(method)} (was in ${escapeHidden(revisions.join(', '))}); ${named}`);
    for (const { path: file, line, column } of places) say(`  ${escapeHidden(file)}:${line}:${column}`);
  }
}
