import { createClient } from 'redis';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clusterChecks } from '../../generated/runtime/cluster-check.js';
import type { Cluster, LoggedEvent, SessionRecord } from '../../generated/runtime/cluster/types.js';
import { redisCluster, type RedisClusterOptions } from '../../generated/runtime/http-redis.js';
import type { TaskRecord } from '../../generated/runtime/tasks.js';
import { redisTaskStore } from '../../generated/runtime/tasks-redis.js';
import { REDIS_MISSING, startRedis, type RedisServer } from '../support/redis.js';
import { describeUnless } from '../support/skip.js';
import { startTcpProxy } from '../support/tcp-proxy.js';

const KEY = new Uint8Array(32).fill(1);
const NEW_KEY = new Uint8Array(32).fill(2);
const LONG = 60_000;

describeUnless(REDIS_MISSING)('redisCluster', () => {
  let server: RedisServer;
  let client: Awaited<ReturnType<typeof connect>>;
  beforeAll(async () => {
    server = await startRedis();
    client = await connect(server.port);
  });
  afterAll(async () => {
    client.destroy();
    await server.stop();
  });

  let prefixes = 0;
  const open = (options: RedisClusterOptions = {}) => {
    const prefix = `t${(prefixes += 1)}:`;
    const share = () => redisCluster(client, { prefix, ...options });
    return { cluster: share(), reopen: share, prefix };
  };

  describe('keeps all rules', () => {
    test.concurrent.each(clusterChecks(open, { timeUnit: 400 }))('$name', async ({ run }) => run());
  });

  /** All that is stored under a prefix, with the names of keys. */
  const dump = async (prefix: string): Promise<string> => {
    const texts: unknown[] = [];
    for (const key of await client.keys(`${prefix}*`)) {
      const read = { hash: ['HGETALL', key], stream: ['XRANGE', key, '-', '+'], zset: ['ZRANGE', key, '0', '-1'] };
      const kind = await client.type(key);
      texts.push(key, await client.sendCommand(kind in read ? read[kind as keyof typeof read] : ['GET', key]));
    }
    return JSON.stringify(texts);
  };

  test('gives every key an expiry', async () => {
    const { cluster, prefix } = open();
    await fill(cluster);
    const keys = await client.keys(`${prefix}*`);
    expect(keys.map((key) => key.replace(/\{.*/u, '')).sort()).toEqual([
      `${prefix}events:`,
      `${prefix}mail:`,
      `${prefix}mailbox:`,
      `${prefix}mailboxes`,
      `${prefix}session:`,
      `${prefix}sessions`,
      `${prefix}sessions:`,
    ]);
    // Those of all other tests too: -1 means that a key does not expire, -2 that it has in the meantime.
    for (const key of await client.keys('*')) expect([key, await client.pTTL(key)]).not.toEqual([key, -1]);
    await cluster.close();
  });

  test('keeps the keys of a session, and those of a mailbox, in one slot each', async () => {
    const { cluster, prefix } = open();
    await fill(cluster);
    const tags = async (...kinds: string[]) => {
      const found = await Promise.all(kinds.map((kind) => client.keys(`${prefix}${kind}:*`)));
      return new Set(found.flat().map((key) => /\{(.+)\}$/u.exec(key)?.[1]));
    };
    expect((await tags('session', 'events')).size).toBe(1);
    expect((await tags('mailbox', 'mail')).size).toBe(1);
    await cluster.close();
  });

  test('stores nothing readable with encryption, and replaces keys', async () => {
    const { cluster, prefix } = open({ encryptionKeys: [KEY] });
    await fill(cluster);
    const tasks = redisTaskStore(client, { prefix, encryptionKeys: [KEY] });
    await tasks.create(task('t1'));
    expect(await dump(prefix)).not.toMatch(/secret|alice/u);
    const plain = open();
    await fill(plain.cluster);
    expect(await dump(plain.prefix)).toMatch(/secret/u);

    const reopened = (...encryptionKeys: Uint8Array[]) => redisCluster(client, { prefix, encryptionKeys });
    const rotated = reopened(NEW_KEY, KEY);
    expect((await rotated.sessions.get('s1'))?.state).toBe('secret state');
    expect((await rotated.events.read('s1', undefined, 9))[0]?.data).toBe('secret event');
    await rotated.sessions.replace(session('s1', { version: 2 }), LONG);
    expect((await reopened(NEW_KEY).sessions.get('s1'))?.version).toBe(2);
    const wrong = 'A value in Redis was encrypted with none of the encryptionKeys';
    await expect(reopened(KEY).sessions.get('s1')).rejects.toThrow(wrong);
    await expect(reopened(NEW_KEY).events.read('s1', undefined, 9)).rejects.toThrow(wrong);
    await expect(
      Promise.resolve(redisTaskStore(client, { prefix, encryptionKeys: [NEW_KEY] }).get('t1')),
    ).rejects.toThrow(wrong);
    await expect(reopened().sessions.get('s1')).rejects.toThrow('is encrypted, but there are no encryptionKeys');
    await expect(
      redisCluster(client, { prefix: plain.prefix, encryptionKeys: [KEY] }).sessions.get('s1'),
    ).rejects.toThrow('is not encrypted, but there are encryptionKeys');
    expect(() => reopened(new Uint8Array(16))).toThrow('each of the encryptionKeys must have 32 bytes');
    await cluster.close();
    await plain.cluster.close();
  });

  test('rejects encrypted values that were moved', async () => {
    const { cluster, prefix } = open({ encryptionKeys: [KEY] });
    await cluster.sessions.create(session('a'), LONG);
    await cluster.sessions.create(session('b', { state: 'other' }), LONG);
    const [first = '', second = ''] = await client.keys(`${prefix}session:*`);
    await client.hSet(first, 'd', (await client.hGet(second, 'd')) ?? '');
    const outcomes = await Promise.allSettled([cluster.sessions.get('a'), cluster.sessions.get('b')]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    // Nor by another version of the same session.
    await client.hSet(second, 'v', '7');
    await expect(cluster.sessions.get('a')).rejects.toThrow('was changed, or moved');
    await expect(cluster.sessions.get('b')).rejects.toThrow('was changed, or moved');
  });

  test('limits values and mailboxes', async () => {
    const received: string[] = [];
    const { cluster } = open({ maxValueBytes: 100, maxMailboxMessages: 3, maxEvents: 5 });
    const large = 'é'.repeat(51);
    const tooLarge = 'of 102 bytes is larger than maxValueBytes (100)';
    await expect(cluster.mailbox.send('m1', large)).rejects.toMatchObject({
      message: `A message ${tooLarge}`,
      isUnsent: true,
    });
    await expect(cluster.events.append('s', [event(1, large)], LONG)).rejects.toThrow(`An event ${tooLarge}`);
    await expect(cluster.sessions.create(session('s', { state: large }), LONG)).rejects.toThrow('A session of');
    // What a reader has not acknowledged fills its mailbox: here one that waits.
    await cluster.mailbox.open('m1', LONG, (message) => received.push(message));
    const sent = await Promise.allSettled(
      Array.from({ length: 10 }, async (_, n) => cluster.mailbox.send('m1', `${n}`)),
    );
    const accepted = sent.flatMap(({ status }, n) => (status === 'fulfilled' ? [`${n}`] : []));
    expect(accepted.length).toBeLessThan(10);
    expect(sent.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { failure: 'full', isUnsent: true, message: 'A mailbox is full: its process does not read fast enough' },
    });
    await until(() => received.length === accepted.length);
    expect(received).toEqual(accepted);
    await until(async () => cluster.mailbox.send('m1', 'again'));
    for (let n = 1; n <= 8; n += 1) await cluster.events.append('s', [event(n)], LONG);
    expect((await cluster.events.read('s', undefined, 9)).map(({ sequence }) => sequence)).toEqual([4, 5, 6, 7, 8]);
    await cluster.close();
  });

  test('loses nothing when the connections of a reader break', async () => {
    const proxy = await startTcpProxy(server.port);
    // Older clients have replies of another form.
    const behind = await connect(proxy.port, 2);
    const { cluster, prefix } = open();
    const received: string[] = [];
    const errors: Error[] = [];
    const reader = redisCluster(behind, { prefix, onError: (error) => errors.push(error) });
    await reader.mailbox.open('m1', LONG, (message) => received.push(message));
    const sent: string[] = [];
    for (let n = 0; n < 60; n += 1) {
      sent.push(`${n}`);
      expect(await cluster.mailbox.send('m1', `${n}`)).toBe(true);
      if (n % 20 === 10) proxy.breakAll();
    }
    await until(() => received.length >= 60);
    await delay(50);
    expect(received).toEqual(sent);
    expect(errors.length).toBeGreaterThan(0);
    await reader.close();
    behind.destroy();
    await proxy.close();
  });

  test('works with a Redis that answers after 200 ms', async () => {
    const proxy = await startTcpProxy(server.port);
    const behind = await connect(proxy.port);
    const { cluster, prefix } = open();
    const slow = redisCluster(behind, { prefix });
    const received: string[] = [];
    await cluster.mailbox.open('m1', LONG, (message) => received.push(message));
    proxy.delayMs = 200;
    const start = performance.now();
    // Messages that wait are sent together.
    await Promise.all(Array.from({ length: 100 }, async (_, n) => slow.mailbox.send('m1', `${n}`)));
    expect(performance.now() - start).toBeLessThan(3000);
    await until(() => received.length === 100);
    expect(received).toEqual(Array.from({ length: 100 }, (_, n) => `${n}`));
    const impatient = redisCluster(behind, { prefix, timeoutMs: 100 });
    await expect(impatient.sessions.get('s1')).rejects.toThrow('Redis did not answer within 100 ms');
    behind.destroy();
    await proxy.close();
    await cluster.close();
  });
});

describeUnless(REDIS_MISSING)('redisCluster when Redis fails', () => {
  test('reports a Redis that is full, and goes on when it has room', async () => {
    const server = await startRedis('--maxmemory', '3mb', '--maxmemory-policy', 'noeviction');
    const client = await connect(server.port);
    const cluster = redisCluster(client, {});
    await cluster.mailbox.open('m1', LONG, () => undefined);
    await cluster.sessions.create(session('s1'), LONG);
    const fillUp = async () => {
      for (let n = 1; n < 200; n += 1) await cluster.events.append('s1', [event(n, 'x'.repeat(100_000))], LONG);
    };
    await expect(fillUp()).rejects.toMatchObject({
      name: 'RedisStoreError',
      failure: 'full',
      message: 'Redis has no memory left (maxmemory)',
    });
    await client.configSet('maxmemory', '1mb');
    await expect(cluster.sessions.create(session('s2'), LONG)).rejects.toThrow('Redis has no memory left');
    // What exists can be read, kept alive and removed.
    expect((await cluster.sessions.get('s1'))?.id).toBe('s1');
    expect(await cluster.mailbox.renew('m1', LONG)).toBe(true);
    await cluster.events.delete('s1');
    await client.configSet('maxmemory', '3mb');
    expect(await cluster.sessions.create(session('s2'), LONG)).toBe(true);
    for (const key of await client.keys('*')) expect(await client.pTTL(key)).toBeGreaterThan(0);
    await cluster.close();
    client.destroy();
    await server.stop();
  });

  test('reports a Redis that stands still or has ended, and recovers without help', async () => {
    const server = await startRedis();
    const client = await connect(server.port);
    const received: string[] = [];
    const cluster = redisCluster(client, { timeoutMs: 300 });
    await cluster.sessions.create(session('s1'), LONG);
    await cluster.mailbox.open('m1', LONG, (message) => received.push(message));

    server.freeze();
    const start = performance.now();
    const calls = [
      cluster.sessions.get('s1'),
      cluster.mailbox.send('m1', 'x'),
      cluster.events.append('s1', [event(1)], LONG),
      cluster.mailbox.list(),
      cluster.mailbox.open('m2', LONG, () => undefined),
    ].map(async (call) => call);
    for (const outcome of await Promise.allSettled(calls))
      expect(outcome).toMatchObject({ reason: { failure: 'timeout', message: 'Redis did not answer within 300 ms' } });
    expect(performance.now() - start).toBeLessThan(1500);
    server.unfreeze();
    await until(async () => (await cluster.sessions.get('s1'))?.id === 's1');
    expect(await cluster.mailbox.send('m1', 'after')).toBe(true);
    await until(() => received.at(-1) === 'after');

    await client.sendCommand(['CLIENT', 'PAUSE', '400', 'ALL']);
    await expect(cluster.sessions.get('s1')).rejects.toThrow('Redis did not answer within 300 ms');
    await until(async () => (await cluster.sessions.get('s1'))?.id === 's1');

    await server.kill();
    await expect(cluster.sessions.get('s1')).rejects.toMatchObject({ name: 'RedisStoreError' });
    await expect(cluster.mailbox.open('m3', LONG, () => undefined)).rejects.toMatchObject({ name: 'RedisStoreError' });
    await server.start();
    await until(async () => (await cluster.sessions.get('s1')) === undefined);
    // Its memory is lost, and with it the lease.
    expect(await cluster.mailbox.renew('m1', LONG)).toBe(false);
    await cluster.mailbox.open('m4', LONG, (message) => received.push(message));
    expect(await cluster.mailbox.send('m4', 'new')).toBe(true);
    await until(() => received.at(-1) === 'new');
    await cluster.close();
    client.destroy();
    await server.stop();
  });
});

async function connect(port: number, RESP: 2 | 3 = 3) {
  const client = createClient({ url: `redis://127.0.0.1:${port}`, RESP });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function fill(cluster: Cluster): Promise<void> {
  await cluster.sessions.create(session('s1'), LONG);
  await cluster.events.append('s1', [event(1, 'secret event')], LONG);
  await cluster.mailbox.open('m1', LONG, () => {
    // Keeps the stream until it is read.
  });
  await cluster.mailbox.send('m1', 'secret message');
}

function session(id: string, members: Partial<SessionRecord> = {}): SessionRecord {
  return { id, version: 1, owner: 'p', generation: 1, principal: 'alice', state: 'secret state', ...members };
}

function event(sequence: number, data = '{}'): LoggedEvent {
  return { generation: 1, sequence, data };
}

/** Waits until something holds; what throws does not hold yet. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (
      await Promise.resolve()
        .then(holds)
        .catch(() => false)
    )
      return;
    await delay(20);
  }
  throw new Error('it did not happen within 10 s');
}

function task(id: string): TaskRecord {
  return {
    id,
    version: 1,
    principal: 'alice',
    owner: 'p',
    attempt: 1,
    tool: 'secret tool',
    arguments: {},
    revision: '2026-07-28',
    client: { info: undefined, capabilities: {} },
    status: 'working',
    createdAt: Date.now(),
    updatedAt: Date.now(),
    expiresAt: null,
    pollIntervalMs: 1000,
    inputs: {},
  };
}
