import type { Protocol, TypeNode } from '../protocol.js';
import { typeLookup, type TypeLookup } from './references.js';

/**
 * The only value that the member of a result may have that distinguishes the results of a request, such as `resultType`;
 * undefined if it may have several.
 */
export function pinnedResultType(protocol: Pick<Protocol, 'definitions' | 'traits'>, name: string): string | undefined {
  const { inputRequired } = protocol.traits;
  const lookup = typeLookup(protocol);
  return inputRequired === undefined ? undefined : pinnedValue(lookup(name), inputRequired.member, lookup);
}

function pinnedValue(type: TypeNode | undefined, memberName: string, lookup: TypeLookup): string | undefined {
  if (type?.kind === 'ref') return pinnedValue(lookup(type.name), memberName, lookup);
  if (type?.kind === 'intersection') {
    for (const part of type.parts) {
      const value = pinnedValue(part, memberName, lookup);
      if (value !== undefined) return value;
    }
  }
  if (type?.kind !== 'object') return undefined;
  const member = type.members.find(({ name }) => name === memberName);
  return member?.type.kind === 'literal' && typeof member.type.value === 'string' ? member.type.value : undefined;
}
