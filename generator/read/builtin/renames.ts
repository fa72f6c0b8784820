import { readBuiltinJson } from '../files.js';

/** A definition of the protocol that was renamed without other changes. */
export interface KnownRename {
  readonly before: string;
  readonly after: string;
  /** The first revision that has the new name. */
  readonly revision: string;
  /** The source in the protocol's own texts. */
  readonly source: string;
}

/** All renames of definitions between the built-in revisions, oldest first; a test compares them with the schemas. */
export function builtinRenames(): readonly KnownRename[] {
  return (readBuiltinJson('renames.json') as unknown as { readonly renames: readonly KnownRename[] }).renames;
}
