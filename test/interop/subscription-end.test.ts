import { expect, test } from 'vitest';
import { createClient } from '../../generated/2026-07-28/client.js';
import { memoryPair } from '../../generated/runtime/memory.js';

// No released server does it, but the specification lets one: to end a subscription by a cancellation.
test('a server ends a subscription by notifications/cancelled', async () => {
  const [ours, theirs] = memoryPair();
  const sent: { id?: number; method: string }[] = [];
  theirs.onmessage = (value) => {
    const message = value as { id: number; method: string };
    sent.push(message);
    if (message.method === 'server/discover') {
      const result = {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: { listChanged: true } },
        ttlMs: 0,
        cacheScope: 'private',
      };
      void theirs.send({ jsonrpc: '2.0', id: message.id, result });
    } else if (message.method === 'subscriptions/listen') {
      const _meta = { 'io.modelcontextprotocol/subscriptionId': message.id };
      const params = { notifications: { toolsListChanged: true }, _meta };
      void theirs.send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params });
    }
  };
  await theirs.start();
  const client = createClient({ info: { name: 'visitor', version: '1.0.0' } });
  await client.connect(ours);
  const subscription = await client.listen({ toolsListChanged: true });
  void theirs.send({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: subscription.id, reason: 'winter' },
  });
  await subscription.ended;
  expect(client.inFlight.outbound).toBe(0);
  expect(sent.map(({ method }) => method)).toEqual(['server/discover', 'subscriptions/listen']);
  await client.close();
});
