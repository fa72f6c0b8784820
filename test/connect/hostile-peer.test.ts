import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stdioClientTransport } from '../../generated/runtime/stdio-client.js';
import type { StdioClientOptions, StdioClientTransport } from '../../generated/runtime/stdio-client.js';
import {
  Events,
  rejectionOf,
  TEST_INFO,
  revision20251125,
  revision20260728,
  RawPeer,
  connectRawServer,
  nextTurns,
  connectedTransports,
} from './harness.js';

// Hostile servers against our client: calls end, nothing is left behind, and neither memory nor processes pile up.

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => {
  unhandled.push(reason);
};
beforeEach(() => {
  process.on('unhandledRejection', onUnhandled);
});
afterEach(async () => {
  await nextTurns();
  process.off('unhandledRejection', onUnhandled);
  expect(unhandled.splice(0), 'no rejection is left unhandled').toEqual([]);
});

/** A program that reads lines and answers the handshake; then `then` is run, and for each further line `each`. */
function hostileProgram(then: string, each = ''): string {
  return `
    const say = (frame) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...frame }) + '\\n');
    let text = '';
    process.stdin.on('data', (chunk) => {
      text += chunk;
      const lines = text.split('\\n');
      text = lines.pop();
      for (const line of lines) {
        const { id, method } = JSON.parse(line);
        if (method === 'initialize') {
          say({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } });
        } else if (method === 'notifications/initialized') { ${then} }
        else { ${each} }
      }
    });`;
}

interface HostilePeer {
  readonly client: ReturnType<typeof revision20251125.createClient>;
  readonly transport: StdioClientTransport;
  readonly events: Events;
  /** What the server logged. */
  readonly logged: unknown[];
}

async function connectHostilePeer(program: string, options: Partial<StdioClientOptions> = {}): Promise<HostilePeer> {
  const events = new Events();
  const logged: unknown[] = [];
  const client = revision20251125.createClient({
    info: TEST_INFO,
    onEvent: events.onEvent,
    timeout: 20_000,
    notifications: { 'notifications/message': ({ data }) => void logged.push(data) },
  });
  const transport = stdioClientTransport({
    command: process.execPath,
    args: ['-e', program],
    stderr: 'ignore',
    shutdown: { graceMs: 200, killMs: 200 },
    ...options,
  });
  await client.connect(transport);
  return { client, transport, events, logged };
}

