import { describe, expect, test } from 'vitest';
import { BaseClient } from '../../generated/runtime/client.js';
import type { Revision } from '../../generated/runtime/protocol/revision.js';
import { Server } from '../../generated/runtime/server.js';
import {
  ALL_REVISIONS,
  rejectionOf,
  TEST_INFO,
  revision20251125,
  revision20260728,
  RawPeer,
  nextTurns,
  textResult,
  connectedTransports,
  connectPair,
} from './harness.js';

const handlers = {
  'tools/list': () => ({ tools: [{ name: 'add', inputSchema: { type: 'object' } }] }),
  'tools/call': (params: { name: string }) => textResult(params.name),
};

const versions = ALL_REVISIONS.map(({ version }) => version);
const old = versions.slice(0, -1);

/** Every set of revisions that a side might speak: each alone, all, all stateful ones, and the newest of both kinds. */
const SETS: readonly (readonly string[])[] = [
  ...versions.map((version) => [version]),
  versions,
  old,
  ['2025-11-25', '2026-07-28'],
  ['2024-11-05', '2026-07-28'],
];

const revisionsOf = (set: readonly string[]): readonly Revision[] =>
  ALL_REVISIONS.filter(({ version }) => set.includes(version));

/** What two sides should agree on: the newest stateless one, else what `initialize` comes to. */
function negotiate(client: readonly string[], server: readonly string[]): string | undefined {
  if (client.includes('2026-07-28') && server.includes('2026-07-28')) return '2026-07-28';
  const [clients, servers] = [client, server].map((set) => set.filter((version) => old.includes(version)));
  const asked = clients?.at(-1);
  if (asked === undefined || servers === undefined || servers.length === 0) return undefined;
  const answered = servers.includes(asked) ? asked : servers.at(-1);
  return answered !== undefined && clients?.includes(answered) === true ? answered : undefined;
}

describe('client and server of every set of revisions', () => {
  const pairs = SETS.flatMap((client) =>
    SETS.map((server) => [client.join(' '), server.join(' '), client, server] as const),
  );
  test.each(pairs)('client %s with server %s', async (_, __, clientSet, serverSet) => {
    const server = new Server(revisionsOf(serverSet), { info: TEST_INFO, handlers });
    const client = new BaseClient(revisionsOf(clientSet), { info: TEST_INFO, probeTimeout: 500 });
    const ends = connectedTransports();
    const session = await server.connect(ends.server);
    const expected = negotiate(clientSet, serverSet);
    if (expected === undefined) {
      const error = await rejectionOf(client.connect(ends.client));
      expect(['UnsupportedRevisionError', 'RpcError']).toContain(error.name);
      await client.closed;
      await session.closed;
      expect(server.sessions.size).toBe(0);
      return;
    }
    await client.connect(ends.client);
    expect(client.revision).toBe(expected);
    expect(client.server.info).toEqual(TEST_INFO);
    expect(client.server.capabilities).toEqual({ tools: {} });
    await nextTurns();
    expect(session.revision).toBe(expected === '2026-07-28' ? undefined : expected);
    expect(await client.request('tools/call', { name: 'x' })).toMatchObject(textResult('x'));
    expect(await client.request('tools/list')).toMatchObject(handlers['tools/list']());
    await client.close();
    await session.closed;
  });
});

