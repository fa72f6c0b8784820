import type { SessionRecord, SessionStore } from "../../../cluster/types.js";
import { readSavedSession } from "../../../server/saved-session.js";
import type { SavedSession } from "../../../server/saved-session.js";
import { StoreError } from "./limited-cluster.js";

/** The state in a record; undefined if this version does not understand it. */
export function savedStateOf(record: SessionRecord): SavedSession | undefined {
  try {
    return readSavedSession(JSON.parse(record.state));
  } catch {
    return undefined;
  }
}

/** What {@link OwnedRecord} needs. */
export interface OwnedRecordInit {
  readonly sessions: SessionStore;
  readonly id: string;
  readonly principal: string;
  readonly owner: string;
  readonly ttl: number;
  /** The stored record; undefined for a new session. */
  readonly stored: SessionRecord | undefined;
  /** Checks the limit of sessions after one was created. */
  readonly checkLimit: () => Promise<void>;
  /** Another process owns the session. */
  readonly onLost: () => void;
}

/** The state of a session, and how often it has changed. */
export interface ChangingState {
  readonly savedState: SavedSession | undefined;
  readonly stateChanges: number;
}

/**
 * The record of a session that this process owns.
 *
 * `#stored` is what the store has, as far as is known; after a failed write the store may have the next version.
 * Writes happen one after the other.
 */
export class OwnedRecord {
  readonly #init: OwnedRecordInit;
  #stored: SessionRecord | undefined;
  #savedChanges = 0;
  #lastWrite: Promise<void> = Promise.resolve();
  #extendedAt = performance.now();
  #isOver = false;
  #isLost = false;

  constructor(init: OwnedRecordInit) {
    this.#init = init;
    this.#stored = init.stored;
  }

  get generation(): number {
    return this.#stored?.generation ?? 1;
  }

  /** Whether a process that takes over would find the session. */
  get isStored(): boolean {
    return this.#stored !== undefined;
  }

  /**
   * Stores the state if it has changed. Undefined if it has not.
   *
   * Rejects with a StoreError if it may not be stored.
   */
  save(state: ChangingState): Promise<void> | undefined {
    if (state.stateChanges === this.#savedChanges) return undefined;
    const write = this.#lastWrite.then(() => this.#write(state));
    this.#lastWrite = write.catch(() => undefined);
    return write;
  }

  /** Leaves the session to whoever asks for it next. */
  async release(): Promise<void> {
    await this.#lastWrite;
    const stored = this.#stored;
    this.#isOver = true;
    if (this.#isLost || stored === undefined) return;
    const { sessions, ttl } = this.#init;
    const { version } = stored;
    await sessions.replace(
      { ...stored, version: version + 1, owner: undefined },
      ttl,
    );
  }

  /** Removes the session from the store. */
  async delete(): Promise<void> {
    this.#isOver = true;
    await this.#lastWrite;
    await this.#init.sessions.delete(this.#init.id);
  }

  /** From now on nothing is written. */
  stop(): void {
    this.#isOver = true;
  }

  /** Whether a quarter of its life has passed since it was last extended. */
  isDue(): boolean {
    return performance.now() - this.#extendedAt > this.#init.ttl / 4;
  }

  /** Extends its life. */
  async extend(): Promise<void> {
    if (this.#isOver || this.#stored === undefined) return;
    const { sessions, id, owner, ttl, onLost } = this.#init;
    this.#extendedAt = performance.now();
    if (await sessions.extend(id, owner, ttl)) return;
    // A takeover, or the store has lost it.
    this.#isLost = true;
    onLost();
  }

  async #write(state: ChangingState): Promise<void> {
    const { stateChanges, savedState } = state;
    if (stateChanges === this.#savedChanges || savedState === undefined) return;
    if (this.#isOver) throw new StoreError("the session has moved");
    const text = JSON.stringify(savedState);
    await (this.#stored === undefined
      ? this.#create(text)
      : this.#replace(this.#stored, text));
    this.#savedChanges = stateChanges;
    this.#extendedAt = performance.now();
  }

  async #create(state: string): Promise<void> {
    const { sessions, id, principal, owner, ttl, checkLimit } = this.#init;
    const record = { id, version: 1, owner, generation: 1, principal, state };
    if (!(await sessions.create(record, ttl)))
      throw new StoreError("the id of a session is in use");
    try {
      await checkLimit();
    } catch (error) {
      await sessions.delete(id);
      throw error;
    }
    this.#stored = record;
  }

  async #replace(stored: SessionRecord, state: string): Promise<void> {
    const { sessions, id, owner, ttl, onLost } = this.#init;
    let record = { ...stored, version: stored.version + 1, owner, state };
    if (!(await sessions.replace(record, ttl))) {
      // A write that failed may have succeeded nevertheless.
      const current = await sessions.get(id);
      if (
        current?.owner !== owner ||
        current.generation !== stored.generation
      ) {
        this.#isOver = true;
        this.#isLost = true;
        onLost();
        throw new StoreError("another process has taken over the session");
      }
      record = { ...record, version: current.version + 1 };
      if (!(await sessions.replace(record, ttl)))
        throw new StoreError("the session could not be stored");
    }
    this.#stored = record;
  }
}
