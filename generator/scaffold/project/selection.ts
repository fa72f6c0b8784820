import { McpgenError } from '../../errors.js';
import { closestMatch } from '../../text.js';

/** What can be scaffolded. */
export const PROJECT_KINDS = ['server', 'client'] as const;
export type ProjectKind = (typeof PROJECT_KINDS)[number];

/** What can be chosen for each kind, with what it brings along and what it is, for the one who chooses. */
export interface Feature {
  readonly name: string;
  readonly text: string;
  /** Features that it cannot be without. */
  readonly needs?: readonly string[];
  /** The method that a revision must have for it. */
  readonly method?: string;
  readonly isDefault?: boolean;
}

export const FEATURES: Readonly<Record<ProjectKind, readonly Feature[]>> = {
  server: [
    { name: 'tools', text: 'functions that the model calls', isDefault: true },
    { name: 'resources', text: 'data that the client reads', isDefault: true },
    { name: 'prompts', text: 'texts that the user chooses', isDefault: true },
    { name: 'completion', text: 'suggestions for arguments of prompts and resources' },
    { name: 'logging', text: 'log messages to the client', needs: ['tools'] },
    { name: 'progress', text: 'a long-running tool, with progress and cancellation', needs: ['tools'] },
    {
      name: 'elicitation',
      text: 'a tool that asks the user',
      needs: ['tools'],
      method: 'elicitation/create',
    },
    { name: 'sampling', text: "a tool that asks the client's model", needs: ['tools'] },
    { name: 'roots', text: "a tool that asks for the user's folders", needs: ['tools'] },
  ],
  client: [
    { name: 'sampling', text: "answers a server's requests to the model" },
    { name: 'roots', text: 'lists the folders that a server may use', isDefault: true },
    {
      name: 'elicitation',
      text: "passes a server's questions to the user",
      method: 'elicitation/create',
    },
  ],
};

export const TRANSPORT_NAMES = ['stdio', 'http'] as const;
export type TransportName = (typeof TRANSPORT_NAMES)[number];

/**
 * What carries the messages: the generated runtime, or the official SDK's transports below the generated endpoints; `sdk`
 * is the packages of 2.x, `sdk-v1` the one of 1.x.
 */
export const RUNTIME_NAMES = ['none', 'sdk', 'sdk-v1'] as const;
export type RuntimeName = (typeof RUNTIME_NAMES)[number];

export const PACKAGE_MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const;
export type PackageManager = (typeof PACKAGE_MANAGERS)[number];

/** What runs a program of an installed package. */
export const RUNNERS: Readonly<Record<PackageManager, string>> = {
  npm: 'npx',
  pnpm: 'pnpm exec',
  yarn: 'yarn',
  bun: 'bunx',
};

/** A revision that can be chosen. */
export interface KnownRevision {
  readonly revision: string;
  readonly isStateless: boolean;
  /** Names of its methods, those that travel inside results too. */
  readonly methods: readonly string[];
}

/** All that decides what is written. */
export interface Selection {
  readonly kind: ProjectKind;
  /** As npm knows it: `demo` or `@scope/demo`. */
  readonly packageName: string;
  /** Sorted, at least one. */
  readonly revisions: readonly KnownRevision[];
  readonly features: readonly string[];
  readonly transports: readonly TransportName[];
  readonly runtime: RuntimeName;
  readonly packageManager: PackageManager;
  /** The version of the package manager that is on this machine, if it is one to name in package.json. */
  readonly managerVersion?: string;
  /** The server that a client is for, if its tools are known. */
  readonly listed?: ListedServer;
}

/** A server whose tools are known. */
export interface ListedServer {
  /** Its URL, or its program with arguments, as seen from the project; empty if it is not known. */
  readonly target: readonly string[];
  /** Its answer to `tools/list`, as the text of a file. */
  readonly toolList: string;
  /** A call to show; code in TypeScript where it is not said otherwise. */
  readonly example: {
    /** The tool, as the server calls it: text. */
    readonly name: string;
    readonly method: string;
    /** Undefined if none are needed. */
    readonly args: string | undefined;
    /** Undefined if it has no structured content. */
    readonly output: string | undefined;
    /** Whether the two are such as the schemas ask for. */
    readonly isValid: boolean;
  };
}

