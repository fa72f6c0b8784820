/**
 * Complete responses of the server: status, headers and body of each kind of request that it rejects or answers by
 * itself, with the events that it reports. The texts are in the folder `responses`.
 */
import { afterEach, expect, test } from 'vitest';
import type { Authorization } from '../../generated/runtime/http/server/auth.js';
import { closeHandlers, Transcript } from './responses-support.js';
import {
  ACCEPT_BOTH,
  fixtureHandler,
  openSession,
  post,
  request,
  send,
  sendStateless,
  STATELESS_REVISION,
  type Headers,
} from './server-support.js';

afterEach(closeHandlers);

const JSON_BOTH: Headers = { 'content-type': 'application/json', accept: ACCEPT_BOTH };
const ping = (id: number | string = 1): object => request(id, 'ping');

test('to requests that are not the protocol', async () => {
  const seen = new Transcript();
  const handler = seen.handler({ path: '/mcp' });
  await seen.add('another path', send(handler, 'POST', JSON_BOTH, ping(), '/other'));
  await seen.add('a path below', send(handler, 'POST', JSON_BOTH, ping(), '/mcp/x'));
  await seen.add('a query', send(handler, 'POST', JSON_BOTH, ping(), '/mcp?x'));
  await seen.add('the path of metadata', send(handler, 'GET', {}, undefined, '/.well-known/oauth-protected-resource'));
  for (const method of ['PUT', 'PATCH', 'HEAD', 'OPTIONS']) await seen.add(method, send(handler, method));
  await seen.add('GET', send(handler, 'GET'));
  await seen.add('GET for a stream', send(handler, 'GET', { accept: 'text/event-stream' }));
  await seen.add('DELETE', send(handler, 'DELETE'));
  for (const type of ['text/plain', 'application/jsonx', 'x application/json', ''])
    await seen.add(`the type ${JSON.stringify(type)}`, post(handler, ping(), { 'content-type': type }));
  for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', ' application/json '])
    await seen.add(`the type ${JSON.stringify(type)}`, post(handler, ping(), { 'content-type': type }));
  for (const accept of ['', 'application/json', 'text/event-stream', 'text/html', '*/*', 'application/*, text/*'])
    await seen.add(`accepting ${JSON.stringify(accept)}`, post(handler, ping(), { accept }));
  await seen.add(
    'accepting with weights',
    post(handler, ping(), { accept: 'application/json;q=0.5, text/event-stream;q=0' }),
  );
  await seen.compare('not-the-protocol');
});

