/**
 * What a benchmark is made of. Contenders are measured in rounds, one after the other, so that a busy machine slows all
 * alike; a ratio is taken within each round, and the median of all rounds counts.
 */

/** What a measurement may use. */
export interface Bench {
  /** The repository. */
  readonly root: string;
  /** A folder of this run, which is removed afterwards. `node_modules` in it is that of the repository. */
  readonly scratch: string;
  /** Whether this is a trial: less of everything, so that figures mean little. */
  readonly isQuick: boolean;
  /** Reports what is going on, on standard error. */
  readonly progress: (text: string) => void;
  /**
   * Runs a measurement of `worker.ts` in a new process, so that no code is optimized for another contender.
   *
   * @returns A number for each column.
   */
  readonly measure: (name: string, args?: object) => Promise<readonly number[]>;
}

/** Measures one contender once. Returns a number for each column of its suite. */
export type Contender = (bench: Bench) => Promise<readonly number[]> | readonly number[];

/** Which contenders are compared with each other. */
export interface Race {
  readonly title: string;
  /** The least that anyone must do. */
  readonly floor?: string;
  readonly ours: string;
  readonly peers: readonly string[];
  /** What ours should reach, for each column: of the floor's speed, or in the unit of the column. */
  readonly aims?: readonly (Aim | undefined)[];
  /** The contender of an older checkout that ours replaces, where that is another one. */
  readonly before?: string;
}

export type Aim = { readonly speed: number } | { readonly below: number } | { readonly ofPeer: number };

export interface Suite {
  readonly name: string;
  readonly title: string;
  /** What is measured, and how, in one or two sentences. */
  readonly about: string;
  readonly columns: readonly { readonly title: string; readonly unit: Unit }[];
  readonly races: readonly Race[];
  /** Prepares what the contenders need. */
  readonly contenders: (bench: Bench) => Promise<Readonly<Record<string, Contender>>>;
  /** Ends what the contenders needed. */
  readonly close?: () => Promise<void>;
  /** Whether it takes minutes or needs other programs, so that it only runs when it is named. */
  readonly isLong?: boolean;
}

/** How measured times and sizes grow. */
export interface GrowthSuite {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** What there are more and more of. */
  readonly items: string;
  readonly sizes: readonly number[];
  readonly columns: readonly { readonly title: string; readonly unit: Unit }[];
  /** Measures a size once, in a new process. Returns a number for each column. */
  readonly prepare: (bench: Bench) => Promise<(size: number) => Promise<readonly number[]> | readonly number[]>;
}

/** Sizes that are the same in every run. */
export interface SizeSuite {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly measure: (bench: Bench) => Promise<readonly SizeRow[]>;
}

export interface SizeRow {
  readonly title: string;
  readonly ours: number;
  readonly unit: Unit;
  readonly peers: Readonly<Record<string, number>>;
}

export type Unit = 'ns' | 'us' | 'ms' | 's' | 'bytes' | 'MiB' | 'KiB' | 'count';

/** A median, and the least and the most of all rounds. */
export type Spread = readonly [median: number, least: number, most: number];

export interface Measured {
  readonly name: string;
  readonly value: Spread;
}

/** One line of a table. */
export interface Row {
  readonly title: string;
  readonly column: string;
  readonly unit: Unit;
  readonly floor?: Measured;
  readonly ours: Measured;
  /** How fast ours is, where the floor is 1. */
  readonly speed?: Spread;
  /** `times`: how many times as fast ours is. */
  readonly peers: readonly (Measured & { readonly times: Spread })[];
  readonly aim?: Aim;
}

export interface SuiteResult {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** Of mcpgen, where it was measured later than the rest. */
  readonly version?: string;
  readonly rounds: number;
  readonly rows: readonly Row[];
}

export interface GrowthResult {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly items: string;
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly series: readonly {
    readonly title: string;
    readonly unit: Unit;
    readonly values: readonly Spread[];
    /** By how much it grows for each item, from each size to the next. */
    readonly perItem: readonly number[];
    /** 1 is linear: the exponent of growth between the last two sizes. What no items cost makes it smaller. */
    readonly exponent: number;
  }[];
}

export interface SizeResult extends Omit<SizeSuite, 'measure'> {
  readonly rows: readonly SizeRow[];
}

/** The contents of `results.json`. */
export interface Results {
  readonly date: string;
  readonly command: string;
  readonly machine: { readonly processor: string; readonly cores: number; readonly load: readonly number[] };
  /** Of Node, mcpgen and its commit, and all peers. */
  readonly versions: Readonly<Record<string, string>>;
  readonly suites: readonly SuiteResult[];
  readonly growth: readonly GrowthResult[];
  readonly sizes: readonly SizeResult[];
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? high) + high) / 2;
}

/** Four significant digits are more than any run repeats. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

export function spreadOf(values: readonly number[]): Spread {
  return [rounded(median(values)), rounded(Math.min(...values)), rounded(Math.max(...values))];
}

/** A contender, and the checkout that it measures. */
type Entry = readonly [name: string, measure: Contender, bench: Bench];

