import path from 'node:path';
import { diagnosticJson, McpgenError, type Diagnostic } from '../../errors.js';
import { formatEdited } from '../../output/format.js';
import { fileEdit, isUpToDate, type FileChange } from '../../output/plan.js';
import { writeChanges } from '../../output/write.js';
import { readToolFiles } from '../../read/tools.js';
import type { Addable } from '../../scaffold/edit/addition.js';
import { withoutExtension } from '../../scaffold/edit/edits.js';
import { findImporters } from '../../scaffold/edit/importers.js';
import { findDefineCall } from '../../scaffold/edit/register.js';
import { findListEntries, unregisterFromList, type ListEntry } from '../../scaffold/edit/unregister.js';
import { printJson, printWarning, showProgress } from '../../terminal.js';
import { closestMatch } from '../../text.js';
import { readAuthorFiles } from '../shared/author-files.js';
import { fileChangeJson, printAuthorFileChanges } from '../shared/file-changes.js';
import {
  displayedPath,
  loadRegistryProject,
  planGeneratedTools,
  readProjectFile,
  type RegistryProject,
} from '../shared/registry-project.js';
import { schemaFile, SCHEMA_ROLES } from '../add/tool-schemas.js';
import type { AddOptions } from '../add/options.js';

/** A tool, resource or prompt in the list of a project. */
interface Listed extends ListEntry {
  /** Its name for clients. */
  readonly name: string;
  /** Its file in the project. */
  readonly file: string;
}

/** `mcpgen remove tool`, `remove resource` and `remove prompt`: undoes `add`. Returns the exit code. */
export async function removeCommand(kind: Addable, names: readonly string[], options: AddOptions): Promise<number> {
  const project = await loadRegistryProject(options);
  const list = `${kind}s`;
  const index = `src/${list}/index.ts`;
  const before = readProjectFile(project, index);
  if (before === undefined) {
    throw new McpgenError(`there is no such file, so the project has no list of ${list}`, {
      place: displayedPath(project, index),
      remedy: `\`mcpgen add ${kind} NAME\` creates it with the first ${kind}.`,
    });
  }
  showProgress(`removing ${names.join(', ')} ...`);
  const listed = await listedItems(project, kind, before, index);
  const removed = [...new Set(names)].map((name) => findListed(kind, name, listed, displayedPath(project, index)));
  let text = before;
  for (const item of removed) {
    const removal = await unregisterFromList(text, list, item);
    if (removal.status === 'unknown') {
      throw new McpgenError(`${removal.reason}, so ${item.name} cannot be removed from it; nothing was written`, {
        place: `${displayedPath(project, index)}:${removal.line}`,
        remedy: `Remove \`${item.local}\` there by hand, and run the command again, or delete ${displayedPath(project, item.file)}.`,
      });
    }
    text = removal.text;
  }
  const own = removed.flatMap((item) => filesOf(kind, item));
  const files = own.flatMap((file): FileChange[] => {
    const actual = readProjectFile(project, file);
    return actual === undefined ? [] : [{ path: file, status: 'orphaned', expected: undefined, actual }];
  });
  const [stillImported] = await findImporters([{ path: index, text }], own);
  if (stillImported !== undefined) {
    throw new McpgenError(`it imports more from ${stillImported.imported}; nothing was written`, {
      place: displayedPath(project, index),
      remedy: 'Remove what else it imports from there, and run the command again.',
    });
  }
  const edited = await formatEdited(before, text, path.join(project.folder, index));
  const generated = kind === 'tool' ? await planRemainingTools(project, own) : [];
  const changes: FileChange[] = [...files, fileEdit(index, edited, before), ...generated];
  const gone = [...own, ...generated.filter(({ status }) => status === 'orphaned').map(({ path: file }) => file)];
  const warnings = await importersLeft(project, gone, index);
  if (!options.dryRun) writeChanges(project.folder, changes);
  showProgress('');
  if (options.json) {
    printJson({
      kind,
      names: removed.map(({ name }) => name),
      dryRun: options.dryRun,
      files: changes.filter((change) => !isUpToDate(change)).map((change) => fileChangeJson(change, false)),
      ...(warnings.length === 0 ? {} : { warnings: warnings.map(diagnosticJson) }),
    });
    return 0;
  }
  for (const warning of warnings) printWarning(warning);
  const notes = new Map([[index, `${removed.map(({ local }) => local).join(', ')} left the list`]]);
  printAuthorFileChanges(changes, options.dryRun, notes, (file) => displayedPath(project, file));
  return 0;
}

