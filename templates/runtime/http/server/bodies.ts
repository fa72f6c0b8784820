import type { BodyProgress } from "./call.js";
import type { Caller, Callers } from "./callers.js";
import type { HandlerCounter } from "../../jsonrpc/transport.js";

/**
 * The bodies that are arriving. The bytes that have arrived count, not the announced length. Past the limit, bodies are
 * dropped: of the caller that holds the most, the one that began first.
 *
 * A body is in `arriving` exactly while its caller's `bodyBytes` include bytes of it.
 * After `enforceLimit` all bodies together have at most `max` bytes.
 */
export class ArrivingBodies {
  readonly #callers: Callers;
  readonly #max: number;
  /** Bodies of which bytes have arrived, in the order in which they began. */
  readonly #arriving = new Set<ArrivingBody>();

  constructor(callers: Callers, max: number) {
    this.#callers = callers;
    this.#max = max;
  }

  /** Starts counting a body. */
  begin(caller: Caller): ArrivingBody {
    return new ArrivingBody(caller, this);
  }

  /** Drops all incomplete bodies. */
  dropAll(): void {
    for (const body of [...this.#arriving]) this.#drop(body);
  }

  /** @internal */
  add(body: ArrivingBody): void {
    this.#arriving.add(body);
  }

  /** @internal */
  remove(body: ArrivingBody): void {
    this.#arriving.delete(body);
  }

  /** @internal */
  enforceLimit(): void {
    while (this.#callers.total.bodyBytes.held > this.#max) {
      let worst: ArrivingBody | undefined;
      for (const body of this.#arriving) {
        if (
          worst === undefined ||
          body.caller.bodyBytes.held > worst.caller.bodyBytes.held
        )
          worst = body;
      }
      if (worst === undefined) return;
      this.#drop(worst);
    }
  }

  #drop(body: ArrivingBody): void {
    body.isDropped = true;
    body.end();
    body.stop?.();
  }
}

/**
 * A body that is arriving.
 *
 * Its caller's `bodyBytes` include exactly `bytes` for it.
 * After it ends or is dropped, `bytes` is 0; a dropped body counts nothing more.
 */
export class ArrivingBody implements BodyProgress {
  readonly caller: Caller;
  stop: (() => void) | undefined;
  bytes = 0;
  /** Whether it was dropped because of the limit. */
  isDropped = false;
  readonly #bodies: ArrivingBodies;

  constructor(caller: Caller, bodies: ArrivingBodies) {
    this.caller = caller;
    this.#bodies = bodies;
  }

  received(bytes: number): void {
    if (this.isDropped || bytes === 0) return;
    if (this.bytes === 0) this.#bodies.add(this);
    this.bytes += bytes;
    this.caller.bodyBytes.acquire(bytes);
    this.#bodies.enforceLimit();
  }

  /** The body is complete and parsed, or no longer needed. */
  end(): void {
    if (this.bytes === 0) return;
    this.#bodies.remove(this);
    this.caller.bodyBytes.release(this.bytes);
    this.bytes = 0;
  }
}

/** Complete bodies up to this size are not counted: the limits on requests, handlers and sessions bound them. */
export const MAX_UNCOUNTED_BODY_BYTES: number = 16 * 1024;

/**
 * A complete body. Its bytes count while its request is open, its handler runs, or a session keeps its contents; each of
 * these retains it and releases it afterwards.
 *
 * `#references` is the number of `retain` calls without a matching `release`.
 * The caller's `requestBytes` include the body exactly while `#references` is above 0.
 */
export class RetainedBody implements HandlerCounter {
  readonly #caller: Caller;
  readonly #bytes: number;
  #references = 0;

  constructor(caller: Caller, bytes: number) {
    this.#caller = caller;
    this.#bytes = bytes;
  }

  retain(): void {
    if (this.#references === 0) this.#caller.requestBytes.acquire(this.#bytes);
    this.#references += 1;
  }

  release(): void {
    this.#references -= 1;
    if (this.#references === 0) this.#caller.requestBytes.release(this.#bytes);
  }

  canStart(limit: number): boolean {
    return this.#caller.canStart(limit);
  }

  handlerStarted(): void {
    this.#caller.handlerStarted();
    this.retain();
  }

  handlerEnded(): void {
    this.#caller.handlerEnded();
    this.release();
  }
}

/** Smaller chunks are copied, since each would keep the buffer alive that it was read into. */
const MIN_KEPT_CHUNK_BYTES = 4096;
const BLOCK_BYTES = 16 * 1024;

/**
 * The chunks of a body, which need about as much memory as they have bytes, however small they are.
 *
 * The chunks and then the used part of `block` are the body so far, in order.
 * `length` is their sum until `clear`.
 */
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

  /** The whole body; a body of one chunk is not copied. */
  concat(): Uint8Array {
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
