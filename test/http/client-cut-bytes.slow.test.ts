import { describe, expect, test } from 'vitest';
import { testCuts } from './client-cut-bytes-cases.js';
import { cutEverywhere, VARIANTS } from './cut-bytes.js';
import { shareOfToday, shareText } from '../support/today.js';
import type { Direction } from './cut-bytes.js';

/** Every byte takes minutes. What fails names the byte. */
const SHARE = shareOfToday(28);

// The newest one is in client-cut-bytes.test.ts.
testCuts(VARIANTS.slice(0, -1), 97);

describe.each(VARIANTS)('a conversation of $revision, with streams: $streams', (variant) => {
  test.each<Direction>(['requests', 'responses'])(
    `whose %s are cut off at every byte, ${shareText(SHARE)}, runs no call twice and loses no answer`,
    async (direction) => {
      const rejections: unknown[] = [];
      const listener = (reason: unknown): void => void rejections.push(reason);
      process.on('unhandledRejection', listener);
      const { cuts, problems } = await cutEverywhere(variant, direction, SHARE.parts, SHARE.part);
      process.off('unhandledRejection', listener);
      expect(cuts).toBeGreaterThan(1500 / SHARE.parts);
      expect(problems).toEqual([]);
      expect(rejections).toEqual([]);
    },
    600_000,
  );
});
