/** A load balancer that does what the scaffolded Caddyfile configures: turns, health checks, another try, one header. */
import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** What a Caddyfile configures. */
export interface BalancerConfig {
  /** Names with ports. */
  readonly upstreams: readonly string[];
  readonly healthPath: string;
  readonly healthMs: number;
  /** How long a request may wait for an instance that can be reached. */
  readonly tryMs: number;
  /** The header with the address of the client. */
  readonly addressHeader: string;
}

/** @throws Error if the file lacks one of them. */
export function readCaddyfile(text: string): BalancerConfig {
  const find = (pattern: RegExp): string => {
    const [, found] = pattern.exec(text) ?? [];
    if (found === undefined) throw new Error(`the Caddyfile has nothing that matches ${String(pattern)}`);
    return found;
  };
  find(/lb_policy (round_robin)$/m);
  return {
    upstreams: find(/reverse_proxy (.*) \{$/m).split(' '),
    healthPath: find(/health_uri (\S+)$/m),
    healthMs: Number(find(/health_interval (\d+)s$/m)) * 1000,
    tryMs: Number(find(/lb_try_duration (\d+)s$/m)) * 1000,
    addressHeader: find(/header_up (\S+) \{remote_host\}$/m).toLowerCase(),
  };
}

interface Upstream {
  /** Undefined while no instance has this name. */
  port: number | undefined;
  isHealthy: boolean;
  posts: number;
}

/** A running load balancer. */
export class Balancer {
  readonly #config: BalancerConfig;
  readonly #upstreams: ReadonlyMap<string, Upstream>;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #checks: ReturnType<typeof setInterval>;
  #turn = 0;

  constructor(config: BalancerConfig) {
    this.#config = config;
    this.#upstreams = new Map(config.upstreams.map((name) => [name, { port: undefined, isHealthy: false, posts: 0 }]));
    this.#server = createServer((incoming, outgoing) => {
      this.#forward(incoming, outgoing).catch(() => {
        outgoing.destroy();
      });
    });
    this.#checks = setInterval(() => void this.#checkAll(), config.healthMs);
  }

  async listen(): Promise<URL> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`);
  }

  /** Names the instance at a port, which gets requests when it is ready. */
  async setPort(name: string, port: number): Promise<void> {
    const upstream = this.#upstreams.get(name);
    if (upstream === undefined) throw new Error(`the Caddyfile has no upstream ${name}`);
    upstream.port = port;
    await this.#check(upstream);
  }

  /** How many messages of clients each name got. */
  get posts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#upstreams].map(([name, { posts }]) => [name, posts]));
  }

  close(): void {
    clearInterval(this.#checks);
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }

  async #checkAll(): Promise<void> {
    await Promise.all([...this.#upstreams.values()].map((upstream) => this.#check(upstream)));
  }

  async #check(upstream: Upstream): Promise<void> {
    if (upstream.port === undefined) return;
    const url = `http://127.0.0.1:${upstream.port}${this.#config.healthPath}`;
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    upstream.isHealthy = ok;
  }

  async #forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const until = Date.now() + this.#config.tryMs;
    while (Date.now() < until) {
      const upstream = this.#next();
      if (upstream !== undefined && (await this.#send(upstream, incoming, outgoing, body))) return;
      await delay(50);
    }
    outgoing.writeHead(503).end();
  }

  #next(): Upstream | undefined {
    const healthy = [...this.#upstreams.values()].filter(({ isHealthy }) => isHealthy);
    this.#turn += 1;
    return healthy[this.#turn % healthy.length];
  }

  /** Returns whether the request reached the instance, and so must not be sent again. */
  #send(upstream: Upstream, incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): Promise<boolean> {
    const { method, url, headers, socket } = incoming;
    return new Promise((resolve) => {
      const sent = request({
        port: upstream.port,
        host: '127.0.0.1',
        agent: this.#agent,
        method,
        path: url,
        headers: { ...headers, [this.#config.addressHeader]: socket.remoteAddress ?? '' },
      });
      sent.on('response', (response) => {
        if (method === 'POST') upstream.posts += 1;
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        outgoing.flushHeaders();
        response.pipe(outgoing);
        response.on('error', () => outgoing.destroy());
        resolve(true);
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') {
          resolve(false);
          return;
        }
        if (outgoing.headersSent) outgoing.destroy();
        else outgoing.writeHead(502).end();
        resolve(true);
      });
      outgoing.on('close', () => sent.destroy());
      sent.end(body);
    });
  }
}
