/* eslint-disable @typescript-eslint/no-deprecated -- The low-level server lets every wire method be answered by the same code. */
import { inputRequired, Server } from '@modelcontextprotocol/server';
import type { InputRequests, ServerContext } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import {
  ANSWERED_METHODS,
  SESSION_METHODS,
  FixtureServer,
  INSTRUCTIONS,
  serverCapabilities,
  STATELESS,
} from './fixture-peers.js';
import type { PeerContext, Result } from './fixture-peers.js';
import { isMain, revisionsFromArguments } from './main.js';
import { REVISION_NAMES } from './revisions.js';

/** Ends a handler that waits for input. */
class InputNeeded extends Error {
  readonly requests: InputRequests;

  constructor(requests: InputRequests) {
    super('waits for input');
    this.requests = requests;
  }
}

const REQUEST_STATE = 'first-visit';

/** What servers of single requests have in common. */
export interface Shared {
  readonly garden: FixtureServer;
  readonly notify: (method: string, params?: Result) => void;
}

/** The garden on the official SDK, v2, for one connection, or for one request of a stateless conversation. */
export function v2Server(names: readonly string[] = REVISION_NAMES, shared?: Shared): Server {
  const garden = shared?.garden ?? new FixtureServer();
  const server = new Server(
    { name: 'garden-v2', version: '1.0.0' },
    {
      capabilities: serverCapabilities('2025-06-18'),
      instructions: INSTRUCTIONS,
      // The first is what it offers to a client that asks for none of them.
      supportedProtocolVersions: [...names].reverse(),
    },
  );
  for (const method of [...ANSWERED_METHODS, ...SESSION_METHODS]) {
    server.setRequestHandler(method, { params: z.looseObject({}) }, async (params, context) => {
      try {
        return await garden.answer(method, params, port(server, context, shared));
      } catch (error) {
        if (error instanceof InputNeeded) {
          return inputRequired({ inputRequests: error.requests, requestState: REQUEST_STATE });
        }
        throw error;
      }
    });
  }
  return server;
}

function port(server: Server, { mcpReq }: ServerContext, shared?: Shared): PeerContext {
  const send = (method: string, params?: Result): Promise<void> =>
    mcpReq.notify({ method, ...(params === undefined ? {} : { params }) });
  return {
    revision: mcpReq.envelope === undefined ? (server.getNegotiatedProtocolVersion() ?? '') : STATELESS,
    signal: mcpReq.signal,
    progress: (progress, total, message) => {
      const progressToken = mcpReq._meta?.progressToken;
      return progressToken === undefined
        ? undefined
        : send('notifications/progress', { progressToken, progress, total, message });
    },
    log: (level, data) => mcpReq.log(level, data, 'garden'),
    notify: (method, params) => {
      if (shared === undefined) return server.notification({ method, ...(params === undefined ? {} : { params }) });
      shared.notify(method, params);
      return Promise.resolve();
    },
    ask: (method, params) => mcpReq.send({ method, ...(params === undefined ? {} : { params }) }, z.looseObject({})),
    input: (requests) => {
      const given = mcpReq.inputResponses ?? {};
      if (Object.keys(requests).every((key) => key in given)) return Promise.resolve(given);
      throw new InputNeeded(requests as InputRequests);
    },
  };
}

if (isMain(import.meta.url)) {
  const names = revisionsFromArguments(REVISION_NAMES);
  serveStdio(() => v2Server(names));
}
