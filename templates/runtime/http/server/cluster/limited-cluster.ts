import type { Cluster } from "../../../cluster/types.js";
import { isObject } from "../../../jsonrpc/envelope.js";
import type { MaybePromise } from "../../../registry/types.js";

/** The shared store has failed, or did not answer in time: whether it did what it was asked to do is not known. */
export class StoreError extends Error {
  override readonly name: string = "StoreError";
  /** Whether a message was certainly not sent. */
  readonly isUnsent: boolean;

  constructor(message: string, cause?: unknown, isUnsent = false) {
    super(message, { cause });
    this.isUnsent = isUnsent;
  }
}

/** Reports a failed operation of the store. */
export type StoreFailureListener = (operation: string, error: unknown) => void;

/**
 * A cluster whose operations end in time: each either resolves, or rejects with a {@link StoreError} after at most
 * `timeout` milliseconds.
 */
export function limitCluster(
  { sessions, events, mailbox, close }: Cluster,
  timeout: number,
  onFailure: StoreFailureListener,
): Cluster {
  const limit = <T>(name: string, run: () => MaybePromise<T>): Promise<T> =>
    withLimit(name, run, timeout, onFailure);
  return {
    sessions: {
      create: (record, ttl) =>
        limit("sessions.create", () => sessions.create(record, ttl)),
      get: (id) => limit("sessions.get", () => sessions.get(id)),
      replace: (record, ttl) =>
        limit("sessions.replace", () => sessions.replace(record, ttl)),
      extend: (id, owner, ttl) =>
        limit("sessions.extend", () => sessions.extend(id, owner, ttl)),
      delete: (id) => limit("sessions.delete", () => sessions.delete(id)),
      usage: (principal) =>
        limit("sessions.usage", () => sessions.usage(principal)),
    },
    events: {
      append: (session, added, ttl) =>
        limit("events.append", () => events.append(session, added, ttl)),
      read: (session, after, count) =>
        limit("events.read", () => events.read(session, after, count)),
      trim: (session, before) =>
        limit("events.trim", () => events.trim(session, before)),
      extend: (session, ttl) =>
        limit("events.extend", () => events.extend(session, ttl)),
      delete: (session) => limit("events.delete", () => events.delete(session)),
    },
    mailbox: {
      open: (address, lease, receive) =>
        limit("mailbox.open", () => mailbox.open(address, lease, receive)),
      renew: (address, lease) =>
        limit("mailbox.renew", () => mailbox.renew(address, lease)),
      close: (address) => limit("mailbox.close", () => mailbox.close(address)),
      send: (address, message) =>
        limit("mailbox.send", () => mailbox.send(address, message)),
      isOpen: (address) =>
        limit("mailbox.isOpen", () => mailbox.isOpen(address)),
      list: () => limit("mailbox.list", () => mailbox.list()),
    },
    close,
  };
}

function withLimit<T>(
  operation: string,
  run: () => MaybePromise<T>,
  timeout: number,
  onFailure: StoreFailureListener,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const fail = (error: unknown, reason: string): void => {
      onFailure(operation, error);
      const isUnsent = isObject(error) && error["isUnsent"] === true;
      reject(new StoreError(`${operation} ${reason}`, error, isUnsent));
    };
    const timer = setTimeout(() => {
      fail(new Error(`no answer within ${timeout} ms`), "timed out");
    }, timeout);
    Promise.resolve()
      .then(run)
      .then(
        (value) => {
          clearTimeout(timer);
          resolve(value);
        },
        (error: unknown) => {
          clearTimeout(timer);
          fail(error, "failed");
        },
      );
  });
}
