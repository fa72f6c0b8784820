import { builtinCatalogs, requireRevision } from '../read/builtin/revisions.js';
import {
  methodHistories,
  methodsOfCatalogs,
  type MethodHistory,
  type RevisionMethods,
} from '../model/catalog/history.js';
import { directionWord, sideWords, type Method, type Protocol } from '../model/protocol.js';
import { stdoutColors, printToStderr, printLine, printJson, formatTable, type Cell } from '../terminal.js';
import { hasExtensions, parseExtensionOptions, type ExtensionOptions } from './shared/extensions.js';
import { historyOf, loadForLookup } from './shared/lookup.js';
import { booleanOption, refuseBothOptions, stringOption, type RawOptions } from './shared/options.js';

/** What says how the sides of a method's protocol are called, and which extension it belongs to. */
type MethodSource = Pick<Protocol, 'traits' | 'partOf'> & { readonly name?: string };

interface MethodRow {
  readonly method: Method;
  readonly history: MethodHistory;
  readonly source: MethodSource;
}

/** The options of `mcpgen methods`. */
interface MethodsOptions extends ExtensionOptions {
  readonly revision: string | undefined;
  readonly direction: string | undefined;
  readonly kind: string | undefined;
  readonly json: boolean;
  readonly markdown: boolean;
}

export function parseMethodsOptions(raw: RawOptions): MethodsOptions {
  const options = {
    ...parseExtensionOptions(raw),
    revision: stringOption(raw, 'revision'),
    direction: stringOption(raw, 'direction'),
    kind: stringOption(raw, 'kind'),
    json: booleanOption(raw, 'json'),
    markdown: booleanOption(raw, 'markdown'),
  };
  refuseBothOptions(options, 'json', 'markdown');
  return options;
}

/** `mcpgen methods`: prints the catalog as a table. Returns the exit code. */
export async function methodsCommand(options: MethodsOptions): Promise<number> {
  const { direction, kind, json, markdown } = options;
  const lists = await requestedMethods(options);
  const rows = lists.flatMap(({ protocols, shown, source }) =>
    methodHistories(protocols).flatMap((history): MethodRow[] => {
      const method = shown === undefined ? [...history.rows.values()].at(-1) : history.rows.get(shown);
      if (method === undefined) return [];
      if (direction !== undefined && directionWord(source, method.direction) !== direction) return [];
      return kind === undefined || method.kind === kind ? [{ method, history, source }] : [];
    }),
  );
  if (json) {
    printJson(rows.map(({ method, history, source }) => methodJson(source, method, history)));
    return 0;
  }
  if (markdown) {
    printLine(methodTableMarkdown(rows, hasExtensions(options)));
    return 0;
  }
  if (rows.length === 0) {
    printToStderr('No method of that kind and direction.');
    return 0;
  }
  const [head, cells] = hasExtensions(options)
    ? [
        [...TABLE_HEAD, EXTENSION_COLUMN],
        rows.map((row): Cell[] => [...methodCells(row), { text: extensionColumn(row), paint: stdoutColors.dim }]),
      ]
    : [TABLE_HEAD, rows.map(methodCells)];
  printLine(formatTable(head, cells, process.stdout.isTTY ? process.stdout.columns : undefined));
  const requests = rows.filter(({ method }) => method.kind === 'request').length;
  const which = lists.map(
    ({ source, shown }) =>
      source.name ?? (shown === undefined ? 'all revisions, as of the newest that has each' : `revision ${shown}`),
  );
  printLine(
    `\n${rows.length} methods: ${requests} requests, ${rows.length - requests} notifications (${which.join('; ')})`,
  );
  return 0;
}

/** Methods with one history: those of revisions, or of the protocol of an extension. */
interface MethodList {
  readonly protocols: readonly RevisionMethods[];
  /** The revision of which they are printed; of the newest that has each if undefined. */
  readonly shown: string | undefined;
  readonly source: MethodSource;
}

