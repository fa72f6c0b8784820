/**
 * The programmatic interface of `mcpgen`. The command line is a thin layer over it.
 *
 * @packageDocumentation
 */
export { builtinRevisions } from './read/builtin/revisions.js';
export { builtinExtensions } from './read/builtin/extensions.js';
export { readExtension } from './read/extension.js';
export { defineConfig } from './read/config/config.js';
export { loadProtocol } from './model/load.js';
export { readToolFiles, readToolList } from './read/tools.js';
export { McpgenError } from './errors.js';
export { EMITTABLE, DEFAULT_PARTS } from './emit/parts.js';
export type { BuiltinRevision } from './read/builtin/revisions.js';
export type { BuiltinExtension } from './read/builtin/extensions.js';
export type { ExtensionFiles } from './read/extension.js';
export type { Config } from './read/config/config.js';
export type { Emittable } from './emit/parts.js';
export type { FileChange, PlannedFile } from './output/plan.js';
export type { ImportExtension, Target } from './print/source-file.js';
export type { InputFile, LoadOptions } from './model/load.js';
export type { Protocol, ProtocolExtension, Warning } from './model/protocol.js';
export type { ToolSource } from './read/tools.js';
export type { Definition, Member, Method, ObjectNode, TypeNode, Source } from './model/protocol.js';
export type { DriftOptions } from './drift/drift.js';
export type { DriftReport } from './drift/report.js';
export type { ComparedDefinition, DriftFinding, DriftKind } from './drift/report.js';
export { compareWithPackage } from './drift/drift.js';
export type { RenderOptions } from './render-options.js';
export type { NamedPlugin, Plugin, PluginFile, PluginFunction, PluginTools, TextFile } from './plugin.js';
export type { JsonSchemaOptions } from './print/json-schema.js';
export type { SourceFile } from './print/source-file.js';
export { generate, check, renderAll, loadAll } from './generate.js';
export type { GenerateOptions, GenerateResult, CheckResult, Rendering } from './generate.js';
export { generateVectors } from './generate-vectors.js';
export type { RevisionVectors, VectorsOptions, VectorsResult } from './generate-vectors.js';
export type * from './vectors/form.js';
export type { VectorSet } from './vectors/set.js';
export { render, renderServers, renderTools } from './render.js';
export type { ServersOptions, ServersRendering, ServerTools, ToolOptions, ToolRendering } from './render.js';
