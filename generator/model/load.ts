import { createHash } from 'node:crypto';
import { McpgenError } from '../errors.js';
import {
  builtinCatalog,
  builtinCatalogs,
  builtinErrata,
  builtinRevisions,
  builtinSchema,
  findRevision,
  requireRevision,
  type BuiltinRevision,
} from '../read/builtin/revisions.js';
import { canonicalizeSchema, type CanonicalSchema } from '../read/schema/canonical.js';
import { checkCatalog, type Catalog } from '../read/catalog.js';
import { builtinDocs, NO_DOCS, type Docs } from '../read/builtin/docs.js';
import { applyErrata, type Erratum } from '../read/errata.js';
import { builtinRenames } from '../read/builtin/renames.js';
import { compareText, isObject, ownMember, parseUntrustedJson, formatPointer } from '../read/json/json.js';
import { createPatternCheck, type PatternCheck } from '../read/patterns.js';
import type { ExtensionFiles } from '../read/extension.js';
import { hasAnnotations, readAnnotations, type SchemaAnnotations } from './catalog/annotations.js';
import { deriveMethods, type Derived } from './catalog/derive.js';
import { draftCatalog } from './catalog/draft.js';
import { withBuiltMessages } from './catalog/messages.js';
import { recognizedTraits, traitsOf } from './catalog/traits.js';
import { mergeExtensions, type Extension, type MergedRevision } from './extensions/merge.js';
import { builtinExtensionProtocol } from '../read/builtin/extensions.js';
import { readBuiltinExtension, readExtensionFiles } from './extensions/load.js';
import { parseDefinitions, type DefinitionsFile } from './schema/definitions.js';
import { flattenOpenParts } from './schema/flatten.js';
import {
  methodFromRow,
  sharedParams,
  type Definition,
  type FormerName,
  type Protocol,
  type Source,
  type Traits,
  type Warning,
} from './protocol.js';
import { findFormerNames } from './renames.js';
import type { SchemaReading } from './schema-reading.js';
import { verifyCatalog, type Disagreement } from './catalog/verify.js';
import { typeLookup } from './types/references.js';

/** A file's contents and its name in messages. */
export interface InputFile {
  /** Shown in messages and, without its folder, in generated headers. */
  readonly name: string;
  readonly contents: string | Uint8Array;
}

/** What to load. Without `schema`, `revision` names one of the built-in revisions. */
export interface LoadOptions {
  /** A built-in revision, or the revision of `schema`. */
  readonly revision?: string;
  /** A schema file of either dialect, official or your own. */
  readonly schema?: InputFile;
  /** The method catalog of `schema`; defaults to the built-in one of a built-in revision. */
  readonly catalog?: InputFile;
  /** Whether errata are applied; true by default. */
  readonly errata?: boolean;
  /** Treats warnings as errors. */
  readonly strict?: boolean;
  /** Uses the regular expressions of `schema` without a check of their running time. */
  readonly trustPatterns?: boolean;
  /** Identifiers of built-in extensions to add. */
  readonly extensions?: readonly string[];
  /** Files of other extensions to add; see {@link readExtension}. */
  readonly extend?: readonly ExtensionFiles[];
}

/**
 * Loads a protocol revision: schema, errata, docs and catalog, and checks that they match.
 *
 * @example
 * ```ts
 * const protocol = await loadProtocol({ revision: '2025-11-25' });
 * ```
 * @throws {@link McpgenError} if a file is invalid, the revision is unknown, or catalog and schema disagree.
 */
export async function loadProtocol(options: LoadOptions): Promise<Protocol> {
  return loadFrom(options);
}

/**
 * Loads the protocol that belongs to a built-in extension, such as that of a view and its host.
 *
 * @returns Undefined if no protocol belongs to the extension.
 * @throws {@link McpgenError} if the extension is not built in.
 */
export async function loadExtensionProtocol(
  id: string,
  options: Pick<LoadOptions, 'strict'> = {},
): Promise<Protocol | undefined> {
  const files = builtinExtensionProtocol(id);
  if (files === undefined) return undefined;
  const { schema, catalog, docs, folder, runtime } = files;
  const protocol = await loadFrom({ ...options, schema, catalog, errata: false }, docs);
  return { ...protocol, revision: folder, partOf: id, runtime };
}

