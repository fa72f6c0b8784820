/** Time that grows with the square of something would be a service denied to its users: each of these was found once. */
import { describe, expect, test } from 'vitest';
import { recursiveDefinitions } from '../../generator/emit/validators/recursion.js';
import { findDefinition, sharedParams, type Definition } from '../../generator/model/protocol.js';
import { SourceFile } from '../../generator/print/source-file.js';
import { checkCatalog } from '../../generator/read/catalog.js';
import { processorTimeOf } from '../support/processor-time.js';
import { syntheticProtocol } from '../support/synthetic-protocol.js';
import { growthOf } from './suite.js';

const [SMALL, FACTOR] = [2000, 8];
/** Linear growth is {@link FACTOR}, quadratic is 64. The machine may be busy, and code may still be compiled. */
const MAX_RATIO = 28;

/** How many times as long it takes for {@link FACTOR} times as many, at best. */
function growthFor<T>(prepare: (size: number) => T, run: (input: T) => void): number {
  const timeFor = (size: number): number => {
    const times = Array.from({ length: 4 }, () => {
      const input = prepare(size);
      return processorTimeOf(() => {
        run(input);
      });
    });
    // What takes less than a tick of the clock is as good as one.
    return Math.max(1, Math.min(...times));
  };
  timeFor(SMALL);
  return timeFor(SMALL * FACTOR) / timeFor(SMALL);
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
  test('definitions, to find those that contain themselves', () => {
    expect(growthFor(cycleOf, recursiveDefinitions)).toBeLessThan(MAX_RATIO);
  });

  test('definitions, to find each by name', () => {
    const findAll = (protocol: ReturnType<typeof cycleOf>): void => {
      for (const { name } of protocol.definitions) findDefinition(protocol, name);
    };
    expect(growthFor(cycleOf, findAll)).toBeLessThan(MAX_RATIO);
  });

  test('names of a file, to find those that are declared twice', () => {
    const fileOf = (size: number): SourceFile => {
      const file = new SourceFile('types');
      for (let index = 0; index < size; index += 1) file.declare('type', `T${index}`, { code: ' = string;' });
      return file;
    };
    expect(growthFor(fileOf, (file) => file.ambiguousNames())).toBeLessThan(MAX_RATIO);
  });

  test('methods, to find params that they share', () => {
    const rows = (size: number) => Array.from({ length: size }, (_, index) => ({ params: `P${index}` }));
    expect(growthFor(rows, sharedParams)).toBeLessThan(MAX_RATIO);
  });

  test('rows of a catalog, to check them', async () => {
    const timeFor = async (methods: number): Promise<number> => {
      const { catalog } = syntheticProtocol(methods * 10);
      const times: number[] = [];
      for (let round = 0; round < 4; round += 1) {
        const before = process.cpuUsage();
        await checkCatalog(catalog, 'catalog.json');
        const { user, system } = process.cpuUsage(before);
        times.push(user + system);
      }
      return Math.max(1000, Math.min(...times));
    };
    await timeFor(300);
    expect((await timeFor(2400)) / (await timeFor(300))).toBeLessThan(MAX_RATIO);
  });
});

test('growth is the exponent of the last step', () => {
  expect(growthOf([10, 100, 1000], [10, 100, 1000])).toEqual({ perItem: [1, 1], exponent: 1 });
  expect(growthOf([10, 100, 1000], [1, 100, 10_000]).exponent).toBe(2);
  expect(growthOf([10, 100, 1000], [20, 21, 21]).exponent).toBe(0);
});
