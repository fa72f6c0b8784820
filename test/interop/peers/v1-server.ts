/* eslint-disable @typescript-eslint/no-deprecated -- The low-level server lets every wire method be answered by the same code. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema,
  CancelTaskRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  GetTaskPayloadRequestSchema,
  GetTaskRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListTasksRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  ResultSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { FixtureServer, INSTRUCTIONS, serverCapabilities } from './fixture-peers.js';
import type { PeerContext, Result } from './fixture-peers.js';
import { isMain, revisionsFromArguments } from './main.js';

const SCHEMAS = [
  ListToolsRequestSchema,
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  ListPromptsRequestSchema,
  GetPromptRequestSchema,
  CompleteRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  GetTaskRequestSchema,
  GetTaskPayloadRequestSchema,
  ListTasksRequestSchema,
  CancelTaskRequestSchema,
];

/**
 * The garden on the official SDK, v1. It speaks what the client asks for, up to 2025-11-25.
 *
 * @param revision - The same, as the SDK does not tell what was agreed on.
 */
export function v1Server(revision = '2025-11-25'): Server {
  const garden = new FixtureServer();
  const server = new Server(
    { name: 'garden-v1', version: '1.0.0' },
    { capabilities: serverCapabilities('2025-11-25'), instructions: INSTRUCTIONS },
  );
  for (const schema of SCHEMAS) {
    server.setRequestHandler(schema, (request, extra) =>
      garden.answer(request.method, request.params ?? {}, port(server, extra, revision)),
    );
  }
  return server;
}

function port(
  server: Server,
  extra: RequestHandlerExtra<ServerRequest, ServerNotification>,
  revision: string,
): PeerContext {
  const send = (method: string, params?: Result): Promise<void> =>
    extra.sendNotification({ method, ...(params === undefined ? {} : { params }) } as ServerNotification);
  return {
    revision,
    signal: extra.signal,
    progress: (progress, total, message) => {
      const progressToken = extra._meta?.progressToken;
      return progressToken === undefined
        ? undefined
        : send('notifications/progress', { progressToken, progress, total, message });
    },
    log: (level, data) => server.sendLoggingMessage({ level, data, logger: 'garden' }, extra.sessionId),
    notify: send,
    ask: (method, params) =>
      extra.sendRequest({ method, ...(params === undefined ? {} : { params }) } as ServerRequest, ResultSchema),
    input: () => Promise.reject(new Error('this SDK knows no input inside of results')),
  };
}

if (isMain(import.meta.url)) await v1Server(revisionsFromArguments([])[0]).connect(new StdioServerTransport());
