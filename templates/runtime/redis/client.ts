/** What the stores need of a client of Redis, and how they send commands: each has a time limit and clear errors. */

/** What the stores pass with a command. */
export interface RedisCommandOptions {
  /** How long the command may wait to be sent, in milliseconds. */
  readonly timeout?: number;
  /** Empty: replies are as `redis` returns them by default. */
  readonly typeMapping?: Readonly<Record<number, never>>;
}

/** A connected client of `createClient` of the package `redis`, version 5 or later. */
export interface RedisClient {
  sendCommand(args: string[], options?: RedisCommandOptions): Promise<unknown>;
  duplicate(): RedisClient;
  connect(): Promise<unknown>;
  on(event: "error", listener: (error: Error) => void): unknown;
  destroy(): void;
}

/** A connected client of `createCluster` of the package `redis`, version 5 or later. */
export interface RedisClusterClient {
  readonly masters: readonly unknown[];
  sendCommand(
    firstKey: string,
    isReadonly: boolean,
    args: string[],
    options?: RedisCommandOptions,
  ): Promise<unknown>;
  duplicate(overrides?: {
    readonly minimizeConnections?: boolean;
  }): RedisClusterClient;
  connect(): Promise<unknown>;
  on(event: "error", listener: (error: Error) => void): unknown;
  destroy(): void;
}

/** Either client. */
export type AnyRedisClient = RedisClient | RedisClusterClient;

/** Why an operation failed. */
export type RedisFailure =
  /** Redis did not answer in time: it is not known whether the operation took place. */
  | "timeout"
  /** There is no connection, or Redis refuses commands for now. */
  | "unavailable"
  /** Redis, or the mailbox of a process, has no room left. */
  | "full"
  /** A value is larger than the limit. */
  | "too-large"
  /** A stored value cannot be decrypted, or is not ours. */
  | "unreadable"
  /** Anything else that Redis reported. */
  | "failed";

/** An operation of a store in Redis failed. The message contains no stored values. */
export class RedisStoreError extends Error {
  override readonly name = "RedisStoreError";
  readonly failure: RedisFailure;

  constructor(failure: RedisFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

/** A Lua script, which Redis runs as one step. It is sent once, and then named by its digest. */
export class RedisScript {
  readonly source: string;
  #digest: Promise<string> | undefined;

  constructor(source: string) {
    this.source = source;
  }

  /** The name that Redis has for it: its SHA-1. */
  digest(): Promise<string> {
    return (this.#digest ??= sha1(this.source));
  }
}

/** A client of either kind, with one way to send commands. */
export class RedisConnection {
  readonly #client: AnyRedisClient;
  readonly #timeoutMs: number;

  constructor(client: AnyRedisClient, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Sends a command.
   *
   * @param key - A key of the command; all have to be in its slot.
   * @param blocksMs - How long Redis may wait before it answers.
   * @throws RedisStoreError
   */
  async command(
    key: string,
    args: readonly string[],
    blocksMs = 0,
  ): Promise<unknown> {
    return this.#limited(
      async () => this.#send(key, args),
      this.#timeoutMs + blocksMs,
    );
  }

  /**
   * Runs a script.
   *
   * @param keys - All in one slot.
   * @throws RedisStoreError
   */
  async script(
    script: RedisScript,
    keys: readonly [string, ...string[]],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args.map(String)];
    const digest = await script.digest();
    return this.#limited(async () => {
      try {
        return await this.#send(keys[0], ["EVALSHA", digest, ...rest]);
      } catch (error) {
        if (!messageOf(error).startsWith("NOSCRIPT")) throw error;
        return this.#send(keys[0], ["EVAL", script.source, ...rest]);
      }
    }, this.#timeoutMs);
  }

  /**
   * Opens another connection to the same Redis, for commands that wait.
   *
   * @param onError - Receives what goes wrong later; the connection is repaired, or reports it for a command too.
   * @throws RedisStoreError
   */
  async duplicate(onError: (error: Error) => void): Promise<RedisConnection> {
    const client = isCluster(this.#client)
      ? this.#client.duplicate({ minimizeConnections: true })
      : this.#client.duplicate();
    client.on("error", onError);
    const connection = new RedisConnection(client, this.#timeoutMs);
    try {
      await this.#limited(async () => client.connect(), this.#timeoutMs);
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  /** Ends a connection that {@link duplicate} opened. */
  destroy(): void {
    try {
      this.#client.destroy();
    } catch {
      // It was not connected.
    }
  }

  #send(key: string, args: readonly string[]): Promise<unknown> {
    const options = { timeout: this.#timeoutMs, typeMapping: {} };
    return isCluster(this.#client)
      ? // Not from replicas, which may be behind.
        this.#client.sendCommand(key, false, [...args], options)
      : this.#client.sendCommand([...args], options);
  }

  async #limited<T>(run: () => Promise<T>, timeoutMs: number): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(
          new RedisStoreError(
            "timeout",
            `Redis did not answer within ${timeoutMs} ms`,
          ),
        );
      }, timeoutMs);
    });
    try {
      return await Promise.race([run(), timeout]);
    } catch (error) {
      throw storeError(error);
    } finally {
      clearTimeout(timer);
    }
  }
}

function isCluster(client: AnyRedisClient): client is RedisClusterClient {
  return "masters" in client;
}

/** Replies of a Redis that cannot serve for now, and of the client without a connection. */
const UNAVAILABLE =
  /^(?:LOADING|CLUSTERDOWN|MASTERDOWN|READONLY|MISCONF|NOREPLICAS|TRYAGAIN|BUSY)\b|socket|connect|closed|offline|aborted|timed? ?out|queue is full/iu;

function storeError(error: unknown): RedisStoreError {
  if (error instanceof RedisStoreError) return error;
  const message = messageOf(error);
  const options = { cause: error };
  if (message.includes("OOM command not allowed"))
    return new RedisStoreError(
      "full",
      "Redis has no memory left (maxmemory)",
      options,
    );
  return UNAVAILABLE.test(message)
    ? new RedisStoreError(
        "unavailable",
        `Redis is not available: ${message}`,
        options,
      )
    : new RedisStoreError("failed", `Redis failed: ${message}`, options);
}

function messageOf(error: unknown): string {
  return error instanceof Error
    ? error.message || error.name || error.constructor.name
    : String(error);
}

async function sha1(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest(
    "SHA-1",
    new TextEncoder().encode(text),
  );
  return Array.from(new Uint8Array(bytes), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
