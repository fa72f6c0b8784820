import { afterEach, expect } from 'vitest';
import * as revision20241105 from '../../generated/2024-11-05/index.js';
import * as revision20250326 from '../../generated/2025-03-26/index.js';
import * as revision20250618 from '../../generated/2025-06-18/index.js';
import * as revision20251125 from '../../generated/2025-11-25/index.js';
import * as revision20260728 from '../../generated/2026-07-28/index.js';
import type { EndpointEvent } from '../../generated/runtime/jsonrpc/endpoint.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import { maySend, type Revision } from '../../generated/runtime/protocol/revision.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { encodeLine } from '../../generated/runtime/jsonrpc/write.js';

export { revision20241105, revision20250326, revision20250618, revision20251125, revision20260728 };

export const ALL_REVISIONS: readonly Revision[] = [
  revision20241105.revision,
  revision20250326.revision,
  revision20250618.revision,
  revision20251125.revision,
  revision20260728.revision,
];

export const TEST_INFO = { name: 'test', version: '1.0.0' };

const PROTOCOL_VERSION_META = 'io.modelcontextprotocol/protocolVersion';
const SUBSCRIPTION_ID_META = 'io.modelcontextprotocol/subscriptionId';

export type Side = 'client' | 'server';

/** A frame as JSON holds it, for tests that look into it. */
export interface Frame {
  readonly jsonrpc: string;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Readonly<Record<string, unknown>>;
  };
}

/** What is wrong with frames that our endpoints sent; every test fails if there is anything. */
const violations: string[] = [];

afterEach(() => {
  const found = violations.splice(0);
  expect(found, 'every frame that was sent is one of its revision').toEqual([]);
});

/** Takes the violations of a test that is about the tap itself. */
export function drainViolations(): readonly string[] {
  return violations.splice(0);
}

interface OpenRequest {
  readonly method: string;
  readonly revision: Revision | undefined;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Watches a connection, and validates all that our endpoints send with the generated validators of its revision. */
export class ProtocolMonitor {
  readonly frames: { readonly from: Side; readonly frame: Frame | readonly Frame[] }[] = [];
  /** By id; several of one id if the test asks for trouble. */
  readonly #open = { client: new Map<unknown, OpenRequest[]>(), server: new Map<unknown, OpenRequest[]>() };
  readonly #checkedSides: ReadonlySet<Side>;
  #session: Revision | undefined;

  constructor(judged: readonly Side[]) {
    this.#checkedSides = new Set(judged);
  }

  /** The frames of one side, batches taken apart. */
  from(side: Side): readonly Frame[] {
    return this.frames.filter(({ from }) => from === side).flatMap(({ frame }) => frame);
  }

  observe(from: Side, message: object): void {
    let text: string;
    try {
      text = JSON.stringify(message);
    } catch {
      // It does not get through to a wire, so the test is about that.
      return;
    }
    const value = JSON.parse(text) as Frame | readonly Frame[];
    this.frames.push({ from, frame: value });
    if (Array.isArray(value)) {
      const frames = value as readonly Frame[];
      const isKnown = this.#session === undefined || this.#session.version === '2025-03-26';
      if (!isKnown && this.#checkedSides.has(from)) this.#recordViolation(from, value, 'a batch outside 2025-03-26');
      // Elsewhere none of its requests counts as asked.
      if (isKnown) for (const frame of frames) this.#checkFrame(from, frame);
    } else this.#checkFrame(from, value as Frame);
  }

  #checkFrame(from: Side, frame: Frame): void {
    const isJudged = this.#checkedSides.has(from);
    // A test may send anything.
    if (!isJudged && (typeof frame !== 'object' || (frame as Frame | null) === null)) return;
    if (frame.method === undefined) {
      this.#checkResponse(from, frame, isJudged);
      return;
    }
    const { method } = frame;
    const kind = frame.id === undefined ? 'notification' : 'request';
    const revision = this.#revisionOf(from, frame);
    if (kind === 'request') {
      const open = this.#open[from];
      if (isJudged && open.has(frame.id)) this.#recordViolation(from, frame, 'an id in flight is used again');
      open.set(frame.id, [...(open.get(frame.id) ?? []), { method, revision, params: frame.params ?? {} }]);
    }
    if (method === 'notifications/cancelled') {
      const { requestId } = frame.params ?? {};
      const all = this.#open[from].get(requestId);
      if (all?.[0]?.method !== 'initialize') this.#open[from].delete(requestId);
    }
    if (!isJudged) return;
    if (revision === undefined) {
      if (method !== 'ping') this.#recordViolation(from, frame, 'sent before a revision is agreed on');
      return;
    }
    const envelope = revision.classify(frame);
    if (envelope.kind !== kind) this.#recordViolation(from, frame, `classified as ${envelope.kind}`);
    if (!maySend(revision, from, kind, method)) {
      this.#recordViolation(from, frame, `${revision.version} has no such ${kind} of a ${from}`);
      return;
    }
    const outcome = revision.validateParams(method, frame.params);
    if (!outcome.success) this.#recordViolation(from, frame, JSON.stringify(outcome.failure));
  }

