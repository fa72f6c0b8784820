/**
 * What TypeScript can express of the rules of a refined type. The result is never narrower than the schema: a rule that
 * has no counterpart is left to validators.
 */
import type { ArrayNode, Evaluation, Member, ObjectNode, RefinedNode, Rule, TypeNode } from '../protocol.js';
import type { JsonKind } from './discriminate.js';

const UNKNOWN: TypeNode = { kind: 'unknown' };
const NEVER: TypeNode = { kind: 'never' };

/** All values of each kind. */
const WIDEST: Readonly<Record<JsonKind, TypeNode>> = {
  object: { kind: 'object', members: [], rest: UNKNOWN, shape: 'map', constraints: {} },
  array: { kind: 'array', items: UNKNOWN, constraints: {} },
  string: { kind: 'string', constraints: {} },
  number: { kind: 'number', constraints: {} },
  boolean: { kind: 'boolean', constraints: {} },
  null: { kind: 'null', constraints: {} },
};
const KINDS = Object.keys(WIDEST) as readonly JsonKind[];

/** Maximum of items that a rule about contained items adds to a type. */
const MAX_CONTAINED = 3;
/** Maximum of dependencies in a type, each of which doubles the number of variants. */
const MAX_DEPENDENCIES = 4;

/** The type of a refined one, as far as TypeScript can express its rules. */
export function expressibleType({ type: given, rules }: RefinedNode): TypeNode {
  let dependencies = 0;
  return rules.reduce((type, rule) => {
    switch (rule.rule) {
      case 'also':
        return type;
      case 'not':
        return exclude(type, rule.type);
      case 'if':
        return limitByCondition(type, rule);
      case 'contains':
        return limitKind(type, 'array', (array) => withContained(array, rule));
      case 'names':
        return limitKind(type, 'object', (object) => withNames(object, rule.type));
      case 'dependent':
        dependencies += 1;
        return dependencies > MAX_DEPENDENCIES ? type : limitByDependency(type, rule.member, rule.type);
      case 'unevaluatedMembers':
      case 'unevaluatedItems':
        return limitUnevaluated(type, rule);
    }
  }, given);
}

/** Whether a type is, or contains outside of objects, a reference. TypeScript rejects aliases that do so to themselves. */
export function refersOutsideObjects(type: TypeNode): boolean {
  switch (type.kind) {
    case 'ref':
      return true;
    case 'union':
      return type.variants.some(refersOutsideObjects);
    case 'intersection':
      return type.parts.some(refersOutsideObjects);
    case 'refined':
      return refersOutsideObjects(expressibleType(type));
    case 'array':
      return [...(type.prefix ?? []), type.items].some(refersOutsideObjects);
    default:
      return false;
  }
}

/** Changes the part of a type that has the values of a kind; `limit` returns undefined to change nothing. */
function limitKind(type: TypeNode, kind: JsonKind, limit: (part: TypeNode) => TypeNode | undefined): TypeNode {
  if (type.kind === kind) return limit(type) ?? type;
  if (type.kind === 'unknown') {
    const limited = limit(WIDEST[kind]);
    return limited === undefined ? type : unionOf(KINDS.map((name) => (name === kind ? limited : WIDEST[name])));
  }
  if (type.kind === 'union' && haveDistinctKinds(type.variants))
    return unionOf(type.variants.map((variant) => (variant.kind === kind ? (limit(variant) ?? variant) : variant)));
  if (isScalar(type)) return type;
  const limited = limitKind(UNKNOWN, kind, limit);
  return limited.kind === 'unknown' ? type : intersectionOf(type, limited);
}

function isScalar(type: TypeNode): boolean {
  return type.kind === 'literal' || type.kind === 'never' || (type.kind !== 'unknown' && type.kind in WIDEST);
}

function unionOf(variants: readonly TypeNode[]): TypeNode {
  const possible = variants.filter(({ kind }) => kind !== 'never');
  const [only, second] = possible;
  if (only === undefined) return NEVER;
  return second === undefined ? only : { kind: 'union', exclusive: false, variants: possible };
}

function intersectionOf(...parts: readonly TypeNode[]): TypeNode {
  if (parts.some(({ kind }) => kind === 'never')) return NEVER;
  const informative = parts.filter(({ kind }) => kind !== 'unknown');
  const [only, second] = informative;
  if (only === undefined) return UNKNOWN;
  return second === undefined ? only : { kind: 'intersection', parts: informative };
}

