/** Valid values of types: the smallest, the fullest, and the one in which everything is empty. */
import type { ArrayNode, Member, ObjectNode, Protocol, TypeNode } from '../model/protocol.js';
import { asObjectType, findRejection, resolveType, typesByName, type TypesByName } from '../model/types/accepts.js';
import { objectFromEntries, type JsonObject, type JsonValue } from '../read/json/json.js';
import type { TypeLookup } from '../model/types/references.js';
import { exampleNumber, exampleString } from './examples.js';

/**
 * Which value of a type: with required members only; with all members; with all members and each of them empty, zero or
 * false; or with all members, whose own optional members are absent and whose lists have an empty item.
 */
export type Extent = 'smallest' | 'fullest' | 'empty' | 'sparse';

/** Maximum nesting of a value, which ends recursion. */
const MAX_DEPTH = 24;
/** Most items of an array. */
const MAX_ITEMS = 1000;

/** Members of an object that may have any. */
const OF_EVERY_KIND: JsonObject = { text: 'Paris', number: 1.5, flag: true, nothing: null, list: [1], object: {} };

/** Builds values of a protocol's types. What it returns is valid, or undefined if it finds no value. */
export class ValueBuilder {
  readonly types: TypesByName;
  readonly lookup: TypeLookup;
  readonly #revision: string;
  readonly #inputRequired: Protocol['traits']['inputRequired'];
  /** Definitions in progress. */
  readonly #open = new Set<string>();
  readonly #smallest = new Map<string, JsonValue | undefined>();

  constructor(protocol: Protocol) {
    this.types = typesByName(protocol);
    this.lookup = (name) => this.types.get(name);
    this.#revision = protocol.version;
    this.#inputRequired = protocol.traits.inputRequired;
  }

  /**
   * A value of a type.
   *
   * @param owner - Name of the member or definition that the value is for; examples are chosen by it.
   */
  build(type: TypeNode, owner: string, extent: Extent): JsonValue | undefined {
    const value = this.#build(type, owner, extent, 0);
    return value !== undefined && this.accepts(type, value) ? value : undefined;
  }

  /** Whether a value is valid. */
  accepts(type: TypeNode, value: JsonValue): boolean {
    return findRejection(this.types, type, value) === undefined;
  }

  #build(type: TypeNode, owner: string, extent: Extent, depth: number): JsonValue | undefined {
    if (depth > MAX_DEPTH) return undefined;
    switch (type.kind) {
      case 'unknown':
        return { smallest: 'anything', fullest: null, empty: false, sparse: 'anything' }[extent];
      case 'never':
        return undefined;
      case 'null':
        return null;
      case 'boolean':
        return extent !== 'empty';
      case 'literal':
        return type.value;
      case 'string':
        return extent === 'empty' && this.accepts(type, '')
          ? ''
          : exampleString(owner, type.constraints, this.#revision);
      case 'number':
      case 'integer':
        return extent === 'empty' && this.accepts(type, 0)
          ? 0
          : exampleNumber(owner, type.constraints, type.kind === 'integer');
      case 'array':
        return this.#array(type, owner, extent, depth);
      case 'object':
        return this.#object(type, owner, extent, depth);
      case 'union':
        return this.#union(type.variants, type, owner, extent, depth);
      case 'intersection':
        return this.#intersection(type, owner, extent, depth);
      case 'refined':
        return this.#refined(type, owner, extent, depth);
      case 'ref':
        return this.#reference(type.name, owner, depth);
    }
  }

