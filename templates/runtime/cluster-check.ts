/** Checks an implementation of `Cluster`, in any test runner. */
import { difference } from "./checks/compare.js";
import type {
  Cluster,
  EventPosition,
  LoggedEvent,
  SessionRecord,
} from "./cluster/types.js";

/** Opens an empty cluster, and other connections to the same data. */
export interface OpenedCluster {
  readonly cluster: Cluster;
  /** Opens the same data as another process does; absent if only one process can use them. */
  readonly reopen?: (() => Cluster | Promise<Cluster>) | undefined;
}

/** What {@link clusterChecks} needs to know of an implementation. */
export interface ClusterCheckOptions {
  /**
   * Half of the shortest life that is tested, in milliseconds; 100 by default. Several calls after one another have to
   * take less.
   */
  readonly timeUnit?: number | undefined;
  /** How long a message may take, in milliseconds; 10,000 by default. */
  readonly patience?: number | undefined;
}

/** A violation of the rules of `Cluster`. */
export class ClusterCheckError extends Error {
  override readonly name = "ClusterCheckError";
}

/** One rule of `Cluster`, by name. */
export interface ClusterCheck {
  readonly name: string;
  /** Rejects with a {@link ClusterCheckError}, or what the cluster throws. */
  readonly run: () => Promise<void>;
}

/**
 * The rules of `Cluster` as checks, each on another empty cluster, which it closes:
 *
 *     for (const check of clusterChecks(() => ({ cluster: memoryCluster() })))
 *       test(check.name, check.run);
 */
export function clusterChecks(
  open: () => OpenedCluster | Promise<OpenedCluster>,
  { timeUnit = 100, patience = 10_000 }: ClusterCheckOptions = {},
): readonly ClusterCheck[] {
  return Object.entries(CHECKS).map(([name, check]) => ({
    name,
    run: async () => {
      const { cluster, reopen } = await open();
      const other = (await reopen?.()) ?? cluster;
      try {
        await check(new Subject(cluster, other, timeUnit, patience));
      } finally {
        await cluster.close();
        await other.close();
      }
    },
  }));
}

/** Runs all of {@link clusterChecks}, one after the other. */
export async function checkCluster(
  open: () => OpenedCluster | Promise<OpenedCluster>,
  options: ClusterCheckOptions = {},
): Promise<void> {
  for (const { name, run } of clusterChecks(open, options)) {
    try {
      await run();
    } catch (error) {
      if (error instanceof ClusterCheckError) throw error;
      throw new ClusterCheckError(`${name}: the cluster threw`, {
        cause: error,
      });
    }
  }
}

class Subject {
  readonly cluster: Cluster;
  /** The same data, as another process sees it. */
  readonly other: Cluster;
  /** A life that ends within the check. */
  readonly short: number;
  readonly #patience: number;

  constructor(
    cluster: Cluster,
    other: Cluster,
    timeUnit: number,
    patience: number,
  ) {
    this.cluster = cluster;
    this.other = other;
    this.short = 2 * timeUnit;
    this.#patience = patience;
  }

  /** Waits until what was stored with a `short` life has expired. */
  readonly expire = (): Promise<void> => delay(1.5 * this.short);

  /** Waits for a quarter of a `short` life. */
  readonly waitQuarter = (): Promise<void> => delay(0.25 * this.short);

  async until(what: string, isTrue: () => boolean): Promise<void> {
    const deadline = performance.now() + this.#patience;
    while (!isTrue()) {
      if (performance.now() > deadline)
        throw new ClusterCheckError(
          `${what}: did not happen within ${this.#patience} ms`,
        );
      await delay(5);
    }
  }
}

/** A life that does not end within a check, in milliseconds. */
const LONG = 60_000;
const MANY = 50;
/** Characters that escapes, patterns and key names treat differently. */
const ODD = '{a}:*?[b] \u0000\r\n"\\/\u2028é\u0301\u{1F600}\uFEFF\uFFFF%7B$';
const ODD_IDS = [
  "",
  " ",
  "a",
  "A",
  "a ",
  "a:b",
  "{a}",
  "a}{b",
  "a*",
  "\u00e9",
  "e\u0301",
  ODD,
  "x".repeat(2000),
];
const LARGE = `${ODD}${"\u{1F600}abcdefgh".repeat(200_000)}`;

