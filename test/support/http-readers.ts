/**
 * Clients that read their answers fast, slowly, not at all, or leave in the middle, in each revision, and what became of
 * their calls. For `npm run soak:http:readers` and its small version in the suite.
 */
import { createCipheriv, createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { EventSplitter, type Answer, type Wire, type WireHeaders } from './http-wire.js';
import { randomFrom } from './random.js';

const MODERN = '2026-07-28';
const ACCEPT = 'application/json, text/event-stream';
const SLOW_BYTES_PER_SECOND = 10_000;
const MAX_TEXT = 12_000_000;
/** Characters of the text that all texts are cut from: longer than any by the number of places that they begin at. */
const STARTS = 65_521;

const STOCK = createCipheriv('aes-128-ctr', Buffer.alloc(16, 7), Buffer.alloc(16))
  .update(Buffer.alloc(Math.ceil(((MAX_TEXT + STARTS) * 3) / 4)))
  .toString('base64');

/** The text of a result: so many characters, which differ with the seed. */
export function textOf(seed: number, size: number): string {
  // Of more than one byte each where it costs little: what is cut in the middle of a character must come out whole.
  const head = size < 100_000 ? 'Grüße, 世界 🌍 '.slice(0, size) : '';
  const start = seed % STARTS;
  return head + STOCK.slice(start, start + size - head.length);
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What a call asks of the tool. */
export interface CallShape {
  readonly seed: number;
  /** Characters of the result. */
  readonly size: number;
  /** Progress messages in one tick before the result, and the characters of each. */
  readonly notes: number;
  readonly noteSize: number;
  /** Milliseconds between them and the result. */
  readonly wait: number;
}

/** Has a progress message sent, and returns a text by {@link textOf}. */
export async function emit(
  args: Readonly<Record<string, unknown>> | undefined,
  progress: (done: number, total: number, message: string) => void,
): Promise<{ content: { type: 'text'; text: string }[] }> {
  const { seed, size, notes, noteSize, wait } = args as unknown as CallShape;
  for (let note = 1; note <= notes; note += 1) progress(note, notes + 1, 'n'.repeat(noteSize));
  if (wait > 0) await delay(wait);
  return { content: [{ type: 'text', text: textOf(seed, size) }] };
}

/** A revision, and the transport that carries it. */
export interface ProtocolVariant {
  readonly revision: string;
  readonly isSse: boolean;
}

export const PROTOCOL_VARIANTS: readonly ProtocolVariant[] = [
  { revision: '2024-11-05', isSse: true },
  { revision: '2024-11-05', isSse: false },
  { revision: '2025-03-26', isSse: false },
  { revision: '2025-06-18', isSse: false },
  { revision: '2025-11-25', isSse: false },
  { revision: MODERN, isSse: false },
];

export const variantName = ({ revision, isSse }: ProtocolVariant): string => (isSse ? `${revision} SSE` : revision);

/** How a client reads. */
export type ReaderKind = 'fast' | 'slow' | 'slow, large' | 'stalled' | 'dropped';

export interface ReaderCounts {
  readonly lane: string;
  readonly reader: ReaderKind | 'canary';
  calls: number;
  /** Calls whose result came whole. */
  results: number;
  /** Connections that the client left and came back to with `Last-Event-ID`. */
  resumed: number;
  /** Calls that the client left without a way back. */
  left: number;
  /** Calls of a client that does not read which the server ended. */
  cutOff: number;
  /** What became of each call whose result a client that reads did not get. */
  readonly lost: string[];
  /** Milliseconds that each call of a canary took. */
  readonly times: number[];
}

export interface ReadersPlan {
  readonly seed: number;
  /** Milliseconds in which calls begin. */
  readonly duration: number;
  /** Calls that each client makes that reads, even if it takes longer: so many manners of answering there are. */
  readonly minCalls: number;
  /** Milliseconds between the calls of a client. */
  readonly pause: number;
  /** Milliseconds in which a slow reader of large messages reads slowly, before it reads the rest at full speed. */
  readonly slowTime: number;
  /** Milliseconds after which a response becomes a stream, as configured on the server. */
  readonly streamAfter: number;
  /** Milliseconds after the last call for results to come. */
  readonly patience: number;
  /** Milliseconds between the calls of a client that stalls. */
  readonly stallEvery: number;
  /** Milliseconds after the last call that it goes on not to read. */
  readonly stallTime: number;
  /** Characters of the largest result. */
  readonly maxSize: number;
  readonly readers: readonly ReaderKind[];
}

/** Small sizes as often as large ones. */
const sizeBetween = (random: () => number, least: number, most: number): number =>
  Math.min(most, Math.round(least * (most / least) ** random()));

/** One client: where it is a session's, of one session. */
class Caller {
  readonly lane: ProtocolVariant;
  readonly #wire: Wire;
  readonly #base: WireHeaders;
  #session: WireHeaders = {};
  #nextId = 1;

  constructor(wire: Wire, lane: ProtocolVariant, principal: string) {
    this.lane = lane;
    this.#wire = wire;
    this.#base = { authorization: `Bearer ${principal}` };
  }

  get isModern(): boolean {
    return this.lane.revision === MODERN;
  }

  async open(): Promise<void> {
    if (this.isModern || this.lane.isSse) return;
    const answer = await this.#post('/mcp', {}, this.#initialize());
    const session = answer.header('mcp-session-id');
    const body = await readAll(answer);
    if (session === undefined) throw new Error(`no session was opened: ${answer.status} ${body}`);
    this.#session = { 'mcp-session-id': session, 'mcp-protocol-version': this.lane.revision };
    await readAll(await this.#post('/mcp', this.#session, { method: 'notifications/initialized' }));
  }

  async close(): Promise<void> {
    if ('mcp-session-id' in this.#session)
      await readAll(await this.#wire('DELETE', '/mcp', { ...this.#base, ...this.#session }));
  }

  /** Makes a call. Its answer is unread, but for what comes before on a stream of HTTP+SSE. */
  async call(
    shape: CallShape,
  ): Promise<{ readonly id: number; readonly answer: Answer; readonly splitter: EventSplitter }> {
    const id = this.#nextId;
    this.#nextId += 1;
    const meta = this.isModern
      ? { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} }
      : {};
    const message = {
      id,
      method: 'tools/call',
      params: { name: 'emit', arguments: shape, _meta: { ...meta, progressToken: id } },
    };
    const splitter = new EventSplitter();
    if (this.lane.isSse) return { id, answer: await this.#callBySse(message, splitter), splitter };
    const headers = this.isModern
      ? { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'emit' }
      : this.#session;
    return { id, answer: await this.#post('/mcp', headers, message), splitter };
  }

  /** Comes back for what came after an event. */
  resume(lastEventId: string): Promise<Answer> {
    return this.#wire('GET', '/mcp', {
      ...this.#base,
      ...this.#session,
      accept: 'text/event-stream',
      'last-event-id': lastEventId,
    });
  }

  /** A stream for each call, which is a session. */
  async #callBySse(message: object, splitter: EventSplitter): Promise<Answer> {
    const stream = await this.#wire('GET', '/sse', { ...this.#base, accept: 'text/event-stream' });
    const next = async (): Promise<string> => {
      for (;;) {
        const chunk = await stream.read(4096);
        if (chunk === undefined) throw new Error(`the stream ended: ${stream.status}`);
        for (const { data } of splitter.push(chunk)) return data;
      }
    };
    try {
      const path = await next();
      const send = async (posted: object): Promise<void> => {
        const answer = await this.#post(path, {}, posted);
        const body = await readAll(answer);
        if (answer.status !== 202) throw new Error(`a message was answered ${answer.status} ${body}`);
      };
      await send(this.#initialize());
      await next();
      await send({ method: 'notifications/initialized' });
      await send(message);
      return stream;
    } catch (error) {
      stream.drop();
      throw error;
    }
  }

  #initialize(): object {
    const { revision } = this.lane;
    return {
      id: 0,
      method: 'initialize',
      params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'reader', version: '1.0.0' } },
    };
  }

  #post(path: string, headers: WireHeaders, message: object): Promise<Answer> {
    const more = { 'content-type': 'application/json', accept: ACCEPT };
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    return this.#wire('POST', path, { ...this.#base, ...more, ...headers }, body);
  }
}

