import type {
  HandlerCounter,
  PrincipalInfo,
  WithHandlerCounter,
} from "../../jsonrpc/transport.js";
import type { HttpCall } from "./call.js";
import type { ResponseWriter } from "./reply.js";

/** What a handler finds as `context.extra` when its request came over HTTP. */
export class HttpExtra<Auth = unknown>
  implements PrincipalInfo, WithHandlerCounter
{
  /** What the authorization hook found out; undefined if there is none. */
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

  /** Answers with a stream of events from now on, even if nothing is sent before the result. */
  openStream(): void {
    this.#writer.startStream();
  }

  /**
   * Closes the connection and not the stream: the client comes back for the rest (MCP 2025-11-25, Streamable HTTP, Sending
   * Messages to the Server). For what takes long, so that no connection is held all that time.
   *
   * @returns False, with nothing done, if the client could not come back: older revisions and 2026-07-28 do not have
   *   this, and `resumability` must be on.
   */
  closeStream(): boolean {
    return this.#detachConnection?.() ?? false;
  }
}
