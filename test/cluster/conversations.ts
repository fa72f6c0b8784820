/** Conversations with a fleet that goes through a lot, by our client, the official SDKs and one that looks at each event. */
import { setTimeout as delay } from 'node:timers/promises';
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StreamableHTTPClientTransport as V2Http } from '@modelcontextprotocol/client';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { oursClient, v1Client, v2Client, type Peer } from '../interop/peers/clients.js';

const REVISION = '2025-11-25';
/** Milliseconds after which a client no longer waits for an answer. */
const GIVE_UP_MS = 25_000;

/** What became of a call. */
export interface CallOutcome {
  readonly call: string;
  readonly who: Guest;
  readonly ms: number;
  /** Undefined if it was answered. */
  readonly error: string | undefined;
  /** For how long the client waited, in milliseconds. */
  readonly took: number;
  /** The progress that came. */
  readonly steps: readonly number[];
}

/** Who talks. */
export type Guest = 'ours' | 'v1' | 'v2' | 'by hand';

/** A stream as it was received. */
export interface ReceivedStream {
  readonly session: string;
  /** The stream's number in event ids. */
  readonly key: string;
  /** The events' ids. */
  readonly ids: readonly string[];
  readonly call: string;
}

/** What a conversation is about. */
export interface Conversation {
  readonly url: string;
  readonly who: Guest;
  readonly name: string;
  readonly calls: number;
  /** Between 0 and 1, each time another one. */
  readonly random: () => number;
  /** The longest call, in milliseconds. */
  readonly maxMs: number;
}

/** What came of conversations. */
export class Results {
  readonly outcomes: CallOutcome[] = [];
  readonly streams: ReceivedStream[] = [];
  /** Sessions that a server did not know any more. */
  readonly lost: string[] = [];
  /** Attempts to open a session that failed. */
  failedOpenings = 0;
}

interface Call {
  readonly call: string;
  readonly ms: number;
  readonly steps: number;
}

/** Opens a session, makes all calls one after the other, and closes it. */
export async function converse(conversation: Conversation, results: Results): Promise<void> {
  const { who, name, calls, random, maxMs } = conversation;
  const guest = await openGuest(conversation, results);
  for (let index = 0; index < calls; index += 1) {
    const call: Call = {
      call: `${name}.${index}`,
      ms: Math.round(random() * maxMs),
      // Half of them are answered without a stream.
      steps: random() < 0.5 ? 0 : 1 + Math.floor(random() * 4),
    };
    const start = performance.now();
    const steps: number[] = [];
    const error = await guest.work(call, steps).then(
      (text) => (text === call.call ? undefined : `wrong answer: ${text}`),
      (reason: unknown) => describeError(reason),
    );
    results.outcomes.push({ ...call, who, error, took: performance.now() - start, steps });
    await delay(random() * 100);
  }
  await guest.close();
}

interface OpenGuest {
  work(call: Call, steps: number[]): Promise<string>;
  close(): Promise<void>;
}

/** Tries until it has a session: opening one is no call, and may meet a process that ends. */
async function openGuest(conversation: Conversation, results: Results): Promise<OpenGuest> {
  const until = performance.now() + 30_000;
  for (;;) {
    try {
      return conversation.who === 'by hand'
        ? await RawGuest.open(conversation.url, results)
        : await openPeer(conversation.who, conversation.url, results);
    } catch (error) {
      results.failedOpenings += 1;
      if (performance.now() > until) throw error;
      await delay(200 + conversation.random() * 200);
    }
  }
}

async function openPeer(who: 'ours' | 'v1' | 'v2', url: string, results: Results): Promise<OpenGuest> {
  const peer: Peer = who === 'ours' ? oursClient([REVISION]) : who === 'v1' ? v1Client() : v2Client(REVISION);
  const transport =
    who === 'ours'
      ? httpClientTransport({
          url,
          onEvent: ({ kind }) => {
            if (kind === 'sessionRenewed') results.lost.push(who);
          },
          // By default, five attempts take up to half a minute: longer than these tests wait.
          reconnect: { maxDelayMs: 2000 },
        })
      : ((who === 'v1' ? new V1Http(new URL(url)) : new V2Http(new URL(url))) as Transport);
  await peer.connect(transport);
  return {
    work: async (call, steps) => {
      const { content } = await peer.request(
        'tools/call',
        { name: 'work', arguments: { ...call } },
        { onProgress: (progress) => void steps.push(progress), signal: AbortSignal.timeout(GIVE_UP_MS) },
      );
      return (content as { text: string }[])[0]?.text ?? '';
    },
    close: async () => {
      await peer.close().catch(() => undefined);
    },
  };
}

