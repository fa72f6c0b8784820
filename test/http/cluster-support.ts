/** Several processes of a cluster, in one: handlers that share what processes would, and a client that meets any of them. */
import { afterEach } from 'vitest';
import {
  createHttpHandler,
  joinCluster,
  memoryCluster,
  type Cluster,
  type ClusterLimits,
  type HttpEvent,
  type HttpHandler,
  type HttpHandlerOptions,
} from '../../generated/runtime/http-server.js';
import {
  fixtureServer,
  initialize,
  post,
  request,
  send,
  ACCEPT_BOTH,
  type Headers,
  type Recorded,
} from './server-support.js';

/** Short, so that a dead process is noticed within a test; where none dies, a busy machine needs a longer one. */
export const LEASE = 1000;
export const SHORT_LEASE = { clusterLimits: { lease: LEASE } };

/** A handler as if it were another process. */
export interface Process {
  readonly handler: HttpHandler;
  readonly server: ReturnType<typeof fixtureServer>;
  readonly seen: Recorded;
  readonly events: HttpEvent[];
  /** Whether it reaches the others. `pause` also keeps what is sent to it until `resume`. */
  readonly link: Link;
}

/** The connection of a process to what all share. */
export class Link {
  /** Everything fails, as if the process had been killed: nothing arrives, and nothing leaves it. */
  isDead = false;
  readonly #addresses: string[] = [];
  #shared: Cluster | undefined;

  /** Kills the process, and lets its lease run out at once. */
  async die(): Promise<void> {
    this.isDead = true;
    await this.expire();
  }

  /** Lets the lease of the process run out at once. */
  async expire(): Promise<void> {
    for (const address of this.#addresses) await this.#shared?.mailbox.close(address);
  }

  /** What happens before each operation. */
  before: (operation: string) => Promise<void> | void = () => undefined;

  wrap(shared: Cluster): Cluster {
    this.#shared = shared;
    const part = <T extends object>(name: string, target: T): T =>
      new Proxy(target, {
        get: (object, member) => {
          const method = Reflect.get(object, member) as (...args: unknown[]) => unknown;
          return async (...args: unknown[]) => {
            await this.before(`${name}.${String(member)}`);
            if (this.isDead) return new Promise(() => undefined);
            if (member === 'open') {
              this.#addresses.push(String(args[0]));
              const receive = args[2] as (message: string) => void;
              args[2] = (message: string) => {
                if (!this.isDead) receive(message);
              };
            }
            return method.apply(object, args);
          };
        },
      });
    return {
      sessions: part('sessions', shared.sessions),
      events: part('events', shared.events),
      mailbox: part('mailbox', shared.mailbox),
      close: () => shared.close(),
    };
  }
}

type Mailbox = Cluster['mailbox'];

/** A cluster with another method of its mailbox, which is given the original one. */
export function withMailboxMethod<Name extends keyof Mailbox>(
  shared: Cluster,
  name: Name,
  replace: (original: Mailbox[Name]) => Mailbox[Name],
): Cluster {
  const mailbox = new Proxy(shared.mailbox, {
    get: (target, member) => {
      const method = (Reflect.get(target, member) as (...args: unknown[]) => unknown).bind(target);
      return member === name ? replace(method as Mailbox[Name]) : method;
    },
  });
  return { ...shared, mailbox };
}

const started: HttpHandler[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((handler) => handler.close()));
});

export interface FleetOptions extends Partial<HttpHandlerOptions> {
  readonly shared?: Cluster;
  readonly clusterLimits?: ClusterLimits;
  readonly servers?: (seen: Recorded) => ReturnType<typeof fixtureServer>;
}

/** Starts three processes that share a cluster. */
export function startProcesses({
  shared = memoryCluster(),
  clusterLimits = { lease: 10 * LEASE },
  servers,
  ...options
}: FleetOptions = {}): Processes {
  return Array.from({ length: 3 }, () => {
    const seen: Recorded = { aborted: [] };
    const server = servers?.(seen) ?? fixtureServer(seen);
    const events: HttpEvent[] = [];
    const link = new Link();
    const handler = createHttpHandler({
      server,
      cluster: joinCluster(link.wrap(shared), clusterLimits),
      onEvent: (event) => events.push(event),
      ...options,
    });
    started.push(handler);
    return { handler, server, seen, events, link };
  }) as unknown as Processes;
}

/** One of several processes; there is always one with the index. */
export type Processes = Process[] & { readonly 0: Process; readonly 1: Process; readonly 2: Process };

/** Opens a session in a process; then each request goes to the process that it names. */
export async function openAt({ handler }: Process, options: Parameters<typeof initialize>[1] = {}) {
  const { id, opened, own } = await initialize(handler, options);
  return {
    id,
    opened,
    headers: own,
    postTo: (process: Process, body: unknown, more: Headers = {}) => post(process.handler, body, { ...own, ...more }),
    callAt: (process: Process, callId: number, name: string, args?: object, more: Headers = {}) =>
      post(
        process.handler,
        request(callId, 'tools/call', { name, arguments: args, _meta: { progressToken: callId } }),
        {
          ...own,
          ...more,
        },
      ),
    getFrom: (process: Process, more: Headers = {}) =>
      send(process.handler, 'GET', { accept: 'text/event-stream', ...own, ...more }),
    deleteAt: (process: Process) => send(process.handler, 'DELETE', { accept: ACCEPT_BOTH, ...own }),
  };
}

export const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };
