/** Sessions in Redis: a hash for each, and sorted sets that count them. */
import type {
  SessionRecord,
  SessionStore,
  SessionUsage,
} from "../cluster/types.js";
import { RedisScript } from "./client.js";
import { INDEX_ADD, INDEX_COUNT } from "./context.js";
import type { RedisContext } from "./context.js";
import { digest } from "./keys.js";

/** Fields: version, owner, generation, digest of the principal, data. */
const CREATE = new RedisScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'v', ARGV[2], 'o', ARGV[3], 'g', ARGV[4], 'p', ARGV[5], 'd', ARGV[6])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
`);

const REPLACE = new RedisScript(`
if redis.call('HGET', KEYS[1], 'v') ~= ARGV[7] then return 0 end
redis.call('HSET', KEYS[1], 'v', ARGV[2], 'o', ARGV[3], 'g', ARGV[4], 'p', ARGV[5], 'd', ARGV[6])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
`);

/** Returns the digest of the principal. */
const EXTEND = new RedisScript(`
if redis.call('HGET', KEYS[1], 'o') ~= ARGV[2] then return '' end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return redis.call('HGET', KEYS[1], 'p')
`);

/** Returns the digest of the principal. */
const DELETE = new RedisScript(`
local principal = redis.call('HGET', KEYS[1], 'p')
if not principal then return '' end
redis.call('DEL', KEYS[1])
return principal
`);

/**
 * A session is one hash, which a script compares and sets. Its digest is in two sorted sets by the time when it expires: of
 * all sessions, and of those of its principal. In a Redis Cluster these are on other nodes, so they are written after the
 * hash, and again with each change: if that fails, only the counts are wrong until then.
 */
export class RedisSessionStore implements SessionStore {
  readonly #context: RedisContext;

  constructor(context: RedisContext) {
    this.#context = context;
  }

  async create(record: SessionRecord, ttl: number): Promise<boolean> {
    return this.#write(CREATE, record, ttl);
  }

  async get(id: string): Promise<SessionRecord | undefined> {
    const { keys, connection, cipher } = this.#context;
    const [key] = await keys.of(id, "session");
    const reply = (await connection.command(key, [
      "HMGET",
      key,
      "v",
      "o",
      "g",
      "d",
    ])) as readonly (string | null)[];
    const [version, owner, generation, data] = reply;
    if (
      typeof version !== "string" ||
      typeof owner !== "string" ||
      typeof generation !== "string" ||
      typeof data !== "string"
    )
      return undefined;
    const text = await cipher.decrypt(
      key,
      contextOf(version, owner, generation),
      data,
    );
    const end = text.indexOf("\n");
    return {
      id,
      version: Number(version),
      owner: owner === "" ? undefined : owner.slice(1),
      generation: Number(generation),
      principal: JSON.parse(text.slice(0, end)) as string,
      state: text.slice(end + 1),
    };
  }

  async replace(record: SessionRecord, ttl: number): Promise<boolean> {
    return this.#write(REPLACE, record, ttl, [record.version - 1]);
  }

  async extend(id: string, owner: string, ttl: number): Promise<boolean> {
    const { keys, connection } = this.#context;
    const [key] = await keys.of(id, "session");
    const principal = await connection.script(
      EXTEND,
      [key],
      [ttl, ownerField(owner)],
    );
    if (typeof principal !== "string" || principal === "") return false;
    await this.#index(id, principal, ttl);
    return true;
  }

  async delete(id: string): Promise<boolean> {
    const { keys, connection } = this.#context;
    const [key] = await keys.of(id, "session");
    const principal = await connection.script(DELETE, [key], []);
    if (typeof principal !== "string" || principal === "") return false;
    const entry = await digest(id);
    await this.#countOnly(
      this.#indexes(principal).map((index) =>
        connection.command(index, ["ZREM", index, entry]),
      ),
    );
    return true;
  }

  async usage(principal: string): Promise<SessionUsage> {
    const [total = 0, held = 0] = await Promise.all(
      this.#indexes(await digest(principal)).map((index) =>
        this.#context.connection.script(INDEX_COUNT, [index], []),
      ),
    );
    return { total: Number(total), held: Number(held) };
  }

  async #write(
    script: RedisScript,
    record: SessionRecord,
    ttl: number,
    extra: readonly number[] = [],
  ): Promise<boolean> {
    const { keys, connection, cipher } = this.#context;
    const { id, version, generation, principal, state } = record;
    const text = `${JSON.stringify(principal)}\n${state}`;
    cipher.checkSize(text, "A session");
    const [key] = await keys.of(id, "session");
    const owner = ownerField(record.owner);
    const context = contextOf(version, owner, generation);
    const holder = await digest(principal);
    const isWritten = await connection.script(
      script,
      [key],
      [
        ttl,
        version,
        owner,
        generation,
        holder,
        await cipher.encrypt(key, context, text),
        ...extra,
      ],
    );
    if (isWritten !== 1) return false;
    await this.#index(id, holder, ttl);
    return true;
  }

  async #index(id: string, principal: string, ttl: number): Promise<void> {
    const entry = await digest(id);
    await this.#countOnly(
      this.#indexes(principal).map((index) =>
        this.#context.connection.script(INDEX_ADD, [index], [ttl, entry]),
      ),
    );
  }

  /** The sets of all sessions, and of those of a principal by its digest. */
  #indexes(principal: string): readonly [string, string] {
    const { keys } = this.#context;
    return [keys.single("sessions"), keys.single(`sessions:{${principal}}`)];
  }

  /** A session that was stored is not lost because it could not be counted. */
  async #countOnly(writes: readonly Promise<unknown>[]): Promise<void> {
    for (const outcome of await Promise.allSettled(writes))
      if (outcome.status === "rejected")
        this.#context.onError(outcome.reason as Error);
  }
}

function ownerField(owner: string | undefined): string {
  return owner === undefined ? "" : `:${owner}`;
}

function contextOf(
  version: number | string,
  owner: string,
  generation: number | string,
): string {
  return `${version} ${generation} ${owner}`;
}
