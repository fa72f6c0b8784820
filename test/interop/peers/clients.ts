import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CancelTaskRequestSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  GetTaskPayloadRequestSchema,
  GetTaskRequestSchema,
  ListRootsRequestSchema,
  ListTasksRequestSchema,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Client as V2Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { BaseClient } from '../../../generated/runtime/client.js';
import { RpcError } from '../../../generated/runtime/jsonrpc/error-codes.js';
import type { Transport } from '../../../generated/runtime/jsonrpc/transport.js';
import { clientCapabilities, FixtureClient, FixtureError, STATELESS, TASK_METHODS } from './fixture-peers.js';
import type { Params, Result } from './fixture-peers.js';
import { ALL_REVISIONS, REVISION_NAMES, revisionsNamed } from './revisions.js';

/** How a request is sent, in every SDK. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: number, message: string | undefined) => void;
}

/** A subscription that is open. */
export interface Listening {
  close(): Promise<void> | void;
}

/** A client, whatever the SDK below. */
export interface Peer {
  readonly name: 'ours' | 'v1' | 'v2';
  /** Notifications that came, progress aside. */
  readonly heard: { readonly method: string; readonly params: Params }[];
  connect(transport: Transport): Promise<void>;
  revision(): string | undefined;
  server(): {
    readonly name: string | undefined;
    readonly capabilities: object;
    readonly instructions: string | undefined;
  };
  request(method: string, params?: Result, sending?: RequestOptions): Promise<Result>;
  notify(method: string, params?: Result): Promise<void> | void;
  listen(filter: object): Promise<Listening>;
  close(): Promise<void>;
}

/** The code of an error, whichever SDK threw it. */
export function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown }).code;
}

const INPUTS = ['roots/list', 'sampling/createMessage', 'elicitation/create'] as const;

export function oursClient(names: readonly string[] = REVISION_NAMES): Peer {
  const household = new FixtureClient();
  const revisions = revisionsNamed(names);
  const heard: Peer['heard'] = [];
  const latest = names[names.length - 1] ?? '';
  const asked = [...INPUTS, ...TASK_METHODS].filter((method) =>
    revisions.some((one) => Object.hasOwn(one.methods, method) || Object.hasOwn(one.embedded, method)),
  );
  const told = new Set(
    ALL_REVISIONS.filter((one) => revisions.includes(one)).flatMap((one) =>
      Object.entries(one.methods)
        .filter(([, { kind, direction }]) => kind === 'notification' && direction !== 'clientToServer')
        .map(([method]) => method),
    ),
  );
  const client = new BaseClient(revisions, {
    info: { name: 'visitor-ours', version: '1.0.0' },
    capabilities: clientCapabilities(latest),
    handlers: Object.fromEntries(
      asked.map((method) => [
        method,
        (params: Params) => {
          try {
            return household.answer(method, params);
          } catch (error) {
            if (error instanceof FixtureError) throw new RpcError(error.code, error.message, error.data);
            throw error;
          }
        },
      ]),
    ),
    notifications: Object.fromEntries(
      [...told].map((method) => [method, (params: Params) => void heard.push({ method, params })]),
    ),
  });
  return {
    name: 'ours',
    heard,
    connect: (transport) => client.connect(transport),
    revision: () => client.revision,
    server: () => ({
      name: client.server.info?.name,
      capabilities: client.server.capabilities,
      instructions: client.server.instructions,
    }),
    request: (method, params, { signal, onProgress } = {}) =>
      client.request(method, params, {
        signal,
        onProgress:
          onProgress &&
          (({ progress, message }) => {
            onProgress(progress, message);
          }),
      }) as Promise<Result>,
    notify: (method, params) => {
      client.notify(method, params);
    },
    listen: (filter) => client.openSubscription(filter),
    close: () => client.close(),
  };
}

const V1_ASKED = [
  ListRootsRequestSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  GetTaskRequestSchema,
  GetTaskPayloadRequestSchema,
  ListTasksRequestSchema,
  CancelTaskRequestSchema,
];

