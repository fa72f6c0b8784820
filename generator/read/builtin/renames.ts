import { readBuiltinJson } from '../files.js';

/** A definition of the protocol that got another name and stayed what it was. */
export interface KnownRename {
  readonly before: string;
  readonly after: string;
  /** The first revision that has the new name. */
  readonly revision: string;
  /** Where the protocol's own text shows it. */
  readonly source: string;
}

/** All renames of definitions between the built-in revisions, oldest first; a test holds them against the schemas. */
export function builtinRenames(): readonly KnownRename[] {
  return (readBuiltinJson('renames.json') as unknown as { readonly renames: readonly KnownRename[] }).renames;
}
