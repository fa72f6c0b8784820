/** What the log of a session contains. Each entry may be there more than once. */
import type { EventLog, EventPosition } from "../../../cluster/types.js";
import { isObject } from "../../../jsonrpc/envelope.js";
import type { RequestId } from "../../../jsonrpc/message.js";
import { parseObject } from "./wire.js";

/** A stream in a session's log. */
export interface LoggedStream {
  readonly key: number;
  readonly isListenStream: boolean;
  /** The requests that it still answers. */
  readonly pending: readonly RequestId[];
  /** Whether the requests came in an array. */
  readonly isBatch: boolean;
  /** The number of its last event. */
  readonly sequence: number;
  /** The number of the last event that was dropped and must not be missed. */
  readonly lastLostSequence: number;
}

/** An event in a session's log. */
export interface LoggedStreamEvent {
  readonly key: number;
  readonly isListenStream: boolean;
  readonly sequence: number;
  readonly text: string;
  readonly isDroppable: boolean;
}

/** A message that waits for a client that does not listen. Numbered from 1 within a session. */
export interface LoggedMessage {
  readonly number: number;
  readonly data: string;
}

/** An entry of a session's log. */
export type LogEntry =
  /** A process took over the session. */
  | { readonly kind: "owner" }
  /** A stream can be resumed, or its pending requests have changed. */
  | { readonly kind: "stream"; readonly stream: LoggedStream }
  | {
      readonly kind: "event";
      readonly event: LoggedStreamEvent;
      /** Whether it answers all requests of the stream. */
      readonly isLast: boolean;
    }
  | { readonly kind: "queued"; readonly message: LoggedMessage }
  /** The waiting messages up to this number were sent. */
  | { readonly kind: "sent"; readonly number: number }
  /** All that is not an event, so that earlier entries can be removed. */
  | {
      readonly kind: "state";
      readonly streams: readonly LoggedStream[];
      readonly newestLostListenKey: number;
      readonly queue: readonly LoggedMessage[];
    };

/** What a log says about a session. */
export interface LoggedSession {
  readonly streams: readonly LoggedStream[];
  /** In the order in which they were sent. */
  readonly events: readonly LoggedStreamEvent[];
  readonly newestLostListenKey: number;
  readonly queue: readonly LoggedMessage[];
  /** The number of the last message that ever waited. */
  readonly lastQueued: number;
}

/** Entries that are read at once. */
const PAGE_SIZE = 512;

/**
 * Reads a log. Entries that are not understood are left out.
 *
 * @throws StoreError if the store fails.
 */
