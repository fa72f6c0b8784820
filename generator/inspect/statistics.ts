/** Counts and latencies of a conversation, in bounded memory. */
import type { Side } from '../recording/entry.js';
import { BoundedMap } from './bounded.js';
import type { InspectedEntry } from './finding.js';
import { keyOf } from '../recording/message.js';

/** Most methods, error codes and unanswered requests that are kept. */
const MAX_METHODS = 500;
const MAX_CODES = 500;
const MAX_OPEN = 10_000;
/** Unanswered requests that a report lists. */
const MAX_LISTED = 100;

/** Latencies of a method, in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

/** What is known about a method of one side. */
export interface MethodStatistics {
  readonly method: string;
  readonly from: Side;
  readonly kind: 'request' | 'notification';
  readonly count: number;
  readonly errors: number;
  readonly cancelled: number;
  readonly unanswered: number;
  /** Null without times. */
  readonly latency: Latency | null;
}

/** A request without a response. */
export interface Unanswered {
  readonly frame: number;
  readonly from: Side;
  readonly method: string;
  readonly id: string | number;
  readonly isCancelled: boolean;
}

/** The statistics of a conversation. */
export interface Statistics {
  readonly entries: number;
  readonly requests: number;
  readonly notifications: number;
  readonly responses: number;
  readonly invalid: number;
  /** From the first to the last time; null without times. */
  readonly durationMs: number | null;
  readonly methods: readonly MethodStatistics[];
  /** Errors by code, with the number of the first entry that has it. */
  readonly errors: readonly { readonly code: number; readonly count: number; readonly frame: number }[];
  /** The first ones; {@link MethodStatistics.unanswered} counts all. */
  readonly unanswered: readonly Unanswered[];
}

interface MethodCount {
  readonly method: string;
  readonly from: Side;
  readonly kind: 'request' | 'notification';
  count: number;
  errors: number;
  cancelled: number;
  readonly latencies: Histogram;
}

interface Open extends Omit<Unanswered, 'isCancelled'> {
  isCancelled: boolean;
}

/** Collects the statistics of a conversation. */
export class StatisticsCollector {
  #entries = 0;
  #requests = 0;
  #notifications = 0;
  #responses = 0;
  #invalid = 0;
  #firstTime: number | undefined;
  #lastTime: number | undefined;
  readonly #methods = new Map<string, MethodCount>();
  readonly #errors = new Map<number, { count: number; readonly frame: number }>();
  /** Requests without a response, by the number of their entry and their id. */
  readonly #open = new BoundedMap<string, Open>(MAX_OPEN);
  /** Those of each entry, of which a batch has several. */
  readonly #openOf = new BoundedMap<number, Open[]>(MAX_OPEN);

  add({ entry, frame, messages }: InspectedEntry): void {
    this.#entries += 1;
    if (entry.time !== undefined) {
      this.#firstTime ??= entry.time;
      this.#lastTime = entry.time;
    }
    for (const message of messages) {
      const { kind, method = '', id, request, latencyMs, code } = message;
      if (kind === 'invalid') this.#invalid += 1;
      else if (kind === 'request' || kind === 'notification') {
        if (kind === 'request') this.#requests += 1;
        else this.#notifications += 1;
        const counted = this.#method(method, entry.from, kind);
        if (counted !== undefined) counted.count += 1;
        if (kind === 'request' && id !== undefined) {
          const open = { frame, from: entry.from, method, id, isCancelled: false };
          this.#open.set(openKey(frame, id), open);
          this.#openOf.set(frame, [...(this.#openOf.get(frame) ?? []), open]);
        }
        if (kind === 'notification' && request !== undefined) this.#cancel(request);
      } else {
        this.#responses += 1;
        if (code !== undefined) this.#countError(code, frame);
        const asker = entry.from === 'client' ? 'server' : 'client';
        const counted = request === undefined ? undefined : this.#method(method, asker, 'request');
        if (kind === 'error' && counted !== undefined) counted.errors += 1;
        if (latencyMs !== undefined) counted?.latencies.add(latencyMs);
        if (request !== undefined && id !== undefined) this.#open.delete(openKey(request, id));
      }
    }
  }

  result(): Statistics {
    const open = [...this.#open.values()];
    const methods = [...this.#methods.values()]
      .map(({ latencies, ...counted }) => ({
        ...counted,
        unanswered: open.filter(({ method, from }) => method === counted.method && from === counted.from).length,
        latency: latencies.result(),
      }))
      .sort((a, b) => b.count - a.count || (a.method < b.method ? -1 : 1));
    return {
      entries: this.#entries,
      requests: this.#requests,
      notifications: this.#notifications,
      responses: this.#responses,
      invalid: this.#invalid,
      durationMs:
        this.#firstTime === undefined || this.#lastTime === undefined ? null : this.#lastTime - this.#firstTime,
      methods,
      errors: [...this.#errors].map(([code, { count, frame }]) => ({ code, count, frame })),
      unanswered: open.slice(0, MAX_LISTED),
    };
  }

  #cancel(frame: number): void {
    for (const open of this.#openOf.get(frame) ?? []) {
      if (open.isCancelled || !this.#open.has(openKey(frame, open.id))) continue;
      open.isCancelled = true;
      const counted = this.#method(open.method, open.from, 'request');
      if (counted !== undefined) counted.cancelled += 1;
    }
  }

  /** Undefined if there are too many methods: a stranger chooses their names. */
  #method(method: string, from: Side, kind: MethodCount['kind']): MethodCount | undefined {
    const key = `${from} ${kind} ${keyOf(method)}`;
    const known = this.#methods.get(key);
    if (known !== undefined || this.#methods.size >= MAX_METHODS) return known;
    const created = { method, from, kind, count: 0, errors: 0, cancelled: 0, latencies: new Histogram() };
    this.#methods.set(key, created);
    return created;
  }

  #countError(code: number, frame: number): void {
    const known = this.#errors.get(code);
    if (known !== undefined) known.count += 1;
    else if (this.#errors.size < MAX_CODES) this.#errors.set(code, { count: 1, frame });
  }
}

function openKey(frame: number, id: string | number): string {
  return `${frame} ${keyOf(id)}`;
}

/** Each bucket is 5 % wider than the one below it, so that percentiles are exact to 5 %. */
const GROWTH = Math.log(1.05);
/** The upper end of the first bucket, in milliseconds. */
const SMALLEST = 0.01;

/** A histogram with buckets of a relative width. */
class Histogram {
  readonly #buckets = new Map<number, number>();
  #count = 0;
  #max = 0;

  add(value: number): void {
    this.#count += 1;
    this.#max = Math.max(this.#max, value);
    const bucket = value <= SMALLEST ? 0 : Math.ceil(Math.log(value / SMALLEST) / GROWTH);
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
  }

  result(): Latency | null {
    if (this.#count === 0) return null;
    return { p50: this.#percentile(0.5), p95: this.#percentile(0.95), max: round(this.#max) };
  }

  #percentile(share: number): number {
    let left = Math.ceil(this.#count * share);
    for (const [bucket, count] of [...this.#buckets].sort(([a], [b]) => a - b)) {
      left -= count;
      if (left <= 0) return round(Math.min(this.#max, SMALLEST * Math.exp(bucket * GROWTH)));
    }
    return round(this.#max);
  }
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
