/**
 * What the checks of stores and clusters report: each answer of a right implementation is changed once, and the messages
 * are compared with the texts in the folder `reports`.
 */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { checkCluster, clusterChecks } from '../../generated/runtime/cluster-check.js';
import { memoryCluster } from '../../generated/runtime/cluster/memory.js';
import { checkTaskStore, taskStoreChecks } from '../../generated/runtime/task-store-check.js';
import { memoryTaskStore } from '../../generated/runtime/tasks/memory-store.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** An answer that is wrong for sure. */
function wrong(answer: unknown): unknown {
  if (typeof answer === 'boolean') return !answer;
  if (typeof answer === 'number') return answer + 1;
  if (typeof answer === 'string') return `${answer}!`;
  if (answer === undefined || answer === null) return { wrong: true };
  return undefined;
}

/** Counts calls by the name of the method, and answers one of them wrongly. */
class Saboteur {
  readonly calls = new Map<string, number>();
  readonly #target: string | undefined;
  readonly #change: (answer: unknown) => unknown;

  /** @param target - The method and the number of the call, such as `get 2`. */
  constructor(target?: string, change: (answer: unknown) => unknown = wrong) {
    this.#target = target;
    this.#change = change;
  }

  wrap<T extends object>(subject: T): T {
    return new Proxy(subject, {
      get: (_, name) => {
        const member: unknown = Reflect.get(subject, name, subject);
        if (typeof member === 'object' && member !== null) return this.wrap(member);
        if (typeof member !== 'function' || name === 'close') return member;
        return (...given: unknown[]): unknown => {
          const answer: unknown = Reflect.apply(member, subject, given);
          return this.#answer(String(name), answer);
        };
      },
    });
  }

  #answer(name: string, answer: unknown): unknown {
    const count = (this.calls.get(name) ?? 0) + 1;
    this.calls.set(name, count);
    if (`${name} ${count}` !== this.#target) return answer;
    return answer instanceof Promise ? answer.then(this.#change) : this.#change(answer);
  }
}

interface Check {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Runs a check, with time that passes at once. */
async function outcomeOf(check: Check): Promise<string> {
  let outcome: string | undefined;
  check.run().then(
    () => (outcome = 'passes'),
    (error: unknown) => (outcome = error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
  );
  for (let round = 0; outcome === undefined; round += 1) {
    if (round > 5000) return 'does not end';
    await vi.advanceTimersByTimeAsync(10);
  }
  return outcome;
}

/** The reports of all checks, for each of the first calls of each method. */
async function reportsOf(checksOf: (saboteur: Saboteur) => readonly Check[], most: number): Promise<string> {
  const lines: string[] = [];
  for (const [index, { name }] of checksOf(new Saboteur()).entries()) {
    const checkAt = (saboteur: Saboteur): Check =>
      checksOf(saboteur)[index] ?? { name, run: () => Promise.reject(new Error('gone')) };
    const honest = new Saboteur();
    lines.push(`# ${name}: ${await outcomeOf(checkAt(honest))}`);
    for (const [method, count] of honest.calls) {
      for (let call = 1; call <= Math.min(count, most); call += 1) {
        const target = `${method} ${call}`;
        lines.push(`${target}: ${await outcomeOf(checkAt(new Saboteur(target)))}`);
      }
    }
    lines.push('');
  }
  const escaped = (line: string): string =>
    line.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return lines.map((line) => escaped(line).slice(0, 300)).join('\n');
}

test('each check of a task store reports a wrong answer', async () => {
  const reports = await reportsOf(
    (saboteur) =>
      taskStoreChecks(() => ({ store: saboteur.wrap(memoryTaskStore({ maxTasks: 20 })) }), { maxTasks: 20 }),
    12,
  );
  await expect(reports).toMatchFileSnapshot('reports/task-store.txt');
});

test('each check of a cluster reports a wrong answer', async () => {
  const reports = await reportsOf(
    (saboteur) => clusterChecks(() => ({ cluster: saboteur.wrap(memoryCluster()) }), { timeUnit: 100, patience: 200 }),
    12,
  );
  await expect(reports).toMatchFileSnapshot('reports/cluster.txt');
});

test('an error of a store or a cluster is the cause of the report', async () => {
  vi.useRealTimers();
  const thrown = new Error('no connection');
  const fail = (): never => {
    throw thrown;
  };
  const cluster = new Saboteur('create 1', fail).wrap(memoryCluster());
  await expect(checkCluster(() => ({ cluster }))).rejects.toMatchObject({
    name: 'ClusterCheckError',
    message: 'returns a session as it was created: the cluster threw',
    cause: thrown,
  });
  const store = new Saboteur('create 1', fail).wrap(memoryTaskStore({ maxTasks: 20 }));
  await expect(checkTaskStore(() => ({ store }), { maxTasks: 20 })).rejects.toMatchObject({
    name: 'TaskStoreCheckError',
    message: 'returns a task as it was created: the store threw',
    cause: thrown,
  });
});
