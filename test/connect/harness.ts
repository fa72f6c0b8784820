import { expect } from 'vitest';
import type { EndpointEvent } from '../../generated/runtime/jsonrpc/endpoint.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { encodeLine } from '../../generated/runtime/jsonrpc/write.js';
import { PROTOCOL_VERSION_META, ProtocolMonitor, type Frame, type Side } from './protocol-monitor.js';

export * as revision20241105 from '../../generated/2024-11-05/index.js';
export * as revision20250326 from '../../generated/2025-03-26/index.js';
export * as revision20250618 from '../../generated/2025-06-18/index.js';
export * as revision20251125 from '../../generated/2025-11-25/index.js';
export * as revision20260728 from '../../generated/2026-07-28/index.js';
export { ALL_REVISIONS, type Frame, type Side } from './protocol-monitor.js';

export const TEST_INFO = { name: 'test', version: '1.0.0' };

/** A pair of connected transports whose frames are monitored. */
export interface Wire {
  readonly client: Transport;
  readonly server: Transport;
  readonly monitor: ProtocolMonitor;
}

/**
 * Connects a client transport with a server transport.
 *
 * @param checkedSides - The sides whose frames are validated, which are ours. The test itself may send anything.
 * @param asText - Whether messages go through JSON, as on a real wire.
 */
export function connectedTransports(checkedSides: readonly Side[] = ['client', 'server'], asText = true): Wire {
  const [server, client] = memoryPair();
  const monitor = new ProtocolMonitor(checkedSides);
  for (const [side, end] of [
    ['client', client],
    ['server', server],
  ] as const) {
    const send = end.send.bind(end);
    end.send = (message, options) => {
      const sent = asText ? (JSON.parse(encodeLine(message as never)) as object) : message;
      monitor.observe(side, message);
      return send(sent, options);
    };
  }
  return { client, server, monitor };
}

/** Lets all that only needs promises and turns happen. */
export async function nextTurns(turns = 3): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** A promise, and who settles it. */
export function deferred<T = void>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
} {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** What a promise is rejected with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

/** The other side as a test plays it: it sends what it likes, and sees what comes. */
export class RawPeer {
  readonly received: (Frame | readonly Frame[])[] = [];
  closes = 0;
  readonly #end: Transport;
  #read = 0;
  /** Answers requests at once; for tests about something else. */
  responder: ((frame: Frame) => object | undefined) | undefined;

  constructor(end: Transport) {
    this.#end = end;
    end.onmessage = (value) => {
      this.received.push(value as Frame);
      const answer = this.responder?.(value as Frame);
      if (answer !== undefined) this.send(answer);
    };
    end.onclose = () => {
      this.closes += 1;
    };
    void end.start();
  }

  /** The received frames, batches taken apart. */
  get frames(): readonly Frame[] {
    return this.received.flat();
  }

  send(frame: unknown): void {
    void this.#end.send(frame as object);
  }

  /** Sends a request and returns its response. */
  async request(frame: object): Promise<Frame> {
    const before = this.frames.length;
    this.send({ jsonrpc: '2.0', ...frame });
    const end = performance.now() + 5000;
    while (performance.now() < end) {
      const found = this.frames
        .slice(before)
        .find(({ id, method }) => method === undefined && id === (frame as Frame).id);
      if (found !== undefined) return found;
      await nextTurns(1);
    }
    throw new Error(`no response to ${JSON.stringify(frame).slice(0, 200)}`);
  }

  /** What came since the last look. */
  async nextFrames(): Promise<readonly Frame[]> {
    await nextTurns();
    const all = this.frames;
    const news = all.slice(this.#read);
    this.#read = all.length;
    return news;
  }

  async close(): Promise<void> {
    await this.#end.close();
  }
}

/** Collects events. */
export class Events {
  readonly all: EndpointEvent[] = [];
  readonly onEvent = (event: EndpointEvent): void => {
    this.all.push(event);
  };

  get kinds(): readonly string[] {
    return this.all.map(({ kind }) => kind);
  }
}

/** Something that accepts connections. */
interface Connectable<Session> {
  connect(transport: Transport): Promise<Session>;
}

/** A server of ours, and a client that a test plays. */
export async function connectRawClient<Session>(
  server: Connectable<Session>,
): Promise<{ readonly raw: RawPeer; readonly session: Session; readonly monitor: ProtocolMonitor }> {
  const { client, server: end, monitor } = connectedTransports(['server']);
  const raw = new RawPeer(client);
  const session = await server.connect(end);
  return { raw, session, monitor };
}

/** The same after the handshake of a stateful revision. */
export async function startRawSession<Session>(
  server: Connectable<Session>,
  version = '2025-11-25',
  capabilities: object = {},
): Promise<{ readonly raw: RawPeer; readonly session: Session; readonly monitor: ProtocolMonitor }> {
  const made = await connectRawClient(server);
  const answer = await made.raw.request({
    id: 'init',
    method: 'initialize',
    params: { protocolVersion: version, capabilities, clientInfo: TEST_INFO },
  });
  expect(answer.result?.['protocolVersion']).toBe(version);
  made.raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await made.raw.nextFrames();
  return made;
}

/** The `_meta` that a request of 2026-07-28 must have. */
export function statelessMeta(capabilities: object = {}, more: object = {}): object {
  return {
    [PROTOCOL_VERSION_META]: '2026-07-28',
    'io.modelcontextprotocol/clientInfo': TEST_INFO,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...more,
  };
}

/** A server that a test plays, and a client of ours, after the handshake. */
export async function connectRawServer(
  client: Connectable<void>,
  capabilities: object = { tools: {} },
  version = '2025-11-25',
): Promise<{ readonly raw: RawPeer; readonly monitor: ProtocolMonitor }> {
  const { client: end, server, monitor } = connectedTransports(['client']);
  const raw = new RawPeer(server);
  raw.responder = (frame) => {
    if (frame.method === 'initialize') {
      return {
        jsonrpc: '2.0',
        id: frame.id,
        result: { protocolVersion: version, capabilities, serverInfo: TEST_INFO },
      };
    }
    if (frame.method === 'server/discover' && version === '2026-07-28') {
      return {
        jsonrpc: '2.0',
        id: frame.id,
        result: {
          resultType: 'complete',
          supportedVersions: [version],
          capabilities,
          ttlMs: 0,
          cacheScope: 'private',
          _meta: { 'io.modelcontextprotocol/serverInfo': TEST_INFO },
        },
      };
    }
    return frame.method === 'server/discover'
      ? { jsonrpc: '2.0', id: frame.id, error: { code: -32601, message: 'Method not found' } }
      : undefined;
  };
  await client.connect(end);
  await raw.nextFrames();
  raw.responder = undefined;
  return { raw, monitor };
}

/** A server and a client of ours, connected. */
export async function connectPair<Session>(
  server: Connectable<Session>,
  client: Connectable<void>,
  asText = true,
): Promise<{ readonly session: Session; readonly monitor: ProtocolMonitor }> {
  const ends = connectedTransports(['client', 'server'], asText);
  const [session] = await Promise.all([server.connect(ends.server), client.connect(ends.client)]);
  await nextTurns(1);
  return { session, monitor: ends.monitor };
}

/** A tool's result with one text. */
export function textResult(value: string): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text: value }] };
}
