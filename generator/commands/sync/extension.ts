import path from 'node:path';
import { McpgenError } from '../../errors.js';
import { loadProtocol, loadWithoutCatalog, type LoadOptions } from '../../model/load.js';
import type { Protocol } from '../../model/protocol.js';
import {
  builtinExtensionSchema,
  extensionFolder,
  findExtension,
  requireExtensionCatalog,
} from '../../read/builtin/extensions.js';
import { builtinSchema, findRevision } from '../../read/builtin/revisions.js';
import { parseExtension, type ExtensionCatalog } from '../../read/extension.js';
import { readTextIfExists } from '../../read/files.js';
import {
  isObject,
  objectFromEntries,
  ownMember,
  parseUntrustedJson,
  type JsonObject,
  type JsonValue,
} from '../../read/json/json.js';
import { canonicalizeSchema, type CanonicalSchema } from '../../read/schema/canonical.js';
import { openDefinitions, ownDefinitions, reachableDefinitions } from '../../read/schema/extension.js';
import type { FetchedSchema } from '../../read/schema/source.js';

/** The files of an extension as synced, and as they were. */
export interface SyncedExtension {
  readonly status: 'released' | 'draft';
  readonly dialect: string;
  readonly paths: { readonly schema: string; readonly catalog: string };
  readonly schema: JsonObject;
  readonly schemaBefore: string | undefined;
  /** The catalog as it is; that of the built-in extension if there is no file. */
  readonly catalog: JsonObject;
  readonly catalogBefore: string | undefined;
  /** Methods of the schema that the catalog does not have. */
  readonly newMethods: readonly string[];
}

/**
 * Converts the official file of an extension to what it adds to the revisions that it extends. The catalog stays as it
 * is, since most of it cannot be derived.
 *
 * @param out - Folder of the schemas, absolute.
 * @throws {@link McpgenError} if the file is not a schema, or the extension has no catalog.
 */
export async function readSyncedExtension(
  id: string,
  file: FetchedSchema,
  { out, prose }: { readonly out: string; readonly prose: 'keep' | 'strip' },
): Promise<SyncedExtension> {
  const folder = path.join(out, ...extensionFolder(id));
  const paths = { schema: path.join(folder, 'schema.json'), catalog: path.join(folder, 'catalog.json') };
  const [schemaBefore, catalogBefore] = [readTextIfExists(paths.schema), readTextIfExists(paths.catalog)];
  const { catalog, parsed } = await readCatalog(id, paths.catalog, catalogBefore);
  const canonical = canonicalizeSchema(parseUntrustedJson(file.bytes, file.place), file.place, { prose });
  if (canonical.dialect !== '2020-12') {
    throw new McpgenError('the schema of an extension is not of 2020-12', {
      place: file.place,
      remedy: 'Pass another file with --from.',
    });
  }
  const known = schemaBefore === undefined ? builtinDefinitions(id) : definitionsOf(schemaBefore, paths.schema);
  const definitions = synced(parsed, canonical, known);
  const listed = new Set(parsed.methods?.map(({ method }) => method));
  return {
    status: extensionStatus(id, parsed),
    dialect: canonical.dialect,
    paths,
    schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: definitions },
    schemaBefore,
    catalog,
    catalogBefore,
    newMethods: Object.values(definitions)
      .map((definition) => methodIn(definition))
      .filter((method) => method !== undefined)
      .filter((method) => !listed.has(method)),
  };
}

/** The status of an extension; of one that is not built in, as its catalog says. */
export function extensionStatus(id: string, catalog?: Pick<ExtensionCatalog, 'status'>): 'released' | 'draft' {
  return findExtension(id)?.status ?? catalog?.status ?? 'released';
}

async function readCatalog(
  id: string,
  file: string,
  text: string | undefined,
): Promise<{ readonly catalog: JsonObject; readonly parsed: ExtensionCatalog }> {
  if (text !== undefined) {
    const parsed = await parseExtension({ name: file, contents: text });
    if (parsed.extension === id) return { catalog: parsed as unknown as JsonObject, parsed };
    throw new McpgenError(`the catalog is of ${parsed.extension}, not ${id}`, {
      place: `${file}#/extension`,
      remedy: 'Move it to the folder of its extension.',
    });
  }
  if (findExtension(id) === undefined) {
    throw new McpgenError(`the extension ${id} is not built in, and has no catalog`, {
      place: file,
      remedy: 'Write its catalog first: docs/extensions.md has an example.',
    });
  }
  const builtin = requireExtensionCatalog(id);
  // Paths are those of the package, and the protocol that belongs to the extension is generated from the package too.
  const { $schema: _schema, protocol: _protocol, ...catalog } = builtin as unknown as JsonObject;
  return { catalog, parsed: builtin };
}

