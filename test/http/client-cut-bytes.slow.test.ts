import { describe, expect, test } from 'vitest';
import { cutEverywhere, VARIANTS } from './cut-bytes.js';
import type { Direction } from './cut-bytes.js';

/**
 * Every byte takes minutes, so each day has its share of them, and a week all. `MCPGEN_EVERY_BYTE=1` cuts at every one;
 * what fails names the byte.
 */
const STRIDE = process.env['MCPGEN_EVERY_BYTE'] === '1' ? 1 : 7;
const FIRST = Math.floor(Date.now() / 86_400_000) % STRIDE;

describe.each(VARIANTS)('a conversation of $revision, with streams: $streams', (variant) => {
  test.each<Direction>(['requests', 'responses'])(
    'whose %s are cut off at the bytes of the day runs no call twice and loses no answer',
    async (direction) => {
      const rejections: unknown[] = [];
      const listener = (reason: unknown): void => void rejections.push(reason);
      process.on('unhandledRejection', listener);
      const { cuts, problems } = await cutEverywhere(variant, direction, STRIDE, FIRST);
      process.off('unhandledRejection', listener);
      expect(cuts).toBeGreaterThan(1500 / STRIDE);
      expect(problems).toEqual([]);
      expect(rejections).toEqual([]);
    },
    600_000,
  );
});
