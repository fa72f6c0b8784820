/**
 * What each call of a cluster and a task store costs in Redis: commands and bytes for each call, and memory of what is
 * stored. Starts a redis-server: `npx tsx test/bench/redis.ts`.
 */
import { createClient } from 'redis';
import { redisCluster, type RedisClient } from '../../generated/runtime/http-redis.js';
import { redisTaskStore } from '../../generated/runtime/tasks-redis.js';
import { startRedis } from '../support/redis.js';

const ROUNDS = 500;
const LIFE = 600_000;
const STATE = JSON.stringify({ revision: '2025-11-25', padding: 'x'.repeat(460) });
const EVENT = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'x'.repeat(430) }] } });

const server = await startRedis();
const client = createClient({ url: server.url });
client.on('error', console.error);
await client.connect();
let sent = 0;
/** Counts commands; those within a script are part of it, and those of a reader's connection are not counted. */
const counted: RedisClient = {
  sendCommand: (args, options) => {
    sent += 1;
    return client.sendCommand(args, options);
  },
  duplicate: () => client.duplicate(),
  connect: () => client.connect(),
  on: (event, listener) => client.on(event, listener),
  destroy: () => {
    client.destroy();
  },
};

for (const encryptionKeys of [[], [new Uint8Array(32).fill(1)]]) {
  await client.flushAll();
  console.log(encryptionKeys.length === 0 ? '\nnot encrypted' : '\nencrypted');
  console.log(`states of ${STATE.length} and events and messages of ${EVENT.length} bytes`);
  const cluster = redisCluster(counted, { encryptionKeys });
  const tasks = redisTaskStore(counted, { encryptionKeys });
  const { sessions, events, mailbox } = cluster;
  const session = (n: number, version = 1) => {
    const principal = `user${n % 100}`;
    return {
      id: `00000000-0000-4000-8000-${n}`,
      version,
      owner: 'owner-address',
      generation: 1,
      principal,
      state: STATE,
    };
  };
  const event = (sequence: number) => ({ generation: 1, sequence, data: EVENT });
  const id = (n: number): string => session(n).id;
  let received = 0;
  await mailbox.open('receiver', LIFE, () => (received += 1));

  const calls: readonly (readonly [string, (n: number) => unknown])[] = [
    ['sessions.create', (n) => sessions.create(session(n), LIFE)],
    ['sessions.get', (n) => sessions.get(id(n))],
    ['sessions.replace', (n) => sessions.replace(session(n, 2), LIFE)],
    ['sessions.extend', (n) => sessions.extend(id(n), 'owner-address', LIFE)],
    ['sessions.usage', (n) => sessions.usage(`user${n % 100}`)],
    ['events.append, 1', (n) => events.append(id(n), [event(1)], LIFE)],
    [
      'events.append, 10',
      (n) =>
        events.append(
          id(n),
          Array.from({ length: 10 }, (_, k) => event(k + 2)),
          LIFE,
        ),
    ],
    ['events.read, 11', (n) => events.read(id(n), undefined, 100)],
    ['events.trim', (n) => events.trim(id(n), event(2))],
    ['events.extend', (n) => events.extend(id(n), LIFE)],
    ['events.delete', (n) => events.delete(id(n))],
    ['mailbox.send, received', () => mailbox.send('receiver', EVENT)],
    ['mailbox.renew', () => mailbox.renew('receiver', LIFE)],
    ['mailbox.isOpen', () => mailbox.isOpen('receiver')],
    ['mailbox.list', () => mailbox.list()],
    ['sessions.delete', (n) => sessions.delete(id(n))],
    ['tasks.create', (n) => tasks.create(task(n, 1))],
    ['tasks.get', (n) => tasks.get(`task-${n}`)],
    ['tasks.replace', (n) => tasks.replace(task(n, 2))],
    ['tasks.heartbeat', (n) => tasks.heartbeat('owner', n + 1000, n)],
    ['tasks.changes', () => tasks.changes(undefined, 10)],
  ];
  console.log('call'.padEnd(26), 'commands', 'bytes in', 'bytes out', 'ms (one at a time)');
  for (const [name, call] of calls) {
    await call(0);
    const before = await usage();
    const start = performance.now();
    for (let n = 1; n <= ROUNDS; n += 1) await call(n);
    const ms = (performance.now() - start) / ROUNDS;
    while (name.includes('received') && received <= ROUNDS) await new Promise((resolve) => setTimeout(resolve, 5));
    const after = await usage();
    const per = (member: keyof typeof after): string => ((after[member] - before[member]) / ROUNDS).toFixed(1);
    console.log(
      name.padEnd(26),
      per('commands').padStart(8),
      per('input').padStart(8),
      per('output').padStart(9),
      ms.toFixed(2),
    );
    if (name === 'events.append, 10') await memory();
  }
  await memory();
  console.log(await commands());
  await client.configResetStat();
  await cluster.close();
}
client.destroy();
await server.stop();

function task(n: number, version: number) {
  const members = { status: 'working', createdAt: n, updatedAt: n, expiresAt: Date.now() + LIFE } as const;
  const made = { revision: '2026-07-28', client: { info: undefined, capabilities: {} }, pollIntervalMs: 1000 };
  return {
    ...{
      id: `task-${n}`,
      version,
      principal: 'user',
      owner: 'owner',
      attempt: 1,
      tool: 'x',
      arguments: {},
      inputs: {},
    },
    ...members,
    ...made,
  };
}

/** What was sent and received so far; the figures of this command itself are small. */
async function usage(): Promise<{ readonly commands: number; readonly input: number; readonly output: number }> {
  const stats = await client.info('stats');
  const number = (name: string): number => Number(new RegExp(`${name}:(\\d+)`, 'u').exec(stats)?.[1]);
  return { commands: sent, input: number('total_net_input_bytes'), output: number('total_net_output_bytes') };
}

/** Memory of each kind of key. */
async function memory(): Promise<void> {
  const kinds = new Map<string, { count: number; bytes: number }>();
  for (const key of await client.keys('*')) {
    const kind = key.replace(/\{(?!tasks).*/u, '').replace(/task-.*/u, '');
    const sum = kinds.get(kind) ?? { count: 0, bytes: 0 };
    sum.count += 1;
    sum.bytes += (await client.memoryUsage(key, { SAMPLES: 0 })) ?? 0;
    kinds.set(kind, sum);
  }
  for (const [kind, { count, bytes }] of kinds)
    console.log(' ', kind.padEnd(24), count, 'keys', Math.round(bytes / count), 'bytes each');
}

async function commands(): Promise<string> {
  const stats = (await client.info('commandstats')).matchAll(
    /cmdstat_(\w+).*?:calls=(\d+),usec=\d+,usec_per_call=([\d.]+)/gu,
  );
  return [...stats].map(([, name = '', calls = '', usec = '']) => `${name} ${calls} × ${usec} µs`).join(', ');
}
