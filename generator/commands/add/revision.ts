import { existsSync } from 'node:fs';
import path from 'node:path';
import { McpgenError } from '../../errors.js';
import { methodsWithHandlerType } from '../../emit/handled.js';
import { generate, loadAll } from '../../index.js';
import type { Protocol } from '../../model/protocol.js';
import { formatEdited } from '../../output/format.js';
import { fileEdit, isUpToDate, type FileChange } from '../../output/plan.js';
import { writeChanges } from '../../output/write.js';
import { relativeImportPath } from '../../paths.js';
import { requireRevision } from '../../read/builtin/revisions.js';
import { readConfig } from '../../read/config/config.js';
import { readTextFile } from '../../read/files.js';
import { addRevisionToProtocol, addRevisionToConfig } from '../../scaffold/edit/revision.js';
import { findHandledMethods } from '../../scaffold/edit/method-names.js';
import { typedRevision } from '../../scaffold/project/protocol-file.js';
import type { Registration } from '../../scaffold/edit/register.js';
import { showProgress, printLine, printJson } from '../../terminal.js';
import { readAuthorFiles } from '../shared/author-files.js';
import { fileChangeJson, printAuthorFileChanges } from '../shared/file-changes.js';
import { planGenerate } from '../generate/plan.js';
import { reportMethodChanges, printMethodChanges } from '../generate/method-changes.js';
import { sidesOf } from '../shared/project.js';
import { withConfigLocations, outputFolder, configuredByFile, resolveSettings } from '../shared/settings.js';
import type { AddOptions } from './options.js';

export { parseAddOptions } from './options.js';

const PROTOCOL_FILE = 'src/protocol.ts';

/**
 * `mcpgen add revision`: adds a revision to the config, the generated code and `src/protocol.ts` of a project. Returns
 * the exit code.
 */
export async function addRevisionCommand(revision: string, given: AddOptions): Promise<number> {
  const commandLine = configuredByFile(given);
  const config = await readConfig(process.cwd(), given.config);
  const file = config === undefined ? PROTOCOL_FILE : path.join(config.folder, PROTOCOL_FILE);
  if (config === undefined || !existsSync(file)) {
    throw new McpgenError('this is not a project that `mcpgen init` wrote', {
      ...(config === undefined ? {} : { place: path.relative(process.cwd(), file) }),
      remedy: 'In other projects, add the revision to the config, or pass --revision, and run `mcpgen generate`.',
    });
  }
  const out = outputFolder(config, given);
  const hasOwnSchema = config.config.schema !== undefined;
  if (!hasOwnSchema) requireRevision(revision, '', 'REVISION');
  const changes: FileChange[] = [];
  const name = path.basename(config.file);
  if (!hasOwnSchema && config.config.revisions?.includes(revision) === false) {
    const edit =
      name.endsWith('.json') && name !== 'package.json'
        ? await addRevisionToConfig(readTextFile(config.file), revision)
        : undefined;
    if (edit?.status !== 'added') {
      throw new McpgenError(`${name} does not have ${revision}, and mcpgen cannot edit it; nothing was written`, {
        place: config.placeOf('revisions'),
        remedy: `Add ${JSON.stringify(revision)} to \`revisions\` there, and run the command again.`,
      });
    }
    const before = readTextFile(config.file);
    changes.push(fileEdit(name, await formatEdited(before, edit.text, config.file), before));
  }
  const isDryRun = given.dryRun;
  const settings = await resolveSettings(commandLine);
  // Generates first, as for the changed config: if this fails, none of the author's files change.
  const planned = hasOwnSchema
    ? settings
    : { ...settings, options: { ...settings.options, revisions: withRevision(settings.options.revisions, revision) } };
  return withConfigLocations(settings, commandLine, async () => {
    const plan = await planGenerate(planned);
    const before = readTextFile(file);
    const protocols = await loadAll(plan.options);
    if (!protocols.some((protocol) => protocol.revision === revision)) {
      throw new McpgenError(
        `the custom schema of the project is of revision ${protocols[0]?.revision ?? 'none'}, not ${revision}`,
        {
          place: config.placeOf('schema'),
          remedy: 'A project has either one custom schema, or built-in revisions.',
        },
      );
    }
    const lostMethodNames = await lostMethods(config.folder, out, before, protocols, revision);
    const folder = relativeImportPath(path.dirname(file), out);
    const edit = await addRevisionToProtocol(before, revision, folder, lostMethodNames.length > 0);
    if (edit.status === 'unknown') throw manualEditError(edit, revision);
    if (edit.status === 'added')
      changes.push(fileEdit(PROTOCOL_FILE, await formatEdited(before, edit.text, file), before));
    const result = await generate({ ...plan.options, dryRun: isDryRun });
    if (!isDryRun) writeChanges(config.folder, changes);
    showProgress('');
    const methodChanges = await reportMethodChanges(
      result,
      plan,
      settings,
      configuredByFile({ config: undefined, allowOutside: false }),
    );
    const generated = result.changes.filter((change) => !isUpToDate(change));
    if (given.json) {
      const files = [
        ...changes,
        ...generated.map((change) => ({ ...change, path: projectPath(config.folder, out, change.path) })),
      ];
      printJson({
        kind: 'revision',
        revision,
        dryRun: isDryRun,
        files: files.map((change) => fileChangeJson(change, false)),
        ...methodChanges,
      });
      return 0;
    }
    if (!printAuthorFileChanges(changes, isDryRun))
      printLine(`revision ${revision} exists already${generated.length === 0 ? '; nothing was changed' : ''}`);
    if (generated.length > 0)
      printLine(
        `${isDryRun ? 'would generate' : 'generated'} ${generated.length} files in ${projectPath(config.folder, out, '')}`,
      );
    if (edit.status === 'added' && lostMethodNames.length > 0) {
      printLine(`${PROTOCOL_FILE} keeps its types: ${revision} has no ${lostMethodNames.join(', ')}, which you handle`);
    }
    printMethodChanges(methodChanges);
    return 0;
  });
}

/** Methods that the project handles and that the types of a revision lack. */
async function lostMethods(
  project: string,
  out: string,
  text: string,
  protocols: readonly Protocol[],
  revision: string,
): Promise<readonly string[]> {
  const [side] = sidesOf(project);
  const typed = side === undefined ? undefined : typedRevision(text, side);
  const namesOf = (wanted: string | undefined): readonly string[] =>
    protocols
      .filter((protocol) => side !== undefined && protocol.revision === wanted)
      .flatMap((protocol) => methodsWithHandlerType(protocol, side ?? 'server').map(({ name }) => name));
  const next = namesOf(revision);
  const removed = namesOf(typed).filter((name) => !next.includes(name));
  return removed.length === 0
    ? []
    : [...(await findHandledMethods(await readAuthorFiles(project, out), removed))].sort();
}

/** A config without `revisions` already generates all released ones. */
function withRevision(revisions: readonly string[] | undefined, revision: string): readonly string[] | undefined {
  return revisions === undefined ? undefined : [...new Set([...revisions, revision])].sort();
}

function projectPath(folder: string, out: string, file: string): string {
  return path.relative(folder, path.join(out, file)).replaceAll(path.sep, '/') + (file === '' ? '/' : '');
}

function manualEditError(
  { reason, line }: Registration & { readonly status: 'unknown' },
  revision: string,
): McpgenError {
  return new McpgenError(`${reason}, so ${revision} cannot be added to it; nothing was written`, {
    place: `${PROTOCOL_FILE}:${line}`,
    remedy: 'Add it by hand: import `revision` from its folder, and add it to the list `revisions`.',
  });
}
