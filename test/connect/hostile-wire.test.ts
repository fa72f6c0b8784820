import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SERVER_BUSY } from '../../generated/runtime/jsonrpc/endpoint.js';
import { unreadIdPolicy } from '../../generated/runtime/protocol/version-rules.js';
import { Server } from '../../generated/runtime/server.js';
import type { ServerSession } from '../../generated/runtime/server.js';
import { stdioServerTransport } from '../../generated/runtime/stdio-server.js';
import { ALL_REVISIONS, Events, type Frame, TEST_INFO, statelessMeta, nextTurns, textResult } from './harness.js';

// Bytes of a hostile client against a server over stdio: it answers what must be answered, once, and serves on.

interface HostileConnection {
  readonly events: Events;
  readonly session: ServerSession;
  /** Names of the tools that were called, with what they were given. */
  readonly calls: unknown[];
  readonly write: (bytes: string | Uint8Array) => void;
  readonly send: (...frames: object[]) => void;
  /** What was answered since the last look. */
  readonly nextFrames: (turns?: number) => Promise<Frame[]>;
  readonly end: () => Promise<void>;
}

async function hostileConnection(
  version: string,
  options: { maxMessageBytes?: number } = {},
  more: object = {},
): Promise<HostileConnection> {
  const input = new PassThrough();
  const output = new PassThrough();
  const chunks: Buffer[] = [];
  output.on('data', (chunk: Buffer) => chunks.push(chunk));
  const events = new Events();
  const calls: unknown[] = [];
  const server = new Server(
    ALL_REVISIONS.filter((one) => one.version === version),
    {
      info: TEST_INFO,
      onEvent: events.onEvent,
      capabilities: { resources: { subscribe: true, listChanged: true } },
      handlers: {
        'tools/call': (params: object) => {
          calls.push(params);
          return textResult('');
        },
        'resources/read': () => ({ contents: [], ttlMs: 0, cacheScope: 'private' }),
      },
      ...more,
    },
  );
  const session = await server.connect(stdioServerTransport({ input, output, drainMs: 0, ...options }));
  const write = (bytes: string | Uint8Array): void => {
    input.write(bytes);
  };
  const send = (...frames: object[]): void => {
    for (const frame of frames) write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);
  };
  const nextFrames = async (turns = 6): Promise<Frame[]> => {
    await nextTurns(turns);
    const lines = Buffer.concat(chunks.splice(0)).toString().split('\n');
    return lines.filter((line) => line !== '').flatMap((line) => JSON.parse(line) as Frame | Frame[]);
  };
  if (version !== '2026-07-28') {
    send(
      {
        id: 'init',
        method: 'initialize',
        params: { protocolVersion: version, capabilities: {}, clientInfo: TEST_INFO },
      },
      { method: 'notifications/initialized' },
    );
    expect((await nextFrames()).map(({ result }) => result?.['protocolVersion'])).toEqual([version]);
  }
  const end = async (): Promise<void> => {
    input.end();
    await session.closed;
  };
  return { events, session, calls, write, send, nextFrames, end };
}

const VERSIONS = ['2024-11-05', '2025-03-26', '2025-11-25', '2026-07-28'];

const metaOf = (version: string): object => (version === '2026-07-28' ? { _meta: statelessMeta() } : {});

