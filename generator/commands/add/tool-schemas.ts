import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { McpgenError } from '../../errors.js';
import { nameTools, type NamedTool } from '../../emit/tools/tools.js';
import type { ToolSource } from '../../index.js';
import { exampleOf } from '../../model/types/example.js';
import { parseTool, type ToolReadingOptions } from '../../model/tools.js';
import { NO_DOCS } from '../../read/builtin/docs.js';
import { readBytes } from '../../read/files.js';
import { isObject, ownMember, parseUntrustedJson, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { findFiles, readToolFiles } from '../../read/tools.js';
import type { RegistryProject } from '../shared/registry-project.js';
import { configuredToolOptions } from '../shared/settings.js';

/** The schemas of a tool: of its arguments, and of its structured content. */
export const SCHEMA_ROLES = ['input', 'output'] as const;
export type SchemaRole = (typeof SCHEMA_ROLES)[number];

/** The definition that a schema becomes. */
const DEFINITIONS: Readonly<Record<SchemaRole, string>> = { input: 'Input', output: 'Output' };

/** The file of a schema in a project. */
export function schemaFile(stem: string, role: SchemaRole): string {
  return `src/tools/${stem}.${role}.json`;
}

/** What is written if no schema is given: a schema to fill in. */
const EMPTY_SCHEMA = '{\n  "type": "object",\n  "properties": {},\n  "required": []\n}\n';

/** A schema of a new tool. */
export interface ToolSchema {
  /** The contents of its file. */
  readonly text: string;
  /** Whether the file exists already with other contents, which are kept. */
  readonly isKept: boolean;
  /** The export of the generated file: `forecastInput`. */
  readonly identifier: string;
  /** A value that the schema allows; undefined if none was found. */
  readonly example: JsonValue | undefined;
  readonly description: string | undefined;
}

/** The schemas of a new tool, and what is generated of them. */
export interface ToolSchemas {
  readonly schemas: Readonly<Partial<Record<SchemaRole, ToolSchema>>>;
  /** All tools of the project, with this one. */
  readonly tools: readonly ToolSource[];
  /** The generated file in `tools/`, without extension. */
  readonly stem: string;
}

/**
 * Reads the schemas of a new tool, of which those that its project has already are kept.
 *
 * @param given - The files, by role; undefined for an empty schema to fill in.
 * @throws {@link McpgenError} if one is invalid, or the config of the project does not cover its copy.
 */
export async function readToolSchemas(
  given: Readonly<Partial<Record<SchemaRole, string | undefined>>>,
  stem: string,
  project: RegistryProject,
): Promise<ToolSchemas> {
  const roles = SCHEMA_ROLES.filter((role) => role in given);
  const patterns = project.config.config.tools ?? [];
  const { documents, nullable } = configuredToolOptions(project.config);
  const reading = { documents, nullable };
  // An empty schema is only written where a pattern covers it.
  for (const role of roles)
    if (given[role] !== undefined) await requirePattern(patterns, schemaFile(stem, role), role, project);
  const { tools: present } = await readToolFiles(patterns, project.folder);
  const existing = present.find(({ name }) => name === stem);
  const read = new Map(roles.map((role) => [role, readSchema(given[role], schemaFile(stem, role), project, reading)]));
  const source = toolSource(stem, stem, {
    ...(existing?.input === undefined ? {} : { input: existing.input }),
    ...(existing?.output === undefined ? {} : { output: existing.output }),
    ...Object.fromEntries([...read].map(([role, { schema }]) => [role, schema])),
  });
  const tools = [...present.filter((tool) => tool !== existing), source].sort((a, b) => (a.name < b.name ? -1 : 1));
  const named = nameTools(tools.map((tool) => parseTool(tool, NO_DOCS, reading))).find(
    ({ model }) => model.source.name === stem,
  );
  if (named === undefined) throw new Error(`no names for ${stem}`);
  const schemas: Partial<Record<SchemaRole, ToolSchema>> = {};
  for (const [role, { text, isKept, schema }] of read) {
    const description = ownMember(schema, 'description');
    schemas[role] = {
      text,
      isKept,
      identifier: `${named.camel}${DEFINITIONS[role]}`,
      example: await validExample(named, role, schema),
      description: typeof description === 'string' ? description : undefined,
    };
  }
  return { schemas, tools, stem: named.stem };
}

/** The patterns that `init server` writes into a config. */
const ROLE_PATTERNS = SCHEMA_ROLES.map((role) => `src/tools/*.${role}.json`);

/** Rejects a config whose patterns do not match a file: the next `generate` would drop its types. */
async function requirePattern(
  patterns: readonly string[],
  file: string,
  role: SchemaRole,
  project: RegistryProject,
): Promise<void> {
  if (await isCovered(patterns, file)) return;
  const missing = patterns.length === 0;
  const list = missing ? ROLE_PATTERNS : [...patterns, `src/tools/*.${role}.json`];
  throw new McpgenError(missing ? 'the config has no key "tools"' : `no pattern in it matches ${file}`, {
    place: missing ? project.config.placeOf() : project.config.placeOf('tools'),
    remedy: `${missing ? 'Add' : 'Write'} "tools": [${list.map((item) => JSON.stringify(item)).join(', ')}]${missing ? ' to it' : ''}.`,
  });
}

/** Whether the config of a project generates types of a schema at this place. */
export async function coversSchemas(project: RegistryProject, stem: string, role: SchemaRole): Promise<boolean> {
  return isCovered(project.config.config.tools ?? [], schemaFile(stem, role));
}

async function isCovered(patterns: readonly string[], file: string): Promise<boolean> {
  if (patterns.length === 0) return false;
  // The library matches files that exist only.
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-'));
  try {
    mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(folder, file), '');
    return (await findFiles(patterns, folder)).length > 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readSchema(
  file: string | undefined,
  target: string,
  project: RegistryProject,
  reading: ToolReadingOptions,
): { readonly text: string; readonly isKept: boolean; readonly schema: JsonObject } {
  // An existing file belongs to the author and is kept.
  const existing = path.join(project.folder, target);
  const given = file === undefined ? Buffer.from(EMPTY_SCHEMA) : readBytes(file);
  const isPresent = existsSync(existing);
  const bytes = isPresent ? readBytes(existing) : given;
  const shown = isPresent ? target : (file ?? target);
  const schema = parseUntrustedJson(bytes, shown);
  if (!isObject(schema) || ownMember(schema, 'type') !== 'object') {
    throw new McpgenError(
      `the schema of a tool's ${target.endsWith('.input.json') ? 'arguments' : 'structured content'} must have the type object`,
      { place: file ?? target, remedy: 'Write { "type": "object", "properties": { ... } }.' },
    );
  }
  // An error names the place in the given file, which is not copied yet.
  parseTool({ name: 'tool', input: schema, places: { input: shown, output: '' }, isOwn: true }, NO_DOCS, reading);
  return { text: bytes.toString('utf8'), isKept: file !== undefined && !bytes.equals(given), schema };
}

/** A tool of the author with schemas in the project. */
export function toolSource(
  name: string,
  stem: string,
  schemas: Readonly<Partial<Record<SchemaRole, JsonValue>>>,
): ToolSource {
  const [input, output] = SCHEMA_ROLES.map((role) => schemaFile(stem, role)) as [string, string];
  return { name, ...schemas, places: { input, output }, isOwn: true };
}

async function validExample(
  { model }: NamedTool,
  role: SchemaRole,
  schema: JsonObject,
): Promise<JsonValue | undefined> {
  const root = model.definitions.find(({ name }) => name === DEFINITIONS[role]);
  const example = root === undefined ? undefined : exampleOf(model, root.type);
  return example !== undefined && (await validatesAgainst(schema, example)) ? example : undefined;
}

/** Time limit for validating an example, in milliseconds. */
const VALIDATION_TIMEOUT_MS = 2000;

/** Whether a schema allows a value, according to Ajv, which knows all keywords. */
async function validatesAgainst(schema: JsonObject, value: JsonValue): Promise<boolean> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const { $schema: _dialect, ...rest } = schema;
  const validateScript = (): boolean =>
    new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(rest)(value);
  try {
    // A pattern may run forever; only here it can be interrupted.
    return runInNewContext('judge()', { judge: validateScript }, { timeout: VALIDATION_TIMEOUT_MS }) === true;
  } catch {
    return false;
  }
}
