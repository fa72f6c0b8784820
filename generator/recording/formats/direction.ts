import { isObject, memberAt, ownMember, type JsonObject, type JsonValue } from '../../read/json/json.js';
import type { Side } from '../entry.js';
import { keyOf } from '../message.js';
import { senderOf } from '../../revisions.js';

/** Most requests that are remembered, and most with one id. */
const MAX_REQUESTS = 10_000;
const MAX_SAME_ID = 100;

/** Whether a value is a message of JSON-RPC, or a batch. */
export function isMessage(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length > 0 && (value as readonly JsonValue[]).every(isSingleMessage);
  return isSingleMessage(value);
}

function isSingleMessage(value: JsonValue): boolean {
  return isObject(value) && ownMember(value, 'jsonrpc') !== undefined;
}

/** Finds out who sent each message of a conversation that does not say so. */
export class DirectionGuess {
  /** The senders of requests without a response, by id; the earliest first. */
  readonly #requests = new Map<string, Side[]>();
  /** Who may send progress for a token. */
  readonly #tokens = new Map<string, Side>();

  /** The sender of the next message: by its method, or as the other side of what it refers to. */
  senderOf(frame: JsonValue): Side {
    const message = Array.isArray(frame) ? ((frame as readonly JsonValue[])[0] ?? null) : frame;
    if (!isObject(message)) return 'server';
    const id = keyOf(ownMember(message, 'id'));
    const method = ownMember(message, 'method');
    if (typeof method !== 'string') {
      const askers = this.#requests.get(id) ?? [];
      const asker = askers.shift() ?? 'client';
      if (askers.length === 0) this.#requests.delete(id);
      return asker === 'client' ? 'server' : 'client';
    }
    const given = ownMember(message, 'params');
    const from = this.#callerOf(method, isObject(given) ? given : {});
    if (Object.hasOwn(message, 'id')) this.#remember(id, from, isObject(given) ? given : {});
    return from;
  }

  #callerOf(method: string, params: JsonObject): Side {
    if (method === 'notifications/cancelled')
      return this.#requests.get(keyOf(ownMember(params, 'requestId')))?.[0] ?? 'client';
    if (method === 'notifications/progress') {
      const asker = this.#tokens.get(keyOf(ownMember(params, 'progressToken')));
      return asker === 'server' ? 'client' : 'server';
    }
    return senderOf(method) ?? 'client';
  }

  #remember(id: string, from: Side, params: JsonObject): void {
    const askers = this.#requests.get(id) ?? [];
    if (askers.length < MAX_SAME_ID) askers.push(from);
    this.#requests.set(id, askers);
    const token = memberAt(params, '_meta', 'progressToken');
    if (token !== undefined) this.#tokens.set(keyOf(token), from);
    for (const map of [this.#requests, this.#tokens]) {
      const [oldest] = map.keys();
      if (map.size > MAX_REQUESTS && oldest !== undefined) map.delete(oldest);
    }
  }
}
