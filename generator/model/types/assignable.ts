import { asObjectType, findRejection, resolveType, type TypesByName } from './accepts.js';
import type { ResolvedType } from './references.js';
import type { ArrayNode, Constraints, Member, ObjectNode, Rule, TypeNode } from '../protocol.js';

/** How the values of a new type relate to those of the old one. */
export type Relation = 'same' | 'widened' | 'narrowed' | 'changed';

const NO_LIMITS: Constraints = {};

/** Any JSON value: one type for each kind of value. */
const ALL_JSON_TYPES: readonly TypeNode[] = [
  { kind: 'null', constraints: NO_LIMITS },
  { kind: 'boolean', constraints: NO_LIMITS },
  { kind: 'number', constraints: NO_LIMITS },
  { kind: 'string', constraints: NO_LIMITS },
  { kind: 'array', items: { kind: 'unknown' }, constraints: NO_LIMITS },
  { kind: 'object', members: [], rest: { kind: 'unknown' }, shape: 'map', constraints: NO_LIMITS },
];

/** Most literals into which a member is split to compare an object with a union of objects. */
const MAX_LITERALS = 32;

/**
 * Whether every value of a type of one revision is a value of a type of another, compared by structure. References resolve
 * within the revision of each type. Recursive definitions are assumed to be assignable until a difference is found.
 *
 * Unnamed members are assumed not to be sent, unless the type explicitly allows members of any name: so another
 * optional member does not change what is sent.
 */
export class Assignability {
  readonly #from: TypesByName;
  readonly #to: TypesByName;
  readonly #results = new Map<string, boolean>();
  #assumptions: string[] = [];

  constructor(from: TypesByName, to: TypesByName) {
    this.#from = from;
    this.#to = to;
  }