/** Lines, and what must be answered: the id, null if it cannot be read, and the code of an error. */
const LINES: readonly [string, string | Uint8Array, readonly (readonly [unknown, number])[]][] = [
  ['an empty line', '\n', []],
  ['blanks', ' \t \r\n', []],
  ['NUL bytes', '\0\0\0\n', [[null, -32700]]],
  ['NUL bytes before a message', '\0{"jsonrpc":"2.0","id":1,"method":"no/such"}\n', [[null, -32700]]],
  [
    'a byte order mark in the middle of the stream',
    '\n\uFEFF{"jsonrpc":"2.0","id":1,"method":"no/such"}\n',
    [[null, -32700]],
  ],
  ['CRLF', '{"jsonrpc":"2.0","id":1,"method":"no/such"}\r\n', [[1, -32601]]],
  [
    'UTF-16',
    Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"method":"no/such"}\n', 'utf16le'), Buffer.from('\n')]),
    [
      [null, -32700],
      [null, -32700],
    ],
  ],
  ['bytes that are no UTF-8', Uint8Array.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]), [[null, -32700]]],
  ['a surrogate in UTF-8', Uint8Array.from([0x22, 0xed, 0xa0, 0x80, 0x22, 0x0a]), [[null, -32700]]],
  ['half a message', '{"jsonrpc":"2.0","id":1,"me\n', [[null, -32700]]],
  [
    'two messages in one line',
    '{"jsonrpc":"2.0","id":1,"method":"no/such"}{"jsonrpc":"2.0","id":2,"method":"no/such"}\n',
    [[null, -32700]],
  ],
  ['a comment', '// {"jsonrpc":"2.0","id":1,"method":"no/such"}\n', [[null, -32700]]],
  ['single quotes', "{'jsonrpc':'2.0'}\n", [[null, -32700]]],
  ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"no/such"}\n', [[null, -32700]]],
  ['a scalar', '5\n', [[null, -32600]]],
  ['null', 'null\n', [[null, -32600]]],
  [
    'nesting that is too deep',
    `{"jsonrpc":"2.0","id":1,"method":"no/such","params":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}\n`,
    [[1, -32600]],
  ],
  ['arrays that are too deep', `${'['.repeat(1_000_000)}\n`, [[null, -32600]]],
  ['the id 1e400', '{"jsonrpc":"2.0","id":1e400,"method":"no/such"}\n', [[null, -32600]]],
  ['the id -1e400', '{"jsonrpc":"2.0","id":-1e400,"method":"no/such"}\n', [[null, -32600]]],
  ['the id 1e-400', '{"jsonrpc":"2.0","id":1e-400,"method":"no/such"}\n', [[0, -32601]]],
  ['the id -0', '{"jsonrpc":"2.0","id":-0,"method":"no/such"}\n', [[0, -32601]]],
  ['the id 1.0', '{"jsonrpc":"2.0","id":1.0,"method":"no/such"}\n', [[1, -32601]]],
  ['the id 0.5', '{"jsonrpc":"2.0","id":0.5,"method":"no/such"}\n', [[null, -32600]]],
  ['the id 2^53', '{"jsonrpc":"2.0","id":9007199254740992,"method":"no/such"}\n', [[null, -32600]]],
  ['an id of 400 digits', `{"jsonrpc":"2.0","id":${'9'.repeat(400)},"method":"no/such"}\n`, [[null, -32600]]],
  [
    'an id that is half a surrogate pair',
    '{"jsonrpc":"2.0","id":"\\ud800","method":"no/such"}\n',
    [['\ud800', -32601]],
  ],
  ['the id __proto__', '{"jsonrpc":"2.0","id":"__proto__","method":"no/such"}\n', [['__proto__', -32601]]],
  [
    'a member __proto__ that holds a message',
    '{"__proto__":{"jsonrpc":"2.0","id":1,"method":"no/such"}}\n',
    [[null, -32600]],
  ],
  ['an id twice in a message', '{"jsonrpc":"2.0","id":1,"id":2,"method":"no/such"}\n', [[2, -32601]]],
  ['a method __proto__', '{"jsonrpc":"2.0","id":1,"method":"__proto__"}\n', [[1, -32601]]],
  ['a method of 1 MB', `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(1_000_000)}"}\n`, [[1, -32601]]],
  ['a method that is an object', '{"jsonrpc":"2.0","id":1,"method":{"toString":1}}\n', [[1, -32600]]],
  ['a response that nobody asked for', '{"jsonrpc":"2.0","id":1,"result":{}}\n', []],
  ['an error that nobody asked for', '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}\n', []],
  ['result and error at once', '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}\n', []],
  ['an error with a code of 1e400', '{"jsonrpc":"2.0","id":1,"error":{"code":1e400,"message":""}}\n', []],
  [
    'notifications with odd ids to cancel',
    [null, {}, [], 1.5, '__proto__', 'constructor', 1e21]
      .map(
        (requestId) =>
          `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })}\n`,
      )
      .join(''),
    [],
  ],
  [
    'progress with odd tokens',
    [null, {}, [], 1.5, '__proto__', 'constructor', 1e21]
      .map(
        (progressToken) =>
          `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } })}\n`,
      )
      .join(''),
    [],
  ],
  ['notifications of requests', '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}}\n', []],
  [
    'a request of a notification',
    '{"jsonrpc":"2.0","id":1,"method":"notifications/cancelled","params":{"requestId":1}}\n',
    [[1, -32601]],
  ],
  [
    'what a server asks',
    '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}\n{"jsonrpc":"2.0","id":2,"method":"elicitation/create"}\n{"jsonrpc":"2.0","id":3,"method":"roots/list"}\n',
    [
      [1, -32601],
      [2, -32601],
      [3, -32601],
    ],
  ],
];

