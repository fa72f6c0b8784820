/** Recordings of real conversations, made in the test. */
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { createClient } from '../../generated/2025-11-25/client.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { stdioClientTransport } from '../../generated/runtime/stdio-client.js';
import { writeEntry, writeHeader } from '../../generator/recording/entry.js';

/** The command of the reference server. */
export const EVERYTHING: readonly string[] = [
  process.execPath,
  path.resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js'),
];

/** A transport that writes what passes to a file. */
export function recording(inner: Transport, file: string): Transport {
  writeFileSync(file, `${writeHeader({ version: 1, transport: 'stdio' })}\n`);
  const start = performance.now();
  const write = (from: 'client' | 'server', frame: unknown): void => {
    const time = performance.now() - start;
    appendFileSync(file, `${writeEntry({ from, time, content: { kind: 'frame', frame: frame as never } })}\n`);
  };
  const outer: Transport = {
    start: () => {
      inner.onmessage = (value) => {
        write('server', value);
        outer.onmessage?.(value);
      };
      inner.onclose = () => outer.onclose?.();
      inner.onerror = (error) => outer.onerror?.(error);
      return inner.start();
    },
    send: (message, options) => {
      write('client', message);
      return inner.send(message, options);
    },
    close: () => inner.close(),
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
  };
  return outer;
}

/** Records a conversation with the reference server: calls, progress, an error, requests of the server. */
export async function recordEverything(file: string): Promise<void> {
  const client = createClient({
    info: { name: 'visitor', version: '1.0.0' },
    // With roots, the reference server asks for them when a timer ends: not at the same place each time.
    capabilities: { sampling: {}, elicitation: { form: {} } },
    handlers: {
      'sampling/createMessage': () => ({
        model: 'recorded',
        role: 'assistant',
        content: { type: 'text', text: 'A rose.' },
      }),
      'elicitation/create': () => ({ action: 'accept', content: { name: 'Rose', check: true } }),
    },
  });
  const [command = '', ...args] = EVERYTHING;
  await client.connect(recording(stdioClientTransport({ command, args, stderr: 'ignore' }), file));
  await client.listTools();
  await client.listPrompts();
  await client.listResources();
  await client.callTool({ name: 'echo', arguments: { message: 'roses' } });
  await client.callTool({ name: 'get-sum', arguments: { a: 2, b: 3 } });
  await client.callTool({ name: 'get-sum', arguments: { a: 'two' } });
  await client.callTool(
    { name: 'trigger-long-running-operation', arguments: { duration: 0.3, steps: 3 } },
    { onProgress: () => undefined },
  );
  await client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'Flower?', maxTokens: 10 } });
  await client.getPrompt({ name: 'no such prompt' }).catch(() => undefined);
  await client.close();
}

/** Writes a program that is the reference server with a text of its output replaced, and returns its path. */
export function writeChangedServer(folder: string): string {
  const program = path.join(folder, 'changed.mjs');
  writeFileSync(
    program,
    `import { spawn } from 'node:child_process';
     const server = spawn(process.execPath, ${JSON.stringify(EVERYTHING.slice(1))}, { stdio: ['pipe', 'pipe', 'ignore'] });
     process.stdin.pipe(server.stdin);
     server.stdout.setEncoding('utf8');
     server.stdout.on('data', (text) => process.stdout.write(text.replaceAll('Echo: roses', 'Echo: tulips')));`,
  );
  return program;
}
