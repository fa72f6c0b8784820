/**
 * A built-in revision with extensions as plain JSON Schema, for what validates without generated code.
 */
import { builtinCatalog, builtinCatalogs, builtinErrata, builtinSchema } from '../read/builtin/revisions.js';
import type { Catalog } from '../read/catalog.js';
import { applyErrata } from '../read/errata.js';
import type { JsonObject } from '../read/json/json.js';
import { canonicalizeSchema } from '../read/schema/canonical.js';
import { traitsOf } from '../model/catalog/traits.js';
import type { Traits } from '../model/protocol.js';
import { mergeExtensions, type Extension } from '../model/extensions/merge.js';

/** A revision with extensions, before its definitions become types. */
export interface ExtendedSchema {
  /** Corrected definitions of the revision alone. */
  readonly base: JsonObject;
  /** Definitions with the extensions. */
  readonly definitions: JsonObject;
  readonly catalog: Catalog;
  readonly traits: Traits;
  /** The extension of each method that the revision alone does not have. */
  readonly extensionOf: ReadonlyMap<string, string>;
}

/**
 * Adds extensions to a built-in revision.
 *
 * @throws {@link McpgenError} if one does not extend it, or two of them collide.
 */
export function extendedSchema(revision: string, extensions: readonly Extension[]): ExtendedSchema {
  const place = `schema/${revision}/schema.json`;
  const { definitions: published } = canonicalizeSchema(builtinSchema(revision), place);
  const { definitions: base } = applyErrata(published, revision, builtinErrata(), place);
  const catalog = builtinCatalog(revision);
  const traits = traitsOf(catalog, Object.keys(base), builtinCatalogs());
  const places = { schema: place, catalog: `schema/${revision}/catalog.json` };
  const merged = mergeExtensions(
    { names: [revision], definitions: base, published, catalog, traits, places },
    extensions,
  );
  return {
    base,
    definitions: merged.definitions,
    catalog: merged.catalog,
    traits,
    extensionOf: new Map([...merged.methodsOf].map(([method, extension]) => [method, extension.catalog.extension])),
  };
}
