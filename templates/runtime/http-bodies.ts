import type { BodyProgress } from "./http-call.js";
import type { Caller, Callers } from "./http-callers.js";

/**
 * The bodies that are arriving. What counts is what has come, not what was announced. Past the limit, bodies are dropped
 * that hold it up: of the caller that holds the most, the one that began first.
 */
export class Bodies {
  readonly #callers: Callers;
  readonly #max: number;
  /** In the order in which they began. */
  readonly #arriving = new Set<Body>();

  constructor(callers: Callers, max: number) {
    this.#callers = callers;
    this.#max = max;
  }

  /** A body begins to arrive. */
  begin(caller: Caller): Body {
    const body = new Body(caller, this);
    this.#arriving.add(body);
    return body;
  }

  /** Drops all that are not complete. */
  dropAll(): void {
    for (const body of [...this.#arriving]) this.#drop(body);
  }

  /** @internal */
  ended(body: Body): void {
    this.#arriving.delete(body);
  }

  /** @internal */
  relieve(): void {
    while (this.#callers.total.bodyBytes > this.#max) {
      let worst: Body | undefined;
      for (const body of this.#arriving) {
        if (
          body.bytes > 0 &&
          (worst === undefined ||
            body.caller.held.bodyBytes > worst.caller.held.bodyBytes)
        )
          worst = body;
      }
      if (worst === undefined) return;
      this.#drop(worst);
    }
  }

  #drop(body: Body): void {
    body.isDropped = true;
    body.end();
    body.stop?.();
  }
}

/** A body that is arriving. */
export class Body implements BodyProgress {
  readonly caller: Caller;
  stop: (() => void) | undefined;
  bytes = 0;
  /** Whether it had to give way to others. */
  isDropped = false;
  readonly #bodies: Bodies;

  constructor(caller: Caller, bodies: Bodies) {
    this.caller = caller;
    this.#bodies = bodies;
  }

  received(bytes: number): void {
    if (this.isDropped || bytes === 0) return;
    this.bytes += bytes;
    this.caller.take("bodyBytes", bytes);
    this.#bodies.relieve();
  }

  /** It is complete and read, or nobody wants it any more. */
  end(): void {
    this.#bodies.ended(this);
    this.caller.give("bodyBytes", this.bytes);
    this.bytes = 0;
  }
}

/** Chunks below this size are copied: each would keep alive the buffer that it was read into. */
const MIN_KEPT_CHUNK_BYTES = 4096;
const BLOCK_BYTES = 16 * 1024;

/** The chunks of a body, in about as much memory as they have bytes, however small they are. */
export class BodyChunks {
  length = 0;
  #chunks: Uint8Array[] = [];
  #block: Uint8Array | undefined;
  #used = 0;

  add(chunk: Uint8Array): void {
    this.length += chunk.length;
    if (chunk.length >= MIN_KEPT_CHUNK_BYTES || this.length === chunk.length) {
      this.#closeBlock();
      this.#chunks.push(chunk);
      return;
    }
    if (this.#used + chunk.length > BLOCK_BYTES) this.#closeBlock();
    this.#block ??= new Uint8Array(BLOCK_BYTES);
    this.#block.set(chunk, this.#used);
    this.#used += chunk.length;
  }

  clear(): void {
    this.#chunks = [];
    this.#block = undefined;
    this.#used = 0;
  }

  /** All of it; a body of one chunk is not copied. */
  whole(): Uint8Array {
    this.#closeBlock();
    const [first] = this.#chunks;
    if (first !== undefined && this.#chunks.length === 1) return first;
    const whole = new Uint8Array(this.length);
    let offset = 0;
    for (const chunk of this.#chunks) {
      whole.set(chunk, offset);
      offset += chunk.length;
    }
    return whole;
  }

  #closeBlock(): void {
    if (this.#block === undefined) return;
    this.#chunks.push(this.#block.subarray(0, this.#used));
    this.#block = undefined;
    this.#used = 0;
  }
}
