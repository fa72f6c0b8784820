import {
  emitClose,
  emitError,
  emitMessage,
} from "./jsonrpc/transport-events.js";
import type { SendOptions, Transport } from "./jsonrpc/transport.js";

/**
 * Two ends of a connection inside one process, for tests and for a server inside its client.
 *
 * Messages arrive in order, never during `send`, and wait until the receiving end has started. They are passed by
 * reference: changing one after sending it changes what the other end receives. Messages sent before a close arrive
 * before the other end's `onclose`. Once either end is closed, `send` throws. `end` half-closes: the other end's `onend`
 * is called after all earlier messages. While an end is paused, `send` of the other end returns a promise.
 *
 * Messages travel in microtasks, so two ends that answer each other endlessly leave no time for timers.
 */
export function memoryPair(): [Transport, Transport] {
  const one = new MemoryTransport();
  const other = new MemoryTransport(one);
  return [one, other];
}

const RESOLVED = Promise.resolve();

class MemoryTransport implements Transport {
  onmessage: Transport["onmessage"];
  onclose: Transport["onclose"];
  onend: Transport["onend"];
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
  /** This end sends nothing more. */
  #hasEnded = false;
  #hasEmittedEnd = false;
  #isPaused = false;
  /** Resolves the promises of the other end's `send` once this end is resumed. */
  #onResume: (() => void)[] = [];

  readonly #flush = (): void => {
    this.#isScheduled = false;
    if (this.#hasStarted) {
      const queue = this.#queue;
      this.#queue = [];
      let index = 0;
      while (
        index < queue.length &&
        !this.#hasEmittedClose &&
        !this.#isPaused
      ) {
        emitMessage(this, queue[index]);
        index += 1;
      }
      if (this.#isPaused) this.#queue = [...queue.slice(index), ...this.#queue];
    }
    // If a receiver sent something back meanwhile, that is delivered first, before the end and the close.
    if (this.#queue.length > 0) return;
    if (this.#isClosed) this.#emitClose();
    else if (this.#peer.#hasEnded && this.#hasStarted) this.#emitEnd();
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

  send(message: object, _options?: SendOptions): Promise<void> | undefined {
    if (this.#isClosed) throw new Error("the connection is closed");
    if (this.#hasEnded) throw new Error("this end has ended its output");
    const peer = this.#peer;
    peer.#queue.push(message);
    peer.#schedule();
    if (!peer.#isPaused) return undefined;
    return new Promise((resolve) => {
      peer.#onResume.push(resolve);
    });
  }

  end(): void {
    this.#hasEnded = true;
    this.#peer.#schedule();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#releaseSenders();
    this.#schedule();
  }

  #releaseSenders(): void {
    const callbacks = this.#onResume;
    this.#onResume = [];
    for (const callback of callbacks) callback();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#releaseSenders();
    this.#emitClose();
    this.#peer.#isClosed = true;
    // What was sent before still arrives, also at an end that is paused.
    this.#peer.#isPaused = false;
    this.#peer.#releaseSenders();
    this.#peer.#schedule();
    // After the other end's delivery, so that both ends are notified when this resolves.
    await Promise.resolve();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Not `queueMicrotask`, which costs more than twice as much in Node.
    void RESOLVED.then(this.#flush);
  }

  #emitEnd(): void {
    if (this.#hasEmittedEnd) return;
    this.#hasEmittedEnd = true;
    if (this.onend === undefined) {
      void this.close();
      return;
    }
    try {
      this.onend();
    } catch (error) {
      emitError(this, error);
      void this.close();
    }
  }

  #emitClose(): void {
    if (this.#hasEmittedClose) return;
    this.#hasEmittedClose = true;
    emitClose(this);
  }
}
