import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clusterChecks } from '../../generated/runtime/cluster-check.js';
import { redisCluster, type RedisClient, type RedisClusterOptions } from '../../generated/runtime/http-redis.js';
import { REDIS_MISSING, startRedis, type RedisServer } from '../support/redis.js';

describe.skipIf(REDIS_MISSING !== undefined)('redisCluster', () => {
  let server: RedisServer;
  let client: ReturnType<typeof createClient>;
  beforeAll(async () => {
    server = await startRedis();
    client = createClient({ url: server.url });
    client.on('error', () => undefined);
    await client.connect();
  });
  afterAll(async () => {
    client.destroy();
    await server.stop();
  });

  let prefixes = 0;
  const open = (options: RedisClusterOptions = {}) => {
    const prefix = `t${(prefixes += 1)}:`;
    const connect = () => redisCluster(client, { prefix, ...options });
    return { cluster: connect(), reopen: connect };
  };

  describe('keeps all rules', () => {
    test.concurrent.each(clusterChecks(open, { timeUnit: 400 }))('$name', async ({ run }) => run());
  });

  test('accepts the clients of the package', () => {
    const accepted: RedisClient = client;
    expect(accepted).toBe(client);
  });
});
