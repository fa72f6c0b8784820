export { redisCluster } from "./redis/cluster.js";
export { RedisStoreError } from "./redis/client.js";
export type { RedisClusterOptions } from "./redis/cluster.js";
export type { RedisValueOptions } from "./redis/cipher.js";
export type {
  AnyRedisClient,
  RedisClient,
  RedisClusterClient,
  RedisCommandOptions,
  RedisFailure,
} from "./redis/client.js";
