/**
 * What a `tools/call` in memory allocates, for `npm run bench:allocations`: bytes for each call, and the functions that
 * allocate most. The figures hardly depend on the machine.
 */
import process from 'node:process';
import { createClient } from '../../generated/2025-11-25/client.js';
import { revision as stateful } from '../../generated/2025-11-25/revision.js';
import { createServer } from '../../generated/2026-07-28/server.js';
import { revision as stateless } from '../../generated/2026-07-28/revision.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import { allocationsOf } from '../support/allocations.js';
import { printTable } from './support.js';

const INFO = { name: 'bench', version: '1.0.0' };
const PARAMS = { name: 'echo', arguments: { text: 'hello world' } };
const CALLS = 5_000;

const rows: string[][] = [];
for (const revision of [stateful, stateless]) {
  const server = createServer({
    info: INFO,
    revisions: [revision],
    handlers: { 'tools/call': (params) => ({ content: [{ type: 'text', text: String(params.arguments?.['text']) }] }) },
  });
  const client = createClient({ info: INFO, revisions: [revision] });
  const [one, other] = memoryPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  for (const inFlight of [1, 100]) {
    const run = (count: number): Promise<unknown> => {
      let left = count;
      const work = async (): Promise<void> => {
        for (; left > 0; left -= 1) await client.callTool(PARAMS);
      };
      return Promise.all(Array.from({ length: inFlight }, work));
    };
    // Until all of it is compiled.
    await run(4 * CALLS);
    const { bytes, byFunction } = await allocationsOf(() => run(CALLS), CALLS);
    rows.push([`${revision.version}, ${inFlight} in flight`, bytes.toFixed(0)]);
    for (const [name, size] of byFunction.slice(0, 8)) rows.push([`  ${name}`, size.toFixed(0)]);
  }
  await client.close();
}
printTable(`tools/call in memory, Node ${process.version}`, [['', 'bytes a call'], ...rows]);
