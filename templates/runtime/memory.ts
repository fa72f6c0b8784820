import { emitMessage, emitClose } from "./jsonrpc/transport-events.js";
import type { SendOptions, Transport } from "./jsonrpc/transport.js";

/**
 * Two ends of a connection inside one process, for tests and for a server inside its client.
 *
 * Messages arrive in order, never during `send`, and wait until the receiving end has started. They are passed by
 * reference: changing one after sending it changes what the other end receives. Messages sent before a close arrive
 * before the other end's `onclose`. Once either end is closed, `send` throws.
 *
 * Messages travel in microtasks, so two ends that answer each other endlessly leave no time for timers.
 */
export function memoryPair(): [Transport, Transport] {
  const one = new MemoryTransport();
  const other = new MemoryTransport(one);
  return [one, other];
}

class MemoryTransport implements Transport {
  onmessage: Transport["onmessage"];
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  oninvalid: Transport["oninvalid"];

  #peer: MemoryTransport;
  /** Messages that have not been delivered. */
  #queue: object[] = [];
  #isScheduled = false;
  #hasStarted = false;
  /** Nothing more arrives: one of the ends is closed. */
  #isClosed = false;
  #hasEmittedClose = false;

  readonly #flush = (): void => {
    this.#isScheduled = false;
    if (this.#hasStarted) {
      const queue = this.#queue;
      this.#queue = [];
      for (
        let index = 0;
        index < queue.length && !this.#hasEmittedClose;
        index += 1
      )
        emitMessage(this, queue[index]);
    }
    // If a receiver sent something back meanwhile, that is delivered first, before the close.
    if (this.#isClosed && this.#queue.length === 0) this.#emitClose();
  };

  constructor(peer?: MemoryTransport) {
    this.#peer = peer ?? this;
    if (peer !== undefined) peer.#peer = this;
  }

  start(): Promise<void> {
    if (this.#hasStarted)
      return Promise.reject(new Error("this end has been started already"));
    if (this.#hasEmittedClose)
      return Promise.reject(new Error("the connection is closed"));
    this.#hasStarted = true;
    this.#schedule();
    return Promise.resolve();
  }

  send(message: object, _options?: SendOptions): void {
    if (this.#isClosed) throw new Error("the connection is closed");
    this.#peer.#queue.push(message);
    this.#peer.#schedule();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#emitClose();
    this.#peer.#isClosed = true;
    this.#peer.#schedule();
    // After the other end's delivery, so that both ends are notified when this resolves.
    await Promise.resolve();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(this.#flush);
  }

  #emitClose(): void {
    if (this.#hasEmittedClose) return;
    this.#hasEmittedClose = true;
    emitClose(this);
  }
}
