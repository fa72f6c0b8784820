/**
 * Reads the files of extensions.
 */
import { createHash } from 'node:crypto';
import { McpgenError } from '../../errors.js';
import { NO_DOCS } from '../../read/builtin/docs.js';
import {
  requireExtensionCatalog,
  builtinExtensionDocs,
  builtinExtensionSchema,
  extensionFolder,
  findExtension,
  requireExtension,
} from '../../read/builtin/extensions.js';
import { builtinErrata } from '../../read/builtin/revisions.js';
import { applyErrata } from '../../read/errata.js';
import { namesDefinitions, parseExtension, type ExtensionCatalog, type ExtensionFiles } from '../../read/extension.js';
import { isObject, parseUntrustedJson } from '../../read/json/json.js';
import { canonicalizeSchema } from '../../read/schema/canonical.js';
import type { Extension } from './merge.js';

/**
 * Reads a built-in extension, as added to a revision.
 *
 * @param corrected - Whether errata are applied.
 * @throws {@link McpgenError} if it is not built in.
 */
export function readBuiltinExtension(id: string, revision: string, corrected: boolean): Extension {
  const { sha256 } = requireExtension(id);
  const folder = ['schema', ...extensionFolder(id)].join('/');
  const places = { schema: `${folder}/schema.json`, root: '$defs', catalog: `${folder}/catalog.json` } as const;
  const { definitions } = canonicalizeSchema(builtinExtensionSchema(id), places.schema);
  const errata = corrected ? builtinErrata(id) : [];
  const { definitions: own, applied } = applyErrata(definitions, revision, errata, places.schema);
  const catalog = requireExtensionCatalog(id);
  return {
    catalog,
    follows: followedBy(catalog),
    definitions: own,
    docs: builtinExtensionDocs(id, revision),
    source: { file: places.schema, sha256, builtin: true, corrected },
    errata: applied,
    places,
  };
}

/**
 * Reads the files of a vendor's extension, or another version of a built-in one, whose docs and errata it gets.
 *
 * @param corrected - Whether errata are applied.
 * @throws {@link McpgenError} if one of them is invalid.
 */
export async function readExtensionFiles(
  { catalog, schema }: ExtensionFiles,
  revision: string,
  corrected: boolean,
): Promise<Extension> {
  const checked = await parseExtension(catalog);
  const value = parseUntrustedJson(schema.contents, schema.name);
  const isEmpty = isObject(value) && Object.keys(value).every((key) => key === '$schema');
  const canonical =
    isEmpty && !namesDefinitions(checked)
      ? { dialect: '2020-12', root: '$defs' as const, definitions: {} }
      : canonicalizeSchema(value, schema.name);
  if (canonical.dialect !== '2020-12') {
    throw new McpgenError('the schema of an extension is not of 2020-12', {
      place: `${schema.name}#/$schema`,
      remedy: 'Write it in JSON Schema 2020-12, with definitions under `$defs`.',
    });
  }
  const { extension } = checked;
  const isKnown = findExtension(extension) !== undefined;
  const errata = isKnown && corrected ? builtinErrata(extension) : [];
  const { definitions, applied } = applyErrata(canonical.definitions, revision, errata, schema.name, 'skip');
  return {
    catalog: checked,
    definitions,
    docs: isKnown ? builtinExtensionDocs(extension, revision) : NO_DOCS,
    follows: isKnown ? followedBy(requireExtensionCatalog(extension)) : [],
    source: {
      file: schema.shown ?? baseName(schema.name),
      sha256: createHash('sha256').update(schema.contents).digest('hex'),
      builtin: false,
      corrected: applied.length > 0,
      catalogFile: catalog.shown ?? baseName(catalog.name),
    },
    errata: applied,
    places: { schema: schema.name, root: canonical.root, catalog: catalog.name },
  };
}

/** Extensions that are requested by their identifier, and others by their files. */
export interface RequestedExtensions {
  readonly extensions?: readonly string[];
  readonly extend?: readonly ExtensionFiles[];
}

/**
 * Distributes extensions to the revisions that they extend.
 *
 * @returns The extensions of a revision.
 * @throws {@link McpgenError} if one is invalid, or extends none of the revisions.
 */
export async function selectExtensions(
  revisions: readonly string[],
  { extensions = [], extend = [] }: RequestedExtensions,
): Promise<(revision: string) => Required<RequestedExtensions>> {
  const builtin = extensions.map((id) => ({ id, catalog: requireExtensionCatalog(id), place: '--extension' }));
  const others = await Promise.all(
    extend.map(async (files) => ({ files, catalog: await parseExtension(files.catalog), place: files.catalog.name })),
  );
  for (const { catalog, place } of [...builtin, ...others]) {
    if (revisions.some((revision) => catalog.extends.includes(revision))) continue;
    throw new McpgenError(`${catalog.extension} extends ${catalog.extends.join(', ')}, not ${revisions.join(', ')}`, {
      place,
      remedy: 'Choose a revision that it extends, or omit it.',
    });
  }
  return (revision) => ({
    extensions: builtin.filter(({ catalog }) => catalog.extends.includes(revision)).map(({ id }) => id),
    extend: others.filter(({ catalog }) => catalog.extends.includes(revision)).map(({ files }) => files),
  });
}

/** The results that the runtime follows for a built-in extension. */
function followedBy({ results = [] }: ExtensionCatalog): readonly string[] {
  return results.filter(({ followed }) => followed === true).map(({ result }) => result);
}

function baseName(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}
