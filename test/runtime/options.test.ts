/** Values of options at their limits, and the message for each value beyond. */
import { describe, expect, test } from 'vitest';
import { ResultCache } from '../../generated/runtime/client/cache.js';
import { keepAlive } from '../../generated/runtime/client/keep-alive.js';
import { ClientTasks } from '../../generated/runtime/tasks/client.js';
import { BackOff } from '../../generated/runtime/http/client/back-off.js';
import {
  CallerResumeBudget,
  ResumeBudget,
  type EventStore,
} from '../../generated/runtime/http/server/resume-budget.js';
import { oauthProvider } from '../../generated/runtime/oauth-client.js';
import { listedTool } from '../../generated/runtime/registry/tools.js';
import { stdioServerTransport } from '../../generated/runtime/stdio-server.js';
import { TaskManager } from '../../generated/runtime/tasks/manager.js';
import { checkPositive } from '../../generated/runtime/tasks/types.js';

/** The name and message of what an action throws; undefined if it does not. */
function thrownBy(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

type Row = readonly [name: string, create: (value: number) => unknown, least: number, message: string];

const NUMBERS: readonly Row[] = [
  ['cache.maxEntries', (maxEntries) => new ResultCache({ maxEntries }), 0, 'must be at least 0'],
  ['cache.maxChars', (maxChars) => new ResultCache({ maxChars }), 0, 'must be at least 0'],
  ['keepAlive.intervalMs', (intervalMs) => keepAlive({ intervalMs }), 1, 'must be greater than 0'],
  ['keepAlive.timeoutMs', (timeoutMs) => keepAlive({ timeoutMs }), 1, 'must be greater than 0'],
  ['reconnect.maxAttempts', (maxAttempts) => new BackOff({ maxAttempts }), 0, 'must be at least 0'],
  ['reconnect.initialDelayMs', (initialDelayMs) => new BackOff({ initialDelayMs }), 0, 'must be at least 0'],
  ['reconnect.maxDelayMs', (maxDelayMs) => new BackOff({ maxDelayMs }), 0, 'must be at least 0'],
  ['drainMs', (drainMs) => stdioServerTransport({ drainMs }), 0, 'must be at least 0'],
  ['maxUnread', (maxUnread) => stdioServerTransport({ maxUnread }), 1, 'must be at least 1'],
  ...(['ttlMs', 'maxTtlMs', 'pollIntervalMs', 'leaseMs', 'syncMs', 'maxRunning'] as const).map((name): Row => [
    name,
    (value) => new TaskManager({ [name]: value }),
    1,
    'must be a positive integer',
  ]),
];

describe.each(NUMBERS)('%s', (name, create, least, message) => {
  test('accepts its least value', () => {
    expect(thrownBy(() => create(least))).toBeUndefined();
  });

  test.each([least - 1, -1, Number.NaN])('rejects %d', (value) => {
    expect(thrownBy(() => create(value))).toBe(`RangeError: ${name} ${message}, not ${value}`);
  });
});

test('a positive integer may be absent, and has no fraction', () => {
  for (const value of [undefined, null, 1, Number.MAX_SAFE_INTEGER])
    expect(
      thrownBy(() => {
        checkPositive('x', value);
      }),
    ).toBeUndefined();
  for (const value of [0, 1.5, Number.MAX_SAFE_INTEGER + 1, Number.POSITIVE_INFINITY])
    expect(
      thrownBy(() => {
        checkPositive('x', value);
      }),
    ).toBe(`RangeError: x must be a positive integer, not ${value}`);
});

describe('a client of OAuth', () => {
  const redirect = { url: 'http://127.0.0.1/x', open: () => undefined } as never;
  const grant = 'client_credentials';

  test.each<[string, object, string | undefined]>([
    ['nothing', { client: {} }, 'the client needs an id, a metadataUrl or a registration'],
    ['a secret alone', { client: { metadataUrl: 'https://a/b', secret: 'x' } }, 'client.secret needs client.id'],
    [
      'a secret and a key',
      { client: { id: 'a', secret: 'x', privateKey: {} } },
      'a client has a secret or a privateKey, not both',
    ],
    ...['http://a.example/b', 'https://a.example/', 'https://a.example/b#c', 'no URL'].map(
      (metadataUrl): [string, object, string] => [
        `the metadata ${metadataUrl}`,
        { client: { metadataUrl }, redirect },
        'client.metadataUrl must be an https URL with a path and no fragment',
      ],
    ),
    ['no redirect', { client: { id: 'a' } }, 'the grant authorization_code needs a redirect'],
    [
      'no redirect for the grant',
      { client: { id: 'a' }, grant: 'authorization_code' },
      'the grant authorization_code needs a redirect',
    ],
    [
      'a public key',
      { client: { id: 'a' }, grant, dpop: { privateKey: { type: 'public' } } },
      'dpop.privateKey must be a private key',
    ],
    ['an id', { client: { id: 'a' }, redirect }, undefined],
    ['an id and a secret', { client: { id: 'a', secret: 'x' }, grant }, undefined],
    ['a key', { client: { id: 'a', privateKey: {} }, grant }, undefined],
    ['metadata', { client: { metadataUrl: 'https://a.example/b' }, redirect }, undefined],
    ['registration', { client: { registration: {} }, redirect }, undefined],
    ['DPoP', { client: { id: 'a' }, grant, dpop: true }, undefined],
  ])('with %s', (_, options, message) => {
    expect(thrownBy(() => oauthProvider(options as never))).toBe(message && `TypeError: ${message}`);
  });
});

test('a tool needs schemas that are wrapped', () => {
  const tool = { name: 'echo' };
  expect(thrownBy(() => listedTool({ ...tool, input: { type: 'object' } } as never))).toBe(
    'TypeError: tool echo: pass its input to inputSchema of runtime/standard-schema',
  );
  expect(thrownBy(() => listedTool({ ...tool, output: { type: 'object' } } as never))).toBe(
    'TypeError: tool echo: pass its output to outputSchema of runtime/standard-schema',
  );
  expect(listedTool(tool as never)).toEqual({ name: 'echo', inputSchema: { type: 'object' } });
});

test('the tasks of a client serve one client', () => {
  const tasks = new ClientTasks({});
  expect(thrownBy(() => tasks.resume('a', {}))).toBe(
    'TypeError: pass the value of `clientTasks()` to a client as its `tasks`',
  );
  tasks.bind({} as never);
  expect(
    thrownBy(() => {
      tasks.bind({} as never);
    }),
  ).toBe('TypeError: a value of `clientTasks()` serves one client; create another one');
});

describe('the budget of events for clients that reconnect', () => {
  /** A session with events of one character each. */
  class Holder implements EventStore {
    heapIndex = -1;
    bufferedChars = 0;
    readonly name: string;
    readonly #log: string[];
    readonly #budget: Pick<ResumeBudget, 'adjust' | 'markDelivered'>;
    #delivered = 0;

    constructor(name: string, budget: Pick<ResumeBudget, 'adjust' | 'markDelivered'>, log: string[]) {
      [this.name, this.#budget, this.#log] = [name, budget, log];
    }

    add(count: number, delivered = 0): this {
      this.bufferedChars += count;
      this.#delivered += delivered;
      this.#budget.adjust(this, count);
      if (delivered > 0) this.#budget.markDelivered(this);
      return this;
    }

    dropDelivered(): boolean {
      if (this.#delivered === 0) return false;
      this.#delivered -= 1;
      return this.#drop('delivered');
    }

    dropUndelivered(): boolean {
      if (this.bufferedChars <= this.#delivered) return false;
      return this.#drop('undelivered');
    }

    #drop(kind: string): boolean {
      this.#log.push(`${this.name} ${kind}`);
      this.bufferedChars -= 1;
      this.#budget.adjust(this, -1);
      return true;
    }
  }

  test('drops nothing at the limit, and events of the largest holder past it', () => {
    const log: string[] = [];
    const budget = new ResumeBudget(10);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => new Holder(name, budget, log)) as [Holder, Holder, Holder];
    a.add(3, 3);
    b.add(5, 1);
    c.add(2);
    budget.trim();
    expect([budget.used, log]).toEqual([10, []]);
    c.add(4);
    budget.trim();
    // The largest has no delivered event, so those of others go first: the earliest that has some.
    expect([budget.used, log]).toEqual([10, ['a delivered', 'a delivered', 'a delivered', 'b delivered']]);
    a.add(3);
    budget.trim();
    expect([budget.used, log.slice(4)]).toEqual([10, ['c undelivered', 'c undelivered', 'c undelivered']]);
  });

  test('reserves a quarter of the limit, for which delivered events are dropped', () => {
    const log: string[] = [];
    const budget = new ResumeBudget(16);
    const holder = new Holder('a', budget, log).add(14, 1);
    expect([budget.reserve(5), budget.used]).toEqual([false, 14]);
    expect([budget.reserve(3), budget.used, log]).toEqual([true, 16, ['a delivered']]);
    expect([budget.reserve(1), budget.used]).toEqual([false, 16]);
    holder.add(-2);
    expect([budget.reserve(2), budget.reserve(1), budget.used]).toEqual([false, true, 15]);
    budget.release(4);
    expect(budget.used).toBe(11);
    expect([budget.reserve(4), budget.used]).toEqual([true, 15]);
  });

  test('knows the largest holder as holders grow, shrink and go', () => {
    const log: string[] = [];
    const budget = new ResumeBudget(0);
    const sizes = [5, 3, 9, 1, 7, 2, 8, 6, 4];
    const holders = sizes.map((size) => new Holder(`h${size}`, budget, log).add(size));
    const largest = (): string => {
      budget.dropUndelivered();
      return log.at(-1) ?? '';
    };
    expect(largest()).toBe('h9 undelivered');
    holders[3]?.add(20);
    expect(largest()).toBe('h1 undelivered');
    holders[3]?.add(-20);
    // It keeps nothing more, so it is not in the heap.
    expect(holders[3]?.heapIndex).toBe(-1);
    log.length = 0;
    while (budget.used > 0) budget.trim();
    // The sizes of what was dropped never grow.
    expect(log).toHaveLength(43);
    const left = new Map(sizes.filter((size) => size !== 1).map((size) => [`h${size}`, size === 9 ? 8 : size]));
    for (const line of log) {
      const [name = ''] = line.split(' ');
      expect(left.get(name)).toBe(Math.max(...left.values()));
      left.set(name, (left.get(name) ?? 0) - 1);
    }
    expect(budget.dropUndelivered()).toBe(false);
  });

  test('counts the sessions of one caller as one', () => {
    const log: string[] = [];
    const all = new ResumeBudget(10);
    const [many, one] = [new CallerResumeBudget(all), new CallerResumeBudget(all)];
    expect([many.max, many.bufferedChars]).toEqual([10, 0]);
    new Holder('a', many, log).add(4);
    new Holder('b', many, log).add(4, 2);
    new Holder('c', one, log).add(5, 5);
    many.trim();
    expect([all.used, many.bufferedChars, log]).toEqual([10, 6, ['b delivered', 'b delivered', 'c delivered']]);
    expect([one.reserve(2), one.reserve(1), all.used]).toEqual([true, false, 10]);
    one.release(2);
    expect(all.used).toBe(8);
  });
});