/** A type without the values of another one, as far as that leaves whole kinds, constants or members out. */
function exclude(type: TypeNode, excluded: TypeNode): TypeNode {
  switch (excluded.kind) {
    case 'unknown':
      return NEVER;
    case 'union':
      return excluded.exclusive ? type : excluded.variants.reduce(exclude, type);
    case 'literal':
      return excluded.value === null ? excludeKind(type, 'null') : excludeLiteral(type, excluded.value);
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return Object.keys(excluded.constraints).length > 0 ? type : excludeKind(type, excluded.kind);
    case 'array': {
      const isAny = excluded.prefix === undefined && excluded.items.kind === 'unknown';
      return isAny && Object.keys(excluded.constraints).length === 0 ? excludeKind(type, 'array') : type;
    }
    case 'object': {
      if (excluded.patterns !== undefined || Object.keys(excluded.constraints).length > 0) return type;
      if (excluded.rest !== undefined && excluded.rest.kind !== 'unknown') return type;
      const [only, second] = excluded.members;
      if (only === undefined) return excludeKind(type, 'object');
      if (second !== undefined || !only.required || only.type.kind !== 'unknown') return type;
      return limitKind(type, 'object', (object) => withoutMember(object, only.name));
    }
    default:
      return type;
  }
}

function excludeKind(type: TypeNode, kind: JsonKind): TypeNode {
  switch (type.kind) {
    case 'unknown':
      return unionOf(KINDS.flatMap((name) => (name === kind ? [] : WIDEST[name])));
    case 'union':
      return unionOf(type.variants.map((variant) => excludeKind(variant, kind)));
    case 'literal':
      return kindOf(type.value) === kind ? NEVER : type;
    case 'integer':
      return kind === 'number' ? NEVER : type;
    case 'ref':
    case 'refined':
    case 'intersection':
      return intersectionOf(type, excludeKind(UNKNOWN, kind));
    default:
      return type.kind === kind ? NEVER : type;
  }
}

function kindOf(value: string | number | boolean | null): string {
  return value === null ? 'null' : typeof value;
}

function excludeLiteral(type: TypeNode, value: string | number | boolean): TypeNode {
  if (type.kind === 'literal') return type.value === value ? NEVER : type;
  if (type.kind === 'boolean' && typeof value === 'boolean') return { kind: 'literal', value: !value };
  return type.kind === 'union' ? unionOf(type.variants.map((variant) => excludeLiteral(variant, value))) : type;
}

function withoutMember(type: TypeNode, name: string): TypeNode | undefined {
  if (type.kind !== 'object') return undefined;
  const others = type.members.filter((member) => member.name !== name);
  return { ...type, members: [...others, absent(name)], shape: 'members' };
}

function absent(name: string): Member {
  return { name, required: false, type: NEVER };
}

type RuleOf<Name extends Rule['rule']> = Extract<Rule, { readonly rule: Name }>;

function limitByCondition(type: TypeNode, { if: condition, then, else: otherwise }: RuleOf<'if'>): TypeNode {
  if (condition.kind === 'unknown') return limitBy(type, then);
  if (condition.kind === 'never') return limitBy(type, otherwise);
  if (then.kind === 'never') return limitBy(exclude(type, condition), otherwise);
  if (otherwise.kind === 'unknown') return type;
  // A value that the condition does not hold for is of the second variant, one that it holds for may be of both.
  return limitBy(type, unionOf([intersectionOf(condition, then), otherwise]));
}

function limitByDependency(type: TypeNode, member: string, dependent: TypeNode): TypeNode {
  return limitKind(type, 'object', (object) => {
    const required = partOfKind(dependent, 'object');
    if (required.kind === 'never') return withoutMember(object, member);
    if (required.kind === 'unknown' || refersOutsideObjects(required)) return undefined;
    const without: ObjectNode = {
      kind: 'object',
      members: [absent(member)],
      rest: UNKNOWN,
      shape: 'members',
      constraints: {},
    };
    return limitBy(object, unionOf([without, withMember(required, member)]));
  });
}

/** A type of objects that says that they have a member. */
function withMember(type: TypeNode, name: string): TypeNode {
  if (type.kind !== 'object' || type.rest?.kind !== 'unknown') return type;
  const known = type.members.find((member) => member.name === name);
  const others = type.members.filter((member) => member !== known);
  return { ...type, members: [...others, { ...(known ?? { name, type: UNKNOWN }), required: true }], shape: 'members' };
}

/** A type whose values are also of another one. */
function limitBy(type: TypeNode, limit: TypeNode): TypeNode {
  if (limit.kind === 'unknown' || refersOutsideObjects(limit)) return type;
  if (type.kind === 'unknown') return limit;
  if (type.kind !== 'object') return intersectionOf(type, limit);
  const part = partOfKind(limit, 'object');
  if (part.kind === 'unknown' || isAnyObject(part)) return type;
  if (isAnyObject(type)) return part;
  // An index signature of the limit would allow any member of a closed object.
  return intersectionOf(type, closeType(part, 'object', true));
}

function isAnyObject(type: TypeNode): boolean {
  return (
    type.kind === 'object' &&
    type.members.length === 0 &&
    type.patterns === undefined &&
    (type.rest === undefined || type.rest.kind === 'unknown') &&
    type.shape !== 'opaque'
  );
}

