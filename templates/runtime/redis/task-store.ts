/** Tasks in Redis: several processes, on several machines, share them. */
import { FAIR_SHARE_FACTOR } from "../jsonrpc/fair-share.js";
import { countedBytes } from "../tasks/memory-store.js";
import { TaskStoreFullError } from "../tasks/store.js";
import type {
  TaskChanges,
  TaskStore,
  TaskStoreLimits,
} from "../tasks/store.js";
import { isTerminal } from "../tasks/types.js";
import type { TaskRecord } from "../tasks/types.js";
import { RedisCipher } from "./cipher.js";
import type { RedisValueOptions } from "./cipher.js";
import { RedisConnection, RedisScript, RedisStoreError } from "./client.js";
import type { AnyRedisClient } from "./client.js";
import { RedisKeys, digest } from "./keys.js";
import { checkPositive } from "./options.js";

/** Options of {@link redisTaskStore}. */
export interface RedisTaskStoreOptions
  extends Partial<TaskStoreLimits>, RedisValueOptions {
  /** Maximum of tasks in Redis; 100,000 by default. */
  readonly maxTasks?: number;
  /** Maximum of their bytes of JSON; 512 MiB by default. */
  readonly maxBytes?: number;
  /** What the names of all keys begin with; `mcp:` by default. Without braces. */
  readonly prefix?: string | undefined;
  /** Milliseconds after which an operation fails if Redis does not answer; 2000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds after its last change for which a task without an end is kept; 30 days by default. */
  readonly maxLifeMs?: number | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long keys outlive what they are about, so that it is counted out in order. */
const MARGIN_MS = 60 * 60 * 1000;
/** Owners without a lease are forgotten after this time: their tasks have been taken over. */
const FORGET_OWNER_MS = DAY_MS;

/**
 * All keys begin with `KEYS[1]`, whose braces put them into one slot:
 *
 * - `task:ID`: the record.
 * - `meta`: a hash with version, bytes, whether it is unfinished, digest of the principal, and owner of each task.
 * - `usage` and `usage:PRINCIPAL`: hashes with the number of tasks and their bytes; the first has the last change too.
 * - `principal:PRINCIPAL`, `changes`, `expiry`: sorted sets of ids, by time of creation, change, and time of expiry.
 * - `owned`: a hash with the number of unfinished tasks of each owner; `owner:OWNER`: a sorted set of their ids.
 * - `leases`: a sorted set of owners by the time when their lease ends.
 */
const PRELUDE = `
local function name(kind, id) return KEYS[1] .. ':' .. kind .. (id and (':' .. id) or '') end
local function keep(key, ttl)
  if redis.call('PTTL', key) < ttl then redis.call('PEXPIRE', key, ttl) end
end
local function find(id)
  local text = redis.call('HGET', name('meta'), id)
  if not text then return nil end
  local version, bytes, unfinished, principal, owner = string.match(text, '^(%d+) (%d+) (%d) (%S*) (.*)$')
  return { version = version, bytes = tonumber(bytes), unfinished = unfinished, principal = principal, owner = owner }
end
local function held(key)
  local reply = redis.call('HMGET', key, 'tasks', 'bytes')
  return { tasks = tonumber(reply[1] or '0'), bytes = tonumber(reply[2] or '0') }
end
local function count(principal, tasks, bytes)
  for _, key in ipairs({ name('usage'), name('usage', principal) }) do
    redis.call('HINCRBY', key, 'bytes', bytes)
    if redis.call('HINCRBY', key, 'tasks', tasks) <= 0 and key ~= name('usage') then redis.call('DEL', key) end
    -- It had expired, and the key is a new one.
    if tasks < 0 and redis.call('PTTL', key) == -1 then redis.call('DEL', key) end
  end
end
local function own(id, owner)
  redis.call('ZADD', name('owner', owner), 0, id)
  redis.call('HINCRBY', name('owned'), owner, 1)
end
local function disown(id, owner)
  redis.call('ZREM', name('owner', owner), id)
  if redis.call('HINCRBY', name('owned'), owner, -1) <= 0 then redis.call('HDEL', name('owned'), owner) end
end
`;

/**
 * Arguments: id, record, version, bytes, unfinished, principal, owner, expiry, ttl.
 *
 * A change has the time in microseconds as its number, so that numbers grow even if the former ones were lost.
 */
const WRITE = `
local id, record, version, bytes, unfinished, principal, owner, expiry, ttl =
  ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5], ARGV[6], ARGV[7], ARGV[8], tonumber(ARGV[9])
local function store()
  redis.call('SET', name('task', id), record, 'PX', ttl)
  redis.call('HSET', name('meta'), id, version .. ' ' .. bytes .. ' ' .. unfinished .. ' ' .. principal .. ' ' .. owner)
  local time = redis.call('TIME')
  local change = math.max(time[1] * 1000000 + time[2], tonumber(redis.call('HGET', name('usage'), 'change') or '0') + 1)
  local number = string.format('%.0f', change)
  redis.call('HSET', name('usage'), 'change', number)
  redis.call('ZADD', name('changes'), number, id)
  redis.call('ZADD', name('expiry'), expiry, id)
  if unfinished == '1' then
    own(id, owner)
    keep(name('owner', owner), ttl)
    keep(name('owned'), ttl)
  end
  for _, kind in ipairs({ 'meta', 'usage', 'changes', 'expiry' }) do keep(name(kind), ttl) end
  keep(name('usage', principal), ttl)
  keep(name('principal', principal), ttl)
end
`;

/** Arguments 10 to 13: maximum of tasks, of bytes, factor of fair shares, whether the principal is known. */
const ROOM = `
local function fits(mine, total, max, amount)
  local free = max - total
  if free < amount then return false end
  return ARGV[13] == '0' or mine == 0 or mine + amount - 1 < tonumber(ARGV[12]) * (free - amount)
end
`;

const CREATE = new RedisScript(`${PRELUDE}${WRITE}${ROOM}
if redis.call('HEXISTS', name('meta'), id) == 1 then return 'exists' end
local mine, total = held(name('usage', principal)), held(name('usage'))
if not fits(mine.tasks, total.tasks, tonumber(ARGV[10]), 1) or not fits(mine.bytes, total.bytes, tonumber(ARGV[11]), bytes) then
  return 'full'
end
redis.call('SET', name('task', id), record, 'PX', ttl)
count(principal, 1, bytes)
redis.call('ZADD', name('principal', principal), ARGV[14], id)
store()
return 'done'
`);

const REPLACE = new RedisScript(`${PRELUDE}${WRITE}${ROOM}
local before = find(id)
if not before or before.version ~= ARGV[14] or redis.call('EXISTS', name('task', id)) == 0 then return 'missing' end
principal = before.principal
local mine, total = held(name('usage', principal)), held(name('usage'))
if bytes > before.bytes and not fits(mine.bytes - before.bytes, total.bytes - before.bytes, tonumber(ARGV[11]), bytes) then
  return 'full'
end
redis.call('SET', name('task', id), record, 'PX', ttl)
count(principal, 0, bytes - before.bytes)
if before.unfinished == '1' then disown(id, before.owner) end
store()
return 'done'
`);

/** Arguments: principal, id of the task before, its time of creation, limit. Returns records. */
const LIST = new RedisScript(`${PRELUDE}
local key, start = name('principal', ARGV[1]), 0
if ARGV[3] ~= '' then
  local rank = redis.call('ZRANK', key, ARGV[2])
  if rank then start = rank + 1 else
    -- It was deleted in the meantime: where would it be?
    redis.call('ZADD', key, ARGV[3], ARGV[2])
    start = redis.call('ZRANK', key, ARGV[2])
    redis.call('ZREM', key, ARGV[2])
  end
end
local limit, records = tonumber(ARGV[4]), {}
while #records < limit do
  local ids = redis.call('ZRANGE', key, start, start + limit - 1)
  for _, id in ipairs(ids) do
    local record = redis.call('GET', name('task', id))
    if record and #records < limit then table.insert(records, { id, record }) end
  end
  if #ids < limit then break end
  start = start + limit
end
return records
`);

/** Arguments: position, limit. Returns ids, each with the number of its change. In a script, they are texts. */
const CHANGES = new RedisScript(`${PRELUDE}
return redis.call('ZRANGEBYSCORE', name('changes'), '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])
`);

/** Arguments: owner, until, now, when forgotten, ttl. */
const HEARTBEAT = new RedisScript(`${PRELUDE}
local former = redis.call('ZSCORE', name('leases'), ARGV[1])
redis.call('ZADD', name('leases'), ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', name('leases'), '-inf', '(' .. ARGV[4])
keep(name('leases'), tonumber(ARGV[5]))
return former and tonumber(former) > tonumber(ARGV[3]) and 1 or 0
`);

/** Arguments: now, limit, id after which to begin. Returns records: up to the limit of each owner. */
const ABANDONED = new RedisScript(`${PRELUDE}
local records = {}
for _, owner in ipairs(redis.call('HKEYS', name('owned'))) do
  local lease = redis.call('ZSCORE', name('leases'), owner)
  if not lease or tonumber(lease) <= tonumber(ARGV[1]) then
    local ids = redis.call('ZRANGEBYLEX', name('owner', owner), ARGV[3] == '' and '-' or '(' .. ARGV[3], '+', 'LIMIT', 0, ARGV[2])
    for _, id in ipairs(ids) do
      local record = redis.call('GET', name('task', id))
      if record then table.insert(records, { id, record }) end
    end
  end
end
return records
`);

/** Arguments: now, limit. */
const DELETE_EXPIRED = new RedisScript(`${PRELUDE}
local ids = redis.call('ZRANGEBYSCORE', name('expiry'), '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, id in ipairs(ids) do
  local task = find(id)
  redis.call('DEL', name('task', id))
  redis.call('ZREM', name('expiry'), id)
  redis.call('ZREM', name('changes'), id)
  redis.call('HDEL', name('meta'), id)
  if task then
    redis.call('ZREM', name('principal', task.principal), id)
    if task.unfinished == '1' then disown(id, task.owner) end
    count(task.principal, -1, -task.bytes)
  end
end
return #ids
`);

/**
 * Keeps tasks in Redis 6.2 or later, or Valkey, for processes on several machines:
 *
 *     import { createClient } from "redis";
 *     const client = createClient({ url, pingInterval: 1000, socket: { socketTimeout: 5000 } });
 *     client.on("error", console.error);
 *     await client.connect();
 *     const store = redisTaskStore(client);
 *
 * The client remains yours. A task is as durable as Redis is: with `appendfsync everysec`, a crash of Redis loses the last
 * second. Every key expires, tasks an hour after their time. Ids of tasks are readable in Redis even with
 * `encryptionKeys`, since tasks are listed in their order.
 *
 * Each change is one script over the keys of all tasks, so in a Redis Cluster they are on one node; use another prefix for
 * each server to spread them.
 *
 * @throws RangeError if an option is out of range.
 */
export function redisTaskStore(
  client: AnyRedisClient,
  options: RedisTaskStoreOptions = {},
): TaskStore {
  return new RedisTaskStore(client, options);
}

class RedisTaskStore implements TaskStore {
  readonly isShared = true;
  readonly #connection: RedisConnection;
  readonly #cipher: RedisCipher;
  readonly #base: string;
  readonly #limits: TaskStoreLimits;
  readonly #maxLifeMs: number;

  constructor(
    client: AnyRedisClient,
    {
      maxTasks = 100_000,
      maxBytes = 512 * 1024 * 1024,
      timeoutMs = 2000,
      maxLifeMs = 30 * DAY_MS,
      prefix,
      ...values
    }: RedisTaskStoreOptions,
  ) {
    checkPositive("maxTasks", maxTasks);
    checkPositive("maxBytes", maxBytes);
    checkPositive("timeoutMs", timeoutMs);
    checkPositive("maxLifeMs", maxLifeMs);
    this.#connection = new RedisConnection(client, timeoutMs);
    this.#cipher = new RedisCipher(values);
    this.#base = new RedisKeys(prefix).single("{tasks}");
    this.#limits = { maxTasks, maxBytes };
    this.#maxLifeMs = maxLifeMs;
  }

  async create(record: TaskRecord): Promise<void> {
    const outcome = await this.#write(CREATE, record, record.createdAt);
    if (outcome === "full") throw new TaskStoreFullError();
    if (outcome !== "done")
      throw new RedisStoreError("failed", "A task with this id exists already");
  }

  async get(id: string): Promise<TaskRecord | undefined> {
    const key = this.#taskKey(id);
    const value = await this.#connection.command(key, ["GET", key]);
    return typeof value === "string" ? this.#decode(id, value) : undefined;
  }

  async replace(record: TaskRecord): Promise<boolean> {
    const outcome = await this.#write(REPLACE, record, record.version - 1);
    if (outcome === "full")
      throw new TaskStoreFullError(
        "The tasks of this server have no room left",
      );
    return outcome === "done";
  }

  async list(
    principal: string,
    after: Pick<TaskRecord, "createdAt" | "id"> | undefined,
    limit: number,
  ): Promise<readonly TaskRecord[]> {
    if (limit < 1) return [];
    return this.#records(LIST, [
      await digest(principal),
      after?.id ?? "",
      after?.createdAt ?? "",
      limit,
    ]);
  }

  async heartbeat(owner: string, until: number, now: number): Promise<boolean> {
    const ttl = Math.max(0, until - now) + FORGET_OWNER_MS;
    const forgotten = now - FORGET_OWNER_MS;
    const wasValid = await this.#script(HEARTBEAT, [
      ...[owner, until, now],
      ...[forgotten, ttl],
    ]);
    return wasValid === 1;
  }

  async release(owner: string): Promise<void> {
    const key = `${this.#base}:leases`;
    await this.#connection.command(key, ["ZREM", key, owner]);
  }

  async abandoned(
    now: number,
    limit: number,
    after = "",
  ): Promise<readonly TaskRecord[]> {
    if (limit < 1) return [];
    const records = await this.#records(ABANDONED, [now, limit, after]);
    return [...records].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
  }

  async deleteExpired(now: number, limit: number): Promise<number> {
    return Number(await this.#script(DELETE_EXPIRED, [now, limit]));
  }

  async changes(
    after: number | undefined,
    limit: number,
  ): Promise<TaskChanges> {
    if (after === undefined) {
      const key = `${this.#base}:usage`;
      const last = await this.#connection.command(key, ["HGET", key, "change"]);
      return { ids: [], position: Number(last ?? 0) };
    }
    const reply = (await this.#script(CHANGES, [
      after,
      limit,
    ])) as readonly string[];
    return {
      ids: reply.filter((_, index) => index % 2 === 0),
      position: Number(reply.at(-1) ?? after),
    };
  }

  async #write(
    script: RedisScript,
    record: TaskRecord,
    last: number,
  ): Promise<unknown> {
    const { id, version, principal, owner } = record;
    const json = JSON.stringify(record);
    this.#cipher.checkSize(json, "A task");
    const isDone = isTerminal(record.status);
    const now = Date.now();
    const expiry = record.expiresAt ?? now + this.#maxLifeMs;
    return this.#script(script, [
      id,
      await this.#cipher.encrypt(this.#taskKey(id), "", json),
      version,
      countedBytes(json, isDone),
      isDone ? 0 : 1,
      await digest(principal),
      owner,
      expiry,
      Math.ceil(Math.max(0, expiry - now)) + MARGIN_MS,
      this.#limits.maxTasks,
      this.#limits.maxBytes,
      FAIR_SHARE_FACTOR,
      principal === "" ? 0 : 1,
      last,
    ]);
  }

  async #records(
    script: RedisScript,
    args: readonly (string | number)[],
  ): Promise<readonly TaskRecord[]> {
    const entries = (await this.#script(script, args)) as readonly (readonly [
      string,
      string,
    ])[];
    return Promise.all(
      entries.map(async ([id, value]) => this.#decode(id, value)),
    );
  }

  async #decode(id: string, value: string): Promise<TaskRecord> {
    const json = await this.#cipher.decrypt(this.#taskKey(id), "", value);
    return JSON.parse(json) as TaskRecord;
  }

  #script(
    script: RedisScript,
    args: readonly (string | number)[],
  ): Promise<unknown> {
    return this.#connection.script(script, [this.#base], args);
  }

  #taskKey(id: string): string {
    return `${this.#base}:task:${id}`;
  }
}
