/**
 * What plugins are written with: `mcpgen/plugin`.
 *
 * @packageDocumentation
 */
import type { Definition, Member, Method, Protocol, TypeNode } from './model/protocol.js';
import type { JsonSchemaOptions } from './print/json-schema.js';
import type { ImportExtension, SourceFile } from './print/source-file.js';
import type { JsonObject } from './read/json/json.js';

export type { CatalogError, Constraints, Direction, MessageKind, ProtocolExtension, Source } from './model/protocol.js';
export type { Definition, Member, Method, ObjectNode, Protocol, Rule, TypeNode, Warning } from './model/protocol.js';
export type { JsonSchemaOptions } from './print/json-schema.js';
export type { Declaration, ImportExtension, SourceFile } from './print/source-file.js';
export type { JsonObject, JsonValue } from './read/json/json.js';

export { directionWord, sideWords } from './model/protocol.js';
export type { BySide } from './read/catalog.js';

/** The version of the plugin API that this mcpgen has. */
export const PLUGIN_API_VERSION = 1;

/** A file of any format that {@link MARKED_EXTENSIONS} has. */
export interface TextFile {
  /** Path below the folder of the revision, with forward slashes: `openrpc.json`. */
  readonly path: string;
  /** Its contents; they are formatted with Prettier if it knows the format. */
  readonly text: string;
}

/** A file that a plugin returns: TypeScript from {@link PluginTools.sourceFile}, or a text. */
export type PluginFile = SourceFile<string> | TextFile;

/** What mcpgen does for a plugin. All of it depends on the protocol and the options of the run only. */
export interface PluginTools {
  /** The parts that the run writes, dependencies included, such as `types`. */
  readonly parts: readonly string[];
  /** Extension of imported files. */
  readonly importExtension: ImportExtension;
  /**
   * Begins a TypeScript file.
   *
   * @param name - Its path below the folder of the revision, without `.ts`.
   */
  sourceFile(name: string): SourceFile<string>;
  /** The name of a definition's type in `types`, which can differ from its name in the schema. */
  typeName(definition: string): string;
  /** The name of a method's constant in `methods`: `TOOLS_CALL` for `tools/call`. */
  methodConstant(method: string): string;
  /** A type as TypeScript; references are names of `types`, which the file has to import. */
  printType(type: TypeNode): string;
  /** The definitions that a type refers to, each once. */
  references(type: TypeNode): readonly string[];
  /** The definition with a name; undefined if it does not exist. */
  definition(name: string): Definition | undefined;
  /** The type of a method's params; undefined for a method without params. */
  params(method: Method): TypeNode | undefined;
  /** The members of an object type, after references and intersections; empty for any other type. */
  members(type: TypeNode): readonly Member[];
  /** A type as JSON Schema that accepts exactly its values. */
  jsonSchema(type: TypeNode, options?: JsonSchemaOptions): JsonObject;
  /** A definition or a member as JSON Schema, with its docs. */
  documentedSchema(owner: Definition | Member, options?: JsonSchemaOptions): JsonObject;
}

/**
 * Makes files from a protocol. It is called once for each revision, and must be pure: the same protocol makes the same
 * files. The protocol is frozen.
 */
export type PluginFunction = (
  protocol: Protocol,
  tools: PluginTools,
) => readonly PluginFile[] | Promise<readonly PluginFile[]>;

/** A plugin with what it is called in messages and in the headers of generated files. */
export interface NamedPlugin {
  /** A package, such as `mcpgen/plugins/openrpc`, or the name of a file. */
  readonly name: string;
  /** Its file, for messages. */
  readonly file?: string;
  readonly plugin: Plugin;
}

/** A plugin, as {@link definePlugin} returns it. */
export interface Plugin {
  /** The version of the plugin API that it was written for. */
  readonly mcpgenPlugin: number;
  readonly generate: PluginFunction;
}

/**
 * Defines a plugin: the default export of its module.
 *
 * @example
 * ```ts
 * export default definePlugin(1, (protocol) => [
 *   { path: 'methods.md', text: protocol.methods.map(({ name }) => `- ${name}\n`).join('') },
 * ]);
 * ```
 * @param version - The version of the plugin API, 1. Another mcpgen may have another version, and rejects the plugin
 *   instead of running it.
 */
export function definePlugin(version: number, generate: PluginFunction): Plugin {
  return Object.freeze({ mcpgenPlugin: version, generate });
}
