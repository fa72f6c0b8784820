import type { KnownRename } from '../read/builtin/renames.js';
import type { Definition, FormerName } from './protocol.js';

/**
 * The names that definitions of a protocol had in earlier revisions, by old name, without those that it still has or
 * has again.
 *
 * @param renames - All known renames of the protocol, oldest first.
 */
export function findFormerNames(
  definitions: readonly Pick<Definition, 'name'>[],
  renames: readonly KnownRename[],
): readonly FormerName[] {
  const names = new Set(definitions.map(({ name }) => name));
  return renames
    .flatMap(({ before, after, revision }) => {
      // A definition that was renamed twice has its last name.
      let current = after;
      for (const next of renames.slice(renames.findIndex((item) => item.before === before) + 1)) {
        if (next.before === current && !names.has(current)) current = next.after;
      }
      return names.has(current) && !names.has(before) ? [{ before, after: current, revision }] : [];
    })
    .sort((a, b) => (a.before < b.before ? -1 : 1));
}
