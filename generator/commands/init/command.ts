import { existsSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import validateName from 'validate-npm-package-name';
import { EMITTABLE, DEFAULT_PARTS, type Emittable } from '../../emit/parts.js';
import { optionFlag } from '../../command-line.js';
import { McpgenError } from '../../errors.js';
import { renderAll } from '../../index.js';
import { formatProjectFile } from '../../output/format.js';
import { planChanges, type FileChange, type PlannedFile } from '../../output/plan.js';
import { hasUnfinishedMove, staleStagedFiles, writeProject } from '../../output/write.js';
import { builtinCatalog, builtinRevisions, requireRevision } from '../../read/builtin/revisions.js';
import { readMcpgenPackage, mcpgenSpec } from '../../read/builtin/own-package.js';
import type { JsonValue } from '../../read/json/json.js';
import { readTemplateProject } from '../../read/builtin/template-project.js';
import { readToolFiles, type ToolSource } from '../../read/tools.js';
import { composeProject, generatedParts } from '../../scaffold/project/compose.js';
import { managerFiles } from '../../scaffold/project/package-manager.js';
import {
  unscopedName,
  combinationError,
  defaultFeatures,
  parseFeatures,
  parseChoice,
  PACKAGE_MANAGERS,
  parseRuntime,
  type RuntimeName,
  TRANSPORT_NAMES,
  type ProjectKind,
  type KnownRevision,
  type PackageManager,
  type Selection,
  type TransportName,
} from '../../scaffold/project/selection.js';
import { printToStderr, stderrColors, showProgress, printJson } from '../../terminal.js';
import { printWarning } from '../shared/file-changes.js';
import { initGitRepository, installDependencies, packageManagerVersion } from './install.js';
import { installCommandLine, printInitResult, initResultJson, type InitResult } from './report.js';
import { readToolListSource, TOOL_LIST_FILE, toolListSource } from './tools.js';
import { booleanOption, listOption, stringOption, stringsOption } from '../shared/options.js';

/** Exit code of a program that Ctrl-C ended. */
const EXIT_INTERRUPTED = 130;
/** Existing files that a message names. */
const MAX_SHOWN_ENTRIES = 5;

/** `mcpgen init server` and `mcpgen init client`. Returns the exit code. */
export async function initCommand(
  kind: ProjectKind,
  requestedName: string | undefined,
  flags: Record<string, unknown>,
): Promise<number> {
  const origin = toolListSource(flags);
  let selection: Selection;
  try {
    selection = await resolveSelection(kind, requestedName, flags, origin?.server?.transport);
  } catch (error) {
    // As the library of the questions says that one was left by Ctrl-C.
    if (!(error instanceof Error) || error.name !== 'ExitPromptError') throw error;
    printToStderr('nothing was written');
    return EXIT_INTERRUPTED;
  }
  const folder = path.resolve(stringOption(flags, 'dir') ?? unscopedName(selection.packageName));
  refuseTargetFolder(folder, booleanOption(flags, 'force'));
  const server = origin === undefined ? undefined : await readToolListSource(origin, selection, folder, flags);
  if (server !== undefined) selection = { ...selection, listed: server.listed };
  const managerVersion = await packageManagerVersion(selection.packageManager);
  if (managerVersion !== undefined) selection = { ...selection, managerVersion };
  const isDry = booleanOption(flags, 'dryRun');
  showProgress('writing ...');
  const changes = await planProject(selection, folder, stringOption(flags, 'mcpgen'), server?.tools);
  if (!isDry) writeProject(folder, changes);
  showProgress('');
  const hasGit = !isDry && flags['git'] !== false && (await initGitRepository(folder));
  const manager = selection.packageManager;
  const isInstalled = !isDry && flags['install'] !== false;
  const failure = isInstalled ? await installDependencies(selection, folder) : undefined;
  const result: InitResult = { selection, folder, changes, isDry, hasGit, isInstalled, failure };
  if (booleanOption(flags, 'json')) printJson(initResultJson(result));
  else printInitResult(result);
  if (failure === undefined) return 0;
  printToStderr(
    `${stderrColors.red('error')}: the project is written, but ${manager} could not install it: ${failure}\n  Run it again: ${installCommandLine(result)}`,
  );
  return 1;
}

/** The answers that flags give, and where they give none, a person or the defaults. */
async function resolveSelection(
  kind: ProjectKind,
  requestedName: string | undefined,
  flags: Record<string, unknown>,
  requiredTransport?: TransportName,
): Promise<Selection> {
  const released = builtinRevisions().filter(({ status }) => status === 'released');
  // What was given is looked at before anything is asked.
  if (requestedName !== undefined) refusePackageName(requestedName);
  const answers = {
    revisions: stringsOption(flags, 'revision'),
    features: listOption(flags, 'features'),
    transports: listOption(flags, 'transport') ?? (requiredTransport === undefined ? undefined : [requiredTransport]),
    runtime: stringOption(flags, 'runtime'),
    packageManager: stringOption(flags, 'packageManager'),
  };
  for (const name of answers.revisions) requireRevision(name);
  for (const name of answers.transports ?? []) parseChoice(name, TRANSPORT_NAMES, '--transport', 'transport');
  if (answers.runtime !== undefined) parseRuntime(answers.runtime);
  if (requiredTransport !== undefined && answers.transports?.includes(requiredTransport) !== true) {
    throw new McpgenError(
      `the server of the client is reached over ${requiredTransport}, which is not among its transports`,
      {
        place: '--transport',
        remedy: `Add ${requiredTransport}, or leave it out.`,
      },
    );
  }
  const defaults = {
    revisions: released.map(({ revision }) => revision),
    features: defaultFeatures(kind),
    transports: ['stdio'] as readonly string[],
    runtime: 'none',
    packageManager: callingPackageManager(),
  };
  const isAsked = !booleanOption(flags, 'yes') && process.stdin.isTTY && process.stderr.isTTY;
  if (!isAsked) refuseMissingOptions(kind, requestedName, { ...flags, transport: answers.transports });
  const ask = isAsked ? await import('./questions.js') : undefined;
  const packageName = requestedName ?? (await ask?.askName(kind, packageNameError)) ?? '';
  const revisionNames =
    answers.revisions.length > 0
      ? answers.revisions
      : ((await ask?.askRevisions(released.map(({ revision }) => revision))) ?? defaults.revisions);
  const revisions = [...new Set(revisionNames)].sort().map(knownRevision);
  const featureNames = answers.features ?? (await ask?.askFeatures(kind)) ?? defaults.features;
  const transportNames = answers.transports ?? (await ask?.askTransports(kind)) ?? defaults.transports;
  const transports = TRANSPORT_NAMES.filter((name) => transportNames.includes(name));
  const isAllowed = (runtime: RuntimeName): boolean =>
    combinationError({ kind, runtime, transports, revisions }) === undefined;
  const runtime = answers.runtime ?? (await ask?.askRuntime(isAllowed)) ?? defaults.runtime;
  const packageManager =
    answers.packageManager ??
    (flags['install'] === false ? undefined : await ask?.askPackageManager(defaults.packageManager)) ??
    defaults.packageManager;
  const selection: Selection = {
    kind,
    packageName,
    revisions,
    features: parseFeatures(
      kind,
      featureNames[0] === 'none' && featureNames.length === 1 ? [] : featureNames,
      revisions,
    ),
    transports,
    runtime: parseRuntime(runtime),
    packageManager: parseChoice<PackageManager>(
      packageManager,
      PACKAGE_MANAGERS,
      '--package-manager',
      'package manager',
    ),
  };
  const conflict = combinationError(selection);
  if (conflict !== undefined) throw conflict;
  return selection;
}

/** The package manager that runs us, as it says itself. */
function callingPackageManager(): PackageManager {
  const name = process.env['npm_config_user_agent']?.split('/')[0];
  return PACKAGE_MANAGERS.find((manager) => manager === name) ?? 'npm';
}

function refuseMissingOptions(
  kind: ProjectKind,
  requestedName: string | undefined,
  flags: Record<string, unknown>,
): void {
  if (requestedName === undefined) {
    throw new McpgenError('the name of the package is missing', {
      remedy: `Give it: mcpgen init ${kind} NAME.`,
    });
  }
  if (booleanOption(flags, 'yes')) return;
  const missing = ['revision', 'features', 'transport', 'runtime', 'packageManager'].filter(
    (name) => flags[name] === undefined,
  );
  if (missing.length === 0) return;
  const named = missing.map(optionFlag).join(', ');
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
function packageNameError(name: string): string | undefined {
  const { validForNewPackages, errors = [], warnings = [] } = validateName(name);
  return validForNewPackages ? undefined : [...errors, ...warnings].join('; ');
}

function refusePackageName(name: string): void {
  const fault = packageNameError(name);
  if (fault === undefined) return;
  throw new McpgenError(`${JSON.stringify(name)} cannot be the name of a package: ${fault}`, {
    place: 'NAME',
    remedy: 'Take small letters, digits and hyphens, as in demo or @scope/demo. Where to write it is --dir.',
  });
}

/** A folder that holds something is not written into, unless that is wanted. */
function refuseTargetFolder(folder: string, force: boolean): void {
  let entries: readonly string[];
  try {
    if (!existsSync(folder)) {
      if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
      throw new McpgenError('this symbolic link leads nowhere', { place: folder, remedy: 'Remove it.' });
    }
    // What a killed run left is cleared when this one writes, and a project that it had begun to move here is finished.
    const left = staleStagedFiles(folder);
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
  const more = entries.length > MAX_SHOWN_ENTRIES ? `, and ${entries.length - MAX_SHOWN_ENTRIES} more` : '';
  throw new McpgenError(`the folder is not empty: ${entries.slice(0, MAX_SHOWN_ENTRIES).join(', ')}${more}`, {
    place: folder,
    remedy: 'Choose another with --dir, or give --force: existing files stay as they are.',
  });
}

async function planProject(
  selection: Selection,
  folder: string,
  publishedSpec: string | undefined,
  tools: readonly ToolSource[] | undefined,
): Promise<readonly FileChange[]> {
  const packages = { ranges: readMcpgenPackage().ranges, own: publishedSpec ?? mcpgenSpec(folder) };
  const authored = composeProject(readTemplateProject(selection.kind), selection, packages);
  const files: PlannedFile[] = [];
  const settings = managerFiles(selection);
  for (const [name, contents] of authored) {
    if (settings.has(name) && isInstalledAbove(name, folder)) continue;
    // The list of tools stays as it is written whenever it is brought up to date.
    const text = name === TOOL_LIST_FILE ? contents : await formatProjectFile(contents, name);
    files.push({ path: name, contents: text, belongsToUser: true });
  }
  const { files: generated, warnings } = await renderAll({
    revisions: selection.revisions.map(({ revision }) => revision),
    emit: generatedParts(selection).flatMap((part): readonly Emittable[] =>
      part === 'default' ? DEFAULT_PARTS : EMITTABLE.filter((known) => known === part),
    ),
    ...(selection.kind === 'server' ? { tools: await mergeToolSources(folder, authored) } : {}),
    ...(tools === undefined ? {} : { tools }),
    out: path.join(folder, 'src/generated'),
  });
  if (tools !== undefined) {
    showProgress('');
    for (const warning of warnings) printWarning(warning);
  }
  return planChanges(folder, [...files, ...generated.map((file) => ({ ...file, path: `src/generated/${file.path}` }))]);
}

/** Whether a folder above has a file of this name, as the root of a workspace does. */
function isInstalledAbove(name: string, folder: string): boolean {
  const above = path.dirname(folder);
  return above !== folder && (existsSync(path.join(above, name)) || isInstalledAbove(name, above));
}

/** The tools of the project: what the author has there already stays, and comes first. */
async function mergeToolSources(folder: string, authored: ReadonlyMap<string, string>): Promise<readonly ToolSource[]> {
  const { tools: existing } = await readToolFiles(['src/tools/*.input.json', 'src/tools/*.output.json'], folder);
  const added = [...authored].flatMap(([file, contents]): ToolSource[] => {
    const name = /^src\/tools\/(.+)\.input\.json$/.exec(file)?.[1];
    if (name === undefined || existing.some((tool) => tool.name === name)) return [];
    const input = JSON.parse(contents) as JsonValue;
    return [{ name, input, places: { input: file, output: '' }, isOwn: true }];
  });
  return [...existing, ...added].sort((a, b) => (a.name < b.name ? -1 : 1));
}
