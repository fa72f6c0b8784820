import type { Member, ObjectNode } from '../protocol.js';

/** The members of an intersection of object types: a member of several parts must be of all their types. */
export function mergeMembers(objects: readonly ObjectNode[]): readonly Member[] {
  const members = new Map<string, Member>();
  for (const member of objects.flatMap((object) => object.members)) {
    const earlier = members.get(member.name);
    members.set(
      member.name,
      earlier === undefined
        ? member
        : {
            ...earlier,
            required: earlier.required || member.required,
            type: { kind: 'intersection', parts: [earlier.type, member.type] },
          },
    );
  }
  return [...members.values()];
}
