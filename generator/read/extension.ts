import path from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { refuseDuplicates, invalidCatalogError, type CatalogError, type CatalogMethod } from './catalog.js';
import { isBelow } from '../paths.js';
import { readBuiltinJson, readBytes, tryReadText } from './files.js';
import { parseUntrustedJson } from './json/json.js';

/** A row of an extension's catalog: as that of a method catalog, but its capability is the extension by default. */
export type ExtensionMethod = Omit<CatalogMethod, 'capability' | 'direction' | 'taskResult' | 'followedResults'> &
  Partial<Pick<CatalogMethod, 'capability'>> & {
    /** In the words of the protocol that it extends, such as `clientToServer`. */
    readonly direction: string;
  };

/** What an extension adds to a revision: `schema/extensions/<id>/catalog.json`, or the file of a vendor. */
export interface ExtensionCatalog {
  /** Its identifier, such as `io.modelcontextprotocol/tasks`. */
  readonly extension: string;
  readonly summary: string;
  readonly status?: 'released' | 'draft';
  /** The revisions that it may be added to. */
  readonly extends: readonly string[];
  /** Name of the file with its JSON Schema, in the same folder; `schema.json` by default. */
  readonly schema?: string;
  /** The definitions of what each side declares under the identifier, by its word. */
  readonly capabilities?: Readonly<Record<string, string>>;
  readonly methods?: readonly ExtensionMethod[];
  /** Further results of methods of the revision. */
  readonly results?: readonly ExtensionResult[];
  /** Definitions of the revision, or objects in a member of theirs, that get the members of one of the extension. */
  readonly members?: readonly { readonly definition: string; readonly member?: string; readonly from: string }[];
  /** A protocol that sides of the extension speak with each other; only built-in extensions have one. */
  readonly protocol?: ExtensionProtocol;
  readonly errors?: readonly CatalogError[];
}

/** A further result of a method of the revision. */
export interface ExtensionResult {
  readonly method: string;
  readonly result: string;
  /** Whether the runtime follows it to the final result, so that client methods never return it; built-in extensions only. */
  readonly followed?: true;
}

/** A protocol that belongs to an extension. */
export interface ExtensionProtocol {
  /** The folder of its generated files, next to those of revisions. */
  readonly folder: string;
  /** The folder of its schema, catalog and docs, below that of the extension. */
  readonly path: string;
  /** The revision with the same definitions, whose docs it uses. */
  readonly docs?: string;
  /** Files of the runtime that its programs need in addition to those of every protocol, without folder and extension. */
  readonly runtime?: readonly string[];
}

/** The name of the schema's file if the catalog does not name one. */
const DEFAULT_SCHEMA = 'schema.json';

/** A file's contents and its name in messages. */
interface NamedFile {
  readonly name: string;
  readonly contents: string | Uint8Array;
  /** Its path in generated headers, without the folders of one machine; by default its name without a folder. */
  readonly shown?: string;
}

/** The files of an extension. */
export interface ExtensionFiles {
  readonly catalog: NamedFile;
  readonly schema: NamedFile;
}

/**
 * Reads the files of an extension.
 *
 * @param file - Its catalog; the schema that it names is next to it.
 * @param base - The folder that paths in generated headers are relative to; the current one by default. Of a file that is
 *   not below it, they show the name only.
 * @throws {@link McpgenError} if one of them cannot be read, or the catalog is invalid.
 */
export async function readExtension(file: string, base = process.cwd()): Promise<ExtensionFiles> {
  const contents = readBytes(file);
  const catalogFile = { name: file, contents, shown: headerPath(file, base) };
  const catalog = await parseExtension({ name: file, contents });
  const schemaFile = path.join(path.dirname(file), catalog.schema ?? DEFAULT_SCHEMA);
  if (catalog.schema === undefined && !namesDefinitions(catalog) && tryReadText(schemaFile) === undefined)
    return { catalog: catalogFile, schema: { name: schemaFile, contents: '{}', shown: headerPath(schemaFile, base) } };
  const schema = { name: schemaFile, contents: readBytes(schemaFile), shown: headerPath(schemaFile, base) };
  return { catalog: catalogFile, schema };
}

/** The path of a file in generated headers. */
function headerPath(file: string, base: string): string {
  const absolute = path.resolve(file);
  if (!isBelow(base, absolute)) return path.basename(absolute);
  return path.relative(base, absolute).replaceAll(path.sep, '/');
}

/**
 * Parses the catalog of an extension, and validates it against `schema/extension.schema.json`.
 *
 * @throws {@link McpgenError} with the first invalid row and member.
 */
export async function parseExtension({ name: place, contents }: NamedFile): Promise<ExtensionCatalog> {
  const value = parseUntrustedJson(contents, place);
  validator ??= await compileValidator();
  if (!validator(value)) {
    throw invalidCatalogError(validator.errors?.[0], place, {
      what: 'the catalog of an extension',
      remedy: 'schema/extension.schema.json describes the format, and docs/extensions.md has an example.',
    });
  }
  const catalog = value as unknown as ExtensionCatalog;
  const { methods = [], errors = [] } = catalog;
  refuseDuplicates(
    methods.map(({ method }) => method),
    'methods',
    place,
  );
  refuseDuplicates(
    errors.map(({ name }) => name),
    'errors',
    place,
  );
  refuseDuplicates(
    errors.map(({ code }) => code),
    'errors',
    place,
  );
  return catalog;
}

/** Whether the catalog of an extension refers to definitions, so that it needs a schema. */
export function namesDefinitions({ methods, results, members, capabilities }: ExtensionCatalog): boolean {
  return [methods, results, members, Object.keys(capabilities ?? {})].some(
    (rows) => rows !== undefined && rows.length > 0,
  );
}

let validator: ValidateFunction | undefined;

async function compileValidator(): Promise<ValidateFunction> {
  // Imported only for extensions of vendors: tests validate the built-in ones.
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, verbose: true });
  ajv.addSchema(readBuiltinJson('catalog.schema.json') as object, 'catalog.schema.json');
  return ajv.compile(readBuiltinJson('extension.schema.json') as object);
}
