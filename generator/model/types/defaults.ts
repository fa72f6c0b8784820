import { formatPointer, isObject, objectFromEntries, ownMember, type JsonValue } from '../../read/json/json.js';
import type { Definition, Member, ObjectNode, TypeNode } from '../protocol.js';
import { findRejection, type TypesByName } from './accepts.js';

/** Maximum of members that are filled in for one default. */
const MAX_FILLED_MEMBERS = 1000;

/** Maximum depth of a default; one that contains itself has none. */
const MAX_DEPTH = 32;

/** A default that is not applied, with the pointer to it from its definition. */
export interface RejectedDefault {
  readonly definition: string;
  readonly pointer: string;
  readonly message: string;
}

/**
 * The defaults of a schema, where they can be applied: in members of objects, in items of arrays, through references and
 * in all parts of an intersection. Which variant of a union a value has is known only once it is complete, so unions are
 * left alone.
 */
export class SchemaDefaults {
  /** The defaults that are not applied, since they do not match their schema. */
  readonly rejected: readonly RejectedDefault[];
  readonly #types: TypesByName;
  readonly #usable = new Map<Member, JsonValue>();
  /** Definitions whose values can be filled in. */
  readonly #definitions = new Set<string>();

  constructor(definitions: readonly Definition[]) {
    this.#types = new Map(definitions.map(({ name, type }) => [name, type]));
    const rejected: RejectedDefault[] = [];
    for (const { name, type } of definitions) {
      visitMembers(type, '', (member, pointer) => {
        const message = this.#checkDefault(member);
        if (message !== undefined) rejected.push({ definition: name, pointer: `${pointer}/default`, message });
      });
    }
    this.rejected = rejected;
    // A definition can be filled in if it has a default, or refers to one that can.
    for (let size = -1; size !== this.#definitions.size;) {
      size = this.#definitions.size;
      for (const { name, type } of definitions) if (this.applyTo(type)) this.#definitions.add(name);
    }
  }

  /** The default of a member, complete; undefined if it has none that can be applied. */
  of(member: Member): JsonValue | undefined {
    return this.#usable.get(member);
  }

  /** Whether values of a type can be filled in. */
  applyTo(type: TypeNode): boolean {
    switch (type.kind) {
      case 'object':
        return type.members.some((member) => this.#usable.has(member) || this.applyTo(member.type));
      case 'array':
        return type.prefix === undefined && this.applyTo(type.items);
      case 'refined':
        return this.applyTo(type.type);
      case 'intersection':
        return type.parts.some((part) => this.applyTo(part));
      case 'ref':
        return this.#definitions.has(type.name);
      default:
        return false;
    }
  }

  /**
   * A type whose members with a default are present.
   *
   * @param rename - Names the definitions that can be filled in.
   */
  complete(type: TypeNode, rename: (name: string) => string): TypeNode {
    if (!this.applyTo(type)) return type;
    switch (type.kind) {
      case 'object':
        return {
          ...type,
          members: type.members.map((member) => ({
            ...member,
            required: member.required || this.#usable.has(member),
            type: this.complete(member.type, rename),
          })),
        };
      case 'array':
        return { ...type, items: this.complete(type.items, rename) };
      case 'intersection':
        return { ...type, parts: type.parts.map((part) => this.complete(part, rename)) };
      case 'refined':
        return { ...type, type: this.complete(type.type, rename) };
      case 'ref':
        return { kind: 'ref', name: rename(type.name) };
      default:
        return type;
    }
  }

  /** Completes and keeps the default of a member. Returns why it is not applied, if so. */
  #checkDefault(member: Member): string | undefined {
    if (member.defaultValue === undefined) return undefined;
    const budget = { members: MAX_FILLED_MEMBERS };
    const filled = this.#fill(member.type, member.defaultValue, 0, budget);
    if (filled === undefined) return 'the default contains itself, so it is not applied';
    const at = findRejection(this.#types, member.type, filled);
    if (at !== undefined)
      return `the default does not match the schema${at === '' ? '' : `, at ${at}`}, so it is not applied`;
    this.#usable.set(member, filled);
    return undefined;
  }

  /** A value with the defaults inside it; undefined if they do not end. */
  #fill(type: TypeNode, value: JsonValue, depth: number, budget: { members: number }): JsonValue | undefined {
    if (depth > MAX_DEPTH) return undefined;
    if (type.kind === 'ref') {
      const target = this.#types.get(type.name);
      return target === undefined ? value : this.#fill(target, value, depth + 1, budget);
    }
    if (type.kind === 'intersection') {
      let whole: JsonValue | undefined = value;
      for (const part of type.parts) whole = whole === undefined ? whole : this.#fill(part, whole, depth + 1, budget);
      return whole;
    }
    if (type.kind === 'array' && Array.isArray(value)) {
      const items = (value as readonly JsonValue[]).map((item) => this.#fill(type.items, item, depth + 1, budget));
      return items.some((item) => item === undefined) ? undefined : (items as JsonValue[]);
    }
    if (type.kind !== 'object' || !isObject(value)) return value;
    const members = new Map(Object.entries(value));
    for (const member of type.members) {
      const own = ownMember(value, member.name) ?? member.defaultValue;
      if (own === undefined) continue;
      budget.members -= 1;
      const filled = budget.members < 0 ? undefined : this.#fill(member.type, own, depth + 1, budget);
      if (filled === undefined) return undefined;
      members.set(member.name, filled);
    }
    return objectFromEntries(members);
  }
}

/** Calls a function for each member whose default could be applied, with a pointer to it. */
function visitMembers(type: TypeNode, pointer: string, visit: (member: Member, pointer: string) => void): void {
  if (type.kind === 'object') visitObject(type, pointer, visit);
  else if (type.kind === 'array') visitMembers(type.items, `${pointer}/items`, visit);
  else if (type.kind === 'intersection')
    for (const [index, part] of type.parts.entries())
      visitMembers(part, `${pointer}${formatPointer('allOf', index)}`, visit);
}

function visitObject({ members }: ObjectNode, pointer: string, visit: (member: Member, pointer: string) => void): void {
  for (const member of members) {
    const at = `${pointer}${formatPointer('properties', member.name)}`;
    visit(member, at);
    visitMembers(member.type, at, visit);
  }
}
