import { afterAll, test } from 'vitest';
import { removeTemporaryFolders } from '../support/cli.js';
import { expectSameBytes } from '../support/locales.js';

afterAll(removeTemporaryFolders);

test.each([
  // Here `y` is sorted next to `i`: the locale that shows most in the order of names.
  ['lt-LT', 'Asia/Tokyo'],
  ['tr-TR', 'Pacific/Kiritimati'],
  ['de-DE', 'America/St_Johns'],
])('in locale %s, another time zone and another folder: the same bytes', (locale, timeZone) => {
  expectSameBytes(locale, timeZone);
});