describe('a server that', () => {
  const call = { name: 'x' };

  test.each([
    ['exits', 'process.exit(0)'],
    ['exits with an error', 'process.exit(3)'],
    ['kills itself', 'process.kill(process.pid, "SIGKILL")'],
    [
      'closes its output and goes on',
      'process.stdout.destroy(); require("fs").closeSync(1); setInterval(() => {}, 1000)',
    ],
    [
      'closes its input and goes on',
      'process.stdin.destroy(); require("fs").closeSync(0); setInterval(() => {}, 1000)',
    ],
    [
      'stops reading in the middle of a line, and exits',
      'process.stdin.pause(); process.stdout.write("{\\"jsonrpc\\":", () => process.exit(0))',
    ],
  ])('%s ends the calls', async (_, act) => {
    const { client, transport } = await connectHostilePeer(hostileProgram('', act));
    // More than fits into the pipe, so that a server that closes its input cannot have read all of it.
    const calls = Array.from({ length: 3 }, () => rejectionOf(client.callTool({ name: 'x'.repeat(1_000_000) })));
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(Error);
    await client.closed;
    await transport.exit;
    expect(client.inFlight).toEqual({ inbound: 0, outbound: 0 });
    expect((await rejectionOf(client.callTool(call))).name).toBe('ConnectionClosedError');
  });

  test('sends an invalid message gets no response to it', async () => {
    const noise = [
      'Listening on stdio',
      '',
      '{}',
      '5',
      'null',
      '[]',
      '\\u0000',
      '\\ufeff{}',
      '{"jsonrpc":"2.0"}',
      '{"id":1}',
      '{',
    ];
    const program = hostileProgram(
      `for (const line of ${JSON.stringify(noise)}) process.stdout.write(line + '\\n');
       process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a]));
       process.stdout.write('x'.repeat(2000000) + '\\n');`,
      `if (method === undefined) say({ method: 'notifications/message', params: { level: 'error', data: line } });
       else say({ id, result: { content: [] } });`,
    );
    const { client, events, logged } = await connectHostilePeer(program, { maxMessageBytes: 1_000_000 });
    expect(await client.callTool(call)).toEqual({ content: [] });
    await client.callTool(call);
    expect(events.kinds.filter((kind) => kind === 'invalidMessage').length).toBeGreaterThan(8);
    expect(logged).toEqual([]);
    await client.close();
  });

  test('pretty-prints a message is reported once', async () => {
    const message = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: [{}, 1, []] } };
    const program = hostileProgram(
      `process.stdout.write(${JSON.stringify(JSON.stringify(message, undefined, 2))} + '\\n');`,
      `if (id !== undefined) say({ id, result: { content: [] } });`,
    );
    const { client, events } = await connectHostilePeer(program);
    expect(await client.callTool(call)).toEqual({ content: [] });
    expect(events.kinds.filter((kind) => kind === 'invalidMessage')).toEqual(['invalidMessage']);
    await client.close();
  });

  test('sends requests and does not read is disconnected', async () => {
    const flood = `
      process.stdin.pause();
      const line = (JSON.stringify({ jsonrpc: '2.0', id: 'x'.repeat(1000), method: 'ping' }) + '\\n').repeat(500);
      const go = () => { while (process.stdout.write(line)); };
      process.stdout.on('drain', go);
      process.stdout.on('error', () => process.exit());
      go();`;
    const { client, events, transport } = await connectHostilePeer(hostileProgram(flood), { maxUnread: 5_000_000 });
    await client.closed;
    await transport.exit;
    const failures = events.all.flatMap((event) => (event.kind === 'transportFailed' ? [String(event.error)] : []));
    expect(failures[0]).toContain('does not read');
    expect(client.inFlight).toEqual({ inbound: 0, outbound: 0 });
  });

  test('answers more than once or out of turn: each call gets its own answer', async () => {
    const program = hostileProgram(
      '',
      `const result = { content: [{ type: 'text', text: String(id) }] };
       for (const other of [id, id, String(id), id + 1000, -id, id + 0.5, null, '__proto__', 'constructor']) say({ id: other, result });
       say({ id, error: { code: 1, message: 'late' } });
       say({ id: id + 1, method: 'ping' });`,
    );
    const { client } = await connectHostilePeer(program);
    for (let count = 0; count < 20; count += 1) {
      const { content } = await client.callTool(call);
      expect(content.length).toBe(1);
    }
    const texts = (await Promise.all(Array.from({ length: 20 }, () => client.callTool(call)))).map(({ content }) =>
      content[0]?.type === 'text' ? content[0].text : '',
    );
    expect(new Set(texts).size).toBe(20);
    expect(client.inFlight.outbound).toBe(0);
    await client.close();
  });

  test('floods with notifications does not delay answers', async () => {
    const program = hostileProgram(
      '',
      `for (let count = 0; count < 20000; count += 1) {
         say({ method: 'notifications/progress', params: { progressToken: count % 3 ? id : 'x' + count, progress: count } });
         say({ method: 'notifications/message', params: { level: 'info', data: count } });
         say({ method: 'notifications/no/such' + count });
         say({ method: 'notifications/cancelled', params: { requestId: count } });
       }
       say({ id, result: { content: [] } });`,
    );
    const { client } = await connectHostilePeer(program);
    let progress = 0;
    expect(await client.callTool(call, { onProgress: () => (progress += 1) })).toEqual({ content: [] });
    expect(progress).toBeGreaterThan(10_000);
    expect(client.inFlight).toEqual({ inbound: 0, outbound: 0 });
    await client.close();
  });
});

