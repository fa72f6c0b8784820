import { compareWithPackage } from '../drift/drift.js';
import { sectionsOf, type FindingGroup } from '../drift/groups.js';
import { driftMarkdown } from '../drift/markdown.js';
import { KIND_TEXTS, KINDS, type DriftKind, type DriftReport } from '../drift/report.js';
import { McpgenError } from '../errors.js';
import { readConfig, type ConfigFile } from '../read/config.js';
import { colour, progress, say, sayJson } from '../terminal.js';
import { escapeHidden } from '../text.js';
import { flag, refuseBoth, text, texts } from './options.js';

/** Places that are shown of one group; `--json` has them all. */
const SHOWN_PLACES = 4;

/** Two types together longer than this are not shown where words say what differs. */
const LONG_TYPES = 100;

/** `mcpgen drift`: holds a package's types against a revision. Returns the exit code. */
export async function driftCommand(flags: Record<string, unknown>): Promise<number> {
  refuseBoth(flags, 'json', 'markdown');
  const sdk = text(flags, 'sdk');
  if (sdk === undefined) {
    throw new McpgenError('nothing is named to compare with', {
      place: '--sdk',
      remedy: 'Give a package or a path, as in --sdk @modelcontextprotocol/sdk/types.js.',
    });
  }
  const config = await readConfig(process.cwd(), text(flags, 'config'));
  const given = namesOf(texts(flags, 'name'));
  const revision = text(flags, 'revision') ?? onlyRevision(config);
  progress(`Comparing ${escapeHidden(sdk)}`);
  const report = await compareWithPackage({
    sdk,
    ...(revision === undefined ? {} : { revision }),
    names: { ...config?.config.drift?.names, ...given },
    placeOfName: (name) =>
      config === undefined || Object.hasOwn(given, name) ? '--name' : config.placeOf('drift', 'names', name),
    ignore: [...(config?.config.drift?.ignore ?? []), ...texts(flags, 'ignore')],
    exact: flag(flags, 'exact'),
  }).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error;
    throw new McpgenError('its types are nested deeper than the compiler can read', {
      place: `--sdk ${sdk}`,
      remedy: 'Check that this is the right file.',
      cause: error,
    });
  });
  progress('');
  if (flag(flags, 'json')) sayJson(report);
  else if (flag(flags, 'markdown')) say(driftMarkdown(report).trimEnd());
  else show(report);
  return report.drift ? 1 : 0;
}

/** A project that is of one revision compares with that one. */
function onlyRevision(config: ConfigFile | undefined): string | undefined {
  const [first, second] = config?.config.revisions ?? [];
  return second === undefined ? first : undefined;
}

function namesOf(pairs: readonly string[]): Readonly<Record<string, string>> {
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

const PAINTS: Readonly<Record<DriftKind, (text: string) => string>> = {
  different: colour.red,
  any: colour.red,
  unresolved: colour.red,
  narrower: colour.yellow,
  wider: colour.yellow,
  missing: colour.magenta,
  extra: colour.cyan,
};

function show(report: DriftReport): void {
  const { package: pack, revision, summary } = report;
  const { counted, explained } = sectionsOf(report);
  const version = pack.version === undefined ? '' : ` ${pack.version}`;
  line(`${colour.bold(safe(pack.specifier + version))} against ${colour.bold(revision)}`);
  line(colour.dim(safe(pack.entry)));
  for (const { kind, groups, findings } of counted) {
    line();
    line(`${PAINTS[kind](kind)} (${findings}): ${KIND_TEXTS[kind]}`);
    showGroups(groups);
  }
  const missing = report.definitions.filter(({ status }) => status === 'missing');
  if (missing.length > 0) {
    line();
    line(`${colour.magenta('missing types')} (${missing.length}): no export stands for them`);
    for (const row of rows(missing.map(({ name }) => name))) line(`  ${row}`);
  }
  if (explained.length > 0) {
    line();
    line(`${colour.green('explained by errata')} (${summary.errata}): theirs follows the schema as it was published`);
    showGroups(explained);
  }
  line();
  for (const note of report.notes) line(`${colour.yellow('note')}: ${safe(note)}`);
  if (report.equivalences.length > 0) {
    const ids = report.equivalences.map(({ id, times }) => `${id} ${times}`).join(', ');
    line(colour.dim(`Taken as equal: ${ids} (--json says why, --exact takes nothing as equal)`));
  }
  line(summaryLine(report));
}

function summaryLine({ drift, summary, otherExports }: DriftReport): string {
  const kinds = KINDS.flatMap((kind) => (summary.findings[kind] === 0 ? [] : `${summary.findings[kind]} ${kind}`));
  const definitions = [
    `${summary.same} the same`,
    `${summary.drift} differ`,
    `${summary.missing} missing`,
    ...(summary.ignored === 0 ? [] : [`${summary.ignored} ignored`]),
  ].join(', ');
  const verdict = drift ? colour.red('Drift') : colour.green('No drift');
  const found = kinds.length === 0 ? '' : `; findings: ${kinds.join(', ')}`;
  const others = otherExports.length === 0 ? '' : `; ${otherExports.length} exported types are no definitions`;
  return `${verdict}: ${summary.definitions} definitions, ${definitions}${found}${others}`;
}

function showGroups(groups: readonly FindingGroup[]): void {
  for (const { places, more, theirs, ours, detail, erratum } of groups) {
    const [first = '', ...others] = places;
    const types = `theirs ${theirs}, ours ${ours}`;
    const isLong = types.length > LONG_TYPES;
    const what = detail === undefined ? types : isLong ? detail : `${types} (${detail})`;
    const why = erratum === undefined ? '' : ` [${erratum}]`;
    line(`  ${colour.bold(safe(first))}: ${safe(what)}${colour.green(why)}`);
    const shown = others.slice(0, SHOWN_PLACES);
    const rest = others.length - shown.length;
    const also = [
      ...shown.map(safe),
      ...(rest === 0 ? [] : [`${rest} more`]),
      ...(more === 0 ? [] : [`${more} ${more === 1 ? 'place that uses' : 'places that use'} it`]),
    ];
    if (also.length > 0) line(colour.dim(`    also ${also.join(', ')}`));
  }
}

/** Words in lines of at most 100 columns. */
function rows(words: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > 96) lines.push(word);
    else lines[lines.length - 1] = `${last}, ${word}`;
  }
  return lines;
}

/** What a package says must not steer the terminal. */
function safe(value: string): string {
  return escapeHidden(value);
}

function line(value = ''): void {
  say(value);
}