  /** Whether every value of `a`, of the sending revision, is a value of `b`. */
  holds(a: TypeNode, b: TypeNode): boolean {
    const from = a.kind === 'ref' ? a.name : a.kind === 'unknown' ? '' : undefined;
    if (from === undefined || b.kind !== 'ref') return this.#isAssignable(a, b);
    const key = JSON.stringify([from, b.name]);
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    const before = this.#assumptions.length;
    this.#results.set(key, true);
    this.#assumptions.push(key);
    if (this.#isAssignable(a, b)) return true;
    // Results found in the meantime may depend on this assumption.
    for (const assumed of this.#assumptions.splice(before)) this.#results.delete(assumed);
    this.#results.set(key, false);
    return false;
  }

  #isAssignable(a: TypeNode, b: TypeNode): boolean {
    if (b.kind === 'refined') return this.#followsRules(a, b.rules) && this.holds(a, b.type);
    const from = resolveType(this.#from, a);
    const to = resolveType(this.#to, b);
    if (from.kind === 'never' || to.kind === 'unknown') return true;
    if (from.kind === 'union') return from.variants.every((variant) => this.holds(variant, b));
    // The target stays a reference, so that a recursive pair is recognized.
    if (from.kind === 'unknown') return ALL_JSON_TYPES.every((kind) => this.#isAssignable(kind, b));
    if (to.kind === 'intersection') return to.parts.every((part) => this.holds(a, part));
    if (from.kind === 'literal') return findRejection(this.#to, to, from.value) === undefined;
    const object = asObjectType(this.#from, from);
    // An object among the parts has the members of the others too.
    if (from.kind === 'intersection' && object === undefined && from.parts.some((part) => this.holds(part, b)))
      return true;
    if (to.kind === 'union') return this.#isAssignableToUnion(from, to.variants);
    if (object !== undefined) return to.kind === 'object' && this.#isObjectAssignable(object, to);
    if (from.kind === 'array') {
      return to.kind === 'array' && this.#isArrayAssignable(from, to) && isAsStrict(from.constraints, to.constraints);
    }
    const sameKind = from.kind === to.kind || (from.kind === 'integer' && to.kind === 'number');
    return sameKind && isAsStrict(constraintsOf(from), constraintsOf(to));
  }

  #isAssignableToUnion(from: ResolvedType, variants: readonly TypeNode[]): boolean {
    if (variants.some((variant) => this.holds(from, variant))) return true;
    if (from.kind === 'boolean') {
      return [true, false].every((value) => this.#isAssignableToUnion({ kind: 'literal', value }, variants));
    }
    const object = asObjectType(this.#from, from);
    const split = object?.members.flatMap((member) => {
      const type = resolveType(this.#from, member.type);
      if (!member.required || type.kind !== 'union' || type.variants.length > MAX_LITERALS) return [];
      return type.variants.every((variant) => variant.kind === 'literal') ? [{ member, variants: type.variants }] : [];
    })[0];
    if (object === undefined || split === undefined) return false;
    return split.variants.every((type) =>
      this.#isAssignableToUnion(
        { ...object, members: object.members.map((item) => (item === split.member ? { ...item, type } : item)) },
        variants,
      ),
    );
  }

  /** Whether all values follow rules: only if the type has the same ones. */
  #followsRules(a: TypeNode, rules: readonly Rule[]): boolean {
    const own: string[] = [];
    for (let type: TypeNode | undefined = a; type?.kind === 'ref' || type?.kind === 'refined';) {
      if (type.kind === 'refined') own.push(...type.rules.map((rule) => JSON.stringify(rule)));
      type = type.kind === 'ref' ? this.#from.get(type.name) : type.type;
    }
    return rules.every((rule) => own.includes(JSON.stringify(rule)));
  }

  #isArrayAssignable(from: ArrayNode, to: ArrayNode): boolean {
    const positions = Math.max(from.prefix?.length ?? 0, to.prefix?.length ?? 0);
    const at = ({ prefix, items }: ArrayNode, index: number): TypeNode => prefix?.[index] ?? items;
    return Array.from({ length: positions + 1 }, (_, index) => index).every((index) =>
      this.holds(at(from, index), at(to, index)),
    );
  }

  #isObjectAssignable(from: ObjectNode, to: ObjectNode): boolean {
    // Names that match a pattern are compared only as far as both have the same patterns.
    if (to.patterns !== undefined && JSON.stringify(from.patterns) !== JSON.stringify(to.patterns)) return false;
    const own = new Map(from.members.map((member) => [member.name, member]));
    const named = new Set(to.members.map((member) => member.name));
    return (
      to.members.every((member) => this.#isMemberAssignable(own.get(member.name), from.rest, member)) &&
      from.members.every((member) => named.has(member.name) || this.#isRestAssignable(member.type, to.rest)) &&
      this.#isRestAssignable(from.rest ?? { kind: 'unknown' }, to.rest) &&
      isAsStrict(from.constraints, to.constraints)
    );
  }

  #isMemberAssignable(own: Member | undefined, rest: TypeNode | undefined, wanted: Member): boolean {
    if (own !== undefined) return (own.required || !wanted.required) && this.holds(own.type, wanted.type);
    if (wanted.required) return false;
    return rest === undefined || this.holds(rest, wanted.type);
  }

  #isRestAssignable(type: TypeNode, rest: TypeNode | undefined): boolean {
    return rest === undefined || this.holds(type, rest);
  }
}

/** How the values of a new type relate to those of an old one. */
export function relationOf(forward: boolean, backward: boolean): Relation {
  if (forward) return backward ? 'same' : 'widened';
  return backward ? 'narrowed' : 'changed';
}

function constraintsOf(type: TypeNode): Constraints {
  return 'constraints' in type ? type.constraints : NO_LIMITS;
}

const LOWER_LIMITS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const UPPER_LIMITS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];

/** Whether limits accept nothing that other limits reject. Formats and encodings are annotations. */
export function isAsStrict(strict: Constraints, wanted: Constraints): boolean {
  const value = (constraints: Constraints, key: string): number | undefined =>
    Object.hasOwn(constraints, key) ? Number(constraints[key]) : undefined;
  return Object.keys(wanted).every((key) => {
    const [own, other] = [value(strict, key), value(wanted, key) ?? 0];
    if (LOWER_LIMITS.includes(key)) {
      const exclusive = key === 'minimum' ? value(strict, 'exclusiveMinimum') : undefined;
      return (own ?? -Infinity) >= other || (exclusive ?? -Infinity) >= other || (other <= 0 && isCountLimit(key));
    }
    if (UPPER_LIMITS.includes(key)) {
      const exclusive = key === 'maximum' ? value(strict, 'exclusiveMaximum') : undefined;
      return (own ?? Infinity) <= other || (exclusive ?? Infinity) <= other;
    }
    if (key === 'multipleOf') return own !== undefined && Number.isInteger(own / other);
    if (key === 'pattern') return strict['pattern'] === wanted['pattern'];
    if (key === 'uniqueItems') return wanted['uniqueItems'] !== true || strict['uniqueItems'] === true;
    return true;
  });
}

function isCountLimit(key: string): boolean {
  return /^min(?:Length|Items|Properties)$/.test(key);
}
