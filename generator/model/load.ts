import { createHash } from 'node:crypto';
import { McpgenError } from '../errors.js';
import {
  builtinCatalog,
  builtinErrata,
  builtinRevisions,
  builtinSchema,
  requireRevision,
  type BuiltinRevision,
} from '../read/builtin.js';
import { canonicalise } from '../read/canonical.js';
import { checkCatalog, type Catalog, type CatalogMethod } from '../read/catalog.js';
import { builtinDocs, NO_DOCS, type Docs } from '../read/docs.js';
import { applyErrata, errataFor, type Erratum } from '../read/errata.js';
import { compareText, parseJson, type JsonObject, type JsonValue } from '../read/json.js';
import { derive, type Derived } from './derive.js';
import { parseDefinitions } from './parse.js';
import type { Definition, Method, Protocol, Source, Warning } from './protocol.js';
import { verify, type Disagreement } from './verify.js';

/** A file's contents and what to call it in messages. */
export interface InputFile {
  /** Shown in messages and, without its folder, in generated headers. */
  readonly name: string;
  readonly contents: string | Uint8Array;
}

/** What to load. Without `schema`, `revision` names one of the built-in revisions. */
export interface LoadOptions {
  /** A built-in revision, or the one that `schema` is of. */
  readonly revision?: string;
  /** A schema file of either dialect, official or your own. */
  readonly schema?: InputFile;
  /** The method catalog of `schema`; for a revision that is built in, its own is the default. */
  readonly catalog?: InputFile;
  /** Whether errata are applied; true by default. */
  readonly errata?: boolean;
  /** Makes an error of what would otherwise be a warning. */
  readonly strict?: boolean;
}

/**
 * Loads a protocol revision: schema, errata, docs and catalog, held against each other.
 *
 * @example
 * ```ts
 * const protocol = await loadProtocol({ revision: '2025-11-25' });
 * ```
 * @throws {@link McpgenError} if a file is broken, the revision cannot be told, or catalog and schema disagree.
 */
export async function loadProtocol(options: LoadOptions): Promise<Protocol> {
  const input = readSchema(options);
  const catalog = await readCatalog(options, input);
  const read = readDefinitions(input);
  const derived = derive(read.definitions);
  refuseDisagreements(
    verify(catalog, read.definitions, derived, { schema: input.place, catalog: catalogPlace(options, input) }),
  );
  const protocol: Protocol = {
    name: catalog.protocol,
    revision: input.revision,
    source: input.source,
    lifecycle: catalog.lifecycle,
    batches: catalog.batches,
    definitions: read.definitions.map((definition) => asAlias(definition, derived)),
    methods: catalog.methods.map(methodOf).sort((a, b) => compareText(a.name, b.name)),
    errors: [...catalog.errors].sort((a, b) => b.code - a.code),
    errata: read.errata,
    warnings: read.warnings,
  };
  if (options.strict === true) refuseWarnings(protocol.warnings);
  return protocol;
}

/** A schema that was read, but not yet joined with a catalog. */
export interface SchemaReading {
  readonly revision: string | undefined;
  readonly definitions: readonly Definition[];
  readonly derived: Derived;
  readonly warnings: readonly Warning[];
}

/**
 * Reads a schema without a catalog, to see what can be derived from it.
 *
 * @throws {@link McpgenError} if the file is broken.
 */
export function readSchemaAlone(file: InputFile, revision?: string): SchemaReading {
  const bytes = typeof file.contents === 'string' ? Buffer.from(file.contents) : file.contents;
  const known = revision ?? revisionBySha(sha256(bytes))?.revision;
  const canonical = canonicalise(parseJson(textOf(bytes), file.name), file.name);
  const { definitions, warnings } = parseDefinitions(canonical.definitions, NO_DOCS, file.name);
  return { revision: known, definitions, derived: derive(definitions), warnings };
}

interface SchemaInput {
  readonly revision: string;
  readonly place: string;
  readonly source: Source;
  readonly definitions: JsonObject;
  readonly docs: Docs;
  readonly builtin: BuiltinRevision | undefined;
}

function readSchema(options: LoadOptions): SchemaInput {
  const corrected = options.errata ?? true;
  if (options.schema === undefined) {
    if (options.revision === undefined) {
      throw new McpgenError('neither a revision nor a schema is given', {
        remedy: 'Give a revision, or a schema file.',
      });
    }
    const builtin = requireRevision(options.revision);
    const place = `schema/${builtin.revision}/schema.json`;
    return {
      revision: builtin.revision,
      place,
      source: { file: place, sha256: builtin.sha256, builtin: true, corrected },
      definitions: canonicalise(builtinSchema(builtin.revision), place).definitions,
      docs: builtinDocs(builtin.revision),
      builtin,
    };
  }
  const { name } = options.schema;
  const bytes =
    typeof options.schema.contents === 'string' ? Buffer.from(options.schema.contents) : options.schema.contents;
  const digest = sha256(bytes);
  const bySha = revisionBySha(digest);
  const revision = options.revision ?? bySha?.revision ?? catalogRevision(options.catalog);
  if (revision === undefined) {
    throw new McpgenError('the schema does not say which revision it is, and no built-in one has its SHA-256', {
      place: name,
      remedy:
        'Give --revision R if it is a copy of a built-in revision, or --catalog FILE; `mcpgen catalog derive --schema FILE` writes a first catalog.',
    });
  }
  checkRevisionName(revision, options.revision === undefined ? (options.catalog?.name ?? name) : '--revision');
  const builtin = builtinRevisions().find((item) => item.revision === revision);
  return {
    revision,
    place: name,
    source: {
      file: baseName(name),
      sha256: digest,
      builtin: false,
      corrected,
      ...(options.catalog === undefined ? {} : { catalogFile: baseName(options.catalog.name) }),
    },
    definitions: canonicalise(parseJson(textOf(bytes), name), name).definitions,
    // An official file brings its own descriptions; ours fill in where a file has none.
    docs: builtin === undefined ? NO_DOCS : builtinDocs(revision),
    builtin,
  };
}

