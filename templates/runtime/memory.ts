import { emitMessage, emitClose } from "./jsonrpc/transport-events.js";
import type { SendOptions, Transport } from "./jsonrpc/transport.js";

/**
 * Two ends of a connection inside one process, for tests and for a server that lives in its client.
 *
 * What one end sends comes to the other in order, never during `send`, and before it has started it waits. Messages are
 * passed by reference and not copied: who changes one after it was sent changes what the other end sees. Whatever was
 * sent before a close still arrives at the other end before its `onclose`. Once either end is closed, `send` throws.
 *
 * Messages travel in microtasks, so two ends that answer each other without end leave no time to timers.
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
  /** What has come and was not handed on yet. */
  #queue: object[] = [];
  #isScheduled = false;
  #hasStarted = false;
  /** No more comes: this end or the other one was closed. */
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
    // If a receiver sent something back here meanwhile, it has its own turn, before the close.
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
    // Behind the turn of the other end, so that both know when this is done.
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
