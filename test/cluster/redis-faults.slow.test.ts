/** Redis is slow, stands still, is full, and loses everything, while three processes serve sessions that they share in it. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { REDIS_MISSING } from '../support/redis.js';
import { describeUnless, testUnless } from '../support/skip.js';
import { itemsOf, shareOfToday, shareText, skipReason } from '../support/today.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { bundledProgram, Member, startFleet, type Fleet } from './fleet.js';

const PROGRAM = path.join(import.meta.dirname, 'work-server.ts');
const LEASE = 2000;
const TIMEOUT = LEASE / 2;
/** Every call ends within this time, whatever happens to Redis. */
const MAX_CALL_MS = 2 * LEASE + TIMEOUT + 2000;
/** When Redis is back, calls succeed after at most this time. */
const MAX_RECOVERY_MS = LEASE + 2000;
const GUESTS = 6;

/** What a call was answered. */
interface Answer {
  readonly at: number;
  readonly took: number;
  /** `ok`, or what went wrong. */
  readonly outcome: string;
}

/** A client that opens a session, and another one when its session is unknown. */
class Guest {
  readonly answers: Answer[] = [];
  readonly #url: string;
  #session: string | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  /** Makes calls, one after the other, until it is over. */
  async talk(state: { readonly isOver: boolean }): Promise<void> {
    while (!state.isOver) {
      const at = performance.now();
      const outcome = await this.call().catch((error: unknown) => String(error));
      this.answers.push({ at, took: performance.now() - at, outcome });
      await delay(outcome === 'ok' ? 60 : 100);
    }
  }

  async call(): Promise<string> {
    this.#session ??= await this.#open();
    const params = { name: 'work', arguments: { call: 'x', ms: 10, steps: 0, isCounted: false } };
    const response = await this.#post({ id: 1, method: 'tools/call', params });
    const text = await response.text();
    if (response.status === 404) this.#session = undefined;
    return response.status === 200 && text.includes('"result"') ? 'ok' : `${response.status} ${text}`;
  }

  async #open(): Promise<string> {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'guest', version: '1' } };
    const response = await this.#post({ id: 0, method: 'initialize', params });
    const text = await response.text();
    const session = response.headers.get('mcp-session-id');
    if (session === null) throw new Error(`${response.status} ${text}`);
    return session;
  }

  #post(message: object): Promise<Response> {
    const own =
      this.#session === undefined
        ? undefined
        : { 'mcp-session-id': this.#session, 'mcp-protocol-version': '2025-11-25' };
    return fetch(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...own },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      signal: AbortSignal.timeout(30_000),
    });
  }
}

/** What a client may be answered while Redis is not as it should be. */
const CLEAR = [
  /^503 .*"the session store is not available"/u,
  /^200 .*"code":-32603,"message":"the process that handled this request has stopped; it may have run"/u,
];

const share = shareOfToday(2);
const today = itemsOf(['slow', 'full', 'still', 'restarted', 'emptied'], share);
const reasonToday = (fault: string): string | undefined => skipReason(today.includes(fault), share);

