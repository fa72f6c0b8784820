/** The servers that `bench:http` measures, one in a process: `node <this file> <name>`. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, Server as ServerV2 } from '@modelcontextprotocol/server';
import { revision as v20251125 } from '../generated/2025-11-25/revision.js';
import { createServer as createOurs } from '../generated/2026-07-28/server.js';
import { revision as v20260728 } from '../generated/2026-07-28/revision.js';
import { serveHttp } from '../generated/runtime/http-node.js';
import { createHttpHandler } from '../generated/runtime/http-server.js';

const INFO = { name: 'bench', version: '1.0.0' };
const TOOLS = { tools: [{ name: 'echo', inputSchema: { type: 'object' as const } }] };
const OPTIONS = { capabilities: { tools: {} } };

const answer = ({ arguments: args }: { readonly arguments?: Record<string, unknown> | undefined }) => ({
  content: [{ type: 'text' as const, text: String(args?.['text']) }],
});

async function ours(): Promise<number> {
  const server = createOurs({
    info: INFO,
    revisions: [v20251125, v20260728],
    handlers: { 'tools/list': () => TOOLS, 'tools/call': answer },
  });
  const { url } = await serveHttp(createHttpHandler({ server }), { port: 0 });
  return Number(url.port);
}

interface Session {
  handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** A session of an official server for each id, as their examples have it; JSON answers, which are the faster ones. */
async function sessions(open: (keep: (id: string, session: Session) => void) => Promise<Session>): Promise<number> {
  const known = new Map<string, Session>();
  const server = createServer((request, response) => {
    const id = request.headers['mcp-session-id'] as string | undefined;
    const session = id === undefined ? open((made, kept) => known.set(made, kept)) : Promise.resolve(known.get(id));
    void session.then((found) => {
      if (found === undefined) response.writeHead(404).end();
      else void found.handleRequest(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const SERVERS: Readonly<Record<string, () => Promise<number>>> = {
  ours,
  v1: () =>
    sessions(async (keep) => {
      const server = new ServerV1(INFO, OPTIONS);
      server.setRequestHandler(ListToolsRequestSchema, () => TOOLS);
      server.setRequestHandler(CallToolRequestSchema, ({ params }) => answer(params));
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse: true,
        onsessioninitialized: (id) => {
          keep(id, transport);
        },
      });
      await server.connect(transport as never);
      return transport;
    }),
  v2: () =>
    sessions(async (keep) => {
      const server = new ServerV2(INFO, OPTIONS);
      server.setRequestHandler('tools/list', () => TOOLS);
      server.setRequestHandler('tools/call', ({ params }) => answer(params));
      const transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse: true,
        onsessioninitialized: (id) => {
          keep(id, transport);
        },
      });
      await server.connect(transport);
      return transport;
    }),
  'v2-modern': async () => {
    const handler = createMcpHandler(() => {
      const server = new ServerV2(INFO, OPTIONS);
      server.setRequestHandler('tools/list', () => TOOLS as never);
      server.setRequestHandler('tools/call', ({ params }) => answer(params) as never);
      return server;
    });
    const listener = toNodeHandler(handler);
    const server = createServer((request, response) => void listener(request as never, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  },
};

const port = await (SERVERS[process.argv[2] ?? ''] ?? ours)();
process.send?.({ port });
process.on('message', () => {
  globalThis.gc?.();
  process.send?.({ rss: process.memoryUsage().rss, heap: process.memoryUsage().heapUsed, cpu: process.cpuUsage() });
});
