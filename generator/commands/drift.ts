import { compareWithPackage } from '../drift/drift.js';
import { driftSections, type FindingGroup } from '../drift/groups.js';
import { driftMarkdown } from '../drift/markdown.js';
import { DRIFT_KIND_TEXTS, DRIFT_KINDS, type DriftKind, type DriftReport } from '../drift/report.js';
import { McpgenError } from '../errors.js';
import { readConfig, type ConfigFile } from '../read/config/config.js';
import { stdoutColors, showProgress, printLine, printJson } from '../terminal.js';
import { escapeHiddenCharacters } from '../text.js';
import { runTimeDriftCommand } from './drift-run-time.js';
import { booleanOption, refuseBothOptions, stringOption, stringsOption, type RawOptions } from './shared/options.js';

/** Most places that are listed for one group; `--json` lists all. */
const MAX_SHOWN_LOCATIONS = 4;

/** Most missing types that are listed. */
const MAX_SHOWN_MISSING = 20;

/** Two types that are longer together are not printed if a description of the difference exists. */
const MAX_INLINE_TYPES_LENGTH = 100;

/** The options of `mcpgen drift`. */
interface DriftOptions {
  /** A package, or the path of a file or folder. */
  readonly sdk: string;
  /** Whether its run-time schemas are compared instead of its types. */
  readonly isRunTime: boolean;
  readonly revision: string | undefined;
  /** Their names, by ours. */
  readonly names: Readonly<Record<string, string>>;
  readonly ignore: readonly string[];
  readonly exact: boolean;
  readonly json: boolean;
  readonly markdown: boolean;
  readonly config: string | undefined;
}

/** @throws {@link McpgenError} if there is no package to compare with. */
export function parseDriftOptions(raw: RawOptions): DriftOptions {
  const formats = { json: booleanOption(raw, 'json'), markdown: booleanOption(raw, 'markdown') };
  refuseBothOptions(formats, 'json', 'markdown');
  const [types, schemas] = [stringOption(raw, 'sdk'), stringOption(raw, 'zod')];
  if (types !== undefined && schemas !== undefined) {
    throw new McpgenError('--sdk and --zod cannot be combined', {
      place: '--zod',
      remedy: 'Compare types and schemas in two runs.',
    });
  }
  const sdk = types ?? schemas;
  if (sdk === undefined) {
    throw new McpgenError('nothing to compare with', {
      place: '--sdk',
      remedy: 'Pass a package or a path, as in --sdk @modelcontextprotocol/sdk/types.js.',
    });
  }
  return {
    ...formats,
    sdk,
    isRunTime: schemas !== undefined,
    revision: stringOption(raw, 'revision'),
    names: parseNamePairs(stringsOption(raw, 'name') ?? []),
    ignore: stringsOption(raw, 'ignore') ?? [],
    exact: booleanOption(raw, 'exact'),
    config: stringOption(raw, 'config'),
  };
}

/** `mcpgen drift`: compares a package's types with a revision. Returns the exit code. */
export async function driftCommand(options: DriftOptions): Promise<number> {
  const { sdk, names } = options;
  const config = await readConfig(process.cwd(), options.config);
  const revision = options.revision ?? singleConfiguredRevision(config);
  const settings = {
    ...(revision === undefined ? {} : { revision }),
    names: { ...config?.config.drift?.names, ...names },
    placeOfName: (name: string) =>
      config === undefined || Object.hasOwn(names, name) ? '--name' : config.placeOf('drift', 'names', name),
    ignore: [...(config?.config.drift?.ignore ?? []), ...options.ignore],
    exact: options.exact,
  };
  if (options.isRunTime) return runTimeDriftCommand({ module: sdk, ...settings }, options);
  showProgress(`Comparing ${escapeHiddenCharacters(sdk)}`);
  const report = await compareWithPackage({ sdk, ...settings }).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error;
    throw new McpgenError('its types are nested deeper than the compiler can read', {
      place: `--sdk ${sdk}`,
      remedy: 'Check that this is the right file.',
      cause: error,
    });
  });
  showProgress('');
  if (options.json) printJson(report);
  else if (options.markdown) printLine(driftMarkdown(report).trimEnd());
  else printDriftReport(report);
  return report.drift ? 1 : 0;
}

/** The default revision: that of a config with exactly one. */
function singleConfiguredRevision(config: ConfigFile | undefined): string | undefined {
  const [first, second] = config?.config.revisions ?? [];
  return second === undefined ? first : undefined;
}

function parseNamePairs(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [ours = '', theirs = '', ...more] = pair.split('=').map((part) => part.trim());
      if (ours !== '' && theirs !== '' && more.length === 0) return [ours, theirs];
      throw new McpgenError(`${JSON.stringify(pair)} does not map a name to another`, {
        place: '--name',
        remedy: "Write the protocol's name first: --name CallToolResult=ToolResult.",
      });
    }),
  );
}

