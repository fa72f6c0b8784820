/** Expectations for loops of thousands: one that holds costs next to nothing, and one that fails is that of Vitest. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';

/** `expect(actual).toBe(expected)`. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (!Object.is(actual, expected)) expect(actual).toBe(expected);
}

/** `expect(actual).toEqual(expected)`, which what is strictly equal fulfills. */
export function expectEqual(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}
