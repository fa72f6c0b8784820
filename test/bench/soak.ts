/**
 * Soak, for `npm run soak`: a million calls with 100 in flight in memory, and 200,000 over stdio. Prints the heap as it
 * goes, of the client and, over stdio, of the server; exits with 1 if it grows.
 *
 * `npm run soak -- 0.1` makes a tenth of the calls.
 */
import { createClient, type Client } from '../../generated/2025-11-25/client.js';
import { createServer } from '../../generated/2025-11-25/server.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import { stdioClientTransport } from '../../generated/runtime/stdio-client.js';
import { stdioServerTransport } from '../../generated/runtime/stdio-server.js';

const IN_FLIGHT = 100;
const ROUNDS = 10;
/** What a heap may gain from its second round to its last: code that is compiled meanwhile, but nothing for each call. */
const TOLERANCE = 1_000_000;
const info = { name: 'soak', version: '1.0.0' };

const collectGarbage = globalThis.gc;
if (collectGarbage === undefined) throw new Error('run it with --expose-gc, as `npm run soak` does');

function heap(): number {
  // Twice, since what finalisers let go of is collected by the next.
  collectGarbage?.();
  collectGarbage?.();
  return process.memoryUsage().heapUsed;
}

const server = createServer({
  info,
  handlers: {
    'tools/call': async ({ name, arguments: args }, context) => {
      if (name === 'heap') return { content: [{ type: 'text', text: String(heap()) }] };
      context.progress(1, 2);
      await Promise.resolve();
      return { content: [{ type: 'text', text: String(args?.['text']) }] };
    },
  },
});

/** One call in ten wants progress, one in a hundred is cancelled, one in a hundred fails. */
async function call(client: Client, index: number): Promise<void> {
  const params = { name: 'echo', arguments: { text: `call ${index}` } };
  if (index % 100 === 1) {
    const controller = new AbortController();
    const cancelled = client.callTool(params, { signal: controller.signal });
    controller.abort(new Error('cancelled'));
    await cancelled.catch(() => undefined);
  } else if (index % 100 === 2) {
    await client.request('tools/call', { name: index }).catch(() => undefined);
  } else {
    const { content } = await client.callTool(params, index % 10 === 0 ? { onProgress: () => undefined } : undefined);
    const [first] = content;
    if (first?.type !== 'text' || first.text !== `call ${index}`)
      throw new Error(`a wrong answer to call ${index}: ${JSON.stringify(content)}`);
  }
}

/** Whether no heap grows. */
async function soak(title: string, client: Client, count: number, otherHeap?: () => Promise<number>): Promise<boolean> {
  const perRound = Math.ceil(count / ROUNDS);
  const heaps: number[][] = [];
  const start = performance.now();
  console.log(`${title}: ${perRound * ROUNDS} calls, ${IN_FLIGHT} in flight`);
  let index = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const end = round * perRound;
    const work = async (): Promise<void> => {
      while (index < end) {
        index += 1;
        await call(client, index);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
    heaps.push([heap(), ...(otherHeap === undefined ? [] : [await otherHeap()])]);
    console.log(
      `  ${String(end).padStart(8)} calls  heap ${(heaps.at(-1) ?? []).map((bytes) => `${(bytes / 1e6).toFixed(2)} MB`).join(', of the server ')}`,
    );
  }
  const { inbound, outbound } = client.inFlight;
  const grown = (heaps.at(-1) ?? []).map((last, column) => last - (heaps[1]?.[column] ?? 0));
  const isFlat = grown.every((bytes) => bytes < TOLERANCE) && inbound + outbound === 0;
  console.log(
    `  ${isFlat ? 'flat' : 'GROWS'}: ${grown.map((bytes) => `${(bytes / 1e3).toFixed(0)} kB`).join(', ')} more than after the second round; ` +
      `${inbound + outbound} in flight at the end; ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
  return isFlat;
}

async function main(): Promise<void> {
  const share = Number(process.argv[2] ?? 1);
  const inMemory = createClient({ info });
  const [one, other] = memoryPair();
  await Promise.all([server.connect(one), inMemory.connect(other)]);
  const first = await soak('In memory', inMemory, 1_000_000 * share);
  await inMemory.close();

  const overStdio = createClient({ info });
  const args = [...process.execArgv, import.meta.filename, '--server'];
  await overStdio.connect(stdioClientTransport({ command: process.execPath, args }));
  const second = await soak('Over stdio', overStdio, 200_000 * share, async () => {
    const { content } = await overStdio.callTool({ name: 'heap' });
    const [text] = content;
    return text?.type === 'text' ? Number(text.text) : NaN;
  });
  await overStdio.close();
  process.exitCode = first && second ? 0 : 1;
}

if (process.argv.includes('--server')) await server.connect(stdioServerTransport());
else await main();
