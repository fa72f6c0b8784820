import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { memoryPair } from '../../templates/runtime/memory.js';
import { pipe } from '../../templates/runtime/pipe.js';
import type { FrameAction, Pipe, PipeOptions } from '../../templates/runtime/pipe.js';
import { stdioServerTransport } from '../../templates/runtime/stdio-server.js';
import type { Transport } from '../../templates/runtime/jsonrpc/transport.js';
import { recordEvents, waitUntil, type TransportEvents } from './stdio-support.js';

const call = (id: number | string, method = 'ping'): object => ({ jsonrpc: '2.0', id, method });
const result = (id: number | string, value: object = {}): object => ({ jsonrpc: '2.0', id, result: value });
const idOf = (frame: unknown): unknown => (frame as { id?: unknown }).id;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Setup {
  readonly client: Transport;
  readonly server: Transport;
  readonly atClient: TransportEvents;
  readonly atServer: TransportEvents;
  readonly errors: string[];
  readonly piped: Pipe;
}

/** Two memory connections with a pipe between them; the outer ends are those of a client and a server. */
async function setup(
  options: PipeOptions = {},
  change: (ends: { a: Transport; b: Transport }) => void = () => undefined,
): Promise<Setup> {
  const [client, a] = memoryPair();
  const [b, server] = memoryPair();
  change({ a, b });
  const [atClient, atServer] = [recordEvents(client), recordEvents(server)];
  const errors: string[] = [];
  await Promise.all([client.start(), server.start()]);
  const piped = await pipe(a, b, {
    ...options,
    onError: (error, from) => errors.push(`${from}: ${error.message}`),
  });
  return { client, server, atClient, atServer, errors, piped };
}

/** An action for each frame, which can be decided later. */
function delayed(): { onFrame: (frame: unknown) => Promise<FrameAction>; release: () => void } {
  const waiting: (() => void)[] = [];
  return {
    onFrame: (frame) =>
      new Promise((resolve) =>
        waiting.push(() => {
          resolve({ forward: frame });
        }),
      ),
    release: () => waiting.shift()?.(),
  };
}

describe('frames', () => {
  test('pass both ways unchanged', async () => {
    const { client, server, atClient, atServer } = await setup();
    const frames = [call(1), [call(2), call(3)], { vendor: true }];
    for (const frame of frames) void client.send(frame);
    void server.send(result(1));
    await turn();
    expect(atServer.messages).toEqual(frames);
    expect(atServer.messages[0]).toBe(frames[0]);
    expect(atClient.messages).toEqual([result(1)]);
  });

  test('keep their order while a hook is pending', async () => {
    const { onFrame, release } = delayed();
    const { client, atServer } = await setup({ onFrame });
    for (const id of [1, 2, 3]) void client.send(call(id));
    await turn();
    expect(atServer.messages).toEqual([]);
    for (const _ of [1, 2, 3]) {
      release();
      await turn();
    }
    expect(atServer.messages.map(idOf)).toEqual([1, 2, 3]);
  });

  test('of the other direction do not wait for a pending hook', async () => {
    const { onFrame } = delayed();
    const { client, server, atClient } = await setup({
      onFrame: (frame, from) => (from === 'a' ? onFrame(frame) : { forward: frame }),
    });
    void client.send(call(1));
    void server.send(result(0));
    await turn();
    expect(atClient.messages).toEqual([result(0)]);
  });

  test('that are sent before both ends have started are forwarded afterwards', async () => {
    const [client, a] = memoryPair();
    const [b, server] = memoryPair();
    const atServer = recordEvents(server);
    await Promise.all([client.start(), server.start()]);
    void client.send(call(1));
    void server.send(result(0));
    const atClient = recordEvents(client);
    const [start, send] = [a.start.bind(a), a.send.bind(a)];
    let hasStarted = false;
    a.start = async () => {
      await turn();
      hasStarted = true;
      await start();
    };
    a.send = (message) => {
      if (!hasStarted) throw new Error('not started');
      return send(message);
    };
    await pipe(a, b);
    await turn();
    expect(atServer.messages).toEqual([call(1)]);
    expect(atClient.messages).toEqual([result(0)]);
  });
});

