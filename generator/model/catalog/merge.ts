import type { Catalog, CatalogError } from '../../read/catalog.js';
import { isObject, type JsonObject, type JsonValue } from '../../read/json/json.js';
import type { DraftCatalog, DraftRow } from './draft.js';

/** A catalog file; rows may be undecided. */
export interface MergedCatalog {
  readonly catalog: JsonObject;
  /** Methods with undecided members, and which these are. */
  readonly undecided: readonly { readonly method: string; readonly members: readonly string[] }[];
}

/** Members that the schema does not define: an existing row keeps them. */
const DECIDED_MEMBERS = ['capability', 'summary', 'deprecated'] as const;

/**
 * Updates a catalog from a schema. What the schema defines comes from the draft; what a person decided in the existing
 * catalog (capability, summary, deprecation, a result that the schema leaves open, names and summaries of error codes,
 * the protocol's name) stays.
 *
 * @param draft - Derived from the schema.
 * @param existing - The existing catalog, which may be partly undecided.
 * @param status - `draft` marks the catalog; a released revision needs no mark.
 */
export function mergeCatalog(
  draft: DraftCatalog['catalog'],
  existing: JsonObject | undefined,
  status: 'released' | 'draft',
): MergedCatalog {
  const old = (existing ?? {}) as unknown as Partial<Catalog> & { readonly $schema?: JsonValue };
  const rows = new Map(
    (Array.isArray(old.methods) ? (old.methods as readonly DraftRow[]) : []).map((row) => [row.method, row]),
  );
  const methods = draft.methods.map((row) => mergeRow(row, rows.get(row.method)));
  const catalog = {
    ...(old.$schema === undefined ? {} : { $schema: old.$schema }),
    protocol: typeof old.protocol === 'string' ? old.protocol : draft.protocol,
    revision: draft.revision,
    ...(status === 'draft' ? { status } : {}),
    lifecycle: draft.lifecycle,
    batches: draft.batches,
    traits: old.traits ?? draft.traits,
    methods,
    errors: mergeErrors(draft.errors, Array.isArray(old.errors) ? (old.errors as readonly CatalogError[]) : []),
  };
  return {
    catalog: JSON.parse(JSON.stringify(catalog)) as JsonObject,
    undecided: methods.flatMap(({ method, undecided }) =>
      undecided === undefined ? [] : [{ method, members: undecided }],
    ),
  };
}

function mergeRow(row: DraftRow, existing: DraftRow | undefined): DraftRow {
  if (existing === undefined || !isObject(existing)) return row;
  const wasOpen = (name: string): boolean => existing.undecided?.includes(name) === true;
  const kept: Record<string, unknown> = {};
  for (const name of DECIDED_MEMBERS) if (existing[name] !== undefined && !wasOpen(name)) kept[name] = existing[name];
  // If the schema leaves these open, a person decided them.
  for (const name of row.undecided ?? []) {
    const value = (existing as unknown as Record<string, unknown>)[name];
    if (value !== undefined && !wasOpen(name)) kept[name] = value;
  }
  const { undecided: open, ...rest } = { ...row, ...kept } as DraftRow;
  // A deprecation that was removed by hand does not come back.
  const bare = existing.deprecated === undefined && !wasOpen('deprecated') ? withoutColumn(rest, 'deprecated') : rest;
  const undecided = (open ?? []).filter((name) => !Object.hasOwn(kept, name));
  return undecided.length === 0 ? bare : { ...bare, undecided };
}

function withoutColumn(row: DraftRow, name: string): DraftRow {
  return Object.fromEntries(Object.entries(row).filter(([key]) => key !== name)) as unknown as DraftRow;
}

/** Codes that the schema pins, with the names from the catalog; codes that only the catalog has stay. */
function mergeErrors(draft: readonly CatalogError[], existing: readonly CatalogError[]): readonly CatalogError[] {
  const named = new Map(
    existing.flatMap((error) => (error.definition === undefined ? [] : [[error.definition, error]])),
  );
  const pinned = draft.map((error) => {
    const known =
      error.definition === undefined ? existing.find(({ code }) => code === error.code) : named.get(error.definition);
    return known === undefined ? error : { ...error, name: known.name, summary: known.summary };
  });
  const codes = new Set(pinned.map(({ code }) => code));
  const own = existing.filter(({ code, definition }) => definition === undefined && !codes.has(code));
  return [...pinned, ...own].sort((a, b) => b.code - a.code);
}