async function loadFrom(options: LoadOptions, docs?: Docs): Promise<Protocol> {
  if (options.revision !== undefined && options.schema !== undefined) checkRevisionName(options.revision, '--revision');
  const given = options.catalog === undefined ? undefined : await readCatalog(options.catalog, options.revision);
  const read = readSchema(options, given);
  const input = docs === undefined ? read : { ...read, docs };
  const places = { schema: input.place, catalog: catalogPlace(options, input) };
  const { extensions, merged, errata, traits } = await addExtensions(
    options,
    input,
    given ?? builtinCatalogOf(input),
    places,
  );
  const { catalog } = merged;
  const annotations = readAnnotations(merged.definitions);
  const checkPattern = options.trustPatterns === true ? undefined : createPatternCheck();
  const { definitions: parsed, warnings } = readDefinitions(input, merged, annotations, checkPattern);
  const derived = deriveMethods(parsed, { traits, annotations });
  const definition = (name: string): string | undefined => placeInExtension(merged, name);
  const row = (method: string): string | undefined => merged.rows.get(method);
  const found = verifyCatalog(catalog, parsed, { ...derived, traits, annotations }, { ...places, definition, row });
  refuseDisagreements(found, input);
  const shared = sharedParams(catalog.methods);
  const protocol: Protocol = {
    name: catalog.protocol,
    revision: input.revision,
    version: input.builtin?.revision ?? input.revision,
    isDraft: catalog.status === 'draft' || (options.catalog === undefined && input.builtin?.status === 'draft'),
    source: input.source,
    lifecycle: catalog.lifecycle,
    batches: catalog.batches ?? false,
    traits,
    definitions: withBuiltMessages(
      parsed.map((item) => withAlias(item, derived)),
      catalog.methods,
      traits,
      places,
    ),
    methods: catalog.methods
      .map((item) => withExtension(methodFromRow(item, shared), merged.methodsOf.get(item.method)))
      .sort((a, b) => compareText(a.name, b.name)),
    errors: [...catalog.errors].sort((a, b) => b.code - a.code),
    extensions: extensions.map(({ catalog: { extension, summary, status }, source }) => ({
      id: extension,
      summary,
      isDraft: status === 'draft',
      source,
    })),
    formerNames: formerNamesFor(catalog.protocol, parsed),
    errata,
    warnings,
  };
  if (options.strict === true) refuseWarnings(protocol.warnings);
  return protocol;
}

/**
 * Reads a schema without a catalog, to see what can be derived from it.
 *
 * @throws {@link McpgenError} if the file is invalid.
 */
export function readSchemaWithoutCatalog(file: InputFile, revision?: string): SchemaReading {
  if (revision !== undefined) checkRevisionName(revision, '--revision');
  const known = revision ?? revisionBySha(sha256(toBytes(file.contents)))?.revision;
  const canonical = canonicalizeSchema(parseUntrustedJson(file.contents, file.name), file.name);
  const annotations = readAnnotations(canonical.definitions);
  const { definitions, warnings } = parseDefinitions(canonical.definitions, NO_DOCS, file.name, {
    ...definitionsFile(canonical, annotations),
    checkPattern: createPatternCheck(),
  });
  const traits = recognizedTraits(undefined, builtinCatalogs());
  const derived = deriveMethods(definitions, { traits, annotations });
  return { revision: known, title: canonical.title, definitions, derived, annotations, warnings };
}

/**
 * Loads a schema without a catalog: methods, directions and results are derived, and the rest is copied from the
 * built-in catalogs. The official file of a built-in revision is loaded as that revision. Any other schema gets the
 * docs and the matching errata of the most similar revision.
 *
 * @param options - `revision`: its name; by default that of the file.
 * @throws {@link McpgenError} if the file is invalid.
 */
