import path from 'node:path';
import { McpgenError } from '../errors.js';
import { LONGEST, markdownOf } from '../print/diff/markdown.js';
import { summaryText } from '../print/diff/report.js';
import { isBelow, shownPath } from '../paths.js';
import { readConfig, type ConfigFile } from '../read/config.js';
import { isUrl } from '../read/fetch.js';
import { colour, note, noteColour, progress, say, sayJson } from '../terminal.js';
import { escapeHidden } from '../text.js';
import { sayReport } from './diff-terminal.js';
import { noteWarning } from './changes.js';
import { flag, refuseBoth, seconds, text, texts } from './options.js';
import { pinnedConfig } from './sync-pin.js';
import { planSync, type Mismatch, type SyncItem, type SyncRequest } from './sync-plan.js';
import { writeChanges } from '../output/write.js';
import type { FileChange } from '../output/plan.js';

/** `mcpgen sync`: brings schemas and catalogs up to their sources. Returns the exit code. */
export async function syncCommand(flags: Record<string, unknown>): Promise<number> {
  refuseBoth(flags, 'json', 'markdown');
  refuseBoth(flags, 'check', 'updatePin', 'Leave --update-pin out: --check writes nothing.');
  const config = await readConfig(process.cwd(), text(flags, 'config'));
  const requests = requestsOf(flags, config);
  const plan = await planSync(requests, {
    out: path.resolve(text(flags, 'out') ?? 'schema'),
    prose: proseOf(flags),
    seconds: seconds(flags, 'timeout'),
    acceptPins: flag(flags, 'updatePin'),
    onProgress: (place) => {
      progress(`fetching ${escapeHidden(place)}`);
    },
  });
  progress('');
  const [first] = plan.mismatches;
  if (first !== undefined && !flag(flags, 'check')) throw mismatchError(first, plan.mismatches.length);
  const pins = flag(flags, 'updatePin') ? pinnedConfig(config, requests, plan.items) : undefined;
  const isSettled = plan.mismatches.length === 0 && plan.changes.every(({ status }) => status === 'unchanged');
  if (!flag(flags, 'check')) writeAll([...plan.changes, ...(pins === undefined ? [] : [pins])]);
  if (flag(flags, 'json')) sayPlanJson(plan.items, plan.mismatches, isSettled, pins);
  else if (flag(flags, 'markdown')) say(syncMarkdown(plan.items, plan.mismatches));
  else sayPlan(plan.items, plan.mismatches, flag(flags, 'check'), pins);
  for (const item of plan.items) sayNotices(item);
  return flag(flags, 'check') && !isSettled ? 1 : 0;
}

function requestsOf(flags: Record<string, unknown>, config: ConfigFile | undefined): readonly SyncRequest[] {
  const configured = config?.config.sync ?? {};
  const asked = texts(flags, 'revision');
  const from = text(flags, 'from');
  const revisions = [...new Set(asked.length > 0 ? asked : Object.keys(configured))];
  if (revisions.length === 0) {
    throw new McpgenError('no revision is named', {
      place: 'mcpgen sync',
      remedy: 'Give --revision R, or write the key "sync" into the config.',
    });
  }
  if (from !== undefined && revisions.length > 1 && isUrl(from)) {
    throw new McpgenError('one address cannot be that of several revisions', {
      place: '--from',
      remedy: 'Name one --revision, or give a folder.',
    });
  }
  return revisions.map((revision) => {
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(revision)) {
      throw new McpgenError(`${JSON.stringify(revision).slice(0, 80)} is not a name for a revision`, {
        place: '--revision',
        remedy: 'Use letters, digits, dots, hyphens and underscores, at most 64; it becomes the name of a folder.',
      });
    }
    const own = Object.hasOwn(configured, revision) ? configured[revision] : undefined;
    // A path of the config is relative to its folder.
    const source =
      own === undefined || isUrl(own.source) ? own?.source : path.resolve(config?.folder ?? '', own.source);
    const chosen = from ?? source;
    return {
      revision,
      ...(chosen === undefined ? {} : { source: chosen, named: from ?? own?.source ?? chosen }),
      ...(own?.sha256 === undefined ? {} : { pin: own.sha256 }),
    };
  });
}

function proseOf(flags: Record<string, unknown>): 'keep' | 'strip' {
  const prose = text(flags, 'prose') ?? 'keep';
  if (prose === 'keep' || prose === 'strip') return prose;
  throw new McpgenError(`there is no ${JSON.stringify(prose)}`, { place: '--prose', remedy: 'Say keep or strip.' });
}

