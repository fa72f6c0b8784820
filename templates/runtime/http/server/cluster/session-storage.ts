import type { Cluster, SessionRecord } from "../../../cluster/types.js";
import { fitsShare } from "../../../jsonrpc/fair-share.js";
import type { SavedSession } from "../../../server/saved-session.js";
import type { LogEntry, LoggedSession } from "./log-entries.js";
import { readLog } from "./log-entries.js";
import { StoreError } from "./limited-cluster.js";
import type { Membership } from "./membership.js";
import { firstKeyOf, SessionJournal } from "./session-journal.js";
import type { SessionKeeper } from "./session-journal.js";
import { SessionLog } from "./session-log.js";
import { OwnedRecord, savedStateOf } from "./session-record.js";
import type { ChangingState } from "./session-record.js";

/** The cluster has as many sessions as it may have, or the caller its share. */
export class SessionsFullError extends Error {
  override readonly name: string = "SessionsFullError";
  readonly isFull = true;
}

/** Past this part of the limit, it is checked again after a session was created. */
const NEARLY_FULL = 0.9;
/** Milliseconds before a state that could not be stored is stored again. */
const RETRY_MS = 500;

/** A session that is kept here. */
export interface KeptSession {
  readonly snapshot: readonly LogEntry[];
  /** Ends it here, as another process owns it. */
  leave(): void;
}

/** A session that another process had. */
export interface TakenSession {
  readonly record: SessionRecord;
  /** The state of the protocol; undefined if this version of the program does not understand it. */
  readonly saved: SavedSession | undefined;
  /** The first stream key, and id of a request to the client, that no former owner has used. */
  readonly firstKey: number;
  readonly log: LoggedSession;
}

/** Where sessions are stored, for all processes. */
export class SessionStorage {
  /** Milliseconds that a stored session lives without being extended. */
  readonly ttl: number;
  readonly #cluster: Cluster;
  readonly #members: Membership;
  readonly #maxSessions: number;

  constructor(
    cluster: Cluster,
    members: Membership,
    idleTimeout: number,
    maxSessions: number,
  ) {
    this.#cluster = cluster;
    this.#members = members;
    this.#maxSessions = maxSessions;
    this.ttl = 1.5 * idleTimeout + members.lease;
  }

