import type { Endpoint } from "../jsonrpc/endpoint.js";
import type {
  ErrorResponse,
  Notification,
  Request,
  Response,
  ResultResponse,
} from "../jsonrpc/message.js";
import { isObject } from "../jsonrpc/envelope.js";
import type { Classification } from "../jsonrpc/parse.js";
import type {
  RequestStateOptions,
  RequestStateSigner,
} from "./request-state.js";
import type { ValidateOptions, Validation } from "../validation.js";
export { methodNotFoundError, truncate } from "../jsonrpc/error-codes.js";

/** What a revision says about a method of a separate message. */
export interface MethodInfo {
  readonly kind: "request" | "notification";
  readonly direction: "clientToServer" | "serverToClient" | "both";
  readonly capabilities: readonly string[];
  readonly deprecated: boolean;
}

/** A request for input: `method` and `params`, without an envelope. */
export interface EmbeddedRequest {
  readonly method: string;
  readonly params?: object | undefined;
}

/** What a revision says about a request inside a result (MCP 2026-07-28, multi round-trip requests). */
export interface EmbeddedInfo {
  readonly capabilities: readonly string[];
  readonly validateResult: (result: unknown) => Validation<unknown>;
}

/**
 * A revision of the protocol as a value; the generated `revision.ts` has one. All revisions have the same type, so a
 * program that speaks several can keep them in an array and choose at run time:
 *
 *     const revisions = [revision20251125, revision20260728];
 *     const chosen = revisions.find(({ version }) => version === header);
 *     if (chosen?.isRequest(frame)) chosen.validateParams(frame.method, frame.params);
 *
 * The types of params and results are not known then; those of one revision's functions are.
 */
export interface Revision {
  /** The version that is negotiated, such as `2025-11-25`. */
  readonly version: string;
  /** Whether each request is self-contained, instead of part of a session that `initialize` starts. */
  readonly isStateless: boolean;
  readonly methods: Readonly<Record<string, MethodInfo>>;
  /** Requests that the runtime answers if they have no handler. */
  readonly builtIn: readonly string[];
  readonly embedded: Readonly<Record<string, EmbeddedInfo>>;
  /** The capabilities that a handler for a method implies. */
  readonly declares: Readonly<Record<string, object>>;
  /** Required members of a result that the runtime adds if a handler does not. */
  readonly defaults: Readonly<Record<string, object>>;
  /** Identifiers of the extensions that it was generated with; absent without any. */
  readonly extensions?: readonly string[];
  /** Notifications of extensions that belong to the request whose handler sends them; absent without any. */
  readonly requestScoped?: readonly string[];
  /** Creates what signs the state of requests that wait for input; absent in stateful revisions. */
  readonly createSigner?: (
    options: RequestStateOptions | undefined,
  ) => RequestStateSigner;
  /** Classifies a value by its kind of message. */
  readonly classify: (value: unknown) => Classification;
  /** Whether a value is a request. Like the other guards, it checks the envelope and nothing inside it. */
  readonly isRequest: (value: unknown) => value is Request;
  readonly isNotification: (value: unknown) => value is Notification;
  readonly isResultResponse: (value: unknown) => value is ResultResponse;
  readonly isErrorResponse: (value: unknown) => value is ErrorResponse;
  /** Whether a value is a response of either kind. */
  readonly isResponse: (value: unknown) => value is Response;
  /** Validates the params of a request or notification; `undefined` means a message without params. */
  readonly validateParams: (
    method: string,
    params: unknown,
  ) => Validation<unknown>;
  /** Validates the result of a request by the request's method. */
  readonly validateResult: (
    method: string,
    result: unknown,
    options?: ValidateOptions,
  ) => Validation<unknown>;
  /** Validates the result of a request with a task. */
  readonly validateTaskResult?: (
    method: string,
    result: unknown,
    options?: ValidateOptions,
  ) => Validation<unknown>;
}

/**
 * A handler of a notification that no revision of the protocol defines, such as a vendor's. {@link vendorNotification}
 * creates one.
 */
export interface VendorNotification<Session = unknown> {
  /** Whether params are what the handler expects; undefined if the notification has none. */
  readonly accepts: (params: unknown) => boolean;
  readonly handle: (params: never, session: Session) => void | Promise<void>;
}

/**
 * Creates the handler of a notification that no revision of the protocol defines, typed by a guard of its params:
 *
 *     vendorNotifications: { "codex/event": vendorNotification(isCodexEvent, ({ msg }) => { ... }) }
 *
 * Params that the guard rejects are reported as an `invalidNotification` event.
 */
export function vendorNotification<Params, Session = unknown>(
  accepts: (params: unknown) => params is Params,
  handle: (params: Params, session: Session) => void | Promise<void>,
): VendorNotification<Session> {
  return { accepts, handle };
}

/** How to handle notifications that the revision does not know. */
export interface UnknownNotificationSettings<Session> {
  /** Handlers of notifications that no revision defines, by method; {@link vendorNotification} creates one. */
  readonly vendorNotifications?:
    | Readonly<Record<string, VendorNotification<Session> | undefined>>
    | undefined;
  /**
   * Receives each notification that neither the revision nor `vendorNotifications` knows. Without it, such a
   * notification is reported as an `unknownNotification` event.
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
 * Checks the handled vendor notifications.
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
        `${method} is a method of ${known.version}; move its handler from vendorNotifications to notifications`,
      );
  }
}

/** A side of a connection. */
export type Side = "client" | "server";

/** The name and version of a program. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
}

/** Names of the `_meta` members that every stateless request has (MCP 2026-07-28, basic protocol). */
export const META_KEYS = {
  VERSION: "io.modelcontextprotocol/protocolVersion",
  CLIENT_INFO: "io.modelcontextprotocol/clientInfo",
  CLIENT_CAPABILITIES: "io.modelcontextprotocol/clientCapabilities",
  SERVER_INFO: "io.modelcontextprotocol/serverInfo",
  LOG_LEVEL: "io.modelcontextprotocol/logLevel",
  SUBSCRIPTION: "io.modelcontextprotocol/subscriptionId",
} as const;

/** Error codes that stateless revisions define (MCP 2026-07-28, error codes). */
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
 * The names on a capability path such as `server.tools`, side first. What follows `extensions` is the identifier of an
 * extension, which has dots.
 */
export function capabilitySteps(path: string): readonly string[] {
  const [side = "", name = "", ...rest] = path.split(".");
  return name === "extensions" && rest.length > 0
    ? [side, name, rest.join(".")]
    : [side, name, ...rest];
}

/**
 * The first capability of a side that a method needs and the side has not declared.
 *
 * @param declared - The capabilities that the side declared.
 */
export function missingCapability(
  needed: readonly string[],
  side: Side,
  declared: object | undefined,
): string | undefined {
  return needed.find((path) => {
    const [owner, ...names] = capabilitySteps(path);
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
 * @throws TypeError if the list is empty.
 */
export function newestRevision(revisions: readonly Revision[]): Revision {
  return revisions.reduce((best, revision) =>
    revision.version > best.version ? revision : best,
  );
}

/** Merges capabilities. Those of the second argument take precedence; `false` removes one. */
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

/**
 * The capabilities that a side declares in a revision: those that its handlers imply, with additions and removals by
 * its settings.
 */
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

/** The severity of a log message, the lowest first (RFC 5424). */
export type LogLevel =
  | "debug"
  | "info"
  | "notice"
  | "warning"
  | "error"
  | "critical"
  | "alert"
  | "emergency";
