/** One connection to a server, over which anything can be sent. Nothing is repaired. */
import { ownMember, type JsonObject } from '../../read/json/json.js';
import type { EndOfSide } from '../../recording/entry.js';
import { messagesOfEntry } from '../../recording/message.js';
import type { Log } from './log.js';

/** Headers of one HTTP request that replace the usual ones; undefined omits one. Ignored over stdio. */
export type HeaderChanges = Readonly<Record<string, string | undefined>>;

/** How a text is sent. */
export interface SendOptions {
  readonly headers?: HeaderChanges;
  /** HTTP method; `POST` by default. Others have no body. */
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Over stdio, writes the bytes in pieces of this size with pauses between them. */
  readonly pieceBytes?: number;
  /** Over stdio, what ends the line; a newline by default. */
  readonly lineEnd?: string;
}

/** What was sent. */
export interface Sent {
  /** Number of its entry. */
  readonly frame: number;
  /** Over HTTP, the number of the exchange. */
  readonly exchange: number | undefined;
}

/** A connection: a process with its standard streams, or an HTTP endpoint with a session. */
export interface Connection {
  readonly kind: 'stdio' | 'http';
  readonly log: Log;
  /** Sends a text as it is. Over HTTP, the response arrives in the log. */
  send(text: string, options?: SendOptions): Promise<Sent>;
  /** Headers that each request has from now on. */
  setHeaders(changes: HeaderChanges): void;
  /** Whether no further answer to something sent can arrive: the process ended, or the HTTP response is complete. */
  isOver(sent: Sent): boolean;
  /** Closes input and waits for the end, by force if necessary. Over HTTP, aborts what is open. */
  close(): Promise<void>;
  /** How the process ended; undefined while it runs, and over HTTP. */
  readonly end: EndOfSide | undefined;
}

/** A message that the other side sent, with the number of its entry. */
export interface Received {
  readonly frame: number;
  readonly message: JsonObject;
}

/** The messages of the server after an entry. */
export function received(log: Log, after: number): readonly Received[] {
  return log.entries
    .slice(after)
    .flatMap((entry, index) =>
      entry.from === 'server' ? messagesOfEntry(entry).map((message) => ({ frame: after + index + 1, message })) : [],
    );
}

/** The answer of a client without capabilities to a request of the server; undefined for any other message. */
export function answerTo(message: JsonObject): JsonObject | undefined {
  const method = ownMember(message, 'method');
  const id = ownMember(message, 'id');
  if (typeof method !== 'string' || id === undefined || id === null) return undefined;
  if (method === 'ping') return { jsonrpc: '2.0', id, result: {} };
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
}
