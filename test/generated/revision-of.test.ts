import { describe, expect, test } from 'vitest';
import { revision as revision20241105 } from '../../generated/2024-11-05/revision.js';
import { revision as revision20250326 } from '../../generated/2025-03-26/revision.js';
import { revision as revision20250618 } from '../../generated/2025-06-18/revision.js';
import { revision as revision20251125 } from '../../generated/2025-11-25/revision.js';
import { revision as revision20260728 } from '../../generated/2026-07-28/revision.js';
import { createRevisionSession, revisionOf } from '../../generated/runtime/index.js';
import type { RevisionSession } from '../../generated/runtime/index.js';

const ALL = [revision20241105, revision20250326, revision20250618, revision20251125, revision20260728];
const STATEFUL = ALL.filter(({ isStateless }) => !isStateless);

type Side = 'client' | 'server';
type Json = Readonly<Record<string, unknown>>;

/** A connection, whose frames are sent with `client` and `server`; each returns the version that was found. */
function connection(revisions = ALL) {
  const session = createRevisionSession(revisions);
  const send =
    (side: Side) =>
    (frame: unknown): string | undefined =>
      revisionOf(frame, session, side)?.version;
  return { session, client: send('client'), server: send('server') };
}

const request = (id: unknown, method: string, params?: Json): Json => ({ jsonrpc: '2.0', id, method, params });
const notification = (method: string, params?: Json): Json => ({ jsonrpc: '2.0', method, params });
const result = (id: unknown, value: Json = {}): Json => ({ jsonrpc: '2.0', id, result: value });
const error = (id: unknown): Json => ({ jsonrpc: '2.0', id, error: { code: -32602, message: '' } });
const named = (version = '2026-07-28', more: Json = {}): Json => ({
  _meta: { 'io.modelcontextprotocol/protocolVersion': version, ...more },
});

const STATELESS_PARAMS = named('2026-07-28', { 'io.modelcontextprotocol/clientCapabilities': {} });

function handshake(version: string, answered = version): ReturnType<typeof connection> {
  const found = connection();
  found.client(request(0, 'initialize', { protocolVersion: version }));
  found.server(result(0, { protocolVersion: answered }));
  return found;
}

describe('values of revisions in an array', () => {
  test.each(ALL)('$version: guards are called through the array', (given) => {
    const chosen = ALL.find(({ version }) => version === given.version);
    const frame: unknown = request(1, 'tools/list', given.isStateless ? STATELESS_PARAMS : {});
    if (chosen?.isRequest(frame) !== true) throw new Error('not a request');
    const { method, params } = frame;
    expect(chosen.validateParams(method, params).success).toBe(true);
    expect([
      chosen.isNotification(notification('notifications/initialized')),
      chosen.isResultResponse(result(1)),
      chosen.isErrorResponse(error(1)),
      chosen.isResponse(error(1)),
      chosen.isRequest(result(1)),
    ]).toEqual([true, true, true, true, false]);
  });
});

describe('a request that names its revision', () => {
  test('is in that revision', () => {
    expect(connection().client(request(1, 'tools/list', named()))).toBe('2026-07-28');
  });

  test('is in no known revision if the session does not have it', () => {
    const { client } = connection();
    expect(client(request(1, 'tools/list', named('2099-01-01')))).toBeUndefined();
  });

  test('must not name a revision with sessions', () => {
    expect(connection().client(request(1, 'tools/list', named('2025-11-25')))).toBeUndefined();
  });

  test('determines the revision of its response, also after a handshake', () => {
    const { client, server } = handshake('2025-11-25');
    expect(client(request(1, 'tools/list', named()))).toBe('2026-07-28');
    expect(client(request('1', 'tools/list'))).toBe('2025-11-25');
    expect(server(result('1'))).toBe('2025-11-25');
    expect(server(error(1))).toBe('2026-07-28');
    expect(server(result(1))).toBe('2025-11-25');
  });

  test('does not determine the revision of a response of the client with the same id', () => {
    const { client, server } = handshake('2025-11-25');
    client(request(1, 'tools/call', named()));
    expect(server(request(1, 'roots/list'))).toBe('2025-11-25');
    expect(client(result(1))).toBe('2025-11-25');
    expect(server(result(1))).toBe('2026-07-28');
  });

  test('determines the revision of the notifications that refer to it', () => {
    const { client, server } = handshake('2025-11-25');
    client(request(7, 'subscriptions/listen', named()));
    client(request(8, 'tools/call', named('2026-07-28', { progressToken: 'p' })));
    expect(server(notification('notifications/progress', { progressToken: 'p', progress: 1 }))).toBe('2026-07-28');
    expect(server(notification('notifications/progress', { progressToken: 8, progress: 1 }))).toBe('2025-11-25');
    expect(client(notification('notifications/cancelled', { requestId: 8 }))).toBe('2026-07-28');
    expect(client(notification('notifications/cancelled', { requestId: 9 }))).toBe('2025-11-25');
    const tagged = { _meta: { 'io.modelcontextprotocol/subscriptionId': 7 } };
    expect(server(notification('notifications/tools/list_changed', tagged))).toBe('2026-07-28');
    expect(server(notification('notifications/tools/list_changed'))).toBe('2025-11-25');
    expect(server(result(7))).toBe('2026-07-28');
    expect(server(result(8))).toBe('2026-07-28');
    expect(server(notification('notifications/progress', { progressToken: 'p', progress: 2 }))).toBe('2025-11-25');
  });

  test('determines the revision of other notifications if there is no session', () => {
    const { client, server } = connection();
    expect(server(notification('notifications/message', { level: 'info', data: 1 }))).toBeUndefined();
    client(request(1, 'tools/list', named()));
    server(result(1));
    expect(server(notification('notifications/message', { level: 'info', data: 1 }))).toBe('2026-07-28');
  });
});

