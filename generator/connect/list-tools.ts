import type { BaseClient } from '../../generated/runtime/client.js';
import { isObject, ownMember, type JsonObject, type JsonValue } from '../read/json/json.js';
import { allowsEmptyCursor, withServer, type Connection } from './open.js';
import type { ServerTarget } from './target.js';

/** Most items and pages that are accepted from one server. */
const MAX_ITEMS = 10_000;
const MAX_PAGES = 1000;
/** Most characters of all pages together. */
const MAX_TOTAL_LENGTH = 64 * 1024 * 1024;

/** The tools that a server listed. */
export interface ListedTools {
  /** The tools as received, but for credentials in them. */
  readonly tools: readonly JsonValue[];
  /** The negotiated revision. */
  readonly revision: string;
}

/**
 * Runs or calls a server, lists all its tools, page by page, and closes the connection.
 *
 * @throws {@link McpgenError} if it does not start, does not respond in time, or sends more than the limits allow.
 */
export async function listTools(target: ServerTarget): Promise<ListedTools> {
  return withServer(target, 'the server did not return a list of tools:', async (connection) => {
    const tools = await collectItems(connection, 'tools/list', 'tools');
    return {
      tools: target.secrets.redactJson(tools) as readonly JsonValue[],
      revision: connection.client.revision ?? '',
    };
  });
}

/**
 * All items of a paged list.
 *
 * @param member - The member of each result with the items.
 * @throws Error if the list is larger than the limits allow, or a response contains no list.
 */
export async function collectItems(
  { client, options }: Connection,
  method: string,
  member: string,
): Promise<readonly JsonValue[]> {
  const items: JsonValue[] = [];
  const seen = new Set<string>();
  let size = 0;
  let cursor: JsonValue | undefined;
  for (let page = 1; ; page += 1) {
    const result = await requestPage(client, method, cursor, options);
    const list = ownMember(result, member);
    if (!isObject(result) || !Array.isArray(list)) {
      throw new Error(`the response to ${method} has no list of ${member}`);
    }
    size += JSON.stringify(list).length;
    for (const item of list as readonly JsonValue[]) items.push(item);
    cursor = ownMember(result, 'nextCursor');
    if (typeof cursor !== 'string') return items;
    // Since 2026-07-28 an empty cursor is valid (MCP, pagination); before that, and if repeated, it ends the list.
    if (cursor === '' && (!allowsEmptyCursor(client) || seen.has(''))) return items;
    if (seen.has(cursor)) throw new Error('its pages repeat');
    seen.add(cursor);
    if (items.length > MAX_ITEMS || page >= MAX_PAGES || size > MAX_TOTAL_LENGTH) {
      throw new Error(`it lists more than ${MAX_ITEMS} ${member}, or more than ${MAX_PAGES} pages`);
    }
  }
}

async function requestPage(
  client: BaseClient,
  method: string,
  cursor: JsonValue | undefined,
  options: Connection['options'],
): Promise<JsonObject> {
  return (await client.request(method, typeof cursor === 'string' ? { cursor } : {}, options)) as JsonObject;
}
