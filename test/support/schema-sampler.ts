import { isObject, ownMember, type JsonObject, type JsonValue } from '../../generator/read/json/json.js';
import { randomFrom } from './random.js';

const MAX_DEPTH = 8;
const STRINGS = [
  '',
  'a',
  'ab',
  'abc-1',
  'A1',
  '12',
  '2026-07-28',
  '2026-07-28T09:30:00Z',
  'a@example.com',
  'https://example.com/a',
  '00000000-0000-4000-8000-000000000000',
  '/a/b',
  '0123456789abcdef01234567',
];
const ANYTHING: readonly JsonValue[] = [null, true, false, 0, -1, 1.5, 7, '', 'x', [], ['x'], {}, { x: 1 }];

/** Values for a JSON Schema, always the same ones: half of them follow it as far as possible, others have one change. */
export class SchemaSampler {
  readonly #root: JsonObject;
  readonly #random: () => number;

  constructor(root: JsonObject, seed: number) {
    this.#root = root;
    this.#random = randomFrom(seed * 2654435761);
  }

  next(): JsonValue {
    const value = this.#follow(this.#root, 0);
    return this.#chance(0.5) ? value : this.#change(value, this.#root);
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T;
  }

  #follow(schema: JsonValue | undefined, depth: number): JsonValue {
    if (!isObject(schema)) return this.#pick(ANYTHING);
    const merged = this.#merge(schema, 0);
    const constants = Object.hasOwn(merged, 'const') ? [merged['const'] as JsonValue] : ownMember(merged, 'enum');
    if (Array.isArray(constants) && constants.length > 0) return this.#pick(constants as readonly JsonValue[]);
    switch (this.#typeOf(merged)) {
      case 'object':
        return this.#object(merged, depth);
      case 'array':
        return this.#array(merged, depth);
      case 'string':
        return this.#string(merged);
      case 'number':
        return this.#number(merged, 0.5);
      case 'integer':
        return this.#number(merged, 0);
      case 'boolean':
        return this.#chance(0.5);
      case 'null':
        return null;
      default:
        return this.#pick(ANYTHING);
    }
  }

  /** A schema with what it refers to, all of `allOf` and one of `anyOf` and `oneOf`. */
  #merge(schema: JsonObject, depth: number): JsonObject {
    if (depth > MAX_DEPTH) return schema;
    const { $ref, allOf, anyOf, oneOf, ...own } = schema;
    const parts: JsonValue[] = [
      ...(typeof $ref === 'string' ? [this.#resolve($ref)] : []),
      ...(Array.isArray(allOf) ? (allOf as JsonValue[]) : []),
      ...[anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? [this.#pick(list as JsonValue[])] : [])),
    ];
    return parts.filter(isObject).reduce<JsonObject>((all, part) => {
      const more = this.#merge(part, depth + 1);
      const properties = { ...(all['properties'] as JsonObject), ...(more['properties'] as JsonObject) };
      const required = [...((all['required'] ?? []) as JsonValue[]), ...((more['required'] ?? []) as JsonValue[])];
      return { ...all, ...more, properties, required };
    }, own);
  }

  #resolve(reference: string): JsonValue {
    let found: JsonValue | undefined = this.#root;
    for (const token of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
      const key = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
      found = Array.isArray(found) ? (found as JsonValue[])[Number(key)] : isObject(found) ? found[key] : undefined;
    }
    return found ?? true;
  }

  #typeOf(schema: JsonObject): string | undefined {
    const type = ownMember(schema, 'type');
    if (Array.isArray(type)) return this.#pick(type as readonly string[]);
    if (typeof type === 'string') return type;
    if (Object.keys(ownMember(schema, 'properties') ?? {}).length > 0) return 'object';
    return Object.hasOwn(schema, 'items') ? 'array' : undefined;
  }

  #object(schema: JsonObject, depth: number): JsonObject {
    const properties = (ownMember(schema, 'properties') ?? {}) as JsonObject;
    const required = (ownMember(schema, 'required') ?? []) as readonly string[];
    const rest = ownMember(schema, 'additionalProperties');
    const entries: [string, JsonValue][] = [];
    for (const name of new Set([...Object.keys(properties), ...required])) {
      const isThere = required.includes(name) || this.#chance(depth > MAX_DEPTH ? 0 : 0.5);
      if (isThere) entries.push([name, this.#follow(ownMember(properties, name) ?? rest, depth + 1)]);
    }
    if (rest !== false && depth < MAX_DEPTH && this.#chance(isObject(rest) ? 0.7 : 0.1))
      entries.push([this.#pick(['extra', 'a', '1']), this.#follow(rest, depth + 1)]);
    return Object.fromEntries(entries);
  }

  #array(schema: JsonObject, depth: number): JsonValue {
    const least = Number(ownMember(schema, 'minItems') ?? 0);
    const most = Math.min(Number(ownMember(schema, 'maxItems') ?? Infinity), least + (depth > MAX_DEPTH ? 0 : 2));
    const length = least + Math.floor(this.#random() * (most - least + 1));
    const [items, prefix] = [ownMember(schema, 'items'), ownMember(schema, 'prefixItems')];
    const positions = (Array.isArray(prefix) ? prefix : Array.isArray(items) ? items : []) as readonly JsonValue[];
    return Array.from({ length }, (_, index) =>
      this.#follow(positions[index] ?? (Array.isArray(items) ? true : items), depth + 1),
    );
  }

  #string(schema: JsonObject): string {
    const least = Number(ownMember(schema, 'minLength') ?? 0);
    const pattern = ownMember(schema, 'pattern');
    if (typeof pattern === 'string') {
      const matching = STRINGS.filter((text) => text.length >= least && new RegExp(pattern, 'u').test(text));
      if (matching.length > 0) return this.#pick(matching);
    }
    const text = this.#pick(STRINGS).padEnd(least, 'x');
    return text.slice(0, Math.max(least, Number(ownMember(schema, 'maxLength') ?? Infinity)));
  }

  #number(schema: JsonObject, step: number): number {
    const low = Number(ownMember(schema, 'minimum') ?? ownMember(schema, 'exclusiveMinimum') ?? -3);
    const high = Number(ownMember(schema, 'maximum') ?? ownMember(schema, 'exclusiveMaximum') ?? Math.max(low, 0) + 10);
    return this.#pick([low, high, Math.ceil((low + high) / 2), Math.floor(low) + 1 + step, low + 1]);
  }

  /** A value with one change, possibly deep inside. */
  #change(value: JsonValue, schema: JsonValue | undefined): JsonValue {
    const canEnter = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
    if (canEnter && this.#chance(0.75)) {
      if (Array.isArray(value)) {
        const list = [...(value as JsonValue[])];
        const index = Math.floor(this.#random() * list.length);
        list[index] = this.#change(list[index] as JsonValue, true);
        return list;
      }
      const key = this.#pick(Object.keys(value));
      if (this.#chance(0.3)) {
        const { [key]: _removed, ...others } = value as JsonObject;
        return others;
      }
      return { ...(value as JsonObject), [key]: this.#change((value as JsonObject)[key] as JsonValue, true) };
    }
    if (isObject(value) && this.#chance(0.7)) return { ...value, unexpected: this.#pick(ANYTHING) };
    if (Array.isArray(value) && this.#chance(0.6))
      return [...(value as JsonValue[]), this.#pick([...(value as JsonValue[]), ...ANYTHING])];
    if (typeof value === 'number' && this.#chance(0.7))
      return this.#pick([value + 0.5, -value, value * 1000, value - 1]);
    if (typeof value === 'string' && this.#chance(0.7)) return this.#pick(['', `${value}x`, value.repeat(40), '💥']);
    return schema === this.#root ? {} : this.#pick(ANYTHING);
  }
}
