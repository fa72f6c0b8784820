import { loadAll } from '../index.js';
import { builtinCatalogs, requireRevision } from '../read/builtin/revisions.js';
import {
  methodHistories,
  methodsOfCatalogs,
  type MethodHistory,
  type RevisionMethods,
} from '../model/catalog/history.js';
import type { Direction, Method } from '../model/protocol.js';
import { stdoutColors, printToStderr, printLine, printJson, formatTable, type Cell } from '../terminal.js';
import {
  hasExtensions,
  parseExtensionOptions,
  readRequestedExtensions,
  type ExtensionOptions,
} from './shared/extensions.js';
import { booleanOption, refuseBothOptions, stringOption, type RawOptions } from './shared/options.js';

interface MethodRow {
  readonly method: Method;
  readonly history: MethodHistory;
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
  const { revision, direction, kind, json, markdown } = options;
  if (revision !== undefined) requireRevision(revision);
  const rows = methodHistories(await requestedMethods(options)).flatMap((history): MethodRow[] => {
    const method = revision === undefined ? [...history.rows.values()].at(-1) : history.rows.get(revision);
    if (method === undefined) return [];
    if (direction !== undefined && method.direction !== direction) return [];
    return kind === undefined || method.kind === kind ? [{ method, history }] : [];
  });
  if (json) {
    printJson(rows.map(({ method, history }) => methodJson(method, history)));
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
  const which = revision === undefined ? 'all revisions, as of the newest that has each' : `revision ${revision}`;
  printLine(`\n${rows.length} methods: ${requests} requests, ${rows.length - requests} notifications (${which})`);
  return 0;
}

/** The methods of each revision, with those of the requested extensions. */
async function requestedMethods(options: MethodsOptions): Promise<readonly RevisionMethods[]> {
  if (!hasExtensions(options)) return methodsOfCatalogs(builtinCatalogs());
  const extensions = await readRequestedExtensions(options);
  // With a revision, an extension has to extend that one.
  if (options.revision !== undefined) await loadAll({ revisions: [options.revision], ...extensions });
  return loadAll(extensions);
}

const EXTENSION_COLUMN = 'extension';

function extensionColumn({ method }: MethodRow): string {
  return method.extension ?? '-';
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

const SENDER_BY_DIRECTION: Readonly<Record<Direction, string>> = {
  clientToServer: 'client',
  serverToClient: 'server',
  both: 'both',
  embedded: 'inside results',
};

/** The columns of a row, as plain text. */
function methodColumns({ method, history }: MethodRow): readonly string[] {
  const { results, taskResult } = method;
  return [
    method.name,
    SENDER_BY_DIRECTION[method.direction],
    method.kind,
    history.since,
    methodStatus({ method, history }),
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
export function methodJson(method: Method, history: MethodHistory): object {
  return {
    ...method,
    since: history.since,
    gone: history.gone ?? null,
    embeddedSince: history.embeddedSince ?? null,
    revisions: [...history.rows.keys()],
  };
}