/** It always asks for 2025-11-25, and takes any older one. */
export function v1Client(): Peer {
  const household = new FixtureClient();
  const heard: Peer['heard'] = [];
  const client = new V1Client(
    { name: 'visitor-v1', version: '1.0.0' },
    { capabilities: clientCapabilities('2025-11-25') },
  );
  for (const schema of V1_ASKED) {
    client.setRequestHandler(schema, ({ method, params }) => household.answer(method, params ?? {}));
  }
  client.fallbackNotificationHandler = ({ method, params }) => {
    heard.push({ method, params: params ?? {} });
    return Promise.resolve();
  };
  let transport: (Transport & { protocolVersion?: string }) | undefined;
  let revision: string | undefined;
  return {
    name: 'v1',
    heard,
    connect: async (given) => {
      transport = given;
      // The SDK keeps what was agreed on to itself, but tells the transport.
      const setVersion = given.setProtocolVersion?.bind(given);
      transport.setProtocolVersion = (version) => {
        setVersion?.(version);
        revision = version;
      };
      await client.connect(given as never);
    },
    revision: () => revision,
    server: () => ({
      name: client.getServerVersion()?.name,
      capabilities: client.getServerCapabilities() ?? {},
      instructions: client.getInstructions(),
    }),
    request: (method, params, { signal, onProgress } = {}) =>
      client.request({ method, ...(params === undefined ? {} : { params }) }, ResultSchema, {
        ...(signal === undefined ? {} : { signal }),
        ...(onProgress === undefined
          ? {}
          : {
              onprogress: ({ progress, message }) => {
                onProgress(progress, message);
              },
            }),
      }),
    notify: (method, params) => client.notification({ method, ...(params === undefined ? {} : { params }) }),
    listen: () => Promise.reject(new Error('this SDK knows no subscriptions of this kind')),
    close: () => client.close(),
  };
}

/** The v2 SDK knows no tasks. */
function withoutTasks({ tasks: _, ...others }: Result): Result {
  return others;
}

/** A client of SDK v2 that speaks the given revision. */
export function v2Client(revision: string): Peer {
  const household = new FixtureClient();
  const heard: Peer['heard'] = [];
  const isStateless = revision === STATELESS;
  const client = new V2Client(
    { name: 'visitor-v2', version: '1.0.0' },
    {
      capabilities: withoutTasks(clientCapabilities(revision)),
      ...(isStateless
        ? { versionNegotiation: { mode: { pin: revision } } }
        : { supportedProtocolVersions: [revision] }),
    },
  );
  for (const method of INPUTS) {
    if (method === 'elicitation/create' && revision < '2025-06-18') continue;
    client.setRequestHandler(method, ({ params }) => household.answer(method, (params ?? {}) as Params) as never);
  }
  client.fallbackNotificationHandler = ({ method, params }) => {
    heard.push({ method, params: params ?? {} });
    return Promise.resolve();
  };
  return {
    name: 'v2',
    heard,
    connect: (transport) => client.connect(transport as never),
    revision: () => client.getNegotiatedProtocolVersion(),
    server: () => ({
      name: client.getServerVersion()?.name,
      capabilities: client.getServerCapabilities() ?? {},
      instructions: client.getInstructions(),
    }),
    request: async (method, params, { signal, onProgress } = {}) => {
      const options = {
        ...(signal === undefined ? {} : { signal }),
        ...(onProgress === undefined
          ? {}
          : {
              onprogress: ({ progress, message }: { progress: number; message?: string | undefined }) => {
                onProgress(progress, message);
              },
            }),
      };
      const request = { method, ...(params === undefined ? {} : { params }) };
      if (method === 'tools/call') return await client.callTool(params as never, options);
      return client.request(request, z.looseObject({}), options);
    },
    notify: (method, params) => client.notification({ method, ...(params === undefined ? {} : { params }) }),
    listen: (filter) => client.listen(filter),
    close: () => client.close(),
  };
}
