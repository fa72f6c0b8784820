/** Plays the client's side of a recording against a server. */
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import {
  isObject,
  memberAt,
  objectFromEntries,
  ownMember,
  type JsonObject,
  type JsonValue,
} from '../read/json/json.js';
import { ChosenValues } from './chosen-values.js';
import { compareMessages, type Comparison, type ValueDifference } from './compare.js';
import type { LooseKind, Matchers } from './matchers.js';
import { isRequest, isResponse, keyOf, messagesOf, methodOf } from '../recording/message.js';
import { MessageNames, type RecordedMessage, type Script } from './script.js';

/** How a recording is played. */
export interface PlayOptions {
  readonly matchers: Matchers;
  /** Milliseconds that a message of the server may take. */
  readonly timeoutMs: number;
}

/** A message of the server that is not as recorded. */
export type MessageDifference =
  | {
      readonly kind: 'changed';
      /** The entry of the recording. */
      readonly frame: number;
      /** The method; for a response, that of its request. */
      readonly method: string;
      readonly what: 'response' | 'request' | 'notification';
      readonly id?: JsonValue | undefined;
      readonly values: readonly ValueDifference[];
    }
  | {
      readonly kind: 'missing';
      readonly frame: number;
      readonly method: string;
      readonly what: 'response' | 'request' | 'notification';
      readonly id?: JsonValue | undefined;
    }
  | {
      readonly kind: 'unexpected';
      readonly method: string;
      readonly what: 'response' | 'request' | 'notification';
      readonly id?: JsonValue | undefined;
      readonly message: JsonObject;
    };

/** What came of it. */
export interface PlayResult {
  readonly differences: readonly MessageDifference[];
  /** How many messages of the server were compared. */
  readonly compared: number;
  /** How many values differ and may, by why. */
  readonly loose: ReadonlyMap<LooseKind, number>;
  /** Why the server ended, if it did before the end. */
  readonly ended: string | undefined;
  /** What changed messages are now, with ids and values that may differ as they were recorded. */
  readonly current: ReadonlyMap<JsonObject, JsonObject>;
  /** Requests that were not sent since it had ended. */
  readonly unplayed: number;
}

/** Most milliseconds that a notification may take: nobody waits for it. */
const MAX_NOTIFICATION_MS = 2000;
/** Milliseconds without a message after which nothing more is expected. */
const QUIET_MS = 100;
/** Most messages of the server that are kept. */
const MAX_MESSAGES = 100_000;

/** A message of the server under its name. */
interface Named {
  readonly name: string;
  readonly method: string;
  readonly message: JsonObject;
}

/**
 * Sends what the client sent, in the recorded order. A frame is sent when the messages of the server have arrived that
 * arrived before it in the recording, or the time for them is over.
 *
 * @param transport - Not started; it is closed at the end.
 */
export async function playScript(transport: Transport, script: Script, options: PlayOptions): Promise<PlayResult> {
  return new Player(transport, script, options).play();
}

class Player {
  readonly #transport: Transport;
  readonly #script: Script;
  readonly #options: PlayOptions;
  readonly #recorded: readonly (RecordedMessage & Named)[];
  readonly #recordedByName: ReadonlyMap<string, RecordedMessage & Named>;
  readonly #names = new MessageNames();
  readonly #found = new Map<string, Named>();
  readonly #chosen = new ChosenValues();
  /** Responses that may be there or not, since their requests are cancelled. */
  readonly #optional = new Set<string>();
  /** What is awaited: recorded messages that come before the next step, and have neither arrived nor are late. */
  readonly #awaited = new Map<string, RecordedMessage & Named>();
  /** How many recorded messages have been awaited. */
  #awaitedUntil = 0;
  /** Milliseconds that may still be spent on messages that do not arrive: all of them share the time limit. */
  #patienceMs: number;
  #unplayed = 0;
  #wake: () => void = () => undefined;
  #isClosing = false;
  #ended: string | undefined;
  #lastError: string | undefined;

  constructor(transport: Transport, script: Script, options: PlayOptions) {
    this.#transport = transport;
    this.#script = script;
    this.#options = options;
    this.#patienceMs = options.timeoutMs;
    this.#recorded = nameRecorded(script);
    this.#recordedByName = new Map(this.#recorded.map((item) => [item.name, item]));
  }

  async play(): Promise<PlayResult> {
    const transport = this.#transport;
    transport.onmessage = (value) => {
      for (const message of messagesOf(value as JsonValue)) this.#receive(message);
    };
    transport.onerror = (error) => {
      this.#lastError = error.message;
    };
    transport.onclose = () => {
      if (!this.#isClosing) this.#ended = this.#lastError ?? 'the server closed the connection';
      this.#wake();
    };
    await transport.start();
    try {
      for (const step of this.#script.steps) {
        await this.#waitFor(step.after);
        if (this.#ended === undefined) this.#send(step.value, step.messages);
        else this.#unplayed += step.messages.filter(isRequest).length;
      }
      await this.#waitFor(this.#recorded.length);
      await this.#waitForQuiet();
    } finally {
      this.#isClosing = true;
      await transport.close();
    }
    return this.#result();
  }

  #send(value: JsonValue, messages: readonly JsonObject[]): void {
    const updated: JsonObject[] = [];
    for (const message of messages) {
      if (methodOf(message) === 'notifications/cancelled') {
        const name = this.#names.responseName(memberAt(message, 'params', 'requestId'));
        if (name !== undefined) {
          this.#optional.add(name);
          this.#awaited.delete(name);
        }
      }
      // The server did not send the request that this answers.
      if (isResponse(message) && this.#chosen.currentId(ownMember(message, 'id')) === undefined) continue;
      this.#names.noteSent(message);
      updated.push(this.#chosen.update(message));
    }
    const [first] = updated;
    if (first === undefined) return;
    // Over HTTP, the promise resolves only with the response.
    const fail = (error: unknown): void => {
      this.#lastError = (error as Error).message;
    };
    try {
      this.#transport.send(Array.isArray(value) ? updated : first)?.catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  #receive(message: JsonObject): void {
    if (this.#found.size >= MAX_MESSAGES) return;
    const { name, method } = this.#names.nameOf(message);
    this.#found.set(name, { name, method, message });
    this.#awaited.delete(name);
    const recorded = this.#recordedByName.get(name);
    if (recorded !== undefined) {
      for (const chosen of compareMessages(recorded.message, message, method, this.#options.matchers).chosen)
        this.#chosen.note(chosen);
    }
    if (isRequest(message)) {
      const id = ownMember(message, 'id') ?? null;
      if (recorded === undefined) this.#refuse(id, method);
      else this.#chosen.noteId(ownMember(recorded.message, 'id') ?? null, id);
    }
    const version = memberAt(message, 'result', 'protocolVersion');
    if (method === 'initialize' && typeof version === 'string') this.#transport.setProtocolVersion?.(version);
    this.#wake();
  }

  /** The recording has no answer. */
  #refuse(id: JsonValue, method: string): void {
    const answer =
      method === 'ping' ? { result: {} } : { error: { code: -32601, message: 'not in the replayed recording' } };
    try {
      this.#transport.send({ jsonrpc: '2.0', id, ...answer })?.catch(() => undefined);
    } catch {
      // The connection is closed.
    }
  }

  /**
   * Waits until the first messages of the recording have arrived. What does not arrive in time is not awaited again, and
   * all of it together takes no longer than the time limit: a server that answers nothing costs it once.
   *
   * @param count - How many.
   */
  async #waitFor(count: number): Promise<void> {
    for (; this.#awaitedUntil < count; this.#awaitedUntil += 1) {
      const item = this.#recorded[this.#awaitedUntil];
      if (item === undefined || this.#found.has(item.name) || this.#optional.has(item.name)) continue;
      this.#awaited.set(item.name, item);
    }
    const start = performance.now();
    while (this.#awaited.size > 0 && this.#ended === undefined) {
      const waited = performance.now() - start;
      let rest = Infinity;
      let hasExpired = false;
      for (const { name, message } of this.#awaited.values()) {
        const isOwed = isResponse(message) || isRequest(message);
        const most = isOwed ? this.#options.timeoutMs : Math.min(this.#options.timeoutMs, MAX_NOTIFICATION_MS);
        const limit = Math.max(QUIET_MS, Math.min(most, this.#patienceMs));
        if (waited >= limit) {
          this.#awaited.delete(name);
          hasExpired = true;
        } else rest = Math.min(rest, limit - waited);
      }
      if (hasExpired) this.#patienceMs -= waited;
      if (Number.isFinite(rest)) await this.#sleep(rest);
    }
  }

  async #waitForQuiet(): Promise<void> {
    for (;;) {
      const before = this.#found.size;
      if (this.#ended !== undefined || before >= MAX_MESSAGES) return;
      await this.#sleep(QUIET_MS);
      if (this.#found.size === before) return;
    }
  }

  /** Waits until something happens, or the time is over. */
  async #sleep(milliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, milliseconds);
    });
    clearTimeout(timer);
  }

  #result(): PlayResult {
    const loose = new Map<LooseKind, number>();
    const differences: MessageDifference[] = [];
    const current = new Map<JsonObject, JsonObject>();
    const pairs = pairMessages(this.#recorded, this.#found, this.#options.matchers);
    let compared = 0;
    for (const { recorded, found } of pairs) {
      const { frame, message, method, name } = recorded;
      const what = kindOf(message);
      // A server chooses the ids of its requests.
      const id = what === 'response' ? ownMember(message, 'id') : undefined;
      if (found === undefined) {
        if (!this.#optional.has(name)) differences.push({ kind: 'missing', frame, method, what, id });
        continue;
      }
      compared += 1;
      for (const [kind, count] of found.comparison.loose) loose.set(kind, (loose.get(kind) ?? 0) + count);
      const values = found.comparison.differences;
      if (values.length === 0) continue;
      differences.push({ kind: 'changed', frame, method, what, id, values });
      const now = this.#found.get(found.name)?.message;
      if (now !== undefined) current.set(message, asRecorded(message, now, found.comparison.chosen));
    }
    const paired = new Set(pairs.map(({ found }) => found?.name));
    for (const { name, method, message } of this.#found.values()) {
      if (paired.has(name) || this.#optional.has(name)) continue;
      const what = kindOf(message);
      const id = what === 'response' ? ownMember(message, 'id') : undefined;
      differences.push({ kind: 'unexpected', method, what, id, message });
    }
    return { differences, compared, loose, current, ended: this.#ended, unplayed: this.#unplayed };
  }
}

/** The messages of the server with their names, which depend on the requests before them. */
function nameRecorded({ steps, fromServer }: Script): readonly (RecordedMessage & Named)[] {
  const names = new MessageNames();
  let next = 0;
  return fromServer.map((recorded, index) => {
    for (let step = steps[next]; step !== undefined && step.after <= index; step = steps[next]) {
      step.messages.forEach((message) => {
        names.noteSent(message);
      });
      next += 1;
    }
    return { ...recorded, ...names.nameOf(recorded.message) };
  });
}

/** A message of now with the id that was recorded, and the recorded values where they may differ. */
function asRecorded(recorded: JsonObject, now: JsonObject, chosen: Comparison['chosen']): JsonObject {
  const values = new Map(chosen.map((item) => [`${item.member} ${keyOf(item.current)}`, item.recorded]));
  const restore = (value: JsonValue, member: string): JsonValue => {
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item, index) => restore(item, String(index)));
    if (isObject(value))
      return objectFromEntries(Object.entries(value).map(([key, item]) => [key, restore(item, key)]));
    return values.get(`${member} ${keyOf(value)}`) ?? value;
  };
  const id = ownMember(recorded, 'id');
  const restored = restore(now, '') as JsonObject;
  return id === undefined ? restored : { ...restored, id };
}

function kindOf(message: JsonObject): 'response' | 'request' | 'notification' {
  return isRequest(message) ? 'request' : methodOf(message) === '' ? 'response' : 'notification';
}

interface Pair {
  readonly recorded: RecordedMessage & Named;
  readonly found: { readonly name: string; readonly comparison: Comparison } | undefined;
}

/** Pairs messages by name; among notifications of one method, equal ones first: their order may differ. */
function pairMessages(
  recorded: readonly (RecordedMessage & Named)[],
  found: ReadonlyMap<string, Named>,
  matchers: Matchers,
): readonly Pair[] {
  const compare = (a: Named, b: Named): Comparison => compareMessages(a.message, b.message, a.method, matchers);
  const taken = new Set<string>();
  const pairOf = new Map<string, Pair['found']>();
  const pair = (item: Named, other: Named, comparison: Comparison): void => {
    taken.add(other.name);
    pairOf.set(item.name, { name: other.name, comparison });
  };
  const groups = new Map<string, Named[]>();
  for (const item of found.values()) {
    if (kindOf(item.message) !== 'notification') continue;
    const key = groupOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  for (const item of recorded) {
    const same = found.get(item.name);
    const comparison = same === undefined || taken.has(same.name) ? undefined : compare(item, same);
    if (same !== undefined && comparison !== undefined) {
      const isSettled = kindOf(item.message) !== 'notification' || comparison.differences.length === 0;
      if (isSettled) pair(item, same, comparison);
    }
    if (pairOf.has(item.name) || kindOf(item.message) !== 'notification') continue;
    for (const other of (groups.get(groupOf(item)) ?? []).slice(0, MAX_REORDERED)) {
      if (taken.has(other.name)) continue;
      const found = compare(item, other);
      if (found.differences.length > 0) continue;
      pair(item, other, found);
      break;
    }
  }
  // What is equal to no other is compared in order.
  for (const item of recorded) {
    if (pairOf.has(item.name) || kindOf(item.message) !== 'notification') continue;
    const other = (groups.get(groupOf(item)) ?? []).find(({ name }) => !taken.has(name));
    if (other !== undefined) pair(item, other, compare(item, other));
  }
  return recorded.map((item) => ({ recorded: item, found: pairOf.get(item.name) }));
}

/** Most notifications of one method that are tried in any order. */
const MAX_REORDERED = 200;

/** Notifications of one method; progress only of one request. */
function groupOf({ method, message }: Named): string {
  return method === 'notifications/progress'
    ? `${method} ${keyOf(memberAt(message, 'params', 'progressToken'))}`
    : method;
}
