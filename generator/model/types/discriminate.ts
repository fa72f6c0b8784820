import { memberOf } from '../catalog/derive.js';
import type { TypeNode } from '../protocol.js';
import { followReferences, type ResolvedType, type TypeLookup } from './references.js';

/** A value that distinguishes the variants of a union. */
export type Tag = string | number | boolean | null;

/** How one member distinguishes the variants of a union. */
export interface Discriminator {
  readonly member: string;
  /** For each value of the member, the indexes of the variants that allow it. */
  readonly cases: ReadonlyMap<Tag, readonly number[]>;
}

/** The kinds of JSON value. */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** Members that protocols use as discriminators, in order of preference. */
const PREFERRED_MEMBERS: readonly string[] = ['method', 'type', 'resultType', 'role', 'kind', 'mode'];

/** A type, with references to definitions followed. A name without a definition allows any value. */
export function resolveReferences(type: TypeNode, lookup: TypeLookup): ResolvedType {
  return followReferences(type, lookup) ?? { kind: 'unknown' };
}

/**
 * A function of types, without their references, that keeps its results: definitions that contain others several times
 * would take exponential time.
 */
function remembered<T>(
  compute: (resolved: ResolvedType, lookup: TypeLookup) => T,
): (type: TypeNode, lookup: TypeLookup) => T {
  const byLookup = new WeakMap<TypeLookup, WeakMap<TypeNode, { readonly result: T }>>();
  return (type, lookup) => {
    const known = byLookup.get(lookup) ?? new WeakMap<TypeNode, { readonly result: T }>();
    byLookup.set(lookup, known);
    const resolved = resolveReferences(type, lookup);
    const entry = known.get(resolved) ?? { result: compute(resolved, lookup) };
    known.set(resolved, entry);
    return entry.result;
  };
}

/** The member that distinguishes all variants, if there is one: required in each of them, with constant values. */
export function discriminate(variants: readonly TypeNode[], lookup: TypeLookup): Discriminator | undefined {
  const [first] = variants;
  if (first === undefined) return undefined;
  const candidates = taggedMembers(first, lookup);
  const ordered = [
    ...PREFERRED_MEMBERS.filter((name) => candidates.includes(name)),
    ...candidates.filter((name) => !PREFERRED_MEMBERS.includes(name)),
  ];
  for (const member of ordered) {
    const memberTags = memberTagsOf(member);
    const tags = variants.map((variant) => memberTags(variant, lookup));
    const cases = new Map<Tag, number[]>();
    tags.forEach((own, index) => {
      for (const tag of own ?? []) cases.set(tag, [...(cases.get(tag) ?? []), index]);
    });
    // A member with the same value in every variant distinguishes nothing.
    const tells = [...cases.values()].some((indices) => indices.length < variants.length);
    if (tags.every((own) => own !== undefined) && tells) return { member, cases };
  }
  return undefined;
}

const taggedMembers = remembered((resolved, lookup): readonly string[] => {
  switch (resolved.kind) {
    case 'object':
      return resolved.members
        .filter((member) => member.required && literalTags(member.type, lookup) !== undefined)
        .map((member) => member.name);
    case 'union':
      return resolved.variants[0] === undefined ? [] : taggedMembers(resolved.variants[0], lookup);
    case 'intersection':
      return [...new Set(resolved.parts.flatMap((part) => taggedMembers(part, lookup)))];
    default:
      return [];
  }
});

/** The values that a required member of a variant may have, if they are constants. */
function memberTagsOf(member: string): (type: TypeNode, lookup: TypeLookup) => readonly Tag[] | undefined {
  const memberTags = remembered((resolved, lookup): readonly Tag[] | undefined => {
    switch (resolved.kind) {
      case 'object': {
        const found = memberOf(resolved, member);
        return found?.required === true ? literalTags(found.type, lookup) : undefined;
      }
      case 'union': {
        const all = resolved.variants.map((variant) => memberTags(variant, lookup));
        return all.every((tags) => tags !== undefined) ? [...new Set(all.flat())] : undefined;
      }
      case 'intersection':
        return resolved.parts.map((part) => memberTags(part, lookup)).find((tags) => tags !== undefined);
      default:
        return undefined;
    }
  });
  return memberTags;
}

const literalTags = remembered((resolved, lookup): readonly Tag[] | undefined => {
  if (resolved.kind === 'literal') return [resolved.value];
  if (resolved.kind !== 'union') return undefined;
  const all = resolved.variants.map((variant) => literalTags(variant, lookup));
  return all.every((values) => values !== undefined) ? [...new Set(all.flat())] : undefined;
});

/** The kinds of JSON value that a type allows; undefined for all. */
export const jsonKinds = remembered((resolved, lookup): ReadonlySet<JsonKind> | undefined => {
  switch (resolved.kind) {
    case 'unknown':
      return undefined;
    case 'never':
      return new Set();
    case 'integer':
      return new Set(['number']);
    case 'literal':
      return new Set([resolved.value === null ? 'null' : (typeof resolved.value as JsonKind)]);
    case 'union': {
      const all = resolved.variants.map((variant) => jsonKinds(variant, lookup));
      return all.every((kinds) => kinds !== undefined) ? new Set(all.flatMap((kinds) => [...kinds])) : undefined;
    }
    case 'intersection': {
      const [first, ...others] = resolved.parts.flatMap((part) => {
        const kinds = jsonKinds(part, lookup);
        return kinds === undefined ? [] : [kinds];
      });
      return first && new Set([...first].filter((kind) => others.every((kinds) => kinds.has(kind))));
    }
    default:
      return new Set([resolved.kind]);
  }
});
