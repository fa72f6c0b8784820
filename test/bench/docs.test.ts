import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { docsOf, readResults } from './docs.js';
import { page } from './page.js';
import { spreadOf, type Row } from './suite.js';
import { GROWTH, SIZES, SUITES } from './suites.js';
import { aimOf } from './tables.js';

const results = readResults();

test.each([...docsOf(results)])('%s has the tables of the last complete run', (name, text) => {
  expect(readFileSync(name, 'utf8')).toBe(text);
});

test('the page shows the last complete run', () => {
  expect(readFileSync('test/bench/results.html', 'utf8')).toBe(page(results));
});

test('the results have every benchmark that does not take long', () => {
  const names = (list: readonly { readonly name: string; readonly isLong?: boolean }[]): string[] =>
    list.filter(({ isLong = false }) => !isLong).map(({ name }) => name);
  expect(names(results.suites)).toEqual(names(SUITES));
  expect(names(results.growth)).toEqual(names(GROWTH));
  expect(names(results.sizes)).toEqual(names(SIZES));
});

test('time and memory grow at most linearly in the last complete run', () => {
  for (const { title, series } of results.growth)
    for (const { title: column, exponent } of series) expect(exponent, `${title}, ${column}`).toBeLessThan(1.2);
});

describe('an aim', () => {
  const row = (more: Partial<Row>): Row => ({
    ...{ title: 'x', column: 'y', unit: 'ms', peers: [], ours: { name: 'ours', value: spreadOf([80]) } },
    ...more,
  });

  test('in the unit of the column is reached below it', () => {
    expect(aimOf(row({ aim: { below: 90 } })).isReached).toBe(true);
    expect(aimOf(row({ aim: { below: 80 } })).isReached).toBe(false);
  });

  test('of the speed of the floor is reached by the median', () => {
    expect(aimOf(row({ aim: { speed: 0.5 }, speed: spreadOf([0.4, 0.5, 0.9]) })).isReached).toBe(true);
    expect(aimOf(row({ aim: { speed: 0.5 }, speed: spreadOf([0.4, 0.45, 0.9]) })).isReached).toBe(false);
  });

  test('of peers is reached if it is for all of them', () => {
    const peers = [3, 5].map((times) => ({ name: 'peer', value: spreadOf([1]), times: spreadOf([times]) }));
    expect(aimOf(row({ aim: { ofPeer: 4 }, peers })).isReached).toBe(false);
    expect(aimOf(row({ aim: { ofPeer: 2.5 }, peers })).isReached).toBe(true);
  });
});

test('the page loads nothing, and escapes what is measured', () => {
  const [suite] = results.suites;
  if (suite === undefined) throw new Error('no suites');
  const html = page({ ...results, suites: [{ ...suite, title: '<script>"x"</script>' }] });
  expect(html).not.toContain('<script');
  expect(html).not.toMatch(/(?:src|href)="(?!#)/);
  expect(html).toContain("default-src 'none'");
});
