/** Fills in the defaults of a schema: what generated tool schemas call. A value that is given is never changed. */
import { isObject } from "../jsonrpc/envelope.js";
import type { Validation } from "./types.js";

/** A copy of a value with its defaults, or the value itself if it lacks none. */
export type Fill = (value: unknown) => unknown;

/** A member: its name, how to make its default, and how to fill in its value. */
export type MemberDefault = readonly [
  name: string,
  makeDefault: (() => unknown) | undefined,
  fill?: Fill,
];

/** Fills in the members of an object. Each call makes new defaults, so that nobody changes those of another call. */
export function memberDefaults(members: readonly MemberDefault[]): Fill {
  return (value) => {
    if (!isObject(value)) return value;
    const filled: Record<string, unknown> = { ...value };
    for (const [name, makeDefault, fill] of members) {
      const given = Object.hasOwn(filled, name) ? filled[name] : undefined;
      const member =
        given === undefined ? makeDefault?.() : (fill?.(given) ?? given);
      // Not assigned: that would set the prototype of `__proto__`.
      if (member !== undefined)
        Object.defineProperty(filled, name, {
          value: member,
          writable: true,
          enumerable: true,
          configurable: true,
        });
    }
    return filled;
  };
}

/** Fills in the items of an array. */
export function itemDefaults(fill: Fill): Fill {
  return (value) =>
    Array.isArray(value) ? value.map((item: unknown) => fill(item)) : value;
}

/** Fills in all parts of an intersection. */
export function allDefaults(...fills: readonly Fill[]): Fill {
  return (value) => fills.reduce((filled, fill) => fill(filled), value);
}

/** Validates a value after its defaults are filled in. */
export function validatorWithDefaults<T>(
  fill: Fill,
  validate: (value: unknown) => Validation<unknown>,
): (value: unknown) => Validation<T> {
  return (value) => validate(fill(value)) as Validation<T>;
}
