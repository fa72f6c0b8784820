/** A call got no answer within its time; the other side was told that nobody waits any more. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
  readonly method: string;
  /** Milliseconds. */
  readonly timeout: number;

  constructor(method: string, timeout: number) {
    super(`no answer to ${method} within ${timeout} ms`);
    this.method = method;
    this.timeout = timeout;
  }
}

/** The connection ended, or there was none, before an answer came. */
export class ConnectionClosedError extends Error {
  override readonly name = "ConnectionClosedError";

  constructor(
    message = "the connection is closed",
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

/** A call was not sent, since the other side has not declared what it needs; or not answered, since we have not. */
export class CapabilityError extends Error {
  override readonly name = "CapabilityError";
  readonly method: string;
  /** What is missing, such as `server.tools`. */
  readonly capability: string;

  constructor(
    method: string,
    capability: string,
    lacking: "the other side" | "this client" = "the other side",
  ) {
    super(
      `${method} needs the capability ${capability}, which ${lacking} has not declared`,
    );
    this.method = method;
    this.capability = capability;
  }
}

/** A call was not sent, since the revision that is spoken has no such method, or not in this direction. */
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

/** The other side speaks none of our revisions. */
export class UnsupportedRevisionError extends Error {
  override readonly name = "UnsupportedRevisionError";
  /** What the other side says it speaks. */
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