function mismatchError({ revision, place, expected, found, pinnedBy }: Mismatch, count: number): McpgenError {
  const more = count > 1 ? ` (and ${count - 1} more of the revisions)` : '';
  if (expected === undefined) {
    return new McpgenError(`revision ${revision} is no draft, and no SHA-256 is pinned for it${more}; found ${found}`, {
      place,
      remedy: 'Check the file, then accept it by --update-pin. Nothing was written.',
    });
  }
  return new McpgenError(
    `the file is not the one that is known as ${revision}${more}\n  expected ${expected} (${pinnedBy})\n  found    ${found}`,
    {
      place,
      remedy: 'If the change is meant, accept it by --update-pin. Nothing was written.',
    },
  );
}

function writeAll(changes: readonly FileChange[]): void {
  const written = changes.filter(({ status }) => status !== 'unchanged');
  if (written.length === 0) return;
  // One run, so that all of it is written or nothing, from the folder that holds all of it.
  const folder = commonFolder(written.map(({ path: file }) => path.dirname(file)));
  writeChanges(
    folder,
    written.map((change) => ({ ...change, path: path.relative(folder, change.path) })),
  );
}

function commonFolder(folders: readonly string[]): string {
  let [common = ''] = folders;
  while (!folders.every((folder) => isBelow(common, folder))) common = path.dirname(common);
  return common;
}

function sayPlan(
  items: readonly SyncItem[],
  mismatches: readonly Mismatch[],
  isCheck: boolean,
  pins: FileChange | undefined,
): void {
  for (const { revision, place, expected, found } of mismatches) {
    say(`${colour.red('✗')} ${colour.bold(revision)}  the file has another SHA-256 than is pinned`);
    say(`    ${escapeHidden(place)}\n    expected ${expected ?? 'one that is pinned'}\n    found    ${found}`);
  }
  for (const item of items) {
    const sign = item.state === 'unchanged' ? colour.green('✓') : isCheck ? colour.red('✗') : colour.cyan('+');
    const draft = item.status === 'draft' ? colour.yellow(' draft') : '';
    say(`${sign} ${colour.bold(item.revision)}${draft}  ${stateText(item)}`);
    say(colour.dim(`    ${escapeHidden(item.source)}\n    sha256 ${item.sha256}`));
    for (const file of item.files.filter(({ status }) => status !== 'unchanged')) {
      say(`    ${isCheck ? 'would write' : 'wrote'} ${escapeHidden(shownPath(file.path))}`);
    }
    if (item.report !== undefined && item.report.summary.changes > 0) {
      say();
      sayReport(item.report);
      say();
    }
  }
  if (pins !== undefined && pins.status !== 'unchanged') say(`  pinned in ${escapeHidden(shownPath(pins.path))}`);
}

function stateText({ state, report }: SyncItem): string {
  if (state === 'unchanged') return 'up to date';
  if (state === 'new') return 'new';
  if (report === undefined || report.summary.changes === 0) return 'changed, but not in structure';
  return `changed: ${summaryText(report)}`;
}

function sayNotices({ revision, undecided, warnings }: SyncItem): void {
  for (const warning of warnings) noteWarning(warning);
  for (const { method, members } of undecided) {
    note(
      `${noteColour.yellow('check')}: ${escapeHidden(`${revision}: ${method}: undecided in the catalog: ${members.join(', ')}`)}`,
    );
  }
}

function sayPlanJson(
  items: readonly SyncItem[],
  mismatches: readonly Mismatch[],
  upToDate: boolean,
  pins: FileChange | undefined,
): void {
  sayJson({
    upToDate,
    revisions: items.map(({ report, files, warnings, ...item }) => ({
      ...item,
      warnings: warnings.map(({ place, message }) => `${place}: ${message}`),
      files: files.map(({ path: file, status }) => ({ path: shownPath(file), status })),
      diff: report ?? null,
    })),
    mismatches: mismatches.map(({ expected, ...item }) => ({ ...item, expected: expected ?? null })),
    pinsWritten: pins !== undefined && pins.status !== 'unchanged' ? shownPath(pins.path) : null,
  });
}

function syncMarkdown(items: readonly SyncItem[], mismatches: readonly Mismatch[]): string {
  const parts = [
    ...mismatches.map(
      ({ revision, expected, found }) =>
        `**${revision}**: the file has another SHA-256 than is pinned: \`${found}\` instead of \`${expected ?? 'none'}\`.`,
    ),
    ...items.map((item) => {
      const draft = item.status === 'draft' ? ' (draft: it may still change)' : '';
      const head = `**${item.revision}**${draft}: ${stateText(item)}. SHA-256 \`${item.sha256}\`.`;
      const undecided = item.undecided.map(
        ({ method, members }) => `- [ ] decide in the catalog: \`${method}\`: ${members.join(', ')}`,
      );
      const diff =
        item.report !== undefined && item.report.summary.changes > 0
          ? [markdownOf(item.report, Math.floor(LONGEST / items.length))]
          : [];
      return [head, ...(undecided.length > 0 ? [undecided.join('\n')] : []), ...diff].join('\n\n');
    }),
  ];
  return parts.join('\n\n');
}
