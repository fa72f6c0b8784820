import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from '../../generated/2026-07-28/server.js';
import { createClient } from '../../generated/2026-07-28/client.js';
import type { Client } from '../../generated/2026-07-28/client.js';
import { revision as revision20251125 } from '../../generated/2025-11-25/revision.js';
import { revision as revision20260728 } from '../../generated/2026-07-28/revision.js';
import { CallError, TimeoutError } from '../../generated/runtime/index.js';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import { createHttpHandler } from '../../generated/runtime/http-server.js';
import { serveHttp } from '../../generated/runtime/http-node.js';

/** Which bytes a proxy cuts off: those from the client, or those from the server. */
export type Direction = 'requests' | 'responses';

/** Passes bytes on, until so many have passed in a direction; then cuts that connection off, once. */
class CutOnceProxy {
  readonly passed: Record<Direction, number> = { requests: 0, responses: 0 };
  /** What clients got, one text for each connection. */
  readonly received: string[] = [];
  readonly #target: URL;
  readonly #cut: { readonly direction: Direction; readonly at: number } | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #server: net.Server;
  hasCut = false;

  constructor(target: URL, cut?: { readonly direction: Direction; readonly at: number }) {
    this.#target = target;
    this.#cut = cut;
    this.#server = net.createServer((client) => {
      this.#connect(client);
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(client: Socket): void {
    const server = net.connect(Number(this.#target.port), this.#target.hostname);
    const index = this.received.push('') - 1;
    const pairs = [
      [client, server, 'requests'],
      [server, client, 'responses'],
    ] as const;
    for (const [from, to, direction] of pairs) {
      this.#sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.on('data', (chunk: Buffer) => {
        const room = this.#roomFor(direction, chunk.length);
        const part = chunk.subarray(0, room);
        this.passed[direction] += part.length;
        if (direction === 'responses') this.received[index] = `${this.received[index] ?? ''}${part.toString('latin1')}`;
        if (room === chunk.length) {
          to.write(part);
          return;
        }
        this.hasCut = true;
        from.pause();
        // What was passed on before arrives.
        to.end(part);
        from.destroy();
      });
    }
  }

  #roomFor(direction: Direction, length: number): number {
    if (this.#cut?.direction !== direction || this.hasCut) return length;
    const room = this.#cut.at - this.passed[direction];
    return room >= length ? length : Math.max(0, room);
  }
}

/** A kind of conversation: a revision, and responses as JSON or as streams. */
export interface Variant {
  readonly revision: '2025-11-25' | '2026-07-28';
  readonly streams: boolean;
}

export const VARIANTS: readonly Variant[] = [
  { revision: '2025-11-25', streams: false },
  { revision: '2025-11-25', streams: true },
  { revision: '2026-07-28', streams: false },
  { revision: '2026-07-28', streams: true },
];

/** How often the server has run each call, by its key. */
type Runs = Map<string, number>;

/** Serves one tool that must not run twice, and one that may. */
export async function startCountingServer({ streams }: Variant): Promise<{
  readonly url: URL;
  readonly runs: Runs;
  readonly close: () => Promise<void>;
}> {
  const runs: Runs = new Map();
  const schema = { type: 'object' as const };
  const server = createServer({
    info: { name: 's', version: '1' },
    revisions: [revision20251125, revision20260728],
    capabilities: { tools: {} },
    handlers: {
      'tools/list': () => ({
        tools: [
          { name: 'once', inputSchema: schema },
          { name: 'often', inputSchema: schema, annotations: { readOnlyHint: true } },
        ],
      }),
      'tools/call': async ({ arguments: args }, { progress }) => {
        const key = String(args?.['key']);
        runs.set(key, (runs.get(key) ?? 0) + 1);
        if (streams) progress(1);
        await new Promise(setImmediate);
        return { content: [{ type: 'text', text: `<${key}>` }] };
      },
    },
  });
  const handler = createHttpHandler({ server, resumability: { retry: 100 } });
  const listening = await serveHttp(handler, { port: 0 });
  return { url: listening.url, runs, close: () => listening.close() };
}

interface Outcome {
  readonly step: string;
  readonly text?: string;
  readonly error?: Error;
}

const TIMEOUT_MS = 10_000;

/** The end of the key of each call. */
const SUFFIXES: Readonly<Record<string, string>> = { once: 'a', often: 'b', again: 'c' };

/** Runs the steps of a conversation, and returns what each came to. */
async function converse(client: Client, url: string, key: string, { streams }: Variant): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const options = { timeout: TIMEOUT_MS, ...(streams ? { onProgress: () => undefined } : {}) };
  const attempt = async (step: string, run: () => Promise<string>): Promise<void> => {
    try {
      outcomes.push({ step, text: await run() });
    } catch (error) {
      outcomes.push({ step, error: error instanceof Error ? error : new Error('no error', { cause: error }) });
    }
  };
  const call = async (name: string, suffix: string): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: { key: key + suffix } }, options);
    return (content[0] as { readonly text: string }).text;
  };
  await attempt('connect', async () => {
    await client.connect(httpClientTransport({ url, reconnect: { initialDelayMs: 20, maxDelayMs: 40 } }), {
      timeout: TIMEOUT_MS,
    });
    return '';
  });
  await attempt('list', async () => (await client.listTools({}, options)).tools.map(({ name }) => name).join());
  await attempt('once', () => call('once', 'a'));
  await attempt('often', () => call('often', 'b'));
  await attempt('again', () => call('once', 'c'));
  await attempt('close', async () => {
    await client.close();
    return '';
  });
  return outcomes;
}

