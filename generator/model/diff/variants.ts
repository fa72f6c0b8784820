/**
 * The variants of unions, and what distinguishes them.
 */
import { asObjectType, resolveType } from '../types/accepts.js';
import type { TypesByName } from '../types/accepts.js';
import type { ObjectNode, TypeNode } from '../protocol.js';
import { stableStringify } from '../../read/json/json.js';

/** The variants of a union; nested inline unions, and unions that only one revision named, are flattened. */
export function flatVariants(types: TypesByName, type: TypeNode, others: TypesByName): readonly TypeNode[] {
  if (type.kind === 'ref') {
    const target = resolveType(types, type);
    return target.kind === 'union' ? flatVariants(types, target, others) : [type];
  }
  if (type.kind !== 'union') return [type];
  return type.variants.flatMap((variant) => {
    const isNamedHereOnly = variant.kind === 'ref' && !others.has(variant.name);
    if (variant.kind === 'union' || (isNamedHereOnly && resolveType(types, variant).kind === 'union')) {
      return flatVariants(types, variant, others);
    }
    return [variant];
  });
}

export function refName(type: TypeNode): string {
  return type.kind === 'ref' ? type.name : stableStringify(type as never);
}

/** The kind of a type; integers count as numbers when variants are paired. */
export function typeKind(types: TypesByName, type: TypeNode): string {
  const { kind } = resolveType(types, type);
  if (asObjectType(types, type) !== undefined) return 'object';
  return kind === 'integer' ? 'number' : kind;
}

function literalMembers(type: ObjectNode | undefined): ReadonlyMap<string, unknown> {
  return new Map(
    (type?.members ?? []).flatMap(({ name, required, type: own }) =>
      required && own.kind === 'literal' && name !== 'jsonrpc' ? [[name, own.value] as const] : [],
    ),
  );
}

export function sharesLiteral(a: ObjectNode | undefined, b: ObjectNode | undefined): boolean {
  const [before, after] = [literalMembers(a), literalMembers(b)];
  return !literalsDiffer(a, b) && [...before].some(([name, value]) => after.has(name) && after.get(name) === value);
}

export function literalsDiffer(a: ObjectNode | undefined, b: ObjectNode | undefined): boolean {
  const [before, after] = [literalMembers(a), literalMembers(b)];
  return [...before].some(([name, value]) => after.has(name) && after.get(name) !== value);
}

/** What distinguishes a variant, for readers. */
export function labelOf(types: TypesByName, type: TypeNode): string {
  if (type.kind === 'ref') return type.name;
  const [literal] = literalMembers(asObjectType(types, type));
  if (literal !== undefined) return `${literal[0]} ${JSON.stringify(literal[1])}`;
  return type.kind;
}
