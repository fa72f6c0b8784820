/** A cluster of processes that share sessions in Redis. */
import type { Cluster } from "../cluster/types.js";
import { checkPositive } from "./options.js";
import { RedisCipher } from "./cipher.js";
import type { RedisValueOptions } from "./cipher.js";
import { RedisConnection } from "./client.js";
import type { AnyRedisClient } from "./client.js";
import { RedisEventLog } from "./events.js";
import { RedisKeys } from "./keys.js";
import { RedisMailbox } from "./mailbox.js";
import { RedisSessionStore } from "./sessions.js";
import type { RedisContext } from "./context.js";

/** Options of {@link redisCluster}. */
export interface RedisClusterOptions extends RedisValueOptions {
  /** What the names of all keys begin with; `mcp:` by default. Without braces. */
  readonly prefix?: string | undefined;
  /** Milliseconds after which an operation fails if Redis does not answer; 2000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Maximum of events in the log of a session, beyond which the oldest are removed; 10,000 by default. */
  readonly maxEvents?: number | undefined;
  /** Maximum of bytes in a mailbox that its process has not received; 64 MiB by default. */
  readonly maxMailboxBytes?: number | undefined;
  /** Maximum of messages in a mailbox that its process has not received; 10,000 by default. */
  readonly maxMailboxMessages?: number | undefined;
  /**
   * Receives errors of what happens without a caller: reading a mailbox, and counting sessions. What broke is repaired
   * without your help.
   */
  readonly onError?: ((error: Error) => void) | undefined;
}

/**
 * Shares sessions over Redis 6.2 or later, or Valkey, alone or as a cluster:
 *
 *     import { createClient } from "redis";
 *     const client = createClient({ url, pingInterval: 1000, socket: { socketTimeout: 5000 } });
 *     client.on("error", console.error);
 *     await client.connect();
 *     const cluster = redisCluster(client);
 *
 * The client remains yours: it is closed by whoever opened it, after `close` of the cluster. To receive messages, one more
 * connection is opened with the same options. Every key expires.
 *
 * Redis must not evict keys (`maxmemory-policy noeviction`).
 *
 * @throws RangeError if an option is out of range.
 */
export function redisCluster(
  client: AnyRedisClient,
  options: RedisClusterOptions = {},
): Cluster {
  const {
    timeoutMs = 2000,
    maxEvents = 10_000,
    maxMailboxBytes: maxBytes = 64 * 1024 * 1024,
    maxMailboxMessages: maxMessages = 10_000,
    onError = () => undefined,
  } = options;
  checkPositive("timeoutMs", timeoutMs);
  checkPositive("maxEvents", maxEvents);
  checkPositive("maxMailboxBytes", maxBytes);
  checkPositive("maxMailboxMessages", maxMessages);
  const context: RedisContext = {
    connection: new RedisConnection(client, timeoutMs),
    keys: new RedisKeys(options.prefix),
    cipher: new RedisCipher(options),
    onError,
  };
  const mailbox = new RedisMailbox(context, { maxBytes, maxMessages });
  return {
    sessions: new RedisSessionStore(context),
    events: new RedisEventLog(context, maxEvents),
    mailbox,
    close: async () => {
      mailbox.stop();
      return Promise.resolve();
    },
  };
}
