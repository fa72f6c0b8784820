/** Mailboxes in Redis: a stream for each process, which it reads over its own connection. */
import type { Mailbox, MailReceiver } from "../cluster/types.js";
import { OrderedBatches } from "./batches.js";
import { byteLength } from "./cipher.js";
import { RedisScript, RedisStoreError } from "./client.js";
import type { RedisConnection } from "./client.js";
import { INDEX_ADD, INDEX_LIST } from "./context.js";
import type { RedisContext } from "./context.js";
import { streamEntries } from "./events.js";
import type { StreamEntry } from "./events.js";

/** A hash exists while the lease does; it counts the bytes that were not received. */
const OPEN = new RedisScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'bytes', 0)
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[2])
return 1
`);

const RENEW = new RedisScript(`
if redis.call('PEXPIRE', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return 1
`);

/** Returns how many of the messages fitted, or -1 if the mailbox is not open. */
const SEND = new RedisScript(`
local left = redis.call('PTTL', KEYS[1])
if left < 0 then return -1 end
local bytes = tonumber(redis.call('HGET', KEYS[1], 'bytes')) or 0
local count = redis.call('XLEN', KEYS[2])
local sent = 0
for index = 3, #ARGV do
  local size = #ARGV[index]
  if count >= tonumber(ARGV[2]) or (count > 0 and bytes + size > tonumber(ARGV[1])) then break end
  redis.call('XADD', KEYS[2], '*', 'd', ARGV[index])
  redis.call('PEXPIRE', KEYS[2], left)
  redis.call('HINCRBY', KEYS[1], 'bytes', size)
  bytes = bytes + size
  count = count + 1
  sent = sent + 1
end
return sent
`);

/** Removes the messages up to an id. */
const ACKNOWLEDGE = new RedisScript(`
redis.call('XTRIM', KEYS[2], 'MINID', ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HINCRBY', KEYS[1], 'bytes', -tonumber(ARGV[2])) end
return 1
`);

/** The limits of a mailbox. */
export interface MailboxLimits {
  readonly maxBytes: number;
  readonly maxMessages: number;
}

/** Messages that are read at once. */
const MAX_READ = 100;
/** How long a read waits. Short, since a client may close connections that are silent for some seconds. */
const BLOCK_MS = 1000;
const MIN_RETRY_MS = 50;
const MAX_RETRY_MS = 1000;

/**
 * Streams, not Pub/Sub: a message stays until its reader acknowledges it, so nothing is lost while the reader's connection
 * is broken, and a sender knows that Redis has the message. A reader keeps the id of the last message in memory, so it
 * receives each once.
 *
 * A mailbox has two keys in one slot, which expire with the lease: the lease, and the stream. The addresses of open ones
 * are in a sorted set by the time when they expire.
 */
export class RedisMailbox implements Mailbox {
  readonly #context: RedisContext;
  readonly #readers = new Map<string, MailReader>();
  /** The addresses that are being opened; one that is removed meanwhile was closed. */
  readonly #opening = new Set<string>();
  readonly #sends: OrderedBatches<{ readonly text: string }, SendOutcome>;

  constructor(context: RedisContext, limits: MailboxLimits) {
    this.#context = context;
    this.#sends = new OrderedBatches(async (address, messages) => {
      const [lease, mail] = await this.#keys(address);
      const values = [];
      for (const { text } of messages)
        values.push(await context.cipher.encrypt(mail, "", text));
      const sent = (await context.connection.script(
        SEND,
        [lease, mail],
        [limits.maxBytes, limits.maxMessages, ...values],
      )) as number;
      return messages.map((_, index) =>
        sent === -1 ? "closed" : index < sent ? "sent" : "full",
      );
    });
  }

  async open(
    address: string,
    lease: number,
    receive: MailReceiver,
  ): Promise<void> {
    if (this.#readers.has(address) || this.#opening.has(address)) throw inUse();
    this.#opening.add(address);
    try {
      await this.#open(address, lease, receive);
    } finally {
      this.#opening.delete(address);
    }
    await this.#index(address, lease);
  }

  async #open(
    address: string,
    lease: number,
    receive: MailReceiver,
  ): Promise<void> {
    const { connection, onError } = this.#context;
    const keys = await this.#keys(address);
    const reader = new MailReader({
      context: this.#context,
      keys,
      receive,
      connection: await connection.duplicate(onError),
    });
    try {
      this.#checkOpening(address);
      if ((await connection.script(OPEN, keys, [lease])) !== 1) throw inUse();
      this.#checkOpening(address);
    } catch (error) {
      reader.stop();
      throw error;
    }
    this.#readers.set(address, reader);
    void reader.run();
  }

  /** A slow connection may be ready only after its mailbox was given up. */
  #checkOpening(address: string): void {
    if (!this.#opening.has(address))
      throw new RedisStoreError(
        "failed",
        "The mailbox was closed while it was opened",
      );
  }

  async renew(address: string, lease: number): Promise<boolean> {
    const keys = await this.#keys(address);
    const isOpen = await this.#context.connection.script(RENEW, keys, [lease]);
    if (isOpen === 1) {
      // Not awaited: what matters is the lease, and with a slow Redis the answer would come too late for it.
      void this.#index(address, lease);
      return true;
    }
    this.#stop(address);
    return false;
  }

  async close(address: string): Promise<void> {
    const { connection } = this.#context;
    this.#stop(address);
    const keys = await this.#keys(address);
    await connection.command(keys[0], ["UNLINK", ...keys]);
    const index = this.#indexKey();
    await connection.command(index, ["ZREM", index, address]);
  }

  async send(address: string, message: string): Promise<boolean> {
    try {
      this.#context.cipher.checkSize(message, "A message");
    } catch (error) {
      throw unsent(error as RedisStoreError);
    }
    const outcome = await this.#sends.add(address, { text: message });
    if (outcome === "full")
      throw unsent(
        new RedisStoreError(
          "full",
          "A mailbox is full: its process does not read fast enough",
        ),
      );
    return outcome === "sent";
  }

  async isOpen(address: string): Promise<boolean> {
    const [lease] = await this.#keys(address);
    const count = await this.#context.connection.command(lease, [
      "EXISTS",
      lease,
    ]);
    return count === 1;
  }

  async list(): Promise<readonly string[]> {
    const reply = await this.#context.connection.script(
      INDEX_LIST,
      [this.#indexKey()],
      [],
    );
    return reply as readonly string[];
  }

  /** Ends the connections of all readers. */
  stop(): void {
    this.#opening.clear();
    for (const address of [...this.#readers.keys()]) this.#stop(address);
  }

  #stop(address: string): void {
    this.#opening.delete(address);
    this.#readers.get(address)?.stop();
    this.#readers.delete(address);
  }

  /** The lease decides; that a mailbox is missing in the list for a moment does no harm. */
  async #index(address: string, lease: number): Promise<void> {
    try {
      await this.#context.connection.script(
        INDEX_ADD,
        [this.#indexKey()],
        [lease, address],
      );
    } catch (error) {
      this.#context.onError(error as Error);
    }
  }

  #indexKey(): string {
    return this.#context.keys.single("mailboxes");
  }

  async #keys(address: string): Promise<MailboxKeys> {
    return this.#context.keys.of(address, "mailbox", "mail");
  }
}

type SendOutcome = "sent" | "closed" | "full";

/** Of the lease, and of the stream. */
type MailboxKeys = readonly [string, string];

/** Says that a message was certainly not sent, see `send` of {@link Mailbox}. */
function unsent(error: RedisStoreError): RedisStoreError {
  return Object.assign(error, { isUnsent: true });
}

function inUse(): RedisStoreError {
  return new RedisStoreError("failed", "The address of a mailbox is in use");
}

interface MailReaderOptions {
  readonly context: RedisContext;
  readonly keys: MailboxKeys;
  readonly receive: MailReceiver;
  readonly connection: RedisConnection;
}

/** Reads one mailbox until it is stopped, over a connection that it replaces when it breaks. */
class MailReader {
  readonly #context: RedisContext;
  readonly #keys: MailboxKeys;
  readonly #receive: MailReceiver;
  #connection: RedisConnection | undefined;
  #last = "0-0";
  #isStopped = false;

  constructor({ context, keys, receive, connection }: MailReaderOptions) {
    this.#context = context;
    this.#keys = keys;
    this.#receive = receive;
    this.#connection = connection;
  }

  async run(): Promise<void> {
    let retryMs = MIN_RETRY_MS;
    while (this.#isActive()) {
      try {
        await this.#readOnce(await this.#connect());
        retryMs = MIN_RETRY_MS;
      } catch (error) {
        if (!this.#isActive()) break;
        this.#context.onError(error as Error);
        this.#disconnect();
        await delay(retryMs);
        retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
      }
    }
    // A connection may have been opened since it was stopped.
    this.#disconnect();
  }

  stop(): void {
    this.#isStopped = true;
    this.#disconnect();
  }

  /** A method, since it may change during each wait. */
  #isActive(): boolean {
    return !this.#isStopped;
  }

  #disconnect(): void {
    this.#connection?.destroy();
    this.#connection = undefined;
  }

  async #readOnce(connection: RedisConnection): Promise<void> {
    const [lease, mail] = this.#keys;
    const entries = firstStream(
      await connection.command(
        mail,
        [
          "XREAD",
          "COUNT",
          String(MAX_READ),
          "BLOCK",
          String(BLOCK_MS),
          "STREAMS",
          mail,
          this.#last,
        ],
        BLOCK_MS,
      ),
    );
    let bytes = 0;
    for (const { id, value } of entries) {
      this.#last = id;
      bytes += byteLength(value);
      await this.#deliver(value);
    }
    if (entries.length === 0 || !this.#isActive()) return;
    // Not awaited: it goes out before the next read. If it fails, a later one removes these messages too.
    connection
      .script(ACKNOWLEDGE, [lease, mail], [nextId(this.#last), bytes])
      .catch(this.#context.onError);
  }

  async #connect(): Promise<RedisConnection> {
    if (this.#connection !== undefined) return this.#connection;
    const { connection, onError } = this.#context;
    const opened = await connection.duplicate(onError);
    this.#connection = opened;
    return opened;
  }

  async #deliver(value: string): Promise<void> {
    try {
      const [, mail] = this.#keys;
      const text = await this.#context.cipher.decrypt(mail, "", value);
      if (this.#isActive()) this.#receive(text);
    } catch (error) {
      // One that cannot be read does not stop the others.
      this.#context.onError(error as Error);
    }
  }
}

/** The entries of the only stream in a reply of XREAD, which is null, or a list (RESP2) or map (RESP3) of streams. */
function firstStream(reply: unknown): readonly StreamEntry[] {
  if (typeof reply !== "object" || reply === null) return [];
  const entries: unknown = Array.isArray(reply)
    ? (reply as readonly (readonly unknown[])[])[0]?.[1]
    : Object.values(reply)[0];
  return streamEntries(entries);
}

/** The id after one that Redis made. */
function nextId(id: string): string {
  const [time = "0", sequence = "0"] = id.split("-");
  return `${time}-${BigInt(sequence) + 1n}`;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