/** The name without its scope, which the program and the folder have. */
export function unscopedName(packageName: string): string {
  return packageName.replace(/^@[^/]+\//, '');
}

/** The newest revision chosen: the code is written in its types. */
export function newestRevision({ revisions }: Pick<Selection, 'revisions'>): KnownRevision {
  const last = revisions.at(-1);
  if (last === undefined) throw new RangeError('no revision chosen');
  return last;
}

/** Features that are chosen if nobody says otherwise. */
export function defaultFeatures(kind: ProjectKind): readonly string[] {
  return FEATURES[kind].filter(({ isDefault }) => isDefault === true).map(({ name }) => name);
}

/**
 * The features asked for, with those that they need, in one fixed order.
 *
 * @throws {@link McpgenError} if one does not exist, or no revision that was chosen has it.
 */
export function parseFeatures(
  kind: ProjectKind,
  asked: readonly string[],
  revisions: readonly KnownRevision[],
): readonly string[] {
  const known = FEATURES[kind];
  for (const name of asked)
    parseChoice(
      name,
      known.map((feature) => feature.name),
      '--features',
      'feature',
    );
  const wanted = new Set(
    known.filter(({ name }) => asked.includes(name)).flatMap(({ name, needs = [] }) => [name, ...needs]),
  );
  for (const { name, method } of known) {
    if (!wanted.has(name) || method === undefined) continue;
    if (newestRevision({ revisions }).methods.includes(method)) continue;
    throw new McpgenError(`revision ${newestRevision({ revisions }).revision} has no ${name}`, {
      place: '--features',
      remedy: 'Omit it, or choose a newer revision.',
    });
  }
  if (wanted.has('completion') && !wanted.has('prompts') && !wanted.has('resources')) {
    throw new McpgenError('completion needs prompts or resources, and neither is chosen', {
      place: '--features',
      remedy: 'Add prompts or resources.',
    });
  }
  return known.map(({ name }) => name).filter((name) => wanted.has(name));
}

/**
 * A word that must be one of several.
 *
 * @throws {@link McpgenError} that names them.
 */
export function parseChoice<T extends string>(word: string, known: readonly T[], place: string, noun: string): T {
  const found = known.find((item) => item === word);
  if (found !== undefined) return found;
  const near = closestMatch(word, known);
  throw new McpgenError(`there is no ${noun} ${JSON.stringify(word)}`, {
    place,
    remedy: near === undefined ? `There are ${known.join(', ')}.` : `Did you mean ${near}?`,
  });
}

/**
 * What a runtime is chosen by, in the words of its user: `sdk-v2` is `sdk`.
 *
 * @throws {@link McpgenError} if there is none of that name.
 */
export function parseRuntime(word: string): RuntimeName {
  return word === 'sdk-v2' ? 'sdk' : parseChoice(word, RUNTIME_NAMES, '--runtime', 'runtime');
}

/** What decides which revisions go over HTTP. */
export type HttpChoice = Pick<Selection, 'kind' | 'runtime' | 'transports' | 'revisions'>;

/**
 * Whether only revisions that begin with `initialize` go over HTTP: the official SDK's transports of servers wait for a
 * session, and that of clients of 1.x sends none of the headers that a stateless revision asks for. Over stdio nothing
 * depends on the revision.
 */
export function hasSessionsOnly({ kind, runtime, transports }: HttpChoice): boolean {
  return transports.includes('http') && (runtime === 'sdk-v1' || (runtime === 'sdk' && kind === 'server'));
}

/** What is wrong with answers that do not go together; undefined if nothing is. */
export function combinationError(choice: HttpChoice): McpgenError | undefined {
  const { kind, runtime, revisions } = choice;
  if (!hasSessionsOnly(choice) || revisions.some(({ isStateless }) => !isStateless)) return undefined;
  const others = kind === 'client' ? 'none or sdk' : 'none';
  return new McpgenError(
    'this transport of the official SDK supports only revisions that begin with `initialize`, and none is chosen',
    {
      place: `--runtime ${runtime} --transport http`,
      remedy: `Use --runtime ${others}, or add a revision up to 2025-11-25.`,
    },
  );
}
