/** Keeps the clients of a recording over HTTP apart, which may use the same ids. */
import { ownMember } from '../read/json/json.js';
import type { Entry } from '../recording/entry.js';
import { isRequest, keyOf, messagesOfEntry } from '../recording/message.js';

/** Requests of stateless revisions that one client may have in flight at the same time. */
interface Lane {
  readonly entries: Entry[];
  readonly inFlight: Set<string>;
}

/**
 * The entries of each client, in their order. Over HTTP, clients are distinguished by their sessions: the `mcp-session-id`
 * header, or the query of HTTP+SSE. Without sessions, a request whose id is in flight already is of another client.
 */
export function entriesByClient(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  if (!entries.some(({ http }) => http !== undefined)) return [entries];
  const sessions = sessionsOf(entries);
  const clients = new Map<string, Entry[]>();
  const lanes: Lane[] = [];
  const laneOf = new Map<number, Lane>();
  for (const entry of entries) {
    const exchange = entry.http?.exchange ?? 0;
    const session = sessions.get(exchange);
    if (session !== undefined) {
      const list = clients.get(session) ?? [];
      list.push(entry);
      clients.set(session, list);
      continue;
    }
    const messages = messagesOfEntry(entry);
    const ids = messages.filter(isRequest).map((message) => keyOf(ownMember(message, 'id')));
    let lane = laneOf.get(exchange);
    if (lane === undefined) {
      lane = lanes.find(({ inFlight }) => !ids.some((id) => inFlight.has(id)));
      if (lane === undefined) {
        lane = { entries: [], inFlight: new Set() };
        lanes.push(lane);
      }
      laneOf.set(exchange, lane);
    }
    lane.entries.push(entry);
    if (entry.from === 'client') for (const id of ids) lane.inFlight.add(id);
    else for (const message of messages) if (!isRequest(message)) lane.inFlight.delete(keyOf(ownMember(message, 'id')));
  }
  return [...clients.values(), ...lanes.map((lane) => lane.entries)];
}

/** The sessions of exchanges; those without one are left out. */
function sessionsOf(entries: readonly Entry[]): ReadonlyMap<number, string> {
  const sessions = new Map<number, string>();
  for (const { from, http, content } of entries) {
    if (http === undefined || sessions.has(http.exchange)) continue;
    const id =
      http.kind === 'request' || http.kind === 'response'
        ? (http.headers['mcp-session-id'] ??
          (http.kind === 'request' && http.method === 'POST' ? sessionInQuery(http.path) : undefined))
        : http.kind === 'event' && http.event === 'endpoint' && from === 'server' && content.kind === 'text'
          ? sessionInQuery(content.text)
          : undefined;
    if (id !== undefined) sessions.set(http.exchange, id);
  }
  return sessions;
}

/** HTTP+SSE has the session in the address that its first event names. */
function sessionInQuery(path: string): string | undefined {
  return /[?&]session_?id=([^&#]+)/i.exec(path)?.[1];
}