describe('a hook', () => {
  test('can replace a frame', async () => {
    const { client, atServer } = await setup({ onFrame: () => ({ forward: call(9) }) });
    void client.send(call(1));
    await turn();
    expect(atServer.messages).toEqual([call(9)]);
  });

  test('can drop a frame', async () => {
    const { client, atServer, atClient } = await setup({
      onFrame: (frame) => (idOf(frame) === 1 ? 'drop' : { forward: frame }),
    });
    void client.send(call(1));
    void client.send(call(2));
    await turn();
    expect(atServer.messages).toEqual([call(2)]);
    expect(atClient.messages).toEqual([]);
  });

  test('can answer a frame to its sender', async () => {
    const { client, server, atServer, atClient } = await setup({
      onFrame: (frame) => ({ answer: result(idOf(frame) as number, { by: 'pipe' }) }),
    });
    void client.send(call(1));
    void server.send(call(2));
    await turn();
    expect(atClient.messages).toEqual([result(1, { by: 'pipe' })]);
    expect(atServer.messages).toEqual([result(2, { by: 'pipe' })]);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
  ] as const)('that %s drops the frame, answers a request with -32603 and is reported', async (_how, onFrame) => {
    const { client, atServer, atClient, errors } = await setup({ onFrame });
    void client.send(call(1));
    void client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    void client.send([call('x'), call('y')]);
    await turn();
    const answer = (id: unknown): object => ({
      jsonrpc: '2.0',
      id,
      error: { code: -32603, message: 'The message could not be forwarded' },
    });
    expect(atServer.messages).toEqual([]);
    expect(atClient.messages).toEqual([answer(1), [answer('x'), answer('y')]]);
    expect(errors).toEqual(['a: no', 'a: no', 'a: no']);
  });
});

describe('back-pressure', () => {
  test('pauses the sender while the other end has no room', async () => {
    const { client, server, atServer } = await setup();
    server.pause?.();
    // The pipe holds one frame that it waits for, and then does not take any more.
    const first = client.send(call(1));
    await turn();
    const second = client.send(call(2));
    const third = client.send(call(3));
    expect(first).toBeUndefined();
    expect([second, third].map((sent) => sent instanceof Promise)).toEqual([true, true]);
    server.resume?.();
    await Promise.all([second, third]);
    await turn();
    expect(atServer.messages.map(idOf)).toEqual([1, 2, 3]);
  });

  test('pauses the sender while a hook is pending', async () => {
    const { onFrame, release } = delayed();
    const { client } = await setup({ onFrame });
    void client.send(call(1));
    await turn();
    const sent = client.send(call(2));
    expect(sent).toBeInstanceOf(Promise);
    release();
    await sent;
  });

  test('stops reading standard input while the other end has no room', async () => {
    const input = new PassThrough({ highWaterMark: 1024 });
    const a = stdioServerTransport({ input, output: new PassThrough() });
    const [b, server] = memoryPair();
    const atServer = recordEvents(server);
    await server.start();
    await pipe(a, b);
    server.pause?.();
    const line = `${JSON.stringify({ ...call(1), params: { text: 'x'.repeat(100) } })}\n`;
    let written = 0;
    while (written < 10_000 && (input.write(line) || written < 20)) {
      written += 1;
      await turn();
    }
    expect(written).toBeLessThan(100);
    server.resume?.();
    await waitUntil(() => atServer.messages.length === written + 1 || atServer.messages.length === written, 'all came');
  });

  test('closes both ends if frames of an end that cannot pause pile up', async () => {
    const { onFrame } = delayed();
    const { client, atClient, atServer, errors, piped } = await setup({ onFrame, maxQueuedFrames: 10 }, ({ a }) => {
      Object.assign(a, { pause: undefined, resume: undefined });
    });
    for (let id = 0; id < 13; id += 1) {
      try {
        void client.send(call(id));
      } catch {
        break;
      }
      await turn();
    }
    await piped.closed;
    expect(errors).toEqual(['a: more than 10 frames wait for an end that does not read']);
    expect([atClient.closes(), atServer.closes()]).toEqual([1, 1]);
  });

  test('does not wait for the response that a send over HTTP waits for', async () => {
    const { client, atServer } = await setup({}, ({ b }) => {
      const send = b.send.bind(b);
      Object.assign(b, { sendAwaitsResponse: true });
      b.send = (message) => {
        void send(message);
        return idOf(message) === undefined ? undefined : new Promise(() => undefined);
      };
    });
    void client.send(call(1));
    void client.send({ jsonrpc: '2.0', method: 'notifications/cancelled' });
    await turn();
    expect(atServer.messages).toHaveLength(2);
  });

  test('a request whose send fails later is answered with -32603', async () => {
    const { client, atClient, errors } = await setup({}, ({ b }) => {
      Object.assign(b, { sendAwaitsResponse: true });
      b.send = () => Promise.reject(new Error('HTTP 500'));
    });
    void client.send(call(1));
    await turn();
    expect(atClient.messages).toMatchObject([{ id: 1, error: { code: -32603 } }]);
    expect(errors).toEqual(['a: HTTP 500']);
  });
});

