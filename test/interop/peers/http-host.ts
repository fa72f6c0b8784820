/* eslint-disable @typescript-eslint/no-deprecated -- HTTP+SSE is what is to be tested. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { InMemoryEventStore } from '@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { FixtureServer, STATELESS } from './fixture-peers.js';
import { isMain } from './main.js';
import { v1Server } from './v1-server.js';
import { v2Server } from './v2-server.js';

/** How an official server is served. */
export interface Hosting {
  /** v2 speaks the configured revision; v1 speaks the one that the client requests. */
  readonly server: 'v1' | 'v2';
  readonly revision: string;
  /** Answers with JSON instead of streams. */
  readonly json?: boolean;
  /** As HTTP+SSE of 2024-11-05; v1 only. */
  readonly sse?: boolean;
  /** Milliseconds that a client has to wait before it reopens a stream: the SSE `retry` field. */
  readonly retry?: number;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface SessionTransport {
  readonly sessionId?: string | undefined;
  handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

function inSessions(
  open: (onSession: (id: string, transport: SessionTransport) => void) => Promise<SessionTransport>,
): Handle {
  const sessions = new Map<string, SessionTransport>();
  return async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known === undefined && id !== undefined) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}');
      return;
    }
    const transport = known ?? (await open((given, opened) => void sessions.set(given, opened)));
    await transport.handleRequest(request, response);
    if (request.method === 'DELETE' && typeof id === 'string') sessions.delete(id);
  };
}

function v1Handle({ revision, json = false, retry }: Hosting): Handle {
  return inSessions(async (onSession) => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: json,
      eventStore: new InMemoryEventStore(),
      ...(retry === undefined ? {} : { retryInterval: retry }),
      onsessioninitialized: (id) => {
        onSession(id, transport);
      },
    });
    await v1Server(revision).connect(transport);
    return transport;
  });
}

function v1SseHandle({ revision }: Hosting): Handle {
  const sessions = new Map<string, SSEServerTransport>();
  return async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'GET' && url.pathname === '/sse') {
      const transport = new SSEServerTransport('/messages', response);
      sessions.set(transport.sessionId, transport);
      await v1Server(revision).connect(transport);
      return;
    }
    const transport = sessions.get(url.searchParams.get('sessionId') ?? '');
    if (request.method === 'POST' && url.pathname === '/messages' && transport !== undefined) {
      await transport.handlePostMessage(request, response);
      return;
    }
    response.writeHead(404).end();
  };
}

function v2Handle({ revision, json = false }: Hosting): Handle {
  if (revision === STATELESS) {
    const garden = new FixtureServer();
    const handler = createMcpHandler(
      () =>
        v2Server([STATELESS], {
          garden,
          notify: (method, params) => {
            switch (method) {
              case 'notifications/tools/list_changed':
                handler.notify.toolsChanged();
                break;
              case 'notifications/prompts/list_changed':
                handler.notify.promptsChanged();
                break;
              case 'notifications/resources/list_changed':
                handler.notify.resourcesChanged();
                break;
              default:
                handler.notify.resourceUpdated(String(params?.['uri']));
            }
          },
        }),
      { legacy: 'reject', responseMode: json ? 'json' : 'auto' },
    );
    return toNodeHandler(handler) as never;
  }
  return inSessions(async (onSession) => {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: json,
      onsessioninitialized: (id) => {
        onSession(id, transport);
      },
    });
    await v2Server([revision]).connect(transport);
    return transport;
  });
}

/** Serves the garden on an official SDK, at a free port of this machine. */
export async function host(hosting: Hosting): Promise<{ readonly url: string; readonly server: HttpServer }> {
  const handle =
    hosting.server === 'v2' ? v2Handle(hosting) : hosting.sse === true ? v1SseHandle(hosting) : v1Handle(hosting);
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/${hosting.sse === true ? 'sse' : 'mcp'}`, server };
}

if (isMain(import.meta.url)) {
  const hosted = await Promise.all((JSON.parse(process.argv[2] ?? '[]') as Hosting[]).map(host));
  process.stdout.write(`${JSON.stringify(hosted.map(({ url }) => url))}\n`);
  // Who started it is gone when this ends.
  process.stdin.resume().on('end', () => process.exit(0));
}
