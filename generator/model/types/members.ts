import type { Member, TypeNode } from '../protocol.js';

/** A member of an object type. */
export function memberOf(type: TypeNode | undefined, name: string): Member | undefined {
  return type?.kind === 'object' ? type.members.find((member) => member.name === name) : undefined;
}
