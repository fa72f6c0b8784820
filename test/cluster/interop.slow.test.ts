/** Every feature of the protocol through three processes without sticky sessions, with our client and both official SDKs. */
import path from 'node:path';
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StreamableHTTPClientTransport as V2Http } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { FEATURES, TASKS } from '../interop/features.js';
import { oursClient, v1Client, v2Client, type Peer } from '../interop/peers/clients.js';
import { STATELESS } from '../interop/peers/fixture-peers.js';
import { REVISION_NAMES } from '../interop/peers/revisions.js';
import { REDIS_MISSING } from '../support/redis.js';
import { describeUnless } from '../support/skip.js';
import { itemsOf, shareOfToday, shareText } from '../support/today.js';
import { startFleet, type Fleet } from './fleet.js';

interface Guest {
  readonly name: string;
  readonly revision: string;
  readonly client: () => Peer;
  readonly transport: (url: string) => Transport;
}

const GUESTS: readonly Guest[] = [
  ...REVISION_NAMES.map((revision): Guest => ({
    name: `our client, ${revision}`,
    revision,
    client: () => oursClient([revision]),
    transport: (url) => httpClientTransport({ url }),
  })),
  {
    name: 'SDK v1, 2025-11-25',
    revision: '2025-11-25',
    client: v1Client,
    transport: (url) => new V1Http(new URL(url)),
  },
  ...['2025-06-18', '2025-11-25', STATELESS].map((revision): Guest => ({
    name: `SDK v2, ${revision}`,
    revision,
    client: () => v2Client(revision),
    transport: (url) => new V2Http(new URL(url)),
  })),
];
const share = shareOfToday(2);

describeUnless(REDIS_MISSING)(`three processes, ${shareText(share)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await startFleet({ program: path.join(import.meta.dirname, 'garden-server.ts') });
  });
  afterAll(() => fleet.stop());

  describe.each(itemsOf(GUESTS, share))('$name', ({ revision, client, transport }) => {
    const peer = client();
    beforeAll(async () => {
      await fleet.redis.cli('del', 'stopped');
      await peer.connect(transport(fleet.url));
    });
    afterAll(() => peer.close());

    const features = [...FEATURES, ...(peer.name === 'v2' ? [] : [TASKS])].filter((feature) => feature.in(revision));
    test.each(features)('$name', { timeout: 20_000 }, async (feature) => {
      await feature.run(
        peer,
        (found, expected) => {
          expect(found).toEqual(expected);
        },
        revision,
      );
    });

    test.runIf(revision !== STATELESS)('resumes a stream that breaks, and receives the answer', async () => {
      const steps: number[] = [];
      let broken = 0;
      const { content } = await peer.request(
        'tools/call',
        { name: 'grow', arguments: { bed: 'roses' } },
        {
          onProgress: (progress) => {
            steps.push(progress);
            if (progress === 3) broken = fleet.balancer.breakStreams();
          },
        },
      );
      expect(broken).toBeGreaterThan(0);
      expect(content).toMatchObject([{ type: 'text' }]);
      expect(steps).toEqual([1, 2, 3]);
    });
  });
});