async function readAll(answer: Answer): Promise<string> {
  const chunks: Uint8Array[] = [];
  for (;;) {
    const chunk = await answer.read(65_536);
    if (chunk === undefined) return Buffer.concat(chunks).toString('utf8');
    chunks.push(chunk);
  }
}

/** How fast bytes are read, and when the client leaves. */
interface Pace {
  /** Bytes a second until a time by `performance.now()`; undefined for no limit. */
  readonly rate?: number;
  readonly until?: number;
  /** Bytes after which it leaves, once it has an event's id if there are any. */
  readonly leaveAfter?: number;
}

/** What was read: the response to a call, or what there is to come back with. */
type Outcome =
  | { readonly kind: 'response'; readonly message: object }
  | { readonly kind: 'left'; readonly lastEventId: string | undefined };

/** Reads an answer up to the response with an id. Rejects if it ends before that. */
async function consume(answer: Answer, id: number, splitter: EventSplitter, pace: Pace): Promise<Outcome> {
  const isStream = answer.header('content-type')?.startsWith('text/event-stream') ?? false;
  if (answer.status !== 200) throw new Error(`answered ${answer.status} ${(await readAll(answer)).slice(0, 200)}`);
  const chunks: Uint8Array[] = [];
  let lastEventId: string | undefined;
  let bytes = 0;
  try {
    for (;;) {
      const until = pace.until ?? Number.POSITIVE_INFINITY;
      const rate = performance.now() < until ? pace.rate : undefined;
      const chunk = await answer.read(rate === undefined ? 65_536 : 2_000);
      if (chunk === undefined) break;
      bytes += chunk.byteLength;
      if (!isStream) chunks.push(chunk);
      else {
        for (const event of splitter.push(chunk)) {
          lastEventId = event.id ?? lastEventId;
          if (event.data === '') continue;
          const message = JSON.parse(event.data) as { readonly id?: unknown; readonly method?: unknown };
          if (message.id === id && message.method === undefined) return { kind: 'response', message };
        }
      }
      if (pace.leaveAfter !== undefined && bytes >= pace.leaveAfter) {
        answer.drop();
        return { kind: 'left', lastEventId };
      }
      if (rate !== undefined)
        await delay(Math.max(0, Math.min(until - performance.now(), (chunk.byteLength / rate) * 1000)));
    }
  } catch (error) {
    throw new Error(`${(error as Error).message} after ${bytes} bytes`, { cause: error });
  }
  if (isStream) throw new Error(`the stream ended after ${bytes} bytes without the response`);
  return { kind: 'response', message: JSON.parse(Buffer.concat(chunks).toString('utf8')) as object };
}