async function readCatalog(options: LoadOptions, input: SchemaInput): Promise<Catalog> {
  if (options.catalog !== undefined) {
    const { name, contents } = options.catalog;
    const catalog = await checkCatalog(parseJson(textOf(contents), name), name);
    if (options.revision !== undefined && catalog.revision !== options.revision) {
      throw new McpgenError(`the catalog is of revision ${catalog.revision}, not ${options.revision}`, {
        place: `${name}#/revision`,
        remedy: 'Give the catalog of that revision, or leave --revision out.',
      });
    }
    return catalog;
  }
  if (input.builtin === undefined) {
    throw new McpgenError(`revision ${JSON.stringify(input.revision)} is not built in, so its schema needs a catalog`, {
      place: input.place,
      remedy: 'Give --catalog FILE; `mcpgen catalog derive --schema FILE` writes a first one.',
    });
  }
  return builtinCatalog(input.builtin.revision);
}

function catalogPlace(options: LoadOptions, input: SchemaInput): string {
  return options.catalog?.name ?? `schema/${input.revision}/catalog.json`;
}

function readDefinitions(input: SchemaInput): {
  definitions: readonly Definition[];
  errata: readonly Erratum[];
  warnings: readonly Warning[];
} {
  const errata = input.source.corrected ? errataFor(input.revision, builtinErrata()) : [];
  const corrected = applyErrata(input.definitions, input.revision, errata, input.place);
  const parsed = parseDefinitions(corrected.definitions, input.docs, input.place);
  return { ...parsed, errata: corrected.applied };
}

/** A union of one message that was inlined as a copy of it becomes the alias that it was. */
function asAlias(definition: Definition, derived: Derived): Definition {
  const name = derived.aliases.get(definition.name);
  return name === undefined ? definition : { ...definition, type: { kind: 'ref', name } };
}

function methodOf(row: CatalogMethod): Method {
  return {
    name: row.method,
    kind: row.kind,
    direction: row.direction,
    message: row.message,
    params: row.params,
    results: [row.result ?? []].flat(),
    capabilities: [row.capability ?? []].flat(),
    summary: row.summary,
    ...(row.taskResult === undefined ? {} : { taskResult: row.taskResult }),
    ...(row.deprecated === undefined ? {} : { deprecated: row.deprecated }),
  };
}

function refuseDisagreements(found: readonly Disagreement[]): void {
  if (found.length === 0) return;
  const shown = found.slice(0, 20).map((item) => `${item.message}\n    ${item.schemaPlace}\n    ${item.catalogPlace}`);
  const more = found.length > shown.length ? [`and ${found.length - shown.length} more`] : [];
  throw new McpgenError(
    `catalog and schema disagree in ${found.length === 1 ? 'one point' : `${found.length} points`}:\n  ${[...shown, ...more].join('\n  ')}`,
    { remedy: 'Correct the catalog, or add an erratum if the schema is wrong.' },
  );
}

function refuseWarnings(warnings: readonly Warning[]): void {
  const [first] = warnings;
  if (first === undefined) return;
  throw new McpgenError(warnings.length === 1 ? first.message : `${first.message} (and ${warnings.length - 1} more)`, {
    place: first.place,
    remedy: 'Mend it, or leave --strict out.',
  });
}

/** Revisions name folders, so they must be plain names. */
function checkRevisionName(revision: string, place: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(revision)) return;
  throw new McpgenError(`${JSON.stringify(revision).slice(0, 80)} is not a name for a revision`, {
    place,
    remedy: 'Use letters, digits, dots, hyphens and underscores, at most 64; it becomes the name of a folder.',
  });
}

function catalogRevision(catalog: InputFile | undefined): string | undefined {
  if (catalog === undefined) return undefined;
  const value = parseJson(textOf(catalog.contents), catalog.name) as { revision?: JsonValue } | null;
  return typeof value?.revision === 'string' ? value.revision : undefined;
}

function revisionBySha(digest: string): BuiltinRevision | undefined {
  return builtinRevisions().find((item) => item.sha256 === digest);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function textOf(contents: string | Uint8Array): string {
  return typeof contents === 'string' ? contents : Buffer.from(contents).toString('utf8');
}

function baseName(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}
