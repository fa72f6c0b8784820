import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { inspect } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { stdioServerTransport } from '../../templates/runtime/stdio-server.js';
import type { StdioServerOptions } from '../../templates/runtime/stdio-server.js';
import type { Transport } from '../../templates/runtime/jsonrpc/transport.js';
import { plainEnvironment, removeTemporaryFolders, run, temporaryFolder } from '../support/cli.js';
import { childProgram, recordEvents, waitUntil } from './stdio-support.js';
import type { TransportEvents } from './stdio-support.js';

afterAll(removeTemporaryFolders);

const call = (id: number): { jsonrpc: '2.0'; id: number; method: string } => ({ jsonrpc: '2.0', id, method: 'ping' });
const line = (message: unknown): string => `${JSON.stringify(message)}\n`;
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A sink that records each write and blocks until released. */
class SlowSink extends Writable {
  readonly writes: string[] = [];
  isOpen = false;
  #done: (() => void) | undefined;

  constructor() {
    super({ decodeStrings: false, highWaterMark: 1000 });
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.writes.push(String(chunk));
    if (this.isOpen) done();
    else this.#done = done;
  }

  /** Takes what is there, and from now on everything. */
  open(): void {
    this.isOpen = true;
    this.#done?.();
  }
}

interface Setup extends TransportEvents {
  readonly input: PassThrough;
  readonly output: SlowSink;
  readonly transport: Transport;
}

async function server(options: StdioServerOptions & { readonly full?: boolean } = {}): Promise<Setup> {
  const input = new PassThrough();
  const output = new SlowSink();
  output.isOpen = options.full !== true;
  const transport = stdioServerTransport({ input, output, ...options });
  const ears = recordEvents(transport);
  await transport.start();
  return { input, output, transport, ...ears };
}

describe('reading', () => {
  test.each([1, 2, 7, 1000])('parses messages in order from chunks of %d bytes', async (size) => {
    const { input, messages } = await server();
    const expected = [...Array(20).keys()].map((id) => ({ ...call(id), params: { text: `é€😀${id}` } }));
    const bytes = Buffer.from(expected.map(line).join(''));
    for (let at = 0; at < bytes.length; at += size) input.write(bytes.subarray(at, at + size));
    await nextTurn();
    expect(messages).toEqual(expected);
  });

  test('every JSON value is handed on unjudged', async () => {
    const { input, messages, invalid } = await server();
    const values = [1, 'text', null, true, {}, [], [call(1), call(2)], { jsonrpc: '1.0', id: 1.5 }];
    input.write(values.map(line).join(''));
    await nextTurn();
    expect(messages).toEqual(values);
    expect(invalid).toEqual([]);
  });

  test('reports invalid lines and continues', async () => {
    const { input, messages, invalid, errors } = await server({ maxMessageBytes: 100, maxDepth: 3 });
    input.write(`banner\n${line(call(1))}${line('x'.repeat(100))}${line([[[[]]]])}{"a":\n${line(call(2))}`);
    input.write(Buffer.from([0xff, 0x0a]));
    input.write(line(call(3)));
    await nextTurn();
    expect(messages).toEqual([call(1), call(2), call(3)]);
    expect(invalid.map((what) => (what.kind === 'diagnostic' ? what.code : what.code))).toEqual([
      'not-json',
      'too-long',
      'too-deep',
      'embedded-newline',
      'not-utf8',
    ]);
    expect(errors).toEqual([]);
  });

  test('text of a stream that decodes is read too', async () => {
    const { input, messages } = await server();
    input.setEncoding('utf8');
    input.write(line({ ...call(1), params: { text: 'é€😀' } }));
    await nextTurn();
    expect(messages).toEqual([{ ...call(1), params: { text: 'é€😀' } }]);
  });

  test('continues after a receiver that throws', async () => {
    const { input, transport, messages, errors } = await server();
    const record = transport.onmessage;
    transport.onmessage = (value) => {
      record?.(value);
      throw new Error('no message');
    };
    transport.oninvalid = () => {
      throw new Error('no line');
    };
    input.write(`${line(call(1))}noise\n${line(call(2))}`);
    await nextTurn();
    expect(messages).toHaveLength(2);
    expect(errors.map(({ message }) => message)).toEqual(['no message', 'no line', 'no message']);
  });

  test('an invalid limit is refused at once', () => {
    expect(() => stdioServerTransport({ input: new PassThrough(), maxMessageBytes: 0 })).toThrow(RangeError);
  });
});

