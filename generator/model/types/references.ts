/**
 * Following references to definitions.
 */
import type { Definitions, TypeNode } from '../protocol.js';

/** Types of definitions by name. */
export type TypeLookup = (name: string) => TypeNode | undefined;

/** A type that is not a reference. */
export type ResolvedType = Exclude<TypeNode, { kind: 'ref' }>;

/** A lookup of definitions. */
export function typeLookup(protocol: Definitions): TypeLookup {
  const types = new Map(protocol.definitions.map((definition) => [definition.name, definition.type]));
  return (name) => types.get(name);
}

/**
 * A type, with references to definitions followed; undefined if a definition is missing. It terminates, since the
 * parser rejects definitions that are only references to each other.
 */
export function followReferences(type: TypeNode | undefined, lookup: TypeLookup): ResolvedType | undefined {
  let current = type;
  while (current?.kind === 'ref') current = lookup(current.name);
  return current;
}
