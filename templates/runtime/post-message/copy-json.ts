/** Copies of values from other windows, which may hold more than JSON. */
import { DEFAULT_MAX_DEPTH } from "../jsonrpc/scan.js";

/** What each value counts in addition to the characters of texts and names. */
const SIZE_OF_VALUE = 8;

/** Why a value cannot be copied: it contains what JSON cannot hold, or it is nested too deeply or too large. */
export type JsonFault = "not-json" | "too-deep" | "too-large";

/** The outcome of {@link copyJson}. */
export type JsonCopy =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly fault: JsonFault };

/**
 * A copy of a value as JSON would have it: members that are undefined are left out.
 *
 * Windows send structured clones: they may contain cycles, the same object many times, dates, maps and buffers. A value
 * that appears twice is copied and counted twice, so that a small clone cannot become a huge message.
 *
 * @param maxSize - The characters of texts and names, plus 8 for each value.
 */
export function copyJson(value: unknown, maxSize: number): JsonCopy {
  try {
    return { success: true, value: new Copier(maxSize).copy(value, 0) };
  } catch (error) {
    if (error instanceof NotCopyable)
      return { success: false, fault: error.fault };
    throw error;
  }
}

class NotCopyable extends Error {
  readonly fault: JsonFault;

  constructor(fault: JsonFault) {
    super(fault);
    this.fault = fault;
  }
}

class Copier {
  #left: number;

  constructor(maxSize: number) {
    this.#left = maxSize;
  }

  copy(value: unknown, depth: number): unknown {
    this.#count(SIZE_OF_VALUE);
    switch (typeof value) {
      case "string":
        this.#count(value.length);
        return value;
      case "boolean":
        return value;
      case "number":
        if (Number.isFinite(value)) return value;
        break;
      case "object":
        if (value === null) return value;
        if (depth >= DEFAULT_MAX_DEPTH) throw new NotCopyable("too-deep");
        return this.#copyObject(value, depth);
      default:
        break;
    }
    throw new NotCopyable("not-json");
  }

  #copyObject(value: object, depth: number): object {
    if (Array.isArray(value)) {
      // A list without items, such as `new Array(1e9)`, has a length but takes no memory.
      this.#count(value.length * SIZE_OF_VALUE);
      // Unlike `map`, this does not skip items that are missing, which JSON does not have.
      return Array.from(value, (item: unknown) => this.copy(item, depth + 1));
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    // Also that of another window, which is not the same object.
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
      throw new NotCopyable("not-json");
    const copy: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value) as [string, unknown][]) {
      if (member === undefined) continue;
      this.#count(name.length);
      // `__proto__` as a name must not set the prototype.
      Object.defineProperty(copy, name, {
        value: this.copy(member, depth + 1),
        configurable: true,
        enumerable: true,
        writable: true,
      });
    }
    return copy;
  }

  #count(size: number): void {
    this.#left -= size;
    if (this.#left < 0) throw new NotCopyable("too-large");
  }
}
