/**
 * A client and a server in one process, with every frame between them shown: `npm run demo`.
 *
 * Frames go as lines of bytes, as over stdio. What a good client never sends is written by hand.
 */
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer as createBatchServer } from '../generated/2025-03-26/server.js';
import { createClient } from '../generated/2025-11-25/client.js';
import { createServer } from '../generated/2025-11-25/server.js';
import { RpcError } from '../generated/runtime/jsonrpc/error-codes.js';
import { stdioServerTransport } from '../generated/runtime/stdio-server.js';
import type { Transport } from '../generated/runtime/jsonrpc/transport.js';
import { stdoutColors, printLine } from '../generator/terminal.js';

const info = { name: 'demo', version: '1.0.0' };

// The server: an object of handlers, by method.

let waiting = (): void => undefined;
const untilItWaits = new Promise<void>((resolve) => (waiting = resolve));

const server = createServer({
  info,
  handlers: {
    'tools/list': () => ({
      tools: [
        { name: 'add', inputSchema: { type: 'object', required: ['a', 'b'] } },
        { name: 'count', inputSchema: { type: 'object' } },
        { name: 'wait', inputSchema: { type: 'object' } },
        { name: 'crash', inputSchema: { type: 'object' } },
      ],
    }),
    'tools/call': async ({ name, arguments: args }, context) => {
      switch (name) {
        case 'add':
          return { content: [{ type: 'text', text: String(Number(args?.['a']) + Number(args?.['b'])) }] };
        case 'count':
          for (let step = 1; step <= 3; step += 1) {
            context.progress(step, 3, `step ${step}`);
            await delay(10);
          }
          return { content: [{ type: 'text', text: 'counted' }] };
        case 'wait':
          waiting();
          await new Promise((_, reject) => {
            context.signal.addEventListener('abort', () => {
              aside(`the handler is aborted: ${String(context.signal.reason)}`);
              reject(context.signal.reason as Error);
            });
          });
          return { content: [] };
        case 'crash':
          throw new RangeError('the password is swordfish');
        default:
          throw new RpcError(-32602, `Unknown tool: ${name}`);
      }
    },
  },
  notifications: {
    'notifications/roots/list_changed': () => {
      aside('the server logs: the roots have changed');
    },
  },
  onEvent: (event) => {
    aside(`the server logs: ${event.kind}${'method' in event ? ` ${event.method}` : ''}`);
  },
});

// The wire between them.

/** Two ends of a connection, and a way to put a line of one's own onto it. */
interface Wire {
  readonly client: Transport;
  readonly server: Transport;
  /** Sends a line as the client. Resolves when all that comes of it has come. */
  byHand(line: string): Promise<void>;
}

function wire(): Wire {
  const up = shown(stdoutColors.cyan('client -> server'));
  const down = shown(stdoutColors.magenta('server -> client'));
  return {
    // Lines are lines, whichever side reads them.
    client: stdioServerTransport({ input: down, output: up, protectStdout: false }),
    server: stdioServerTransport({ input: up, output: down, protectStdout: false }),
    byHand: async (line) => {
      up.write(`${line}\n`);
      await delay(20);
    },
  };
}

/** A pipe that prints what goes through it. */
function shown(direction: string): PassThrough {
  const pipe = new PassThrough();
  pipe.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().trimEnd().split('\n')) printLine(`${direction}  ${line}`);
  });
  return pipe;
}

function heading(text: string): void {
  printLine(`\n${stdoutColors.bold(text)}`);
}

function aside(text: string): void {
  printLine(stdoutColors.dim(`                  (${text})`));
}

/** What a caller gets, result or error. */
async function tell(call: Promise<object>): Promise<void> {
  try {
    aside(`the caller gets ${JSON.stringify(await call)}`);
  } catch (error) {
    aside(`the caller gets ${String(error)}${error instanceof RpcError ? ` (${error.code})` : ''}`);
  }
}

// The scenes.

heading('They agree on a revision');
const client = createClient({ info, capabilities: { roots: { listChanged: true } } });
const line = wire();
await Promise.all([server.connect(line.server), client.connect(line.client)]);
await delay(20);
aside(`both speak ${client.revision ?? 'nothing'}`);

heading('A request');
await tell(client.callTool({ name: 'add', arguments: { a: 2, b: 3 } }));

heading('A notification: logged, not answered');
client.notify('notifications/roots/list_changed');
await delay(20);
await line.byHand('{"jsonrpc":"2.0","method":"notifications/nobody/knows"}');

heading('An unknown method');
await line.byHand('{"jsonrpc":"2.0","id":"by-hand-1","method":"tools/dance"}');

heading('Invalid params');
await line.byHand('{"jsonrpc":"2.0","id":"by-hand-2","method":"tools/call","params":{"name":7}}');

heading('A handler that throws: the caller learns the class of the error, not what it says');
await tell(client.callTool({ name: 'crash' }));

heading('Progress in mid-call');
await tell(
  client.callTool(
    { name: 'count' },
    {
      onProgress: ({ progress, total, message }) => {
        aside(`the caller receives ${progress}/${total ?? '?'}, ${message ?? ''}`);
      },
    },
  ),
);

heading('A cancellation: the handler is aborted, and no answer is sent');
const cancelling = new AbortController();
const call = client.callTool({ name: 'wait' }, { signal: cancelling.signal });
await untilItWaits;
cancelling.abort(new Error('the user has changed their mind'));
await tell(call);
await delay(20);

heading('A broken line: it is answered, and the stream goes on');
await line.byHand('{"jsonrpc":"2.0","id":"by-hand-3","method":"pi');
await line.byHand('{"jsonrpc":"2.0","id":"by-hand-4","method":"ping"}');

heading('Closing: pending requests are rejected');
const unanswered = tell(client.callTool({ name: 'wait' }));
await delay(20);
await client.close();
await unanswered;
await server.close();

heading('A batch, which only 2025-03-26 has: one array answers it');
const older = createBatchServer({ info, handlers: { 'tools/list': () => ({ tools: [] }) } });
const batches = wire();
await older.connect(batches.server);
const hello = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: info };
await batches.byHand(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello }));
await batches.byHand('{"jsonrpc":"2.0","method":"notifications/initialized"}');
await batches.byHand(
  JSON.stringify([
    { jsonrpc: '2.0', id: 2, method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
    { jsonrpc: '2.0', id: 3, method: 'tools/list' },
    { jsonrpc: '2.0', id: 4, method: 'tools/dance' },
  ]),
);
await older.close();
