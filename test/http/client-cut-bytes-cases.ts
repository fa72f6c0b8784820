import { describe, expect, test } from 'vitest';
import { cutEverywhere } from './cut-bytes.js';
import type { Direction, VARIANTS } from './cut-bytes.js';

/** Cuts off conversations at each byte, or at one of so many. */
export function testCuts(variants: readonly (typeof VARIANTS)[number][], step: number): void {
  describe.each(variants)('a conversation of $revision, with streams: $streams', (variant) => {
    test.each<Direction>(['requests', 'responses'])(
      'whose %s are cut off at any byte runs no call twice and loses no answer',
      async (direction) => {
        const rejections: unknown[] = [];
        const listener = (reason: unknown): void => void rejections.push(reason);
        process.on('unhandledRejection', listener);
        const { cuts, problems } = await cutEverywhere(variant, direction, step);
        process.off('unhandledRejection', listener);
        expect(cuts).toBeGreaterThan(15);
        expect(problems).toEqual([]);
        expect(rejections).toEqual([]);
      },
    );
  });
}
