import { onTestFinished } from 'vitest';
import { discoverResponse, initializeResponse, resultMessage, sendJson, TEXT } from './client-peer.js';
import type { ReceivedMessage } from './client-peer.js';
import { ServerProcess } from './server-process.js';

export const FRESH = { ttlMs: 0, cacheScope: 'private', resultType: 'complete' };
export const reconnect = { initialDelayMs: 20, maxDelayMs: 100, maxAttempts: 5 };
export const call = { name: 'plain', arguments: {} };
export const TOOLS = [
  { name: 'plain', inputSchema: { type: 'object' } },
  { name: 'reads', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'repeats', inputSchema: { type: 'object' }, annotations: { idempotentHint: true } },
  { name: 'destroys', inputSchema: { type: 'object' }, annotations: { idempotentHint: false, readOnlyHint: false } },
];

export const kindsOf = (events: readonly { readonly kind: string }[]): readonly string[] =>
  events.map(({ kind }) => kind);

export function answerTo({ method, id }: ReceivedMessage): object {
  if (method === 'server/discover') return discoverResponse(id);
  if (method === 'initialize') return initializeResponse(id);
  if (method === 'tools/list') return resultMessage(id, { ...FRESH, tools: TOOLS });
  if (method === 'prompts/list') return resultMessage(id, { ...FRESH, prompts: [] });
  if (method === 'prompts/get') return resultMessage(id, { ...FRESH, messages: [] });
  if (method === 'resources/list') return resultMessage(id, { ...FRESH, resources: [] });
  if (method === 'resources/templates/list') return resultMessage(id, { ...FRESH, resourceTemplates: [] });
  if (method === 'resources/read') return resultMessage(id, { ...FRESH, contents: [] });
  if (method === 'completion/complete') return resultMessage(id, { ...FRESH, completion: { values: [] } });
  return resultMessage(id, method === 'ping' ? {} : TEXT);
}

/** A server at a fixed port that can stop and start again, and remembers what it has received. */
export class RestartingServer extends ServerProcess {
  readonly received: ReceivedMessage[] = [];

  constructor() {
    super(() => (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk) => {
        body += String(chunk);
      });
      request.on('end', () => {
        const message = (body === '' ? {} : JSON.parse(body)) as ReceivedMessage;
        this.received.push(message);
        if (message.id === undefined) response.writeHead(request.method === 'GET' ? 405 : 202).end();
        else sendJson(response, answerTo(message));
      });
    });
  }
}

export async function startRestartingServer(): Promise<RestartingServer> {
  const server = new RestartingServer();
  await server.start();
  onTestFinished(() => server.stop());
  return server;
}
