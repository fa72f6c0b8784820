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
