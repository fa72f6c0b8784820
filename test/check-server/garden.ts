/**
 * Our own server, over stdio or HTTP, with one broken rule if a mutant is named. Over stdio, answers may be delayed. Bundled
 * and started by tests.
 */
import { createServer as createNodeServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { revision as revision20241105 } from '../../generated/2024-11-05/revision.js';
import { revision as revision20250326 } from '../../generated/2025-03-26/revision.js';
import { revision as revision20250618 } from '../../generated/2025-06-18/revision.js';
import { revision as revision20251125 } from '../../generated/2025-11-25/revision.js';
import { revision as revision20260728 } from '../../generated/2026-07-28/revision.js';
import { createServer } from '../../generated/2026-07-28/server.js';
import { createHttpHandler } from '../../generated/runtime/http-server.js';
import { compileSchema } from '../../generated/runtime/json-schema.js';
import {
  definePrompt,
  defineResource,
  defineTool,
  promptHandlers,
  resourceHandlers,
  toolHandlers,
  type TypedSchema,
} from '../../generated/runtime/registry.js';
import { stdioServerTransport } from '../../generated/runtime/stdio-server.js';
import { HTTP_MUTANTS, STDIO_MUTANTS, type Message } from './mutants.js';

/** A schema with its validator. */
function typed<T extends object>(schema: object): TypedSchema<T> {
  return { schema, validate: compileSchema(schema) } as TypedSchema<T>;
}

const INPUT = typed<{ readonly plant: string; readonly days?: number }>({
  type: 'object',
  properties: { plant: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
  required: ['plant'],
});
const OUTPUT = typed<{ text: string }>({
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
});

/** A tool that changes nothing. */
const tool = (name: string) =>
  defineTool({
    name,
    description: `Says something about ${name}.`,
    input: INPUT,
    output: OUTPUT,
    annotations: { readOnlyHint: true },
    run: ({ plant }) => ({ structuredContent: { text: `${name} ${plant}` } }),
  });

function buildServer(): ReturnType<typeof createServer> {
  return createServer({
    info: { name: 'garden', version: '1.0.0' },
    revisions: [revision20241105, revision20250326, revision20250618, revision20251125, revision20260728],
    // Deprecated, and still checked.
    capabilities: JSON.parse('{"logging":{}}') as object,
    handlers: {
      ...toolHandlers(['water', 'harvest', 'prune', 'sow', 'weed', 'rest'].map(tool)),
      ...resourceHandlers([
        defineResource({ uri: 'garden://map', name: 'map', mimeType: 'text/plain', read: () => 'four beds' }),
      ]),
      ...promptHandlers([
        definePrompt({
          name: 'plan',
          description: 'Plans a season.',
          arguments: [{ name: 'season', description: 'Which one', required: true }],
          render: ({ season }) => `Plan the ${season}.`,
        }),
      ]),
    },
  });
}

/**
 * Milliseconds by which answers are delayed: by the method of their request, or `error`, `batch`. `each` is how long an
 * answer takes that waits for the one before it, and `start` how long the process takes to start.
 */
type Delays = Readonly<Record<string, number>>;

async function serveStdio(name: string, delays: Delays): Promise<void> {
  const mutant = name === '' ? {} : STDIO_MUTANTS[name];
  if (delays['start'] !== undefined) await sleep(delays['start']);
  if (mutant === undefined) throw new Error(`no mutant ${name}`);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const requests = new Map<unknown, Message>();
  const write = (text: string): void => void process.stdout.write(text);
  let previous = Promise.resolve();
  const writeLater = (text: string, message: Message, request: Message): void => {
    const kind = Array.isArray(message) ? 'batch' : message.error === undefined ? '' : 'error';
    const delayMs = delays[request.method ?? ''] ?? delays[kind] ?? 0;
    const { each = 0 } = delays;
    if (each > 0) {
      previous = previous
        .then(async () => sleep(each))
        .then(() => {
          write(text);
        });
    } else if (delayMs === 0) write(text);
    else setTimeout(write, delayMs, text);
  };
  mutant.start?.({ write });
  const receive = (line: string): void => {
    const changed = mutant.line === undefined ? line : mutant.line(line, { write });
    if (changed === undefined) return;
    let message: unknown;
    try {
      message = JSON.parse(changed);
    } catch {
      input.write(`${changed}\n`);
      return;
    }
    const request = message as Message;
    const own = mutant.request === undefined || Array.isArray(message) ? request : mutant.request(request, { write });
    if (own === undefined) return;
    if (!Array.isArray(own) && own.id !== undefined) requests.set(own.id, own);
    input.write(`${JSON.stringify(own)}\n`);
  };
  let rest = '';
  const decoder = new TextDecoder();
  process.stdin.on('data', (chunk: Buffer) => {
    if (mutant.isNaive === true) {
      // Takes each chunk for one message.
      const text = chunk.toString('utf8').trim();
      if (text !== '') receive(mutant.takesFirst === true ? (text.split('\n')[0] ?? '') : text);
      return;
    }
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') receive(line);
  });
  process.stdin.on('end', () => {
    if (mutant.ignoresEnd === true) setInterval(() => undefined, 1000);
    else input.end();
  });
  if (mutant.ignoresTerm === true) process.on('SIGTERM', () => undefined);
  let pending = '';
  output.on('data', (chunk: Buffer) => {
    const lines = (pending + chunk.toString('utf8')).split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line) as Message;
      const request = requests.get(message.id) ?? {};
      if (mutant.response === undefined || Array.isArray(message)) writeLater(`${line}\n`, message, request);
      else {
        const changed = mutant.response(message, request);
        for (const item of Array.isArray(changed)
          ? (changed as readonly Message[])
          : changed === undefined
            ? []
            : [changed])
          writeLater(`${JSON.stringify(item)}\n`, item as Message, request);
      }
    }
  });
  const { closed } = await buildServer().connect(stdioServerTransport({ input, output, protectStdout: false }));
  await closed;
}

