/** A call got no response in time; the other side was notified of the cancellation. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
  readonly method: string;
  /** Milliseconds. */
  readonly timeout: number;

  constructor(method: string, timeout: number) {
    super(`no response to ${method} within ${timeout} ms`);
    this.method = method;
    this.timeout = timeout;
  }
}

/** There was no connection, or it ended before a response came. */
export class ConnectionClosedError extends Error {
  override readonly name = "ConnectionClosedError";

  constructor(
    message = "the connection is closed",
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

/** A request was not sent, since the side that handles it has not declared the capability; or not handled, since this client has not. */
export class CapabilityError extends Error {
  override readonly name = "CapabilityError";
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

/** A call was not sent, since the agreed revision has no such method in this direction. */
export class UnsupportedMethodError extends Error {
  override readonly name = "UnsupportedMethodError";
  readonly method: string;
  readonly revision: string;

  constructor(method: string, revision: string) {
    super(`revision ${revision} has no ${method} that this side may send`);
    this.method = method;
    this.revision = revision;
  }
}

/** The other side supports none of this side's revisions. */
export class UnsupportedRevisionError extends Error {
  override readonly name = "UnsupportedRevisionError";
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
