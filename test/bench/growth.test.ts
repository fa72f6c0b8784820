/** Time that grows with the square of something would be a service denied to its users: each of these was found once. */
import { Session } from 'node:inspector/promises';
import { describe, expect, test } from 'vitest';
import { recursiveDefinitions } from '../../generator/emit/validators/recursion.js';
import { findDefinition, sharedParams, type Definition } from '../../generator/model/protocol.js';
import { SourceFile } from '../../generator/print/source-file.js';
import { checkCatalog } from '../../generator/read/catalog.js';
import { syntheticProtocol } from '../support/synthetic-protocol.js';
import { growthOf } from './suite.js';

const [SIZE, FACTOR] = [250, 8];
/** Linear growth is {@link FACTOR}, quadratic is 64 and more. */
const MAX_RATIO = 24;

/**
 * How many more blocks of code run for {@link FACTOR} times as many. Counts do not depend on the machine, as times would:
 * caches and garbage collection alone can make linear work look quadratic. What built-in functions do is not counted, but
 * the callbacks that they call are.
 */
async function growthFor<T>(prepare: (size: number) => T, run: (input: T) => unknown): Promise<number> {
  const [small, large] = [prepare(SIZE), prepare(SIZE * FACTOR)];
  // What is prepared once is not counted.
  await blocksRunBy(() => run(small));
  return (await blocksRunBy(() => run(large))) / (await blocksRunBy(() => run(small)));
}

async function blocksRunBy(run: () => unknown): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await run();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ranges = result.flatMap(({ functions }) => functions.flatMap((item) => item.ranges));
    return ranges.reduce((sum, { count }) => sum + count, 0);
  } finally {
    session.disconnect();
  }
}

/** Definitions that each contain the next one, and the last one the first. */
function cycleOf(size: number): { readonly definitions: readonly Definition[] } {
  const definitions = Array.from({ length: size }, (_, index) => ({
    name: `T${index}`,
    type: { kind: 'ref', name: `T${(index + 1) % size}` },
  }));
  return { definitions: definitions as unknown as readonly Definition[] };
}

describe('time grows no faster than', () => {
  test('definitions, to find those that contain themselves', async () => {
    expect(await growthFor(cycleOf, recursiveDefinitions)).toBeLessThan(MAX_RATIO);
  });

  test('definitions, to find each by name', async () => {
    const findAll = (protocol: ReturnType<typeof cycleOf>): void => {
      for (const { name } of protocol.definitions) findDefinition(protocol, name);
    };
    expect(await growthFor(cycleOf, findAll)).toBeLessThan(MAX_RATIO);
  });

  test('names of a file, to find those that are declared twice', async () => {
    const fileOf = (size: number): SourceFile => {
      const file = new SourceFile('types');
      for (let index = 0; index < size; index += 1) file.declare('type', `T${index}`, { code: ' = string;' });
      return file;
    };
    expect(await growthFor(fileOf, (file) => file.ambiguousNames())).toBeLessThan(MAX_RATIO);
  });

  test('methods, to find params that they share', async () => {
    const rows = (size: number) => Array.from({ length: size }, (_, index) => ({ params: `P${index}` }));
    expect(await growthFor(rows, sharedParams)).toBeLessThan(MAX_RATIO);
  });

  test('rows of a catalog, to check them', async () => {
    const catalogOf = (methods: number) => syntheticProtocol(methods * 10).catalog;
    const check = (catalog: ReturnType<typeof catalogOf>) => checkCatalog(catalog, 'catalog.json');
    expect(await growthFor(catalogOf, check)).toBeLessThan(MAX_RATIO);
  });
});

test('growth is the exponent of the last step', () => {
  expect(growthOf([10, 100, 1000], [10, 100, 1000])).toEqual({ perItem: [1, 1], exponent: 1 });
  expect(growthOf([10, 100, 1000], [1, 100, 10_000]).exponent).toBe(2);
  expect(growthOf([10, 100, 1000], [20, 21, 21]).exponent).toBe(0);
});
