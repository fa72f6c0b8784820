import { setFlagsFromString } from 'node:v8';
import process from 'node:process';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EventTooLargeError, readEventStream } from '../../generated/runtime/http/event-stream.js';
import type { SseEvent } from '../../generated/runtime/http/event-stream.js';
import { HttpError } from '../../generated/runtime/http-client.js';
import {
  connectTestClient,
  sendEvent,
  rejectionOf,
  sessionScript,
  sendJson,
  resultMessage,
  startScriptedServer,
  startStream,
  TEXT,
  waitUntil,
  createTestClient,
} from './client-peer.js';
import { call, unhandled, note, flood, serveAnswer } from './client-hostile-support.js';

setFlagsFromString('--expose-gc');
const MAX = 64 * 1024;
beforeAll(() => void process.on('unhandledRejection', note));
afterAll(() => {
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

describe('answers without end', () => {
  const chunk = 'x'.repeat(16 * 1024);
  test.each([
    [
      'a line of an event',
      'text/event-stream',
      'data: ',
      chunk,
      'an event of the stream has more than 65536 characters',
    ],
    ['lines of an event', 'text/event-stream', '', `data: ${chunk}\n`, 'an event of the stream has more than 65536'],
    ['a comment', 'text/event-stream', ':', chunk, 'an event of the stream has more than 65536 characters'],
    ['JSON', 'application/json', '{"a":"', chunk, 'the response has more than 65536 bytes'],
  ])('%s: no more is read than may be', async (_, type, start, more, reason) => {
    let written: Promise<number> = Promise.resolve(0);
    const { url } = await serveAnswer((response) => {
      response.writeHead(200, { 'content-type': type });
      response.write(start);
      written = flood(response, more);
    });
    const { client } = await connectTestClient(['2026-07-28'], { url, maxMessageBytes: MAX });
    const error = await rejectionOf(client.callTool(call));
    expect(error).toBeInstanceOf(HttpError);
    expect(error.message).toContain(reason);
    // What lies in buffers of the system is out of our hands.
    expect(await written).toBeLessThan(32 * 1024 * 1024);
  });

  test('an error body: its first part is reported', async () => {
    const { url } = await serveAnswer((response) => {
      response.writeHead(500, { 'content-type': 'text/plain' });
      void flood(response, 'no '.repeat(1000));
    });
    const { client } = await connectTestClient(['2026-07-28'], { url });
    const error = await rejectionOf(client.callTool(call));
    expect(error.message).toMatch(/500, the server rejects the message: (no ){60,}/);
    expect(error.message.length).toBeLessThan(400);
  });

  test('a server that sends no headers makes the call time out', async () => {
    let isAccepting = true;
    const { url } = await startScriptedServer(
      sessionScript(({ verb }, response) => {
        if (verb === 'GET') response.writeHead(405).end();
        else if (isAccepting) response.writeHead(202).end();
      }),
    );
    const { client, events } = await connectTestClient(['2025-11-25'], { url, acceptTimeout: 100 });
    isAccepting = false;
    expect((await rejectionOf(client.callTool(call, { timeout: 100 }))).name).toBe('TimeoutError');
    await waitUntil(() => events.length > 0);
    expect(events.map((one) => (one.kind === 'transportFailed' ? String(one.error) : one.kind))).toEqual([
      expect.stringContaining('not accepted within 100 ms'),
    ]);
  });
});

describe('answers that are invalid', () => {
  test.each([
    ['of another type', 200, 'text/html', '<h1>Sign in</h1>', '200, the response is "text/html", neither'],
    ['of no type', 200, '', '{}', '200, the response has no content type: {}'],
    ['no JSON', 200, 'application/json', '{"jsonrpc":', '200, the response is not JSON: {"jsonrpc":'],
    ['nothing', 200, 'application/json', '', '200, the response is not JSON'],
    ['null', 200, 'application/json', 'null', '200, the response does not answer the request: null'],
    ['no message', 200, 'application/json', '[1,{"a":2}]', 'the response does not answer the request'],
    ['to another', 200, 'application/json', '{"jsonrpc":"2.0","id":99,"result":{}}', 'does not answer the request'],
    ['too deep', 200, 'application/json', '['.repeat(500) + ']'.repeat(500), 'the response is nested deeper than 256'],
    ['accepted', 202, '', '', '202, the response has no content type'],
    ['empty streams', 200, 'text/event-stream', '', 'the stream ended before the response'],
    ['half an event', 200, 'text/event-stream', 'data: {"jsonrpc":"2.0","id":2,"result":{}}', 'the stream ended'],
    ['an event stream in name', 200, 'text/event-stream-x', 'data: {}\n\n', 'neither application/json nor'],
    [
      'a page of an error',
      502,
      'text/html',
      '<h1>Bad gateway</h1>',
      '502, the server rejects the message: <h1>Bad gateway',
    ],
  ])('%s', async (_, status, type, body, reason) => {
    const { url } = await serveAnswer((response) => {
      response.writeHead(status, type === '' ? {} : { 'content-type': type }).end(body);
    });
    const { client } = await connectTestClient(['2026-07-28'], { url });
    const error = await rejectionOf(client.callTool(call));
    expect(error.message).toContain(reason);
    expect(error).toBeInstanceOf(HttpError);
  });

  test('an event that is too deep fails the call whose id it has', async () => {
    const { url } = await serveAnswer((response, id) => {
      startStream(response);
      response.write(`data: {"jsonrpc":"2.0","id":${String(id)},"result":${'['.repeat(500)}${']'.repeat(500)}}\n\n`);
    });
    const { client } = await connectTestClient(['2026-07-28'], { url });
    expect((await rejectionOf(client.callTool(call))).message).toContain('nested deeper than 256');
  });
});

describe('sessions that are invalid', () => {
  test('an id that is no id fails the handshake', async () => {
    const { url } = await startScriptedServer(
      sessionScript((_, response) => void response.writeHead(405).end(), 'two words'),
    );
    const { client, transport } = createTestClient(['2025-11-25'], { url });
    expect((await rejectionOf(client.connect(transport))).message).toContain('the session id "two words" is invalid');
  });

  test('an id that comes later is not taken', async () => {
    const { url } = await startScriptedServer(
      sessionScript(({ verb, message }, response) => {
        if (verb === 'GET') response.writeHead(405).end();
        else sendJson(response, resultMessage(message.id, TEXT), 200, { 'mcp-session-id': 'another' });
      }),
    );
    const { client, transport } = await connectTestClient(['2025-11-25'], { url });
    await client.callTool(call);
    expect(transport.sessionId).toBe('session-1');
  });

  test('a server that has always just forgotten the session is asked no more than twice', async () => {
    const { url, seen } = await startScriptedServer(
      sessionScript((_, response) => void response.writeHead(404).end('gone')),
    );
    const { client } = await connectTestClient(['2025-11-25'], { url });
    expect((await rejectionOf(client.callTool(call))).message).toContain('404, the server rejects the message: gone');
    expect(seen.filter(({ message }) => message.method === 'tools/call')).toHaveLength(2);
    expect(seen.filter(({ message }) => message.method === 'initialize')).toHaveLength(2);
  });
});

describe('what would go into headers', () => {
  test.each(['a\r\nx-evil: 1', '\u0000', '世界', ' a ', '=?base64?eA==?='])(
    'the name %j does no harm',
    async (name) => {
      const { url, seen } = await serveAnswer((response, id) => {
        sendJson(response, resultMessage(id as number, TEXT));
      });
      const { client } = await connectTestClient(['2026-07-28'], { url });
      await client.callTool({ name });
      expect(seen[1]?.headers['x-evil']).toBeUndefined();
      expect(seen[1]?.headers['mcp-name']).toMatch(/^=\?base64\?[\w+/=]+\?=$/);
    },
  );

  test('an event id cannot break a header', async () => {
    const { url, seen } = await startScriptedServer(
      sessionScript(({ verb, headers, message }, response) => {
        if (verb === 'POST') {
          startStream(response);
          sendEvent(response, '', '世界\u0007');
          sendEvent(response, '', 'x'.repeat(5000));
          if (message.method === 'tools/call') response.end();
        } else response.writeHead(headers['last-event-id'] === undefined ? 405 : 404).end();
      }),
    );
    const { client } = await connectTestClient(['2025-11-25'], { url, reconnect: { initialDelayMs: 20 } });
    // Such an id is too long for a header, so there is no resuming.
    expect((await rejectionOf(client.callTool(call))).message).toContain('the stream ended before the response');
    expect(seen.some(({ headers }) => headers['last-event-id'] !== undefined)).toBe(false);
  });
});

describe('event streams', () => {
  const encoder = new TextEncoder();
  async function read(chunks: readonly Uint8Array[], maxLength = 1 << 20): Promise<SseEvent[]> {
    const events: SseEvent[] = [];
    await readEventStream(
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk);
          controller.close();
        },
      }),
      { maxLength, onEvent: (one) => void events.push(one) },
    );
    return events;
  }

  test('are read the same for any chunks and line ends', async () => {
    const text =
      '\ufeff: hi\nid: 1\ndata: ä\r\ndata: 世界\r\rretry: 5\nevent: x\ndata\n\nnonsense\ndata: {}\n\ndata: cut off';
    const expected = [
      { type: 'message', data: 'ä\n世界', id: '1' },
      { type: 'x', data: '', id: undefined },
      { type: 'message', data: '{}', id: undefined },
    ];
    const bytes = encoder.encode(text);
    expect(await read([bytes])).toEqual(expected);
    expect(await read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 6 }), async (places) => {
        const cuts = [0, ...places.sort((a, b) => a - b), bytes.length];
        expect(await read(cuts.slice(1).map((end, at) => bytes.slice(cuts[at], end)))).toEqual(expected);
      }),
    );
  });

  test('of many short lines take time in proportion', async () => {
    // A parser that looks for the end of a line through all that follows would take minutes.
    const text = `${'\n'.repeat(4_000_000)}\r`;
    const start = process.cpuUsage();
    await read([encoder.encode(text)]);
    expect(process.cpuUsage(start).user / 1e6).toBeLessThan(10);
  });

  test('are limited per event', async () => {
    const one = `data: ${'x'.repeat(900)}\n\n: ${'y'.repeat(900)}\n`;
    expect(await read([encoder.encode(one.repeat(100))], 1000)).toHaveLength(100);
    expect(await read([encoder.encode(`data: ${'x'.repeat(1000)}\n\n`)], 1000)).toHaveLength(1);
    for (const length of [1001, 5000]) {
      const text = `data: ${'x'.repeat(length)}\n\n`;
      await expect(read([encoder.encode(text)], 1000)).rejects.toThrow(EventTooLargeError);
    }
  });
});
