/** What the stores in Redis share. */
import type { RedisCipher } from "./cipher.js";
import { RedisScript } from "./client.js";
import type { RedisConnection } from "./client.js";
import type { RedisKeys } from "./keys.js";

/** What all stores of a cluster use. */
export interface RedisContext {
  readonly connection: RedisConnection;
  readonly keys: RedisKeys;
  readonly cipher: RedisCipher;
  /** Receives errors of what happens without a caller. */
  readonly onError: (error: Error) => void;
}

/** The clock of the same server adds and removes entries of an index. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** Adds an entry that expires, to a sorted set that expires with its last one. */
export const INDEX_ADD: RedisScript = new RedisScript(`${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[2])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return 1
`);

/** Returns how many entries there are. */
export const INDEX_COUNT: RedisScript = new RedisScript(`${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
return redis.call('ZCARD', KEYS[1])
`);

/** Returns the entries. */
export const INDEX_LIST: RedisScript = new RedisScript(`${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
return redis.call('ZRANGE', KEYS[1], 0, -1)
`);
