import type { EventLog } from "../../../cluster/types.js";
import type { LogEntry } from "./log-entries.js";

/** Entries since the last snapshot that make the next one worthwhile, in addition to twice what it contained. */
const SNAPSHOT_ENTRIES = 512;
/** The same for characters. */
const SNAPSHOT_CHARS = 1024 * 1024;
/** Entries that wait for a store that does not answer; then a snapshot replaces them. */
const MAX_BACKLOG = 1024;
/** Milliseconds before a failed append is repeated. */
const RETRY_MS = 250;
const RESOLVED = Promise.resolve();

/** What {@link SessionLog} needs. */
export interface SessionLogInit {
  readonly log: EventLog;
  readonly session: string;
  readonly generation: number;
  /** The sequence of the last event that this owner has appended. */
  readonly sequence: number;
  readonly ttl: number;
  /** All that a new owner needs to know now, as entries. */
  readonly snapshot: () => readonly LogEntry[];
  /** Another process owns the session. */
  readonly onLost: () => void;
}

/**
 * Writes the log of a session that this process owns, in order, while the session goes on.
 *
 * One append is under way at a time. A failed one is repeated at later positions, since it may have succeeded; readers
 * ignore repeated entries. `stop` ends everything.
 */
export class SessionLog {
  readonly #init: SessionLogInit;
  #sequence: number;
  #backlog: string[] = [];
  #needsSnapshot = false;
  /** Since the last snapshot, and in it. */
  #entries = 0;
  #chars = 0;
  #maxEntries = SNAPSHOT_ENTRIES;
  #maxChars = SNAPSHOT_CHARS;
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(init: SessionLogInit) {
    this.#init = init;
    this.#sequence = init.sequence;
  }

  /** Whether everything is stored. */
  get isIdle(): boolean {
    return this.#running === undefined;
  }

  /** Whether it may contain anything. */
  get isUsed(): boolean {
    return this.#sequence > 0 || this.#backlog.length > 0;
  }

  add(entry: LogEntry): void {
    if (this.#isStopped) return;
    if (this.#backlog.length >= MAX_BACKLOG) {
      // The snapshot has everything that is not dropped yet, this entry included.
      this.#backlog = [];
      this.#needsSnapshot = true;
    }
    if (!this.#needsSnapshot) this.#backlog.push(JSON.stringify(entry));
    this.#running ??= this.#run();
  }

  /** Resolves when everything is stored, or it was stopped. */
  async flush(): Promise<void> {
    await this.#running;
  }

  stop(): void {
    this.#isStopped = true;
    this.#backlog = [];
  }

  async #run(): Promise<void> {
    // What is added in the same turn is appended together.
    await RESOLVED;
    try {
      while (
        !this.#isStopped &&
        (this.#backlog.length > 0 || this.#needsSnapshot)
      )
        await this.#appendBacklog();
    } finally {
      this.#running = undefined;
    }
  }

  async #appendBacklog(): Promise<void> {
    const { log, session, generation, ttl, onLost } = this.#init;
    const isSnapshot = this.#needsSnapshot;
    this.#needsSnapshot = false;
    const batch = isSnapshot
      ? this.#init.snapshot().map((entry) => JSON.stringify(entry))
      : this.#backlog;
    // A snapshot has what waits.
    this.#backlog = [];
    const first = this.#sequence + 1;
    this.#sequence += batch.length;
    const events = batch.map((data, index) => ({
      generation,
      sequence: first + index,
      data,
    }));
    try {
      if (!(await log.append(session, events, ttl))) {
        if (this.#isStopped) return;
        this.stop();
        onLost();
        return;
      }
    } catch {
      if (isSnapshot) this.#needsSnapshot = true;
      else this.#backlog = [...batch, ...this.#backlog];
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      return;
    }
    const chars = batch.reduce((sum, data) => sum + data.length, 0);
    if (isSnapshot) {
      this.#entries = 0;
      this.#chars = 0;
      this.#maxEntries = SNAPSHOT_ENTRIES + 2 * batch.length;
      this.#maxChars = SNAPSHOT_CHARS + 2 * chars;
      try {
        await log.trim(session, { generation, sequence: first });
      } catch {
        // The next snapshot trims it.
      }
    }
    this.#entries += batch.length;
    this.#chars += chars;
    if (this.#entries > this.#maxEntries || this.#chars > this.#maxChars)
      this.#needsSnapshot = true;
  }
}
