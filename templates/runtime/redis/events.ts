/** Event logs in Redis: a stream for each session. */
import type { EventLog, EventPosition, LoggedEvent } from "../cluster/types.js";
import { OrderedBatches } from "./batches.js";
import { RedisScript } from "./client.js";
import type { RedisContext } from "./context.js";

/** XADD rejects an id that is not above the last one, even if the stream is empty by now. Returns 1 or 0 for each event. */
const APPEND = new RedisScript(`
local results = {}
for index = 3, #ARGV, 2 do
  local reply = redis.pcall('XADD', KEYS[1], 'MAXLEN', ARGV[2], ARGV[index], 'd', ARGV[index + 1])
  if type(reply) == 'table' and reply.err then
    if not string.find(reply.err, 'equal or smaller', 1, true) then return redis.error_reply(reply.err) end
    table.insert(results, 0)
  else
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    table.insert(results, 1)
  end
end
return results
`);

interface Appended {
  readonly id: string;
  readonly text: string;
  readonly ttl: number;
}

/**
 * A log is a stream whose ids are `generation-sequence`. Calls for the same session are carried out in their order, even if
 * the caller does not wait for each.
 */
export class RedisEventLog implements EventLog {
  readonly #context: RedisContext;
  readonly #appends: OrderedBatches<Appended, boolean>;

  /** @param maxEvents - Of a session; beyond it, the oldest ones are removed. */
  constructor(context: RedisContext, maxEvents: number) {
    this.#context = context;
    this.#appends = new OrderedBatches(async (session, events) => {
      const key = await this.#key(session);
      const values = [];
      for (const { id, text } of events)
        values.push(id, await context.cipher.encrypt(key, id, text));
      const ttl = Math.max(...events.map((event) => event.ttl));
      const results = (await context.connection.script(
        APPEND,
        [key],
        [ttl, maxEvents, ...values],
      )) as readonly number[];
      return results.map((result) => result === 1);
    });
  }

  async append(
    session: string,
    event: LoggedEvent,
    ttl: number,
  ): Promise<boolean> {
    const { data: text } = event;
    this.#context.cipher.checkSize(text, "An event");
    return this.#appends.add(session, { id: idOf(event), text, ttl });
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
