import { McpgenError } from '../../errors.js';
import type { Catalog } from '../catalog.js';
import type { Erratum } from '../errata.js';
import { readBuiltinJson } from '../files.js';
import { closestMatch } from '../../text.js';
import { compareText, type JsonObject } from '../json/json.js';

/** The entry of a built-in revision in `schema/manifest.json`. */
export interface BuiltinRevision {
  readonly revision: string;
  /** SHA-256 of the official schema file, in hexadecimal. */
  readonly sha256: string;
  /** Dialect of the official file. */
  readonly dialect: 'draft-07' | '2020-12';
  readonly status: 'released' | 'draft';
}

/** The built-in revisions, oldest first. */
export function builtinRevisions(): readonly BuiltinRevision[] {
  const manifest = readBuiltinJson('manifest.json') as JsonObject;
  const revisions = manifest['revisions'] as Record<string, Omit<BuiltinRevision, 'revision'>>;
  return Object.entries(revisions)
    .map(([revision, entry]) => ({ revision, ...entry }))
    .sort((a, b) => compareText(a.revision, b.revision));
}

/** A built-in revision by name. */
export function findRevision(revision: string): BuiltinRevision | undefined {
  return builtinRevisions().find((item) => item.revision === revision);
}

/**
 * A built-in revision by name.
 *
 * @param otherwise - An alternative for the hint if it is not built in.
 * @throws {@link McpgenError} with the list of built-in ones if it is not one of them.
 */
export function requireRevision(revision: string, otherwise = '', place = '--revision'): BuiltinRevision {
  const found = findRevision(revision);
  if (found === undefined) {
    const known = builtinRevisions().map((item) => item.revision);
    const near = closestMatch(revision, known);
    throw new McpgenError(`revision ${JSON.stringify(revision)} is not built in`, {
      place,
      remedy: `${near === undefined ? '' : `Did you mean ${near}? `}Built in are ${known.join(', ')}${otherwise}.`,
    });
  }
  return found;
}

/** The canonical schema file of a built-in revision. */
export function builtinSchema(revision: string): JsonObject {
  return readBuiltinJson(revision, 'schema.json') as JsonObject;
}

/** The method catalog of a built-in revision. */
export function builtinCatalog(revision: string): Catalog {
  return readBuiltinJson(revision, 'catalog.json') as unknown as Catalog;
}

/** The method catalogs of all built-in revisions, oldest first. */
export function builtinCatalogs(): readonly Catalog[] {
  return builtinRevisions().map(({ revision }) => builtinCatalog(revision));
}

/** All known errata of the schemas of revisions, or of the schema of an extension. */
export function builtinErrata(extension?: string): readonly Erratum[] {
  const { errata } = readBuiltinJson('errata.json') as unknown as { readonly errata: readonly Erratum[] };
  return errata.flatMap((erratum) => {
    const changes = erratum.changes.filter((change) => change.extension === extension);
    return changes.length === 0 ? [] : [{ ...erratum, changes }];
  });
}
