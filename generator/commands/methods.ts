import { builtinCatalogs, requireRevision } from '../read/builtin.js';
import { methodHistories, type MethodHistory } from '../model/history.js';
import type { Direction, Method } from '../model/protocol.js';
import { colour, note, say, sayJson, table, type Cell } from '../terminal.js';
import { flag, refuseBoth, text } from './options.js';

interface Row {
  readonly method: Method;
  readonly history: MethodHistory;
}

/** `mcpgen methods`: the catalog as a table. Returns the exit code. */
export function methodsCommand(flags: Record<string, unknown>): number {
  refuseBoth(flags, 'json', 'markdown');
  const revision = text(flags, 'revision');
  if (revision !== undefined) requireRevision(revision);
  const direction = text(flags, 'direction');
  const kind = text(flags, 'kind');
  const rows = methodHistories(builtinCatalogs()).flatMap((history): Row[] => {
    const method = revision === undefined ? [...history.rows.values()].at(-1) : history.rows.get(revision);
    if (method === undefined) return [];
    if (direction !== undefined && method.direction !== direction) return [];
    return kind === undefined || method.kind === kind ? [{ method, history }] : [];
  });
  if (flag(flags, 'json')) {
    sayJson(rows.map(({ method, history }) => methodJson(method, history)));
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
  const requests = rows.filter(({ method }) => method.kind === 'request').length;
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
function columns({ method, history }: Row): readonly string[] {
  const { results, taskResult } = method;
  return [
    method.name,
    SENDER[method.direction],
    method.kind,
    history.since,
    statusOf({ method, history }),
    method.params ?? '-',
    [...results, ...(taskResult === undefined ? [] : [`${taskResult} for a task`])].join(' | ') || '-',
    method.capabilities.join(' | ') || '-',
  ];
}

function statusOf({ method, history }: Row): string {
  const parts = [
    ...(method.deprecated === undefined ? [] : ['deprecated']),
    ...(history.embeddedSince === undefined ? [] : [`embedded since ${history.embeddedSince}`]),
    ...(history.gone === undefined ? [] : [`gone in ${history.gone}`]),
  ];
  return parts.join(', ') || '-';
}

function cells(item: Row): readonly Cell[] {
  const [name = '', sender = '', kind = '', since = '', status = '', ...rest] = columns(item);
  const faded = item.history.gone !== undefined;
  return [
    { text: name, paint: faded ? colour.dim : colour.cyan },
    { text: sender },
    { text: kind, paint: item.method.kind === 'request' ? colour.green : colour.magenta },
    { text: since },
    { text: status, paint: status === '-' ? colour.dim : colour.yellow },
    ...rest.map((text): Cell => ({ text, paint: colour.dim })),
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

/** A method as `methods` and `explain` print it with `--json`: its row in the catalog, and its life. */
export function methodJson(method: Method, history: MethodHistory): Record<string, unknown> {
  return {
    ...method,
    since: history.since,
    gone: history.gone ?? null,
    embeddedSince: history.embeddedSince ?? null,
    revisions: [...history.rows.keys()],
  };
}
