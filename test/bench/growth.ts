/** How time and memory grow with definitions, tools and sessions. */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { syntheticProtocol, syntheticTools } from '../support/synthetic-protocol.js';
import { runNode } from './processes.js';
import type { Bench, GrowthSuite } from './suite.js';

/** Runs the command line for an input of each size, from nothing. */
function ofCommand(write: (bench: Bench, size: number) => readonly string[]): GrowthSuite['prepare'] {
  return (bench) =>
    Promise.resolve((size) => {
      const args = write(bench, size);
      for (const name of ['grown', 'cache']) rmSync(path.join(bench.scratch, name), { recursive: true, force: true });
      const cli = path.join(bench.root, 'dist/generator/cli.js');
      const { processor, memory } = runNode(bench.scratch, [cli, ...args, '--out', 'grown']);
      return [processor, memory];
    });
}

const OF_PROCESSES = [
  { title: 'processor time', unit: 'ms' },
  { title: 'most memory', unit: 'MiB' },
] as const;

export const growth: readonly GrowthSuite[] = [
  {
    name: 'growth-definitions',
    title: 'Generation of a protocol',
    about: 'Whole processes of `mcpgen generate` for synthetic protocols with one method for ten definitions.',
    items: 'definitions',
    sizes: [100, 1000, 10_000],
    columns: OF_PROCESSES,
    prepare: ofCommand(({ scratch }, size) => {
      const { schema, catalog } = syntheticProtocol(size);
      writeFileSync(path.join(scratch, 'schema.json'), JSON.stringify(schema));
      writeFileSync(path.join(scratch, 'catalog.json'), JSON.stringify(catalog));
      return ['generate', '--schema', 'schema.json', '--catalog', 'catalog.json'];
    }),
  },
  {
    name: 'growth-tools',
    title: 'Generation of types of tools',
    about: 'Whole processes of `mcpgen types tools` for lists of tools, each with a recursive schema.',
    items: 'tools',
    sizes: [10, 100, 1000],
    columns: OF_PROCESSES,
    prepare: ofCommand(({ scratch }, size) => {
      writeFileSync(path.join(scratch, 'tools.json'), JSON.stringify({ tools: syntheticTools(size) }));
      return ['types', 'tools', 'tools.json'];
    }),
  },
  {
    name: 'growth-registry',
    title: 'A server with many tools',
    about: 'Tools of the registry, with a client in the same process, of 2025-11-25.',
    items: 'tools',
    sizes: [10, 100, 1000],
    columns: [
      { title: 'define all', unit: 'ms' },
      { title: 'list all', unit: 'ms' },
      { title: 'a call', unit: 'us' },
    ],
    prepare: (bench) => Promise.resolve((size) => bench.measure('registry', { size })),
  },
  {
    name: 'growth-sessions',
    title: 'A server with many sessions',
    about:
      'Sessions of 2025-11-25 over `fetch()` of one HTTP handler, without sockets; the memory is the heap of the process, without garbage.',
    items: 'sessions',
    sizes: [10, 100, 1000, 10_000],
    columns: [
      { title: 'open all', unit: 'ms' },
      { title: 'memory', unit: 'MiB' },
      { title: 'a call', unit: 'us' },
    ],
    prepare: (bench) => Promise.resolve((size) => bench.measure('sessions', { size })),
  },
];