/** A client that keeps each event, and resumes a stream until it has the answer. */
class RawGuest implements OpenGuest {
  readonly #url: string;
  readonly #session: string;
  readonly #results: Results;
  #nextId = 1;

  private constructor(url: string, session: string, results: Results) {
    this.#url = url;
    this.#session = session;
    this.#results = results;
  }

  static async open(url: string, results: Results): Promise<RawGuest> {
    const params = { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: 'by hand', version: '1' } };
    const response = await post(url, {}, { id: 0, method: 'initialize', params });
    await response.text();
    const session = response.headers.get('mcp-session-id');
    if (session === null) throw new Error(`no session: ${response.status}`);
    const guest = new RawGuest(url, session, results);
    const initialized = await post(url, guest.#headers, { method: 'notifications/initialized' });
    if (initialized.status !== 202) throw new Error(`not initialized: ${initialized.status}`);
    return guest;
  }

  get #headers(): Record<string, string> {
    return { 'mcp-session-id': this.#session, 'mcp-protocol-version': REVISION };
  }

  async work(call: Call, steps: number[]): Promise<string> {
    const id = this.#nextId;
    this.#nextId += 1;
    const params = { name: 'work', arguments: call, _meta: { progressToken: id } };
    const response = await post(this.#url, this.#headers, { id, method: 'tools/call', params });
    if (response.status === 404) this.#results.lost.push('by hand');
    if (response.status !== 200) throw new Error(`status ${response.status}: ${await response.text()}`);
    if (response.headers.get('content-type') !== 'text/event-stream') return answerOf(await response.json());
    const ids: string[] = [];
    const seen = { answer: undefined as unknown };
    const read = async (from: Response): Promise<void> => {
      for await (const event of eventsOf(from)) {
        if (event.id !== undefined) ids.push(event.id);
        if (event.data === '') continue;
        const message = JSON.parse(event.data) as { id?: unknown; params?: { progress: number } };
        if (message.id === id) seen.answer = message;
        else if (message.params !== undefined) steps.push(message.params.progress);
      }
    };
    await read(response);
    const last = (): string | undefined => ids[ids.length - 1];
    const until = performance.now() + GIVE_UP_MS;
    const attempts: string[] = [];
    while (seen.answer === undefined) {
      const lastEventId = last();
      if (lastEventId === undefined) throw new Error('the connection broke before the first event');
      if (performance.now() > until)
        throw new Error(`no answer, however often the stream was resumed: ${attempts.slice(-3).join(', ')}`);
      await delay(200);
      const resumed = await fetch(this.#url, {
        headers: { accept: 'text/event-stream', 'last-event-id': lastEventId, ...this.#headers },
      }).catch(() => undefined);
      if (resumed?.status === 404) this.#results.lost.push('by hand');
      if (resumed?.status === 200) await read(resumed);
      else if (resumed?.status === 400) throw new Error(`400: ${await resumed.text()}`);
      attempts.push(`${resumed?.status ?? 'broken'} after ${lastEventId}`);
    }
    const [key = ''] = (last() ?? '').split('-');
    this.#results.streams.push({ session: this.#session, key, ids, call: call.call });
    return answerOf(seen.answer);
  }

  async close(): Promise<void> {
    // The session stays for those who look at what was stored.
  }
}

function answerOf(message: unknown): string {
  const { result, error } = message as {
    result?: { content: { text: string }[] };
    error?: { code: number; message: string };
  };
  if (error !== undefined) throw new Error(`${error.code}: ${error.message}`);
  return result?.content[0]?.text ?? '';
}

function post(url: string, headers: Record<string, string>, message: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
}

interface ReceivedEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** The complete events of a response, until it ends or breaks. */
async function* eventsOf(response: Response): AsyncGenerator<ReceivedEvent> {
  let text = '';
  try {
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: ?(.*)$/mu.exec(block)?.[1];
        if (data !== undefined) yield { id: /^id: (.*)$/mu.exec(block)?.[1], data };
      }
    }
  } catch {
    // It broke.
  }
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: string | number };
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.name}${code === undefined ? '' : ` ${code}`}: ${error.message}${cause}`;
}
