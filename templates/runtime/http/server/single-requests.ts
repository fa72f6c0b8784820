import type { HttpContext } from "./context.js";
import { HttpExtra } from "./extra.js";
import type { Responder } from "./responder.js";
import { SingleRequestTransport } from "./single-request.js";
import type { AnyServer } from "./types.js";

/**
 * Serves each POST with its own connection.
 *
 * A connection is in the set only while its response is pending.
 * One that is answered during `connect`, as most are, is never added.
 */
export class SingleRequests {
  readonly #responder: Responder;
  readonly #connections = new Set<{ close(): Promise<void> }>();

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
    const state: { connection?: { close(): Promise<void> }; isOver: boolean } =
      {
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
        close: async () => {
          await (await connecting).close();
        },
      };
      this.#connections.add(state.connection);
    }
    await connecting;
  }

  async close(): Promise<void> {
    await Promise.all(
      [...this.#connections].map((connection) => connection.close()),
    );
  }
}