export async function loadWithoutCatalog(
  file: InputFile,
  options: { revision?: string; errata?: boolean } = {},
): Promise<Protocol> {
  const digest = sha256(toBytes(file.contents));
  const corrected = options.errata ?? true;
  const official = revisionBySha(digest);
  if (official !== undefined) {
    return loadProtocol({ schema: file, revision: options.revision ?? official.revision, errata: corrected });
  }
  const canonical = canonicalizeSchema(parseUntrustedJson(file.contents, file.name), file.name);
  const like = closestBuiltinRevision(canonical);
  const errata = corrected && like !== undefined ? builtinErrata() : [];
  const { definitions, applied } = applyErrata(canonical.definitions, like ?? '', errata, file.name, 'skip');
  const docs = like === undefined ? NO_DOCS : builtinDocs(like);
  const annotations = readAnnotations(canonical.definitions);
  const parsed = parseDefinitions(definitions, docs, file.name, {
    ...definitionsFile(canonical, annotations),
    checkPattern: createPatternCheck(),
  });
  const recognized = recognizedTraits(undefined, builtinCatalogs());
  const derived = deriveMethods(parsed.definitions, { traits: recognized, annotations });
  const revision = options.revision ?? fileBaseName(file.name).replace(/\.json$/, '');
  const { catalog } = draftCatalog(
    {
      revision: like,
      title: canonical.title,
      definitions: parsed.definitions,
      derived,
      annotations,
      warnings: parsed.warnings,
    },
    builtinCatalogs(),
    { revision },
  );
  const undecided = catalog.methods.filter((row) => row.direction === undefined || row.kind === undefined);
  const shared = sharedParams(catalog.methods);
  return {
    name: catalog.protocol,
    revision,
    version: revision,
    isDraft: false,
    source: { file: fileBaseName(file.name), sha256: digest, builtin: false, corrected },
    lifecycle: catalog.lifecycle,
    batches: catalog.batches,
    traits: catalog.traits,
    definitions: withBuiltMessages(
      parsed.definitions.map((definition) => withAlias(definition, derived)),
      catalog.methods,
      catalog.traits,
      { schema: file.name, catalog: file.name },
    ),
    methods: catalog.methods.map((row) =>
      methodFromRow(
        {
          kind: 'request',
          params: null,
          capability: null,
          summary: '',
          ...row,
          direction: row.direction ?? 'embedded',
        },
        shared,
      ),
    ),
    errors: withKnownErrors(catalog.errors, like),
    extensions: [],
    formerNames: formerNamesFor(catalog.protocol, parsed.definitions),
    errata: applied,
    warnings: [
      ...parsed.warnings,
      ...undecided.map(({ method, message }) => ({
        place: `${file.name}#${formatPointer(canonical.root, message ?? '')}`,
        message: `the schema does not define who sends ${JSON.stringify(method)}: it is assumed to travel inside results`,
      })),
    ],
  };
}

/** Error codes that no definition pins are not in a schema, so they are copied from the most similar revision. */
function withKnownErrors(errors: Protocol['errors'], like: string | undefined): Protocol['errors'] {
  if (like === undefined) return errors;
  const known = (code: number, name: string): boolean =>
    errors.some((item) => item.code === code || item.name === name);
  const others = builtinCatalog(like).errors.filter(
    ({ code, name, definition }) => definition === undefined && !known(code, name),
  );
  return [...errors, ...others].sort((a, b) => b.code - a.code);
}

/** The built-in revision with the most definitions of the same name, if it shares most of them. */
function closestBuiltinRevision({ definitions }: CanonicalSchema): string | undefined {
  const names = new Set(Object.keys(definitions));
  const [best] = builtinRevisions()
    .map(({ revision }) => {
      const own = Object.keys(builtinSchema(revision)['$defs'] as object);
      const shared = own.filter((name) => names.has(name)).length;
      return { revision, share: shared / (own.length + names.size - shared) };
    })
    .reverse()
    .sort((a, b) => b.share - a.share);
  return best !== undefined && best.share > 0.5 ? best.revision : undefined;
}

/** Renames apply to the built-in protocol only: a definition of another protocol may have the same name by chance. */
function formerNamesFor(protocol: string, definitions: readonly Definition[]): readonly FormerName[] {
  const isKnown = builtinCatalogs().some((catalog) => catalog.protocol === protocol);
  return isKnown ? findFormerNames(definitions, builtinRenames()) : [];
}

interface SchemaInput {
  readonly revision: string;
  readonly place: string;
  readonly source: Source;
  readonly canonical: CanonicalSchema;
  /** The revision whose official file it is or is declared to be; its errata must apply. */
  readonly official: string;
  /** The most similar revision of any other file, such as a draft; its errata apply if they match. */
  readonly closestRevision?: string | undefined;
  readonly docs: Docs;
  readonly builtin: BuiltinRevision | undefined;
}

