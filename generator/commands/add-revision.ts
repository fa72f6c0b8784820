import { existsSync } from 'node:fs';
import path from 'node:path';
import { McpgenError } from '../errors.js';
import { typedMethods } from '../emit/handled.js';
import { generate, loadAll } from '../index.js';
import type { Protocol } from '../model/protocol.js';
import { editOf, isSettled, type FileChange } from '../output/plan.js';
import { writeChanges } from '../output/write.js';
import { importPath } from '../paths.js';
import { requireRevision } from '../read/builtin.js';
import { readConfig } from '../read/config.js';
import { readText } from '../read/files.js';
import { addRevision, addToConfig } from '../scaffold/add-revision.js';
import { handledIn } from '../scaffold/method-names.js';
import { typedRevision } from '../scaffold/protocol-file.js';
import type { Registration } from '../scaffold/register.js';
import { progress, say, sayJson } from '../terminal.js';
import { authorFiles } from './author-files.js';
import { asJson, sayTouched } from './changes.js';
import { planOf } from './generate-plan.js';
import { methodNews, sayMethodNews } from './method-news.js';
import { flag, text } from './options.js';
import { sidesOf } from './project.js';
import { naming, outputFolder, projectFlags, settingsOf } from './settings.js';

const PROTOCOL = 'src/protocol.ts';

/**
 * `mcpgen add revision`: the config, the generated code and `src/protocol.ts` of a project get one revision more. Returns
 * the exit code.
 */
export async function addRevisionCommand(revision: string, flags: Record<string, unknown>): Promise<number> {
  const given = projectFlags(flags);
  const config = await readConfig(process.cwd(), text(flags, 'config'));
  const file = config === undefined ? PROTOCOL : path.join(config.folder, PROTOCOL);
  if (config === undefined || !existsSync(file)) {
    throw new McpgenError('this is not a project that `mcpgen init` wrote', {
      place: config === undefined ? process.cwd() : path.relative(process.cwd(), file),
      remedy: 'Elsewhere, name the revision in the config, or by --revision, and run `mcpgen generate`.',
    });
  }
  const out = outputFolder(config, flags);
  const isOwn = config.config.schema !== undefined;
  if (!isOwn) requireRevision(revision);
  const changes: FileChange[] = [];
  const name = path.basename(config.file);
  if (!isOwn && config.config.revisions?.includes(revision) === false) {
    const edit =
      name.endsWith('.json') && name !== 'package.json'
        ? await addToConfig(readText(config.file), revision)
        : undefined;
    if (edit?.status !== 'added') {
      throw new McpgenError(`${name} does not name ${revision}, and it is not one to be edited; nothing was written`, {
        place: config.placeOf('revisions'),
        remedy: `Add ${JSON.stringify(revision)} to \`revisions\` there, and run this again.`,
      });
    }
    changes.push(editOf(name, edit.text, readText(config.file)));
  }
  const isDry = flag(flags, 'dryRun');
  const settings = await settingsOf(given);
  // As the config will say once it is written: nothing of the author's changes if this fails.
  const planned = isOwn
    ? settings
    : { ...settings, flags: { ...settings.flags, revision: withOne(settings.flags['revision'], revision) } };
  return naming(settings, given, async () => {
    const plan = await planOf(planned);
    const before = readText(file);
    const protocols = await loadAll(plan.options);
    if (!protocols.some((protocol) => protocol.revision === revision)) {
      throw new McpgenError(`the schema of the project is of ${protocols[0]?.revision ?? 'none'}, not of ${revision}`, {
        place: config.placeOf('schema'),
        remedy: 'A project has one schema of its own, or built-in revisions.',
      });
    }
    const lost = await lostMethods(config.folder, out, before, protocols, revision);
    const folder = importPath(path.dirname(file), out);
    const edit = await addRevision(before, revision, folder, lost.length > 0);
    if (edit.status === 'unknown') throw byHand(edit, revision);
    if (edit.status === 'added') changes.push(editOf(PROTOCOL, edit.text, before));
    const result = await generate({ ...plan.options, dryRun: isDry });
    if (!isDry) writeChanges(config.folder, changes);
    progress('');
    const news = await methodNews(result, plan, settings, {});
    const generated = result.changes.filter((change) => !isSettled(change));
    if (flag(flags, 'json')) {
      const files = [
        ...changes,
        ...generated.map((change) => ({ ...change, path: inProject(config.folder, out, change.path) })),
      ];
      sayJson({
        kind: 'revision',
        revision,
        dryRun: isDry,
        files: files.map((change) => asJson(change, false)),
        ...news,
      });
      return 0;
    }
    if (!sayTouched(changes, isDry)) say(`${revision} is there already; nothing of yours was changed`);
    if (generated.length > 0)
      say(
        `${isDry ? 'would generate' : 'generated'} ${generated.length} files in ${inProject(config.folder, out, '')}`,
      );
    if (edit.status === 'added' && lost.length > 0) {
      say(`${PROTOCOL} keeps the types that it had: those of ${revision} lack ${lost.join(', ')}, which you handle`);
    }
    sayMethodNews(news);
    return 0;
  });
}

/** Methods that the project handles, and that its types have but those of a revision have not. */
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
      .flatMap((protocol) => typedMethods(protocol, side ?? 'server').map(({ name }) => name));
  const next = namesOf(revision);
  const gone = namesOf(typed).filter((name) => !next.includes(name));
  return gone.length === 0 ? [] : [...(await handledIn(await authorFiles(project, out), gone))].sort();
}

/** Without a list all that are released are meant, and are generated. */
function withOne(revisions: unknown, revision: string): readonly string[] | undefined {
  if (revisions === undefined) return undefined;
  return [...new Set([...(Array.isArray(revisions) ? (revisions as string[]) : []), revision])].sort();
}

function inProject(folder: string, out: string, file: string): string {
  return path.relative(folder, path.join(out, file)).replaceAll(path.sep, '/') + (file === '' ? '/' : '');
}

function byHand({ reason, line }: Registration & { readonly status: 'unknown' }, revision: string): McpgenError {
  return new McpgenError(`${reason}, so ${revision} cannot be added to it; nothing was written`, {
    place: `${PROTOCOL}:${line}`,
    remedy: 'By hand: import `revision` from its folder, and put it into the list `revisions`.',
  });
}