  /** Which of several requests with one id a result may be of. A batch that was refused whole leaves its requests open. */
  #expectedResponses(all: readonly OpenRequest[]): number {
    const canBe = ({ method, revision = this.#session }: OpenRequest): boolean =>
      revision !== undefined || method === 'ping' || method === 'initialize';
    return Math.max(0, all.findIndex(canBe));
  }

  #checkResponse(from: Side, frame: Frame, isJudged: boolean): void {
    const asked = this.#open[from === 'client' ? 'server' : 'client'];
    const all = asked.get(frame.id) ?? [];
    // Of two with one id it is the second that is refused.
    const open = frame.error === undefined ? all.splice(this.#expectedResponses(all), 1)[0] : all.pop();
    if (all.length === 0) asked.delete(frame.id);
    if (open?.method === 'initialize' && frame.result !== undefined) {
      this.#session = ALL_REVISIONS.find(({ version }) => version === frame.result?.['protocolVersion']);
    }
    if (!isJudged) return;
    const revision = open?.method === 'initialize' ? this.#session : (open?.revision ?? this.#session);
    if (frame.error !== undefined) {
      const { error } = frame;
      if (!Number.isSafeInteger(error.code) || typeof error.message !== 'string') {
        this.#recordViolation(from, frame, 'an error without code and message');
      }
      // JSON-RPC has null for an id that could not be read, the schemas have no such id.
      const { id, ...rest } = frame;
      const known = id === null ? rest : frame;
      const outcome = revision20260728.validateJSONRPCErrorResponse(known);
      if (!outcome.success) this.#recordViolation(from, frame, JSON.stringify(outcome.failure));
      const typed =
        error.code === -32021
          ? revision20260728.validateMissingRequiredClientCapabilityError(known)
          : error.code === -32022
            ? revision20260728.validateUnsupportedProtocolVersionError(known)
            : outcome;
      if (!typed.success) this.#recordViolation(from, frame, JSON.stringify(typed.failure));
      return;
    }
    if (open === undefined) {
      this.#recordViolation(from, frame, 'an answer to nothing that is open');
      return;
    }
    if (revision === undefined) {
      if (open.method !== 'ping') this.#recordViolation(from, frame, 'a result before a revision is agreed on');
      return;
    }
    const envelope = revision.classify(frame);
    if (envelope.kind !== 'result') this.#recordViolation(from, frame, `classified as ${envelope.kind}`);
    const isInput = frame.result?.['resultType'] === 'input_required';
    const outcome = isInput
      ? revision20260728.validateInputRequiredResult(frame.result)
      : open.params['task'] !== undefined && revision.validateTaskResult !== undefined
        ? revision.validateTaskResult(open.method, frame.result)
        : revision.validateResult(open.method, frame.result);
    if (!outcome.success) this.#recordViolation(from, frame, JSON.stringify(outcome.failure));
    if (revision.isStateless) {
      const meta = frame.result?.['_meta'] as Readonly<Record<string, unknown>> | undefined;
      if (typeof frame.result?.['resultType'] !== 'string') this.#recordViolation(from, frame, 'no resultType');
      if (meta?.['io.modelcontextprotocol/serverInfo'] === undefined)
        this.#recordViolation(from, frame, 'no serverInfo');
    }
  }

  #revisionOf(from: Side, frame: Frame): Revision | undefined {
    const meta = frame.params?.['_meta'] as Readonly<Record<string, unknown>> | undefined;
    const named = ALL_REVISIONS.find(
      ({ version, isStateless }) => isStateless && version === meta?.[PROTOCOL_VERSION_META],
    );
    if (named !== undefined) return named;
    if (frame.method === 'initialize') {
      return ALL_REVISIONS.find(({ version }) => version === frame.params?.['protocolVersion']);
    }
    if (meta?.[SUBSCRIPTION_ID_META] !== undefined) return revision20260728.revision;
    if (this.#session !== undefined) return this.#session;
    // Notifications that belong to a request of a stateless revision name none.
    const isModern =
      this.frames.some(({ frame: other }) => {
        // A test may send anything, null too.
        const params = (other as Frame | null)?.params?.['_meta'] as Readonly<Record<string, unknown>> | undefined;
        return params?.[PROTOCOL_VERSION_META] !== undefined;
      }) && frame.id === undefined;
    return isModern ? revision20260728.revision : undefined;
  }

  #recordViolation(from: Side, frame: unknown, why: string): void {
    violations.push(`${from}: ${why}: ${JSON.stringify(frame).slice(0, 400)}`);
  }
}

/** A pair of ends whose frames a tap sees. */
export interface Wire {
  readonly client: Transport;
  readonly server: Transport;
  readonly tap: ProtocolMonitor;
}

/**
 * Joins two ends.
 *
 * @param checkedSides - The sides that are ours, whose frames are validated; the other one is a test that sends what it likes.
 * @param asText - Whether messages go through JSON, as on a real wire.
 */
export function connectedTransports(checkedSides: readonly Side[] = ['client', 'server'], asText = true): Wire {
  const [server, client] = memoryPair();
  const tap = new ProtocolMonitor(checkedSides);
  for (const [side, end] of [
    ['client', client],
    ['server', server],
  ] as const) {
    const send = end.send.bind(end);
    end.send = (message, options) => {
      const sent = asText ? (JSON.parse(encodeLine(message as never)) as object) : message;
      tap.observe(side, message);
      return send(sent, options);
    };
  }
  return { client, server, tap };
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
): Promise<{ readonly raw: RawPeer; readonly session: Session; readonly tap: ProtocolMonitor }> {
  const { client, server: end, tap } = connectedTransports(['server']);
  const raw = new RawPeer(client);
  const session = await server.connect(end);
  return { raw, session, tap };
}

/** The same after the handshake of a stateful revision. */
export async function startRawSession<Session>(
  server: Connectable<Session>,
  version = '2025-11-25',
  capabilities: object = {},
): Promise<{ readonly raw: RawPeer; readonly session: Session; readonly tap: ProtocolMonitor }> {
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
): Promise<{ readonly raw: RawPeer; readonly tap: ProtocolMonitor }> {
  const { client: end, server, tap } = connectedTransports(['client']);
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
  return { raw, tap };
}

/** A server and a client of ours, connected. */
export async function connectPair<Session>(
  server: Connectable<Session>,
  client: Connectable<void>,
  asText = true,
): Promise<{ readonly session: Session; readonly tap: ProtocolMonitor }> {
  const ends = connectedTransports(['client', 'server'], asText);
  const [session] = await Promise.all([server.connect(ends.server), client.connect(ends.client)]);
  await nextTurns(1);
  return { session, tap: ends.tap };
}

/** A tool's result with one text. */
export function textResult(value: string): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text: value }] };
}
