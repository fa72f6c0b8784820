/** What the processes of a cluster share, so that each of them can serve every session. */
import type { MaybePromise } from "../registry/types.js";

/**
 * A session as data. One process, its owner, runs the handlers of its requests; the others forward what they receive.
 */
export interface SessionRecord {
  readonly id: string;
  /** Counts the replacements, from 1. */
  readonly version: number;
  /** The address of the owner's mailbox; undefined after the owner has handed the session over. */
  readonly owner: string | undefined;
  /** How many owners it has had. What a former owner still writes has a lower number, and is rejected. */
  readonly generation: number;
  /** Who opened it; empty without authorization. */
  readonly principal: string;
  /** The rest, as JSON text: the state of the protocol. A store does not read it. */
  readonly state: string;
}

/** The open sessions of a cluster. */
export interface SessionUsage {
  readonly total: number;
  /** Those of one principal. */
  readonly held: number;
}

/**
 * The records of sessions. Each change is a compare-and-set by the record's version, so of two processes that change a
 * session at the same time only one succeeds, and the other reads it again.
 *
 * Every record expires: `ttl` is in milliseconds, counted from each call that names it.
 */
export interface SessionStore {
  /**
   * Adds a session.
   *
   * @returns False, with nothing added, if the id is in use.
   */
  create(record: SessionRecord, ttl: number): MaybePromise<boolean>;
  /** The session with an id; undefined if it is unknown, or has expired. */
  get(id: string): MaybePromise<SessionRecord | undefined>;
  /**
   * Replaces a session, if the stored one has the version `record.version - 1`.
   *
   * @returns Whether it did.
   */
  replace(record: SessionRecord, ttl: number): MaybePromise<boolean>;
  /**
   * Extends the life of a session.
   *
   * @returns False if it is unknown, or belongs to another owner.
   */
  extend(id: string, owner: string, ttl: number): MaybePromise<boolean>;
  /** Removes a session, whoever owns it. Returns whether there was one. */
  delete(id: string): MaybePromise<boolean>;
  /** Counts the sessions that have not expired: all of them, and those of a principal. */
  usage(principal: string): MaybePromise<SessionUsage>;
}

/** The position of an event in the log of a session: first by generation, then by sequence; both are positive. */
export interface EventPosition {
  readonly generation: number;
  readonly sequence: number;
}

/** An event of a session's log. A log does not read the data, which is JSON text. */
export interface LoggedEvent extends EventPosition {
  readonly data: string;
}

/**
 * What a new owner of a session has to know about the streams of the former one, in order.
 *
 * Every log expires, like the record of its session.
 */
export interface EventLog {
  /**
   * Adds events at the end: all of them, or none. There is at least one, and their positions increase.
   *
   * @returns False, with nothing added, if the log has an event at the position of the first one or a later position:
   *   the writer no longer owns the session.
   */
  append(
    session: string,
    events: readonly LoggedEvent[],
    ttl: number,
  ): MaybePromise<boolean>;
  /** The events after a position, or all of them; at most `limit`, the oldest first. */
  read(
    session: string,
    after: EventPosition | undefined,
    limit: number,
  ): MaybePromise<readonly LoggedEvent[]>;
  /** Removes the events before a position. What was appended stays the end of the log, even if nothing is left. */
  trim(session: string, before: EventPosition): MaybePromise<void>;
  /** Extends the life of a log. */
  extend(session: string, ttl: number): MaybePromise<void>;
  delete(session: string): MaybePromise<void>;
}

/** Receives the messages to an open mailbox, in the order in which each sender sent them. */
export type MailReceiver = (message: string) => void;

/**
 * Carries messages between processes. A process is known by the address of its mailbox, and is alive while that is open:
 * until it is closed, or its lease has expired.
 *
 * A message to an open mailbox is received once, unless the receiver's process ends first.
 */
export interface Mailbox {
  /**
   * Opens the mailbox of this process, for `lease` milliseconds. An address is used once.
   *
   * @throws Error if the address is in use.
   */
  open(
    address: string,
    lease: number,
    receive: MailReceiver,
  ): MaybePromise<void>;
  /**
   * Extends the lease of an open mailbox.
   *
   * @returns False if the lease had expired before: other processes may have taken over what this one owns.
   */
  renew(address: string, lease: number): MaybePromise<boolean>;
  /** Closes a mailbox; messages that were not received are lost. */
  close(address: string): MaybePromise<void>;
  /**
   * Sends a message.
   *
   * @returns False if there is no such open mailbox, so that the message will certainly not be received.
   * @throws Error if it is not known whether the message will be received; one with `isUnsent: true` if it will certainly
   *   not be, such as for lack of room.
   */
  send(address: string, message: string): MaybePromise<boolean>;
  /** Whether a mailbox is open. */
  isOpen(address: string): MaybePromise<boolean>;
  /** The addresses of all open mailboxes. */
  list(): MaybePromise<readonly string[]>;
}

/** What the processes of a cluster share. `clusterChecks` of `runtime/cluster-check` checks an implementation. */
export interface Cluster {
  readonly sessions: SessionStore;
  readonly events: EventLog;
  readonly mailbox: Mailbox;
  /** Releases connections that it opened itself. The handler that uses it does not call this. */
  readonly close: () => Promise<void>;
}
