/** Results as tables: on the terminal, in the docs and on the page. */
import type { Aim, GrowthResult, Row, SizeResult, Spread, SuiteResult, Unit } from './suite.js';

/** Three significant digits, without an exponent. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return '';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A whole number with separators, or three significant digits. */
export function amount(value: number, unit: Unit): string {
  const isWhole = unit === 'bytes' || unit === 'count';
  return `${isWhole ? value.toLocaleString('en-US') : number(value)}${unit === 'count' ? '' : ` ${unit}`}`;
}

/** A ratio with the least and the most of all rounds. */
export function ratio([middle, least, most]: Spread): string {
  return `${number(middle)} (${number(least)} to ${number(most)})`;
}

/** Whether ours reaches its aim, and the aim in words. */
export function aimOf({ aim, speed, ours, peers }: Row): { readonly text: string; readonly isReached: boolean } {
  if (aim === undefined) return { text: '', isReached: true };
  return {
    text: aimText(aim),
    isReached:
      'speed' in aim
        ? (speed?.[0] ?? 0) >= aim.speed
        : 'below' in aim
          ? ours.value[0] < aim.below
          : peers.every(({ times }) => times[0] >= aim.ofPeer),
  };
}

function aimText(aim: Aim): string {
  if ('speed' in aim) return String(aim.speed);
  return 'below' in aim ? `under ${aim.below}` : `${aim.ofPeer} x peers`;
}

export function rowTitle({ title, column }: Pick<Row, 'title' | 'column'>): string {
  return `${title}, ${column}`;
}

/** Rows of strings, the first one with the titles. */
export function suiteTable({ rows }: SuiteResult): string[][] {
  return [
    ['', 'ours', 'floor', 'speed, floor = 1', 'aim', 'times as fast as peers'],
    ...rows.map((row) => [
      rowTitle(row),
      amount(row.ours.value[0], row.unit),
      row.floor === undefined ? '' : amount(row.floor.value[0], row.unit),
      row.speed === undefined ? '' : ratio(row.speed),
      aimOf(row).text,
      row.peers.map(({ name, times }) => `${name}: ${ratio(times)}`).join('; '),
    ]),
  ];
}

/** How something grows, in one word. */
export function growthWord(exponent: number): string {
  if (exponent <= 0.2) return 'constant';
  return exponent < 0.9 ? 'less than linear' : exponent <= 1.15 ? 'linear' : 'more than linear';
}

export function growthTable({ sizes, items, series }: GrowthResult): string[][] {
  return [
    ['', ...sizes.map((size) => `${size.toLocaleString('en-US')} ${items}`), 'exponent of the last step', 'growth'],
    ...series.map(({ title, unit, values, exponent }) => [
      title,
      ...values.map(([middle]) => amount(middle, unit)),
      exponent.toFixed(2),
      growthWord(exponent),
    ]),
  ];
}

export function sizeTable({ rows }: SizeResult): string[][] {
  return [
    ['', 'ours', 'peers'],
    ...rows.map(({ title, unit, ours, peers }) => [
      title,
      amount(ours, unit),
      Object.entries(peers)
        .map(([name, value]) => `${name}: ${amount(value, unit)} (${number(value / ours)} x)`)
        .join('; '),
    ]),
  ];
}
