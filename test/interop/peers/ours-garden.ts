import type { HandlerContext, Server } from '../../../generated/runtime/server.js';
import { Server as GenericServer } from '../../../generated/runtime/server.js';
import type { RequestStateOptions } from '../../../generated/runtime/protocol/request-state.js';
import { RpcError } from '../../../generated/runtime/jsonrpc/error-codes.js';
import {
  ANSWERED_METHODS,
  FixtureServer,
  INSTRUCTIONS,
  FixtureError,
  serverCapabilities,
  STATELESS,
  TASK_METHODS,
} from './fixture-peers.js';
import type { Params, PeerContext, Result } from './fixture-peers.js';
import { REVISION_NAMES, revisionsNamed } from './revisions.js';

/** How the garden is served. */
export interface OursOptions {
  /** The garden of a request; one for all of them by default. */
  readonly gardenOf?: (context: HandlerContext) => FixtureServer;
  readonly requestState?: RequestStateOptions;
}

/** The garden on our runtime; one server for all revisions, so the handlers are those without types. */
export function oursServer(names: readonly string[] = REVISION_NAMES, options: OursOptions = {}): Server {
  const shared = new FixtureServer();
  const { gardenOf = () => shared, requestState } = options;
  const answered = [...ANSWERED_METHODS, ...(names.includes('2025-11-25') ? TASK_METHODS : [])];
  const server: Server = new GenericServer(revisionsNamed(names), {
    info: { name: 'garden-ours', version: '1.0.0' },
    instructions: INSTRUCTIONS,
    requestState,
    capabilities: names.length === 1 ? serverCapabilities(names[0] ?? '') : serverCapabilities(STATELESS),
    handlers: Object.fromEntries(
      answered.map((method) => [
        method,
        async (params: Params, context: HandlerContext) => {
          try {
            return await gardenOf(context).answer(method, params, port(server, context));
          } catch (error) {
            if (error instanceof FixtureError) throw new RpcError(error.code, error.message, error.data);
            throw error;
          }
        },
      ]),
    ),
  });
  return server;
}

function port(server: Server, context: HandlerContext): PeerContext {
  return {
    revision: context.revision,
    signal: context.signal,
    progress: (progress, total, message) => {
      context.progress(progress, total, message);
    },
    log: (level, data) => {
      context.log(level, data, 'garden');
    },
    notify: (method, params) => {
      if (method.includes('/elicitation/') || method.includes('/tasks/')) context.notify(method, params);
      else server.notify(method, params);
    },
    ask: (method, params) => context.request(method, params) as Promise<Result>,
    input: (requests) => context.requireInput(requests),
  };
}