describe('writing', () => {
  test('joins the messages of one turn in one write', async () => {
    const { input, output, transport } = await server();
    transport.onmessage = (value) => {
      void Promise.resolve()
        .then(() => undefined)
        .then(() => transport.send(value as object));
      expect(transport.send({ jsonrpc: '2.0', method: 'seen' })).toBeUndefined();
    };
    input.write(line(call(1)) + line(call(2)));
    await nextTurn();
    const seen = line({ jsonrpc: '2.0', method: 'seen' });
    expect(output.writes).toEqual([seen + seen + line(call(1)) + line(call(2))]);
  });

  test('a loop that never leaves its turn does not pile up either', async () => {
    const { output, transport } = await server();
    for (let id = 0; id < 10_000; id += 1) await transport.send({ ...call(id), params: { text: 'x'.repeat(100) } });
    expect(output.writes.join('').length).toBeGreaterThan(1_000_000);
    await nextTurn();
    expect(output.writes.join('').split('\n')).toHaveLength(10_001);
    expect(Math.max(...output.writes.map(({ length }) => length))).toBeLessThan(70_000);
  });

  test('rejects only a message that JSON cannot represent', async () => {
    const { output, transport } = await server();
    void transport.send(call(1));
    expect(() => transport.send({ big: 1n })).toThrow('a BigInt at /big');
    void transport.send([call(2), call(3)]);
    await nextTurn();
    expect(output.writes).toEqual([line(call(1)) + line([call(2), call(3)])]);
  });

  test('a batch that the system took whole does not count as full', async () => {
    const { transport, output } = await server();
    expect(transport.send({ text: 'x'.repeat(100_000) })).toBeUndefined();
    expect(output.writes).toHaveLength(1);
  });
});

