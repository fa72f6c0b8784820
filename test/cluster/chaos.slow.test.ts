/** Processes that are killed, and a rolling deploy, while clients talk to them. */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect } from 'vitest';
import { randomFrom } from '../support/random.js';
import { REDIS_MISSING } from '../support/redis.js';
import { describeUnless, testUnless } from '../support/skip.js';
import { itemsOf, shareOfToday, shareText, skipReason } from '../support/today.js';
import { converse, Results, type Guest } from './conversations.js';
import { startFleet, type Fleet, type FleetOptions } from './fleet.js';

const PROGRAM = path.join(import.meta.dirname, 'work-server.ts');
const LEASE = 2000;
/**
 * How long a call may take that meets a process which ends, in addition to its work. A client may meet several, and may
 * wait for its turn to resume.
 */
const MAX_WAIT = 20_000;
const EVERYTHING = process.env['MCPGEN_ALL'] === '1';

/** Every one of these says what happened, and that the call may have run where it is not known. */
const CLEAR = [
  /the process that handled this request has stopped; it may have run/u,
  // What the load balancer answers when a process ended before it has answered.
  /the connection to the process broke: E(?:CONNRESET|PIPE)|socket hang up|\b502\b/u,
  // What clients report of a connection that breaks before the first event of a stream.
  /the connection broke before the first event|terminated|ended before|ended without|closed before|connection .* lost/iu,
  // Each attempt met a process that ended.
  /gave up after \d+ failed attempts to resume/u,
  /the session store is not available/u,
  /\b503\b/u,
];

let fleet: Fleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

async function start(options: Partial<FleetOptions> = {}): Promise<Fleet> {
  fleet = await startFleet({ program: PROGRAM, lease: LEASE, env: { MCPGEN_RECORD: '1' }, ...options });
  return fleet;
}

/** Runs conversations, so many at a time. */
async function runConversations(url: string, count: number, atOnce: number, calls: number): Promise<Results> {
  const results = new Results();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      const kind = index % 10;
      const who: Guest = kind < 5 ? 'ours' : kind < 8 ? 'by hand' : kind === 8 ? 'v1' : 'v2';
      await converse({ url, who, name: `c${index}`, calls, random: randomFrom(index + 1), maxMs: 600 }, results);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

/** How often each call was run. */
async function runsOf({ redis }: Fleet, { outcomes }: Results): Promise<ReadonlyMap<string, number>> {
  const counts = (await redis.cli('mget', ...outcomes.map(({ call }) => `runs:${call}`))).split('\n');
  return new Map(outcomes.map(({ call }, index) => [call, Number(counts[index] ?? 0)]));
}

interface StoredEvent {
  readonly kind: string;
  readonly event: { readonly key: number; readonly text: string; readonly isListenStream: boolean };
}

/** Events whose storing was acknowledged, and that the client which resumed their stream has not received. */
async function lostEvents({ redis }: Fleet, { streams }: Results): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const session of new Set(streams.map((stream) => stream.session))) {
    const stored = (await redis.cli('lrange', `acknowledged:${session}`, '0', '-1')).split('\n');
    const entries = stored.filter((line) => line !== '').map((line) => JSON.parse(line) as StoredEvent);
    for (const { key, ids } of streams.filter((stream) => stream.session === session)) {
      const received = new Set(ids);
      for (const { kind, event } of entries) {
        if (kind !== 'event' || event.isListenStream || String(event.key) !== key) continue;
        const id = /^id: (.*)$/mu.exec(event.text)?.[1] ?? '';
        if (!received.has(id)) lost.push(`${session}: ${id}`);
      }
    }
  }
  return lost;
}

