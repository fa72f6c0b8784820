import { isListenRequest } from "./context.js";
import type { HttpContext } from "./context.js";
import { HttpExtra } from "./extra.js";
import type { Responder } from "./responder.js";
import { SingleRequestTransport } from "./single-request.js";
import type { AnyServer } from "./types.js";

/** The connection of a POST whose response is pending. */
interface PendingRequest {
  readonly isSubscription: boolean;
  close(): Promise<void>;
}

/**
 * Serves each POST with its own connection.
 *
 * A connection is in the set only while its response is pending.
 * One that is answered during `connect`, as most are, is never added.
 */
export class SingleRequests {
  readonly #responder: Responder;
  readonly #connections = new Set<PendingRequest>();

  constructor(responder: Responder) {
    this.#responder = responder;
  }

  /** Serves a value with its own connection. */
  async serve(
    context: HttpContext,
    value: unknown,
    server: AnyServer,
    version: string | undefined,
    expectsResponse: boolean,
    status: (code: number) => number,
  ): Promise<void> {
    const { call, headers, auth, caller, retainedBody: request } = context;
    if (this.#responder.refuseIfClosed(call, headers)) return;
    const writer = this.#responder.reply(context);
    const extra = new HttpExtra(
      call,
      writer,
      auth,
      auth?.principal,
      request ?? caller,
    );
    const state: { connection?: PendingRequest; isOver: boolean } = {
      isOver: false,
    };
    const transport = new SingleRequestTransport(
      writer,
      value,
      extra,
      expectsResponse,
      status,
      () => {
        state.isOver = true;
        if (state.connection !== undefined)
          this.#connections.delete(state.connection);
      },
    );
    const connecting = server.connect(transport, version);
    // Most are answered by now.
    if (!state.isOver) {
      state.connection = {
        isSubscription: isListenRequest(value),
        close: async () => {
          await (await connecting).close();
        },
      };
      this.#connections.add(state.connection);
    }
    await connecting;
  }

  /** Whether no response is pending. */
  get isIdle(): boolean {
    return this.#connections.size === 0;
  }

  /** Ends the subscriptions, each with its response. */
  async endSubscriptions(): Promise<void> {
    await closeAll(
      [...this.#connections].filter(({ isSubscription }) => isSubscription),
    );
  }

  async close(): Promise<void> {
    await closeAll([...this.#connections]);
  }
}

async function closeAll(connections: readonly PendingRequest[]): Promise<void> {
  // Whoever sent a request learns why it has no connection; closing does not have to.
  await Promise.allSettled(connections.map((connection) => connection.close()));
}
