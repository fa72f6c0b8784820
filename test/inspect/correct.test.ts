/** Correct conversations that look odd: nothing is found in them. */
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../generator/inspect/finding.js';
import { Inspector } from '../../generator/inspect/inspector.js';
import { severityOf } from '../../generator/inspect/rules.js';
import { StatisticsCollector } from '../../generator/inspect/statistics.js';
import type { Entry, HttpPart } from '../../generator/recording/entry.js';
import {
  bare,
  c,
  CACHED,
  complete,
  end,
  error,
  event,
  get,
  handshake,
  handshakeOverHttp,
  inspect,
  notification,
  post,
  posted,
  request,
  response,
  result,
  s,
  sent,
  sessionHeaders,
  stateless,
  statelessHeaders,
  STREAM_TYPE,
} from './support.js';

const V = '2025-11-25';
const OPEN = handshake(V);
const HTTP_OPEN = handshakeOverHttp(V);
const inSession = sessionHeaders(V);
const tool = { name: 'add', inputSchema: { type: 'object' } };
const done = { content: [{ type: 'text', text: 'x' }] };
const call = (id: number, token?: string): object =>
  request(id, 'tools/call', { name: 'add', ...(token === undefined ? {} : { _meta: { progressToken: token } }) });
const progress = (token: string, value: number): object =>
  notification('notifications/progress', { progressToken: token, progress: value });
const wellKnown = (method: string, path: string): HttpPart => ({
  kind: 'request',
  exchange: 3,
  method,
  path,
  headers: {},
});
const opened = [
  sent('client', call(1, 't'), { http: post(3, inSession) }),
  bare('server', response(3, 200, STREAM_TYPE)),
  sent('server', progress('t', 1), { http: event(3, 'a') }),
];

/** The level is set, and so many milliseconds later a lower message is on another stream. */
function logAfterLevel(milliseconds: number): readonly Entry[] {
  const log = notification('notifications/message', { level: 'info', data: 'x' });
  return [
    ...HTTP_OPEN,
    bare('client', get(3, inSession)),
    bare('server', response(3, 200, STREAM_TYPE)),
    ...posted(4, request(1, 'logging/setLevel', { level: 'error' }), result(1), inSession).map((entry) => ({
      ...entry,
      time: 0,
    })),
    { ...sent('server', log, { http: event(3, 'a') }), time: milliseconds },
  ];
}

test('a log message on another stream is below the level if it comes much later', () => {
  expect(inspect(logAfterLevel(60_000)).map(({ rule }) => rule)).toEqual(['log-below-level']);
});

test('a resource that differs in more than its encoding was not subscribed to', () => {
  const findings = inspect([
    ...OPEN,
    c(request(1, 'resources/subscribe', { uri: 'file:///a%20b' })),
    s(result(1)),
    s(notification('notifications/resources/updated', { uri: 'file:///a-b' })),
  ]);
  expect(findings.map(({ rule }) => rule)).toEqual(['resource-not-subscribed']);
});

test('a draft is compared with the header as it was negotiated', () => {
  const draft = 'DRAFT-2026-v1';
  const ping = (version: string): readonly Entry[] => [
    ...handshakeOverHttp(draft),
    ...posted(3, request(1, 'ping'), result(1), { ...inSession, 'mcp-protocol-version': version }),
  ];
  const versionRules = (entries: readonly Entry[]): readonly string[] =>
    inspect(entries).flatMap(({ rule }) => (rule.startsWith('http-version') ? [rule] : []));
  expect(versionRules(ping(draft))).toEqual([]);
  expect(versionRules(ping('2025-11-25'))).toEqual(['http-version-mismatch']);
});

/** Findings of entries of which the beginning is not known. */
function inspectExcerpt(entries: readonly Entry[]): readonly Finding[] {
  const inspector = new Inspector();
  return entries.flatMap((entry) => inspector.add(entry).findings);
}

