export { redisTaskStore } from "./redis/task-store.js";
export { RedisStoreError } from "./redis/client.js";
export type { RedisTaskStoreOptions } from "./redis/task-store.js";
export type { RedisValueOptions } from "./redis/cipher.js";
export type {
  AnyRedisClient,
  RedisClient,
  RedisClusterClient,
  RedisCommandOptions,
  RedisFailure,
} from "./redis/client.js";
