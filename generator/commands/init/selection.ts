/**
 * Selects the project to write in four steps: options, defaults, questions, validation.
 */
import validateName from 'validate-npm-package-name';
import { optionFlag } from '../../command-line.js';
import { McpgenError } from '../../errors.js';
import { builtinExtensions, requireExtensionCatalog } from '../../read/builtin/extensions.js';
import { builtinCatalog, builtinRevisions, requireRevision } from '../../read/builtin/revisions.js';
import {
  combinationError,
  defaultFeatures,
  parseFeatures,
  PACKAGE_MANAGERS,
  TRANSPORT_NAMES,
  type KnownRevision,
  type PackageManager,
  type ProjectKind,
  type RuntimeName,
  type Selection,
  type StoreName,
  type TransportName,
} from '../../scaffold/project/selection.js';
import type { GivenAnswers, InitOptions } from './options.js';

/** All answers, not yet validated together. */
interface Answers {
  readonly packageName: string;
  readonly revisions: readonly string[];
  readonly features: readonly string[];
  readonly transports: readonly TransportName[];
  readonly runtime: RuntimeName;
  readonly store: StoreName;
  readonly packageManager: PackageManager;
}

/**
 * The project to write: from options, then from defaults or prompts.
 *
 * @param requiredTransport - The transport of the server that the client calls.
 * @throws {@link McpgenError} if options are missing or contradict each other.
 */
export async function resolveSelection(
  kind: ProjectKind,
  packageName: string | undefined,
  options: InitOptions,
  requiredTransport: TransportName | undefined,
): Promise<Selection> {
  if (packageName !== undefined) refusePackageName(packageName);
  const given = withRequiredTransport(options.answers, requiredTransport);
  const defaults = defaultAnswers(kind, (options.fromServer ?? options.tools) !== undefined, given.store);
  const isInteractive = !options.yes && process.stdin.isTTY && process.stderr.isTTY;
  if (isInteractive) {
    const answers = await askMissing(kind, packageName, given, defaults, options.install);
    return validateSelection(kind, answers, options);
  }
  if (packageName === undefined) throw missingNameError(kind);
  if (!options.yes) refuseMissingOptions(given);
  const answers: Answers = {
    packageName,
    revisions: given.revisions ?? defaults.revisions,
    features: given.features ?? defaults.features,
    transports: given.transports ?? defaults.transports,
    runtime: given.runtime ?? defaults.runtime,
    store: given.store ?? defaults.store,
    packageManager: given.packageManager ?? defaults.packageManager,
  };
  return validateSelection(kind, answers, options);
}

/** The given options, with the transport of the server that the client calls. */
function withRequiredTransport(given: GivenAnswers, required: TransportName | undefined): GivenAnswers {
  if (required === undefined) return given;
  const { transports = [required] } = given;
  if (transports.includes(required)) return { ...given, transports };
  throw new McpgenError(`the server needs the transport ${required}, which is not among those of the client`, {
    place: '--transport',
    remedy: `Add ${required}, or omit --transport.`,
  });
}

/**
 * @param isForServer - Whether the client is for a given server, which may behave differently if it gets folders.
 * @param store - Where sessions are kept, if that is given: only servers over HTTP have sessions.
 */
function defaultAnswers(
  kind: ProjectKind,
  isForServer: boolean,
  store: StoreName = 'memory',
): Omit<Answers, 'packageName'> {
  return {
    revisions: releasedRevisions(),
    features: isForServer ? ['none'] : defaultFeatures(kind),
    transports: [store === 'memory' ? 'stdio' : 'http'],
    runtime: 'none',
    store,
    packageManager: callingPackageManager(),
  };
}

