/** Lists with all their pages, and what a server declares against what it serves. */
import { STANDARD_ERROR_CODES } from '../../../generated/runtime/jsonrpc/error-codes.js';
import { isObject, ownMember, stableStringify, type JsonObject } from '../../read/json/json.js';
import type { Probe, ProbeContext, ServerFacts } from '../probe.js';
import { objectsIn, type Session } from '../session.js';

const { METHOD_NOT_FOUND, INVALID_PARAMS } = STANDARD_ERROR_CODES;

/** The lists of a server: the capability, the method, the member of its results. */
export const LISTS = [
  ['tools', 'tools/list', 'tools'],
  ['resources', 'resources/list', 'resources'],
  ['resources', 'resources/templates/list', 'resourceTemplates'],
  ['prompts', 'prompts/list', 'prompts'],
] as const;

/** Most pages of one list that are read. */
const MAX_PAGES = 100;
/** Characters of a list of tools, as JSON, above which it is large: about 25,000 tokens. */
const LARGE_LIST = 100_000;

/** What is needed to read lists, before other probes can run. */
export type ListContext = Pick<ProbeContext, 'session' | 'report' | 'whenAnswered'>;

/** Reads all lists that a server declares. */
export async function readLists(
  context: ListContext,
  capabilities: JsonObject,
): Promise<Omit<ServerFacts, 'harmless'> & { readonly answered: readonly string[] }> {
  const items: Record<string, readonly JsonObject[]> = {};
  const paged = new Set<string>();
  const answered: string[] = [];
  let isFirst = true;
  for (const [capability, method, member] of LISTS) {
    items[member] = [];
    if (!Object.hasOwn(capabilities, capability)) continue;
    // Other probes need the lists, so they may take as long as requests may; a server that does not answer one costs that
    // time once.
    const isPatient = answered.length > 0 || isFirst;
    isFirst = false;
    const { list, pages, isAnswered } = await readList(context, { capability, method, member, isPatient });
    items[member] = list;
    if (isAnswered) answered.push(method);
    if (pages > 1) paged.add(method);
  }
  const { tools = [], resources = [], prompts = [] } = items;
  return { capabilities, tools, resources, prompts, paged, answered };
}

/** A list that is read. */
interface ListRequest {
  readonly capability: string;
  readonly method: string;
  readonly member: string;
  /** Whether its pages may take as long as requests may. */
  readonly isPatient: boolean;
}

async function readList(
  context: ListContext,
  { capability, method, member, isPatient }: ListRequest,
): Promise<{ readonly list: readonly JsonObject[]; readonly pages: number; readonly isAnswered: boolean }> {
  const { session, report } = context;
  const options = isPatient ? { timeoutMs: session.timeoutMs } : {};
  const { connection } = session;
  const list: JsonObject[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const reply = await session.request(method, cursor === undefined ? undefined : { cursor }, options);
    if (reply.message === undefined) {
      await context.whenAnswered(session, reply, method, () => undefined);
      return { list, pages, isAnswered: pages > 1 };
    }
    if (reply.outcome === 'error') {
      // Only templates are optional.
      if (reply.code === METHOD_NOT_FOUND && member !== 'resourceTemplates') {
        report({
          rule: 'declared-not-served',
          subject: method,
          message: `the server declares ${capability}, but ${method} does not exist`,
          connection,
          frames: reply.frames,
        });
      }
      return { list, pages, isAnswered: true };
    }
    list.push(...objectsIn(reply.result, member));
    const next = reply.result === undefined ? undefined : ownMember(reply.result, 'nextCursor');
    if (typeof next !== 'string' || (next === '' && !session.isStateless)) return { list, pages, isAnswered: true };
    if (cursors.has(next) || pages === MAX_PAGES) {
      const reason = cursors.has(next) ? 'the cursor repeats' : `more than ${MAX_PAGES} pages`;
      report({
        rule: 'paging-endless',
        subject: method,
        message: `${method} does not end: ${reason}`,
        connection,
        frames: reply.frames,
      });
      return { list, pages, isAnswered: true };
    }
    cursors.add(next);
    cursor = next;
  }
}