export async function readLog(
  log: EventLog,
  session: string,
): Promise<LoggedSession> {
  const reader = new LogReader();
  let after: EventPosition | undefined;
  for (;;) {
    const page = await log.read(session, after, PAGE_SIZE);
    for (const { data } of page) {
      const entry = parseEntry(data);
      if (entry !== undefined) reader.add(entry);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return reader.result;
    after = { generation: last.generation, sequence: last.sequence };
  }
}

/** Reads entries in order. A repeated entry changes nothing. */
class LogReader {
  readonly #streams = new Map<number, LoggedStream>();
  readonly #events = new Map<string, LoggedStreamEvent>();
  readonly #queue = new Map<number, string>();
  #lastSent = 0;
  #lastQueued = 0;
  #newestLostListenKey = 0;

  add(entry: LogEntry): void {
    switch (entry.kind) {
      case "stream":
        this.#addStream(entry.stream);
        return;
      case "event": {
        const { event, isLast } = entry;
        const { key, sequence, isListenStream } = event;
        this.#events.set(`${key}-${sequence}`, event);
        const known = this.#streams.get(key) ?? newStream(key, isListenStream);
        this.#streams.set(key, {
          ...known,
          sequence: Math.max(known.sequence, sequence),
          pending: isLast ? [] : known.pending,
        });
        return;
      }
      case "queued":
        this.#addMessage(entry.message);
        return;
      case "sent":
        this.#lastSent = Math.max(this.#lastSent, entry.number);
        return;
      case "state":
        this.#newestLostListenKey = Math.max(
          this.#newestLostListenKey,
          entry.newestLostListenKey,
        );
        for (const stream of entry.streams) this.#addStream(stream);
        for (const message of entry.queue) this.#addMessage(message);
        return;
      case "owner":
    }
  }

  get result(): LoggedSession {
    return {
      streams: [...this.#streams.values()],
      events: [...this.#events.values()],
      newestLostListenKey: this.#newestLostListenKey,
      queue: [...this.#queue]
        .filter(([number]) => number > this.#lastSent)
        .sort(([a], [b]) => a - b)
        .map(([number, data]) => ({ number, data })),
      lastQueued: Math.max(this.#lastQueued, this.#lastSent),
    };
  }

  #addStream(stream: LoggedStream): void {
    const known = this.#streams.get(stream.key);
    this.#streams.set(stream.key, {
      ...stream,
      sequence: Math.max(stream.sequence, known?.sequence ?? 0),
      lastLostSequence: Math.max(
        stream.lastLostSequence,
        known?.lastLostSequence ?? 0,
      ),
    });
  }

  #addMessage({ number, data }: LoggedMessage): void {
    this.#queue.set(number, data);
    this.#lastQueued = Math.max(this.#lastQueued, number);
  }
}

function newStream(key: number, isListenStream: boolean): LoggedStream {
  return {
    key,
    isListenStream,
    pending: [],
    isBatch: false,
    sequence: 0,
    lastLostSequence: 0,
  };
}

function parseEntry(text: string): LogEntry | undefined {
  const value = parseObject(text);
  if (value === undefined) return undefined;
  switch (value["kind"]) {
    case "owner":
      return { kind: "owner" };
    case "stream": {
      const { stream } = value;
      return isLoggedStream(stream) ? { kind: "stream", stream } : undefined;
    }
    case "event": {
      const { event, isLast } = value;
      return isLoggedEvent(event)
        ? { kind: "event", event, isLast: isLast === true }
        : undefined;
    }
    case "queued": {
      const { message } = value;
      return isLoggedMessage(message) ? { kind: "queued", message } : undefined;
    }
    case "sent": {
      const { number } = value;
      return isCount(number) ? { kind: "sent", number } : undefined;
    }
    case "state": {
      const { streams, newestLostListenKey, queue } = value;
      return Array.isArray(streams) &&
        Array.isArray(queue) &&
        isCount(newestLostListenKey)
        ? {
            kind: "state",
            streams: streams.filter(isLoggedStream),
            newestLostListenKey,
            queue: queue.filter(isLoggedMessage),
          }
        : undefined;
    }
    default:
      return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isLoggedStream(value: unknown): value is LoggedStream {
  if (!isObject(value)) return false;
  const { key, isListenStream, pending, isBatch } = value;
  return (
    isCount(key) &&
    typeof isListenStream === "boolean" &&
    Array.isArray(pending) &&
    pending.every((id) => typeof id === "string" || typeof id === "number") &&
    typeof isBatch === "boolean" &&
    isCount(value["sequence"]) &&
    isCount(value["lastLostSequence"])
  );
}

function isLoggedEvent(value: unknown): value is LoggedStreamEvent {
  if (!isObject(value)) return false;
  const { key, isListenStream, sequence, text, isDroppable } = value;
  return (
    isCount(key) &&
    typeof isListenStream === "boolean" &&
    isCount(sequence) &&
    typeof text === "string" &&
    typeof isDroppable === "boolean"
  );
}

function isLoggedMessage(value: unknown): value is LoggedMessage {
  return (
    isObject(value) &&
    isCount(value["number"]) &&
    typeof value["data"] === "string"
  );
}