describe('a close', () => {
  test.each(['client', 'server'] as const)('of the %s ends the other side after what is pending', async (side) => {
    const { onFrame, release } = delayed();
    const { [side]: end, atClient, atServer, piped } = await setup({ onFrame });
    const [closing, other] = side === 'client' ? [atClient, atServer] : [atServer, atClient];
    void end.send(call(1));
    void end.send(call(2));
    await turn();
    await end.close();
    await turn();
    expect([closing.closes(), other.closes(), other.messages]).toEqual([1, 0, []]);
    release();
    await turn();
    release();
    await piped.closed;
    expect(other.messages.map(idOf)).toEqual([1, 2]);
    expect(other.closes()).toBe(1);
  });

  test('of the sender is not held up by an end that does not read', async () => {
    const sent: unknown[] = [];
    const { client, piped } = await setup({}, ({ b }) => {
      b.send = (message) => {
        sent.push(idOf(message));
        return new Promise(() => undefined);
      };
    });
    for (const id of [1, 2, 3]) void client.send(call(id));
    await turn();
    expect(sent).toEqual([1]);
    await client.close();
    await piped.closed;
  });

  test('drops what waits for the closed end', async () => {
    const { onFrame, release } = delayed();
    const { client, server, errors, piped } = await setup({ onFrame });
    for (const id of [1, 2, 3]) void server.send(result(id));
    await turn();
    await client.close();
    release();
    await piped.closed;
    expect(errors).toEqual(['b: the connection is closed']);
  });

  test('means that a request that fails later is only reported', async () => {
    let fail: (error: Error) => void = () => undefined;
    const { client, errors, piped } = await setup({ onFrame: () => new Promise((_, reject) => (fail = reject)) });
    void client.send(call(1));
    await turn();
    await client.close();
    fail(new Error('no'));
    await piped.closed;
    expect(errors).toEqual(['a: no']);
  });

  test('of the pipe closes both ends', async () => {
    const { piped, atClient, atServer } = await setup();
    await piped.close();
    await turn();
    expect([atClient.closes(), atServer.closes()]).toEqual([1, 1]);
    await piped.closed;
  });

  test('an end that cannot start closes the other', async () => {
    const [, a] = memoryPair();
    const [b, server] = memoryPair();
    const atServer = recordEvents(server);
    await server.start();
    a.start = () => Promise.reject(new Error('no such command'));
    await expect(pipe(a, b)).rejects.toThrow('no such command');
    await atServer.closed;
  });
});

describe('a half-close', () => {
  test('reaches the other side after the frames, and answers come back before the close', async () => {
    const { client, server, atClient, atServer, piped } = await setup();
    const order: string[] = [];
    server.onmessage = (frame) => order.push(`frame ${String(idOf(frame))}`);
    server.onend = () => order.push('end');
    void client.send(call(1));
    void client.end?.();
    await turn();
    expect(order).toEqual(['frame 1', 'end']);
    expect(atClient.closes()).toBe(0);
    void server.send(result(1));
    await server.close();
    await piped.closed;
    expect(atClient.messages).toEqual([result(1)]);
    expect([atClient.closes(), atServer.closes()]).toEqual([1, 1]);
  });

  test('closes a side that cannot half-close once all requests are answered', async () => {
    const { client, server, atClient, atServer, piped } = await setup({}, ({ b }) => {
      Object.assign(b, { end: undefined });
    });
    void client.send(call(1));
    void client.send(call('1'));
    void client.send(call(2));
    void client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    void client.end?.();
    await turn();
    void server.send(result(1));
    await turn();
    expect(atServer.closes()).toBe(0);
    void server.send(result('1'));
    await piped.closed;
    expect(atClient.messages).toEqual([result(1), result('1')]);
  });

  test('without requests in flight closes a side that cannot half-close', async () => {
    const { client, piped } = await setup({}, ({ b }) => {
      Object.assign(b, { end: undefined });
    });
    void client.end?.();
    await piped.closed;
  });
});

