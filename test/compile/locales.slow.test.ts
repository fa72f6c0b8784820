import { afterAll, test } from 'vitest';
import { removeTemporaryFolders } from '../support/cli.js';
import { expectSameBytes } from '../support/locales.js';

afterAll(removeTemporaryFolders);

test.each([
  ['tr-TR', 'Pacific/Kiritimati'],
  ['de-DE', 'America/St_Johns'],
])('in locale %s, another time zone and another folder: the same bytes', (locale, timeZone) => {
  expectSameBytes(locale, timeZone);
});