describe('a session', () => {
  test.each(STATEFUL)('$version: everything after the handshake is in the agreed revision', ({ version }) => {
    const { client, server } = connection();
    expect(client(request(0, 'initialize', { protocolVersion: version }))).toBe(version);
    expect(server(result(0, { protocolVersion: version }))).toBe(version);
    expect(client(notification('notifications/initialized'))).toBe(version);
    expect(client(request(1, 'tools/list'))).toBe(version);
    expect(server(result(1))).toBe(version);
    expect(server(request(1, 'ping'))).toBe(version);
    expect(client([request(2, 'ping')])).toBe(version);
    expect(server({ jsonrpc: '2.0', id: null, error: { code: -32700, message: '' } })).toBe(version);
  });

  test('is in the revision that the server answers, not the one that the client proposes', () => {
    const { client, server } = connection();
    expect(client(request(0, 'initialize', { protocolVersion: '2025-11-25' }))).toBe('2025-11-25');
    expect(server(result(0, { protocolVersion: '2025-03-26' }))).toBe('2025-03-26');
    expect(client(request(1, 'tools/list'))).toBe('2025-03-26');
  });

  test('has no revision if the server answers with one that the session does not have', () => {
    const { client } = handshake('2025-11-25', '2024-10-07');
    expect(client(request(1, 'tools/list'))).toBeUndefined();
  });

  test('has no revision if the server rejects the handshake', () => {
    const { client, server } = connection();
    client(request(0, 'initialize', { protocolVersion: '2025-11-25' }));
    expect(server(error(0))).toBe('2025-11-25');
    expect(client(request(1, 'tools/list'))).toBeUndefined();
  });

  test('has no revision before the handshake, except for a batch', () => {
    const { client, server } = connection();
    expect(client(request(1, 'ping'))).toBeUndefined();
    expect(server(result(1))).toBeUndefined();
    expect(client([request(1, 'ping')])).toBe('2025-03-26');
  });

  test('ignores a response with the id of the handshake that the client sends', () => {
    const { client, server } = connection();
    client(request(0, 'initialize', { protocolVersion: '2025-11-25' }));
    client(result(0, { protocolVersion: '2024-11-05' }));
    expect(server(result(0, { protocolVersion: '2025-06-18' }))).toBe('2025-06-18');
  });

  test('accepts a revision from elsewhere, such as a header', () => {
    const { session, client } = connection();
    session.agreed = revision20250618;
    expect(client(request(1, 'tools/list'))).toBe('2025-06-18');
  });
});

test('forgets the oldest of many requests without responses', () => {
  const { session, client } = connection();
  for (let id = 0; id < 10_100; id += 1) client(request(id, 'tools/list', named('2026-07-28', { progressToken: id })));
  expect([session.requests.size, session.tokens.size]).toEqual([10_000, 10_000]);
  expect(session.requests.has(99)).toBe(false);
  expect(session.requests.has(100)).toBe(true);
});

test.each([undefined, null, 3, 'x', [], {}, { method: 1 }, { method: 'initialize' }, { id: 1, method: '__proto__' }])(
  'finds no revision for %j',
  (frame) => {
    const { client, server } = connection([revision20251125, revision20260728]);
    expect([client(frame), server(frame)]).toEqual([undefined, undefined]);
  },
);

test('returns a value of the type of the array', () => {
  const own = [{ ...revision20251125, label: 'old' }];
  const session: RevisionSession<(typeof own)[number]> = createRevisionSession(own);
  session.agreed = own[0];
  const label: string | undefined = revisionOf(request(1, 'ping'), session, 'client')?.label;
  expect(label).toBe('old');
});

test('a token that a later request uses too stays known after the first response', () => {
  const { client, server } = handshake('2025-11-25');
  client(request(1, 'tools/call', named('2026-07-28', { progressToken: 't' })));
  client(request(2, 'tools/call', named('2026-07-28', { progressToken: 't' })));
  server(result(1));
  expect(server(notification('notifications/progress', { progressToken: 't', progress: 1 }))).toBe('2026-07-28');
});
