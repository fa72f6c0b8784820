import type { Options } from 'prettier';
import { afterAll, describe, test } from 'vitest';
import { removeTemporaryFolders } from '../support/cli.js';
import { expectWholeFileFormat } from '../support/whole-file-format.js';

afterAll(removeTemporaryFolders);

const CONFIGS: readonly Options[] = [
  {},
  { printWidth: 120, singleQuote: true },
  { semi: false, useTabs: true, trailingComma: 'none', arrowParens: 'avoid', quoteProps: 'consistent' },
  { experimentalTernaries: true, objectWrap: 'collapse', bracketSpacing: false, tabWidth: 4 },
];

describe('what is formatted piece by piece is what Prettier makes of the whole file', () => {
  test.each(CONFIGS)('%j', async (config) => {
    await expectWholeFileFormat(config);
  });
});