/** The contenders of an older checkout take the place of peers. */
async function contendersBefore({ races, contenders }: Suite, older: Bench): Promise<readonly Entry[]> {
  const all = await contenders(older);
  return [...new Set(races.map((race) => race.before ?? race.ours))].flatMap((name) => {
    const measure = all[name];
    return measure === undefined ? [] : [[`${name}, before`, measure, older] as const];
  });
}

/** Runs a suite: all contenders in each round, each of them first in turn; with an older checkout, only ours and its. */
export async function runSuite(suite: Suite, bench: Bench, rounds: number, older?: Bench): Promise<SuiteResult> {
  bench.progress(`${suite.name}: preparing`);
  try {
    const races =
      older === undefined
        ? suite.races
        : suite.races.map((race) => ({ ...race, peers: [`${race.before ?? race.ours}, before`] }));
    const current = Object.entries(await suite.contenders(bench)).map(([name, measure]): Entry => [
      name,
      measure,
      bench,
    ]);
    const named = new Set(races.flatMap(({ ours, floor = '' }) => [ours, floor]));
    const contenders =
      older === undefined
        ? current
        : [...current.filter(([name]) => named.has(name)), ...(await contendersBefore(suite, older))];
    const samples = new Map<string, (readonly number[])[]>(contenders.map(([name]) => [name, []]));
    for (let round = 0; round < rounds; round += 1) {
      // What is measured later may find a busier machine.
      const order = contenders.map((_, index) => contenders[(index + round) % contenders.length]);
      for (const contender of order) {
        if (contender === undefined) continue;
        const [name, measure, own] = contender;
        bench.progress(`${suite.name}: round ${round + 1} of ${rounds}: ${name}`);
        samples.get(name)?.push(await measure(own));
      }
    }
    return {
      ...{ name: suite.name, title: suite.title, about: suite.about, rounds },
      rows: races.flatMap((race) => rowsOf(race, suite.columns, samples)),
    };
  } finally {
    await suite.close?.();
  }
}

function rowsOf(
  { title, floor, ours, peers, aims = [] }: Race,
  columns: Suite['columns'],
  samples: ReadonlyMap<string, readonly (readonly number[])[]>,
): Row[] {
  return columns.flatMap(({ title: column, unit }, index) => {
    const of = (name: string): number[] =>
      (samples.get(name) ?? []).map((values) => values[index] ?? Number.NaN).filter((value) => !Number.isNaN(value));
    const own = of(ours);
    // A column that a contender does not have.
    if (own.length === 0) return [];
    const measured = (name: string): Measured => ({ name, value: spreadOf(of(name)) });
    /** How many times as fast ours is as another one, in each round. */
    const timesOf = (name: string): Spread =>
      spreadOf(of(name).map((value, round) => value / (own[round] ?? Number.NaN)));
    const aim = aims[index];
    return [
      {
        ...{ title, column, unit, ours: measured(ours) },
        ...(floor === undefined ? {} : { floor: measured(floor), speed: timesOf(floor) }),
        peers: peers.filter((name) => of(name).length > 0).map((name) => ({ ...measured(name), times: timesOf(name) })),
        ...(aim === undefined ? {} : { aim }),
      },
    ];
  });
}

/** Measures all sizes in each round. */
export async function runGrowth(suite: GrowthSuite, bench: Bench, rounds: number): Promise<GrowthResult> {
  const { name, title, about, items, columns } = suite;
  const sizes = bench.isQuick ? suite.sizes.slice(0, -1) : suite.sizes;
  bench.progress(`${name}: preparing`);
  const measure = await suite.prepare(bench);
  const samples = new Map<number, (readonly number[])[]>(sizes.map((size) => [size, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const size of sizes) {
      bench.progress(`${name}: round ${round + 1} of ${rounds}: ${size} ${items}`);
      samples.get(size)?.push(await measure(size));
    }
  }
  return {
    ...{ name, title, about, items, sizes, rounds },
    series: columns.map((column, index) => {
      const values = sizes.map((size) => spreadOf((samples.get(size) ?? []).map((all) => all[index] ?? Number.NaN)));
      return {
        ...column,
        values,
        ...growthOf(
          sizes,
          values.map(([middle]) => middle),
        ),
      };
    }),
  };
}

/** How values grow with sizes: the cost of one more item in each step, and the exponent of growth in the last one. */
export function growthOf(
  sizes: readonly number[],
  values: readonly number[],
): { readonly perItem: readonly number[]; readonly exponent: number } {
  const at = (list: readonly number[], index: number): number => list.at(index) ?? Number.NaN;
  const perItem = sizes
    .slice(1)
    .map((size, index) => rounded((at(values, index + 1) - at(values, index)) / (size - at(sizes, index))));
  const exponent = Math.log(at(values, -1) / at(values, -2)) / Math.log(at(sizes, -1) / at(sizes, -2));
  return { perItem, exponent: rounded(exponent) };
}
