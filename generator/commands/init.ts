import { existsSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import validateName from 'validate-npm-package-name';
import { EMITTABLE, DEFAULT_PARTS, type Emittable } from '../emit/parts.js';
import { McpgenError } from '../errors.js';
import { renderAll } from '../index.js';
import { layOutFile } from '../output/format.js';
import { planChanges, type FileChange, type PlannedFile } from '../output/plan.js';
import { hasUnfinishedMove, leftoversIn, writeProject } from '../output/write.js';
import { builtinCatalog, builtinRevisions, requireRevision } from '../read/builtin.js';
import { ownPackage, ownSpec } from '../read/own-package.js';
import type { JsonValue } from '../read/json.js';
import { readTemplateProject } from '../read/template-project.js';
import { readToolFiles, type ToolSource } from '../read/tools.js';
import { compose, partsOf } from '../scaffold/compose.js';
import { managerFiles } from '../scaffold/package-manager.js';
import {
  bareName,
  combinationFault,
  defaultFeatures,
  featuresOf,
  oneOf,
  PACKAGE_MANAGERS,
  runtimeOf,
  type RuntimeName,
  TRANSPORTS,
  type Kind,
  type KnownRevision,
  type PackageManager,
  type Selection,
  type TransportName,
} from '../scaffold/selection.js';
import { note, noteColour, progress, sayJson } from '../terminal.js';
import { noteWarning } from './changes.js';
import { initGit, install, versionOf } from './init-install.js';
import { installCommand, sayOutcome, summaryOf, type Outcome } from './init-report.js';
import { readServer, TOOL_LIST, toolOrigin } from './init-tools.js';
import { flag, list, optionOf, text, texts } from './options.js';

/** Exit code of a program that Ctrl-C ended. */
const INTERRUPTED = 130;
/** Existing files that a message names. */
const SHOWN = 5;

/** `mcpgen init server` and `mcpgen init client`. Returns the exit code. */
export async function initCommand(
  kind: Kind,
  given: string | undefined,
  flags: Record<string, unknown>,
): Promise<number> {
  const origin = toolOrigin(flags);
  let selection: Selection;
  try {
    selection = await selectionOf(kind, given, flags, origin?.server?.transport);
  } catch (error) {
    // As the library of the questions says that one was left by Ctrl-C.
    if (!(error instanceof Error) || error.name !== 'ExitPromptError') throw error;
    note('nothing was written');
    return INTERRUPTED;
  }
  const folder = path.resolve(text(flags, 'dir') ?? bareName(selection.packageName));
  refuseTarget(folder, flag(flags, 'force'));
  const server = origin === undefined ? undefined : await readServer(origin, selection, folder, flags);
  if (server !== undefined) selection = { ...selection, listed: server.listed };
  const managerVersion = await versionOf(selection.packageManager);
  if (managerVersion !== undefined) selection = { ...selection, managerVersion };
  const isDry = flag(flags, 'dryRun');
  progress('writing ...');
  const changes = await planProject(selection, folder, text(flags, 'mcpgen'), server?.tools);
  if (!isDry) writeProject(folder, changes);
  progress('');
  const hasGit = !isDry && flags['git'] !== false && (await initGit(folder));
  const manager = selection.packageManager;
  const isInstalled = !isDry && flags['install'] !== false;
  const failure = isInstalled ? await install(selection, folder) : undefined;
  const done: Outcome = { selection, folder, changes, isDry, hasGit, isInstalled, failure };
  if (flag(flags, 'json')) sayJson(summaryOf(done));
  else sayOutcome(done);
  if (failure === undefined) return 0;
  note(
    `${noteColour.red('error')}: the project is written, but ${manager} could not install it: ${failure}\n  Run it again: ${installCommand(done)}`,
  );
  return 1;
}

/** The answers that flags give, and where they give none, a person or the defaults. */
async function selectionOf(
  kind: Kind,
  given: string | undefined,
  flags: Record<string, unknown>,
  needed?: TransportName,
): Promise<Selection> {
  const released = builtinRevisions().filter(({ status }) => status === 'released');
  // What was given is looked at before anything is asked.
  if (given !== undefined) refuseName(given);
  const answers = {
    revisions: texts(flags, 'revision'),
    features: list(flags, 'features'),
    transports: list(flags, 'transport') ?? (needed === undefined ? undefined : [needed]),
    runtime: text(flags, 'runtime'),
    packageManager: text(flags, 'packageManager'),
  };
  for (const name of answers.revisions) requireRevision(name);
  for (const name of answers.transports ?? []) oneOf(name, TRANSPORTS, '--transport', 'transport');
  if (answers.runtime !== undefined) runtimeOf(answers.runtime);
  if (needed !== undefined && answers.transports?.includes(needed) !== true) {
    throw new McpgenError(`the server of the client is reached over ${needed}, which is not among its transports`, {
      place: '--transport',
      remedy: `Add ${needed}, or leave it out.`,
    });
  }
  const defaults = {
    revisions: released.map(({ revision }) => revision),
    features: defaultFeatures(kind),
    transports: ['stdio'] as readonly string[],
    runtime: 'none',
    packageManager: callingManager(),
  };
  const isAsked = !flag(flags, 'yes') && process.stdin.isTTY && process.stderr.isTTY;
  if (!isAsked) refuseMissing(kind, given, { ...flags, transport: answers.transports });
  const ask = isAsked ? await import('./init-questions.js') : undefined;
  const packageName = given ?? (await ask?.askName(kind, nameFault)) ?? '';
  const revisionNames =
    answers.revisions.length > 0
      ? answers.revisions
      : ((await ask?.askRevisions(released.map(({ revision }) => revision))) ?? defaults.revisions);
  const revisions = [...new Set(revisionNames)].sort().map(knownRevision);
  const featureNames = answers.features ?? (await ask?.askFeatures(kind)) ?? defaults.features;
  const transportNames = answers.transports ?? (await ask?.askTransports(kind)) ?? defaults.transports;
  const transports = TRANSPORTS.filter((name) => transportNames.includes(name));
  const fits = (runtime: RuntimeName): boolean =>
    combinationFault({ kind, runtime, transports, revisions }) === undefined;
  const runtime = answers.runtime ?? (await ask?.askRuntime(fits)) ?? defaults.runtime;
  const packageManager =
    answers.packageManager ??
    (flags['install'] === false ? undefined : await ask?.askPackageManager(defaults.packageManager)) ??
    defaults.packageManager;
  const selection: Selection = {
    kind,
    packageName,
    revisions,
    features: featuresOf(kind, featureNames[0] === 'none' && featureNames.length === 1 ? [] : featureNames, revisions),
    transports,
    runtime: runtimeOf(runtime),
    packageManager: oneOf<PackageManager>(packageManager, PACKAGE_MANAGERS, '--package-manager', 'package manager'),
  };
  const fault = combinationFault(selection);
  if (fault !== undefined) throw fault;
  return selection;
}

/** The package manager that runs us, as it says itself. */
function callingManager(): PackageManager {
  const name = process.env['npm_config_user_agent']?.split('/')[0];
  return PACKAGE_MANAGERS.find((manager) => manager === name) ?? 'npm';
}

function refuseMissing(kind: Kind, given: string | undefined, flags: Record<string, unknown>): void {
  if (given === undefined) {
    throw new McpgenError('the name of the package is missing', {
      remedy: `Give it: mcpgen init ${kind} NAME.`,
    });
  }
  if (flag(flags, 'yes')) return;
  const missing = ['revision', 'features', 'transport', 'runtime', 'packageManager'].filter(
    (name) => flags[name] === undefined,
  );
  if (missing.length === 0) return;
  const named = missing.map(optionOf).join(', ');
  throw new McpgenError('there is no terminal to ask on, and an answer is missing', {
    place: named,
    remedy: 'Give it, or --yes for the defaults of all.',
  });
}

function knownRevision(name: string): KnownRevision {
  const { revision } = requireRevision(name);
  const catalog = builtinCatalog(revision);
  return {
    revision,
    isStateless: catalog.lifecycle === 'stateless',
    methods: catalog.methods.map(({ method }) => method),
  };
}

/** What is wrong with the name of a package; undefined if nothing is. */
function nameFault(name: string): string | undefined {
  const { validForNewPackages, errors = [], warnings = [] } = validateName(name);
  return validForNewPackages ? undefined : [...errors, ...warnings].join('; ');
}

function refuseName(name: string): void {
  const fault = nameFault(name);
  if (fault === undefined) return;
  throw new McpgenError(`${JSON.stringify(name)} cannot be the name of a package: ${fault}`, {
    place: 'NAME',
    remedy: 'Take small letters, digits and hyphens, as in demo or @scope/demo. Where to write it is --dir.',
  });
}

/** A folder that holds something is not written into, unless that is wanted. */
function refuseTarget(folder: string, force: boolean): void {
  let entries: readonly string[];
  try {
    if (!existsSync(folder)) {
      if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
      throw new McpgenError('this symbolic link leads nowhere', { place: folder, remedy: 'Remove it.' });
    }
    // What a killed run left is cleared when this one writes, and a project that it had begun to move here is finished.
    const left = leftoversIn(folder);
    entries = hasUnfinishedMove(folder)
      ? []
      : readdirSync(folder).filter((name) => name !== '.git' && !left.includes(name));
  } catch (error) {
    if (error instanceof McpgenError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new McpgenError(code === 'ENOTDIR' ? 'this is a file, not a folder' : `the folder cannot be read (${code})`, {
      place: folder,
      remedy: 'Choose another folder with --dir.',
      cause: error,
    });
  }
  if (entries.length === 0 || force) return;
  const more = entries.length > SHOWN ? `, and ${entries.length - SHOWN} more` : '';
  throw new McpgenError(`the folder is not empty: ${entries.slice(0, SHOWN).join(', ')}${more}`, {
    place: folder,
    remedy: 'Choose another with --dir, or give --force: existing files stay as they are.',
  });
}

async function planProject(
  selection: Selection,
  folder: string,
  own: string | undefined,
  tools: readonly ToolSource[] | undefined,
): Promise<readonly FileChange[]> {
  const packages = { ranges: ownPackage().ranges, own: own ?? ownSpec(folder) };
  const authored = compose(readTemplateProject(selection.kind), selection, packages);
  const files: PlannedFile[] = [];
  const settings = managerFiles(selection);
  for (const [name, contents] of authored) {
    if (settings.has(name) && isInFolderAbove(name, folder)) continue;
    // The list of tools stays as it is written whenever it is brought up to date.
    const text = name === TOOL_LIST ? contents : await layOutFile(contents, name);
    files.push({ path: name, contents: text, belongsToUser: true });
  }
  const { files: generated, warnings } = await renderAll({
    revisions: selection.revisions.map(({ revision }) => revision),
    emit: partsOf(selection).flatMap((part): readonly Emittable[] =>
      part === 'default' ? DEFAULT_PARTS : EMITTABLE.filter((known) => known === part),
    ),
    ...(selection.kind === 'server' ? { tools: await toolsIn(folder, authored) } : {}),
    ...(tools === undefined ? {} : { tools }),
    out: path.join(folder, 'src/generated'),
  });
  if (tools !== undefined) {
    progress('');
    for (const warning of warnings) noteWarning(warning);
  }
  return planChanges(folder, [...files, ...generated.map((file) => ({ ...file, path: `src/generated/${file.path}` }))]);
}

/** Whether a folder above has a file of this name, as the root of a workspace does. */
function isInFolderAbove(name: string, folder: string): boolean {
  const above = path.dirname(folder);
  return above !== folder && (existsSync(path.join(above, name)) || isInFolderAbove(name, above));
}

/** The tools of the project: what the author has there already stays, and comes first. */
async function toolsIn(folder: string, authored: ReadonlyMap<string, string>): Promise<readonly ToolSource[]> {
  const { tools: existing } = await readToolFiles(['src/tools/*.input.json', 'src/tools/*.output.json'], folder);
  const added = [...authored].flatMap(([file, contents]): ToolSource[] => {
    const name = /^src\/tools\/(.+)\.input\.json$/.exec(file)?.[1];
    if (name === undefined || existing.some((tool) => tool.name === name)) return [];
    const input = JSON.parse(contents) as JsonValue;
    return [{ name, input, places: { input: file, output: '' }, isOwn: true }];
  });
  return [...existing, ...added].sort((a, b) => (a.name < b.name ? -1 : 1));
}