const KIND_COLORS: Readonly<Record<DriftKind, (text: string) => string>> = {
  different: stdoutColors.red,
  any: stdoutColors.red,
  unresolved: stdoutColors.red,
  narrower: stdoutColors.yellow,
  wider: stdoutColors.yellow,
  missing: stdoutColors.magenta,
  extra: stdoutColors.cyan,
};

function printDriftReport(report: DriftReport): void {
  const { package: packageInfo, revision, summary } = report;
  const { counted, explained } = driftSections(report);
  const version = packageInfo.version === undefined ? '' : ` ${packageInfo.version}`;
  printEscaped(
    `${stdoutColors.bold(escapeForTerminal(packageInfo.specifier + version))} against ${stdoutColors.bold(revision)}`,
  );
  printEscaped(stdoutColors.dim(escapeForTerminal(packageInfo.entry)));
  for (const { kind, groups, findings } of counted) {
    printEscaped();
    printEscaped(`${KIND_COLORS[kind](kind)} (${findings}): ${DRIFT_KIND_TEXTS[kind]}`);
    printFindingGroups(groups);
  }
  const missing = report.definitions.filter(({ status }) => status === 'missing');
  if (missing.length > 0) {
    printEscaped();
    printEscaped(`${stdoutColors.magenta('missing types')} (${missing.length}): no export corresponds to them`);
    const shown = missing.slice(0, MAX_SHOWN_MISSING);
    for (const row of wrapWords(shown.map(({ name }) => name))) printEscaped(`  ${row}`);
    const rest = missing.length - shown.length;
    if (rest > 0) printEscaped(stdoutColors.dim(`  and ${rest} more (--json lists them)`));
  }
  if (explained.length > 0) {
    printEscaped();
    printEscaped(
      `${stdoutColors.green('explained by errata')} (${summary.errata}): theirs follows the schema as published`,
    );
    printFindingGroups(explained);
  }
  printEscaped();
  for (const note of report.notes) printEscaped(`${stdoutColors.yellow('note')}: ${escapeForTerminal(note)}`);
  if (report.equivalences.length > 0) {
    const ids = report.equivalences.map(({ id, times }) => `${id} ${times}`).join(', ');
    printEscaped(stdoutColors.dim(`Treated as equal: ${ids} (--json lists the reasons, --exact disables this)`));
  }
  printEscaped(summaryLine(report));
}

function summaryLine({ drift, summary, otherExports }: DriftReport): string {
  const kinds = DRIFT_KINDS.flatMap((kind) =>
    summary.findings[kind] === 0 ? [] : `${summary.findings[kind]} ${kind}`,
  );
  const definitions = [
    `${summary.same} the same`,
    `${summary.drift} differ`,
    `${summary.missing} missing`,
    ...(summary.ignored === 0 ? [] : [`${summary.ignored} ignored`]),
  ].join(', ');
  const verdict = drift ? stdoutColors.red('Drift') : stdoutColors.green('No drift');
  const found = kinds.length === 0 ? '' : `; findings: ${kinds.join(', ')}`;
  const others = otherExports.length === 0 ? '' : `; ${otherExports.length} exported types are not definitions`;
  return `${verdict}: ${summary.definitions} definitions, ${definitions}${found}${others}`;
}

function printFindingGroups(groups: readonly FindingGroup[]): void {
  for (const { places, more, theirs, ours, detail, erratum } of groups) {
    const [first = '', ...others] = places;
    const types = `theirs ${theirs}, ours ${ours}`;
    const isLong = types.length > MAX_INLINE_TYPES_LENGTH;
    const what = detail === undefined ? types : isLong ? detail : `${types} (${detail})`;
    const why = erratum === undefined ? '' : ` [${erratum}]`;
    printEscaped(
      `  ${stdoutColors.bold(escapeForTerminal(first))}: ${escapeForTerminal(what)}${stdoutColors.green(why)}`,
    );
    const shown = others.slice(0, MAX_SHOWN_LOCATIONS);
    const rest = others.length - shown.length;
    const also = [
      ...shown.map(escapeForTerminal),
      ...(rest === 0 ? [] : [`${rest} more`]),
      ...(more === 0 ? [] : [`${more} ${more === 1 ? 'place that uses' : 'places that use'} it`]),
    ];
    if (also.length > 0) printEscaped(stdoutColors.dim(`    also ${also.join(', ')}`));
  }
}

/** Wraps words into lines of at most 100 columns. */
function wrapWords(words: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > 96) lines.push(word);
    else lines[lines.length - 1] = `${last}, ${word}`;
  }
  return lines;
}

/** Text from a package must not control the terminal. */
function escapeForTerminal(value: string): string {
  return escapeHiddenCharacters(value);
}

function printEscaped(value = ''): void {
  printLine(value);
}
