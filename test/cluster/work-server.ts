/**
 * A process of a fleet whose tool takes a while. Redis counts how often each call was run, and has the events that the
 * log of a session has acknowledged.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { revision as revision20251125 } from '../../generated/2025-11-25/revision.js';
import { createServer } from '../../generated/2026-07-28/server.js';
import { revision as revision20260728 } from '../../generated/2026-07-28/revision.js';
import type { Cluster } from '../../generated/runtime/cluster/types.js';
import { fleetRedis, REQUEST_STATE, serveMember } from './serve-member.js';

const client = await fleetRedis();

const server = createServer({
  info: { name: 'work', version: '1.0.0' },
  requestState: REQUEST_STATE,
  revisions: [revision20251125, revision20260728],
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- older revisions have no other way to log
  capabilities: { tools: { listChanged: true }, logging: {} },
  handlers: {
    'tools/list': () => ({ tools: [{ name: 'work', inputSchema: { type: 'object' } }] }),
    'tools/call': async ({ name, arguments: args = {} }, context) => {
      if (name === 'announce') server.notify('notifications/tools/list_changed');
      else {
        const { call, ms, steps, isCounted } = args as { call: string; ms: number; steps: number; isCounted?: boolean };
        if (isCounted !== false) await client?.incr(`runs:${call}`);
        for (let step = 0; step < steps; step += 1) {
          await delay(ms / (steps + 1), undefined, { signal: context.signal });
          context.progress(step + 1, steps, call);
        }
        await delay(ms / (steps + 1), undefined, { signal: context.signal });
      }
      return { content: [{ type: 'text', text: String(args['call']) }] };
    },
  },
});

/** Writes down what the log of a session has acknowledged. */
function recordAcknowledged(cluster: Cluster): Cluster {
  const { sessions, mailbox, events } = cluster;
  return {
    sessions,
    mailbox,
    close: () => cluster.close(),
    events: {
      append: async (session, added, ttl) => {
        const isAppended = await events.append(session, added, ttl);
        if (isAppended)
          await client?.rPush(
            `acknowledged:${session}`,
            added.map(({ data }) => data),
          );
        return isAppended;
      },
      read: (session, after, limit) => events.read(session, after, limit),
      trim: (session, before) => events.trim(session, before),
      extend: (session, ttl) => events.extend(session, ttl),
      delete: (session) => events.delete(session),
    },
  };
}

await serveMember({ server }, client, process.env['MCPGEN_RECORD'] === '1' ? recordAcknowledged : undefined);
