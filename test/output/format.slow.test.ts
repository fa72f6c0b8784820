import type { Options } from 'prettier';
import { afterAll, describe, test } from 'vitest';
import { removeTemporaryFolders } from '../support/cli.js';
import { itemsOf, shareOfToday, shareText } from '../support/today.js';
import { expectWholeFileFormat } from '../support/whole-file-format.js';

afterAll(removeTemporaryFolders);

const CONFIGS: readonly Options[] = [
  {},
  { printWidth: 120, singleQuote: true },
  { semi: false, useTabs: true, trailingComma: 'none', arrowParens: 'avoid', quoteProps: 'consistent' },
  { experimentalTernaries: true, objectWrap: 'collapse', bracketSpacing: false, tabWidth: 4 },
];

const SHARE = shareOfToday(2);

describe(`what is formatted piece by piece is what Prettier makes of the whole file, ${shareText(SHARE)}`, () => {
  test.each(itemsOf(CONFIGS, SHARE))('%j', async (config) => {
    await expectWholeFileFormat(config);
  });
});