describe('back-pressure', () => {
  test('send waits for a full output', async () => {
    const { transport, output } = await server({ full: true });
    expect(transport.send({ text: 'x'.repeat(2000) })).toBeUndefined();
    await nextTurn();
    const waiting = [transport.send(call(1)), transport.send(call(2))];
    let isDone = false;
    void waiting[1]?.then(() => (isDone = true));
    await nextTurn();
    expect(waiting[0]).toBeInstanceOf(Promise);
    expect(isDone).toBe(false);
    expect(output.writes).toHaveLength(1);
    output.open();
    for (const room of waiting) await room;
    expect(output.writes.slice(1)).toEqual([line(call(1)) + line(call(2))]);
  });

  test('reading pauses while the output is full', async () => {
    const { transport, input, output, messages, closed, closes } = await server({ full: true });
    const record = transport.onmessage;
    transport.onmessage = (value) => {
      record?.(value);
      void transport.send({ text: 'x'.repeat(100_000) });
    };
    input.write(line(call(1)) + line(call(2)));
    input.write(line(call(3)));
    input.end(line(call(4)));
    for (let count = 0; count < 10; count += 1) await nextTurn();
    expect(messages).toEqual([call(1)]);
    expect(input.isPaused()).toBe(true);
    expect(closes()).toBe(0);
    output.open();
    await closed;
    expect(messages).toEqual([1, 2, 3, 4].map(call));
    expect(output.writes.join('').match(/\n/g)).toHaveLength(4);
  });

  test('many batches that waited are written in parts', async () => {
    const { transport, output } = await server({ full: true });
    const text = 'x'.repeat(1000);
    for (let id = 0; id < 1000; id += 1) void transport.send({ id, text });
    await nextTurn();
    output.open();
    await waitUntil(() => output.writes.join('').split('\n').length === 1001, 'all is written');
    expect(Math.max(...output.writes.map(({ length }) => length))).toBeLessThan(70_000);
    const ids = output.writes
      .join('')
      .trimEnd()
      .split('\n')
      .map((one) => (JSON.parse(one) as { id: number }).id);
    expect(ids).toEqual([...Array(1000).keys()]);
  });

  test('a client that does not read cannot make a process hold memory', async () => {
    const file = path.join(temporaryFolder(), 'report');
    const child = spawn(process.execPath, childProgram('big-answers.ts', file), { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.on('error', () => undefined);
    const calls = line(call(1)).repeat(20_000);
    for (let count = 0; count < 10; count += 1) child.stdin.write(calls);
    const reports = (): string[] => {
      try {
        return readFileSync(file, 'utf8').trimEnd().split('\n');
      } catch {
        return [];
      }
    };
    await waitUntil(() => reports().length > 0, 'the first message is handled');
    let before = -1;
    while (reports().length !== before) {
      before = reports().length;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    // 200,000 answers of 100 kB would be 20 GB; what is held is a few of them.
    expect(before).toBeLessThan(100);
    // It goes on as soon as somebody reads.
    child.stdout.resume();
    await waitUntil(() => reports().length > before + 100, 'the server goes on');
    child.kill('SIGKILL');
  });
});

describe('closing', () => {
  test('the end of the input closes the transport', async () => {
    const { input, messages, closed, closes, transport, output } = await server();
    const record = transport.onmessage;
    transport.onmessage = (value) => {
      record?.(value);
      void Promise.resolve().then(() => transport.send(value as object));
    };
    input.end(line(call(1)) + JSON.stringify(call(2)));
    await closed;
    expect(messages).toEqual([call(1), call(2)]);
    expect(output.writes.join('')).toBe(line(call(1)) + line(call(2)));
    await transport.close();
    expect(closes()).toBe(1);
  });

  test('an input that had ended before the start closes', async () => {
    const input = new PassThrough();
    input.resume();
    input.end();
    await nextTurn();
    const transport = stdioServerTransport({ input, output: new SlowSink() });
    const { closed } = recordEvents(transport);
    await transport.start();
    await closed;
  });

  test('close writes pending messages', async () => {
    const input = new PassThrough();
    const output = new SlowSink();
    output.isOpen = true;
    const listeners = (): unknown[] =>
      [input, output].map((stream) => stream.eventNames().map((name) => [name, stream.listenerCount(name)]));
    const before = listeners();
    const transport = stdioServerTransport({ input, output });
    const { messages, closes } = recordEvents(transport);
    await transport.start();
    expect(listeners()).not.toEqual(before);
    void transport.send(call(1));
    const closing = transport.close();
    input.write(line(call(9)));
    await closing;
    await nextTurn();
    expect(output.writes).toEqual([line(call(1))]);
    expect(messages).toEqual([]);
    expect(closes()).toBe(1);
    expect(listeners()).toEqual(before);
    expect(input.isPaused()).toBe(true);
    expect(() => transport.send(call(2))).toThrow('the connection is closed');
    await expect(transport.start()).rejects.toThrow('started already');
  });

  test('an input that others read too is not stopped', async () => {
    const { input, transport } = await server();
    const chunks: unknown[] = [];
    input.on('data', (chunk) => chunks.push(chunk));
    await transport.close();
    input.write('more');
    await nextTurn();
    expect(chunks).toHaveLength(1);
  });

  test('close stops waiting for a full output after a timeout', async () => {
    const { transport, output, closes } = await server({ full: true });
    void transport.send({ text: 'x'.repeat(2000) });
    await nextTurn();
    const waiting = transport.send(call(1));
    let isClosed = false;
    const closing = transport.close().then(() => (isClosed = true));
    await expect(waiting).rejects.toThrow('closed before the message was written');
    expect([isClosed, closes()]).toEqual([false, 0]);
    const begin = performance.now();
    await closing;
    expect(performance.now() - begin).toBeLessThan(10_000);
    expect(closes()).toBe(1);
    expect(output.listenerCount('error')).toBe(1);
    output.open();
    await nextTurn();
    expect(output.writes.slice(1)).toEqual([line(call(1))]);
    expect(output.listenerCount('error')).toBe(0);
  });

  test('close does not wait for an output that fails', async () => {
    const { transport, output, errors } = await server({ full: true });
    void transport.send({ text: 'x'.repeat(2000) });
    await nextTurn();
    const begin = performance.now();
    const closing = transport.close();
    output.destroy(new Error('write EPIPE'));
    await closing;
    expect(performance.now() - begin).toBeLessThan(1000);
    expect(errors).toEqual([]);
  });

  test('an output error closes the transport', async () => {
    const { transport, output, errors, closed, closes } = await server({ full: true });
    void transport.send({ text: 'x'.repeat(2000) });
    await nextTurn();
    const waiting = transport.send(call(1));
    output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await expect(waiting).rejects.toThrow('closed before the message was written');
    await closed;
    await nextTurn();
    expect(errors.map(({ message }) => message)).toEqual(['the client closed its end of our output (EPIPE)']);
    // A log shows it as one line.
    expect(inspect(errors[0])).not.toContain('\n');
    expect(closes()).toBe(1);
    expect(() => transport.send(call(2))).toThrow('closed');
  });

  test('nobody has to wait for what send returns', async () => {
    const { transport, output } = await server({ full: true });
    void transport.send({ text: 'x'.repeat(2000) });
    await nextTurn();
    const rejections: unknown[] = [];
    const listener = (reason: unknown): number => rejections.push(reason);
    process.on('unhandledRejection', listener);
    void transport.send(call(1));
    output.destroy();
    await nextTurn();
    await nextTurn();
    process.off('unhandledRejection', listener);
    expect(rejections).toEqual([]);
  });

  test('an input error closes the transport', async () => {
    const { input, errors, closed } = await server();
    input.destroy(new Error('read EIO'));
    await closed;
    expect(errors.map(({ message }) => message)).toEqual(['read EIO']);
  });

  test('send throws before the start', () => {
    const transport = stdioServerTransport({ input: new PassThrough(), output: new SlowSink() });
    expect(() => transport.send(call(1))).toThrow('not been started');
  });

  test('start rejects after the close', async () => {
    const transport = stdioServerTransport({ input: new PassThrough(), output: new SlowSink() });
    const { closes } = recordEvents(transport);
    await transport.close();
    expect(closes()).toBe(1);
    await expect(transport.start()).rejects.toThrow('the connection is closed');
  });

  test('start rejects a second time', async () => {
    const { transport: other } = await server();
    await expect(other.start()).rejects.toThrow('started already');
  });
});

describe('in a process', () => {
  const lines = (count: number): string => [...Array(count).keys()].map((id) => line(call(id))).join('');

  test.each(['sync', 'async'])(
    'everything piped in is answered before the process ends by itself: %s',
    async (mode) => {
      const result = await run(process.execPath, childProgram('echo-server.ts', mode), { input: lines(20_000) });
      expect(result).toEqual({ code: 0, stdout: lines(20_000), stderr: 'closed\n' });
    },
  );

  test('the process exits after close while its input stays open', async () => {
    const child = spawn(process.execPath, childProgram('echo-server.ts', 'bye'), { stdio: ['pipe', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stdin.write(line(call(1)));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, output]).toEqual([0, line(call(1))]);
    child.stdin.destroy();
  });

  test('console.log is redirected to standard error', async () => {
    const result = await run(process.execPath, childProgram('echo-server.ts', 'log'), { input: lines(2) });
    expect(result.code).toBe(0);
    expect(result.stdout).toBe(`${lines(2)}after close\n`);
    const [warning, ...others] = result.stderr.split('\n');
    expect(warning).toContain('Standard output is reserved for protocol messages');
    expect(others).toEqual([`stray ${JSON.stringify(call(0))}`, `stray ${JSON.stringify(call(1))}`, 'closed', '']);
  });

  test('a client that disconnects causes an error, then a close', async () => {
    const child = spawn(process.execPath, childProgram('echo-server.ts'), { env: plainEnvironment() });
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    child.stdin.on('error', () => undefined);
    child.stdin.write(line(call(1)));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.stdout.destroy();
    child.stdin.write(line(call(2)));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, log]).toEqual([0, 'error the client closed its end of our output (EPIPE)\nclosed\n']);
  });
});

test("the official SDK's client transport talks with ours", async () => {
  const client = new StdioClientTransport({
    command: process.execPath,
    args: childProgram('echo-server.ts', 'async'),
    stderr: 'ignore',
  });
  const messages: JSONRPCMessage[] = [];
  const failures: Error[] = [];
  client.onmessage = (message) => messages.push(message);
  client.onerror = (error) => failures.push(error);
  await client.start();
  const sent = [...Array(500).keys()].map((id) => ({ ...call(id), params: { text: 'é€😀\u2028' } }));
  for (const message of sent) await client.send(message);
  await waitUntil(() => messages.length === sent.length, 'all is sent back');
  await client.close();
  expect(messages).toEqual(sent);
  expect(failures).toEqual([]);
});
