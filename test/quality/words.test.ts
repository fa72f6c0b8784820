import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PROJECT_FILES } from '../support/project-files.js';
import { proseOf } from './prose.js';
import type { Prose } from './prose.js';
import { AVOIDED_WORDS, WORD_EXCEPTIONS } from './words.js';

/** The avoided words in a text, as they are written there. */
function findAvoided({ line, text }: Prose): readonly string[] {
  const words = text.replaceAll(/\s*\n\s*(?:\*|\/\/|>)?\s*/g, ' ');
  return AVOIDED_WORDS.flatMap(({ pattern, instead }) => {
    const found = pattern.exec(words);
    if (found === null) return [];
    const around = words.slice(Math.max(0, found.index - 30), found.index + found[0].length + 20).trim();
    return [`${line}: "${around}"; instead of "${found[0]}", write: ${instead}`];
  });
}

const files = PROJECT_FILES.filter((file) => existsSync(file)).filter(
  (file) =>
    /^(?:README|CHANGELOG|CONTRIBUTING|ARCHITECTURE|SECURITY)\.md$|^schema\/(?:docs|config\.schema|errata|renames)\.json$/.test(
      file,
    ) ||
    /^(?:docs|examples|templates)\/.*\.(?:ts|js|mjs|md|yml|json|css|html)$/.test(file) ||
    /^generator\/.*\.ts$|^scripts\/.*\.mjs$|^\.github\/workflows\/.*\.yml$/.test(file) ||
    /^generated\/(?!runtime\/).*\.ts$/.test(file) ||
    // The list of words itself is in test/quality/, and recorded traffic in test/fixtures/ is of other projects.
    /^test\/(?!quality\/words|fixtures\/\d).*\.(?:ts|mjs)$/.test(file),
);

/** Whether a file may have avoided words in its prose. Most have none anywhere, and need not be parsed. */
function mayHaveAvoided(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  // They are the same if there is no backslash.
  const texts = new Set([text, text.replaceAll(/\\[nrt]/g, ' '), text.replaceAll(/\\(.)/g, '$1')]);
  return [...texts].some((variant) => findAvoided({ line: 1, text: variant }).length > 0);
}

test.each(files)('%s has plain words', (file) => {
  if (!file.endsWith('.md') && !mayHaveAvoided(file)) return;
  const exceptions = WORD_EXCEPTIONS.filter((exception) => exception.file === file);
  const found = proseOf(file).flatMap((prose) => {
    const excepted = exceptions.reduce((text, exception) => text.replaceAll(exception.text, ''), prose.text);
    return findAvoided({ line: prose.line, text: excepted });
  });
  expect(found, found.join('\n')).toEqual([]);
});

describe('the word list', () => {
  test.each(WORD_EXCEPTIONS)('still needs its exception "$text" in $file', ({ file, text }) => {
    expect(findAvoided({ line: 1, text })).not.toEqual([]);
    expect(proseOf(file).some((prose) => prose.text.includes(text))).toBe(true);
  });

  test.each([
    ['Values are held against the schema.', 'held against'],
    ['One that waits\n * for ever.', 'for ever'],
    ['There is none.', 'is none'],
    ['The behaviour of a server', 'behaviour'],
    ['serialised', 'serialised'],
  ])('finds the avoided words of "%s"', (text, word) => {
    expect(findAvoided({ line: 1, text }).join()).toContain(`instead of "${word}"`);
  });

  test.each(['The behavior of a server', 'the server serializes it', 'none of these', 'the precise colors'])(
    'accepts "%s"',
    (text) => {
      expect(findAvoided({ line: 1, text })).toEqual([]);
    },
  );
});
