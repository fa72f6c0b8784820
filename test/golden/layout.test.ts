/** How code is formatted, by construct and width of the lines. `layout.slow.test.ts` compares it with Prettier. */
import { expect, test } from 'vitest';
import { formatCode } from '../../generator/output/layout/layout.js';
import { CONSTRUCTS, settingsOf } from './layout.js';
import { expectedFile } from './support.js';

test.each(Object.entries(CONSTRUCTS))('code in lines of %s columns', async (width, constructs) => {
  const settings = settingsOf(Number(width));
  const texts = constructs.map((code) => formatCode(code, settings) ?? `// unknown: ${JSON.stringify(code)}`);
  await expect(`${texts.join('\n')}\n`).toMatchFileSnapshot(expectedFile(`layout-${width}`));
});
