import { PassThrough } from 'node:stream';
import { InMemoryTransport as V2Memory } from '@modelcontextprotocol/client';
import { StdioServerTransport as V2StdioServer } from '@modelcontextprotocol/server/stdio';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { InMemoryTransport as V1Memory } from '@modelcontextprotocol/sdk/inMemory.js';
import { StdioClientTransport as V1StdioClient } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StdioServerTransport as V1StdioServer } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StdioClientTransport as V2StdioClient } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryPair } from '../../generated/runtime/memory.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { FEATURES, TASKS } from './features.js';
import { oursClient, v1Client, v2Client } from './peers/clients.js';
import type { Peer } from './peers/clients.js';
import { STATELESS } from './peers/fixture-peers.js';
import { oursServer } from './peers/ours-garden.js';
import { REVISION_NAMES } from './peers/revisions.js';
import { serverProgram } from './peers/program.js';
import { v1Server } from './peers/v1-server.js';
import { v2Server } from './peers/v2-server.js';

/** Two ends of a connection, by the SDKs. Ours takes them as they are; only their own side needs casts. */
const MEDIA: Readonly<Record<string, () => [Transport, Transport]>> = {
  "v1's transport": () => V1Memory.createLinkedPair(),
  "v2's transport": () => V2Memory.createLinkedPair(),
};

type Serve = (transport: Transport, revision: string) => Promise<unknown>;
const SERVERS: Readonly<Record<string, Serve>> = {
  ours: (transport, revision) => oursServer([revision]).connect(transport),
  v1: (transport) => v1Server().connect(transport as never),
  v2: (transport, revision) =>
    Promise.resolve(serveStdio(() => v2Server([revision]), { transport: transport as never })),
};
const CLIENTS: Readonly<Record<string, (revision: string) => Peer>> = {
  ours: (revision) => oursClient([revision]),
  v1: v1Client,
  v2: v2Client,
};

const PAIRS = Object.keys(MEDIA).flatMap((medium) => [
  ...['2025-11-25', STATELESS].map((revision) => ({ medium, client: 'ours', server: 'ours', revision })),
  { medium, client: 'ours', server: 'v1', revision: '2025-11-25' },
  { medium, client: 'v1', server: 'ours', revision: '2025-11-25' },
  ...['2025-11-25', STATELESS].flatMap((revision) => [
    { medium, client: 'ours', server: 'v2', revision },
    { medium, client: 'v2', server: 'ours', revision },
  ]),
]);

describe.each(PAIRS)('in memory, $revision, $medium: client $client, server $server', (pair) => {
  const { revision } = pair;
  const peer = CLIENTS[pair.client]?.(revision);
  if (peer === undefined) throw new Error(`no client ${pair.client}`);
  beforeAll(async () => {
    const [ours, theirs] = (MEDIA[pair.medium] ?? V1Memory.createLinkedPair)();
    await SERVERS[pair.server]?.(theirs, revision);
    await peer.connect(ours);
  });
  afterAll(() => peer.close());

  const speaksTasks = pair.client !== 'v2' && pair.server !== 'v2';
  const features = [...FEATURES, ...(speaksTasks ? [TASKS] : [])].filter((feature) => feature.in(revision));
  test.each(features)('$name', async (feature) => {
    await feature.run(
      peer,
      (found, expected) => {
        expect(found).toEqual(expected);
      },
      revision,
    );
  });
});

describe("the SDKs' stdio transports serve our endpoints", () => {
  test.each([
    { name: 'v1', make: V1StdioClient },
    { name: 'v2', make: V2StdioClient },
  ])('client transport of $name', async ({ make }) => {
    const peer = oursClient();
    await peer.connect(new make(serverProgram('ours')));
    expect(peer.revision()).toBe(STATELESS);
    const { tools } = await peer.request('tools/list');
    expect((tools as unknown[]).length).toBeGreaterThan(0);
    await peer.close();
  });

  test.each([
    { name: 'v1', make: V1StdioServer },
    { name: 'v2', make: V2StdioServer },
  ])('server transport of $name', async ({ make }) => {
    const input = new PassThrough();
    const output = new PassThrough();
    const server = oursServer();
    await server.connect(new make(input, output));
    const answer = new Promise<string>((resolve) =>
      output.once('data', (chunk) => {
        resolve(String(chunk));
      }),
    );
    input.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    expect(JSON.parse(await answer)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    await server.close();
  });
});

describe('negotiation', () => {
  test('our client speaks the newest that our server knows', async () => {
    for (const revision of REVISION_NAMES) {
      const [one, other] = memoryPair();
      await oursServer([revision]).connect(other);
      const peer = oursClient();
      await peer.connect(one);
      expect(peer.revision()).toBe(revision);
      await peer.close();
    }
  });

  test('our client negotiates with each server', async () => {
    for (const [server, revision] of [
      ['v1', '2025-11-25'],
      ['v2', STATELESS],
    ] as const) {
      const peer = oursClient();
      const [one, other] = V1Memory.createLinkedPair();
      if (server === 'v1') await v1Server().connect(other);
      else serveStdio(() => v2Server(), { transport: other });
      await peer.connect(one);
      expect(peer.revision()).toBe(revision);
      await peer.close();
    }
  });
});