/** Whether a connection passed on a whole response with this text. */
function hasWholeResponse(received: readonly string[], text: string): boolean {
  return received.some((bytes) => {
    const start = bytes.indexOf(`"text":"${text}"`);
    if (start === -1) return false;
    const head = bytes.lastIndexOf('HTTP/1.1 200', start);
    const body = bytes.indexOf('\r\n\r\n', head) + 4;
    if (/content-type: text\/event-stream/i.test(bytes.slice(head, body))) return bytes.includes('\n\n', start);
    const length = Number(/content-length: (\d+)/i.exec(bytes.slice(head, body))?.[1] ?? Number.NaN);
    return bytes.length >= body + length;
  });
}

/** How many bytes a conversation has in each direction, without a cut. */
export async function measureConversation(variant: Variant): Promise<Record<Direction, number>> {
  const server = await startCountingServer(variant);
  const proxy = new CutOnceProxy(server.url);
  const outcomes = await converse(createTestClient(variant), await proxy.listen(), 'm0000', variant);
  proxy.close();
  await server.close();
  const failed = outcomes.filter(({ error }) => error !== undefined);
  if (failed.length > 0) throw new Error('the conversation fails without a cut', { cause: failed });
  return proxy.passed;
}

function createTestClient({ revision }: Variant): Client {
  return createClient({
    info: { name: 'c', version: '1' },
    revisions: [revision === '2025-11-25' ? revision20251125 : revision20260728],
  });
}

/** What went wrong when a conversation was cut off at a byte; empty if nothing did. */
export async function problemsAfterCut(
  server: { readonly url: URL; readonly runs: Runs },
  variant: Variant,
  cut: { readonly direction: Direction; readonly at: number },
): Promise<readonly string[]> {
  const proxy = new CutOnceProxy(server.url, cut);
  const key = `${cut.direction === 'requests' ? 'q' : 'r'}${String(cut.at).padStart(4, '0')}`;
  const client = createTestClient(variant);
  const since = performance.now();
  const outcomes = await converse(client, await proxy.listen(), key, variant);
  proxy.close();
  const problems: string[] = [];
  const expected: Record<string, string> = {
    list: 'once,often',
    once: `<${key}a>`,
    often: `<${key}b>`,
    again: `<${key}c>`,
  };
  // A lost connection fails a call at once: it must not wait for its timeout.
  if (performance.now() - since > 2 * TIMEOUT_MS) problems.push('not settled in time');
  const isConnected = outcomes[0]?.error === undefined;
  const failures = outcomes.filter(({ error }) => error !== undefined);
  // A cut affects one request, and what follows works, if the client got to connect.
  if (isConnected && failures.length > 1) problems.push(`${failures.length} steps failed`);
  for (const { step, text, error } of outcomes) {
    const runs = server.runs.get(`${key}${SUFFIXES[step] ?? ''}`) ?? 0;
    const mayRunTwice = step === 'often';
    if (runs > (mayRunTwice ? 2 : 1)) problems.push(`${step} ran ${runs} times`);
    if (error === undefined) {
      if (step in expected && text !== expected[step]) problems.push(`${step} returned ${String(text)}`);
      continue;
    }
    if (error instanceof TimeoutError) problems.push(`${step} timed out`);
    if (!(error instanceof CallError)) problems.push(`${step} failed with ${String(error)}`);
    else if (!error.mayHaveRun && runs > 0) problems.push(`${step} ran, but its error says that it did not`);
    if (step in expected && hasWholeResponse(proxy.received, expected[step] ?? ''))
      problems.push(`${step} was answered, but failed with ${String(error)}`);
  }
  if (!proxy.hasCut) problems.push('the conversation was shorter');
  return problems.map((problem) => `${cut.direction} cut at ${cut.at}: ${problem}`);
}

/** Cuts conversations off at every `stride`th byte of a direction from `first` on, several at the same time. */
export async function cutEverywhere(
  variant: Variant,
  direction: Direction,
  stride: number,
  first = 0,
): Promise<{ readonly cuts: number; readonly problems: readonly string[] }> {
  const sizes = await measureConversation(variant);
  const server = await startCountingServer(variant);
  const problems: string[] = [];
  let next = first;
  let cuts = 0;
  const run = async (): Promise<void> => {
    // The end varies a little, for example with the number of digits of a port.
    for (let at = next; at < sizes[direction] - 64; at = next) {
      next = at + stride;
      cuts += 1;
      problems.push(...(await problemsAfterCut(server, variant, { direction, at })));
    }
  };
  await Promise.all(Array.from({ length: 8 }, run));
  await server.close();
  return { cuts, problems };
}
