/**
 * What happened to the connection of a client. Contains no secret. The client has handled each of them; only after
 * `gaveUp`, and after `pingFailed` where pings close the connection, is something lost.
 */
export type ClientConnectionEvent =
  /**
   * The server had lost the session, and a new one was started. The state of the old one, such as subscriptions, is gone;
   * a client sets its `logLevel` again. The id is undefined if the server uses no sessions now.
   */
  | { readonly kind: "sessionRenewed"; readonly sessionId: string | undefined }
  /** A stream that broke off was opened again: that of a response, or the server's own. */
  | { readonly kind: "streamResumed"; readonly stream: "response" | "server" }
  /** Another attempt to reach the server follows in `delayMs` milliseconds. */
  | {
      readonly kind: "reconnecting";
      /** 1 for the first attempt. */
      readonly attempt: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  /**
   * A request is sent again in `delayMs` milliseconds: its connection was lost and repeating it is safe, or the server
   * asked to wait with `Retry-After`.
   */
  | {
      readonly kind: "requestRetried";
      readonly method: string;
      readonly reason: "connectionLost" | "serverBusy";
      readonly delayMs: number;
    }
  /** A ping of `keepAlive` had no response. */
  | { readonly kind: "pingFailed"; readonly error: unknown }
  /** The client no longer tries to reach the server, to resume a stream, or to renew the session. */
  | { readonly kind: "gaveUp"; readonly error: unknown }
  /** Requests have other credentials from now on. */
  | { readonly kind: "authorizationChanged" };