test('to messages that are not valid', async () => {
  const seen = new Transcript();
  const session = await openSession(seen.handler());
  seen.events.length = 0;
  const bodies = [
    ...['', '{', 'null', '5', '[]', '{}', '{"jsonrpc":"2.0"}', '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
    ...['{"jsonrpc":"2.0","id":null,"method":"ping"}', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}'],
    ...['{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}', '{"jsonrpc":"2.0","id":1,"method":5}'],
    ...['{"jsonrpc":"2.0","id":{},"method":"ping"}', '{"jsonrpc":"2.0","id":1,"method":"rpc.x"}'],
    ...['{"jsonrpc":"2.0","id":1,"method":"ping","params":5}', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'],
    ...['{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}'],
    ...['{"jsonrpc":"2.0","id":1,"error":5}', '{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"y"}}'],
    ...['{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"y"}}', '{"jsonrpc":"2.0","id":1,"error":{"code":1}}'],
    ...[
      '{"jsonrpc":"2.0","result":{}}',
      '{"jsonrpc":"2.0","id":1,"result":5}',
      '{"jsonrpc":"2.0","id":1,"result":null}',
    ],
    ...['{"jsonrpc":"2.0","method":""}', '{"jsonrpc":"2.0","id":"","method":""}', '{"id":1,"method":"ping"}'],
    ...['{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', '{"jsonrpc":2,"id":1,"method":"ping"}'],
  ];
  for (const body of bodies) await seen.add(`the body ${body}`, session.post(body));
  await seen.compare('messages');
});

test('past the limits of a body', async () => {
  const seen = new Transcript();
  const handler = seen.handler({ maxBodyBytes: 100, maxDepth: 3 });
  const padded = (bytes: number): string => JSON.stringify(ping()).padEnd(bytes);
  await seen.add('100 bytes', post(handler, padded(100)));
  await seen.add('101 bytes', post(handler, padded(101)));
  await seen.add('101 bytes, announced', post(handler, padded(101), { 'content-length': '101' }));
  await seen.add('a length that is no number', post(handler, padded(100), { 'content-length': 'x' }));
  await seen.add('3 levels', post(handler, request(1, 'x', { a: [] })));
  await seen.add('4 levels', post(handler, request(1, 'x', { a: [[]] })));
  await seen.compare('bodies');
});

test('to other hosts and pages', async () => {
  const seen = new Transcript();
  const local = seen.handler();
  const hosts = ['localhost', 'LOCALHOST:1', '127.0.0.1:80', '[::1]:3000', '[::1]', 'localhost:', 'localhost:x'];
  for (const host of [...hosts, 'example.com', 'localhost.example.com', ''])
    await seen.add(`the host ${JSON.stringify(host)}`, send(local, 'HEAD', { host }));
  const origins = ['http://localhost', 'https://localhost:1', 'http://localhost/', 'ftp://localhost', 'null'];
  for (const origin of [...origins, 'http://example.com', 'HTTP://LOCALHOST'])
    await seen.add(`the origin ${origin}`, send(local, 'HEAD', { host: 'localhost', origin }));
  const named = seen.handler({ allowedHosts: ['Garden.example.com'], allowedOrigins: ['https://App.example.com'] });
  for (const host of ['garden.example.com', 'localhost'])
    await seen.add(`with allowed hosts, ${host}`, send(named, 'HEAD', { host }));
  for (const origin of ['https://app.example.com', 'https://APP.example.com', 'https://garden.example.com'])
    await seen.add(`with allowed origins, ${origin}`, send(named, 'HEAD', { host: 'garden.example.com', origin }));
  const any = seen.handler({ allowedHosts: 'any', allowedOrigins: 'any' });
  await seen.add('any host', send(any, 'HEAD', { host: 'x', origin: 'https://y' }));
  const anyHost = seen.handler({ allowedHosts: 'any' });
  await seen.add('any host, a page', send(anyHost, 'HEAD', { host: 'x', origin: 'https://x' }));
  await seen.compare('origins');
});

test('to pages that may read responses', async () => {
  const seen = new Transcript();
  const page = { host: 'localhost', origin: 'https://app.example.com' };
  const requested = 'Content-Type, mcp-session-id,accept, authorization , x-other, last-event-id, mcp-param-a, cookie';
  for (const cors of [{ origins: ['https://app.example.com'] }, { origins: 'any', maxAge: 5 }] as const) {
    const handler = seen.handler({ cors });
    const name = JSON.stringify(cors);
    await seen.add(
      `${name}: preflight`,
      send(handler, 'OPTIONS', { ...page, 'access-control-request-headers': requested }),
    );
    await seen.add(`${name}: preflight without headers`, send(handler, 'OPTIONS', page));
    await seen.add(`${name}: an error`, post(handler, ping(), page));
    await seen.add(`${name}: another page`, send(handler, 'OPTIONS', { ...page, origin: 'https://APP.example.com' }));
    await seen.add(`${name}: no page`, send(handler, 'OPTIONS', { host: 'localhost' }));
    await handler.close();
    await seen.add(`${name}: after the end`, post(handler, ping(), page));
  }
  await seen.compare('cors');
});

test('to requests of sessions', async () => {
  const seen = new Transcript();
  const handler = seen.handler();
  await seen.add('no session', post(handler, ping()));
  await seen.add('an unknown session', post(handler, ping(), { 'mcp-session-id': 'x' }));
  await seen.add(
    'an unknown session, GET',
    send(handler, 'GET', { accept: 'text/event-stream', 'mcp-session-id': 'x' }),
  );
  await seen.add('an unknown session, DELETE', send(handler, 'DELETE', { 'mcp-session-id': 'x' }));
  const opening = request(0, 'initialize', {
    ...{ protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  });
  await seen.add('initialize', post(handler, opening));
  await seen.add('initialize in a batch', post(handler, [opening]));
  await seen.add('initialize with wrong params', post(handler, request(0, 'initialize', { protocolVersion: 1 })));
  const session = await openSession(handler);
  seen.events.length = 0;
  await seen.add('ping', session.post(ping()));
  await seen.add('an unknown method', session.post(request(2, 'no/such')));
  await seen.add('wrong params', session.post(request(3, 'tools/call', {})));
  await seen.add('a handler that fails', session.post(request(4, 'tools/call', { name: 'crash' })));
  await seen.add('a notification', session.post({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  await seen.add('a response that nobody waits for', session.post({ jsonrpc: '2.0', id: 9, result: {} }));
  await seen.add('initialize again', session.post(opening));
  await seen.add('a batch', session.post([ping()]));
  await seen.add('another version', session.post(ping(), { 'mcp-protocol-version': '2025-06-18' }));
  await seen.add('an unknown version', session.post(ping(), { 'mcp-protocol-version': '1999-01-01' }));
  await seen.add('GET of JSON', session.get({ accept: 'application/json' }));
  await seen.add('an unknown event', session.get({ 'last-event-id': 'x' }));
  const first = session.call(7, 'slow');
  await seen.add('an id in use', session.call(7, 'echo'));
  await (await first).body?.cancel();
  seen.events.length = 0;
  await seen.add('GET', session.get());
  await seen.add('DELETE', send(handler, 'DELETE', session.headers));
  await seen.add('after DELETE', session.post(ping()));
  const old = await openSession(handler, '2025-03-26');
  seen.events.length = 0;
  await seen.add(
    'a batch of 2025-03-26',
    old.post([ping(1), ping('two'), { jsonrpc: '2.0', method: 'notifications/x' }]),
  );
  await seen.add('a batch of notifications', old.post([{ jsonrpc: '2.0', method: 'notifications/x' }]));
  await seen.add('an empty batch', old.post([]));
  await seen.add('a batch with one id twice', old.post([ping(1), ping(1)]));
  await seen.add('a batch with an invalid message', old.post([ping(1), 5]));
  await seen.compare('sessions');
});

test('without sessions', async () => {
  const seen = new Transcript();
  const handler = seen.handler({ sessions: false });
  const version = { 'mcp-protocol-version': '2025-11-25' };
  await seen.add('ping', post(handler, ping(), version));
  await seen.add('ping of no version', post(handler, ping()));
  await seen.add('ping of an unknown version', post(handler, ping(), { 'mcp-protocol-version': '1999-01-01' }));
  await seen.add('GET', send(handler, 'GET', { accept: 'text/event-stream', ...version }));
  await seen.add('DELETE', send(handler, 'DELETE', version));
  await seen.add('a call that needs the client', post(handler, request(1, 'tools/call', { name: 'ask' }), version));
  await seen.add('a response', post(handler, { jsonrpc: '2.0', id: 9, result: {} }, version));
  await seen.compare('without-sessions');
});

test('to stateless requests', async () => {
  const seen = new Transcript();
  const handler = seen.handler();
  const version = { 'mcp-protocol-version': STATELESS_REVISION };
  await seen.add('tools/list', sendStateless(handler, 1, 'tools/list'));
  await seen.add('an unknown method', sendStateless(handler, 1, 'no/such'));
  await seen.add('wrong params', sendStateless(handler, 1, 'tools/call', {}));
  await seen.add('no metadata', post(handler, request(1, 'tools/list', {}), version));
  await seen.add('a notification', post(handler, { jsonrpc: '2.0', method: 'notifications/x' }, version));
  await seen.add('a response', post(handler, { jsonrpc: '2.0', id: 1, result: {} }, version));
  await seen.add('a batch', post(handler, [ping()], version));
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '1999-01-01',
    'io.modelcontextprotocol/clientInfo': { name: 'a', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  await seen.add('an unknown version', post(handler, request(1, 'tools/list', { _meta })));
  await seen.add('a different version in the header', post(handler, request(1, 'tools/list', { _meta }), version));
  await seen.add('a call that needs the client', sendStateless(handler, 1, 'tools/call', { name: 'ask' }));
  await seen.add('a handler that fails', sendStateless(handler, 1, 'tools/call', { name: 'crash' }));
  await seen.compare('stateless');
});

test('to requests without a right', async () => {
  const seen = new Transcript();
  const answers: Readonly<Record<string, unknown>> = {
    rose: { principal: 'rose', scopes: ['a', 'b'] },
    few: { principal: 'few', scopes: ['a'] },
    none: { principal: 'none' },
    old: { principal: 'old', expiresAt: 1 },
    ours: { principal: 'ours', scopes: ['a', 'b'], audience: 'https://garden.example.com/mcp/' },
    theirs: { principal: 'theirs', audience: ['https://other.example.com'] },
    text: 'rose',
    list: [],
    null: null,
    empty: { principal: '' },
    number: { principal: 5 },
    scopes: { principal: 'a', scopes: 'a' },
    'scopes-items': { principal: 'a', scopes: [1] },
    expires: { principal: 'a', expiresAt: '1' },
    audience: { principal: 'a', audience: [1] },
  };
  const authorize: Authorization = {
    verify: (token) => {
      if (token === 'throws') throw new Error('no database');
      return answers[token] as never;
    },
    scopes: ['a', 'b'],
    metadata: {
      resource: 'https://garden.example.com/mcp',
      authorization_servers: ['https://login.example.com'],
      scopes_supported: ['read'],
    },
  };
  const handler = seen.handler({ authorize });
  const stateless = (authorization?: string, to = handler): Promise<Response> =>
    sendStateless(to, 1, 'tools/list', {}, authorization === undefined ? {} : { authorization });
  await seen.add('no token', stateless());
  for (const header of ['Basic x', 'Bearer', 'Bearer a b', 'Bearer ä', 'bearer  rose '])
    await seen.add(header, stateless(header));
  for (const token of [...Object.keys(answers), 'unknown', 'throws'])
    await seen.add(token, stateless(`Bearer ${token}`));
  for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'])
    await seen.add(`GET ${path}`, send(handler, 'GET', {}, undefined, path));
  await seen.add('other metadata', send(handler, 'GET', {}, undefined, '/.well-known/oauth-protected-resource/x'));
  const dynamic = seen.handler({ authorize: { verify: authorize.verify, scopes: ({ method }) => [method] } });
  await seen.add('scopes by method', stateless('Bearer rose', dynamic));
  await seen.add('scopes by method, no token', stateless(undefined, dynamic));
  const odd = seen.handler({ authorize: { verify: authorize.verify, scopes: ['a', 'c"\\ é\n'] } });
  await seen.add('scopes with characters that are not allowed', stateless('Bearer rose', odd));
  const wrong = seen.handler({ authorize: { verify: authorize.verify, scopes: () => 'a' as never } });
  await seen.add('scopes that are a text', stateless('Bearer rose', wrong));
  const open = seen.handler({ authorize: { verify: authorize.verify } });
  await seen.add('no scopes needed', stateless('Bearer none', open));
  await seen.add('no scopes needed, no token', stateless(undefined, open));
  expect(() => fixtureHandler({ authorize: { verify: authorize.verify, scopes: 'a' as never } })).toThrow(
    new TypeError('authorize.scopes must be, or return, an array of strings'),
  );
  await seen.compare('authorization');
});

test('when it is full, drains or is closed', async () => {
  const seen = new Transcript();
  const full = seen.handler({ maxOpen: 1, sessions: { max: 1 } });
  const session = await openSession(full);
  seen.events.length = 0;
  await seen.add('one session more', post(full, request(0, 'initialize', {})));
  const listening = await session.get();
  await seen.add('one stream more', session.get());
  await seen.add('one request more', session.post(ping()));
  await listening.body?.cancel();
  const handler = seen.handler({ health: true });
  for (const path of ['/livez', '/readyz']) {
    await seen.add(`GET ${path}`, send(handler, 'GET', {}, undefined, path));
    await seen.add(`HEAD ${path}`, send(handler, 'HEAD', {}, undefined, path));
    await seen.add(`POST ${path}`, send(handler, 'POST', {}, undefined, path));
  }
  const other = await openSession(handler);
  seen.events.length = 0;
  const slow = other.call(1, 'slow');
  const drained = handler.drain();
  await seen.add('drains: a session', post(handler, request(0, 'initialize', {})));
  await seen.add('drains: a stream', other.get());
  await seen.add('drains: GET /readyz', send(handler, 'GET', {}, undefined, '/readyz'));
  await seen.add('drains: GET /livez', send(handler, 'GET', {}, undefined, '/livez'));
  await (await slow).text();
  await drained;
  await seen.add('closed: ping', other.post(ping()));
  await seen.add('closed: GET /readyz', send(handler, 'GET', {}, undefined, '/readyz'));
  await seen.compare('busy');
});
