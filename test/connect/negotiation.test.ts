import { describe, expect, it } from 'vitest';
import { BaseClient } from '../../generated/runtime/client.js';
import type { Revision } from '../../generated/runtime/protocol/revision.js';
import { Server } from '../../generated/runtime/server.js';
import { ALL, failure, info, r20251125, r20260728, Raw, settle, text, wire, joined } from './harness.js';

const handlers = {
  'tools/list': () => ({ tools: [{ name: 'add', inputSchema: { type: 'object' } }] }),
  'tools/call': (params: { name: string }) => text(params.name),
};

const versions = ALL.map(({ version }) => version);
const old = versions.slice(0, -1);

/** Every set of revisions that a side might speak: each alone, all, all stateful ones, and the newest of both kinds. */
const SETS: readonly (readonly string[])[] = [
  ...versions.map((version) => [version]),
  versions,
  old,
  ['2025-11-25', '2026-07-28'],
  ['2024-11-05', '2026-07-28'],
];

const speaking = (set: readonly string[]): readonly Revision[] => ALL.filter(({ version }) => set.includes(version));

/** What two sides should agree on: the newest stateless one, else what `initialize` comes to. */
function agreed(client: readonly string[], server: readonly string[]): string | undefined {
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
  it.each(pairs)('client %s, server %s', async (_, __, clientSet, serverSet) => {
    const server = new Server(speaking(serverSet), { info, handlers });
    const client = new BaseClient(speaking(clientSet), { info, probeTimeout: 500 });
    const ends = wire();
    const session = await server.connect(ends.server);
    const expected = agreed(clientSet, serverSet);
    if (expected === undefined) {
      const error = await failure(client.connect(ends.client));
      expect(['UnsupportedRevisionError', 'RpcError']).toContain(error.name);
      await client.closed;
      await session.closed;
      expect(server.sessions.size).toBe(0);
      return;
    }
    await client.connect(ends.client);
    expect(client.revision).toBe(expected);
    expect(client.server.info).toEqual(info);
    expect(client.server.capabilities).toEqual({ tools: {} });
    await settle();
    expect(session.revision).toBe(expected === '2026-07-28' ? undefined : expected);
    expect(await client.request('tools/call', { name: 'x' })).toMatchObject(text('x'));
    expect(await client.request('tools/list')).toMatchObject(handlers['tools/list']());
    await client.close();
    await session.closed;
  });
});

describe('a client of both kinds', () => {
  const revisions = [r20251125.revision, r20260728.revision];
  const initialized = (id: unknown, protocolVersion = '2025-11-25'): object => ({
    jsonrpc: '2.0',
    id,
    result: { protocolVersion, capabilities: {}, serverInfo: info },
  });

  it.each([-32601, -32600, -32602, -32603, -32000, -32022])(
    'falls back to initialize when discover is refused with %s',
    async (code) => {
      const client = r20260728.createClient({ info, revisions });
      const ends = wire(['client']);
      const raw = new Raw(ends.server);
      raw.responder = ({ id, method }) => {
        if (method === 'server/discover') return { jsonrpc: '2.0', id, error: { code, message: 'no' } };
        return method === 'initialize' ? initialized(id) : undefined;
      };
      await client.connect(ends.client);
      expect(client.revision).toBe('2025-11-25');
      await settle();
      expect(raw.frames.map(({ method }) => method)).toEqual([
        'server/discover',
        'initialize',
        'notifications/initialized',
      ]);
      await client.close();
    },
  );

  it('and when there is no answer to it, in the time of the probe', async () => {
    const client = r20260728.createClient({ info, revisions, probeTimeout: 20 });
    const ends = wire(['client']);
    const raw = new Raw(ends.server);
    raw.responder = ({ id, method }) => (method === 'initialize' ? initialized(id) : undefined);
    await client.connect(ends.client);
    expect(client.revision).toBe('2025-11-25');
    await client.close();
  });

  it('takes the version that both speak, whatever comes first, and initialize where there is none', async () => {
    const future: Revision = { ...r20260728.revision, version: '2099-01-01' };
    const both = new Server([r20251125.revision, r20260728.revision], { info, handlers });
    for (const [spoken, expected] of [
      [[future, r20260728.revision], '2026-07-28'],
      [[r20251125.revision, future], '2025-11-25'],
      [[r20251125.revision, future, r20260728.revision], '2026-07-28'],
    ] as const) {
      const client = new BaseClient(spoken, { info });
      const ends = wire(['server']);
      await both.connect(ends.server);
      await client.connect(ends.client);
      expect(client.revision).toBe(expected);
      await client.close();
    }
    const alone = new BaseClient([future], { info });
    const ends = wire(['server']);
    await both.connect(ends.server);
    expect(await failure(alone.connect(ends.client))).toMatchObject({
      name: 'UnsupportedRevisionError',
      offered: ['2026-07-28'],
      supported: ['2099-01-01'],
    });
  });

  it('asked for a version that the server has not, the newest that it has; the client disconnects on one unknown to it', async () => {
    const server = new Server(ALL.slice(0, 3), { info, handlers });
    const client = r20251125.createClient({ info });
    const ends = wire();
    const session = await server.connect(ends.server);
    expect(await failure(client.connect(ends.client))).toMatchObject({
      name: 'UnsupportedRevisionError',
      offered: ['2025-06-18'],
    });
    await session.closed;
    expect(ends.tap.from('client').map(({ method }) => method)).toEqual(['initialize']);
  });

  it('is told the version of the transport', async () => {
    const told: string[] = [];
    const server = new Server(ALL, { info, handlers });
    const client = new BaseClient(ALL, { info });
    const ends = wire();
    ends.client.setProtocolVersion = (version) => told.push(version);
    await server.connect(ends.server);
    await client.connect(ends.client);
    expect(told).toEqual(['2026-07-28']);
    await client.close();
  });
});

describe('a server of both kinds', () => {
  it('serves clients of each at the same time, and tells handlers which it is', async () => {
    const seen: string[] = [];
    const server = r20260728.createServer({
      info,
      revisions: ALL,
      handlers: {
        'tools/call': (_, context) => {
          seen.push(context.revision);
          return text(String(context.client.info?.name));
        },
      },
    });
    const clients = ALL.map(
      (revision) => new BaseClient([revision], { info: { name: revision.version, version: '1' } }),
    );
    for (const client of clients) await joined(server, client);
    expect(server.sessions.size).toBe(5);
    const answers = await Promise.all(clients.map((client) => client.request('tools/call', { name: 'x' })));
    expect(answers).toMatchObject(versions.map((version) => text(version)));
    expect(seen.sort()).toEqual(versions);
    await server.close();
    expect(server.sessions.size).toBe(0);
  });
});
