import { createClient } from 'redis';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { redisTaskStore } from '../../generated/runtime/tasks-redis.js';
import { taskStoreChecks } from '../../generated/runtime/task-store-check.js';
import { REDIS_MISSING, startRedis, type RedisServer } from '../support/redis.js';
import { describeUnless } from '../support/skip.js';

const LIMIT = { maxTasks: 40 };

describeUnless(REDIS_MISSING)('redisTaskStore', () => {
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
  const open = () => {
    const prefix = `t${(prefixes += 1)}:`;
    const connect = () => redisTaskStore(client, { ...LIMIT, prefix });
    return { store: connect(), reopen: connect };
  };

  describe('keeps all rules', () => {
    test.each(taskStoreChecks(open, LIMIT))('$name', async ({ run }) => run());
  });
});
