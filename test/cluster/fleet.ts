/** A fleet: processes of one program that share a Redis, behind a load balancer without sticky sessions. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { startRedis, type RedisServer } from '../support/redis.js';
import { startBalancer, type Balancer } from './balancer.js';

const START_TIMEOUT_MS = 30_000;

/** What a program of a fleet finds in the variable `MCPGEN_FLEET`, as JSON. */
export interface FleetSettings {
  /** Undefined: sessions stay in memory. */
  readonly redisUrl?: string | undefined;
  readonly lease?: number | undefined;
  readonly timeout?: number | undefined;
  /** 0 for a free one. */
  readonly port?: number | undefined;
  /** Whether it ends when its input does: when the process that started it is gone. */
  readonly endsWithInput?: boolean | undefined;
}

export interface FleetOptions extends Pick<FleetSettings, 'lease' | 'timeout'> {
  /** The server, a TypeScript program that prints its URL. */
  readonly program: string;
  readonly processes?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Where the processes find Redis, if not at its own port. */
  readonly redisUrl?: (redis: RedisServer) => Promise<string>;
}

/** One process, which may end and start again at the same port. */
export class Member {
  readonly #program: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #settings: FleetSettings;
  #child: ChildProcess | undefined;
  port = 0;

  constructor(program: string, settings: FleetSettings, env: NodeJS.ProcessEnv) {
    this.#program = program;
    this.#settings = settings;
    this.#env = env;
  }

  get isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  async start(): Promise<void> {
    const settings: FleetSettings = { ...this.#settings, port: this.port, endsWithInput: true };
    const child = spawn(process.execPath, ['--enable-source-maps', this.#program], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...this.#env, MCPGEN_FLEET: JSON.stringify(settings) },
    });
    this.#child = child;
    const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
    for await (const line of createInterface({ input: child.stdout })) {
      clearTimeout(timer);
      this.port = Number(new URL(line).port);
      return;
    }
    clearTimeout(timer);
    throw new Error(`a process of the fleet ended with ${String(child.exitCode ?? child.signalCode)}`);
  }

  /** Ends it at once. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Stops it for some milliseconds, as a machine that is suspended; then it goes on as if nothing had happened. */
  async freeze(ms: number): Promise<void> {
    this.#child?.kill('SIGSTOP');
    await delay(ms);
    this.#child?.kill('SIGCONT');
  }

  /** Asks it to drain. Resolves when it has ended. */
  async terminate(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}

/** A running fleet. */
export interface Fleet {
  readonly redis: RedisServer;
  readonly members: readonly Member[];
  readonly balancer: Balancer;
  /** The URL of the load balancer. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts Redis, three processes and the load balancer. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'fleet-'));
  const redis = await startRedis();
  const redisUrl = (await options.redisUrl?.(redis)) ?? redis.url;
  const program = await bundledProgram(options.program, folder);
  const members = Array.from(
    { length: options.processes ?? 3 },
    () => new Member(program, { redisUrl, lease: options.lease, timeout: options.timeout }, options.env ?? {}),
  );
  const stop = async (): Promise<void> => {
    await Promise.all(members.map((member) => member.kill()));
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(members.map((member) => member.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  const balancer = await startBalancer(() => members.map(({ port }) => port));
  return {
    redis,
    members,
    balancer,
    url: `http://127.0.0.1:${balancer.port}/mcp`,
    stop: async () => {
      await balancer.close();
      await stop();
    },
  };
}

/** Bundles a program with what it imports into a folder. Returns the file. */
export async function bundledProgram(program: string, folder: string): Promise<string> {
  const outfile = path.join(folder, path.basename(program).replace(/\.ts$/, '.mjs'));
  await build({
    entryPoints: [program],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'linked',
    logLevel: 'error',
    // Some packages are CommonJS and ask for what Node has.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outfile;
}
