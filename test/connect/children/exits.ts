// Calls, leaves a call waiting, closes, and must then come to its end: its time limits are minutes away.
import { createClient, createServer } from '../../../generated/2025-11-25/index.js';
import { memoryPair } from '../../../generated/runtime/memory.js';

const info = { name: 'exits', version: '1' };

async function connected(): Promise<ReturnType<typeof createClient>> {
  const server = createServer({
    info,
    handlers: {
      'tools/call': ({ name }) =>
        name === 'ok' ? { content: [{ type: 'text', text: name }] } : new Promise(() => undefined),
    },
  });
  const client = createClient({ info, timeout: 600_000 });
  const [a, b] = memoryPair();
  await Promise.all([server.connect(a), client.connect(b)]);
  return client;
}

const client = await connected();
const { content } = await client.callTool({ name: 'ok' });
const waiting = client.callTool({ name: 'never' }).catch((error: unknown) => (error as Error).name);
await client.close();
const [first] = content;

// This one is never closed, and all of its calls are answered.
const open = await connected();
await open.callTool({ name: 'ok' });

process.stdout.write(
  JSON.stringify({ called: first?.type === 'text' ? first.text : '', waiting: await waiting, left: 'nothing' }),
);
