import { isObject, ownMember, objectFromEntries, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { findRejection, typesByName, type TypesByName } from './accepts.js';
import {
  findDefinition,
  type ArrayNode,
  type Constraints,
  type Method,
  isObjectPrototypeMember,
  type ObjectNode,
  type Definitions,
  type Traits,
  type TypeNode,
} from '../protocol.js';

/** The protocol that values are examples for; its version is the value of version strings. */
type ExampleSource = Definitions & { readonly revision?: string; readonly traits?: Traits };

/** Depth below which lists have only required items. */
const MAX_DEPTH = 12;
/** Most values and characters that a schema may require in total. */
const MAX_NODES = 10_000;

/**
 * A small valid value of a type: almost only required members, and the first finite variant of a union.
 *
 * @param owner - Name of the definition or member that the value is for; strings are derived from it.
 * @returns Undefined if no value is finite, or only one too large to show.
 */
export function exampleOf(protocol: ExampleSource, type: TypeNode, owner = ''): JsonValue | undefined {
  return new ExampleBuilder(protocol).build(type, owner, 0);
}

/** A complete example message of a method; for an embedded method, as it is inside a result. */
export function exampleMessage(protocol: ExampleSource, method: Method): JsonObject {
  const definition = findDefinition(protocol, method.message);
  const value = definition === undefined ? undefined : exampleOf(protocol, definition.type, method.message);
  const own = isObject(value) ? value : {};
  if (method.direction === 'embedded') return own;
  const { jsonrpc: _jsonrpc, id: _id, ...rest } = own;
  return { jsonrpc: '2.0', ...(method.kind === 'request' ? { id: 1 } : {}), ...rest };
}

/** Builds one example. An infinitely recursive type has none. */
class ExampleBuilder {
  readonly #protocol: ExampleSource;
  /** Found when an intersection first needs them. */
  #types: TypesByName | undefined;
  /** Definitions in progress. */
  readonly #openDefinitions = new Set<string>();
  #remaining = MAX_NODES;

  constructor(protocol: ExampleSource) {
    this.#protocol = protocol;
  }

  build(type: TypeNode, owner: string, depth: number): JsonValue | undefined {
    this.#remaining -= 1;
    if (this.#remaining < 0) return undefined;
    switch (type.kind) {
      case 'unknown':
        return 'anything';
      case 'never':
        return undefined;
      case 'null':
        return null;
      case 'boolean':
        return true;
      case 'literal':
        return type.value;
      case 'string':
        this.#remaining -= Number(type.constraints['minLength'] ?? 0);
        return this.#remaining < 0 ? undefined : exampleString(this.#protocol, owner, type.constraints);
      case 'number':
      case 'integer':
        return exampleNumber(type);
      case 'array':
        return this.#array(type, owner, depth);
      case 'refined':
        return this.build(type.type, owner, depth);
      case 'union':
        return this.#union(type.variants, owner, depth);
      case 'intersection':
        return this.#intersection(type.parts, owner, depth);
      case 'ref':
        return this.#reference(type.name, owner, depth);
      case 'object':
        return this.#object(type, owner, depth);
    }
  }

  #array({ prefix = [], items, constraints }: ArrayNode, owner: string, depth: number): JsonValue | undefined {
    const least = Number(constraints['minItems'] ?? 0);
    const most = Number(constraints['maxItems'] ?? Infinity);
    const wanted = depth > MAX_DEPTH ? least : Math.min(Math.max(least, prefix.length, 1), most);
    const made: JsonValue[] = [];
    while (made.length < wanted) {
      const item = this.build(prefix[made.length] ?? items, singular(owner), depth + 1);
      if (item === undefined) return least === 0 ? [] : undefined;
      made.push(item);
    }
    return made;
  }

  #union(variants: readonly TypeNode[], owner: string, depth: number): JsonValue | undefined {
    for (const variant of variants) {
      const value = this.build(variant, owner, depth + 1);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  #intersection(parts: readonly TypeNode[], owner: string, depth: number): JsonValue | undefined {
    const values = parts.map((part) => this.build(part, owner, depth + 1));
    if (values.includes(undefined)) return undefined;
    const merged = objectFromEntries(values.flatMap((value) => (isObject(value) ? Object.entries(value) : [])));
    const types = (this.#types ??= typesByName(this.#protocol));
    return [merged, ...values].find(
      (value) => value !== undefined && parts.every((part) => findRejection(types, part, value) === undefined),
    );
  }

  #reference(name: string, owner: string, depth: number): JsonValue | undefined {
    const target = findDefinition(this.#protocol, name);
    if (target === undefined || this.#openDefinitions.has(name)) return undefined;
    this.#openDefinitions.add(name);
    // A string is named after its member, an object after its definition.
    const named = owner === '' || target.type.kind === 'object' ? name : owner;
    const value = this.build(target.type, named, depth + 1);
    this.#openDefinitions.delete(name);
    return value;
  }

  #object(type: ObjectNode, owner: string, depth: number): JsonValue | undefined {
    const inputRequired = this.#protocol.traits?.inputRequired;
    const entries: [string, JsonValue][] = [];
    for (const { name, required, type: own } of type.members) {
      // TypeScript would match an inherited member with an optional one of the same name, so that one is set too.
      if (!required && !isObjectPrototypeMember(name)) continue;
      const value =
        name === inputRequired?.member
          ? owner === inputRequired.result
            ? inputRequired.value
            : inputRequired.complete
          : this.build(own, name, depth + 1);
      if (value !== undefined) entries.push([name, value]);
      else if (required) return undefined;
    }
    return objectFromEntries(entries);
  }
}

const EXAMPLE_BY_FORMAT: JsonObject = {
  uri: 'file:///project/notes.txt',
  'uri-template': 'file:///project/{path}',
  byte: 'aGVsbG8=',
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'someone@example.com',
};

const EXAMPLE_BY_NAME: JsonObject = {
  mimeType: 'text/plain',
  version: '1.0.0',
  model: 'some-model',
  createdAt: '2026-01-31T12:00:00Z',
  lastUpdatedAt: '2026-01-31T12:00:00Z',
  RequestId: 'request-1',
  id: 'call-1',
  Cursor: 'page-2',
};

function exampleString(protocol: ExampleSource, owner: string, constraints: Constraints): string {
  const format = constraints['format'];
  const formatted = typeof format === 'string' ? ownMember(EXAMPLE_BY_FORMAT, format) : undefined;
  if (typeof formatted === 'string') return formatted;
  if (/[pP]rotocolVersion$|^supportedVersion$/.test(owner)) return protocol.revision ?? '';
  const known = ownMember(EXAMPLE_BY_NAME, owner);
  const text = typeof known === 'string' ? known : owner === '' ? 'text' : `some ${owner}`;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = constraints;
  return text.padEnd(Number(minLength), '.').slice(0, Number(maxLength));
}

/** A number within all limits, if one of a few is. */
function exampleNumber(type: TypeNode & { readonly constraints: Constraints }): number {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = type.constraints;
  const low = Number(minimum ?? exclusiveMinimum ?? 1);
  const high = Number(maximum ?? exclusiveMaximum ?? Math.max(low, 1));
  const inside = Math.min(Math.max(low, 1), high);
  const step = Number(multipleOf ?? 1);
  const multiples = [Math.ceil(inside / step), Math.ceil(low / step), Math.floor(high / step)].map((n) => n * step);
  const candidates = [inside, ...multiples, low + 1, high - 1, low + step, high - step, (low + high) / 2];
  return candidates.find((value) => findRejection(new Map(), type, value) === undefined) ?? inside;
}

function singular(name: string): string {
  return name.replace(/s$/, '');
}
