import { existsSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { EMITTABLE, DEFAULT_PARTS, type Emittable } from '../../emit/parts.js';
import { McpgenError } from '../../errors.js';
import { renderAll } from '../../index.js';
import { formatProjectFile } from '../../output/format.js';
import { planChanges, type FileChange, type PlannedFile } from '../../output/plan.js';
import { hasUnfinishedMove, staleStagedFiles, writeProject } from '../../output/write.js';
import { readMcpgenPackage, mcpgenSpec } from '../../read/builtin/own-package.js';
import type { JsonValue } from '../../read/json/json.js';
import { readTemplateProject } from '../../read/builtin/template-project.js';
import { readToolFiles, type ToolSource } from '../../read/tools.js';
import { composeProject, generatedParts } from '../../scaffold/project/compose.js';
import { managerFiles } from '../../scaffold/project/package-manager.js';
import {
  requiredExtensions,
  unscopedName,
  type ProjectKind,
  type Selection,
} from '../../scaffold/project/selection.js';
import { printError, printToStderr, printWarning, showProgress, printJson } from '../../terminal.js';
import { initGitRepository, installDependencies, packageManagerVersion } from './install.js';
import { installCommandLine, printInitResult, initResultJson, type InitResult } from './report.js';
import { readToolListSource, TOOL_LIST_FILE, toolListSource } from './tools.js';
import type { InitOptions } from './options.js';
import { resolveSelection } from './selection.js';

/** Exit code of a program that Ctrl-C interrupted. */
const EXIT_INTERRUPTED = 130;
/** Most existing files that a message lists. */
const MAX_SHOWN_ENTRIES = 5;

export { parseInitOptions } from './options.js';

/** `mcpgen init server` and `mcpgen init client`. Returns the exit code. */
export async function initCommand(
  kind: ProjectKind,
  requestedName: string | undefined,
  options: InitOptions,
): Promise<number> {
  const origin = toolListSource(options);
  let selection: Selection;
  try {
    selection = await resolveSelection(kind, requestedName, options, origin?.server?.transport);
  } catch (error) {
    // The prompt library throws this when Ctrl-C interrupts a question.
    if (!(error instanceof Error) || error.name !== 'ExitPromptError') throw error;
    printToStderr('nothing was written');
    return EXIT_INTERRUPTED;
  }
  const folder = path.resolve(options.dir ?? unscopedName(selection.packageName));
  refuseTargetFolder(folder, options.force);
  const server = origin === undefined ? undefined : await readToolListSource(origin, selection, folder, options);
  if (server !== undefined) selection = { ...selection, listed: server.listed };
  const managerVersion = await packageManagerVersion(selection.packageManager);
  if (managerVersion !== undefined) selection = { ...selection, managerVersion };
  const isDry = options.dryRun;
  showProgress('writing ...');
  const mcpgen = options.mcpgen ?? mcpgenSpec(folder);
  const changes = await planProject(selection, folder, mcpgen, server?.tools);
  if (!isDry) writeProject(folder, changes);
  showProgress('');
  const hasGit = !isDry && options.git && (await initGitRepository(folder));
  const manager = selection.packageManager;
  const isInstalled = !isDry && options.install;
  const failure = isInstalled ? await installDependencies(selection, folder) : undefined;
  const result: InitResult = { selection, folder, mcpgen, changes, isDry, hasGit, isInstalled, failure };
  if (options.json) printJson(initResultJson(result));
  else printInitResult(result);
  if (failure === undefined) return 0;
  printError({
    place: folder,
    message: `the project was written, but ${manager} failed to install its dependencies: ${failure}`,
    remedy: `Run it again: ${installCommandLine(result)}`,
  });
  return 1;
}

/** Rejects a non-empty folder, unless it was forced. */
function refuseTargetFolder(folder: string, force: boolean): void {
  let entries: readonly string[];
  try {
    if (!existsSync(folder)) {
      if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
      throw new McpgenError('the symbolic link is broken', { place: folder, remedy: 'Remove it.' });
    }
    // Files staged by a killed run are removed when this one writes, and a move that it began is completed.
    const left = staleStagedFiles(folder);
    entries = hasUnfinishedMove(folder)
      ? []
      : readdirSync(folder).filter((name) => name !== '.git' && !left.includes(name));
  } catch (error) {
    if (error instanceof McpgenError) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new McpgenError(code === 'ENOTDIR' ? 'not a folder but a file' : `the folder cannot be read (${code})`, {
      place: folder,
      remedy: 'Choose another folder with --dir.',
      cause: error,
    });
  }
  if (entries.length === 0 || force) return;
  const more = entries.length > MAX_SHOWN_ENTRIES ? `, and ${entries.length - MAX_SHOWN_ENTRIES} more` : '';
  throw new McpgenError(`the folder is not empty: ${entries.slice(0, MAX_SHOWN_ENTRIES).join(', ')}${more}`, {
    place: folder,
    remedy: 'Choose another with --dir, or pass --force: existing files are kept.',
  });
}

async function planProject(
  selection: Selection,
  folder: string,
  mcpgen: string,
  tools: readonly ToolSource[] | undefined,
): Promise<readonly FileChange[]> {
  const packages = { ranges: readMcpgenPackage().ranges, own: mcpgen };
  const authored = composeProject(readTemplateProject(selection.kind), selection, packages);
  const files: PlannedFile[] = [];
  const settings = managerFiles(selection);
  for (const [name, contents] of authored) {
    if (settings.has(name) && isInstalledAbove(name, folder)) continue;
    // The list of tools keeps the form in which `types tools --save` updates it.
    const text = name === TOOL_LIST_FILE ? contents : await formatProjectFile(contents, name);
    files.push({ path: name, contents: text, belongsToUser: true });
  }
  const { files: generated, warnings } = await renderAll({
    revisions: selection.revisions.map(({ revision }) => revision),
    emit: generatedParts(selection).flatMap((part): readonly Emittable[] =>
      part === 'default' ? DEFAULT_PARTS : EMITTABLE.filter((known) => known === part),
    ),
    extensions: requiredExtensions(selection),
    ...(selection.kind === 'server' ? { tools: await mergeToolSources(folder, authored) } : {}),
    ...(tools === undefined ? {} : { tools }),
    trustPatterns: selection.listed?.trustPatterns ?? false,
    nullable: selection.listed?.nullable ?? false,
    tsNocheck: true,
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

/** The tools of the project: existing ones stay, and come first. */
async function mergeToolSources(folder: string, authored: ReadonlyMap<string, string>): Promise<readonly ToolSource[]> {
  const { tools: existing } = await readToolFiles(['src/tools/*.input.json', 'src/tools/*.output.json'], folder);
  const added = [...authored].flatMap(([file, contents]): ToolSource[] => {
    const name = /^src\/tools\/(.+)\.input\.json$/.exec(file)?.[1];
    if (name === undefined || existing.some((tool) => tool.name === name)) return [];
    const input = JSON.parse(contents) as JsonValue;
    const outputFile = `src/tools/${name}.output.json`;
    const output = authored.get(outputFile);
    return [
      {
        name,
        input,
        ...(output === undefined ? {} : { output: JSON.parse(output) as JsonValue }),
        places: { input: file, output: output === undefined ? '' : outputFile },
        isOwn: true,
      },
    ];
  });
  return [...existing, ...added].sort((a, b) => (a.name < b.name ? -1 : 1));
}