describe.each(VERSIONS)('a server of %s', (version) => {
  test.each(LINES)('%s', async (_, bytes, expected) => {
    const { write, nextFrames, calls, session, send, end } = await hostileConnection(version);
    write(bytes);
    const answers = await nextFrames();
    const unread = unreadIdPolicy(version) === 'null' ? null : undefined;
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual(
      expected.map(([id, code]) => [id === null ? unread : id, code]),
    );
    expect(JSON.stringify(answers).length).toBeLessThan(2000);
    expect(calls).toEqual([]);
    expect(session.inFlight).toEqual({ inbound: 0, outbound: 0 });
    send({ id: 'next', method: 'tools/call', params: { name: 'x', ...metaOf(version) } });
    expect((await nextFrames()).map(({ id, error }) => [id, error])).toEqual([['next', undefined]]);
    await end();
  });

  test('names of prototypes in params pollute nothing', async () => {
    const { send, nextFrames, calls, end } = await hostileConnection(version);
    for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString']) {
      send({
        id: name,
        method: 'tools/call',
        params: JSON.parse(
          `{"name":"${name}","arguments":{"${name}":{"polluted":1},"constructor":{"prototype":{"polluted":1}}},"_meta":{${JSON.stringify((metaOf(version) as { _meta?: object })._meta ?? {}).slice(1, -1) || '"x":1'},"progressToken":"${name}"}}`,
        ) as object,
      });
    }
    expect((await nextFrames()).map(({ id, error }) => [id, error])).toEqual(
      ['__proto__', 'constructor', 'hasOwnProperty', 'toString'].map((id) => [id, undefined]),
    );
    expect(calls.length).toBe(4);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    await end();
  });

  test('a line above the limit is answered without buffering it', async () => {
    const { write, nextFrames, session, end } = await hostileConnection(version, { maxMessageBytes: 1_000_000 });
    const before = process.memoryUsage().arrayBuffers;
    write('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"');
    const chunk = Buffer.alloc(1_000_000, 0x78);
    for (let count = 0; count < 100; count += 1) {
      write(chunk);
      await nextTurns(1);
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60_000_000);
    write('"}}\n');
    expect((await nextFrames()).map(({ id, error }) => [id, error?.code])).toEqual([[7, -32600]]);
    expect(session.inFlight.inbound).toBe(0);
    await end();
  });

  test('random bytes never stop the server', async () => {
    const pieces = [
      ...LINES.map(([, bytes]) => bytes).filter(({ length }) => length < 1000),
      '{',
      '}',
      '[',
      ']',
      '"',
      '\n',
      '\\',
      ',',
      ':',
      '0',
      'e',
      '-',
      '\uFEFF',
      '\r',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}',
      '{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
      '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]\n',
    ].map((piece) => Buffer.from(piece));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.constantFrom(...pieces), fc.uint8Array({ maxLength: 20 })), { maxLength: 30 }),
        async (bytes) => {
          const { write, nextFrames, send, session, events, end } = await hostileConnection(version);
          for (const piece of bytes) write(piece);
          write('\n');
          for (const answer of await nextFrames()) {
            expect(answer.jsonrpc).toBe('2.0');
            expect(answer.method).toBeUndefined();
            expect((answer.result === undefined) !== (answer.error === undefined)).toBe(true);
          }
          send({ id: 'next', method: 'tools/call', params: { name: 'x', ...metaOf(version) } });
          expect((await nextFrames()).map(({ id, error }) => [id, error])).toEqual([['next', undefined]]);
          expect(session.inFlight).toEqual({ inbound: 0, outbound: 0 });
          expect(events.kinds).not.toContain('transportFailed');
          expect(events.kinds).not.toContain('handlerFailed');
          await end();
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('floods', () => {
  test('a chunk of half a million messages is handed on', async () => {
    const { write, nextFrames, end } = await hostileConnection('2025-11-25');
    write('\n{}'.repeat(200_000));
    write('\n');
    let answers = 0;
    for (let turn = 0; turn < 200 && answers < 200_000; turn += 1) answers += (await nextFrames()).length;
    expect(answers).toBe(200_000);
    await end();
  });

  test('subscriptions to resources are limited', async () => {
    const { send, nextFrames, end } = await hostileConnection('2025-11-25', {}, { maxSubscribedResources: 10 });
    const subscribe = (uri: string, method = 'resources/subscribe'): void => {
      send({ id: uri.slice(0, 20), method, params: { uri } });
    };
    for (let at = 0; at < 12; at += 1) subscribe(`a:${at}`);
    subscribe('a:0');
    expect((await nextFrames()).map(({ error }) => error?.code)).toEqual([
      ...Array.from({ length: 10 }, () => undefined),
      SERVER_BUSY,
      SERVER_BUSY,
      undefined,
    ]);
    for (let at = 0; at < 5; at += 1) subscribe(`a:${at}`, 'resources/unsubscribe');
    subscribe('a:never', 'resources/unsubscribe');
    await nextFrames();
    subscribe(`b:${'x'.repeat(6000)}`);
    subscribe(`c:${'x'.repeat(4000)}`);
    subscribe(`d:${'x'.repeat(10)}`);
    subscribe(`e:${'x'.repeat(10)}`);
    expect((await nextFrames()).map(({ error }) => error?.code)).toEqual([
      SERVER_BUSY,
      undefined,
      undefined,
      SERVER_BUSY,
    ]);
    await end();
  });

  test('subscriptions of 2026-07-28 are limited over a whole connection', async () => {
    const { send, nextFrames, end } = await hostileConnection('2026-07-28', {}, { maxSubscribedResources: 10 });
    const listen = (id: number, many: number): void => {
      const notifications = { resourceSubscriptions: Array.from({ length: many }, (_, at) => `a:${at}`) };
      send({ id, method: 'subscriptions/listen', params: { notifications, _meta: statelessMeta() } });
    };
    listen(1, 6);
    listen(2, 6);
    listen(3, 4);
    expect((await nextFrames()).map(({ id, error }) => [id, error?.code])).toEqual([
      [undefined, undefined],
      [2, SERVER_BUSY],
      [undefined, undefined],
    ]);
    send({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await nextFrames();
    listen(2, 6);
    expect((await nextFrames()).map(({ id }) => id)).toEqual([undefined]);
    await end();
  });

  test('a thousand subscriptions are notified and ended', async () => {
    const { send, nextFrames, session, end } = await hostileConnection('2026-07-28');
    for (let id = 0; id < 1100; id += 1)
      send({
        id,
        method: 'subscriptions/listen',
        params: { notifications: { resourcesListChanged: true }, _meta: statelessMeta() },
      });
    const opened = await nextFrames(30);
    expect(opened.filter(({ error }) => error?.code === SERVER_BUSY).length).toBe(100);
    expect(session.inFlight.inbound).toBe(1000);
    session.notifyIfWanted('notifications/resources/list_changed');
    expect((await nextFrames(30)).length).toBe(1000);
    for (let requestId = 0; requestId < 1100; requestId += 1)
      send({ method: 'notifications/cancelled', params: { requestId } });
    expect(await nextFrames(30)).toEqual([]);
    expect(session.inFlight.inbound).toBe(0);
    await end();
  });

  test('numbers that JSON has not do not get into progress', async () => {
    const { write, nextFrames, end } = await hostileConnection(
      '2025-11-25',
      {},
      {
        handlers: {
          'tools/call': ((_: object, context: { progress: (progress: number, total?: number) => void }) => {
            context.progress(Number.NaN);
            context.progress(1, Number.POSITIVE_INFINITY);
            context.progress(Number.POSITIVE_INFINITY);
            context.progress(2, 3);
            return textResult('');
          }) as never,
        },
      },
    );
    write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":1e400}}}\n');
    write('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":7}}}\n');
    expect((await nextFrames()).map(({ id, params }) => id ?? params)).toEqual([
      1,
      { progressToken: 7, progress: 1 },
      { progressToken: 7, progress: 2, total: 3 },
      2,
    ]);
    await end();
  });
});
