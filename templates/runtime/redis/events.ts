/** Event logs in Redis: a stream for each session. */
import type { EventLog, EventPosition, LoggedEvent } from "../cluster/types.js";
import { RedisScript } from "./client.js";
import type { RedisContext } from "./context.js";

/**
 * XADD rejects an id that is not above the last one, even if the stream is empty by now. After the first one that is
 * accepted, neither that nor a lack of memory stops the others.
 */
const APPEND = new RedisScript(`
for index = 3, #ARGV, 2 do
  local reply = redis.pcall('XADD', KEYS[1], 'MAXLEN', ARGV[2], ARGV[index], 'd', ARGV[index + 1])
  if type(reply) == 'table' and reply.err then
    if index == 3 and string.find(reply.err, 'equal or smaller', 1, true) then return 0 end
    return redis.error_reply(reply.err)
  end
  if index == 3 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
end
return 1
`);

/** A log is a stream whose ids are `generation-sequence`. */
export class RedisEventLog implements EventLog {
  readonly #context: RedisContext;
  readonly #maxEvents: number;

  /** @param maxEvents - Of a session; beyond it, the oldest ones are removed. */
  constructor(context: RedisContext, maxEvents: number) {
    this.#context = context;
    this.#maxEvents = maxEvents;
  }

  async append(
    session: string,
    events: readonly LoggedEvent[],
    ttl: number,
  ): Promise<boolean> {
    const { connection, cipher } = this.#context;
    const key = await this.#key(session);
    const values: string[] = [];
    for (const event of events) {
      cipher.checkSize(event.data, "An event");
      const id = idOf(event);
      values.push(id, await cipher.encrypt(key, id, event.data));
    }
    const reply = await connection.script(
      APPEND,
      [key],
      [ttl, this.#maxEvents, ...values],
    );
    return reply === 1;
  }

  async read(
    session: string,
    after: EventPosition | undefined,
    limit: number,
  ): Promise<readonly LoggedEvent[]> {
    if (limit < 1) return [];
    const { connection, cipher } = this.#context;
    const key = await this.#key(session);
    const entries = streamEntries(
      await connection.command(key, [
        "XRANGE",
        key,
        after === undefined ? "-" : `(${idOf(after)}`,
        "+",
        "COUNT",
        String(limit),
      ]),
    );
    const events: LoggedEvent[] = [];
    for (const { id, value } of entries) {
      const [generation, sequence] = id.split("-").map(Number);
      const data = await cipher.decrypt(key, id, value);
      events.push({
        generation: generation ?? 0,
        sequence: sequence ?? 0,
        data,
      });
    }
    return events;
  }

  async trim(session: string, before: EventPosition): Promise<void> {
    const key = await this.#key(session);
    await this.#context.connection.command(key, [
      "XTRIM",
      key,
      "MINID",
      idOf(before),
    ]);
  }

  async extend(session: string, ttl: number): Promise<void> {
    const key = await this.#key(session);
    await this.#context.connection.command(key, ["PEXPIRE", key, String(ttl)]);
  }

  async delete(session: string): Promise<void> {
    const key = await this.#key(session);
    await this.#context.connection.command(key, ["UNLINK", key]);
  }

  async #key(session: string): Promise<string> {
    const [key] = await this.#context.keys.of(session, "events");
    return key;
  }
}

/** An entry of a stream, with its only field. */
export interface StreamEntry {
  readonly id: string;
  readonly value: string;
}

/** The entries in the reply of XRANGE, or of one stream in that of XREAD. */
export function streamEntries(reply: unknown): readonly StreamEntry[] {
  if (!Array.isArray(reply)) return [];
  return (
    reply as readonly (readonly [string, readonly [string, string]])[]
  ).map(([id, [, value]]) => ({ id, value }));
}

function idOf({ generation, sequence }: EventPosition): string {
  return `${generation}-${sequence}`;
}