test.each<readonly [string, readonly Entry[]]>([
  [
    'requests of an authorization server, through the same proxy',
    [
      ...HTTP_OPEN,
      bare('client', wellKnown('GET', '/.well-known/oauth-protected-resource')),
      sent('server', { resource: 'x' }, { http: response(3) }),
      { from: 'client', content: { kind: 'text', text: 'grant_type=x' }, http: wellKnown('POST', '/token') },
      sent('server', { access_token: 'x' }, { http: response(3) }),
    ],
  ],
  [
    'a request that is sent again after 401',
    [
      ...HTTP_OPEN,
      sent('client', call(1, 't'), { http: post(3, inSession) }),
      bare('server', response(3, 401, {})),
      ...posted(4, call(1, 't'), result(1, done), inSession),
    ],
  ],
  [
    'a request that is refused with 400 and its id',
    [
      ...HTTP_OPEN,
      sent('client', call(1), { http: post(3, inSession) }),
      sent('server', error(1, -32602), { http: response(3, 400) }),
    ],
  ],
  [
    'a stream that is resumed',
    [
      ...HTTP_OPEN,
      ...opened,
      bare('server', end(3, false)),
      bare('client', get(4, { ...inSession, 'last-event-id': '0' })),
      bare('server', response(4, 200, STREAM_TYPE)),
      sent('server', progress('t', 1), { http: event(4, 'a') }),
      sent('server', result(1, done), { http: event(4, 'b') }),
    ],
  ],
  [
    'several clients without session ids',
    [
      ...handshakeOverHttp(V, ''),
      ...handshakeOverHttp('2025-06-18', '').map((entry) => withExchange(entry, 10)),
      ...posted(20, request(1, 'tools/list'), result(1, { tools: [] }), sessionHeaders(V, '')),
      ...posted(21, request(1, 'tools/list'), result(1, { tools: [] }), sessionHeaders('2025-06-18', '')),
    ],
  ],
  [
    'several clients of a stateless revision with one progress token',
    [4, 5].flatMap((exchange) => [
      sent('client', request(1, 'tools/call', stateless({ name: 'add' }, { progressToken: 1 })), {
        http: post(exchange, statelessHeaders('tools/call', 'add')),
      }),
      bare('server', response(exchange, 200, STREAM_TYPE)),
      sent('server', notification('notifications/progress', { progressToken: 1, progress: 1 }), {
        http: event(exchange, 'same'),
      }),
    ]),
  ],
  [
    'the response to a frame that was too large to record',
    [...OPEN, { from: 'client', content: { kind: 'omitted', bytes: 1e8, start: '{' } }, s(result(1, done))],
  ],
  [
    'an error without an id for what could not be read, after a notification',
    [
      ...OPEN,
      c([notification('notifications/roots/list_changed')]),
      c(notification('notifications/roots/list_changed')),
      s(error(null, -32600)),
    ],
  ],
  [
    'a page of tools that is read again',
    [
      ...OPEN,
      c(request(1, 'tools/list')),
      s(result(1, { tools: [tool], nextCursor: 'x' })),
      c(request(2, 'tools/list')),
      s(result(2, { tools: [tool] })),
    ],
  ],
  [
    'structured content after the list of tools has changed',
    [
      ...OPEN,
      c(request(1, 'tools/list')),
      s(result(1, { tools: [{ ...tool, outputSchema: { type: 'object', required: ['a'] } }] })),
      s(notification('notifications/tools/list_changed')),
      c(call(2)),
      s(result(2, { ...done, structuredContent: {} })),
    ],
  ],
  [
    'a server of an older revision that refuses server/discover',
    [c(request(1, 'server/discover', stateless())), s(error(1, -32002))],
  ],
  [
    'a subscription whose URI is encoded by one side only',
    [
      ...OPEN,
      c(request(1, 'resources/subscribe', { uri: 'FILE:///a b/%C3%BC' })),
      s(result(1)),
      s(notification('notifications/resources/updated', { uri: 'file:///a%20b/ü' })),
    ],
  ],
  ['a log message on another stream that the response to logging/setLevel overtakes', logAfterLevel(500)],
  [
    'the progress token of a request that was cancelled',
    [
      ...OPEN,
      c(call(1, 't')),
      c(notification('notifications/cancelled', { requestId: 1 })),
      s(progress('t', 1)),
      c(call(2, 't')),
    ],
  ],
])('%s', (name, entries) => {
  const allowed = name.startsWith('an error without an id') ? ['batch-not-supported'] : [];
  expect(inspect(entries).filter(({ rule }) => !allowed.includes(rule))).toEqual([]);
});

function withExchange(entry: Entry, offset: number): Entry {
  const { http } = entry;
  return http === undefined ? entry : { ...entry, http: { ...http, exchange: http.exchange + offset } };
}

describe('an excerpt', () => {
  test.each<readonly [string, readonly Entry[]]>([
    ['of a session', [s(result(5, done)), c(request(6, 'tools/list', { cursor: 'x' })), s(progress('t', 1))]],
    [
      'of a stateless revision',
      [
        c(request(6, 'tools/list', stateless({ cursor: 'x' }))),
        s(complete(5, { tools: [], ...CACHED })),
        c(notification('notifications/cancelled', { requestId: 1 })),
      ],
    ],
  ])('%s has no findings that what is missing explains', (_, entries) => {
    expect(inspectExcerpt(entries)).toEqual([]);
  });
});

test('what an older revision only recommends is a deviation there', () => {
  expect(severityOf('capability-not-declared', '2025-03-26')).toBe('deviation');
  expect(severityOf('capability-not-declared', '2025-06-18')).toBe('violation');
  const findings = inspect([...handshake('2025-03-26', { server: {} }), c(request(1, 'prompts/list'))]);
  expect(findings.map(({ rule, severity }) => [rule, severity])).toEqual([['capability-not-declared', 'deviation']]);
});

test('cancellations of thousands of open requests are counted once each', () => {
  const inspector = new Inspector();
  const statistics = new StatisticsCollector();
  for (const entry of OPEN) statistics.add(inspector.add(entry));
  for (let id = 1; id <= 5000; id += 1) statistics.add(inspector.add(c(call(id))));
  for (let id = 1; id <= 5000; id += 1)
    for (let twice = 0; twice < 2; twice += 1)
      statistics.add(inspector.add(c(notification('notifications/cancelled', { requestId: id }))));
  const calls = statistics.result().methods.find(({ method }) => method === 'tools/call');
  expect(calls).toMatchObject({ count: 5000, cancelled: 5000, unanswered: 5000 });
});
