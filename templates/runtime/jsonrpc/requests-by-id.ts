import type { RequestId } from "./message.js";

const MAX_SLOTS = 256;

/**
 * The requests in flight by id. One with a number is in the slot of its lowest bits; if another has that, slots double,
 * up to a limit, above which the older of both moves to a map. So recent requests are in slots, and only those that take
 * long, or have strings as ids, are in the map.
 *
 * Not a map alone: V8 copies the table of a map after every few insertions and deletions, and a table that has become old
 * keeps all its copies alive until the next full garbage collection, with the requests in them. Then a call
 * costs twice as much.
 */
export class RequestsById<R extends { readonly id: RequestId }> {
  #slots: (R | undefined)[] = [undefined];
  #usedSlots = 0;
  readonly #others = new Map<RequestId, R>();

  get size(): number {
    return this.#usedSlots + this.#others.size;
  }

  get(id: RequestId): R | undefined {
    const found = this.#slots[this.#slotOf(id)];
    return found?.id === id ? found : this.#others.get(id);
  }

  /** Adds a request, which no other may have the id of. */
  add(request: R): void {
    const slot = this.#slotOf(request.id);
    const older = this.#slots[slot];
    if (older === undefined) this.#usedSlots += 1;
    else if (typeof request.id === "number" && this.#slots.length < MAX_SLOTS) {
      this.#doubleSlots();
      this.add(request);
      return;
    } else this.#others.set(older.id, older);
    this.#slots[slot] = request;
  }

  /** Deletes a request; false if no request has the id. */
  delete(id: RequestId): boolean {
    const slot = this.#slotOf(id);
    if (this.#slots[slot]?.id !== id) return this.#others.delete(id);
    this.#slots[slot] = undefined;
    this.#usedSlots -= 1;
    return true;
  }

  /** All requests, in no particular order. */
  values(): R[] {
    const all = [...this.#others.values()];
    for (const request of this.#slots)
      if (request !== undefined) all.push(request);
    return all;
  }

  #slotOf(id: RequestId): number {
    return typeof id === "number" ? id & (this.#slots.length - 1) : 0;
  }

  /** Requests in different slots never get the same one. */
  #doubleSlots(): void {
    const requests = this.#slots;
    this.#slots = Array<R | undefined>(requests.length * 2).fill(undefined);
    for (const request of requests)
      if (request !== undefined)
        this.#slots[this.#slotOf(request.id)] = request;
  }
}
