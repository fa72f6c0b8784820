import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { SSEClientTransport as V1Sse } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StreamableHTTPClientTransport as V2Http } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import { FEATURES, TASKS } from './features.js';
import { oursClient, v1Client, v2Client } from './peers/clients.js';
import type { Peer } from './peers/clients.js';
import { STATELESS } from './peers/fixture-peers.js';
import type { Hosting } from './peers/http-host.js';
import { program } from './peers/program.js';
import { REVISION_NAMES } from './peers/revisions.js';

let child: ChildProcess | undefined;
afterAll(() => {
  child?.kill();
});

const ours = (url: string): Transport => httpClientTransport({ url });
const sessions = REVISION_NAMES.filter((name) => name !== STATELESS);

interface Pair {
  readonly name: string;
  readonly hosting: Hosting;
  readonly client: () => Peer;
  readonly transport: (url: string) => Transport;
  readonly without?: readonly string[];
}

// With answers of JSON there is no way to ask or tell the client anything before the answer.
const NEEDS_STREAM = [
  'progress and logging',
  'cancellation',
  'roots',
  'sampling',
  'elicitation',
  'elicitation by URL',
  'ping',
  'tasks, both ways',
  'subscriptions',
];

const PAIRS: readonly Pair[] = [
  ...sessions.map((revision): Pair => ({
    name: `${revision}: our client, v1 server`,
    hosting: { server: 'v1', revision },
    client: () => oursClient([revision]),
    transport: ours,
  })),
  ...REVISION_NAMES.filter((revision) => revision !== '2024-11-05').map((revision): Pair => ({
    name: `${revision}: our client, v2 server`,
    hosting: { server: 'v2', revision },
    client: () => oursClient([revision]),
    transport: ours,
  })),
  {
    name: '2025-11-25: our client, v1 server that answers with JSON',
    hosting: { server: 'v1', revision: '2025-11-25', json: true },
    client: () => oursClient(['2025-11-25']),
    transport: ours,
    without: NEEDS_STREAM,
  },
  {
    name: '2024-11-05: our client, v1 server with HTTP+SSE',
    hosting: { server: 'v1', revision: '2024-11-05', sse: true },
    // It asks for the newest first, then falls back twice: to a handshake, and to the older transport.
    client: () => oursClient([STATELESS, '2024-11-05']),
    transport: ours,
  },
  {
    name: '2025-11-25: v1 client on our transport, v1 server',
    hosting: { server: 'v1', revision: '2025-11-25' },
    client: v1Client,
    transport: ours,
  },
  ...['2025-11-25', STATELESS].map((revision): Pair => ({
    name: `${revision}: v2 client on our transport, v2 server`,
    hosting: { server: 'v2', revision },
    client: () => v2Client(revision),
    transport: ours,
  })),
  {
    name: "2025-11-25: our client on v1's transport, v1 server",
    hosting: { server: 'v1', revision: '2025-11-25' },
    client: () => oursClient(['2025-11-25']),
    transport: (url) => new V1Http(new URL(url)),
  },
  {
    name: "2025-11-25: our client on v2's transport, v1 server",
    hosting: { server: 'v1', revision: '2025-11-25' },
    client: () => oursClient(['2025-11-25']),
    transport: (url) => new V2Http(new URL(url)),
  },
  {
    name: "2024-11-05: our client on v1's transport for HTTP+SSE, v1 server",
    hosting: { server: 'v1', revision: '2024-11-05', sse: true },
    client: () => oursClient(['2024-11-05']),
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- It is what servers of 2024-11-05 need.
    transport: (url) => new V1Sse(new URL(url)),
  },
];

/** The URL of the server of each pair; all servers are in one process. */
const urls = (async (): Promise<readonly string[]> => {
  const { command, args } = program('http-host.ts', JSON.stringify(PAIRS.map(({ hosting }) => hosting)));
  child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const { stdout } = child;
  if (stdout === null) throw new Error('the servers have no output');
  for await (const line of createInterface({ input: stdout })) return JSON.parse(line) as string[];
  throw new Error('the servers ended');
})();

describe.each(PAIRS)('over HTTP, $name', (pair) => {
  const { hosting, client, transport, without = [] } = pair;
  const { revision } = hosting;
  const peer = client();
  beforeAll(async () => {
    await peer.connect(transport((await urls)[PAIRS.indexOf(pair)] ?? ''));
  });
  afterAll(() => peer.close());

  const speaksTasks = peer.name !== 'v2' && hosting.server !== 'v2';
  const features = [...FEATURES, ...(speaksTasks ? [TASKS] : [])].filter(
    (feature) => feature.in(revision) && !without.includes(feature.name),
  );
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