  get(id: string): Promise<SessionRecord | undefined> {
    return Promise.resolve(this.#cluster.sessions.get(id));
  }

  /** Removes a session that no process owns. */
  async delete(id: string): Promise<void> {
    await this.#cluster.sessions.delete(id);
    await this.#cluster.events.delete(id);
  }

  /**
   * The address to own a new session with.
   *
   * @throws SessionsFullError if a principal can have no further session; StoreError.
   */
  async admit(principal: string): Promise<string> {
    const owner = await this.#members.ready();
    const { total, held } = await this.#cluster.sessions.usage(principal);
    if (!this.#hasRoom(total, held, principal))
      throw new SessionsFullError("too many sessions");
    return owner;
  }

  /**
   * Keeps a session of this process.
   *
   * @param stored - Its record, if it has one.
   */
  keep(
    id: string,
    principal: string,
    owner: string,
    stored?: SessionRecord,
  ): OwnedSession {
    return new OwnedSession({
      cluster: this.#cluster,
      id,
      principal,
      owner,
      members: this.#members,
      ttl: this.ttl,
      stored,
      checkLimit: () => this.#checkLimit(principal),
    });
  }

  /**
   * Takes over a session whose owner is gone, and fences off the former owner's log. Undefined if another process was
   * faster.
   */
  async take(
    former: SessionRecord,
    owner: string,
  ): Promise<TakenSession | undefined> {
    const { sessions, events } = this.#cluster;
    const { id } = former;
    const record: SessionRecord = {
      ...former,
      version: former.version + 1,
      generation: former.generation + 1,
      owner,
    };
    if (!(await sessions.replace(record, this.ttl))) return undefined;
    const first = {
      generation: record.generation,
      sequence: 1,
      data: JSON.stringify({ kind: "owner" } satisfies LogEntry),
    };
    if (!(await events.append(id, [first], this.ttl))) return undefined;
    return {
      record,
      saved: savedStateOf(record),
      firstKey: firstKeyOf(record.generation),
      log: await readLog(events, id),
    };
  }

  /** Leaves a session that was taken to whoever asks for it next. */
  async abandon(record: SessionRecord): Promise<void> {
    try {
      await this.#cluster.sessions.replace(
        { ...record, version: record.version + 1, owner: undefined },
        this.ttl,
      );
    } catch {
      // This process takes it again, or another one when the lease has run out.
    }
  }

  async #checkLimit(principal: string): Promise<void> {
    const { total, held } = await this.#cluster.sessions.usage(principal);
    if (total < this.#maxSessions * NEARLY_FULL) return;
    // The new one is counted already.
    if (!this.#hasRoom(total - 1, held - 1, principal))
      throw new SessionsFullError("too many sessions");
  }

  #hasRoom(total: number, held: number, principal: string): boolean {
    return fitsShare(held, total, this.#maxSessions, 1, principal !== "");
  }
}

interface OwnedSessionInit {
  readonly cluster: Cluster;
  readonly id: string;
  readonly principal: string;
  readonly owner: string;
  readonly members: Membership;
  readonly ttl: number;
  readonly stored: SessionRecord | undefined;
  readonly checkLimit: () => Promise<void>;
}

/**
 * The record and the log of a session that this process owns.
 *
 * After `stop`, `handOver` or `delete` nothing else is written.
 */
export class OwnedSession implements SessionKeeper {
  readonly #owner: string;
  readonly #members: Membership;
  readonly #id: string;
  readonly #ttl: number;
  readonly #cluster: Cluster;
  readonly #record: OwnedRecord;
  readonly #log: SessionLog;
  /** Writes down what a client could resume elsewhere. */
  readonly journal: SessionJournal = new SessionJournal(this);
  #attemptedChanges = 0;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;
  #isLost = false;
  #session: KeptSession | undefined;
  #deleting: Promise<void> | undefined;

  constructor(init: OwnedSessionInit) {
    const { cluster, id, ttl, stored } = init;
    this.#owner = init.owner;
    this.#members = init.members;
    this.#id = id;
    this.#ttl = ttl;
    this.#cluster = cluster;
    const onLost = (): void => {
      this.#isLost = true;
      if (!this.#isOver) this.#session?.leave();
    };
    this.#record = new OwnedRecord({
      ...init,
      sessions: cluster.sessions,
      onLost,
    });
    this.#log = new SessionLog({
      log: cluster.events,
      session: id,
      generation: this.#record.generation,
      sequence: stored === undefined ? 0 : 1,
      ttl,
      snapshot: () => this.#session?.snapshot ?? [],
      onLost,
    });
  }

  /** Whether this process still owns the session, as far as it knows. */
  get isCurrent(): boolean {
    return !this.#isLost && this.#members.address === this.#owner;
  }

  /** Set when the session begins here. */
  attach(session: KeptSession): void {
    this.#session = session;
  }

  save(state: ChangingState): Promise<void> | undefined {
    // A change that could not be stored concerns its own request only.
    if (state.stateChanges === this.#attemptedChanges) return undefined;
    this.#attemptedChanges = state.stateChanges;
    return this.#save(state);
  }

  log(entry: LogEntry): void {
    this.#log.add(entry);
  }

  /** Extends its life, if that is due. */
  async extendIfDue(): Promise<void> {
    if (this.#isOver || !this.#record.isDue()) return;
    try {
      await this.#record.extend();
      if (this.#log.isUsed)
        await this.#cluster.events.extend(this.#id, this.#ttl);
    } catch {
      // It has three quarters of its life left.
    }
  }

  /** From now on nothing is written: another process owns it, or it was never opened. */
  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#retryTimer);
    this.#record.stop();
    this.#log.stop();
  }

  /** Stores what is not stored yet, ends the session here, and leaves it to whoever asks for it next. */
  async handOver(timeout: number): Promise<void> {
    const until = performance.now() + timeout;
    while (!this.#log.isIdle && performance.now() < until)
      await withinTime(this.#log.flush(), until - performance.now());
    this.#isOver = true;
    this.#session?.leave();
    clearTimeout(this.#retryTimer);
    await this.#record.release();
  }

  /**
   * Removes it from the store.
   *
   * @throws StoreError if it may still be there.
   */
  delete(): Promise<void> {
    this.stop();
    this.#deleting ??= this.#delete();
    return this.#deleting;
  }

  async #delete(): Promise<void> {
    await this.#record.delete();
    try {
      if (this.#log.isUsed) await this.#cluster.events.delete(this.#id);
    } catch {
      // It expires, and nobody reads the log of a session without a record.
    }
  }

  #save(state: ChangingState): Promise<void> | undefined {
    const saving = this.#record.save(state);
    saving?.catch(() => {
      if (this.#isOver || !this.#record.isStored) return;
      clearTimeout(this.#retryTimer);
      this.#retryTimer = setTimeout(() => {
        void this.#save(state);
      }, RETRY_MS);
    });
    return saving;
  }
}

/** Resolves when a promise is settled, or after some milliseconds. */
function withinTime(settled: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    settled.then(done, done);
  });
}

/** Whether an error means that the store does not answer. */
export function isStoreError(error: unknown): error is StoreError {
  return error instanceof StoreError;
}