/** The part of a type with values of a kind, which may still have others if they are nested. */
function partOfKind(type: TypeNode, kind: JsonKind): TypeNode {
  if (type.kind === 'union') {
    const parts = type.variants.map((variant) => partOfKind(variant, kind));
    return parts.some((part) => part.kind === 'unknown') ? UNKNOWN : unionOf(parts);
  }
  if (type.kind === 'intersection') return intersectionOf(...type.parts.map((part) => partOfKind(part, kind)));
  if (type.kind === 'refined') return partOfKind(expressibleType(type), kind);
  return isScalar(type) && type.kind !== kind ? NEVER : type;
}

function withContained(type: TypeNode, { type: contained, min, max }: RuleOf<'contains'>): TypeNode | undefined {
  if (type.kind !== 'array' || min === 0) return undefined;
  if (contained.kind === 'never' || (max !== undefined && max < min)) return NEVER;
  if (min > MAX_CONTAINED) return undefined;
  const least = Math.max(min, Number(type.constraints['minItems'] ?? 0));
  return { ...type, prefix: type.prefix ?? [], constraints: { ...type.constraints, minItems: least } };
}

function withNames(type: TypeNode, names: TypeNode): TypeNode | undefined {
  if (type.kind !== 'object' || type.patterns !== undefined) return undefined;
  const allowed = names.kind === 'never' ? [] : (names.kind === 'union' ? names.variants : [names]).map(textOf);
  if (!allowed.every((name) => name !== undefined)) return undefined;
  const { rest = UNKNOWN, ...closed } = type;
  if (allowed.length === 0 && type.members.length === 0) return { ...type, rest: NEVER };
  const members = [...new Set(allowed)].map(
    (name): Member => type.members.find((member) => member.name === name) ?? { name, required: false, type: rest },
  );
  return members.length === 0 ? undefined : { ...closed, members, shape: 'members' };
}

function textOf(type: TypeNode): string | undefined {
  return type.kind === 'literal' && typeof type.value === 'string' ? type.value : undefined;
}

/** A type whose members or items that nothing evaluates are of the type of the rule. */
function limitUnevaluated(type: TypeNode, rule: RuleOf<'unevaluatedMembers' | 'unevaluatedItems'>): TypeNode {
  if (isConditional(rule.evaluated) || refersOutsideObjects(rule.type)) return type;
  const kind = rule.rule === 'unevaluatedMembers' ? 'object' : 'array';
  if (rule.type.kind === 'never') {
    const closed = closeType(type, kind);
    if (closed !== type) return closed;
  }
  const { members, items } = rule.evaluated;
  if (kind === 'object')
    return members.length > 0 ? type : limitKind(type, kind, (object) => limitBy(object, mapOf(rule.type)));
  const tuple: ArrayNode = {
    kind: 'array',
    ...(items === 0 && rule.type.kind !== 'never' ? {} : { prefix: Array.from({ length: items }, () => UNKNOWN) }),
    items: rule.type,
    constraints: {},
  };
  return limitKind(type, kind, (array) =>
    array.kind === 'array' && array.prefix === undefined && array.items.kind === 'unknown'
      ? tuple
      : intersectionOf(array, tuple),
  );
}

/** Whether it depends on the value what a schema evaluates. */
function isConditional({ branches, patterns, contained }: Evaluation): boolean {
  return branches.length + patterns.length + contained.length > 0;
}

function mapOf(type: TypeNode): ObjectNode {
  return { kind: 'object', members: [], rest: type, shape: 'map', constraints: {} };
}

/**
 * A type without members or items that it does not name; the same object if it has no other form.
 *
 * @param isLimit - Whether values are also of another type, which names all members of the variants.
 */
function closeType(type: TypeNode, kind: 'object' | 'array', isLimit = false): TypeNode {
  switch (type.kind) {
    case 'intersection': {
      // Each part of an array knows only its own items.
      if (kind === 'array') return type;
      const parts = type.parts.map((part) => closeType(part, kind, isLimit));
      return parts.every((part, index) => part === type.parts[index]) ? type : { ...type, parts };
    }
    case 'object': {
      if (kind !== 'object' || type.rest?.kind !== 'unknown' || type.members.length === 0) return type;
      const { rest: _rest, ...closed } = type;
      return closed;
    }
    case 'array':
      return kind === 'array' && type.items.kind === 'unknown' && type.prefix !== undefined
        ? { ...type, items: NEVER }
        : type;
    case 'union': {
      // A value may have members of several variants.
      const canClose = isLimit || haveDistinctKinds(type.variants);
      const variants = canClose ? type.variants.map((variant) => closeType(variant, kind, isLimit)) : type.variants;
      return variants.every((variant, index) => variant === type.variants[index]) ? type : { ...type, variants };
    }
    default:
      return type;
  }
}

/** Whether no two variants are values of the same kind. */
function haveDistinctKinds(variants: readonly TypeNode[]): boolean {
  return new Set(variants.map(({ kind }) => kind)).size === variants.length;
}