/** Prints the URL on standard error. */
async function serveHttp(name: string): Promise<void> {
  const mutant = name === '' ? {} : HTTP_MUTANTS[name];
  if (mutant === undefined) throw new Error(`no mutant ${name}`);
  const handler = createHttpHandler({ server: buildServer(), path: '/mcp' });
  const listener = createNodeServer((incoming, outgoing) => {
    const answer = async (): Promise<void> => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const headers = new Headers();
      for (const [key, value] of Object.entries(incoming.headers)) headers.set(key, String(value));
      const { method = 'GET' } = incoming;
      const abort = new AbortController();
      outgoing.on('close', () => {
        abort.abort();
      });
      const original = { method, headers, body: Buffer.concat(chunks).toString('utf8') };
      const sent = mutant.request?.(original) ?? original;
      const request = new Request(`http://${headers.get('host') ?? 'localhost'}${incoming.url ?? ''}`, {
        method: sent.method,
        headers: sent.headers,
        signal: abort.signal,
        ...(sent.method === 'POST' ? { body: sent.body } : {}),
      });
      const response = await handler.fetch(request);
      const given = (await mutant.response?.(response, original)) ?? response;
      outgoing.writeHead(given.status, Object.fromEntries(given.headers));
      outgoing.flushHeaders();
      if (given.body === null) outgoing.end();
      else Readable.fromWeb(given.body as never).pipe(outgoing);
    };
    answer().catch(() => outgoing.destroy());
  });
  listener.listen(0, '127.0.0.1', () => {
    process.stderr.write(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp\n`);
  });
  return Promise.resolve();
}

const [transport, mutant = '', delays = '{}'] = process.argv.slice(2);
await (transport === 'http' ? serveHttp(mutant) : serveStdio(mutant, JSON.parse(delays) as Delays));
