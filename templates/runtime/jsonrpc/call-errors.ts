import { CallError } from "./error-codes.js";

/**
 * A call got no response in time, and the other side was notified of the cancellation. The call may have run. Allow more
 * time with `timeout`, or restart it at each progress with `resetTimeoutOnProgress`.
 */
export class TimeoutError extends CallError {
  override readonly name = "TimeoutError";
  readonly mayHaveRun = true;
  readonly method: string;
  /** Milliseconds. */
  readonly timeout: number;

  constructor(method: string, timeout: number) {
    super(`no response to ${method} within ${timeout} ms`);
    this.method = method;
    this.timeout = timeout;
  }
}

/**
 * There was no connection, or it ended before a response came; only in the latter case may the call have run. Connect a
 * new client.
 */
export class ConnectionClosedError extends CallError {
  override readonly name = "ConnectionClosedError";
  readonly mayHaveRun: boolean;

  constructor(
    message = "the connection is closed",
    options?: { readonly cause?: unknown; readonly mayHaveRun?: boolean },
  ) {
    super(message, options);
    this.mayHaveRun = options?.mayHaveRun ?? true;
  }
}

/**
 * A request was not sent, since the side that handles it has not declared the capability; or not handled, since this
 * client has not. Do without the method; if the server offers it without declaring it, set `ignoreCapabilities`.
 */
export class CapabilityError extends CallError {
  override readonly name = "CapabilityError";
  readonly mayHaveRun = false;
  readonly method: string;
  /** The missing capability, such as `server.tools`. */
  readonly capability: string;

  constructor(
    method: string,
    capability: string,
    lacking: "the client" | "the server" | "this client",
  ) {
    super(
      `${method} needs the capability ${capability}, which ${lacking} has not declared`,
    );
    this.method = method;
    this.capability = capability;
  }
}

/** What a client uses in every revision instead of methods that only some revisions have. */
const ALTERNATIVES: Readonly<Record<string, string>> = {
  "subscriptions/listen": "`subscribe` of runtime/subscribe",
  "resources/subscribe": "`subscribe` of runtime/subscribe",
  "logging/setLevel": "the option `logLevel` of the client",
};

/**
 * A call was not sent, since the agreed revision has no such method in this direction. Do without it, or agree on another
 * revision.
 */
export class UnsupportedMethodError extends CallError {
  override readonly name = "UnsupportedMethodError";
  readonly mayHaveRun = false;
  readonly method: string;
  readonly revision: string;

  constructor(method: string, revision: string) {
    const alternative = Object.hasOwn(ALTERNATIVES, method)
      ? `; use ${ALTERNATIVES[method]}, which works in every revision`
      : "";
    super(
      `revision ${revision} has no ${method} that this side may send${alternative}`,
    );
    this.method = method;
    this.revision = revision;
  }
}

/** The other side supports none of this side's revisions. Add one of those that it offers to `revisions`. */
export class UnsupportedRevisionError extends CallError {
  override readonly name = "UnsupportedRevisionError";
  readonly mayHaveRun = false;
  /** The revisions that the other side offers. */
  readonly offered: readonly string[];
  readonly supported: readonly string[];

  constructor(offered: readonly string[], supported: readonly string[]) {
    super(
      `no revision in common: the server speaks ${offered.join(", ") || "none that it names"}, this client ${supported.join(", ")}`,
    );
    this.offered = offered;
    this.supported = supported;
  }
}
