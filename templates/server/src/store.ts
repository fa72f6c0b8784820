import { createClient } from "redis";
import { redisCluster } from "./generated/runtime/http-redis.js";
import type { Cluster } from "./generated/runtime/http-server.js";
import { info } from "./info.js";
import { log } from "./log.js";
import { settings } from "./settings.js";

const CONNECT_TIMEOUT_MS = 5_000;
/** Maximum pause between attempts to connect again. */
const MAX_PAUSE_MS = 2_000;

/** What the instances of this server share. */
export interface Store {
  readonly cluster: Cluster;
  /** Disconnects, when no request is served any more. */
  close(): Promise<void>;
}

/**
 * Connects to the Redis or Valkey server that `REDIS_URL` names; undefined without the variable.
 *
 * @throws Error with a message for the log, if a setting is wrong or Redis cannot be reached.
 */
export async function connectStore(
  url = settings.redisUrl,
): Promise<Store | undefined> {
  if (url === undefined || url === "") return undefined;
  checkSettings(url);
  let hasConnected = false;
  let isReady = false;
  const client = createClient({
    url,
    // A connection that is dead without an error is noticed.
    pingInterval: 1_000,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: CONNECT_TIMEOUT_MS,
      // Fails at the start, so that a wrong URL is noticed; later, tries again until Redis is back.
      reconnectStrategy: (attempts, cause) =>
        hasConnected ? Math.min(50 * 2 ** attempts, MAX_PAUSE_MS) : cause,
    },
  });
  client.on("ready", () => {
    if (hasConnected) log("Redis is connected again");
    hasConnected = true;
    isReady = true;
  });
  client.on("error", (error: unknown) => {
    // Attempts to connect again fail too: one line is enough.
    if (isReady) log(`Redis is disconnected: ${reasonOf(error)}`);
    isReady = false;
  });
  await client.connect().catch((error: unknown) => {
    // The whole URL may contain a password.
    const { host } = new URL(url);
    throw new Error(
      `cannot connect to Redis at ${host} (REDIS_URL): ${reasonOf(error)}`,
    );
  });
  const cluster = redisCluster(client, {
    // Other programs may use the same Redis.
    prefix: `${info.name}:`,
    encryptionKeys: settings.encryptionKeys?.map((key) =>
      Buffer.from(key, "hex"),
    ),
    onError: (error) => {
      if (isReady) log(`Redis: ${reasonOf(error)}`);
    },
  });
  return {
    cluster,
    close: async () => {
      // What ends now is no failure.
      isReady = false;
      await cluster.close();
      if (client.isOpen) client.destroy();
    },
  };
}

function checkSettings(url: string): void {
  if (!/^rediss?:$/.test(URL.canParse(url) ? new URL(url).protocol : ""))
    throw new Error(
      "REDIS_URL is not a URL such as redis://user:password@localhost:6379",
    );
  if (settings.encryptionKeys?.some((key) => !/^[\da-f]{64}$/i.test(key)))
    throw new Error("STORE_ENCRYPTION_KEY needs 64 hexadecimal digits");
  // if: stateless
  if (settings.requestStateSecrets?.some(({ length }) => length < 16))
    throw new Error("REQUEST_STATE_SECRET needs at least 16 characters");
  if (settings.requestStateSecrets === undefined)
    log(
      "REQUEST_STATE_SECRET is not set: a request that waits for its user cannot go on in another instance",
    );
  // end
}

/** An error that collects those of several addresses has no message. */
function reasonOf(error: unknown): string {
  const { message = "", code = "" } = error as NodeJS.ErrnoException;
  return message || code || String(error);
}
