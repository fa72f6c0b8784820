/** Tasks in an SQLite database: they survive a restart, and several processes share them. */
import { countedBytes } from "./memory-store.js";
import { requireRoom, requireRoomToGrow } from "./store.js";
import type {
  StoreRoom,
  StoreUsage,
  TaskChanges,
  TaskStore,
  TaskStoreLimits,
} from "./store.js";
import { isTerminal } from "./types.js";
import type { TaskRecord } from "./types.js";

/** A prepared statement of {@link SqliteDatabase}. Parameters are texts, numbers and null. */
export interface SqliteStatement {
  run(...params: SqliteValue[]): { readonly changes: number | bigint };
  get(...params: SqliteValue[]): unknown;
  all(...params: SqliteValue[]): unknown[];
}

/** What a parameter or a column may be. */
export type SqliteValue = string | number | null;

/**
 * An open database: a `DatabaseSync` of `node:sqlite` (Node 22.13 or later), a `Database` of the package `better-sqlite3`
 * (version 12 for Node 20), or one of `bun:sqlite`.
 */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

/** Options of {@link sqliteTaskStore}. */
export interface SqliteTaskStoreOptions extends Partial<TaskStoreLimits> {
  /** Maximum of tasks in the database; 100,000 by default. */
  readonly maxTasks?: number;
  /** Maximum of their bytes of JSON; 2 GiB by default. */
  readonly maxBytes?: number;
}

/** How long to wait for other processes that use the database. */
const BUSY_MS = 5000;
/** Between two attempts for which SQLite itself does not wait. */
const RETRY_MS = 10;

