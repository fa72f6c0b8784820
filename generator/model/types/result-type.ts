import type { Definitions, TypeNode } from '../protocol.js';
import { typeLookup, type TypeLookup } from './references.js';

/**
 * The only value that the member `resultType` of a result may have, which distinguishes it from the other results of a
 * request; undefined if it may have several.
 */
export function pinnedResultType(protocol: Definitions, name: string): string | undefined {
  const lookup = typeLookup(protocol);
  return pinnedValue(lookup(name), lookup);
}

function pinnedValue(type: TypeNode | undefined, lookup: TypeLookup): string | undefined {
  if (type?.kind === 'ref') return pinnedValue(lookup(type.name), lookup);
  if (type?.kind === 'intersection') {
    for (const part of type.parts) {
      const value = pinnedValue(part, lookup);
      if (value !== undefined) return value;
    }
  }
  if (type?.kind !== 'object') return undefined;
  const member = type.members.find(({ name }) => name === 'resultType');
  return member?.type.kind === 'literal' && typeof member.type.value === 'string' ? member.type.value : undefined;
}