describe('a client of both kinds', () => {
  const revisions = [revision20251125.revision, revision20260728.revision];
  const initialized = (id: unknown, protocolVersion = '2025-11-25'): object => ({
    jsonrpc: '2.0',
    id,
    result: { protocolVersion, capabilities: {}, serverInfo: TEST_INFO },
  });

  test.each([-32601, -32600, -32602, -32603, -32000, -32022])(
    'falls back to initialize when discover is refused with %s',
    async (code) => {
      const client = revision20260728.createClient({ info: TEST_INFO, revisions });
      const ends = connectedTransports(['client']);
      const raw = new RawPeer(ends.server);
      raw.responder = ({ id, method }) => {
        if (method === 'server/discover') return { jsonrpc: '2.0', id, error: { code, message: 'no' } };
        return method === 'initialize' ? initialized(id) : undefined;
      };
      await client.connect(ends.client);
      expect(client.revision).toBe('2025-11-25');
      await nextTurns();
      expect(raw.frames.map(({ method }) => method)).toEqual([
        'server/discover',
        'initialize',
        'notifications/initialized',
      ]);
      await client.close();
    },
  );

  test('falls back to initialize after the probe times out', async () => {
    const client = revision20260728.createClient({ info: TEST_INFO, revisions, probeTimeout: 20 });
    const ends = connectedTransports(['client']);
    const raw = new RawPeer(ends.server);
    raw.responder = ({ id, method }) => (method === 'initialize' ? initialized(id) : undefined);
    await client.connect(ends.client);
    expect(client.revision).toBe('2025-11-25');
    await client.close();
  });

  test('selects a version that both support, whatever arrives first', async () => {
    const future: Revision = { ...revision20260728.revision, version: '2099-01-01' };
    const both = new Server([revision20251125.revision, revision20260728.revision], { info: TEST_INFO, handlers });
    for (const [spoken, expected] of [
      [[future, revision20260728.revision], '2026-07-28'],
      [[revision20251125.revision, future], '2025-11-25'],
      [[revision20251125.revision, future, revision20260728.revision], '2026-07-28'],
    ] as const) {
      const client = new BaseClient(spoken, { info: TEST_INFO });
      const ends = connectedTransports(['server']);
      await both.connect(ends.server);
      await client.connect(ends.client);
      expect(client.revision).toBe(expected);
      await client.close();
    }
    const alone = new BaseClient([future], { info: TEST_INFO });
    const ends = connectedTransports(['server']);
    await both.connect(ends.server);
    expect(await rejectionOf(alone.connect(ends.client))).toMatchObject({
      name: 'UnsupportedRevisionError',
      offered: ['2026-07-28'],
      supported: ['2099-01-01'],
    });
  });

  test('disconnects if the server selects an unknown version', async () => {
    const server = new Server(ALL_REVISIONS.slice(0, 3), { info: TEST_INFO, handlers });
    const client = revision20251125.createClient({ info: TEST_INFO });
    const ends = connectedTransports();
    const session = await server.connect(ends.server);
    expect(await rejectionOf(client.connect(ends.client))).toMatchObject({
      name: 'UnsupportedRevisionError',
      offered: ['2025-06-18'],
    });
    await session.closed;
    expect(ends.monitor.from('client').map(({ method }) => method)).toEqual(['initialize']);
  });

  test('passes the version to the transport', async () => {
    const told: string[] = [];
    const server = new Server(ALL_REVISIONS, { info: TEST_INFO, handlers });
    const client = new BaseClient(ALL_REVISIONS, { info: TEST_INFO });
    const ends = connectedTransports();
    ends.client.setProtocolVersion = (version) => told.push(version);
    await server.connect(ends.server);
    await client.connect(ends.client);
    expect(told).toEqual(['2026-07-28']);
    await client.close();
  });
});

describe('a server of both kinds', () => {
  test('serves clients of each kind at the same time', async () => {
    const seen: string[] = [];
    const server = revision20260728.createServer({
      info: TEST_INFO,
      revisions: ALL_REVISIONS,
      handlers: {
        'tools/call': (_, context) => {
          seen.push(context.revision);
          return textResult(String(context.client.info?.name));
        },
      },
    });
    const clients = ALL_REVISIONS.map(
      (revision) => new BaseClient([revision], { info: { name: revision.version, version: '1' } }),
    );
    for (const client of clients) await connectPair(server, client);
    expect(server.sessions.size).toBe(5);
    const answers = await Promise.all(clients.map((client) => client.request('tools/call', { name: 'x' })));
    expect(answers).toMatchObject(versions.map((version) => textResult(version)));
    expect(seen.sort()).toEqual(versions);
    await server.close();
    expect(server.sessions.size).toBe(0);
  });
});
