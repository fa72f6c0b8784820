import type {
  HandlerCounter,
  PrincipalInfo,
  WithHandlerCounter,
} from "../../jsonrpc/transport.js";
import type { HttpCall } from "./call.js";
import type { ResponseWriter } from "./reply.js";

/** The `context.extra` of a request that came over HTTP. */
export class HttpExtra<Auth = unknown>
  implements PrincipalInfo, WithHandlerCounter
{
  /** The result of the authorization hook; undefined without one. */
  readonly auth: Auth | undefined;
  readonly principal: string | undefined;
  /** @internal */
  readonly counter: HandlerCounter | undefined;
  readonly #call: HttpCall;
  readonly #writer: ResponseWriter;
  readonly #detachConnection: (() => boolean) | undefined;

  /** @internal */
  constructor(
    call: HttpCall,
    writer: ResponseWriter,
    auth: Auth | undefined,
    principal: string | undefined,
    counter: HandlerCounter | undefined,
    detachConnection?: () => boolean,
  ) {
    this.#call = call;
    this.#writer = writer;
    this.auth = auth;
    this.principal = principal;
    this.counter = counter;
    this.#detachConnection = detachConnection;
  }

  /** The runtime's own request: a `Request`, or an `IncomingMessage` in Node. */
  get raw(): unknown {
    return this.#call.raw;
  }

  /** A header of the HTTP request. */
  header(name: string): string | undefined {
    return this.#call.header(name.toLowerCase());
  }

  /** Responds with an event stream from now on, even if nothing is sent before the result. */
  openStream(): void {
    this.#writer.startStream();
  }

  /**
   * Closes the connection but not the stream: the client reconnects for the rest (MCP 2025-11-25, Streamable HTTP,
   * Sending Messages to the Server). For long requests, so that no connection stays open all that time.
   *
   * @returns False, with nothing done, if the client could not reconnect: older revisions and 2026-07-28 do not support
   *   this, and `resumability` must be on.
   */
  closeStream(): boolean {
    return this.#detachConnection?.() ?? false;
  }
}
