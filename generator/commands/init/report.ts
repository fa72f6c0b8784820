import path from 'node:path';
import type { FileChange } from '../../output/plan.js';
import { displayPath } from '../../paths.js';
import { entryFile } from '../../scaffold/project/manifest.js';
import { scriptCommand } from '../../scaffold/project/package-manager.js';
import { hasSessionsOnly, type Selection } from '../../scaffold/project/selection.js';
import { stdoutColors, printToStderr, stderrColors, printLine } from '../../terminal.js';
import { escapeHiddenCharacters, shellQuote } from '../../text.js';
import {
  fileChangeJson,
  pluralize,
  printAuthorFileChanges,
  displayedFolder,
  countByStatus,
} from '../shared/file-changes.js';

/** The result of `init`. */
export interface InitResult {
  readonly selection: Selection;
  readonly folder: string;
  /** What the project depends on as mcpgen, as package.json has it. */
  readonly mcpgen: string;
  readonly changes: readonly FileChange[];
  /** Nothing was written. */
  readonly isDry: boolean;
  readonly hasGit: boolean;
  readonly isInstalled: boolean;
  /** Why the installation failed. */
  readonly failure: string | undefined;
}

function changeDirectoryPrefix({ folder }: Pick<InitResult, 'folder'>): string {
  const shown = displayPath(folder);
  return shown === '.' ? '' : `cd ${shellQuote(shown)} && `;
}

/** The command that installs the project's dependencies, from the current folder. */
export function installCommandLine(result: InitResult): string {
  return `${changeDirectoryPrefix(result)}${result.selection.packageManager} install`;
}

function nextSteps({ selection, isInstalled, failure, ...result }: InitResult): readonly string[] {
  const { packageManager: manager } = selection;
  return [
    ...(isInstalled && failure === undefined ? [] : [`${manager} install`]),
    scriptCommand(manager, 'test'),
    scriptCommand(manager, 'build'),
  ].map((command, index) => (index === 0 ? `${changeDirectoryPrefix(result)}${command}` : command));
}

/** The result as `--json` prints it. */
export function initResultJson(result: InitResult): object {
  const { selection, folder, changes, isDry, hasGit, isInstalled, failure } = result;
  const paths = (status: FileChange['status'][]): readonly string[] =>
    changes.filter((change) => status.includes(change.status)).map((change) => change.path);
  return {
    kind: selection.kind,
    name: selection.packageName,
    dir: folder,
    revisions: selection.revisions.map(({ revision }) => revision),
    features: selection.features,
    transports: selection.transports,
    runtime: selection.runtime,
    ...(selection.kind === 'server' ? { schemas: selection.schemas, store: selection.store } : {}),
    packageManager: selection.packageManager,
    ...(selection.listed === undefined
      ? {}
      : { server: selection.listed.target, example: selection.listed.example.name }),
    mcpgen: result.mcpgen,
    dryRun: isDry,
    files: changes.map((change) => fileChangeJson(change, false)),
    written: isDry ? [] : paths(['missing', 'stale']),
    kept: paths(['kept', 'unchanged']),
    git: hasGit,
    installed: isInstalled && failure === undefined,
    ...(failure === undefined ? {} : { failure, fix: installCommandLine(result) }),
    next: isDry ? [] : nextSteps(result),
  };
}

/** Prints the result and the next steps. */
export function printInitResult(result: InitResult): void {
  const { selection, folder, changes } = result;
  if (result.isDry) {
    printAuthorFileChanges(changes, true);
    printLine(
      `\n${pluralize(changes.length, 'file')} in ${displayedFolder(displayPath(folder))}: ${countByStatus(changes, true)}; nothing was written`,
    );
    return;
  }
  const own = (file: FileChange): boolean => !file.path.startsWith('src/generated/');
  const written = changes.filter(({ status }) => status === 'missing' || status === 'stale');
  const kept = changes.filter((file) => file.status === 'kept');
  for (const { path: file } of kept)
    printToStderr(`${stderrColors.yellow('kept')} ${escapeHiddenCharacters(file)}, which existed already`);
  printLine(
    `${stdoutColors.bold(selection.packageName)}: ${written.filter(own).length} source files and ${written.filter((file) => !own(file)).length} generated files in ${escapeHiddenCharacters(displayPath(folder))}/`,
  );
  const without = selection.kind === 'client' ? 'no handlers for sampling, roots or elicitation' : 'no examples';
  printLine(
    `  revisions ${selection.revisions.map(({ revision }) => revision).join(', ')}; ${[...selection.features].join(', ') || without}; over ${selection.transports.join(' and ')}`,
  );
  if (hasSessionsOnly(selection) && selection.revisions.some(({ isStateless }) => isStateless))
    printLine(
      "  over HTTP only the revisions that begin with `initialize`: the official SDK's transport supports no others",
    );
  if (selection.listed !== undefined)
    printLine(
      `  src/example.ts calls the tool ${escapeHiddenCharacters(selection.listed.example.name)}; each tool is a typed method`,
    );
  printLine('\nNext:');
  for (const command of nextSteps(result)) printLine(`  ${stdoutColors.cyan(command)}`);
  if (selection.kind === 'server' && entryFile(selection) === 'index') {
    printLine(`\nREADME.md explains how clients run it: node ${shellQuote(path.join(folder, 'dist/index.js'))}`);
  }
  if (result.mcpgen.startsWith('file:')) {
    printLine(
      `\npackage.json installs mcpgen from ${escapeHiddenCharacters(result.mcpgen)}, a path that CI and other machines lack.\nTo share the project, pass --mcpgen with the URL of a repository or of a tarball.`,
    );
  }
}
