/** Redis servers for tests, each on a free port of this machine, with an empty folder. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './free-port.js';

const PROGRAM = '/usr/bin/redis-server';

/** Why there is no Redis to test with; undefined if there is. */
export const REDIS_MISSING = isExecutable(PROGRAM)
  ? undefined
  : `${PROGRAM} is missing (Debian: apt-get install redis-server)`;
if (REDIS_MISSING !== undefined) console.warn(`Skipped tests with Redis: ${REDIS_MISSING}`);

/** A running server. */
export class RedisServer {
  readonly port: number;
  readonly #folder: string;
  readonly #args: readonly string[];
  #process: ChildProcess | undefined;

  constructor(port: number, args: readonly string[]) {
    this.port = port;
    this.#folder = mkdtempSync(path.join(os.tmpdir(), 'redis-'));
    this.#args = args;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const child = spawn(
      PROGRAM,
      [
        ...['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder],
        ...['--save', '', '--appendonly', 'no', ...this.#args],
      ],
      { stdio: 'ignore' },
    );
    this.#process = child;
    for (let tries = 0; tries < 500; tries += 1) {
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
      if (await answers(this.port)) return;
      await delay(10);
    }
    throw new Error('redis-server did not start');
  }

  /** Stops the process at once, as if it crashed: what it had in memory is lost. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await ended;
  }

  /** Lets the process stand still, with open connections. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  unfreeze(): void {
    this.#process?.kill('SIGCONT');
  }

  /** Runs a command with redis-cli. Returns what it prints: a value that does not exist is an empty line. */
  async cli(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('/usr/bin/redis-cli', ['-p', String(this.port), ...args], {
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout.replace(/\n$/u, '');
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Starts a server; `args` are those of redis-server. */
export async function startRedis(...args: string[]): Promise<RedisServer> {
  const server = new RedisServer(await freePort(), args);
  await server.start();
  return server;
}

/** Starts a Redis Cluster of three nodes without replicas, and waits until all of them know it. */
export async function startRedisCluster(): Promise<readonly RedisServer[]> {
  // A node also listens on its port + 10000 by default, which may be too high.
  const nodes: RedisServer[] = [];
  for (let index = 0; index < 3; index += 1)
    nodes.push(
      await startRedis(
        ...['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf'],
        ...['--cluster-node-timeout', '2000', '--cluster-port', String(await freePort())],
      ),
    );
  const [first, ...others] = nodes;
  if (first === undefined) throw new Error('no nodes');
  await Promise.all(
    nodes.map((node, index) =>
      node.cli('cluster', 'addslotsrange', String(index * 5462), String(Math.min(16_383, index * 5462 + 5461))),
    ),
  );
  for (const node of others) {
    const bus = /cport=(\d+)|@(\d+)/u.exec(await node.cli('cluster', 'nodes'));
    await first.cli('cluster', 'meet', '127.0.0.1', String(node.port), bus?.[1] ?? bus?.[2] ?? '');
  }
  for (let tries = 0; tries < 300; tries += 1) {
    const infos = await Promise.all(nodes.map((node) => node.cli('cluster', 'info')));
    if (infos.every((info) => info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3')))
      return nodes;
    await delay(50);
  }
  throw new Error('the Redis Cluster did not form');
}

async function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const end = (result: boolean): void => {
      socket.destroy();
      resolve(result);
    };
    socket.once('data', (data) => {
      end(String(data).startsWith('+PONG'));
    });
    socket.once('error', () => {
      end(false);
    });
  });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