/** @throws Error if a response differs from the expected result of the call. */
function verify(message: object, { seed, size }: CallShape): void {
  const { result } = message as { readonly result?: { readonly content?: readonly { readonly text?: string }[] } };
  const text = result?.content?.[0]?.text;
  if (text === undefined) throw new Error(`answered ${JSON.stringify(message).slice(0, 200)}`);
  if (text.length !== size) throw new Error(`a result has ${text.length} characters`);
  if (digest(text) !== digest(textOf(seed, size))) throw new Error('a result has the right length and another hash');
}

const emptyTally = (lane: string, reader: ReaderCounts['reader']): ReaderCounts => ({
  lane,
  reader,
  calls: 0,
  results: 0,
  resumed: 0,
  left: 0,
  cutOff: 0,
  lost: [],
  times: [],
});

/** How an answer is made to come: as JSON, or as a stream for one reason or another. */
type Manner = 'json' | 'progress' | 'burst' | 'late';
const MANNERS: readonly Manner[] = ['json', 'progress', 'burst', 'late'];

function shapeOf(random: () => number, manner: Manner, size: number, streamAfter: number): CallShape {
  const seed = Math.floor(random() * 2 ** 31);
  switch (manner) {
    case 'json':
      return { seed, size, notes: 0, noteSize: 0, wait: 0 };
    case 'progress':
      return { seed, size, notes: 1, noteSize: 10, wait: random() < 0.5 ? 0 : 20 };
    case 'burst':
      // More than a megabyte in one tick, of messages that are small by themselves.
      return { seed, size, notes: 30, noteSize: 50_000, wait: 0 };
    case 'late':
      // It is looked at as often as `streamAfter` is long.
      return { seed, size, notes: 0, noteSize: 0, wait: 2 * streamAfter + 200 };
  }
}

