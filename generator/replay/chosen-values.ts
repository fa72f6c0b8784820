/** Values that the server chooses: what they were in the recording, and what they are now. */
import { isObject, objectFromEntries, ownMember, type JsonObject, type JsonValue } from '../read/json/json.js';
import type { Chosen } from './compare.js';
import { isMethodCall, keyOf } from '../recording/message.js';

/** Members with which a client returns what a server chose as another one. */
const RETURNED_AS: Readonly<Record<string, string>> = { nextCursor: 'cursor' };

/** Shortest text that is replaced wherever it occurs; a shorter one only in a member of its name. */
const MIN_UNIQUE_LENGTH = 16;

/** Replaces values in what the client sends by what the server chose this time. */
export class ChosenValues {
  /** Ids of the server's requests. */
  readonly #ids = new Map<string, JsonValue>();
  readonly #byMember = new Map<string, JsonValue>();
  readonly #texts = new Map<string, string>();

  /** Notes the id of a request of the server. */
  noteId(recorded: JsonValue, current: JsonValue): void {
    this.#ids.set(keyOf(recorded), current);
  }

  /** Notes a value that differs. */
  note({ member, recorded, current }: Chosen): void {
    const name = RETURNED_AS[member] ?? member;
    this.#byMember.set(`${name} ${keyOf(recorded)}`, current);
    if (typeof recorded === 'string' && typeof current === 'string' && recorded.length >= MIN_UNIQUE_LENGTH)
      this.#texts.set(recorded, current);
  }

  /** The id that the server's request has now; undefined if it has not sent it. */
  currentId(recorded: JsonValue | undefined): JsonValue | undefined {
    return this.#ids.get(keyOf(recorded));
  }

  /** A message of the client with the current values. */
  update(message: JsonObject): JsonObject {
    const updated = this.#updateValue(message, '') as JsonObject;
    if (isMethodCall(message)) return updated;
    const id = ownMember(message, 'id');
    return objectFromEntries(
      Object.entries(updated).map(([key, value]) => [key, key === 'id' ? (this.currentId(id) ?? value) : value]),
    );
  }

  #updateValue(value: JsonValue, member: string): JsonValue {
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => this.#updateValue(item, member));
    if (isObject(value)) {
      return objectFromEntries(Object.entries(value).map(([key, item]) => [key, this.#updateValue(item, key)]));
    }
    const known = this.#byMember.get(`${member} ${keyOf(value)}`);
    if (known !== undefined) return known;
    if (typeof value !== 'string' || value.length < MIN_UNIQUE_LENGTH) return value;
    let text = value;
    for (const [recorded, current] of this.#texts) text = text.replaceAll(recorded, () => current);
    return text;
  }
}
