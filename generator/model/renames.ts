import type { KnownRename } from '../read/builtin/renames.js';
import type { Definition, FormerName } from './protocol.js';

/**
 * The names that definitions of a protocol had in earlier revisions, by old name. One that the protocol still has, or has
 * again, is none.
 *
 * @param renames - All that are known of the protocol, oldest first.
 */
export function findFormerNames(
  definitions: readonly Pick<Definition, 'name'>[],
  renames: readonly KnownRename[],
): readonly FormerName[] {
  const names = new Set(definitions.map(({ name }) => name));
  return renames
    .flatMap(({ before, after, revision }) => {
      // What was renamed twice has its last name.
      let current = after;
      for (const next of renames.slice(renames.findIndex((item) => item.before === before) + 1)) {
        if (next.before === current && !names.has(current)) current = next.after;
      }
      return names.has(current) && !names.has(before) ? [{ before, after: current, revision }] : [];
    })
    .sort((a, b) => (a.before < b.before ? -1 : 1));
}