/** Rejects if something does not come in time. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = delay(ms, undefined, { signal: controller.signal }).then(() => {
    throw new Error(`nothing came within ${Math.round(ms)} ms`);
  });
  timer.catch(() => undefined);
  try {
    return await Promise.race([promise, timer]);
  } finally {
    controller.abort();
  }
}

/** Runs all clients of a plan at the same time. */
export async function runReaders(
  wireOf: () => Wire,
  plan: ReadersPlan,
  lanes: readonly ProtocolVariant[] = PROTOCOL_VARIANTS,
): Promise<ReaderCounts[]> {
  const end = performance.now() + plan.duration;
  const tasks: Promise<ReaderCounts>[] = [];
  let index = 0;
  for (const lane of lanes) {
    for (const reader of plan.readers) {
      index += 1;
      const random = randomFrom(plan.seed * 1_000 + index);
      const principal = `reader-${index}`;
      const tally = emptyTally(variantName(lane), reader);
      tasks.push(new ReaderRun(new Caller(wireOf(), lane, principal), reader, tally, plan, random, end).run());
    }
  }
  for (const revision of ['2025-11-25', MODERN]) {
    const tally = emptyTally(revision, 'canary');
    tasks.push(runCanary(new Caller(wireOf(), { revision, isSse: false }, `canary-${revision}`), tally, end));
  }
  return Promise.all(tasks);
}

/** Small calls all the time, whatever the others do. */
async function runCanary(caller: Caller, tally: ReaderCounts, end: number): Promise<ReaderCounts> {
  const shape: CallShape = { seed: 1, size: 100, notes: 0, noteSize: 0, wait: 0 };
  const call = async (): Promise<void> => {
    const { id, answer, splitter } = await caller.call(shape);
    const outcome = await consume(answer, id, splitter, {});
    if (outcome.kind === 'response') verify(outcome.message, shape);
  };
  let isOpen = false;
  while (performance.now() < end) {
    tally.calls += 1;
    const start = performance.now();
    try {
      if (!isOpen) await within(10_000, caller.open());
      isOpen = true;
      await within(10_000, call());
      tally.results += 1;
      tally.times.push(performance.now() - start);
    } catch (error) {
      tally.lost.push((error as Error).message);
    }
    await delay(50);
  }
  await caller.close();
  return tally;
}

class ReaderRun {
  readonly #caller: Caller;
  readonly #reader: ReaderKind;
  readonly #tally: ReaderCounts;
  readonly #plan: ReadersPlan;
  readonly #random: () => number;
  readonly #end: number;

  constructor(
    caller: Caller,
    reader: ReaderKind,
    tally: ReaderCounts,
    plan: ReadersPlan,
    random: () => number,
    end: number,
  ) {
    this.#caller = caller;
    this.#reader = reader;
    this.#tally = tally;
    this.#plan = plan;
    this.#random = random;
    this.#end = end;
  }

