import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import type { OAuthStore } from "./store.js";

/** Windows has no O_NOFOLLOW: the value is undefined there. */
const READ_FLAGS =
  constants.O_RDONLY | ((constants.O_NOFOLLOW as number | undefined) ?? 0);

/** Milliseconds between signs of life of a process that holds a lock. */
const LOCK_REFRESH_MS = 2000;
/** Age of the last sign of life at which a lock counts as left behind. */
const LOCK_STALE_MS = 10_000;
const LOCK_POLL_MS = 50;
/** After that, a process goes on without the lock: requests of a holder have shorter timeouts. */
const LOCK_TIMEOUT_MS = 90_000;
/** Files that a crashed process leaves are deleted after this time. */
const TEMPORARY_TTL_MS = 60_000;

/**
 * Stores tokens in a folder, each value in its own file. Files are replaced as a whole, so several processes can use
 * the folder at once. The folder and its files are for this user only: the folder is created with mode 0700, files have
 * mode 0600, and a folder or file that others can access is refused.
 *
 * @param folder - Its path; parents are created too.
 * @throws Error from the methods if the folder or a file can be accessed by others, or a file is not one of this store.
 */
export function fileStore(folder: string): Required<OAuthStore> {
  return new FileStore(path.resolve(folder));
}

interface StoredFile {
  /** The whole key, since names of files are hashes. */
  readonly key: string;
  readonly value: object;
  readonly expiresAt?: number;
}

class FileStore implements Required<OAuthStore> {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async get(key: string): Promise<object | undefined> {
    return (await this.#read(this.#file(key), key))?.value;
  }

  async set(key: string, value: object, expiresAt?: number): Promise<void> {
    await this.#prepare();
    await this.#deleteExpired();
    const stored: StoredFile = {
      key,
      value,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
    const temporary = `${this.#file(key)}.${randomBytes(8).toString("hex")}.tmp`;
    try {
      const handle = await fs.open(temporary, "wx", 0o600);
      try {
        await handle.writeFile(JSON.stringify(stored));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await fs.rename(temporary, this.#file(key));
    } catch (error) {
      await fs.rm(temporary, { force: true });
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    await fs.rm(this.#file(key), { force: true });
  }

  async exclusive<Result>(
    key: string,
    task: () => Promise<Result>,
  ): Promise<Result> {
    await this.#prepare();
    const release = await lock(`${this.#file(key)}.lock`);
    try {
      return await task();
    } finally {
      await release();
    }
  }

  #file(key: string): string {
    const name = createHash("sha256").update(key).digest("hex");
    return path.join(this.#folder, `${name}.json`);
  }

  async #prepare(): Promise<void> {
    await fs.mkdir(this.#folder, { recursive: true, mode: 0o700 });
    checkAccess(this.#folder, await fs.stat(this.#folder), "700");
  }

  async #read(file: string, key?: string): Promise<StoredFile | undefined> {
    let text: string;
    try {
      const handle = await fs.open(file, READ_FLAGS);
      try {
        checkAccess(file, await handle.stat(), "600");
        text = await handle.readFile("utf8");
      } finally {
        await handle.close();
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
    const stored = parseFile(text);
    if (stored === undefined || (key !== undefined && stored.key !== key))
      throw new Error(
        `${file} is not a file of this token store; delete it and sign in again`,
      );
    return stored;
  }

  /** Deletes what nobody will come back for. */
  async #deleteExpired(): Promise<void> {
    const now = Date.now();
    for (const name of await fs.readdir(this.#folder)) {
      const file = path.join(this.#folder, name);
      if (/^[0-9a-f]{64}\.json\.[0-9a-f]{16}\.tmp$/.test(name)) {
        const stats = await fs.stat(file).catch(() => undefined);
        if (stats !== undefined && stats.mtimeMs < now - TEMPORARY_TTL_MS)
          await fs.rm(file, { force: true });
      } else if (/^[0-9a-f]{64}\.json$/.test(name)) {
        const stored = await this.#read(file).catch(() => undefined);
        if (stored?.expiresAt !== undefined && stored.expiresAt < now)
          await fs.rm(file, { force: true });
      }
    }
  }
}

function parseFile(text: string): StoredFile | undefined {
  try {
    const { key, value, expiresAt } = JSON.parse(text) as {
      readonly [Member in keyof StoredFile]?: unknown;
    };
    return typeof key === "string" &&
      typeof value === "object" &&
      value !== null
      ? { key, value, ...(typeof expiresAt === "number" ? { expiresAt } : {}) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Windows has no modes; its folders of users are private. */
function checkAccess(
  file: string,
  { mode, uid }: { readonly mode: number; readonly uid: number },
  wanted: string,
): void {
  if (process.platform === "win32") return;
  if ((mode & 0o077) !== 0)
    throw new Error(
      `${file} can be accessed by other users (mode ${(mode & 0o777).toString(8)}); tokens may have leaked: revoke them, delete it and sign in again, or run chmod ${wanted}`,
    );
  if (process.getuid !== undefined && uid !== process.getuid())
    throw new Error(`${file} belongs to another user; choose another folder`);
}

/** Waits for a lock. A holder that ended without releasing it no longer updates its time. */
async function lock(file: string): Promise<() => Promise<void>> {
  const end = Date.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    try {
      const handle = await fs.open(file, "wx", 0o600);
      const { ino } = await handle.stat();
      await handle.close();
      const timer = setInterval(() => {
        const now = new Date();
        fs.utimes(file, now, now).catch(() => undefined);
      }, LOCK_REFRESH_MS);
      timer.unref();
      return async () => {
        clearInterval(timer);
        const stats = await fs.stat(file).catch(() => undefined);
        if (stats?.ino === ino) await fs.rm(file, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    if (Date.now() > end) return () => Promise.resolve();
    await breakStale(file);
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
  }
}

/** Takes a stale lock away. If another process was faster, the lock that it has made since is put back. */
async function breakStale(file: string): Promise<void> {
  const seen = await fs.stat(file).catch(() => undefined);
  if (seen === undefined || Date.now() - seen.mtimeMs < LOCK_STALE_MS) return;
  const aside = `${file}.${randomBytes(8).toString("hex")}`;
  try {
    await fs.rename(file, aside);
    const moved = await fs.stat(aside);
    if (moved.ino !== seen.ino) await fs.link(aside, file);
  } catch {
    // Another process has released or replaced it.
  } finally {
    await fs.rm(aside, { force: true });
  }
}