  #array(type: ArrayNode, owner: string, extent: Extent, depth: number): JsonValue | undefined {
    const { prefix = [], items, constraints } = type;
    const least = Number(constraints['minItems'] ?? 0);
    if (least > MAX_ITEMS) return undefined;
    const isFilled = extent === 'fullest' || extent === 'sparse';
    const wanted = isFilled ? Math.max(least, prefix.length, 1) : least;
    const itemExtent = extent === 'sparse' ? 'empty' : extent;
    const values: JsonValue[] = [];
    while (values.length < Math.min(wanted, Number(constraints['maxItems'] ?? Infinity))) {
      const item = this.#build(prefix[values.length] ?? items, owner, itemExtent, depth + 1);
      if (item === undefined) break;
      values.push(
        constraints['uniqueItems'] === true && typeof item === 'string' ? `${item}${values.length || ''}` : item,
      );
    }
    return values.length < least ? undefined : values;
  }

  #object(type: ObjectNode, owner: string, extent: Extent, depth: number): JsonValue | undefined {
    const entries: [string, JsonValue][] = [];
    for (const member of inReadingOrder(type.members)) {
      if (!member.required && (extent === 'smallest' || (extent === 'sparse' && depth > 0))) continue;
      const value =
        (extent === 'empty' ? undefined : this.#kindOfResult(member, owner)) ??
        this.#build(member.type, member.name, extent, depth + 1);
      if (value !== undefined) entries.push([member.name, value]);
      else if (member.required) return undefined;
    }
    const object = objectFromEntries(entries);
    const isFilled = extent === 'fullest' || extent === 'sparse';
    if (!isFilled || type.rest === undefined || type.rest.kind === 'never' || type.members.length > 0)
      return this.#withEnoughMembers(type, object, owner, depth);
    if (type.rest.kind === 'unknown') return OF_EVERY_KIND;
    const value = this.#build(type.rest, owner, extent === 'sparse' ? 'empty' : extent, depth + 1);
    return value === undefined ? object : withMember(object, ENTRY_NAME, value);
  }

  /** The member that says what a result is, where its type allows any string. */
  #kindOfResult({ name, type }: Member, owner: string): JsonValue | undefined {
    const known = this.#inputRequired;
    if (name !== known?.member || resolveType(this.types, type).kind !== 'string') return undefined;
    return owner === known.result ? known.value : known.complete;
  }

  #withEnoughMembers(type: ObjectNode, object: JsonObject, owner: string, depth: number): JsonValue | undefined {
    const missing = Number(type.constraints['minProperties'] ?? 0) - Object.keys(object).length;
    if (missing <= 0) return object;
    const value = this.#build(type.rest ?? { kind: 'unknown' }, owner, 'smallest', depth + 1);
    if (value === undefined || missing > MAX_ITEMS) return undefined;
    const more = Array.from({ length: missing }, (_, index): [string, JsonValue] => [
      `${ENTRY_NAME}${index + 1}`,
      value,
    ]);
    return objectFromEntries([...Object.entries(object), ...more]);
  }

  #union(
    variants: readonly TypeNode[],
    whole: TypeNode,
    owner: string,
    extent: Extent,
    depth: number,
  ): JsonValue | undefined {
    for (const variant of variants) {
      const value = this.#build(variant, owner, extent, depth + 1);
      if (value !== undefined && this.accepts(whole, value)) return value;
    }
    return undefined;
  }

  #intersection(
    type: TypeNode & { readonly kind: 'intersection' },
    owner: string,
    extent: Extent,
    depth: number,
  ): JsonValue | undefined {
    const object = asObjectType(this.types, type);
    if (object !== undefined) return this.#object(object, owner, extent, depth);
    const values = type.parts.map((part) => this.#build(part, owner, extent, depth + 1));
    const objects = values.filter((value): value is JsonObject => typeof value === 'object' && value !== null);
    return objects.length === values.length
      ? objectFromEntries(objects.flatMap((value) => Object.entries(value)))
      : values.find((value) => value !== undefined && this.accepts(type, value));
  }

  #refined(
    type: TypeNode & { readonly kind: 'refined' },
    owner: string,
    extent: Extent,
    depth: number,
  ): JsonValue | undefined {
    const also = type.rules.flatMap((rule) => (rule.rule === 'also' ? [rule.type] : []));
    for (const candidate of [type.type, ...also, { kind: 'union', exclusive: false, variants: also } as const]) {
      for (const chosen of [extent, 'smallest', 'fullest', 'empty'] as const) {
        const value = this.#build(candidate, owner, chosen, depth + 1);
        if (value !== undefined && this.accepts(type, value)) return value;
      }
    }
    return undefined;
  }

  /** What a reference points to is tested with its own definition, so the smallest value is enough. */
  #reference(name: string, owner: string, depth: number): JsonValue | undefined {
    const target = this.types.get(name);
    if (target === undefined || this.#open.has(name)) return undefined;
    // A plain value is named after its member, an object after its definition.
    const kind = resolveType(this.types, target).kind;
    const own = kind === 'object' || kind === 'union' || kind === 'intersection' || owner === '' ? name : owner;
    const key = `${name} ${own}`;
    if (this.#smallest.has(key)) return this.#smallest.get(key);
    this.#open.add(name);
    const value = this.#build(target, own, 'smallest', depth + 1);
    this.#open.delete(name);
    // What was given up only because of the path to it may be possible elsewhere.
    if (value !== undefined) this.#smallest.set(key, value);
    return value;
  }
}

/** The name of an entry, in objects that may have any. */
export const ENTRY_NAME = 'city';

/** The name of a member that no protocol defines. */
export const UNKNOWN_MEMBER = 'exampleUnknownMember';

/** Members that say what an object is, which come first. */
const FIRST_MEMBERS = ['jsonrpc', 'id', 'method', 'type', 'role', 'name', 'uri'];

function inReadingOrder(members: readonly Member[]): readonly Member[] {
  const rank = ({ name }: Member): number => {
    const index = FIRST_MEMBERS.indexOf(name);
    return index === -1 ? FIRST_MEMBERS.length : index;
  };
  return [...members].sort((a, b) => rank(a) - rank(b));
}

/** A copy of an object with one member set, at its place if the object has it. */
export function withMember(object: JsonObject, name: string, value: JsonValue): JsonObject {
  const entries = Object.entries(object);
  return objectFromEntries(
    Object.hasOwn(object, name)
      ? entries.map(([key, own]): [string, JsonValue] => [key, key === name ? value : own])
      : [...entries, [name, value]],
  );
}
