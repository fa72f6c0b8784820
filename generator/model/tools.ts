import { McpgenError } from '../errors.js';
import type { Docs } from '../read/builtin/docs.js';
import { normalizeToolSchema } from '../read/schema/tool-schema.js';
import type { ToolSource } from '../read/tools.js';
import { parseDefinitions } from './parse.js';
import type { Definition, Warning } from './protocol.js';
import { SchemaDefaults } from './types/defaults.js';

/** The types of a tool. */
export interface ToolModel {
  readonly source: ToolSource;
  /** Definitions by keys made of words: `Input` and `Output` are the schemas, `Input Address` is inside the first. */
  readonly definitions: readonly Definition[];
  readonly warnings: readonly Warning[];
}

/**
 * Converts the schemas of a tool to types. If the model cannot express a schema, the type is wider, with a warning.
 *
 * @param docs - Texts for definitions without a description.
 * @throws {@link McpgenError} if a schema of the author's own tool is not valid JSON Schema. For a tool of a server it is a warning.
 */
export function parseTool(source: ToolSource, docs: Docs): ToolModel {
  const definitions: Definition[] = [];
  const warnings: Warning[] = [];
  for (const [role, key] of [
    ['input', 'Input'],
    ['output', 'Output'],
  ] as const) {
    const schema = source[role];
    if (schema === undefined) continue;
    const place = source.places[role];
    const within = (pointer: string): string =>
      place.includes('#') || pointer === '' ? place + pointer : `${place}#${pointer}`;
    const normalized = normalizeToolSchema(schema, key);
    const wrong = source.isOwn ? normalized.warnings.find(({ fault }) => fault !== undefined) : undefined;
    if (wrong?.fault !== undefined) {
      const { message, remedy } = wrong.fault;
      throw new McpgenError(message, { place: within(wrong.at), remedy });
    }
    const parsed = parseDefinitions(normalized.definitions, docs, place);
    definitions.push(...parsed.definitions);
    if (source.isOwn && role === 'input') {
      for (const { definition, pointer, message } of new SchemaDefaults(parsed.definitions).rejected)
        warnings.push({ place: within(`${normalized.pointers.get(definition) ?? ''}${pointer}`), message });
    }
    warnings.push(...normalized.warnings.map(({ at, message }) => ({ place: within(at), message })));
    for (const warning of parsed.warnings) {
      // The model's places are definitions; pointers map them back into the schema.
      const [, name = '', rest = ''] = /#\/\$defs\/([^/]*)(.*)$/s.exec(warning.place) ?? [];
      const at = normalized.pointers.get(name);
      // An explicitly empty schema needs no warning.
      if (at === undefined || (rest === '' && warning.message.includes('empty schema'))) continue;
      warnings.push({ place: within(at + rest), message: warning.message });
    }
  }
  return { source, definitions, warnings };
}
