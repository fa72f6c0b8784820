import type {
  Cluster,
  EventLog,
  EventPosition,
  LoggedEvent,
  Mailbox,
  MailReceiver,
  SessionRecord,
  SessionStore,
  SessionUsage,
} from "./types.js";

/** Options of {@link memoryCluster}. */
export interface MemoryClusterOptions {
  /** The time in milliseconds, by which leases and lives expire; that of a monotonic clock by default. */
  readonly now?: (() => number) | undefined;
}

/**
 * A cluster within one process: several handlers that share it serve each other's sessions. For tests, and as the
 * reference for other implementations; it ends with the process.
 */
export function memoryCluster({
  now = () => performance.now(),
}: MemoryClusterOptions = {}): Cluster {
  return {
    sessions: new MemorySessionStore(now),
    events: new MemoryEventLog(now),
    mailbox: new MemoryMailbox(now),
    close: () => Promise.resolve(),
  };
}

/** Whether a position is before another one. */
function isBefore(position: EventPosition, other: EventPosition): boolean {
  return position.generation === other.generation
    ? position.sequence < other.sequence
    : position.generation < other.generation;
}

/**
 * Values by id that expire. None of those that have expired is returned or counted.
 *
 * `#nextExpiry` is not later than the expiry of any value.
 */
class ExpiringMap<V> {
  readonly #now: () => number;
  readonly #onRemoved: (value: V) => void;
  readonly #entries = new Map<string, { value: V; expiresAt: number }>();
  #nextExpiry = Number.POSITIVE_INFINITY;

  /** @param onRemoved - Called for each value that was deleted, replaced or has expired. */
  constructor(
    now: () => number,
    onRemoved: (value: V) => void = () => undefined,
  ) {
    this.#now = now;
    this.#onRemoved = onRemoved;
  }

  get size(): number {
    this.#removeExpired();
    return this.#entries.size;
  }

  keys(): readonly string[] {
    this.#removeExpired();
    return [...this.#entries.keys()];
  }

  get(id: string): V | undefined {
    this.#removeExpired();
    return this.#entries.get(id)?.value;
  }

  set(id: string, value: V, ttl: number): void {
    this.delete(id);
    const expiresAt = this.#now() + ttl;
    this.#entries.set(id, { value, expiresAt });
    this.#nextExpiry = Math.min(this.#nextExpiry, expiresAt);
  }

  extend(id: string, ttl: number): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.expiresAt = this.#now() + ttl;
    this.#nextExpiry = Math.min(this.#nextExpiry, entry.expiresAt);
  }

  delete(id: string): boolean {
    this.#removeExpired();
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    this.#entries.delete(id);
    this.#onRemoved(entry.value);
    return true;
  }

  #removeExpired(): void {
    const now = this.#now();
    if (now < this.#nextExpiry) return;
    this.#nextExpiry = Number.POSITIVE_INFINITY;
    for (const [id, { value, expiresAt }] of this.#entries) {
      if (expiresAt <= now) {
        this.#entries.delete(id);
        this.#onRemoved(value);
      } else this.#nextExpiry = Math.min(this.#nextExpiry, expiresAt);
    }
  }
}

/** `#held` has the number of the records of each principal that has any. */
class MemorySessionStore implements SessionStore {
  readonly #records: ExpiringMap<SessionRecord>;
  readonly #held = new Map<string, number>();

  constructor(now: () => number) {
    this.#records = new ExpiringMap(now, ({ principal }) => {
      this.#count(principal, -1);
    });
  }

  create(record: SessionRecord, ttl: number): boolean {
    if (this.#records.get(record.id) !== undefined) return false;
    this.#set(record, ttl);
    return true;
  }

  get(id: string): SessionRecord | undefined {
    return this.#records.get(id);
  }

  replace(record: SessionRecord, ttl: number): boolean {
    if (this.#records.get(record.id)?.version !== record.version - 1)
      return false;
    this.#set(record, ttl);
    return true;
  }

  extend(id: string, owner: string, ttl: number): boolean {
    if (this.#records.get(id)?.owner !== owner) return false;
    this.#records.extend(id, ttl);
    return true;
  }

  delete(id: string): boolean {
    return this.#records.delete(id);
  }

  usage(principal: string): SessionUsage {
    const total = this.#records.size;
    return { total, held: this.#held.get(principal) ?? 0 };
  }

  #set(record: SessionRecord, ttl: number): void {
    this.#records.set(record.id, { ...record }, ttl);
    this.#count(record.principal, 1);
  }

  #count(principal: string, change: 1 | -1): void {
    const held = (this.#held.get(principal) ?? 0) + change;
    if (held === 0) this.#held.delete(principal);
    else this.#held.set(principal, held);
  }
}

interface SessionEvents {
  events: LoggedEvent[];
  /** The position of the last event that was appended, even if it was trimmed. */
  readonly end: EventPosition;
}

class MemoryEventLog implements EventLog {
  readonly #logs: ExpiringMap<SessionEvents>;

  constructor(now: () => number) {
    this.#logs = new ExpiringMap(now);
  }

  append(
    session: string,
    events: readonly LoggedEvent[],
    ttl: number,
  ): boolean {
    const [first] = events;
    const last = events.at(-1);
    if (first === undefined || last === undefined) return true;
    const log = this.#logs.get(session);
    if (log !== undefined && !isBefore(log.end, first)) return false;
    const kept = log?.events ?? [];
    kept.push(...events.map((event) => ({ ...event })));
    this.#logs.set(session, { events: kept, end: last }, ttl);
    return true;
  }

  read(
    session: string,
    after: EventPosition | undefined,
    limit: number,
  ): readonly LoggedEvent[] {
    const events = this.#logs.get(session)?.events ?? [];
    const start =
      after === undefined
        ? 0
        : events.findIndex((event) => isBefore(after, event));
    return start < 0 ? [] : events.slice(start, start + limit);
  }

  trim(session: string, before: EventPosition): void {
    const log = this.#logs.get(session);
    if (log === undefined) return;
    log.events = log.events.filter((event) => !isBefore(event, before));
  }

  extend(session: string, ttl: number): void {
    if (this.#logs.get(session) !== undefined) this.#logs.extend(session, ttl);
  }

  delete(session: string): void {
    this.#logs.delete(session);
  }
}

class MemoryMailbox implements Mailbox {
  readonly #open: ExpiringMap<MailReceiver>;

  constructor(now: () => number) {
    this.#open = new ExpiringMap(now);
  }

  open(address: string, lease: number, receive: MailReceiver): void {
    if (this.#open.get(address) !== undefined)
      throw new Error(`the mailbox ${address} is open already`);
    this.#open.set(address, receive, lease);
  }

  renew(address: string, lease: number): boolean {
    if (this.#open.get(address) === undefined) return false;
    this.#open.extend(address, lease);
    return true;
  }

  close(address: string): void {
    this.#open.delete(address);
  }

  send(address: string, message: string): boolean {
    const receive = this.#open.get(address);
    if (receive === undefined) return false;
    // As from another process: not during the call of the sender.
    queueMicrotask(() => {
      if (this.#open.get(address) === receive) receive(message);
    });
    return true;
  }

  isOpen(address: string): boolean {
    return this.#open.get(address) !== undefined;
  }

  list(): readonly string[] {
    return this.#open.keys();
  }
}