/** The definitions to write, in the order of names. */
function synced(
  { extension, extends: revisions, capabilities, members = [] }: ExtensionCatalog,
  canonical: CanonicalSchema,
  known: JsonObject,
): JsonObject {
  const builtin = findExtension(extension);
  const definitions =
    builtin?.closedByGenerator === true ? openDefinitions(canonical.definitions) : canonical.definitions;
  const own = ownDefinitions(definitions, baseDefinitions(revisions));
  // Definitions that the catalog names and no official file has: they are written by hand, and stay.
  const named = [...Object.values(capabilities ?? {}), ...members.map(({ from }) => from)];
  const all = objectFromEntries([
    ...Object.entries(own),
    ...Object.entries(known).filter(([name]) => named.includes(name) && !Object.hasOwn(own, name)),
  ]);
  // The other definitions are those of the protocol that belongs to it.
  const hasProtocol = builtin !== undefined && requireExtensionCatalog(extension).protocol !== undefined;
  const kept = hasProtocol ? reachableDefinitions(all, named) : undefined;
  return objectFromEntries(
    Object.entries(all)
      .filter(([name]) => kept?.has(name) ?? true)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** The definitions of the newest revision that is built in and extended. */
function baseDefinitions(revisions: readonly string[]): JsonObject {
  const revision = newestBuiltin(revisions);
  return revision === undefined ? {} : (builtinSchema(revision)['$defs'] as JsonObject);
}

function newestBuiltin(revisions: readonly string[]): string | undefined {
  return revisions
    .filter((revision) => findRevision(revision) !== undefined)
    .sort()
    .at(-1);
}

function builtinDefinitions(id: string): JsonObject {
  return findExtension(id) === undefined ? {} : (builtinExtensionSchema(id)['$defs'] as JsonObject);
}

function definitionsOf(text: string, file: string): JsonObject {
  const value = parseUntrustedJson(text, file);
  const definitions = isObject(value) ? ownMember(value, '$defs') : undefined;
  return isObject(definitions) ? definitions : {};
}

/** The method of a message: the only value of its member `method`. */
function methodIn(schema: JsonValue): string | undefined {
  if (!isObject(schema)) return undefined;
  const properties = ownMember(schema, 'properties');
  const member = isObject(properties) ? ownMember(properties, 'method') : undefined;
  const value = isObject(member) ? ownMember(member, 'const') : undefined;
  if (typeof value === 'string') return value;
  const parts = ownMember(schema, 'allOf');
  return Array.isArray(parts)
    ? (parts as readonly JsonValue[]).map(methodIn).find((method) => method !== undefined)
    : undefined;
}

/**
 * The newest revision that an extension extends, with the extension as it was and as it is. As it was means the files
 * in the folder of the schemas, or what is built in. A version that does not match its catalog is loaded without it.
 *
 * @returns Undefined if there is nothing to compare with.
 */
export async function loadBeforeAndAfter(
  id: string,
  { paths, schema, schemaBefore, catalog, catalogBefore }: SyncedExtension,
): Promise<readonly [Protocol, Protocol] | undefined> {
  const revision = newestBuiltin(catalog['extends'] as readonly string[]);
  if (revision === undefined) return undefined;
  const files = (schemaText: string): LoadOptions => ({
    revision,
    errata: false,
    extend: [
      {
        catalog: { name: paths.catalog, contents: catalogBefore ?? JSON.stringify(catalog) },
        schema: { name: paths.schema, contents: schemaText },
      },
    ],
  });
  const after = await loadOrDerive(files(JSON.stringify(schema)), revision, schema);
  if (schemaBefore !== undefined) {
    const parsed = parseUntrustedJson(schemaBefore, paths.schema);
    return [await loadOrDerive(files(schemaBefore), revision, isObject(parsed) ? parsed : {}), after];
  }
  if (findExtension(id) === undefined) return undefined;
  return [await loadProtocol({ revision, errata: false, extensions: [id] }), after];
}

async function loadOrDerive(options: LoadOptions, revision: string, schema: JsonObject): Promise<Protocol> {
  try {
    return await loadProtocol(options);
  } catch (error) {
    if (!(error instanceof McpgenError)) throw error;
    const own = ownMember(schema, '$defs');
    const base = builtinSchema(revision);
    const definitions = objectFromEntries([
      ...Object.entries(base['$defs'] as JsonObject),
      ...Object.entries(isObject(own) ? own : {}),
    ]);
    const contents = JSON.stringify({ ...base, $defs: definitions });
    return loadWithoutCatalog({ name: 'schema.json', contents }, { revision, errata: false });
  }
}