async function expectNothingLost(running: Fleet, results: Results): Promise<void> {
  const runs = await runsOf(running, results);
  expect([...runs].filter(([, count]) => count > 1)).toEqual([]);
  const { outcomes, streams, lost } = results;
  expect(outcomes.filter(({ call, error }) => error === undefined && runs.get(call) !== 1)).toEqual([]);
  // The official clients wait until they give up if they cannot resume a stream; ours report it at once.
  const waited = outcomes.filter(({ ms, took }) => took > ms + MAX_WAIT);
  expect(waited.filter(({ who }) => who !== 'v1' && who !== 'v2')).toEqual([]);
  expect(waited.length).toBeLessThanOrEqual(running.balancer.unresumed);
  expect(lost).toEqual([]);
  expect(streams.filter(({ ids }) => new Set(ids).size !== ids.length)).toEqual([]);
  expect(await lostEvents(running, results)).toEqual([]);
}

function count(errors: readonly (string | undefined)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const error of errors) {
    const name = error ?? 'answered';
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const share = shareOfToday(2);
const reasonToday = (name: 'kill' | 'deploy'): string | undefined =>
  skipReason(itemsOf(['kill', 'deploy'], share).includes(name), share);

describeUnless(REDIS_MISSING)(`three processes, ${shareText(share)}`, () => {
  testUnless(reasonToday('kill'))(
    'processes are killed or stand still at random: each call ends with its answer or a clear error, none runs twice, no session ends',
    { timeout: 300_000 },
    async () => {
      const running = await start();
      const random = randomFrom(20_261_130);
      let kills = 0;
      let freezes = 0;
      const state = { isOver: false };
      const killing = (async () => {
        while (!state.isOver) {
          await delay(300 + random() * 1200);
          const member = running.members[Math.floor(random() * running.members.length)];
          if (member?.isRunning !== true) continue;
          // One that stands still for longer than a lease is taken for dead, and does not know it when it goes on.
          if (random() < 0.2) {
            freezes += 1;
            await member.freeze(LEASE * (1 + random()));
            continue;
          }
          kills += 1;
          await member.kill();
          await delay(random() * 500);
          await member.start();
        }
      })();
      const conversations = EVERYTHING ? 200 : 60;
      const results = await runConversations(running.url, conversations, EVERYTHING ? 40 : 15, 6);
      state.isOver = true;
      await killing;
      if (process.env['MCPGEN_REPORT'] === '1') {
        const { outcomes, streams, failedOpenings } = results;
        const longest = Math.max(...outcomes.map(({ ms, took }) => took - ms));
        const { unresumed } = running.balancer;
        console.log({ kills, freezes, failedOpenings, streams: streams.length, longest, unresumed });
        for (const who of ['ours', 'by hand', 'v1', 'v2'])
          console.log(who, count(outcomes.filter((outcome) => outcome.who === who).map(({ error }) => error)));
      }
      expect(results.outcomes).toHaveLength(6 * conversations);
      expect(kills).toBeGreaterThan(2);
      await expectNothingLost(running, results);
      const errors = results.outcomes
        .filter(({ ms, took }) => took <= ms + MAX_WAIT)
        .flatMap(({ error }) => (error === undefined ? [] : [error]));
      expect(errors.filter((error) => !CLEAR.some((pattern) => pattern.test(error)))).toEqual([]);
      expect(errors.length).toBeGreaterThan(0);
    },
  );

  testUnless(reasonToday('deploy'))(
    'each process is replaced in turn: every call is answered, and every session goes on',
    { timeout: 300_000 },
    async () => {
      const running = await start();
      const state = { isOver: false };
      const deploying = (async () => {
        for (const member of running.members) {
          await delay(500);
          await member.terminate();
          await member.start();
        }
        state.isOver = true;
      })();
      const results = await runConversations(running.url, 40, 40, EVERYTHING ? 20 : 8);
      await deploying;
      if (process.env['MCPGEN_REPORT'] === '1') console.log(count(results.outcomes.map(({ error }) => error)));
      await expectNothingLost(running, results);
      expect(count(results.outcomes.map(({ error }) => error))).toEqual({ answered: results.outcomes.length });
    },
  );
});
