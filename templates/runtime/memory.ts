import { receive, receiveClose } from "./receive.js";
import type { SendOptions, Transport } from "./transport.js";

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
  const one = new MemoryEnd();
  const other = new MemoryEnd(one);
  return [one, other];
}

class MemoryEnd implements Transport {
  onmessage: Transport["onmessage"];
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  oninvalid: Transport["oninvalid"];

  #peer: MemoryEnd;
  /** What has come and was not handed on yet. */
  #queue: object[] = [];
  #isScheduled = false;
  #hasStarted = false;
  /** No more comes: this end or the other one was closed. */
  #isClosed = false;
  #hasToldClose = false;

  readonly #flush = (): void => {
    this.#isScheduled = false;
    if (this.#hasStarted) {
      const queue = this.#queue;
      this.#queue = [];
      for (let at = 0; at < queue.length && !this.#hasToldClose; at += 1)
        receive(this, queue[at]);
    }
    // If a receiver sent something back here meanwhile, it has its own turn, before the close.
    if (this.#isClosed && this.#queue.length === 0) this.#tellClose();
  };

  constructor(peer?: MemoryEnd) {
    this.#peer = peer ?? this;
    if (peer !== undefined) peer.#peer = this;
  }

  start(): Promise<void> {
    if (this.#hasStarted)
      return Promise.reject(new Error("this end has been started already"));
    if (this.#hasToldClose)
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
    this.#tellClose();
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

  #tellClose(): void {
    if (this.#hasToldClose) return;
    this.#hasToldClose = true;
    receiveClose(this);
  }
}
