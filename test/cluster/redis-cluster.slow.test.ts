import { createCluster } from 'redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clusterChecks } from '../../generated/runtime/cluster-check.js';
import { redisCluster } from '../../generated/runtime/http-redis.js';
import { redisTaskStore } from '../../generated/runtime/tasks-redis.js';
import { taskStoreChecks } from '../../generated/runtime/task-store-check.js';
import { REDIS_MISSING, startRedisCluster, type RedisServer } from '../support/redis.js';
import { describeUnless } from '../support/skip.js';

const LIMIT = { maxTasks: 40 };

describeUnless(REDIS_MISSING)('on a Redis Cluster of three nodes', () => {
  let nodes: readonly RedisServer[] = [];
  let client: Awaited<ReturnType<typeof connect>>;
  beforeAll(async () => {
    nodes = await startRedisCluster();
    client = await connect(nodes);
  });
  afterAll(async () => {
    client.destroy();
    await Promise.all(nodes.map((node) => node.stop()));
  });

  let prefixes = 0;
  const prefix = (): string => `t${(prefixes += 1)}:`;

  describe('redisCluster keeps all rules, with encryption', () => {
    const open = () => {
      const encryptionKeys = [new Uint8Array(32).fill(1)];
      const options = { prefix: prefix(), timeoutMs: 5000, encryptionKeys };
      const share = () => redisCluster(client, options);
      return { cluster: share(), reopen: share };
    };
    test.concurrent.each(clusterChecks(open, { timeUnit: 500 }))('$name', async ({ run }) => run());
  });

  describe('redisTaskStore keeps all rules', () => {
    const open = () => {
      const options = { ...LIMIT, prefix: prefix() };
      const share = () => redisTaskStore(client, options);
      return { store: share(), reopen: share };
    };
    test.each(taskStoreChecks(open, LIMIT))('$name', async ({ run }) => run());
  });

  test('spreads keys over the nodes, each with an expiry', async () => {
    for (const node of nodes) {
      const keys = (await node.cli('keys', '*')).split('\n');
      expect(keys.length).toBeGreaterThan(5);
      const lives = await node.cli(
        'eval',
        "local lives = {} for _, key in ipairs(redis.call('KEYS', '*')) do table.insert(lives, redis.call('PTTL', key)) end return lives",
        '0',
      );
      expect(lives.split('\n').filter((life) => Number(life) <= 0)).toEqual([]);
    }
  });
});

async function connect(nodes: readonly RedisServer[]) {
  const cluster = createCluster({ rootNodes: nodes.map(({ url }) => ({ url })) });
  cluster.on('error', () => undefined);
  await cluster.connect();
  return cluster;
}
