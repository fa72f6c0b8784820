/**
 * Schemas without a type, whose keywords apply to values of some kinds and allow all others.
 */
import type { Definition, Rule, TypeNode } from '../protocol.js';
import { jsonKinds, type JsonKind } from '../types/discriminate.js';
import { mapTypes } from '../types/map-types.js';
import { typeLookup, type TypeLookup } from '../types/references.js';
import { makeIntersection, makeUnion } from './reader.js';

const KINDS = 6;

/** Whether a type is a union of all kinds of values, each once. */
export function isOpenType(type: TypeNode): boolean {
  if (type.kind !== 'union' || type.exclusive || type.variants.length !== KINDS) return false;
  const kinds = new Set(type.variants.map(({ kind }) => kind));
  return (
    kinds.size === KINDS &&
    (['object', 'array', 'string', 'number', 'boolean', 'null'] as const).every((kind) => kinds.has(kind))
  );
}

/**
 * Removes kinds of values from types that apply to all kinds where another part of an intersection excludes them: a
 * limit of strings next to a union of strings and arrays is one of these only.
 */
export function narrowOpenTypes(definitions: readonly Definition[]): readonly Definition[] {
  const lookup = typeLookup({ definitions });
  return definitions.map((definition) => ({ ...definition, type: narrowInside(definition.type, lookup) }));
}

/** The part of a type that has only values of some kinds; undefined if it has none. */
export function restrictToKinds(
  type: TypeNode,
  kinds: ReadonlySet<JsonKind>,
  lookup: TypeLookup,
): TypeNode | undefined {
  const own = jsonKinds(type, lookup);
  if (own !== undefined && [...own].every((kind) => kinds.has(kind))) return own.size === 0 ? undefined : type;
  if (own !== undefined && ![...own].some((kind) => kinds.has(kind))) return undefined;
  switch (type.kind) {
    case 'union': {
      const variants = type.variants.flatMap((variant) => restrictToKinds(variant, kinds, lookup) ?? []);
      return variants.length === 0 ? undefined : makeUnion(variants, type.exclusive);
    }
    case 'intersection': {
      const parts = type.parts.map((part) => restrictToKinds(part, kinds, lookup));
      return parts.includes(undefined) ? undefined : makeIntersection(parts as TypeNode[]);
    }
    case 'refined': {
      const inner = restrictToKinds(type.type, kinds, lookup);
      return inner === undefined ? undefined : { ...type, type: inner };
    }
    default:
      return type;
  }
}

function narrowInside(type: TypeNode, lookup: TypeLookup): TypeNode {
  const inside = (inner: TypeNode): TypeNode => narrowInside(inner, lookup);
  // The kinds of one part narrow those inside another.
  if (type.kind === 'intersection') return narrowParts(flatParts(type.parts).map(inside), lookup);
  return mapTypes(type, inside);
}

function flatParts(parts: readonly TypeNode[]): readonly TypeNode[] {
  return parts.flatMap((part) => (part.kind === 'intersection' ? flatParts(part.parts) : [part]));
}

function narrowParts(parts: readonly TypeNode[], lookup: TypeLookup): TypeNode {
  const isOpen = parts.map((part) => isOpenType(part.kind === 'refined' ? part.type : part));
  const others = makeIntersection(parts.filter((_, index) => isOpen[index] !== true));
  const common = isOpen.includes(true) ? jsonKinds(others, lookup) : undefined;
  if (common === undefined || common.size === 0) return makeIntersection(parts);
  const informative: TypeNode[] = [];
  const rules: Rule[] = [];
  parts.forEach((part, index) => {
    if (isOpen[index] !== true) return informative.push(part);
    const restricted = restrictToKinds(part, common, lookup) ?? part;
    return isLimitOnly(restricted) ? rules.push({ rule: 'also', type: restricted }) : informative.push(restricted);
  });
  const type = makeIntersection(informative);
  return rules.length === 0 ? type : { kind: 'refined', type, rules };
}

/** Whether a type only limits values beyond what TypeScript can express. */
function isLimitOnly(type: TypeNode): boolean {
  switch (type.kind) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return true;
    case 'array':
      return type.prefix === undefined && type.items.kind === 'unknown';
    case 'object':
      return (
        type.members.length === 0 &&
        type.patterns === undefined &&
        (type.rest === undefined || type.rest.kind === 'unknown')
      );
    case 'union':
      return type.variants.every(isLimitOnly);
    default:
      return false;
  }
}
