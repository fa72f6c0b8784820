import { McpgenError } from '../../errors.js';
import { closestMatch } from '../../text.js';
import type { ExtensionCatalog } from '../extension.js';
import { readBuiltinJson } from '../files.js';
import type { JsonObject } from '../json/json.js';
import { builtinDocs, docsOf, type Docs } from './docs.js';

/** The entry of a built-in extension in `schema/manifest.json`. */
export interface BuiltinExtension {
  /** Its identifier. */
  readonly extension: string;
  /** SHA-256 of the official schema file, in hexadecimal. */
  readonly sha256: string;
  /** Where the official schema file is from: a URL, or a file of a package on npm. */
  readonly source: string;
  readonly status: 'released' | 'draft';
  /** Whether objects of the official file are closed only because its generator closes all of them. */
  readonly closedByGenerator?: boolean;
}

/** The built-in extensions, by identifier. */
export function builtinExtensions(): readonly BuiltinExtension[] {
  const manifest = readBuiltinJson('manifest.json') as JsonObject;
  const extensions = manifest['extensions'] as Record<string, Omit<BuiltinExtension, 'extension'>>;
  return Object.entries(extensions)
    .map(([extension, entry]) => ({ extension, ...entry }))
    .sort((a, b) => (a.extension < b.extension ? -1 : 1));
}

/** A built-in extension by its identifier. */
export function findExtension(id: string): BuiltinExtension | undefined {
  return builtinExtensions().find(({ extension }) => extension === id);
}

/**
 * A built-in extension by its identifier.
 *
 * @throws {@link McpgenError} with the list of built-in ones if it is not one of them.
 */
export function requireExtension(id: string): BuiltinExtension {
  const found = findExtension(id);
  if (found !== undefined) return found;
  const known = builtinExtensions().map(({ extension }) => extension);
  const near = closestMatch(id, known);
  throw new McpgenError(`extension ${JSON.stringify(id).slice(0, 200)} is not built in`, {
    place: '--extension',
    remedy: `${near === undefined ? '' : `Did you mean ${near}? `}Built in: ${known.join(', ')}; for another, pass its catalog with --extend FILE.`,
  });
}

/** The canonical schema file of a built-in extension. */
export function builtinExtensionSchema(id: string): JsonObject {
  return readBuiltinJson(...extensionFolder(id), 'schema.json') as JsonObject;
}

/**
 * The catalog of a built-in extension.
 *
 * @throws {@link McpgenError} if it is not built in.
 */
export function requireExtensionCatalog(id: string): ExtensionCatalog {
  requireExtension(id);
  return readBuiltinJson(...extensionFolder(id), 'catalog.json') as unknown as ExtensionCatalog;
}

/** The docs of a built-in extension, as added to a revision. */
export function builtinExtensionDocs(id: string, revision: string): Docs {
  return docsOf(readBuiltinJson(...extensionFolder(id), 'docs.json') as JsonObject, revision);
}

/** The files of the protocol of a built-in extension, as texts. */
export interface ExtensionProtocolFiles {
  readonly folder: string;
  readonly schema: { readonly name: string; readonly contents: string };
  readonly catalog: { readonly name: string; readonly contents: string };
  readonly docs: Docs;
  /** Files of the runtime that its programs need, without extension: `runtime/post-message`. */
  readonly runtime: readonly `runtime/${string}`[];
}

/**
 * The protocol that belongs to a built-in extension, if one does.
 *
 * @throws {@link McpgenError} if the extension is not built in.
 */
export function builtinExtensionProtocol(id: string): ExtensionProtocolFiles | undefined {
  const { protocol } = requireExtensionCatalog(id);
  if (protocol === undefined) return undefined;
  const folder = [...extensionFolder(id), protocol.path];
  const file = (name: string): ExtensionProtocolFiles['schema'] => ({
    name: ['schema', ...folder, name].join('/'),
    contents: JSON.stringify(readBuiltinJson(...folder, name)),
  });
  const own = docsOf(readBuiltinJson(...folder, 'docs.json') as JsonObject, protocol.docs ?? '');
  return {
    folder: protocol.folder,
    schema: file('schema.json'),
    catalog: file('catalog.json'),
    docs: protocol.docs === undefined ? own : withFallback(own, builtinDocs(protocol.docs)),
    runtime: (protocol.runtime ?? []).map((name) => `runtime/${name}` as const),
  };
}

/** Docs that are those of another file where a file has none. */
function withFallback(first: Docs, second: Docs): Docs {
  return {
    definition: (name) => first.definition(name) ?? second.definition(name),
    member: (name, path) =>
      first.definition(name) === undefined
        ? (second.member(name, path) ?? first.member(name, path))
        : (first.member(name, path) ?? second.member(name, path)),
    deprecated: (name, path) => first.deprecated(name, path) ?? second.deprecated(name, path),
  };
}

/** The folder of an extension below `schema`, as names. */
export function extensionFolder(id: string): readonly string[] {
  return ['extensions', ...id.split('/')];
}
