import { methodOf } from "../../jsonrpc/envelope.js";
import type { Auth } from "./auth.js";
import type { HttpContext } from "./context.js";
import { HttpExtra } from "./extra.js";
import type { Responder } from "./responder.js";
import type { ServerSource } from "./server-source.js";
import { createSessionId } from "./sessions.js";
import { SseTransport } from "./sse.js";
import type { LegacySseOptions } from "./types.js";

/** How many HTTP+SSE streams whose clients do not read fill the limit of unread bytes. */
const MAX_FULL_STREAMS = 16;

/**
 * The two endpoints of HTTP+SSE, the transport of 2024-11-05.
 *
 * A stream is in the map from before the server connects until it closes.
 * Its caller holds a place from before the server is created until then.
 */
export class SseEndpoint<A extends Auth = Auth> {
  /** Path of the event stream. */
  readonly path: string;
  /** Path that messages are posted to. */
  readonly messagesPath: string;
  readonly #responder: Responder;
  readonly #servers: ServerSource<A>;
  readonly #maxSessions: number;
  readonly #maxStreamUnread: number;
  readonly #sseTransports = new Map<string, SseTransport>();

  /** @param maxUnread - Maximum of unread bytes for all clients together. */
  constructor(
    responder: Responder,
    servers: ServerSource<A>,
    { path = "/sse", messages = "/messages" }: LegacySseOptions,
    maxSessions: number,
    maxUnread: number,
  ) {
    this.path = path;
    this.messagesPath = messages;
    this.#responder = responder;
    this.#servers = servers;
    this.#maxSessions = maxSessions;
    this.#maxStreamUnread = maxUnread / MAX_FULL_STREAMS;
  }

  get size(): number {
    return this.#sseTransports.size;
  }

  /** Opens a stream, which is a session (MCP 2024-11-05, HTTP with SSE). */
  async open(context: HttpContext<A>): Promise<void> {
    const { call, headers, auth, caller } = context;
    if (this.#responder.refuseIfDraining(call, headers)) return;
    if (!caller.sessions.canAcquire(this.#maxSessions)) {
      this.#responder.refuseBusy(call, headers);
      return;
    }
    const id = createSessionId();
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      this.#sseTransports.delete(id);
      caller.sessions.release();
    };
    caller.sessions.acquire();
    try {
      const server = await this.#servers.forSession(auth);
      if (this.#responder.refuseIfClosed(call, headers)) return;
      const stream = new SseTransport(
        this.#responder.reply(context),
        id,
        auth?.principal,
        over,
      );
      // From here on it is closed with all others.
      this.#sseTransports.set(id, stream);
      stream.sendEndpoint(`${this.messagesPath}?sessionId=${id}`);
      try {
        stream.connection = await server.connect(stream);
      } catch (error) {
        await stream.close();
        throw error;
      }
    } finally {
      if (!this.#sseTransports.has(id)) over();
    }
  }

  post(context: HttpContext, value: unknown): void {
    const { call, headers, auth, caller, retainedBody: request } = context;
    const id = new URLSearchParams(call.target.split("?")[1]).get("sessionId");
    const stream = id === null ? undefined : this.#sseTransports.get(id);
    if (stream === undefined || stream.principal !== auth?.principal) {
      this.#responder.refuseUnknownSession(context);
      return;
    }
    // All responses go over one stream, which may be full.
    if (stream.writer.unreadBytes > this.#maxStreamUnread) {
      this.#responder.refuseBusy(call, headers);
      return;
    }
    if (request !== undefined && methodOf(value) === "initialize") {
      if (stream.initializeBody !== undefined) {
        this.#responder.refuseBusy(call, headers);
        return;
      }
      stream.initializeBody = request;
      request.retain();
    }
    call.respond(202, headers);
    stream.handlePosted(
      value,
      new HttpExtra(
        call,
        stream.writer,
        auth,
        auth?.principal,
        request ?? caller,
      ),
    );
  }

  /** Whether no handler runs for any stream. */
  get isIdle(): boolean {
    for (const stream of this.#sseTransports.values())
      if (!stream.isIdle) return false;
    return true;
  }

  async close(): Promise<void> {
    for (const stream of [...this.#sseTransports.values()])
      await stream.close();
  }
}