function readSchema(options: LoadOptions, catalog: Catalog | undefined): SchemaInput {
  const corrected = options.errata ?? true;
  if (options.schema === undefined) {
    if (options.revision === undefined) {
      throw new McpgenError('a revision or a schema is required', {
        remedy: 'Pass a revision, or a schema file.',
      });
    }
    const builtin = requireRevision(options.revision, '; for another, pass --schema FILE and --catalog FILE');
    const place = `schema/${builtin.revision}/schema.json`;
    return {
      revision: builtin.revision,
      place,
      source: { file: place, sha256: builtin.sha256, builtin: true, corrected },
      canonical: canonicalizeSchema(builtinSchema(builtin.revision), place),
      official: builtin.revision,
      docs: builtinDocs(builtin.revision),
      builtin,
    };
  }
  const { name, contents } = options.schema;
  const digest = sha256(toBytes(contents));
  const official = revisionBySha(digest)?.revision;
  const revision = options.revision ?? catalog?.revision ?? official;
  const schema = parseUntrustedJson(contents, name);
  if (revision === undefined) {
    throw new McpgenError('the schema does not contain its revision, and no built-in one has its SHA-256', {
      place: name,
      remedy:
        'Pass --revision R if it is a copy of a built-in revision, or --catalog FILE; `mcpgen catalog derive --schema FILE` writes a first catalog.',
    });
  }
  const named = findRevision(revision);
  // A custom name, such as `draft`, is the user's choice; the name of another released revision is a mistake.
  if (official !== undefined && named !== undefined && official !== revision) {
    throw new McpgenError(`by its SHA-256 the schema is that of revision ${official}, not ${revision}`, {
      place: name,
      remedy: `Pass --revision ${official}, or the schema of ${revision}.`,
    });
  }
  const canonical = canonicalizeSchema(schema, name);
  const builtin = named ?? (official === undefined ? undefined : findRevision(official));
  return {
    revision,
    place: name,
    source: {
      file: fileBaseName(name),
      sha256: digest,
      builtin: false,
      corrected,
      ...(options.catalog === undefined ? {} : { catalogFile: fileBaseName(options.catalog.name) }),
    },
    canonical,
    official: official ?? revision,
    closestRevision: builtin === undefined ? closestBuiltinRevision(canonical) : undefined,
    // An official file has its own descriptions; ours are used if a file has none.
    docs: builtin === undefined ? NO_DOCS : builtinDocs(builtin.revision),
    builtin,
  };
}

async function readCatalog({ name, contents }: InputFile, revision: string | undefined): Promise<Catalog> {
  const value = parseUntrustedJson(contents, name);
  const said = isObject(value) ? ownMember(value, 'revision') : undefined;
  if (typeof said === 'string') checkRevisionName(said, `${name}#/revision`);
  const catalog = await checkCatalog(value, name);
  if (revision !== undefined && catalog.revision !== revision) {
    throw new McpgenError(`the catalog is of revision ${catalog.revision}, not ${revision}`, {
      place: `${name}#/revision`,
      remedy: 'Pass the catalog of that revision, or omit --revision.',
    });
  }
  return catalog;
}

function builtinCatalogOf(input: SchemaInput): Catalog {
  if (input.builtin === undefined) {
    throw new McpgenError(`revision ${JSON.stringify(input.revision)} is not built in, so its schema needs a catalog`, {
      place: input.place,
      remedy: 'Pass --catalog FILE; `mcpgen catalog derive --schema FILE` writes a first one.',
    });
  }
  return builtinCatalog(input.builtin.revision);
}

function catalogPlace(options: LoadOptions, input: SchemaInput): string {
  return options.catalog?.name ?? `schema/${input.official}/catalog.json`;
}

/** Reads the requested extensions, and adds them to a revision. */
async function addExtensions(
  options: LoadOptions,
  input: SchemaInput,
  catalog: Catalog,
  places: { readonly schema: string; readonly catalog: string },
): Promise<{
  readonly extensions: readonly Extension[];
  readonly merged: MergedRevision;
  readonly errata: readonly Erratum[];
  readonly traits: Traits;
}> {
  const { canonical, place, closestRevision, official, revision } = input;
  const known = input.source.corrected ? builtinErrata() : [];
  const stale = closestRevision === undefined ? 'stop' : 'skip';
  const { definitions, applied } = applyErrata(canonical.definitions, closestRevision ?? official, known, place, stale);
  const traits = traitsOf(catalog, Object.keys(definitions), builtinCatalogs());
  const builtin = (options.extensions ?? []).map((id) => readBuiltinExtension(id, official, input.source.corrected));
  const others = (options.extend ?? []).map((files) => readExtensionFiles(files, official, input.source.corrected));
  const extensions = [...builtin, ...(await Promise.all(others))];
  const names = [...new Set([revision, official])];
  const base = { names, definitions, published: canonical.definitions, catalog, traits, places };
  const errata = [...applied, ...extensions.flatMap((extension) => extension.errata)];
  return { extensions, merged: mergeExtensions(base, extensions), errata, traits };
}

/** The place of a definition that is from an extension. */
function placeInExtension({ definedBy }: MergedRevision, name: string): string | undefined {
  const places = definedBy.get(name)?.places;
  return places === undefined ? undefined : `${places.schema}#${formatPointer(places.root, name)}`;
}