/** The items of the list whose files the index imports. */
async function listedItems(
  project: RegistryProject,
  kind: Addable,
  text: string,
  index: string,
): Promise<readonly Listed[]> {
  const entries = await findListEntries(text, `${kind}s`);
  const items = await Promise.all(
    entries.map(async (entry): Promise<readonly Listed[]> => {
      const stem = path.posix.join(path.posix.dirname(index), withoutExtension(entry.from));
      const file = `${stem}.ts`;
      const source = readProjectFile(project, file);
      // What is elsewhere was not written by `add`.
      if (!file.startsWith(`src/${kind}s/`) || source === undefined) return [];
      const found = await findDefineCall(source, entry.exported);
      return [{ ...entry, file, name: found?.name ?? path.posix.basename(stem) }];
    }),
  );
  return items.flat();
}

function findListed(kind: Addable, name: string, listed: readonly Listed[], index: string): Listed {
  const found = listed.find((item) => item.name === name) ?? listed.find((item) => item.local === name);
  if (found === undefined) {
    const names = listed.map((item) => item.name);
    const near = closestMatch(name, names);
    throw new McpgenError(`there is no ${kind} ${JSON.stringify(name.slice(0, 150))} in the list`, {
      place: index,
      remedy:
        names.length === 0
          ? 'The list has none that is imported from a file next to it.'
          : near === undefined
            ? `There ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}.`
            : `Did you mean ${near}?`,
    });
  }
  const sharing = listed.filter((item) => item.file === found.file && item !== found);
  if (sharing.length > 0) {
    throw new McpgenError(`the file has ${sharing.map((item) => item.name).join(', ')} too; nothing was written`, {
      place: found.file,
      remedy: `Remove ${found.name} by hand from there and from ${index}.`,
    });
  }
  return found;
}

/** The files that `add` writes for an item, of which some may not exist. */
function filesOf(kind: Addable, { file }: Listed): readonly string[] {
  // In a folder below, the test and the schemas of this name may be those of another one.
  if (path.posix.dirname(file) !== `src/${kind}s`) return [file];
  const stem = path.posix.basename(file, '.ts');
  return [
    file,
    `test/${kind}s/${stem}.test.ts`,
    ...(kind === 'tool' ? SCHEMA_ROLES.map((role) => schemaFile(stem, role)) : []),
  ];
}

/** The generated types without those of removed schemas. */
async function planRemainingTools(
  project: RegistryProject,
  removed: readonly string[],
): Promise<readonly FileChange[]> {
  const patterns = project.config.config.tools;
  if (patterns === undefined) return [];
  const { tools } = await readToolFiles(patterns, project.folder);
  const left = tools.filter(({ places }) => !removed.includes(places.input) && !removed.includes(places.output));
  return left.length === tools.length ? [] : (await planGeneratedTools(project, left)).changes;
}

/** Warns of the author's files that import what is removed. */
async function importersLeft(
  project: RegistryProject,
  removed: readonly string[],
  index: string,
): Promise<readonly Diagnostic[]> {
  const paths = removed.map((file) => displayedPath(project, file));
  const gone = new Set([...paths, displayedPath(project, index)]);
  const files = (await readAuthorFiles(project.folder, project.out)).filter((file) => !gone.has(file.path));
  return (await findImporters(files, paths)).map(({ path: file, line, imported }) => ({
    place: `${file}:${line}`,
    message: `this file imports ${imported}, which is removed`,
    remedy: 'Remove what uses it.',
  }));
}
