import { readFileSync } from 'node:fs';
import { format } from 'prettier';
import { expect, test } from 'vitest';
import { RULES, sectionUrl, type RuleId } from '../../generator/inspect/rules.js';
import { renderRules } from '../../generator/print/inspect/rules.js';

test('docs/rules.md has every rule, as the table of rules does', async () => {
  const page = readFileSync('docs/rules.md', 'utf8');
  // Prettier changes the width of lines only in what it formats.
  expect(page).toBe(await format(renderRules(), { parser: 'markdown', proseWrap: 'preserve', printWidth: 120 }));
  for (const id of Object.keys(RULES)) expect(page).toContain(`\n## ${id}\n`);
});

test('titles and help are short, and end as sentences do', () => {
  for (const [id, { title, help }] of Object.entries(RULES)) {
    expect([id, title.length <= 90, /[.]$/.test(title), help.endsWith('.')]).toEqual([id, true, false, true]);
  }
});

test('a rule leads to the page of the revision that is spoken', () => {
  const rule: RuleId = 'progress-not-increasing';
  expect(sectionUrl(rule, '2025-06-18')).toBe(
    'https://modelcontextprotocol.io/specification/2025-06-18/basic/utilities/progress',
  );
  expect(sectionUrl(rule, '2026-07-28')).toBe(
    'https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress',
  );
});
