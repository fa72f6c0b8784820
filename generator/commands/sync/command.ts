import path from 'node:path';
import { diagnosticJson, McpgenError } from '../../errors.js';
import { MAX_MARKDOWN_LENGTH, diffMarkdown } from '../../print/diff/markdown.js';
import { summaryText } from '../../print/diff/report.js';
import { isBelow, displayPath } from '../../paths.js';
import { builtinRevisions } from '../../read/builtin/revisions.js';
import { readConfig, type ConfigFile } from '../../read/config/config.js';
import { isRemoteSource, type SchemaSubject } from '../../read/schema/source.js';
import { stdoutColors, printWarning, showProgress, printLine, printJson } from '../../terminal.js';
import { escapeHiddenCharacters } from '../../text.js';
import { printDiffReport } from '../diff/terminal.js';
import { projectCommand } from '../shared/project.js';
import type { SyncOptions } from './options.js';
import { planConfigPins } from './pin.js';
import { planSync, type Mismatch, type SyncItem, type SyncRequest } from './plan.js';
import { writeChanges } from '../../output/write.js';
import type { FileChange } from '../../output/plan.js';

export { parseSyncOptions } from './options.js';

/** `mcpgen sync`: updates schemas and catalogs from their sources. Returns the exit code. */
export async function syncCommand(options: SyncOptions): Promise<number> {
  const { check, updatePin, json, markdown } = options;
  const config = await readConfig(process.cwd(), options.config);
  const requests = syncRequests(options, config);
  const plan = await planSync(requests, {
    out: path.resolve(options.out),
    prose: options.prose,
    seconds: options.timeoutSeconds,
    acceptPins: updatePin,
    onProgress: (place) => {
      showProgress(`fetching ${escapeHiddenCharacters(place)}`);
    },
  });
  showProgress('');
  const [first] = plan.mismatches;
  if (first !== undefined && !check) throw mismatchError(first, plan.mismatches.length);
  const pins = updatePin ? planConfigPins(config, requests, plan.items) : undefined;
  const isSettled = plan.mismatches.length === 0 && plan.changes.every(({ status }) => status === 'unchanged');
  if (!check) writeSyncChanges([...plan.changes, ...(pins === undefined ? [] : [pins])]);
  if (json) printSyncPlanJson(plan.items, plan.mismatches, isSettled, pins);
  else if (markdown) printLine(syncMarkdown(plan.items, plan.mismatches));
  else printSyncPlan(plan.items, plan.mismatches, check, pins);
  for (const item of plan.items) printSyncNotices(item);
  return check && !isSettled ? 1 : 0;
}

function syncRequests(options: SyncOptions, config: ConfigFile | undefined): readonly SyncRequest[] {
  const { from } = options;
  const configured = config?.config.sync ?? {};
  const subjects = syncSubjects(options, Object.keys(configured));
  if (subjects.length === 0) {
    throw new McpgenError('no revision given', {
      place: 'mcpgen sync',
      remedy: 'Pass --revision R or --extension ID, or write the key "sync" into the config.',
    });
  }
  if (from !== undefined && subjects.length > 1 && isRemoteSource(from)) {
    throw new McpgenError('one URL cannot be the source of several revisions', {
      place: '--from',
      remedy: 'Pass one --revision or --extension, or a folder.',
    });
  }
  return subjects.map((subject) => {
    checkName(subject);
    const { name } = subject;
    const configuredSync = Object.hasOwn(configured, name) ? configured[name] : undefined;
    // A path of the config is relative to its folder.
    const source =
      configuredSync === undefined || isRemoteSource(configuredSync.source)
        ? configuredSync?.source
        : path.resolve(config?.folder ?? '', configuredSync.source);
    const chosen = from ?? source;
    return {
      ...subject,
      ...(chosen === undefined ? {} : { source: chosen, named: from ?? configuredSync?.source ?? chosen }),
      ...(configuredSync?.sha256 === undefined ? {} : { pin: configuredSync.sha256 }),
    };
  });
}