describeUnless(REDIS_MISSING)(`three processes, ${shareText(share)}, while Redis`, () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'redis-faults-'));
  let fleet: Fleet;
  let line: TcpProxy;
  let alone: Member;
  let guests: Guest[] = [];
  let inMemory: Guest;
  beforeAll(async () => {
    // The port of Redis is known when the fleet starts.
    fleet = await startFleet({
      program: PROGRAM,
      lease: LEASE,
      timeout: TIMEOUT,
      redisUrl: async (redis) => {
        line = await startTcpProxy(redis.port);
        return `redis://127.0.0.1:${line.port}`;
      },
    });
    alone = new Member(await bundledProgram(PROGRAM, folder), {}, {});
    await alone.start();
    guests = Array.from({ length: GUESTS }, () => new Guest(fleet.url));
    inMemory = new Guest(`http://127.0.0.1:${alone.port}/mcp`);
    for (const guest of [...guests, inMemory]) expect(await guest.call()).toBe('ok');
  });
  afterAll(async () => {
    await fleet.stop();
    await line.close();
    await alone.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  /**
   * Lets all guests talk while something happens to Redis, and for some time after that.
   *
   * @returns The answers to calls that began before it was over, and those to calls that began once it had to be repaired.
   */
  async function during(happens: () => Promise<void>): Promise<Readonly<Record<'during' | 'after', Answer[]>>> {
    const state = { isOver: false };
    for (const guest of [...guests, inMemory]) guest.answers.length = 0;
    const talking = Promise.all([...guests, inMemory].map((guest) => guest.talk(state)));
    await delay(200);
    await happens();
    const end = performance.now();
    await delay(MAX_RECOVERY_MS + 1000);
    state.isOver = true;
    await talking;
    const answers = guests.flatMap((guest) => guest.answers);
    expect(answers.filter(({ took }) => took > MAX_CALL_MS)).toEqual([]);
    // A server without Redis does not notice anything.
    expect(inMemory.answers.filter(({ outcome, took }) => outcome !== 'ok' || took > 2000)).toEqual([]);
    return {
      during: answers.filter(({ at }) => at < end),
      after: answers.filter(({ at }) => at > end + MAX_RECOVERY_MS),
    };
  }

  const failures = (answers: readonly Answer[]): string[] =>
    answers.map(({ outcome }) => outcome).filter((outcome) => outcome !== 'ok');
  const unclear = (answers: readonly Answer[]): string[] =>
    failures(answers).filter((outcome) => !CLEAR.some((pattern) => pattern.test(outcome)));

  testUnless(reasonToday('slow'))('is slow by 200 ms: every call is answered', async () => {
    const answers = await during(async () => {
      line.delayMs = 200;
      await delay(3000);
      line.delayMs = 0;
    });
    expect(failures([...answers.during, ...answers.after])).toEqual([]);
    expect(answers.during.length).toBeGreaterThan(GUESTS);
    expect(answers.after.length).toBeGreaterThan(GUESTS);
  });

  testUnless(reasonToday('still'))(
    'stands still for longer than a lease: clear errors, and sessions go on afterwards',
    async () => {
      const answers = await during(async () => {
        fleet.redis.freeze();
        await delay(1.5 * LEASE);
        fleet.redis.unfreeze();
      });
      expect(unclear(answers.during)).toEqual([]);
      expect(failures(answers.during).length).toBeGreaterThan(0);
      expect(failures(answers.after)).toEqual([]);
      expect(answers.after.length).toBeGreaterThan(GUESTS);
    },
  );

  testUnless(reasonToday('full'))('is full: no new sessions, and those that are open go on afterwards', async () => {
    const answers = await during(async () => {
      await fleet.redis.cli('config', 'set', 'maxmemory', '1');
      await delay(300);
      expect(await new Guest(fleet.url).call().catch((error: unknown) => String(error))).toMatch(
        /503 .*"the session store is not available"/u,
      );
      await delay(LEASE);
      await fleet.redis.cli('config', 'set', 'maxmemory', '0');
    });
    expect(unclear(answers.during)).toEqual([]);
    expect(failures(answers.after)).toEqual([]);
    expect(answers.after.length).toBeGreaterThan(GUESTS);
  });

  const losses: [string, string, () => Promise<void>][] = [
    [
      'restarted',
      'starts again without its data',
      async () => {
        await fleet.redis.kill();
        await delay(500);
        await fleet.redis.start();
      },
    ],
    [
      'emptied',
      'is emptied',
      async () => {
        await fleet.redis.cli('flushall');
      },
    ],
  ];
  for (const [fault, name, happens] of losses)
    testUnless(reasonToday(fault))(`${name}: clients open new sessions`, async () => {
      const answers = await during(happens);
      const isUnknown = (outcome: string): boolean => /^404 .*session/iu.test(outcome);
      expect(unclear(answers.during).filter((outcome) => !isUnknown(outcome))).toEqual([]);
      expect(failures(answers.after)).toEqual([]);
      expect(answers.after.length).toBeGreaterThan(GUESTS);
    });
});