describe('a server of 2026-07-28 that', () => {
  test('sends requests gets no answer', async () => {
    const events = new Events();
    let asked = 0;
    const client = revision20260728.createClient({
      info: TEST_INFO,
      onEvent: events.onEvent,
      handlers: {
        'elicitation/create': () => {
          asked += 1;
          return { action: 'decline' };
        },
      },
    });
    const { raw } = await connectRawServer(client, { tools: {} }, '2026-07-28');
    await raw.nextFrames();
    const params = { mode: 'form', message: '?', requestedSchema: { type: 'object', properties: {} } };
    raw.send({ jsonrpc: '2.0', id: 1, method: 'elicitation/create', params });
    raw.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
    raw.send({ jsonrpc: '2.0', id: 3, method: 'roots/list', params: [] });
    raw.send({ jsonrpc: '2.0', id: null, method: 'ping' });
    raw.send({});
    expect(await raw.nextFrames()).toEqual([]);
    expect(asked).toBe(0);
    expect(events.kinds.filter((kind) => kind === 'unexpectedRequest').length).toBe(3);
    await client.close();
  });

  test('requests thousands of inputs at once fails the call', async () => {
    let asked = 0;
    const client = revision20260728.createClient({
      info: TEST_INFO,
      handlers: {
        'elicitation/create': () => {
          asked += 1;
          return { action: 'decline' };
        },
      },
    });
    const { raw } = await connectRawServer(client, { tools: {} }, '2026-07-28');
    const params = { mode: 'form', message: '?', requestedSchema: { type: 'object', properties: {} } };
    const inputRequests = Object.fromEntries(
      Array.from({ length: 5000 }, (_, at) => [`k${at}`, { method: 'elicitation/create', params }]),
    );
    raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: { resultType: 'input_required', inputRequests } });
    const error = await rejectionOf(client.callTool({ name: 'x' }));
    expect(error.name).toBe('TooManyInputsError');
    expect(asked).toBe(0);
    expect(client.inFlight.outbound).toBe(0);
    await client.close();
  });

  test('sends messages of unknown subscriptions does no harm', async () => {
    const events = new Events();
    const client = revision20260728.createClient({ info: TEST_INFO, onEvent: events.onEvent });
    const { raw } = await connectRawServer(client, { tools: { listChanged: true } }, '2026-07-28');
    await raw.nextFrames();
    const tag = (id: unknown): object => ({ _meta: { 'io.modelcontextprotocol/subscriptionId': id } });
    for (const id of [1, '1', '__proto__', 'constructor', 1e21]) {
      raw.send({
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: {}, ...tag(id) },
      });
      raw.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: tag(id) });
      raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    }
    expect(await raw.nextFrames()).toEqual([]);
    raw.responder = ({ id }) => ({ jsonrpc: '2.0', id, result: { content: [] } });
    expect(await client.callTool({ name: 'x' }, { timeout: 5000 })).toEqual({ content: [] });
    await client.close();
  });
});

describe('versions that no server has', () => {
  test.each([
    ['an object that has no text', { toString: 1, valueOf: 1 }],
    ['a huge text', 'x'.repeat(1_000_000)],
    ['null', null],
  ])('%s: connecting fails with an error that is short', async (_, protocolVersion) => {
    const client = revision20251125.createClient({ info: TEST_INFO });
    const error = await rejectionOf(connectRawServer(client, {}, protocolVersion as unknown as string));
    expect(error.name).toBe('UnsupportedRevisionError');
    expect(error.message.length).toBeLessThan(1000);
  });

  test('a list of a million of them too', async () => {
    const client = revision20260728.createClient({ info: TEST_INFO });
    const ends = connectedTransports(['client']);
    const raw = new RawPeer(ends.server);
    raw.responder = ({ id }) => ({
      jsonrpc: '2.0',
      id,
      error: {
        code: -32022,
        message: 'no',
        data: { supported: Array.from({ length: 100_000 }, (_, at) => `${at}`.repeat(20)), requested: '2026-07-28' },
      },
    });
    const error = await rejectionOf(client.connect(ends.client));
    expect(error.name).toBe('UnsupportedRevisionError');
    expect(error.message.length).toBeLessThan(50_000);
  });
});
