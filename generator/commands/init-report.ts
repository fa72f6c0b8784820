import path from 'node:path';
import type { FileChange } from '../output/plan.js';
import { shownPath } from '../paths.js';
import { entryOf } from '../scaffold/manifest.js';
import { scriptCommand } from '../scaffold/package-manager.js';
import { hasSessionsOnly, type Selection } from '../scaffold/selection.js';
import { colour, note, noteColour, say } from '../terminal.js';
import { escapeHidden, shellQuoted } from '../text.js';
import { asJson, count, sayTouched, shown, tally } from './changes.js';

/** What became of a project. */
export interface Outcome {
  readonly selection: Selection;
  readonly folder: string;
  readonly changes: readonly FileChange[];
  /** Nothing was written. */
  readonly isDry: boolean;
  readonly hasGit: boolean;
  readonly isInstalled: boolean;
  /** Why it could not be installed. */
  readonly failure: string | undefined;
}

function inFolder({ folder }: Pick<Outcome, 'folder'>): string {
  const shown = shownPath(folder);
  return shown === '.' ? '' : `cd ${shellQuoted(shown)} && `;
}

/** The command that installs what a project needs, from the current folder. */
export function installCommand(done: Outcome): string {
  return `${inFolder(done)}${done.selection.packageManager} install`;
}

function nextCommands({ selection, isInstalled, failure, ...done }: Outcome): readonly string[] {
  const { packageManager: manager } = selection;
  return [
    ...(isInstalled && failure === undefined ? [] : [`${manager} install`]),
    scriptCommand(manager, 'test'),
    scriptCommand(manager, 'build'),
  ].map((command, index) => (index === 0 ? `${inFolder(done)}${command}` : command));
}

/** What was done, for machines. */
export function summaryOf(done: Outcome): object {
  const { selection, folder, changes, isDry, hasGit, isInstalled, failure } = done;
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
    packageManager: selection.packageManager,
    ...(selection.listed === undefined
      ? {}
      : { server: selection.listed.target, example: selection.listed.example.name }),
    dryRun: isDry,
    files: changes.map((change) => asJson(change, false)),
    written: isDry ? [] : paths(['missing', 'stale']),
    kept: paths(['kept', 'unchanged']),
    git: hasGit,
    installed: isInstalled && failure === undefined,
    ...(failure === undefined ? {} : { failure, mend: installCommand(done) }),
    next: isDry ? [] : nextCommands(done),
  };
}

/** What was done, for people, and what comes next. */
export function sayOutcome(done: Outcome): void {
  const { selection, folder, changes } = done;
  if (done.isDry) {
    sayTouched(changes, true);
    say(
      `\n${count(changes.length, 'file')} in ${shown(shownPath(folder))}: ${tally(changes, true)}; nothing was written`,
    );
    return;
  }
  const own = (file: FileChange): boolean => !file.path.startsWith('src/generated/');
  const written = changes.filter(({ status }) => status === 'missing' || status === 'stale');
  const kept = changes.filter((file) => file.status === 'kept');
  for (const { path: file } of kept)
    note(`${noteColour.yellow('kept')} ${escapeHidden(file)}, which was there already`);
  say(
    `${colour.bold(selection.packageName)}: ${written.filter(own).length} files of yours and ${written.filter((file) => !own(file)).length} generated ones in ${escapeHidden(shownPath(folder))}/`,
  );
  say(
    `  revisions ${selection.revisions.map(({ revision }) => revision).join(', ')}; ${[...selection.features].join(', ') || 'no examples'}; over ${selection.transports.join(' and ')}`,
  );
  if (hasSessionsOnly(selection) && selection.revisions.some(({ isStateless }) => isStateless))
    say(
      "  over HTTP only the revisions that begin with `initialize`: the official SDK's transport there knows no others",
    );
  if (selection.listed !== undefined)
    say(`  each tool is a method, as src/example.ts calls one: ${escapeHidden(selection.listed.example.name)}`);
  say('\nNext:');
  for (const command of nextCommands(done)) say(`  ${colour.cyan(command)}`);
  if (selection.kind === 'server' && entryOf(selection) === 'index') {
    say(`\nREADME.md says how clients run it: node ${shellQuoted(path.join(folder, 'dist/index.js'))}`);
  }
}
