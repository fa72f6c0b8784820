/** The servers whose calls over HTTP are measured, one in a process: `node http-servers.mjs NAME`. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpHandler, Server as ServerV2 } from '@modelcontextprotocol/server';
import { revision as revision20251125 } from '../../generated/2025-11-25/revision.js';
import { createServer as createOurs } from '../../generated/2026-07-28/server.js';
import { revision as revision20260728 } from '../../generated/2026-07-28/revision.js';
import { serveHttp } from '../../generated/runtime/http-node.js';
import { createHttpHandler } from '../../generated/runtime/http-server.js';

const INFO = { name: 'bench', version: '1.0.0' };
const TOOLS = { tools: [{ name: 'echo', inputSchema: { type: 'object' as const } }] };
const OPTIONS = { capabilities: { tools: {} } };

const answer = ({ arguments: args }: { readonly arguments?: Record<string, unknown> | undefined }) => ({
  content: [{ type: 'text' as const, text: String(args?.['text']) }],
});

/**
 * The floor: reads a body, parses it and answers, whatever the headers say. It checks, limits and times nothing, and
 * a session is an id that it forgets. Node alone, since whatever a server does comes on top of that.
 */
function bare(): Promise<number> {
  return listen(
    createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        if (body === '') {
          response.writeHead(204).end();
          return;
        }
        const { id, method, params } = JSON.parse(body) as {
          readonly id?: number;
          readonly method: string;
          readonly params?: { readonly arguments?: Record<string, unknown> };
        };
        if (id === undefined) {
          response.writeHead(202).end();
          return;
        }
        const result = method === 'tools/call' ? answer(params ?? {}) : {};
        const text = JSON.stringify({ jsonrpc: '2.0', id, result });
        response
          .writeHead(200, {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
            ...(method === 'initialize' ? { 'mcp-session-id': randomUUID() } : {}),
          })
          .end(text);
      });
    }),
  );
}

async function ours(): Promise<number> {
  const server = createOurs({
    info: INFO,
    revisions: [revision20251125, revision20260728],
    handlers: { 'tools/list': () => TOOLS, 'tools/call': answer },
  });
  const { url } = await serveHttp(createHttpHandler({ server }), { port: 0 });
  return Number(url.port);
}

interface Session {
  handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** A session of an official server for each id, as their examples keep them. */
async function sessions(open: (keep: (id: string, session: Session) => void) => Promise<Session>): Promise<number> {
  const known = new Map<string, Session>();
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = request.headers['mcp-session-id'] as string | undefined;
    const session = id === undefined ? await open((made, kept) => known.set(made, kept)) : known.get(id);
    if (session === undefined) response.writeHead(404).end();
    else await session.handleRequest(request, response);
  };
  return listen(createServer((request, response) => void take(request, response)));
}

async function listen(server: HttpServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function sdkV1(enableJsonResponse: boolean): Promise<number> {
  return sessions(async (keep) => {
    // Its `McpServer` would also validate the arguments, which ours does not.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    const server = new ServerV1(INFO, OPTIONS);
    server.setRequestHandler(ListToolsRequestSchema, () => TOOLS);
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => answer(params));
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse,
      onsessioninitialized: (id) => {
        keep(id, transport);
      },
    });
    await server.connect(transport);
    return transport;
  });
}

function sdkV2(enableJsonResponse: boolean): Promise<number> {
  return sessions(async (keep) => {
    // As of v1: the one that does no more than ours.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    const server = new ServerV2(INFO, OPTIONS);
    server.setRequestHandler('tools/list', () => TOOLS);
    server.setRequestHandler('tools/call', ({ params }) => answer(params));
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse,
      onsessioninitialized: (id) => {
        keep(id, transport);
      },
    });
    await server.connect(transport);
    return transport;
  });
}

function sdkV2Modern(): Promise<number> {
  const listener = toNodeHandler(
    createMcpHandler(() => {
      // As of v1: the one that does no more than ours.
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      const server = new ServerV2(INFO, OPTIONS);
      server.setRequestHandler('tools/list', () => TOOLS as never);
      server.setRequestHandler('tools/call', ({ params }) => answer(params) as never);
      return server;
    }),
  );
  return listen(createServer((request, response) => void listener(request as never, response)));
}

const SERVERS: Readonly<Record<string, () => Promise<number>>> = {
  'bare node:http': bare,
  ours,
  'SDK v1': () => sdkV1(false),
  'SDK v1, JSON answers': () => sdkV1(true),
  'SDK v2': () => sdkV2(false),
  'SDK v2, JSON answers': () => sdkV2(true),
  'SDK v2, createMcpHandler': sdkV2Modern,
};

const start = SERVERS[process.argv[2] ?? ''];
if (start === undefined) throw new Error(`nothing is called ${process.argv[2] ?? ''}`);
const port = await start();
process.send?.({ port });
process.on('message', () => {
  process.send?.({ cpu: process.cpuUsage() });
});
process.on('disconnect', () => process.exit());