function withExtension<Item>(item: Item, extension: Extension | undefined): Item {
  return extension === undefined ? item : { ...item, extension: extension.catalog.extension };
}

function readDefinitions(
  { canonical, place, docs }: SchemaInput,
  merged: MergedRevision,
  annotations: SchemaAnnotations,
  checkPattern: PatternCheck | undefined,
): { definitions: readonly Definition[]; warnings: readonly Warning[] } {
  const { definedBy } = merged;
  const { definitions, warnings } = parseDefinitions(merged.definitions, docsWithExtensions(docs, definedBy), place, {
    ...definitionsFile(canonical, annotations),
    checkPattern,
    placeOf: (name) => placeInExtension(merged, name),
  });
  const lookup = typeLookup({ definitions });
  return {
    definitions: definitions.map((definition) => {
      const extension = definedBy.get(definition.name);
      return extension === undefined ? definition : withExtension(flattenOpenParts(definition, lookup), extension);
    }),
    warnings,
  };
}

/** The docs of a revision with those of its extensions, each for its definitions and the members that it adds. */
function docsWithExtensions(docs: Docs, definedBy: MergedRevision['definedBy']): Docs {
  const others = [...new Set(definedBy.values())].map((extension) => extension.docs);
  const ownDocs = (name: string): Docs => definedBy.get(name)?.docs ?? docs;
  return {
    definition: (name) => ownDocs(name).definition(name),
    member: (name, path) =>
      ownDocs(name).member(name, path) ??
      (definedBy.has(name)
        ? undefined
        : others.map((other) => other.member(name, path)).find((text) => text !== undefined)),
    deprecated: (name, path) => ownDocs(name).deprecated(name, path),
  };
}

/** What the reader of definitions needs to know about a file. */
function definitionsFile(canonical: CanonicalSchema, annotations: SchemaAnnotations): DefinitionsFile {
  if (!hasAnnotations(annotations)) return canonical;
  return {
    ...canonical,
    // The root lists messages, which are built from the definitions with annotations.
    unread: canonical.unread.filter((keyword) => keyword !== 'anyOf' && keyword !== 'oneOf'),
    unconstrained: new Set(Object.values<string>(annotations.extensionMethods ?? {})),
  };
}

/** Converts a union of one message, which the schema has as a copy of that message, back to an alias. */
function withAlias(definition: Definition, derived: Derived): Definition {
  const name = derived.aliases.get(definition.name);
  return name === undefined ? definition : { ...definition, type: { kind: 'ref', name } };
}

function refuseDisagreements(found: readonly Disagreement[], { place, canonical }: SchemaInput): void {
  if (found.length === 0) return;
  // The model uses `$defs` only; the file may use `definitions`.
  const inFile = (schemaPlace: string): string =>
    schemaPlace.replace(`${place}#/$defs`, () => `${place}#/${canonical.root}`);
  const shown = found
    .slice(0, 20)
    .map((item) => `${item.message}\n    ${inFile(item.schemaPlace)}\n    ${item.catalogPlace}`);
  const more = found.length > shown.length ? [`and ${found.length - shown.length} more`] : [];
  throw new McpgenError(
    `catalog and schema differ in ${found.length === 1 ? 'one point' : `${found.length} points`}:\n  ${[...shown, ...more].join('\n  ')}`,
    { remedy: 'Correct the catalog, or add an erratum if the schema is wrong.' },
  );
}

/**
 * Turns warnings into an error.
 *
 * @throws {@link McpgenError} if there are any.
 */
export function refuseWarnings(warnings: readonly Warning[]): void {
  const [first] = warnings;
  if (first === undefined) return;
  throw new McpgenError(warnings.length === 1 ? first.message : `${first.message} (and ${warnings.length - 1} more)`, {
    place: first.place,
    remedy: 'Fix the schema, or allow warnings: omit --strict, or set "strict" to false in the config.',
  });
}

/** Rejects invalid names of revisions, which become names of folders. */
function checkRevisionName(revision: string, place: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(revision)) return;
  throw new McpgenError(`${JSON.stringify(revision).slice(0, 80)} is not a valid name for a revision`, {
    place,
    remedy: 'Use letters, digits, dots, hyphens and underscores, at most 64; it becomes the name of a folder.',
  });
}

function revisionBySha(digest: string): BuiltinRevision | undefined {
  return builtinRevisions().find((item) => item.sha256 === digest);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function toBytes(contents: string | Uint8Array): Uint8Array {
  return typeof contents === 'string' ? Buffer.from(contents) : contents;
}

function fileBaseName(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}