describe('an id that JavaScript rounds', () => {
  const UNSAFE = Number('12345678901234567890');
  const refused = {
    jsonrpc: '2.0',
    id: null,
    error: { code: -32600, message: expect.stringContaining('the id is an integer beyond 2^53 - 1') as string },
  };
  const onInvalid: PipeOptions['onInvalid'] = ({ errorResponse }) => errorResponse;

  test.each([UNSAFE, -UNSAFE, 1e30, Infinity])(
    '%d: the request is passed to onInvalid and not forwarded',
    async (id) => {
      const seen: unknown[] = [];
      const onFrame = (frame: unknown): FrameAction => {
        seen.push(frame);
        return { forward: frame };
      };
      const { client, atClient, atServer } = await setup({ onFrame, onInvalid });
      void client.send(call(id));
      void client.send(call(Number.MAX_SAFE_INTEGER));
      await turn();
      expect(atClient.messages).toEqual([refused]);
      expect(atServer.messages).toEqual([call(Number.MAX_SAFE_INTEGER)]);
      expect(seen).toEqual(atServer.messages);
    },
  );

  test('has an Invalid with the code unsafe-id, as in MessageReader', async () => {
    const found: unknown[] = [];
    const { client } = await setup({
      onInvalid: (invalid, from) => {
        found.push([from, invalid.kind === 'invalid' && [invalid.code, invalid.messageKind, invalid.id]]);
        return undefined;
      },
    });
    void client.send(call(UNSAFE));
    void client.send(result(UNSAFE));
    await turn();
    expect(found).toEqual([
      ['a', ['unsafe-id', 'request', null]],
      ['a', ['unsafe-id', 'response', null]],
    ]);
  });

  test('of a response is not answered', async () => {
    const { server, atClient, atServer } = await setup({ onInvalid });
    void server.send(result(UNSAFE));
    await turn();
    expect([atClient.messages, atServer.messages]).toEqual([[], []]);
  });

  test('removes only its message from a batch', async () => {
    const { client, atClient, atServer } = await setup({ onInvalid });
    void client.send([call(1), call(UNSAFE), call(2)]);
    void client.send([call(UNSAFE)]);
    await turn();
    expect(atServer.messages).toEqual([[call(1), call(2)]]);
    expect(atClient.messages).toEqual([refused, refused]);
  });
});

test('input that is not JSON is passed to onInvalid, and what it returns is sent back', async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const a = stdioServerTransport({ input, output });
  const [b, server] = memoryPair();
  await server.start();
  const seen: string[] = [];
  await pipe(a, b, {
    onInvalid: ({ errorResponse }, from) => {
      seen.push(from);
      return errorResponse;
    },
  });
  input.write('{oops}\n');
  const line = await new Promise<string>((resolve) =>
    output.once('data', (chunk: Buffer) => {
      resolve(chunk.toString());
    }),
  );
  expect(seen).toEqual(['a']);
  expect(JSON.parse(line)).toMatchObject({ error: { code: -32700 } });
});

test('the revision in the result of initialize is passed to both transports', async () => {
  const versions: string[] = [];
  const { client, server } = await setup({}, ({ a, b }) => {
    a.setProtocolVersion = (version) => versions.push(`a ${version}`);
    b.setProtocolVersion = (version) => versions.push(`b ${version}`);
  });
  void client.send(call(1, 'initialize'));
  await turn();
  void server.send(result(2, { protocolVersion: '2024-11-05' }));
  void server.send(result(1, { protocolVersion: '2025-06-18' }));
  await turn();
  expect(versions.sort()).toEqual(['a 2025-06-18', 'b 2025-06-18']);
});

test('a transport that refuses the revision does not hide the result of initialize', async () => {
  const { client, server, atClient, errors } = await setup({}, ({ a }) => {
    a.setProtocolVersion = () => {
      throw new Error('no');
    };
  });
  void client.send(call(1, 'initialize'));
  await turn();
  const answer = result(1, { protocolVersion: '2025-06-18' });
  void server.send(answer);
  await turn();
  expect(atClient.messages).toEqual([answer]);
  expect(errors).toEqual(['a: no']);
});