/** The methods of revisions with those of the requested extensions, and those of the protocols of these. */
async function requestedMethods(options: MethodsOptions): Promise<readonly MethodList[]> {
  const { revision } = options;
  if (!hasExtensions(options)) {
    if (revision !== undefined) requireRevision(revision);
    return [{ protocols: methodsOfCatalogs(builtinCatalogs()), shown: revision, source: { traits: {} } }];
  }
  const { shown, revisions } = await loadForLookup(revision, options);
  const others = shown.filter(({ partOf }) => partOf !== undefined);
  return [
    ...(shown.length === others.length ? [] : [{ protocols: revisions, shown: revision, source: { traits: {} } }]),
    ...others.map((protocol) => ({ protocols: historyOf(protocol, revisions), shown: undefined, source: protocol })),
  ];
}

const EXTENSION_COLUMN = 'extension';

function extensionColumn({ method, source }: MethodRow): string {
  return method.extension ?? source.partOf ?? '-';
}

const TABLE_HEAD: readonly string[] = [
  'method',
  'sent by',
  'kind',
  'since',
  'status',
  'params',
  'result',
  'capability',
];

function senderOf({ method, source }: MethodRow): string {
  const { client, server } = sideWords(source);
  return { clientToServer: client, serverToClient: server, both: 'both', embedded: 'inside results' }[method.direction];
}

/** The columns of a row, as plain text. */
function methodColumns(row: MethodRow): readonly string[] {
  const { method, history } = row;
  const { results, taskResult } = method;
  return [
    method.name,
    senderOf(row),
    method.kind,
    history.since,
    methodStatus(row),
    method.params ?? '-',
    [...results, ...(taskResult === undefined ? [] : [`${taskResult} for a task`])].join(' | ') || '-',
    method.capabilities.join(' | ') || '-',
  ];
}

function methodStatus({ method, history }: MethodRow): string {
  const parts = [
    ...(method.deprecated === undefined ? [] : ['deprecated']),
    ...(history.embeddedSince === undefined ? [] : [`embedded since ${history.embeddedSince}`]),
    ...(history.gone === undefined ? [] : [`gone in ${history.gone}`]),
  ];
  return parts.join(', ') || '-';
}

function methodCells(item: MethodRow): readonly Cell[] {
  const [name = '', sender = '', kind = '', since = '', status = '', ...rest] = methodColumns(item);
  const faded = item.history.gone !== undefined;
  return [
    { text: name, paint: faded ? stdoutColors.dim : stdoutColors.cyan },
    { text: sender },
    { text: kind, paint: item.method.kind === 'request' ? stdoutColors.green : stdoutColors.magenta },
    { text: since },
    { text: status, paint: status === '-' ? stdoutColors.dim : stdoutColors.yellow },
    ...rest.map((text): Cell => ({ text, paint: stdoutColors.dim })),
  ];
}

function methodTableMarkdown(rows: readonly MethodRow[], hasColumn: boolean): string {
  const head = hasColumn ? [...TABLE_HEAD, EXTENSION_COLUMN] : TABLE_HEAD;
  const columns = (row: MethodRow): readonly string[] => [
    ...methodColumns(row),
    ...(hasColumn ? [extensionColumn(row)] : []),
  ];
  const line = (items: readonly string[]): string => `| ${items.join(' | ')} |`;
  const code = (item: string, column: number): string =>
    [0, 5, 6, 7, 8].includes(column) && item !== '-'
      ? item
          .split(' | ')
          .map((part) => `\`${part}\``)
          .join(' or ')
      : item;
  return [line(head), line(head.map(() => '---')), ...rows.map((row) => line(columns(row).map(code)))].join('\n');
}

/** A method as `methods` and `explain` print it with `--json`: its catalog row and its history. */
export function methodJson(source: MethodSource, method: Method, history: MethodHistory): object {
  return {
    ...method,
    direction: directionWord(source, method.direction),
    ...(source.partOf === undefined ? {} : { extension: source.partOf }),
    since: history.since,
    gone: history.gone ?? null,
    embeddedSince: history.embeddedSince ?? null,
    revisions: [...history.rows.keys()],
  };
}
