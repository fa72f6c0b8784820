import { McpgenError } from '../errors.js';
import { check, generate, renderAll, type CheckResult, type GenerateOptions, type GenerateResult } from '../index.js';
import { isSettled } from '../output/plan.js';
import { originOf } from '../output/ownership.js';
import { colour, progress, say, sayJson, table, type Cell } from '../terminal.js';
import { escapeHidden, shellQuoted } from '../text.js';
import { asJson, count, noteWarning, sayWrong, shown, tally } from './changes.js';
import { planOf, type Plan } from './generate-plan.js';
import { methodNews, sayMethodNews, type MethodNews } from './method-news.js';
import { flag, optionOf, refuseBoth, texts } from './options.js';
import { naming, settingsOf, type Settings } from './settings.js';

/** `mcpgen generate`: writes, checks, watches or only plans. Returns the exit code. */
export async function generateCommand(given: Record<string, unknown>): Promise<number> {
  if (flag(given, 'watch')) {
    const { watchCommand } = await import('./watch.js');
    return watchCommand(given);
  }
  const settings = await settingsOf(given);
  return naming(settings, given, async () => generateOnce(await planOf(settings), settings, given));
}

/** @param given - What the command line alone says. */
async function generateOnce(plan: Plan, settings: Settings, given: Record<string, unknown>): Promise<number> {
  const { out, options } = plan;
  const { flags } = settings;
  if (out === '-') return toStandardOutput(options, flags);
  if (flag(flags, 'check')) {
    refuseBoth(flags, 'check', 'dryRun', 'Both write nothing; --check sets the exit code.');
    const result = await check(options);
    progress('');
    // Set before anything is printed: a reader that closes the pipe early must not turn a failed check into a passed one.
    process.exitCode = result.upToDate ? 0 : 1;
    const news = await methodNews(result, plan, settings, given);
    report(result, news, flags, given, () => {
      reportCheck(result, out, given);
    });
    return result.upToDate ? 0 : 1;
  }
  const result = await generate(options);
  progress('');
  report(result, await methodNews(result, plan, settings, given), flags, given, () => {
    reportGenerate(result, out, options.dryRun === true);
  });
  return 0;
}

async function toStandardOutput(options: GenerateOptions, flags: Record<string, unknown>): Promise<number> {
  for (const name of ['check', 'dryRun', 'json'] as const) {
    if (!flag(flags, name)) continue;
    throw new McpgenError(`${optionOf(name)} needs an output folder`, {
      place: '--out -',
      remedy: 'Give --out DIR.',
    });
  }
  const { files, warnings } = await renderAll(options);
  progress('');
  // With one part asked for, what it needs would only be in the way of a reader who redirects into a file.
  const [only = '', second] = options.emit ?? [];
  const name = only === 'stubs' ? 'handlers' : only;
  const wanted =
    only === '' || second !== undefined ? files : files.filter((file) => file.path.endsWith(`/${name}.ts`));
  for (const file of wanted) {
    process.stdout.write(wanted.length === 1 ? file.contents : `// file: ${file.path}\n${file.contents}\n`);
  }
  for (const warning of warnings) noteWarning(warning);
  return 0;
}

function report(
  result: GenerateResult,
  news: MethodNews,
  flags: Record<string, unknown>,
  given: Record<string, unknown>,
  human: () => void,
): void {
  if (!flag(flags, 'json')) {
    for (const warning of result.warnings) noteWarning(warning);
    human();
    sayMethodNews(news);
    return;
  }
  const { upToDate } = result as Partial<CheckResult>;
  const summary = {
    out: result.out,
    ...(upToDate === undefined ? {} : { upToDate }),
    revisions: result.protocols.map((protocol) => ({
      revision: protocol.revision,
      definitions: protocol.definitions.length,
      methods: protocol.methods.length,
      sha256: protocol.source.sha256,
      errata: protocol.errata.map((erratum) => erratum.id),
    })),
    dryRun: flag(flags, 'dryRun'),
    files: result.changes.map((change) => asJson(change, upToDate !== undefined)),
    ...news,
    ...(upToDate === false ? { mend: mendingCommand(given) } : {}),
    warnings: result.warnings,
  };
  sayJson(summary);
}

function reportGenerate(result: GenerateResult, out: string, dryRun: boolean): void {
  const filesIn = (folder: string): Cell => {
    const own = result.changes.filter((change) => change.path.startsWith(`${folder}/`));
    return { text: tally(own, dryRun) };
  };
  const rows = result.protocols.map((protocol): Cell[] => [
    { text: protocol.revision, paint: colour.cyan },
    { text: String(protocol.definitions.length) },
    { text: String(protocol.methods.length) },
    { text: String(protocol.errata.length) },
    filesIn(protocol.revision),
  ]);
  for (const folder of ['tools', 'runtime']) {
    const files = filesIn(folder);
    if (files.text !== '') rows.push([{ text: folder }, { text: '-' }, { text: '-' }, { text: '-' }, files]);
  }
  say(table(['revision', 'definitions', 'methods', 'errata', 'files'], rows));
  for (const change of result.changes.filter((item) => item.status === 'orphaned')) {
    say(`${dryRun ? 'would remove' : 'removed'} ${escapeHidden(change.path)}`);
  }
  for (const change of result.changes.filter((item) => item.status === 'kept')) {
    const isEdited = originOf(change.path, change.actual ?? '') === 'edited';
    const why = isEdited ? 'edited since mcpgen wrote it; delete it if nothing needs it' : 'it is yours';
    say(`kept ${escapeHidden(change.path)}: ${why}`);
  }
  const all = result.changes.length;
  say(
    `\n${count(all, 'file')} in ${shown(out)}: ${tally(result.changes, dryRun)}${dryRun ? '; nothing was written' : ''}`,
  );
}

function reportCheck(result: CheckResult, out: string, given: Record<string, unknown>): void {
  const wrong = result.changes.filter((change) => !isSettled(change));
  if (wrong.length === 0) {
    say(`${count(result.changes.length, 'file')} in ${shown(out)}: all up to date`);
    return;
  }
  sayWrong(wrong, out);
  say(
    `\n${wrong.length} of ${count(result.changes.length, 'file')} not up to date. To mend it:\n  ${escapeHidden(mendingCommand(given))}`,
  );
}

/** The command line that was given, without `--check`; what the config says needs no flag. */
function mendingCommand(given: Record<string, unknown>): string {
  const option = (name: string, value: unknown): string[] =>
    typeof value === 'string' ? [`--${name} ${shellQuoted(value)}`] : [];
  return [
    'mcpgen generate',
    ...option('config', given['config']),
    ...texts(given, 'revision').map((revision) => `--revision ${shellQuoted(revision)}`),
    ...option('schema', given['schema']),
    ...option('catalog', given['catalog']),
    ...option('emit', given['emit']),
    ...option('methods', given['methods']),
    ...option('import-extension', given['importExtension']),
    ...(given['errata'] === false ? ['--no-errata'] : []),
    ...option('out', given['out']),
    ...(flag(given, 'allowOutside') ? ['--allow-outside'] : []),
  ].join(' ');
}