describe('a hook that replaces ids', () => {
  const replaceIds = (frame: unknown, from: 'a' | 'b'): FrameAction => {
    const id = Number(idOf(frame));
    return { forward: { ...(frame as object), id: from === 'a' ? id + 100 : id - 100 } };
  };

  test('does not hide the revision of initialize from the transports', async () => {
    const versions: string[] = [];
    const { client, server } = await setup({ onFrame: replaceIds }, ({ a, b }) => {
      for (const end of [a, b]) end.setProtocolVersion = (version) => versions.push(version);
    });
    void client.send(call(1, 'initialize'));
    await turn();
    void server.send(result(101, { protocolVersion: '2025-11-25' }));
    await turn();
    expect(versions).toEqual(['2025-11-25', '2025-11-25']);
  });

  test('does not keep a side open whose requests are answered', async () => {
    const { client, server, atServer } = await setup({ onFrame: replaceIds }, ({ b }) => {
      Object.assign(b, { end: undefined });
    });
    void client.send(call(1));
    await turn();
    void client.end?.();
    await turn();
    expect(atServer.closes()).toBe(0);
    void server.send(result(101));
    await atServer.closed;
  });
});

test('an answer that the hook drops is an answer too', async () => {
  const onFrame = (frame: unknown, from: string): FrameAction => (from === 'a' ? { forward: frame } : 'drop');
  const { client, server, atServer } = await setup({ onFrame }, ({ b }) => {
    Object.assign(b, { end: undefined });
  });
  void client.send(call(1));
  await turn();
  void client.end?.();
  void server.send(result(1));
  await atServer.closed;
});

test('a last request whose send fails later closes a side that cannot half-close', async () => {
  let fail = (_: Error): void => undefined;
  const { client, atClient, atServer } = await setup({}, ({ b }) => {
    Object.assign(b, { end: undefined });
    Object.assign(b, { sendAwaitsResponse: true });
    b.send = () => new Promise((_, reject) => (fail = reject));
  });
  void client.send(call(1));
  await turn();
  void client.end?.();
  await turn();
  fail(new Error('gone'));
  await atServer.closed;
  expect(atClient.messages).toMatchObject([{ id: 1, error: { code: -32603 } }]);
});

test('of a batch whose send fails later only the requests without an answer get -32603', async () => {
  let fail = (_: Error): void => undefined;
  const { client, server, atClient } = await setup({}, ({ b }) => {
    Object.assign(b, { end: undefined });
    Object.assign(b, { sendAwaitsResponse: true });
    b.send = () => new Promise((_, reject) => (fail = reject));
  });
  void client.send([call(1), call(2)]);
  await turn();
  void server.send(result(1));
  await turn();
  fail(new Error('gone'));
  await turn();
  expect(atClient.messages).toMatchObject([result(1), [{ id: 2, error: { code: -32603 } }]]);
});

test('of a batch that a hook reordered, and whose send fails later, only the requests without an answer get -32603', async () => {
  let fail = (_: Error): void => undefined;
  const onFrame = (frame: unknown): FrameAction => ({
    forward: Array.isArray(frame) ? (frame as unknown[]).slice(0, 2).reverse() : frame,
  });
  const { client, server, atClient } = await setup({ onFrame }, ({ b }) => {
    Object.assign(b, { end: undefined, sendAwaitsResponse: true });
    b.send = () => new Promise((_, reject) => (fail = reject));
  });
  void client.send([call(1), call(2), call(3)]);
  await turn();
  void server.send(result(1));
  await turn();
  fail(new Error('gone'));
  await turn();
  expect(atClient.messages).toMatchObject([
    result(1),
    [
      { id: 2, error: { code: -32603 } },
      { id: 3, error: { code: -32603 } },
    ],
  ]);
});

test('an end that cannot start closes both', async () => {
  const [client, a] = memoryPair();
  const [b] = memoryPair();
  const atClient = recordEvents(client);
  await client.start();
  b.start = () => Promise.reject(new Error('no'));
  await expect(pipe(a, b)).rejects.toThrow('no');
  await atClient.closed;
});

test('frames that are waited for leave nothing behind', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { client } = await setup({}, ({ b }) => {
    b.send = () => Promise.resolve();
  });
  const round = async (): Promise<number> => {
    for (let count = 0; count < 20_000; count += 1) {
      void client.send({ jsonrpc: '2.0', method: 'notifications/a' });
      if (count % 100 === 0) await turn();
    }
    await turn();
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await round();
  expect((await round()) - before).toBeLessThan(2 * 2 ** 20);
});
