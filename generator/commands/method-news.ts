import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { stubbedMethods } from '../emit/stubs.js';
import type { GenerateResult } from '../index.js';
import { compareMethods, methodsOfFile, type ChangedMethod, type NamedMethod } from '../model/method-changes.js';
import { constantCase } from '../model/naming.js';
import { embeddedMethods, methodsFrom, type Protocol, type Side } from '../model/protocol.js';
import { isGenerated } from '../print/header.js';
import { placesOfMethods, type MethodPlace } from '../scaffold/method-names.js';
import { colour, say } from '../terminal.js';
import { escapeHidden, shellQuoted } from '../text.js';
import { authorFiles } from './author-files.js';
import { count } from './changes.js';
import type { Plan } from './generate.js';
import type { Settings } from './settings.js';

/** A method that this generation brought and that a handler can be written for. */
export interface NewMethod {
  readonly method: string;
  /** The revisions that brought it, sorted. */
  readonly revisions: readonly string[];
  /** Who answers it. */
  readonly to: Side;
  /** What to do to answer it. */
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
  /** Revisions that `src/protocol.ts` does not name yet. */
  readonly newRevisions: readonly { readonly revision: string; readonly offer: string }[];
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
  const newMethods = added.flatMap((method) => offerOf(method, result.protocols, project, options.emit));
  return {
    newRevisions: offersOfRevisions(project, result.out, newRevisions, newMethods),
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
    const methods = text !== undefined && isGenerated(text) ? methodsOfFile(text) : [];
    if (methods.length > 0) left.set(name, methods);
  }
  return left;
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

/** What connects new revisions, where a project lists them in `src/protocol.ts`. */
function offersOfRevisions(
  project: string,
  out: string,
  revisions: readonly string[],
  newMethods: readonly NewMethod[],
): MethodNews['newRevisions'] {
  const file = path.join(project, 'src/protocol.ts');
  const text = revisions.length === 0 ? undefined : textOf(file);
  if (text === undefined) return [];
  const below = path.relative(path.dirname(file), out).replaceAll(path.sep, '/');
  const folder = below.startsWith('.') ? below : `./${below}`;
  return revisions
    .filter((revision) => !text.includes(`/${revision}/revision`))
    .map((revision) => {
      const brought = newMethods.find((method) => method.revisions.includes(revision));
      const maker = brought?.to === 'client' ? 'client' : 'server';
      const types = `take \`create${maker === 'client' ? 'Client' : 'Server'}\` from "${folder}/${revision}/${maker}"`;
      return {
        revision,
        offer:
          `in src/protocol.ts, add \`revision\` of "${folder}/${revision}/revision" to \`revisions\`` +
          (brought === undefined ? '' : `; for handlers of what it brings, ${types}`),
      };
    });
}

function offerOf(
  { name, revisions }: ChangedMethod,
  protocols: readonly Protocol[],
  project: string,
  emit: readonly string[] | undefined,
): readonly NewMethod[] {
  const own = protocols.filter(({ revision }) => revisions.includes(revision));
  const has = (file: string): boolean => existsSync(path.join(project, file));
  const isServer = has('src/server.ts');
  if (own.some((protocol) => stubbedMethods(protocol).some((method) => method.name === name))) {
    if (has('src/client.ts') && !isServer) return [];
    const addable = ADDABLE[name];
    const offer =
      addable !== undefined && isServer && emit?.includes('registry') === true
        ? `mcpgen add ${addable} NAME`
        : isServer
          ? `in src/server.ts, into \`handlers\`: ${handlerLine(name)}`
          : stubsCommand([name], emit);
    return [{ method: name, revisions, to: 'server', offer }];
  }
  const asked = own.some((protocol) =>
    [...methodsFrom(protocol, 'server', 'request'), ...embeddedMethods(protocol)].some(
      (method) => method.name === name,
    ),
  );
  if (!asked || isServer) return [];
  const place = has('src/handlers/index.ts') ? 'src/handlers/index.ts' : 'the client';
  return [{ method: name, revisions, to: 'client', offer: `in ${place}, into \`handlers\`: ${handlerLine(name)}` }];
}

function handlerLine(method: string): string {
  return `${JSON.stringify(method)}: () => { throw new Error("not written yet"); },`;
}

/** The command that writes handlers to fill in, and leaves out nothing that was generated so far. */
function stubsCommand(methods: readonly string[], emit: readonly string[] | undefined): string {
  const parts = [...new Set([...(emit ?? []), 'stubs'])].join(',');
  return `mcpgen generate --emit ${parts} --methods ${methods.map(shellQuoted).join(',')}`;
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
export function sayMethodNews({ newRevisions, newMethods, removedMethods }: MethodNews): void {
  if (newRevisions.length + newMethods.length + removedMethods.length > 0) say();
  for (const { revision, offer } of newRevisions) {
    say(`${colour.green('new revision')} ${escapeHidden(revision)}\n  ${escapeHidden(offer)}`);
  }
  for (const { method, revisions, to, offer } of newMethods) {
    const where = escapeHidden(revisions.join(', '));
    say(`${colour.green(`new in ${where}`)}: ${escapeHidden(method)} (request to the ${to})\n  ${escapeHidden(offer)}`);
  }
  for (const { method, revisions, places } of removedMethods) {
    const named = places.length === 0 ? 'your code does not name it' : `named in ${count(places.length, 'place')}`;
    say(`${colour.red('removed')}: ${escapeHidden(method)} (was in ${escapeHidden(revisions.join(', '))}); ${named}`);
    for (const { path: file, line, column } of places) say(`  ${escapeHidden(file)}:${line}:${column}`);
  }
}