  async run(): Promise<ReaderCounts> {
    try {
      await this.#caller.open();
      if (this.#reader === 'stalled') await this.#stall();
      else await this.#callInTurn();
      await this.#caller.close();
    } catch (error) {
      this.#tally.lost.push(`outside a call: ${(error as Error).message}`);
    }
    return this.#tally;
  }

  async #callInTurn(): Promise<void> {
    const first = Math.floor(this.#random() * MANNERS.length);
    for (let turn = first; turn < first + this.#plan.minCalls || performance.now() < this.#end; turn += 1) {
      const manner = MANNERS[turn % MANNERS.length] ?? 'json';
      const remaining = Math.max(0, this.#end - performance.now());
      const size = this.#sizeFor(remaining, turn);
      const shape = shapeOf(this.#random, manner, size, this.#plan.streamAfter);
      // A burst alone takes a slow reader minutes.
      const kept = this.#reader === 'slow' && manner === 'burst' ? { ...shape, notes: 10, noteSize: 100 } : shape;
      this.#tally.calls += 1;
      try {
        await within(remaining + this.#plan.patience, this.#callOnce(kept));
      } catch (error) {
        this.#tally.lost.push(`${manner}, ${size} characters: ${(error as Error).message}`);
      }
      await delay(this.#plan.pause);
    }
  }

  /** Characters of the next result. */
  #sizeFor(remaining: number, turn: number): number {
    const { maxSize } = this.#plan;
    switch (this.#reader) {
      case 'slow':
        // It is to be done when the others are.
        return sizeBetween(
          this.#random,
          100,
          Math.min(maxSize, Math.max(1_000, (SLOW_BYTES_PER_SECOND * remaining) / 2_000)),
        );
      case 'slow, large':
        return Math.round(sizeBetween(this.#random, maxSize / 4, maxSize));
      default:
        // The largest comes in each manner, and whatever the seed.
        return turn % 5 === 0 ? maxSize : sizeBetween(this.#random, 100, maxSize);
    }
  }

  async #callOnce(shape: CallShape): Promise<void> {
    const { id, answer, splitter } = await this.#caller.call(shape);
    let outcome = await consume(answer, id, splitter, this.#pace(shape));
    // In SSE the stream goes on after the response.
    if (this.#caller.lane.isSse && outcome.kind === 'response') answer.drop();
    while (outcome.kind === 'left') {
      const { lastEventId } = outcome;
      if (lastEventId === undefined || this.#caller.lane.isSse || this.#caller.isModern) {
        // MCP 2025-11-25, Streamable HTTP: a stream begins with an id to come back with.
        if (this.#caller.lane.revision === '2025-11-25' && answer.header('content-type') === 'text/event-stream')
          throw new Error('a stream had no id to come back with');
        this.#tally.left += 1;
        return;
      }
      await delay(100 + 200 * this.#random());
      const next = await this.#caller.resume(lastEventId);
      this.#tally.resumed += 1;
      const again = this.#random() < 0.3 ? this.#pace(shape) : {};
      const resumed = await consume(next, id, new EventSplitter(), again);
      outcome = resumed.kind === 'left' ? { kind: 'left', lastEventId: resumed.lastEventId ?? lastEventId } : resumed;
    }
    verify(outcome.message, shape);
    this.#tally.results += 1;
  }

  #pace({ size, notes, noteSize }: CallShape): Pace {
    switch (this.#reader) {
      case 'slow':
        return { rate: SLOW_BYTES_PER_SECOND };
      case 'slow, large':
        return { rate: SLOW_BYTES_PER_SECOND, until: Math.min(this.#end, performance.now() + this.#plan.slowTime) };
      case 'dropped':
        return { leaveAfter: Math.max(1, Math.round((size + notes * noteSize) * this.#random())) };
      default:
        return {};
    }
  }

  /** Asks for one large answer after another, and takes no more than their headers. */
  async #stall(): Promise<void> {
    const { maxSize, streamAfter, stallEvery, stallTime, patience } = this.#plan;
    const unread: { readonly id: number; readonly answer: Answer; readonly splitter: EventSplitter }[] = [];
    for (let turn = 0; performance.now() < this.#end; turn += 1) {
      const manner = turn % 2 === 0 ? 'json' : 'progress';
      const size = Math.round(maxSize / 2 + (maxSize / 2) * this.#random());
      this.#tally.calls += 1;
      try {
        unread.push(await within(patience, this.#caller.call(shapeOf(this.#random, manner, size, streamAfter))));
      } catch {
        // Who does not read may be refused.
        this.#tally.cutOff += 1;
      }
      await delay(stallEvery);
    }
    await delay(Math.max(0, this.#end + stallTime - performance.now()));
    for (const { id, answer, splitter } of unread) {
      try {
        await within(5_000, consume(answer, id, splitter, {}));
        this.#tally.results += 1;
      } catch {
        this.#tally.cutOff += 1;
      }
      answer.drop();
    }
  }
}
