import { describe, expect, test } from 'vitest';
import { cutEverywhere, VARIANTS } from './cut-bytes.js';
import type { Direction } from './cut-bytes.js';

describe.each(VARIANTS)('a conversation of $revision, with streams: $streams', (variant) => {
  test.each<Direction>(['requests', 'responses'])(
    'whose %s are cut off at any byte runs no call twice and loses no answer',
    async (direction) => {
      const rejections: unknown[] = [];
      const listener = (reason: unknown): void => void rejections.push(reason);
      process.on('unhandledRejection', listener);
      // Every byte: client-cut-bytes.slow.test.ts.
      const { cuts, problems } = await cutEverywhere(variant, direction, 97);
      process.off('unhandledRejection', listener);
      expect(cuts).toBeGreaterThan(15);
      expect(problems).toEqual([]);
      expect(rejections).toEqual([]);
    },
  );
});
