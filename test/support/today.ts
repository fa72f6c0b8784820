/**
 * The day's share of what takes minutes: each part of a list has its days, so that a few days run all of it.
 * `MCPGEN_ALL=1` runs everything at once, `MCPGEN_DAY=2026-12-01` the share of another day.
 */

const MS_PER_DAY = 86_400_000;

export function runsAll(): boolean {
  return process.env['MCPGEN_ALL'] === '1';
}

/** Days since 1970. */
export function today(): number {
  const day = process.env['MCPGEN_DAY'];
  const time = day === undefined ? Date.now() : Date.parse(day);
  if (Number.isNaN(time)) throw new Error(`MCPGEN_DAY is not a date: ${day}`);
  return Math.floor(time / MS_PER_DAY);
}

/** In how many parts a list of slow tests is cut, and which of them is today's. */
export interface Share {
  readonly parts: number;
  readonly part: number;
}

/** Today's share of `parts`, which is that of tomorrow or yesterday as well: half of the files run on each of two days. */
export function shareOfToday(parts: number): Share {
  return runsAll() ? { parts: 1, part: 0 } : { parts, part: Math.floor(today() / 2) % parts };
}

/** The items of a share. */
export function itemsOf<T>(items: readonly T[], { parts, part }: Share): readonly T[] {
  return items.filter((_, index) => index % parts === part);
}

/** For titles: `part 2 of 3 (MCPGEN_ALL=1 runs all)`. */
export function shareText({ parts, part }: Share): string {
  return parts === 1 ? 'all of it' : `part ${part + 1} of ${parts} (MCPGEN_ALL=1 runs all)`;
}

/** Why a test does not run today; undefined if it does. */
export function skipReason(isToday: boolean, share: Share): string | undefined {
  return isToday ? undefined : `not in ${shareText(share)}`;
}
