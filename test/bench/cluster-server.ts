/** The server that `bench:cluster` measures: in memory, or a process of a fleet. */
import { setTimeout as delay } from 'node:timers/promises';
import { revision as revision20251125 } from '../../generated/2025-11-25/revision.js';
import { createServer } from '../../generated/2026-07-28/server.js';
import { revision as revision20260728 } from '../../generated/2026-07-28/revision.js';
import { fleetRedis, REQUEST_STATE, serveMember } from '../cluster/serve-member.js';

const server = createServer({
  info: { name: 'bench', version: '1.0.0' },
  requestState: REQUEST_STATE,
  revisions: [revision20251125, revision20260728],
  capabilities: { tools: {} },
  handlers: {
    'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
    'tools/call': async ({ name, arguments: args }, context) => {
      if (name === 'progress')
        for (const step of [1, 2, 3]) {
          context.progress(step, 3, `step ${step}`);
          // Each is written, and stored, alone.
          await delay(5);
        }
      return { content: [{ type: 'text', text: String(args?.['text']) }] };
    },
  },
});

process.on('message', () => {
  globalThis.gc?.();
  process.send?.({ heap: process.memoryUsage().heapUsed, cpu: process.cpuUsage() });
});
// What started it is gone.
process.on('disconnect', () => process.exit());

const client = await fleetRedis();
const { idleTimeout, max } = { idleTimeout: 30 * 60_000, max: 1_000_000 };
await serveMember({ server, sessions: { idleTimeout, max }, maxTotalBodyBytes: 2 ** 34 }, client);
