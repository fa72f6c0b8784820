/**
 * A cache on disk of what takes long to compute. It is safe to delete and never trusted blindly: each entry is sealed
 * with a key of the user that is kept elsewhere, so one that was damaged, moved, forged or copied from another machine
 * counts as missing. Whatever fails, the result is computed again.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Bytes of the key of a user. */
const KEY_BYTES = 32;
/** Most entries, and most bytes of all of them; the oldest are removed. */
const MAX_ENTRIES = 2000;
const MAX_BYTES = 64 * 1024 * 1024;
/** A larger text is not stored. */
const MAX_ENTRY_BYTES = 4 * 1024 * 1024;
const SEAL_LENGTH = 64;

/** The folder of the cache, and the file of the key. */
export interface CachePlaces {
  readonly folder: string;
  readonly keyFile: string;
}

/** The usual places of the system. */
export function cachePlaces(env: NodeJS.ProcessEnv = process.env, platform = process.platform): CachePlaces {
  const home = os.homedir();
  const local = env['LOCALAPPDATA'] ?? path.join(home, 'AppData', 'Local');
  const [cache, state] =
    platform === 'win32'
      ? [path.join(local, 'mcpgen', 'Cache'), path.join(local, 'mcpgen')]
      : platform === 'darwin'
        ? [path.join(home, 'Library', 'Caches', 'mcpgen'), path.join(home, 'Library', 'Application Support', 'mcpgen')]
        : [path.join(home, '.cache', 'mcpgen'), path.join(home, '.local', 'state', 'mcpgen')];
  return {
    folder: absolute(env['XDG_CACHE_HOME']) ?? cache,
    keyFile: path.join(absolute(env['XDG_STATE_HOME']) ?? state, 'cache-key'),
  };
}

/** A folder of the XDG base directories, which only counts if it is absolute. */
function absolute(folder: string | undefined): string | undefined {
  return folder !== undefined && path.isAbsolute(folder) ? path.join(folder, 'mcpgen') : undefined;
}

/** Sealed texts by key. Several processes may use one at the same time. */
export class SealedCache {
  readonly #kind: string;
  readonly #places: CachePlaces;
  #secret: Buffer | undefined;
  #hasPruned = false;

  /** @param kind - What the entries are; those of different kinds never meet. */
  constructor(kind: string, places = cachePlaces()) {
    this.#kind = kind;
    this.#places = places;
  }

  /** The text that was stored for a key; undefined without an intact one. */
  read(key: string): string | undefined {
    try {
      const secret = this.#readSecret();
      const entry = readFileSync(this.#file(key), 'utf8');
      const body = entry.slice(SEAL_LENGTH);
      const seal = Buffer.from(entry.slice(0, SEAL_LENGTH), 'hex');
      const expected = Buffer.from(this.#seal(secret, key, body), 'hex');
      return seal.length === expected.length && timingSafeEqual(seal, expected) ? body : undefined;
    } catch {
      return undefined;
    }
  }

  /** Stores a text, if that is possible. */
  write(key: string, text: string): void {
    if (text.length > MAX_ENTRY_BYTES) return;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      const secret = this.#readOrCreateSecret();
      const temporary = path.join(this.#folder, `.${process.pid}-${randomBytes(6).toString('hex')}`);
      writeFileSync(temporary, this.#seal(secret, key, text) + text, { mode: 0o600, flag: 'wx' });
      // Readers see the old entry or the new one.
      renameSync(temporary, this.#file(key));
      this.#prune();
    } catch {
      // A cache that cannot be written is not used.
    }
  }

  get #folder(): string {
    return path.join(this.#places.folder, this.#kind);
  }

  #file(key: string): string {
    return path.join(this.#folder, createHash('sha256').update(key).digest('hex'));
  }

  #seal(secret: Buffer, key: string, text: string): string {
    const hash = createHash('sha256').update(text).digest('hex');
    return createHmac('sha256', secret)
      .update(JSON.stringify([this.#kind, key, hash]))
      .digest('hex');
  }

  #readSecret(): Buffer {
    if (this.#secret !== undefined) return this.#secret;
    const { keyFile } = this.#places;
    const stats = lstatSync(keyFile);
    // One that others can write is not a secret.
    const isPrivate = process.platform === 'win32' || (stats.mode & 0o077) === 0;
    const isOwn = process.getuid === undefined || stats.uid === process.getuid();
    const secret = readFileSync(keyFile);
    if (!stats.isFile() || !isPrivate || !isOwn || secret.length !== KEY_BYTES) throw new Error('not a key');
    this.#secret = secret;
    return secret;
  }

  #readOrCreateSecret(): Buffer {
    try {
      return this.#readSecret();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    const { keyFile } = this.#places;
    mkdirSync(path.dirname(keyFile), { recursive: true, mode: 0o700 });
    const temporary = `${keyFile}.${process.pid}-${randomBytes(6).toString('hex')}`;
    writeFileSync(temporary, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx' });
    try {
      // Of two processes, the first one chooses the key.
      linkSync(temporary, keyFile);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
    return this.#readSecret();
  }

  /** Removes the entries that were written first, if there are too many; once for each process. */
  #prune(): void {
    if (this.#hasPruned) return;
    this.#hasPruned = true;
    const entries = readdirSync(this.#folder)
      .map((name) => {
        const file = path.join(this.#folder, name);
        const { mtimeMs, size } = statSync(file);
        return { file, mtimeMs, size };
      })
      .sort((a, b) => b.mtimeMs - a.mtimeMs);
    let bytes = 0;
    for (const [index, { file, size }] of entries.entries()) {
      bytes += size;
      if (index >= MAX_ENTRIES || bytes > MAX_BYTES) rmSync(file, { force: true });
    }
  }
}
