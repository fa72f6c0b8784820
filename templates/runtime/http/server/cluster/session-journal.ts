import type { BufferedEvent, EventBuffer } from "../event-buffer.js";
import type { MessageQueue } from "../message-queue.js";
import { SessionStream } from "../session-stream.js";
import type { LogEntry, LoggedSession, LoggedStream } from "./log-entries.js";
import { parseRequestTag, requestTag } from "./request-tag.js";
import type { TaggedRequests } from "./request-tag.js";
import type { ChangingState } from "./session-record.js";

/**
 * Added to the number of a stream's last known event when another process takes over: the former owner may have sent a
 * few that it had not stored yet.
 */
const TAKEOVER_GAP = 1_000_000;
/** Stream keys and ids of requests to the client that one owner of a session may use. */
const KEYS_PER_OWNER = 1_000_000;

/** The first stream key, or id of a request to the client, of an owner: no other one uses it. */
export function firstKeyOf(generation: number): number {
  return (generation - 1) * KEYS_PER_OWNER + 1;
}

/** Keeps what another process needs to go on with a session. */
export interface SessionKeeper {
  /**
   * Stores the state of the protocol; undefined if it has not changed. Rejects with a StoreError if that fails, and tries
   * again later.
   */
  save(state: ChangingState): Promise<void> | undefined;
  /** Adds to the log, in order. */
  log(entry: LogEntry): void;
}

/** What a session keeps for its client. */
export interface JournaledSession {
  /** Those with requests that are being handled. */
  readonly openStreams: Iterable<SessionStream>;
  readonly queue: MessageQueue;
  readonly events: EventBuffer | undefined;
}

/**
 * Writes down what a client could resume elsewhere.
 *
 * A stream is written down with its first event id, and an event only after its stream.
 */
export class SessionJournal {
  readonly #keeper: SessionKeeper;

  constructor(keeper: SessionKeeper) {
    this.#keeper = keeper;
  }

  save(state: ChangingState): Promise<void> | undefined {
    return this.#keeper.save(state);
  }

  /** A client can resume a stream from now on. */
  addStream(stream: SessionStream): void {
    if (stream.isLogged || stream.isListenStream) return;
    stream.isLogged = true;
    this.#keeper.log({ kind: "stream", stream: loggedStream(stream) });
  }

  /** The pending requests of a stream have changed without an event. */
  updateStream(stream: SessionStream): void {
    if (stream.isLogged)
      this.#keeper.log({ kind: "stream", stream: loggedStream(stream) });
  }

  addEvent(event: BufferedEvent): void {
    const { stream } = event;
    const isLast = !stream.isListenStream && stream.pending.size === 0;
    if (!isLast) this.addStream(stream);
    this.#keeper.log(eventEntry(event, isLast));
  }

  addQueued(number: number, data: string): void {
    this.#keeper.log({ kind: "queued", message: { number, data } });
  }

  setSent(number: number): void {
    this.#keeper.log({ kind: "sent", number });
  }

  /** Names the requests of a stream, as a part of event ids; see {@link requestTag}. */
  tagOf(requests: TaggedRequests): string | undefined {
    return requestTag(requests);
  }

  /** The requests that {@link tagOf} has named; undefined for any other text. */
  requestsOf(tag: string): TaggedRequests | undefined {
    return parseRequestTag(tag);
  }

  /** All that a new owner of the session needs to know of its streams, as entries of a log. */
  snapshotOf(session: JournaledSession): readonly LogEntry[] {
    return snapshotOf(session);
  }

  /** Builds the streams of a log, with their events, and fills the queue. */
  restore(
    logged: LoggedSession,
    into: Pick<JournaledSession, "queue" | "events">,
  ): readonly RestoredStream[] {
    return restoreStreams(logged, into);
  }
}

/** A stream of a former owner. */
export interface RestoredStream {
  readonly stream: SessionStream;
  /** Whether it has requests that were not answered. */
  readonly isPending: boolean;
}

function snapshotOf({
  openStreams,
  queue,
  events,
}: JournaledSession): readonly LogEntry[] {
  const kept = events?.kept ?? [];
  const streams = new Set<SessionStream>();
  for (const stream of openStreams) if (stream.isLogged) streams.add(stream);
  for (const { stream } of kept) streams.add(stream);
  return [
    {
      kind: "state",
      streams: [...streams].map(loggedStream),
      newestLostListenKey: events?.newestLostListenKey ?? 0,
      queue: queue.messages,
    },
    // A message that was sent may be in an earlier entry, until that is removed.
    { kind: "sent", number: queue.lastSent },
    ...kept.map((event) => eventEntry(event, false)),
  ];
}

function restoreStreams(
  logged: LoggedSession,
  into: Pick<JournaledSession, "queue" | "events">,
): readonly RestoredStream[] {
  const { events } = into;
  events?.restoreLost(logged.newestLostListenKey);
  const byKey = new Map<number, SessionStream>();
  const restored = logged.streams.map((from) => {
    const stream = new SessionStream(from.key, undefined, from.isListenStream);
    stream.sequence = from.sequence + TAKEOVER_GAP;
    stream.lastLostSequence = from.lastLostSequence;
    stream.isBatch = from.isBatch;
    stream.hasSentEventId = true;
    stream.isLogged = true;
    for (const id of from.pending) stream.pending.add(id);
    byKey.set(from.key, stream);
    return { stream, isPending: from.pending.length > 0 };
  });
  const restoredEvents: BufferedEvent[] = [];
  for (const { key, sequence, text, isDroppable } of logged.events) {
    const stream = byKey.get(key);
    if (stream === undefined) continue;
    const isUndelivered = !isDroppable;
    restoredEvents.push({ stream, sequence, text, isDroppable, isUndelivered });
  }
  events?.restore(restoredEvents);
  into.queue.restore(logged.queue, logged.lastQueued);
  return restored;
}

function loggedStream(stream: SessionStream): LoggedStream {
  const { key, isListenStream, pending, isBatch, sequence, lastLostSequence } =
    stream;
  return {
    key,
    isListenStream,
    pending: [...pending],
    isBatch,
    sequence,
    lastLostSequence,
  };
}

function eventEntry(event: BufferedEvent, isLast: boolean): LogEntry {
  const { stream, sequence, text, isDroppable } = event;
  const { key, isListenStream } = stream;
  return {
    kind: "event",
    event: { key, isListenStream, sequence, text, isDroppable },
    isLast,
  };
}
