import { RpcError, STANDARD_ERROR_CODES } from "../jsonrpc/error-codes.js";
import type { Endpoint } from "../jsonrpc/endpoint.js";
import type { Notification } from "../jsonrpc/message.js";
import { isObject } from "../jsonrpc/envelope.js";
import type { Classification } from "../jsonrpc/parse.js";
import type { ValidateOptions, Validation } from "../validation.js";

/** What is known of a method that travels as a message of its own. */
export interface MethodInfo {
  readonly kind: "request" | "notification";
  readonly direction: "clientToServer" | "serverToClient" | "both";
  readonly capabilities: readonly string[];
  readonly deprecated: boolean;
}

/** What is known of a request that travels inside a result, MCP 2026-07-28, multi round-trip requests. */
export interface EmbeddedInfo {
  readonly capabilities: readonly string[];
  readonly validateResult: (result: unknown) => Validation<unknown>;
}

/** A revision of the protocol as client and server need it; the generated `revision.ts` holds one. */
export interface Revision {
  /** Its name, as it is negotiated. */
  readonly version: string;
  /** Whether each request is self-contained, instead of part of a session that `initialize` starts. */
  readonly isStateless: boolean;
  readonly methods: Readonly<Record<string, MethodInfo>>;
  /** Requests that the runtime answers when they have no handler. */
  readonly builtIn: readonly string[];
  readonly embedded: Readonly<Record<string, EmbeddedInfo>>;
  /** What a server that answers a method thereby declares. */
  readonly declares: Readonly<Record<string, object>>;
  /** Members that a result must have and that the runtime fills in where a handler does not. */
  readonly defaults: Readonly<Record<string, object>>;
  readonly classify: (value: unknown) => Classification;
  readonly validateParams: (
    method: string,
    params: unknown,
  ) => Validation<unknown>;
  readonly validateResult: (
    method: string,
    result: unknown,
    options?: ValidateOptions,
  ) => Validation<unknown>;
  /** Validates the answer to a request that asked for a task. */
  readonly validateTaskResult?: (
    method: string,
    result: unknown,
    options?: ValidateOptions,
  ) => Validation<unknown>;
}

/**
 * A handler of a notification that no revision of the protocol defines, such as one of a vendor.
 * {@link vendorNotification} makes one.
 */
export interface VendorNotification<Session = unknown> {
  /** Whether params are those that the handler expects; undefined if the notification has none. */
  readonly accepts: (params: unknown) => boolean;
  readonly handle: (params: never, session: Session) => void | Promise<void>;
}

/**
 * Makes the handler of a notification that no revision of the protocol defines, typed by a guard of its params:
 *
 *     vendorNotifications: { "codex/event": vendorNotification(isCodexEvent, ({ msg }) => { ... }) }
 *
 * Params that the guard refuses are an `invalidNotification` event.
 */
export function vendorNotification<Params, Session = unknown>(
  accepts: (params: unknown) => params is Params,
  handle: (params: Params, session: Session) => void | Promise<void>,
): VendorNotification<Session> {
  return { accepts, handle };
}

/** What happens to notifications that the revision does not know. */
export interface UnknownNotificationSettings<Session> {
  /** Handlers of notifications that no revision defines, by method; {@link vendorNotification} makes one. */
  readonly vendorNotifications?:
    | Readonly<Record<string, VendorNotification<Session> | undefined>>
    | undefined;
  /**
   * Receives each notification that the revision does not know and that `vendorNotifications` does not handle. Without it,
   * such a notification is an `unknownNotification` event.
   */
  readonly fallbackNotificationHandler?:
    | ((notification: Notification, session: Session) => void | Promise<void>)
    | undefined;
}

/** Runs the handler of a notification that the revision does not know, or reports the notification as an event. */
export function handleUnknownNotification<Session>(
  endpoint: Endpoint,
  settings: UnknownNotificationSettings<Session>,
  notification: Notification,
  session: Session,
): void {
  const { vendorNotifications, fallbackNotificationHandler } = settings;
  const { method, params } = notification;
  const vendor =
    vendorNotifications !== undefined &&
    Object.hasOwn(vendorNotifications, method)
      ? vendorNotifications[method]
      : undefined;
  if (vendor !== undefined) {
    if (vendor.accepts(params))
      void endpoint.runNotificationHandler(method, () =>
        vendor.handle(params as never, session),
      );
    else
      endpoint.emit({
        kind: "invalidNotification",
        method,
        reason: "the guard of its handler does not accept the params",
      });
  } else if (fallbackNotificationHandler !== undefined)
    void endpoint.runNotificationHandler(method, () =>
      fallbackNotificationHandler(notification, session),
    );
  else endpoint.emit({ kind: "unknownNotification", method, params });
}

