/** A recorded conversation as a script: what the client sends, and what the server sends in between. */
import { META_KEYS } from '../../generated/runtime/protocol/revision.js';
import { isNestedTooDeep, memberAt, ownMember, type JsonObject, type JsonValue } from '../read/json/json.js';
import type { Entry, Side } from '../recording/entry.js';
import { isMethodCall, isRequest, isResponse, keyOf, messagesOf, methodOf } from '../recording/message.js';

/** A message of a recording. */
export interface RecordedMessage {
  /** Number of its entry, from 1. */
  readonly frame: number;
  readonly from: Side;
  readonly message: JsonObject;
}

/** A frame of the client: a message or a batch. */
export interface Step {
  readonly frame: number;
  readonly value: JsonValue;
  readonly messages: readonly JsonObject[];
  /** How many messages the server had sent before. */
  readonly after: number;
}

/** What a recording has of a conversation, in its order. */
export interface Script {
  readonly steps: readonly Step[];
  readonly fromServer: readonly RecordedMessage[];
  /** The revision that was spoken, if the messages say. */
  readonly revision: string | undefined;
  /** How many entries are not messages, and cannot be replayed. */
  readonly skipped: number;
}

/** Reads the messages of a conversation's entries. */
export function readScript(entries: Iterable<Entry>): Script {
  const steps: Step[] = [];
  const fromServer: RecordedMessage[] = [];
  let skipped = 0;
  let frame = 0;
  let revision: string | undefined;
  for (const { from, content } of entries) {
    frame += 1;
    if (content.kind === 'none') continue;
    const messages = content.kind === 'frame' ? replayable(content.frame) : [];
    if (content.kind !== 'frame' || messages.length === 0) {
      skipped += 1;
      continue;
    }
    for (const message of messages) revision ??= revisionOf(message);
    if (from === 'client') steps.push({ frame, value: content.frame, messages, after: fromServer.length });
    else for (const message of messages) fromServer.push({ frame, from, message });
  }
  return { steps, fromServer, revision, skipped };
}

/** The messages of a frame; none if any part of it is not a message. */
function replayable(value: JsonValue): readonly JsonObject[] {
  if (isNestedTooDeep(value)) return [];
  const messages = messagesOf(value);
  const size = Array.isArray(value) ? value.length : 1;
  return messages.length === size && messages.every((item) => isMethodCall(item) || isResponse(item)) ? messages : [];
}

function revisionOf(message: JsonObject): string | undefined {
  const version =
    memberAt(message, 'params', '_meta', META_KEYS.VERSION) ?? memberAt(message, 'result', 'protocolVersion');
  return typeof version === 'string' ? version : undefined;
}

/**
 * Names the messages of a server, in a way that is the same in a recording and now: a response by its request, and
 * anything else by its method and how many there were before.
 */
export class MessageNames {
  readonly #requests = new Map<string, { readonly name: string; readonly method: string }>();
  readonly #counts = new Map<string, number>();

  /** Notes what the client sends. */
  noteSent(message: JsonObject): void {
    if (!isRequest(message)) return;
    const method = methodOf(message);
    this.#requests.set(keyOf(ownMember(message, 'id')), { name: `response ${this.#next('request')}`, method });
  }

  /** The name of the response to a request of the client. */
  responseName(id: JsonValue | undefined): string | undefined {
    return this.#requests.get(keyOf(id))?.name;
  }

  /** The name of a message of the server, and its method or that of its request. */
  nameOf(message: JsonObject): { readonly name: string; readonly method: string } {
    if (isMethodCall(message)) {
      const method = methodOf(message);
      const kind = isRequest(message) ? 'request' : 'notification';
      const token = method === 'notifications/progress' ? keyOf(memberAt(message, 'params', 'progressToken')) : '';
      return { name: `${kind} ${method} ${token} ${this.#next(`${kind} ${method} ${token}`)}`, method };
    }
    const known = this.#requests.get(keyOf(ownMember(message, 'id')));
    if (known === undefined) return { name: `unknown response ${this.#next('unknown response')}`, method: '' };
    // A second response is not the response.
    const extra = this.#next(known.name);
    return extra === 1 ? known : { name: `${known.name} again ${extra}`, method: known.method };
  }

  #next(key: string): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }
}