/** Prompts for the missing options. */
async function askMissing(
  kind: ProjectKind,
  packageName: string | undefined,
  given: GivenAnswers,
  defaults: Omit<Answers, 'packageName'>,
  willInstall: boolean,
): Promise<Answers> {
  const ask = await import('./questions.js');
  const name = packageName ?? (await ask.askName(kind, packageNameError));
  const revisions = given.revisions ?? (await ask.askRevisions(releasedRevisions()));
  const features = given.features ?? (await ask.askFeatures(kind, defaults.features));
  const transports = given.transports ?? (await ask.askTransports(kind));
  const known = knownRevisions(revisions);
  const isAllowed = (runtime: RuntimeName): boolean =>
    combinationError({ kind, runtime, transports, revisions: known, store: 'memory' }) === undefined;
  // Only the generated code can share sessions.
  const onlyRuntime = given.store === 'redis' ? 'none' : undefined;
  const runtime = given.runtime ?? onlyRuntime ?? (await ask.askRuntime(isAllowed));
  const hasChoice = kind === 'server' && transports.includes('http') && runtime === 'none';
  const store = given.store ?? (hasChoice ? await ask.askStore() : defaults.store);
  const packageManager =
    given.packageManager ??
    (willInstall ? await ask.askPackageManager(defaults.packageManager) : defaults.packageManager);
  return { packageName: name, revisions, features, transports, runtime, store, packageManager };
}

/** @throws {@link McpgenError} if the options contradict each other. */
function validateSelection(kind: ProjectKind, answers: Answers, { schemas }: InitOptions): Selection {
  const { packageName, runtime, store, packageManager } = answers;
  const revisions = knownRevisions(answers.revisions);
  const [feature, second] = answers.features;
  const selection: Selection = {
    kind,
    packageName,
    revisions,
    features: parseFeatures(kind, feature === 'none' && second === undefined ? [] : answers.features, revisions),
    transports: TRANSPORT_NAMES.filter((name) => answers.transports.includes(name)),
    runtime,
    schemas,
    store,
    packageManager,
  };
  const conflict = combinationError(selection);
  if (conflict !== undefined) throw conflict;
  return selection;
}

function releasedRevisions(): readonly string[] {
  return builtinRevisions()
    .filter(({ status }) => status === 'released')
    .map(({ revision }) => revision);
}

/** The package manager that runs mcpgen, from its user agent. */
function callingPackageManager(): PackageManager {
  const name = process.env['npm_config_user_agent']?.split('/')[0];
  return PACKAGE_MANAGERS.find((manager) => manager === name) ?? 'npm';
}

function missingNameError(kind: ProjectKind): McpgenError {
  return new McpgenError('the package name is missing', { remedy: `Pass it: mcpgen init ${kind} NAME.` });
}

/** Outside a terminal there are no prompts, so every option without a default is required. */
function refuseMissingOptions(given: GivenAnswers): void {
  const flagByAnswer: Readonly<Record<Exclude<keyof GivenAnswers, 'store'>, string>> = {
    revisions: 'revision',
    features: 'features',
    transports: 'transport',
    runtime: 'runtime',
    packageManager: 'packageManager',
  };
  const missing = (Object.keys(flagByAnswer) as (keyof typeof flagByAnswer)[]).filter(
    (name) => given[name] === undefined,
  );
  if (missing.length === 0) return;
  throw new McpgenError('not running in a terminal, so these options are required', {
    place: missing.map((name) => optionFlag(flagByAnswer[name])).join(', '),
    remedy: 'Pass them, or --yes for the defaults.',
  });
}

/** Revisions by their names, sorted. */
function knownRevisions(names: readonly string[]): readonly KnownRevision[] {
  return [...new Set(names)].sort().map((name) => {
    const { revision } = requireRevision(name);
    const catalog = builtinCatalog(revision);
    return {
      revision,
      isStateless: catalog.lifecycle === 'stateless',
      methods: catalog.methods.map(({ method }) => method),
      extensions: builtinExtensions()
        .map(({ extension }) => extension)
        .filter((id) => requireExtensionCatalog(id).extends.includes(revision)),
    };
  });
}

/** What is wrong with the name of a package; undefined if nothing is. */
function packageNameError(name: string): string | undefined {
  const { validForNewPackages, errors = [], warnings = [] } = validateName(name);
  return validForNewPackages ? undefined : [...errors, ...warnings].join('; ');
}

function refusePackageName(name: string): void {
  const fault = packageNameError(name);
  if (fault === undefined) return;
  throw new McpgenError(`${JSON.stringify(name)} is not a valid package name: ${fault}`, {
    place: 'NAME',
    remedy: 'Use lowercase letters, digits and hyphens, as in demo or @scope/demo. Use --dir to choose the folder.',
  });
}
