import { McpgenError } from '../../errors.js';
import { closestMatch } from '../../text.js';

/** What can be scaffolded. */
export const PROJECT_KINDS = ['server', 'client'] as const;
export type ProjectKind = (typeof PROJECT_KINDS)[number];

/** The features of each kind, with their requirements and descriptions. */
export interface Feature {
  readonly name: string;
  readonly text: string;
  /** Features that it requires. */
  readonly needs?: readonly string[];
  /** The method that it requires of a revision. */
  readonly method?: string;
  /** The extension that it requires of one of the revisions. */
  readonly extension?: string;
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
    {
      name: 'app',
      text: 'a tool whose result is shown in a page (MCP Apps)',
      needs: ['tools', 'resources'],
      extension: 'io.modelcontextprotocol/ui',
    },
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
 * The source of transports: the generated runtime, or the official SDK below the generated endpoints; `sdk` is version
 * 2.x,
 * `sdk-v1` is 1.x.
 */
export const RUNTIME_NAMES = ['none', 'sdk', 'sdk-v1'] as const;
export type RuntimeName = (typeof RUNTIME_NAMES)[number];

/** Where a server over HTTP keeps sessions: in the memory of its process, or in Redis, for any number of processes. */
export const STORE_NAMES = ['memory', 'redis'] as const;
export type StoreName = (typeof STORE_NAMES)[number];

/** How a server writes its schemas: in JSON files, or next to each tool in the words of a library. */
export const SCHEMA_NOTATIONS = ['json', 'zod', 'valibot', 'arktype'] as const;
export type SchemaNotation = (typeof SCHEMA_NOTATIONS)[number];

export const PACKAGE_MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const;
export type PackageManager = (typeof PACKAGE_MANAGERS)[number];

/** The command that runs a program of an installed package. */
export const RUNNERS: Readonly<Record<PackageManager, string>> = {
  npm: 'npx',
  pnpm: 'pnpm exec',
  yarn: 'yarn',
  bun: 'bunx',
};

/** An available revision. */
export interface KnownRevision {
  readonly revision: string;
  readonly isStateless: boolean;
  /** Names of its methods, including embedded ones. */
  readonly methods: readonly string[];
  /** Identifiers of the built-in extensions that can be added to it. */
  readonly extensions: readonly string[];
}

/** Everything that determines the written files. */
export interface Selection {
  readonly kind: ProjectKind;
  /** The npm name: `demo` or `@scope/demo`. */
  readonly packageName: string;
  /** Sorted, at least one. */
  readonly revisions: readonly KnownRevision[];
  readonly features: readonly string[];
  readonly transports: readonly TransportName[];
  readonly runtime: RuntimeName;
  /** How a server writes its schemas; clients have none. */
  readonly schemas: SchemaNotation;
  /** Where a server keeps sessions; `memory` for clients. */
  readonly store: StoreName;
  readonly packageManager: PackageManager;
  /** The installed version of the package manager, if package.json should have it. */
  readonly managerVersion?: string;
  /** The server that the client calls, if its tools are known. */
  readonly listed?: ListedServer;
}

/** A server whose tools are known. */
export interface ListedServer {
  /** Its URL, or its command with arguments, relative to the project; empty if unknown. */
  readonly target: readonly string[];
  /** Its response to `tools/list`, as the text of a file. */
  readonly toolList: string;
  /** Whether regular expressions of the tools' schemas are used unchecked. */
  readonly trustPatterns?: boolean;
  /** Whether `nullable` of OpenAPI 3.0 allows null in them. */
  readonly nullable?: boolean;
  /** An example call; members are TypeScript code unless noted. */
  readonly example: {
    /** The name of the tool, as plain text. */
    readonly name: string;
    readonly method: string;
    /** Undefined if none are required. */
    readonly args: string | undefined;
    /** Undefined if it has no structured content. */
    readonly output: string | undefined;
    /** Whether both match the schemas. */
    readonly isValid: boolean;
  };
}

/** The name without its scope, for the program and the folder. */
export function unscopedName(packageName: string): string {
  return packageName.replace(/^@[^/]+\//, '');
}

/** Leaves room for what is appended to the name, of which Kubernetes allows 63 characters. */
const MAX_SERVICE_NAME_LENGTH = 40;

/**
 * The name for images and in Kubernetes, where it must be a label of RFC 1035: lowercase letters, digits and hyphens,
 * beginning with a letter.
 */
export function serviceName(packageName: string): string {
  const label = unscopedName(packageName)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^(?=-?\d)/, 'mcp-')
    .slice(0, MAX_SERVICE_NAME_LENGTH)
    .replaceAll(/^-+|-+$/g, '')
    .replaceAll(/--+/g, '-');
  return label === '' ? 'mcp-server' : label;
}

/** The newest selected revision, whose types the code uses. */
export function newestRevision({ revisions }: Pick<Selection, 'revisions'>): KnownRevision {
  const last = revisions.at(-1);
  if (last === undefined) throw new RangeError('no revision chosen');
  return last;
}

/** Identifiers of the extensions that the selected features require. */
export function requiredExtensions({ kind, features }: Pick<Selection, 'kind' | 'features'>): readonly string[] {
  return FEATURES[kind].flatMap(({ name, extension }) =>
    extension === undefined || !features.includes(name) ? [] : [extension],
  );
}

/** The default features. */
export function defaultFeatures(kind: ProjectKind): readonly string[] {
  return FEATURES[kind].filter(({ isDefault }) => isDefault === true).map(({ name }) => name);
}

/**
 * The requested features with their requirements, in a fixed order.
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
  for (const { name, extension } of known) {
    if (!wanted.has(name) || extension === undefined) continue;
    if (newestRevision({ revisions }).extensions.includes(extension)) continue;
    throw new McpgenError(`${extension} does not extend revision ${newestRevision({ revisions }).revision}`, {
      place: `--features ${name}`,
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
 * Parses one of several words.
 *
 * @throws {@link McpgenError} with the list of words.
 */
export function parseChoice<T extends string>(word: string, known: readonly T[], place: string, noun: string): T {
  const found = known.find((item) => item === word);
  if (found !== undefined) return found;
  const near = closestMatch(word, known);
  throw new McpgenError(`there is no ${noun} ${JSON.stringify(word)}`, {
    place,
    remedy: `${near === undefined ? '' : `Did you mean ${near}? `}There are ${known.join(', ')}.`,
  });
}

/**
 * Parses the name of a runtime: `sdk-v2` is an alias of `sdk`.
 *
 * @throws {@link McpgenError} if it does not exist.
 */
export function parseRuntime(word: string): RuntimeName {
  return word === 'sdk-v2' ? 'sdk' : parseChoice(word, RUNTIME_NAMES, '--runtime', 'runtime');
}

/** The choices that decide which revisions work over HTTP. */
export type HttpChoice = Pick<Selection, 'kind' | 'runtime' | 'transports' | 'revisions'>;

/**
 * Whether only revisions that begin with `initialize` work over HTTP: the server transports of the official SDK wait for a
 * session, and the client transport of 1.x does not send the headers that stateless revisions require. Stdio has no such
 * limit.
 */
export function hasSessionsOnly({ kind, runtime, transports }: HttpChoice): boolean {
  return transports.includes('http') && (runtime === 'sdk-v1' || (runtime === 'sdk' && kind === 'server'));
}

/** What is wrong with answers that do not go together; undefined if nothing is. */
export function combinationError(choice: HttpChoice & Pick<Selection, 'store'>): McpgenError | undefined {
  return storeError(choice) ?? revisionError(choice);
}

function storeError({ store, transports, runtime }: HttpChoice & Pick<Selection, 'store'>): McpgenError | undefined {
  if (store === 'memory') return undefined;
  if (!transports.includes('http')) {
    return new McpgenError('only servers over HTTP have sessions to store', {
      place: `--store ${store} --transport ${transports.join(',')}`,
      remedy: 'Add http to the transports, or omit --store.',
    });
  }
  if (runtime === 'none') return undefined;
  return new McpgenError('the transports of the official SDK keep sessions in memory only', {
    place: `--store ${store} --runtime ${runtime}`,
    remedy: 'Use --runtime none, or omit --store.',
  });
}

function revisionError(choice: HttpChoice): McpgenError | undefined {
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
