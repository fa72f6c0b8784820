/**
 * The server of `soak:http:readers`, in a separate process, whose memory is measured. Clients of `fetch()` are in this
 * process too, as there is no socket between them and the handler.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { serveHttp } from '../../generated/runtime/http-node.js';
import { createHttpHandler } from '../../generated/runtime/http-server.js';
import { fixtureServer } from '../http/server-support.js';
import { emit, runReaders, type ReadersPlan } from './http-readers.js';
import { fetchWire } from './http-wire.js';

/** What the server is asked. */
export type WorkerRequest = { readonly kind: 'run'; readonly plan: ReadersPlan } | { readonly kind: 'memory' };

export interface Memory {
  /** The most that was seen since the server was ready. */
  readonly peakRss: number;
  /** The most that was held, without garbage: of the heap, and outside of it. */
  readonly peakHeld: number;
  readonly held: number;
  /** As it was before any client came. */
  readonly baseRss: number;
  readonly baseHeld: number;
  readonly load: { readonly sessions: number; readonly open: number };
  /** Milliseconds that the process was busy with one thing, at most. */
  readonly blocked: number;
  /** Rejections and exceptions that nobody handled. */
  readonly faults: readonly string[];
}

const faults: string[] = [];
process.on('unhandledRejection', (reason) => faults.push(`unhandled rejection: ${String(reason)}`));
process.on('uncaughtException', (error) => faults.push(`uncaught exception: ${error.stack ?? error.message}`));

const [binding = 'node', options = '{}'] = process.argv.slice(2);
const handler = createHttpHandler({
  server: () =>
    fixtureServer(undefined, {
      handlers: {
        'tools/call': ({ arguments: args }, context) =>
          emit(args, (done, total, message) => {
            context.progress(done, total, message);
          }),
      },
    }),
  // Each client is a different principal, as it would be from another address.
  authorize: { verify: (token) => ({ principal: token }) },
  sse: true,
  ...(JSON.parse(options) as object),
});
const url = binding === 'node' ? (await serveHttp(handler, { port: 0 })).url.href : undefined;

function held(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const delays = monitorEventLoopDelay();
delays.enable();
const baseHeld = held();
const baseRss = process.memoryUsage.rss();
let peakRss = baseRss;
let peakHeld = baseHeld;
setInterval(() => (peakRss = Math.max(peakRss, process.memoryUsage.rss())), 100);
setInterval(() => (peakHeld = Math.max(peakHeld, held())), 2_000);

process.on('message', (question: WorkerRequest) => {
  if (question.kind === 'run') {
    void runReaders(() => fetchWire(handler), question.plan).then((tallies) => process.send?.(tallies));
    return;
  }
  const now = held();
  peakHeld = Math.max(peakHeld, now);
  process.send?.({
    peakRss,
    peakHeld,
    held: now,
    baseRss,
    baseHeld,
    load: handler.load,
    blocked: delays.max / 1e6,
    faults,
  } satisfies Memory);
});
process.on('disconnect', () => process.exit());
process.send?.({ url });
