import { requireRevision } from '../read/builtin.js';
import type { CatalogMethod, Direction } from '../read/catalog.js';
import { methodHistories, type MethodHistory } from '../model/history.js';
import { colour, note, say, table, type Cell } from '../terminal.js';
import { flag, text } from './options.js';
import { McpgenError } from '../errors.js';

interface Row {
  readonly row: CatalogMethod;
  readonly history: MethodHistory;
}

/** `mcpgen methods`: the catalog as a table. Returns the exit code. */
export function methodsCommand(flags: Record<string, unknown>): number {
  if (flag(flags, 'json') && flag(flags, 'markdown')) {
    throw new McpgenError('--json and --markdown exclude each other', { remedy: 'Choose one of them.' });
  }
  const revision = text(flags, 'revision');
  if (revision !== undefined) requireRevision(revision);
  const direction = text(flags, 'direction');
  const kind = text(flags, 'kind');
  const rows = methodHistories().flatMap((history): Row[] => {
    const row = revision === undefined ? [...history.rows.values()].at(-1) : history.rows.get(revision);
    if (row === undefined) return [];
    if (direction !== undefined && row.direction !== direction) return [];
    return kind === undefined || row.kind === kind ? [{ row, history }] : [];
  });
  if (flag(flags, 'json')) {
    say(
      JSON.stringify(
        rows.map((item) => jsonRow(item)),
        undefined,
        2,
      ),
    );
    return 0;
  }
  if (flag(flags, 'markdown')) {
    say(markdown(rows));
    return 0;
  }
  if (rows.length === 0) {
    note('No method of that kind and direction.');
    return 0;
  }
  say(table(HEAD, rows.map(cells), process.stdout.isTTY ? process.stdout.columns : undefined));
  const requests = rows.filter(({ row }) => row.kind === 'request').length;
  const which = revision === undefined ? 'all revisions, as of the newest that has each' : `revision ${revision}`;
  say(`\n${rows.length} methods: ${requests} requests, ${rows.length - requests} notifications (${which})`);
  return 0;
}

const HEAD: readonly string[] = ['method', 'sent by', 'kind', 'since', 'status', 'params', 'result', 'capability'];

const SENDER: Readonly<Record<Direction, string>> = {
  clientToServer: 'client',
  serverToClient: 'server',
  both: 'both',
  embedded: 'inside results',
};

/** The columns of a row, as plain text. */
function columns({ row, history }: Row): readonly string[] {
  return [
    row.method,
    SENDER[row.direction],
    row.kind,
    history.since,
    statusOf({ row, history }),
    row.params ?? '-',
    [row.result ?? '-', row.taskResult === undefined ? [] : `${row.taskResult} for a task`].flat().join(' | '),
    [row.capability ?? '-'].flat().join(' | '),
  ];
}

function statusOf({ row, history }: Row): string {
  const parts = [
    ...(row.deprecated === undefined ? [] : ['deprecated']),
    ...(history.embeddedSince === undefined ? [] : [`embedded since ${history.embeddedSince}`]),
    ...(history.gone === undefined ? [] : [`gone in ${history.gone}`]),
  ];
  return parts.join(', ') || '-';
}

function cells(item: Row): readonly Cell[] {
  const { row, history } = item;
  const [method = '', sender = '', kind = '', since = '', status = '', ...rest] = columns(item);
  const faded = history.gone !== undefined;
  return [
    { text: method, paint: faded ? colour.dim : colour.cyan },
    { text: sender },
    { text: kind, paint: row.kind === 'request' ? colour.green : colour.magenta },
    { text: since },
    { text: status, paint: status === '-' ? colour.dim : colour.yellow },
    ...rest.map((item): Cell => ({ text: item, paint: colour.dim })),
  ];
}

function markdown(rows: readonly Row[]): string {
  const line = (items: readonly string[]): string => `| ${items.join(' | ')} |`;
  const code = (item: string, column: number): string =>
    [0, 5, 6, 7].includes(column) && item !== '-'
      ? item
          .split(' | ')
          .map((part) => `\`${part}\``)
          .join(' or ')
      : item;
  return [line(HEAD), line(HEAD.map(() => '---')), ...rows.map((row) => line(columns(row).map(code)))].join('\n');
}

function jsonRow({ row, history }: Row): Record<string, unknown> {
  return {
    ...row,
    since: history.since,
    gone: history.gone ?? null,
    embeddedSince: history.embeddedSince ?? null,
    revisions: [...history.rows.keys()],
  };
}