/**
 * Checks which notifications of vendors are handled.
 *
 * @throws TypeError if a revision defines one of them.
 */
export function checkVendorNotifications(
  revisions: readonly Revision[],
  handlers: object | undefined,
): void {
  for (const method of Object.keys(handlers ?? {})) {
    const known = revisions.find(({ methods }) =>
      Object.hasOwn(methods, method),
    );
    if (known !== undefined)
      throw new TypeError(
        `${method} is a method of ${known.version}, so its handler belongs to notifications, not to vendorNotifications`,
      );
  }
}

/** A side of the conversation. */
export type Side = "client" | "server";

/** How a program names itself. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
}

/** Names of the `_meta` members that a stateless revision puts on every request (MCP 2026-07-28, basic protocol). */
export const META_KEYS = {
  VERSION: "io.modelcontextprotocol/protocolVersion",
  CLIENT_INFO: "io.modelcontextprotocol/clientInfo",
  CLIENT_CAPABILITIES: "io.modelcontextprotocol/clientCapabilities",
  SERVER_INFO: "io.modelcontextprotocol/serverInfo",
  LOG_LEVEL: "io.modelcontextprotocol/logLevel",
  SUBSCRIPTION: "io.modelcontextprotocol/subscriptionId",
} as const;

/** Error codes that a stateless revision gives a meaning of its own (MCP 2026-07-28, error codes). */
export const STATELESS_ERROR_CODES = {
  HEADER_MISMATCH: -32020,
  MISSING_CLIENT_CAPABILITY: -32021,
  UNSUPPORTED_VERSION: -32022,
} as const;

/** Whether a side may send a method as a request or a notification in a revision. */
export function maySend(
  revision: Revision,
  side: Side,
  kind: MethodInfo["kind"],
  method: string,
): boolean {
  const info = Object.hasOwn(revision.methods, method)
    ? revision.methods[method]
    : undefined;
  if (info?.kind !== kind) return false;
  return (
    info.direction === "both" ||
    info.direction === (side === "client" ? "clientToServer" : "serverToClient")
  );
}

/**
 * The first capability of a side that a method needs and that was not declared.
 *
 * @param declared - The capabilities that the side declared.
 */
export function missingCapability(
  needed: readonly string[],
  side: Side,
  declared: object | undefined,
): string | undefined {
  return needed.find((path) => {
    const [owner, ...names] = path.split(".");
    if (owner !== side) return false;
    let value: unknown = declared;
    for (const name of names) {
      if (
        typeof value !== "object" ||
        value === null ||
        !Object.hasOwn(value, name)
      )
        return true;
      value = (value as Record<string, unknown>)[name];
    }
    return value === undefined || value === null || value === false;
  });
}

/**
 * The newest of several revisions; their names sort by date.
 *
 * @throws TypeError if there is none.
 */
export function newestRevision(revisions: readonly Revision[]): Revision {
  return revisions.reduce((best, revision) =>
    revision.version > best.version ? revision : best,
  );
}

/** Joins capabilities. What the second says goes on top; `false` takes away. */
export function mergeCapabilities(
  base: object,
  top: object,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(top) as [string, unknown][]) {
    if (value === undefined) continue;
    const below = Object.hasOwn(merged, name) ? merged[name] : undefined;
    if (value === false) Reflect.deleteProperty(merged, name);
    else
      merged[name] = isObject(value)
        ? mergeCapabilities(isObject(below) ? below : {}, value)
        : value;
  }
  return merged;
}

/** What a side declares in a revision: what its handlers show, and what its settings add or take away. */
export function deriveCapabilities(
  revision: Revision,
  handlers: Readonly<Record<string, unknown>>,
  overrides: object = {},
): Record<string, unknown> {
  let derived = {};
  for (const [method, handler] of Object.entries(handlers)) {
    if (handler === undefined) continue;
    derived = mergeCapabilities(derived, revision.declares[method] ?? {});
  }
  return mergeCapabilities(derived, overrides);
}

export function versionOf(revision: Revision): string {
  return revision.version;
}

/** What a sender wrote, at a length that an error can hold. */
export function truncate(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}

/** The answer to a request of a method that this side does not offer. */
export function methodNotFoundError(method: string): RpcError {
  return new RpcError(
    STANDARD_ERROR_CODES.METHOD_NOT_FOUND,
    "Method not found",
    { method: truncate(method) },
  );
}
