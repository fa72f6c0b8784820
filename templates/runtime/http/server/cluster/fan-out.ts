import type { Mailbox } from "../../../cluster/types.js";
import type { AnyServer } from "../types.js";
import type { Membership } from "./membership.js";
import type { Outbox } from "./outbox.js";
import type { WireMessage } from "./wire.js";

type Notify = Extract<WireMessage, { kind: "notify" }>;

const RESOLVED = Promise.resolve();

/** Identifies the servers of this process. */
const serverIds = new WeakMap<object, string>();

/**
 * Passes the notifications for all clients of a server to the other processes, and theirs to the clients here.
 *
 * What came from another process is never passed on.
 */
export class FanOut {
  readonly #members: Membership;
  readonly #mailbox: Mailbox;
  readonly #outbox: Outbox;
  readonly #server: AnyServer | undefined;
  readonly #serverId: string;
  readonly #removeRelay: (() => void) | undefined;
  #waiting: Notify[] = [];

  /** @param server - The one server of all clients; undefined if each session has another one. */
  constructor(
    members: Membership,
    mailbox: Mailbox,
    outbox: Outbox,
    server: AnyServer | undefined,
  ) {
    this.#members = members;
    this.#mailbox = mailbox;
    this.#outbox = outbox;
    this.#server = server;
    this.#serverId =
      (server === undefined ? undefined : serverIds.get(server)) ??
      crypto.randomUUID();
    if (server !== undefined) serverIds.set(server, this.#serverId);
    this.#removeRelay = server?.addRelay?.((method, params) => {
      this.#relay(method, params);
    });
  }

  /** Sends a notification of another process to the clients here. */
  receive({ server, method, params }: Notify): void {
    // Several handlers of one process may have the same server.
    if (server === this.#serverId) return;
    this.#server?.broadcastLocally?.(method, params);
  }

  close(): void {
    this.#removeRelay?.();
  }

  #relay(method: string, params: object | undefined): void {
    this.#waiting.push({
      kind: "notify",
      server: this.#serverId,
      method,
      params,
    });
    if (this.#waiting.length === 1) void this.#flush();
  }

  async #flush(): Promise<void> {
    // What is sent in the same turn goes together.
    await RESOLVED;
    try {
      const own = await this.#members.ready();
      const addresses = await this.#mailbox.list();
      for (const message of this.#waiting)
        for (const address of addresses)
          if (address !== own)
            this.#outbox.send(own, address, message).catch(() => undefined);
    } catch {
      // The store has reported it. Notifications are not repeated: clients of other processes do not receive these.
    } finally {
      this.#waiting = [];
    }
  }
}