/** What to sync: what the options name, else what the config has. Only an identifier of an extension has a slash. */
function syncSubjects({ revisions, extensions }: SyncOptions, configured: readonly string[]): readonly SchemaSubject[] {
  const isRequested = revisions !== undefined || extensions !== undefined;
  const names = isRequested ? [] : configured;
  return [...new Set([...(revisions ?? []), ...names.filter((name) => !name.includes('/'))])]
    .map((name): SchemaSubject => ({ kind: 'revision', name }))
    .concat(
      [...new Set([...(extensions ?? []), ...names.filter((name) => name.includes('/'))])].map((name) => ({
        kind: 'extension',
        name,
      })),
    );
}

function checkName({ kind, name }: SchemaSubject): void {
  if (kind === 'revision' && !/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new McpgenError(`${JSON.stringify(name).slice(0, 80)} is not a valid name for a revision`, {
      place: '--revision',
      remedy: 'Use letters, digits, dots, hyphens and underscores, at most 64; it becomes the name of a folder.',
    });
  }
  if (
    kind === 'extension' &&
    (name.length > 200 || !/^[A-Za-z][A-Za-z0-9.-]*\/[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
  ) {
    throw new McpgenError(`${JSON.stringify(name).slice(0, 80)} is not the identifier of an extension`, {
      place: '--extension',
      remedy: 'Write the reversed domain of the vendor, a slash and a name, as in io.modelcontextprotocol/tasks.',
    });
  }
}

function mismatchError({ kind, name, place, expected, found, pinnedBy }: Mismatch, count: number): McpgenError {
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  if (expected === undefined) {
    return new McpgenError(`${kind} ${name} is not a draft, and no SHA-256 is pinned for it${more}; found ${found}`, {
      place,
      remedy: 'Check the file, then accept it with --update-pin. Nothing was written.',
    });
  }
  return new McpgenError(
    `the SHA-256 of ${name} does not match${more}\n  expected ${expected} (${pinnedBy})\n  found    ${found}`,
    {
      place,
      remedy: 'If the change is intended, accept it with --update-pin. Nothing was written.',
    },
  );
}

function writeSyncChanges(changes: readonly FileChange[]): void {
  const written = changes.filter(({ status }) => status !== 'unchanged');
  if (written.length === 0) return;
  // One call writes everything or nothing, from the common parent folder.
  const folder = commonParent(written.map(({ path: file }) => path.dirname(file)));
  writeChanges(
    folder,
    written.map((change) => ({ ...change, path: path.relative(folder, change.path) })),
  );
}

function commonParent(folders: readonly string[]): string {
  let [common = ''] = folders;
  while (!folders.every((folder) => isBelow(common, folder))) common = path.dirname(common);
  return common;
}

function printSyncPlan(
  items: readonly SyncItem[],
  mismatches: readonly Mismatch[],
  isCheck: boolean,
  pins: FileChange | undefined,
): void {
  for (const { name, place, expected, found } of mismatches) {
    printLine(`${stdoutColors.red('✗')} ${stdoutColors.bold(name)}  the SHA-256 does not match the pinned one`);
    printLine(
      `    ${escapeHiddenCharacters(place)}\n    expected ${expected ?? 'a pinned one'}\n    found    ${found}`,
    );
  }
  for (const item of items) {
    const sign =
      item.state === 'unchanged' ? stdoutColors.green('✓') : isCheck ? stdoutColors.red('✗') : stdoutColors.cyan('+');
    const draft = item.status === 'draft' ? stdoutColors.yellow(' draft') : '';
    printLine(`${sign} ${stdoutColors.bold(item.name)}${draft}  ${describeState(item)}`);
    printLine(stdoutColors.dim(`    ${escapeHiddenCharacters(item.source)}\n    sha256 ${item.sha256}`));
    for (const file of item.files.filter(({ status }) => status !== 'unchanged')) {
      printLine(`    ${isCheck ? 'would write' : 'wrote'} ${escapeHiddenCharacters(displayPath(file.path))}`);
    }
    const schema = item.files.find(({ path: file }) => path.basename(file) === 'schema.json');
    if (item.state === 'new' && item.status === 'draft' && !isCheck && schema !== undefined)
      printLine(stdoutColors.dim(`    what it changes: ${diffWithNewest(displayPath(schema.path))}`));
    if (item.report !== undefined && item.report.summary.changes > 0) {
      printLine();
      printDiffReport(item.report);
      printLine();
    }
  }
  if (pins !== undefined && pins.status !== 'unchanged')
    printLine(`  pinned in ${escapeHiddenCharacters(displayPath(pins.path))}`);
}

/** The command that compares a schema with the newest revision that is released. */
function diffWithNewest(file: string): string {
  const released = builtinRevisions().filter(({ status }) => status === 'released');
  const newest = released.at(-1)?.revision ?? '';
  return escapeHiddenCharacters(projectCommand(process.cwd(), 'diff', { words: [newest, file] }));
}

function describeState({ state, report }: SyncItem): string {
  if (state === 'unchanged') return 'up to date';
  if (state === 'new') return 'new';
  if (report === undefined || report.summary.changes === 0) return 'changed, but not in structure';
  return `changed: ${summaryText(report)}`;
}

function printSyncNotices({ name, undecided, warnings }: SyncItem): void {
  for (const warning of warnings) printWarning(warning);
  for (const { method, members } of undecided) {
    printWarning({ place: `${name}: ${method}`, message: `undecided in the catalog: ${members.join(', ')}` });
  }
}

function printSyncPlanJson(
  items: readonly SyncItem[],
  mismatches: readonly Mismatch[],
  upToDate: boolean,
  pins: FileChange | undefined,
): void {
  const itemsOf = (wanted: SchemaSubject['kind']): readonly object[] =>
    items
      .filter(({ kind }) => kind === wanted)
      .map(({ report, files, warnings, kind, name, ...item }) => ({
        [kind]: name,
        ...item,
        warnings: warnings.map(diagnosticJson),
        files: files.map(({ path: file, status }) => ({ path: displayPath(file), status })),
        diff: report ?? null,
      }));
  printJson({
    upToDate,
    revisions: itemsOf('revision'),
    extensions: itemsOf('extension'),
    mismatches: mismatches.map(({ kind, name, expected, ...item }) => ({
      [kind]: name,
      ...item,
      expected: expected ?? null,
    })),
    pinsWritten: pins !== undefined && pins.status !== 'unchanged' ? displayPath(pins.path) : null,
  });
}

function syncMarkdown(items: readonly SyncItem[], mismatches: readonly Mismatch[]): string {
  const parts = [
    ...mismatches.map(
      ({ name, expected, found }) =>
        `**${name}**: the SHA-256 does not match the pinned one: \`${found}\` instead of \`${expected ?? 'none'}\`.`,
    ),
    ...items.map((item) => {
      const draft = item.status === 'draft' ? ' (draft: it may still change)' : '';
      const head = `**${item.name}**${draft}: ${describeState(item)}. SHA-256 \`${item.sha256}\`.`;
      const undecided = item.undecided.map(
        ({ method, members }) => `- [ ] decide in the catalog: \`${method}\`: ${members.join(', ')}`,
      );
      const diff =
        item.report !== undefined && item.report.summary.changes > 0
          ? [diffMarkdown(item.report, Math.floor(MAX_MARKDOWN_LENGTH / items.length))]
          : [];
      return [head, ...(undecided.length > 0 ? [undecided.join('\n')] : []), ...diff].join('\n\n');
    }),
  ];
  return parts.join('\n\n');
}