/** The name of each table begins with it, so that the database may have others. */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS mcp_tasks (
  id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  change INTEGER NOT NULL,
  principal TEXT NOT NULL,
  owner TEXT NOT NULL,
  is_terminal INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  bytes INTEGER NOT NULL,
  record TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS mcp_tasks_by_change ON mcp_tasks (change);
CREATE INDEX IF NOT EXISTS mcp_tasks_by_principal ON mcp_tasks (principal, created_at, id);
CREATE INDEX IF NOT EXISTS mcp_tasks_unfinished ON mcp_tasks (owner) WHERE is_terminal = 0;
CREATE INDEX IF NOT EXISTS mcp_tasks_by_expiry ON mcp_tasks (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS mcp_task_owners (
  id TEXT PRIMARY KEY,
  leased_until INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS mcp_task_usage (
  principal TEXT PRIMARY KEY,
  tasks INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS mcp_task_totals (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  tasks INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  change INTEGER NOT NULL
);
INSERT OR IGNORE INTO mcp_task_totals VALUES (1, 0, 0, 0);
`;

/** Owners without a lease are forgotten after this time: their tasks have been taken over. */
const FORGET_OWNER_MS = 24 * 60 * 60 * 1000;

interface Row {
  readonly record: string;
}

const NOTHING: StoreUsage = { tasks: 0, bytes: 0 };

/**
 * Keeps tasks in an SQLite database on a local disk, in tables whose names begin with `mcp_task`. Each process opens the
 * file itself; whoever opened the database closes it, after `close` of the tasks.
 *
 *     import { DatabaseSync } from "node:sqlite";
 *     const store = sqliteTaskStore(new DatabaseSync("tasks.db"));
 *
 * A task is on disk before its id is sent. Each call runs at once: while another process writes, it blocks this one for up
 * to 5 seconds, and then throws.
 */
export function sqliteTaskStore(
  database: SqliteDatabase,
  options: SqliteTaskStoreOptions = {},
): TaskStore {
  return new SqliteTaskStore(database, {
    maxTasks: options.maxTasks ?? 100_000,
    maxBytes: options.maxBytes ?? 2 * 1024 ** 3,
  });
}

/**
 * Each change is one transaction, which also counts the usage and numbers the change.
 * Writers exclude each other, so that the numbers of changes become visible in order.
 */
class SqliteTaskStore implements TaskStore {
  readonly isShared = true;
  readonly #database: SqliteDatabase;
  readonly #limits: TaskStoreLimits;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase, limits: TaskStoreLimits) {
    this.#database = database;
    this.#limits = limits;
    // First, since everything else may find the database locked.
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    useWriteAheadLog(database);
    database.exec("PRAGMA synchronous = FULL");
    this.#transaction(() => {
      database.exec(SCHEMA);
    });
  }

  create(record: TaskRecord): void {
    const json = JSON.stringify(record);
    const done = isTerminal(record.status);
    const bytes = countedBytes(json, done);
    const { principal } = record;
    this.#transaction(() => {
      requireRoom(this.#room(principal), bytes);
      this.#run(
        "INSERT INTO mcp_tasks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        record.id,
        record.version,
        this.#nextChange(),
        principal,
        record.owner,
        Number(done),
        record.createdAt,
        record.expiresAt,
        bytes,
        json,
      );
      this.#count(principal, 1, bytes);
    });
  }

  get(id: string): TaskRecord | undefined {
    const row = this.#row("SELECT record FROM mcp_tasks WHERE id = ?", id) as
      Row | undefined;
    return row === undefined ? undefined : recordOf(row);
  }

  replace(record: TaskRecord): boolean {
    const json = JSON.stringify(record);
    const done = isTerminal(record.status);
    const bytes = countedBytes(json, done);
    return this.#transaction(() => {
      const before = this.#row(
        "SELECT bytes, principal FROM mcp_tasks WHERE id = ? AND version = ?",
        record.id,
        record.version - 1,
      ) as
        | {
            readonly bytes: number;
            readonly principal: string;
          }
        | undefined;
      if (before === undefined) return false;
      requireRoomToGrow(this.#room(before.principal), before.bytes, bytes);
      this.#run(
        "UPDATE mcp_tasks SET version = ?, change = ?, owner = ?, is_terminal = ?, expires_at = ?, bytes = ?, record = ? WHERE id = ?",
        record.version,
        this.#nextChange(),
        record.owner,
        Number(done),
        record.expiresAt,
        bytes,
        json,
        record.id,
      );
      this.#count(before.principal, 0, bytes - before.bytes);
      return true;
    });
  }

  list(
    principal: string,
    after: Pick<TaskRecord, "createdAt" | "id"> | undefined,
    limit: number,
  ): readonly TaskRecord[] {
    return (
      this.#all(
        "SELECT record FROM mcp_tasks WHERE principal = ? AND (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?",
        principal,
        after?.createdAt ?? -1,
        after?.id ?? "",
        limit,
      ) as readonly Row[]
    ).map(recordOf);
  }

  heartbeat(owner: string, until: number, now: number): boolean {
    return this.#transaction(() => {
      const former = this.#row(
        "SELECT leased_until FROM mcp_task_owners WHERE id = ?",
        owner,
      ) as { readonly leased_until: number } | undefined;
      this.#run(
        "INSERT OR REPLACE INTO mcp_task_owners VALUES (?, ?)",
        owner,
        until,
      );
      this.#run(
        "DELETE FROM mcp_task_owners WHERE leased_until < ?",
        now - FORGET_OWNER_MS,
      );
      return former !== undefined && former.leased_until > now;
    });
  }

  release(owner: string): void {
    this.#run("DELETE FROM mcp_task_owners WHERE id = ?", owner);
  }

  abandoned(now: number, limit: number, after = ""): readonly TaskRecord[] {
    return (
      this.#all(
        `SELECT record FROM mcp_tasks INDEXED BY mcp_tasks_unfinished WHERE is_terminal = 0 AND owner NOT IN
        (SELECT id FROM mcp_task_owners WHERE leased_until > ?) AND id > ? ORDER BY id LIMIT ?`,
        now,
        after,
        limit,
      ) as readonly Row[]
    ).map(recordOf);
  }

  deleteExpired(now: number, limit: number): number {
    const expired =
      "SELECT id, principal, bytes FROM mcp_tasks WHERE expires_at <= ? LIMIT ?";
    // Usually nothing has expired, and reading does not wait for writers.
    if (this.#all(expired, now, 1).length === 0) return 0;
    return this.#transaction(() => {
      const rows = this.#all(expired, now, limit) as readonly {
        readonly id: string;
        readonly principal: string;
        readonly bytes: number;
      }[];
      for (const { id, principal, bytes } of rows) {
        this.#run("DELETE FROM mcp_tasks WHERE id = ?", id);
        this.#count(principal, -1, -bytes);
      }
      return rows.length;
    });
  }

  changes(after: number | undefined, limit: number): TaskChanges {
    if (after === undefined) {
      const row = this.#row(
        "SELECT change FROM mcp_task_totals WHERE id = 1",
      ) as { readonly change: number } | undefined;
      return { ids: [], position: row?.change ?? 0 };
    }
    const rows = this.#all(
      "SELECT id, change FROM mcp_tasks WHERE change > ? ORDER BY change LIMIT ?",
      after,
      limit,
    ) as readonly { readonly id: string; readonly change: number }[];
    return {
      ids: rows.map(({ id }) => id),
      position: rows.at(-1)?.change ?? after,
    };
  }

  #room(principal: string): StoreRoom {
    const held = this.#held(principal);
    return { limits: this.#limits, principal, held, total: this.#total() };
  }

  #total(): StoreUsage {
    const row = this.#row(
      "SELECT tasks, bytes FROM mcp_task_totals WHERE id = 1",
    ) as StoreUsage | undefined;
    return row ?? NOTHING;
  }

  #held(principal: string): StoreUsage {
    const row = this.#row(
      "SELECT tasks, bytes FROM mcp_task_usage WHERE principal = ?",
      principal,
    ) as StoreUsage | undefined;
    return row ?? NOTHING;
  }

  #nextChange(): number {
    this.#run("UPDATE mcp_task_totals SET change = change + 1 WHERE id = 1");
    return (
      (
        this.#row("SELECT change FROM mcp_task_totals WHERE id = 1") as
          { readonly change: number } | undefined
      )?.change ?? 0
    );
  }

  #count(principal: string, tasks: number, bytes: number): void {
    this.#run(
      "UPDATE mcp_task_totals SET tasks = tasks + ?, bytes = bytes + ? WHERE id = 1",
      tasks,
      bytes,
    );
    this.#run(
      "INSERT OR IGNORE INTO mcp_task_usage VALUES (?, 0, 0)",
      principal,
    );
    this.#run(
      "UPDATE mcp_task_usage SET tasks = tasks + ?, bytes = bytes + ? WHERE principal = ?",
      tasks,
      bytes,
      principal,
    );
    if (tasks < 0)
      this.#run(
        "DELETE FROM mcp_task_usage WHERE principal = ? AND tasks <= 0",
        principal,
      );
  }

  #transaction<T>(run: () => T): T {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = run();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      try {
        this.#database.exec("ROLLBACK");
      } catch {
        // SQLite has ended the transaction already, as it does when the disk is full.
      }
      throw error;
    }
  }

  #run(sql: string, ...params: SqliteValue[]): void {
    this.#statement(sql).run(...params);
  }

  // `bun:sqlite` returns null instead of undefined.
  #row(sql: string, ...params: SqliteValue[]): unknown {
    return this.#statement(sql).get(...params) ?? undefined;
  }

  #all(sql: string, ...params: SqliteValue[]): readonly unknown[] {
    return this.#statement(sql).all(...params);
  }

  #statement(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** For the switch to the write-ahead log, SQLite does not wait for other processes that open the same new file. */
function useWriteAheadLog(database: SqliteDatabase): void {
  const deadline = performance.now() + BUSY_MS;
  for (;;) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      const isLocked =
        error instanceof Error && /locked|busy/iu.test(error.message);
      if (!isLocked || performance.now() >= deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

function recordOf({ record }: Row): TaskRecord {
  return JSON.parse(record) as TaskRecord;
}