/** Probes of lists. */
export const LIST_PROBES: readonly Probe[] = [
  {
    id: 'undeclared-lists',
    title: 'lists of capabilities that are not declared',
    run: async (context) => {
      const { session, facts, report } = context;
      for (const [capability, method, member] of LISTS) {
        if (Object.hasOwn(facts.capabilities, capability)) continue;
        await context.whenAnswered(session, await session.request(method), undefined, (reply) => {
          const count = objectsIn(reply.result, member).length;
          if (count === 0) return;
          report({
            rule: 'served-not-declared',
            subject: method,
            message: `${method} returns ${count} items, but the capability ${capability} is not declared`,
            connection: session.connection,
            frames: reply.frames,
          });
        });
      }
    },
  },
  {
    id: 'invalid-cursors',
    title: 'lists with an invalid cursor',
    run: async (context) => {
      const { session, facts, report } = context;
      for (const [capability, method, member] of LISTS) {
        if (!Object.hasOwn(facts.capabilities, capability)) continue;
        const { connection } = session;
        const first = await session.request(method, { cursor: 'mcpgen-check-invalid-cursor' });
        await context.whenAnswered(session, first, `${method} with an invalid cursor`, (reply) => {
          if (reply.outcome === 'result') {
            const isPaged = facts.paged.has(method);
            report({
              rule: isPaged ? 'invalid-cursor-accepted' : 'invalid-cursor-ignored',
              subject: method,
              message: `${method} accepts a cursor that it never issued, and returns ${objectsIn(reply.result, member).length} items`,
              connection,
              frames: reply.frames,
            });
          } else if (reply.code !== INVALID_PARAMS && reply.code !== METHOD_NOT_FOUND) {
            report({
              rule: 'invalid-cursor-code',
              subject: method,
              message: `${method} with an invalid cursor fails with ${reply.code ?? 'no code'} instead of -32602`,
              connection,
              frames: reply.frames,
            });
          }
        });
      }
    },
  },
  {
    id: 'list-again',
    isSeparate: true,
    title: 'the list of tools, on another connection',
    // Older revisions do not say that the list is the same.
    era: 'stateless',
    skip: ({ facts }) => (facts.tools.length === 0 ? 'no tools' : undefined),
    run: async (context) => {
      const { facts, report } = context;
      const session = await context.start();
      const reply = await session.request('tools/list');
      if (reply.outcome !== 'result' || facts.paged.has('tools/list')) return;
      const again = objectsIn(reply.result, 'tools');
      const [before, after] = [facts.tools, again].map((list) => list.map(nameOf));
      if (before === undefined || after === undefined) return;
      const finding = { subject: 'tools/list', connection: session.connection, frames: reply.frames };
      const isSame = stableStringify([...before].sort()) === stableStringify([...after].sort());
      if (!isSame) {
        report({ rule: 'list-changes', message: 'another connection lists other tools', ...finding });
      } else if (before.join('\n') !== after.join('\n')) {
        report({ rule: 'list-order', message: 'the tools have another order on another connection', ...finding });
      }
    },
  },
  {
    id: 'list-size',
    title: 'the size of the list of tools',
    isOnce: true,
    run: async ({ session, facts, report }) => {
      const size = JSON.stringify(facts.tools).length;
      if (size <= LARGE_LIST) return;
      const largest = [...facts.tools].sort((a, b) => JSON.stringify(b).length - JSON.stringify(a).length)[0];
      const name = largest === undefined ? '' : nameOf(largest);
      report({
        rule: 'list-large',
        subject: 'tools/list',
        message: `${facts.tools.length} tools are ${Math.round(size / 1000)} kB of JSON; the largest is ${JSON.stringify(name)}`,
        connection: session.connection,
        frames: framesOf(session, 'tools/list'),
      });
      await Promise.resolve();
    },
  },
];

function nameOf(item: JsonObject): string {
  const name = ownMember(item, 'name');
  return typeof name === 'string' ? name : '';
}

/** The numbers of the first request of a method and of what follows it. */
function framesOf({ connection }: Session, method: string): readonly number[] {
  const index = connection.log.entries.findIndex(
    ({ content, from }) =>
      from === 'client' &&
      content.kind === 'frame' &&
      isObject(content.frame) &&
      ownMember(content.frame, 'method') === method,
  );
  return index === -1 ? [] : [index + 1, index + 2];
}