const CHECKS: Readonly<Record<string, (subject: Subject) => Promise<void>>> = {
  "returns a session as it was created": async ({ cluster, other }) => {
    const record = sampleSession("a", { principal: ODD, state: ODD });
    expectEqual(await cluster.sessions.create(record, LONG), true, "create");
    expectEqual(await cluster.sessions.get("a"), record, "get");
    expectEqual(await other.sessions.get("a"), record, "get of the other");
    const free = sampleSession("b", { owner: undefined, principal: "" });
    await cluster.sessions.create(free, LONG);
    expectEqual(await other.sessions.get("b"), free, "one without an owner");
    expectEqual(
      (await other.sessions.get("b"))?.owner,
      undefined,
      "its owner, which is not an empty address",
    );
  },
  "keeps sessions with similar ids apart": async ({ cluster, other }) => {
    for (const id of ODD_IDS)
      expectEqual(
        await cluster.sessions.create(sampleSession(id, { state: id }), LONG),
        true,
        `create of ${JSON.stringify(id.slice(0, 40))}`,
      );
    for (const id of ODD_IDS)
      expectEqual(
        (await other.sessions.get(id))?.state,
        id,
        `state of ${JSON.stringify(id.slice(0, 40))}`,
      );
    expectEqual(await other.sessions.get("b"), undefined, "an unknown id");
  },
  "creates an id once": async ({ cluster, other, short, expire }) => {
    await cluster.sessions.create(sampleSession("a", { state: "1" }), LONG);
    expectEqual(
      await other.sessions.create(sampleSession("a", { state: "2" }), short),
      false,
      "create of an id that is in use",
    );
    expectEqual((await other.sessions.get("a"))?.state, "1", "its state");
    const made = await atOnce(MANY, (index) =>
      (index % 2 === 0 ? cluster : other).sessions.create(
        sampleSession("b", { owner: `p${index}` }),
        short,
      ),
    );
    expectEqual(made.filter(Boolean).length, 1, "concurrent creations");
    expectEqual(
      (await cluster.sessions.get("b"))?.owner,
      `p${made.indexOf(true)}`,
      "owner after concurrent creations",
    );
    await expire();
    expectEqual(
      await other.sessions.create(sampleSession("b"), LONG),
      true,
      "create of an id that has expired",
    );
    expectEqual(
      (await cluster.sessions.get("a"))?.state,
      "1",
      "a session that a rejected creation did not shorten",
    );
  },
  "replaces only the version before": async ({ cluster, other }) => {
    const record = sampleSession("a");
    await cluster.sessions.create(record, LONG);
    const next = { ...record, version: 2, state: "x" };
    const taken = { ...next, version: 3, owner: "new", generation: 2 };
    expectEqual(await cluster.sessions.replace(next, LONG), true, "replace");
    expectEqual(
      await other.sessions.replace({ ...next, state: "y" }, LONG),
      false,
      "a second replace of version 1",
    );
    expectEqual(await other.sessions.get("a"), next, "session");
    expectEqual(
      await cluster.sessions.replace({ ...next, version: 4 }, LONG),
      false,
      "replace of a version that is not there",
    );
    expectEqual(
      await cluster.sessions.replace({ ...taken, id: "b" }, LONG),
      false,
      "replace of an unknown session",
    );
    expectEqual(await other.sessions.get("b"), undefined, "that session");
    expectEqual(await other.sessions.replace(taken, LONG), true, "a new owner");
    expectEqual(await cluster.sessions.get("a"), taken, "its session");
    const free = { ...taken, version: 4, owner: undefined };
    expectEqual(await other.sessions.replace(free, LONG), true, "no owner");
    expectEqual(await cluster.sessions.get("a"), free, "its session");
  },
  "lets one of many concurrent replacements succeed": async ({
    cluster,
    other,
  }) => {
    const record = sampleSession("a");
    await cluster.sessions.create(record, LONG);
    const outcomes = await atOnce(MANY, (index) =>
      (index % 2 === 0 ? cluster : other).sessions.replace(
        { ...record, version: 2, owner: `p${index}` },
        LONG,
      ),
    );
    expectEqual(outcomes.filter(Boolean).length, 1, "replacements");
    expectEqual(
      (await other.sessions.get("a"))?.owner,
      `p${outcomes.indexOf(true)}`,
      "owner",
    );
  },
  "lets sessions expire": async ({ cluster, other, short, expire }) => {
    const { sessions } = cluster;
    for (const id of ["gone", "extended", "replaced", "shortened"])
      await sessions.create(sampleSession(id), short);
    await sessions.create(sampleSession("long"), LONG);
    expectEqual(
      await other.sessions.extend("extended", "owner", LONG),
      true,
      "extend",
    );
    await other.sessions.replace(
      sampleSession("replaced", { version: 2 }),
      LONG,
    );
    await sessions.extend("long", "owner", short);
    expectEqual((await other.sessions.get("gone"))?.id, "gone", "before");
    await expire();
    expectEqual(await other.sessions.get("gone"), undefined, "after its life");
    expectEqual(await other.sessions.get("long"), undefined, "one shortened");
    expectEqual((await other.sessions.get("extended"))?.version, 1, "extended");
    expectEqual((await other.sessions.get("replaced"))?.version, 2, "replaced");
    expectEqual(
      await sessions.replace(sampleSession("gone", { version: 2 }), LONG),
      false,
      "replace of an expired session",
    );
    expectEqual(
      await sessions.extend("gone", "owner", LONG),
      false,
      "extend of an expired session",
    );
    expectEqual(await sessions.delete("gone"), false, "delete of it");
    expectEqual(await other.sessions.get("gone"), undefined, "it stays away");
  },
  "extends a session for its owner only": async ({ cluster, other }) => {
    await cluster.sessions.create(sampleSession("a"), LONG);
    const free = sampleSession("b", { owner: undefined });
    await cluster.sessions.create(free, LONG);
    for (const [id, owner, expected] of [
      ["a", "owner", true],
      ["a", "another", false],
      ["a", "", false],
      ["b", "owner", false],
      ["b", "", false],
      ["unknown", "owner", false],
    ] as const)
      expectEqual(
        await other.sessions.extend(id, owner, LONG),
        expected,
        `extend of ${id} by ${JSON.stringify(owner)}`,
      );
  },
  "deletes a session, whoever owns it": async ({ cluster, other }) => {
    await cluster.sessions.create(sampleSession("a"), LONG);
    await cluster.sessions.create(sampleSession("b"), LONG);
    expectEqual(await other.sessions.delete("a"), true, "delete");
    expectEqual(await cluster.sessions.get("a"), undefined, "the session");
    expectEqual(await cluster.sessions.delete("a"), false, "a second delete");
    expectEqual((await cluster.sessions.get("b"))?.id, "b", "another session");
  },
  "counts sessions, and those of a principal": async ({
    cluster,
    other,
    short,
    expire,
  }) => {
    const usage = (principal: string) => other.sessions.usage(principal);
    expectEqual(await usage("ann"), { total: 0, held: 0 }, "usage at first");
    for (const [id, principal, ttl] of [
      ["a1", "ann", LONG],
      ["a2", "ann", LONG],
      ["a3", "ann", short],
      ["a4", "ann", short],
      ["b1", "bob", short],
      ["o1", ODD, LONG],
      ["n1", "", LONG],
    ] as const)
      await cluster.sessions.create(sampleSession(id, { principal }), ttl);
    await cluster.sessions.create(
      sampleSession("a1", { principal: "bob" }),
      LONG,
    );
    await cluster.sessions.replace(
      sampleSession("a2", { principal: "ann", version: 2 }),
      LONG,
    );
    await cluster.sessions.extend("a4", "owner", LONG);
    expectEqual(await usage("ann"), { total: 7, held: 4 }, "usage of ann");
    expectEqual(await usage("bob"), { total: 7, held: 1 }, "usage of bob");
    expectEqual(await usage(ODD), { total: 7, held: 1 }, "an odd principal");
    expectEqual(await usage(""), { total: 7, held: 1 }, "no principal");
    expectEqual(await usage("eve"), { total: 7, held: 0 }, "usage of eve");
    await cluster.sessions.delete("a1");
    await cluster.sessions.delete("a1");
    expectEqual(await usage("ann"), { total: 6, held: 3 }, "after a delete");
    await expire();
    expectEqual(
      await usage("ann"),
      { total: 4, held: 2 },
      "after some expired",
    );
    expectEqual(await usage("bob"), { total: 4, held: 0 }, "bob's, after that");
  },
  "returns events in order": async ({ cluster, other }) => {
    const events = [
      [1, 1],
      [1, 2],
      [1, 10],
      [2, 1],
      [2, 9_000_000_000],
      [10, 3],
    ].map(([generation = 0, sequence = 0]) =>
      sampleEvent(generation, sequence),
    );
    for (const event of events)
      expectEqual(
        await cluster.events.append("s", [event], LONG),
        true,
        `append of ${positionText(event)}`,
      );
    await cluster.events.append("t", [sampleEvent(1, 1, "another")], LONG);
    const read = async (after: LoggedEvent | undefined, limit: number) =>
      (await other.events.read("s", after, limit)).map((event) => ({
        ...event,
      }));
    expectEqual(await read(undefined, 100), events, "all events");
    expectEqual(await read(undefined, 2), events.slice(0, 2), "the first two");
    expectEqual(await read(events[1], 3), events.slice(2, 5), "the next three");
    expectEqual(
      await read(sampleEvent(1, 5), 1),
      events.slice(2, 3),
      "the one after a position without an event",
    );
    expectEqual(await read(events.at(-1), 9), [], "those after the last");
    expectEqual(await other.events.read("u", undefined, 9), [], "another log");
  },
  "appends events at the end only": async ({ cluster, other }) => {
    await cluster.events.append("s", [sampleEvent(2, 5, "first")], LONG);
    for (const [generation, sequence] of [
      [2, 5],
      [2, 4],
      [1, 6],
      [1, 100],
    ] as const)
      expectEqual(
        await other.events.append(
          "s",
          [sampleEvent(generation, sequence, "late")],
          LONG,
        ),
        false,
        `append of ${generation}-${sequence} after 2-5`,
      );
    expectEqual(
      await other.events.append("s", [sampleEvent(3, 1, "next")], LONG),
      true,
      "append of 3-1 after 2-5",
    );
    expectEqual(
      (await cluster.events.read("s", undefined, 9)).map(({ data }) => data),
      ["first", "next"],
      "events",
    );
    const outcomes = await atOnce(MANY, (index) =>
      (index % 2 === 0 ? cluster : other).events.append(
        "s",
        [sampleEvent(3, 2, String(index))],
        LONG,
      ),
    );
    expectEqual(outcomes.filter(Boolean).length, 1, "concurrent appends");
    expectEqual(
      (await cluster.events.read("s", sampleEvent(3, 1), 9)).map(
        ({ data }) => data,
      ),
      [String(outcomes.indexOf(true))],
      "the event of concurrent appends",
    );
  },
  "appends several events, all or none": async ({ cluster, other }) => {
    const sequences = (from: number, count: number): readonly LoggedEvent[] =>
      repeat(count, (index) => sampleEvent(2, from + index));
    expectEqual(
      await cluster.events.append("s", sequences(5, 200), LONG),
      true,
      "append of 200 events",
    );
    expectEqual(
      await other.events.append("s", sequences(100, 200), LONG),
      false,
      "append of events of which only some are at the end",
    );
    const events = await other.events.read("s", undefined, 500);
    expectEqual(
      events.map(positionText),
      sequences(5, 200).map(positionText),
      "events",
    );
    await cluster.events.trim("s", sampleEvent(9, 1));
    expectEqual(
      await other.events.append(
        "s",
        [sampleEvent(2, 204), sampleEvent(3, 1)],
        LONG,
      ),
      false,
      "append of events of which the first is not above a trimmed one",
    );
    expectEqual(await other.events.read("s", undefined, 9), [], "events");
  },
  "keeps the end of a log after a trim": async ({ cluster, other }) => {
    for (const sequence of [1, 2, 3])
      await cluster.events.append("s", [sampleEvent(2, sequence)], LONG);
    await other.events.trim("s", sampleEvent(2, 2));
    expectEqual(
      (await cluster.events.read("s", undefined, 9)).map(positionText),
      ["2-2", "2-3"],
      "events from 2-2 on",
    );
    await cluster.events.trim("s", sampleEvent(1, 9));
    expectEqual(
      (await other.events.read("s", undefined, 9)).length,
      2,
      "events after a trim before the first",
    );
    await cluster.events.trim("s", sampleEvent(9, 1));
    expectEqual(
      await other.events.read("s", undefined, 9),
      [],
      "events after a trim of everything",
    );
    for (const [generation, sequence, expected] of [
      [2, 3, false],
      [1, 50, false],
      [2, 4, true],
      [3, 1, true],
    ] as const)
      expectEqual(
        await other.events.append(
          "s",
          [sampleEvent(generation, sequence)],
          LONG,
        ),
        expected,
        `append of ${generation}-${sequence} after a trim of everything`,
      );
    await cluster.events.trim("unknown", sampleEvent(1, 1));
  },
  "lets logs expire": async ({ cluster, other, short, expire }) => {
    const { events } = cluster;
    for (const session of ["gone", "extended", "continued"])
      await events.append(session, [sampleEvent(1, 1)], short);
    await other.events.extend("extended", LONG);
    await other.events.extend("unknown", LONG);
    await other.events.append("continued", [sampleEvent(1, 2)], LONG);
    const count = async (session: string) =>
      (await other.events.read(session, undefined, 9)).length;
    expectEqual(await count("gone"), 1, "events before");
    await expire();
    expectEqual(await count("gone"), 0, "events after the life of the log");
    expectEqual(await count("extended"), 1, "events of an extended log");
    expectEqual(await count("continued"), 2, "events of one that went on");
    expectEqual(
      await events.append("gone", [sampleEvent(1, 1)], LONG),
      true,
      "append to a log that has expired",
    );
  },
  "deletes a log": async ({ cluster, other }) => {
    await cluster.events.append("a", [sampleEvent(1, 1)], LONG);
    await cluster.events.append("b", [sampleEvent(1, 1)], LONG);
    await other.events.delete("a");
    await other.events.delete("unknown");
    expectEqual(await cluster.events.read("a", undefined, 9), [], "events");
    expectEqual(
      (await cluster.events.read("b", undefined, 9)).length,
      1,
      "events of another log",
    );
  },
  "carries large and odd values": async (subject) => {
    const { cluster, other } = subject;
    const session = sampleSession("a", { state: LARGE });
    await cluster.sessions.create(session, LONG);
    expectText((await other.sessions.get("a"))?.state, LARGE, "state");
    for (const id of ODD_IDS)
      await cluster.events.append(id, [sampleEvent(1, 1, id + ODD)], LONG);
    for (const id of ODD_IDS)
      expectText(
        (await other.events.read(id, undefined, 1))[0]?.data,
        id + ODD,
        `event of ${JSON.stringify(id.slice(0, 40))}`,
      );
    await cluster.events.append("a", [sampleEvent(1, 2, LARGE)], LONG);
    const [, large] = await other.events.read("a", undefined, 9);
    expectText(large?.data, LARGE, "event");
    const received: string[] = [];
    await cluster.mailbox.open(ODD, LONG, (message) => received.push(message));
    const messages = [ODD, LARGE, "", "x", LARGE, "y"];
    for (const message of messages)
      expectEqual(await other.mailbox.send(ODD, message), true, "send");
    await subject.until("six messages", () => received.length >= 6);
    messages.forEach((message, index) => {
      expectText(received[index], message, `message ${index}`);
    });
    expectEqual(await other.mailbox.list(), [ODD], "open mailboxes");
  },
  "delivers each message once, in the order of its sender": async (subject) => {
    const { cluster, other } = subject;
    const received: string[] = [];
    await cluster.mailbox.open("a", LONG, (message) => received.push(message));
    await other.mailbox.open("b", LONG, () => {
      throw new ClusterCheckError("received a message to another mailbox");
    });
    const outcomes = await atOnce(400, (index) =>
      index % 2 === 0
        ? cluster.mailbox.send("a", `own ${index}`)
        : other.mailbox.send("a", `other ${index}`),
    );
    expectEqual(outcomes.filter(Boolean).length, 400, "messages sent");
    await subject.until("400 messages", () => received.length >= 400);
    await delay(20);
    expectEqual(received.length, 400, "messages received");
    for (const [sender, first] of [
      ["own", 0],
      ["other", 1],
    ] as const)
      expectEqual(
        received.filter((message) => message.startsWith(sender)),
        repeat(200, (index) => `${sender} ${2 * index + first}`),
        `messages of ${sender}`,
      );
  },
  "refuses messages to mailboxes that are not open": async (subject) => {
    const { cluster, other, short } = subject;
    const received: string[] = [];
    const receive = (message: string): void => {
      received.push(message);
    };
    await cluster.mailbox.open("closed", LONG, receive);
    await cluster.mailbox.open("expired", short, receive);
    await cluster.mailbox.close("closed");
    await cluster.mailbox.close("unknown");
    for (const sender of [cluster, other]) {
      expectEqual(await sender.mailbox.send("none", "x"), false, "to unknown");
      expectEqual(await sender.mailbox.send("closed", "x"), false, "to closed");
    }
    await subject.expire();
    for (const sender of [cluster, other])
      expectEqual(await sender.mailbox.send("expired", "x"), false, "expired");
    expectEqual(await other.mailbox.isOpen("closed"), false, "closed is open");
    expectEqual(await other.mailbox.isOpen("expired"), false, "expired is");
    expectEqual(await other.mailbox.isOpen("none"), false, "none is open");
    await delay(20);
    expectEqual(received, [], "messages received");
  },
  "opens an address once": async ({ cluster, other }) => {
    await cluster.mailbox.open("a", LONG, () => undefined);
    for (const opener of [cluster, other])
      expectEqual(
        await throws(async () =>
          opener.mailbox.open("a", LONG, () => undefined),
        ),
        true,
        "open of an address that is in use throws",
      );
    expectEqual(await other.mailbox.isOpen("a"), true, "the first is open");
    expectEqual(await other.mailbox.send("a", "x"), true, "it receives");
  },
  "renews a lease that has not expired": async (subject) => {
    const { cluster, other, short } = subject;
    const received: string[] = [];
    await cluster.mailbox.open("a", short, (message) => {
      received.push(message);
    });
    await cluster.mailbox.open("b", short, () => undefined);
    for (let round = 0; round < 6; round += 1) {
      await subject.waitQuarter();
      expectEqual(await cluster.mailbox.renew("a", short), true, "renew");
    }
    expectEqual(await other.mailbox.isOpen("a"), true, "it is open");
    expectEqual(await other.mailbox.list(), ["a"], "open mailboxes");
    expectEqual(await other.mailbox.send("a", "x"), true, "send");
    await subject.until("a message", () => received.length === 1);
    expectEqual(await cluster.mailbox.renew("b", LONG), false, "too late");
    expectEqual(await other.mailbox.isOpen("b"), false, "that one is open");
    expectEqual(await cluster.mailbox.renew("c", LONG), false, "unknown");
    expectEqual(await other.mailbox.isOpen("c"), false, "unknown is open");
    expectEqual(await other.mailbox.list(), ["a"], "open mailboxes after it");
  },
  "lists the open mailboxes": async ({ cluster, other }) => {
    expectEqual(await other.mailbox.list(), [], "open mailboxes at first");
    await cluster.mailbox.open("a", LONG, () => undefined);
    await other.mailbox.open("b", LONG, () => undefined);
    await cluster.mailbox.open("c", LONG, () => undefined);
    await cluster.mailbox.close("c");
    for (const reader of [cluster, other])
      expectEqual(
        [...(await reader.mailbox.list())].sort(),
        ["a", "b"],
        "open mailboxes",
      );
  },
};

function sampleSession(
  id: string,
  members: Partial<SessionRecord> = {},
): SessionRecord {
  return {
    id,
    version: 1,
    owner: "owner",
    generation: 1,
    principal: "",
    state: '{"revision":"2025-11-25"}',
    ...members,
  };
}

function sampleEvent(
  generation: number,
  sequence: number,
  data = `{"n":${sequence}}`,
): LoggedEvent {
  return { generation, sequence, data };
}

function positionText({ generation, sequence }: EventPosition): string {
  return `${generation}-${sequence}`;
}

/** Calls at the same time. */
function atOnce<T>(
  count: number,
  call: (index: number) => T | Promise<T>,
): Promise<T[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => call(index)),
  );
}

function repeat<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

async function throws(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return false;
  } catch {
    return true;
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function expectEqual(found: unknown, expected: unknown, what: string): void {
  const text = difference(found, expected);
  if (text !== undefined) throw new ClusterCheckError(`${what}: ${text}`);
}

/** For texts that are too long to print. */
function expectText(
  found: string | undefined,
  expected: string,
  what: string,
): void {
  if (found !== expected)
    throw new ClusterCheckError(
      `${what}: a text of ${expected.length} characters came back changed${found === undefined ? ": it is missing" : ""}`,
    );
}
