import type { Docs } from '../read/builtin/docs.js';
import { normalizeToolSchema } from '../read/schema/tool-schema.js';
import type { ToolSource } from '../read/tools.js';
import { parseDefinitions } from './parse.js';
import type { Definition, Warning } from './protocol.js';

/** The types of a tool. */
export interface ToolModel {
  readonly source: ToolSource;
  /** Definitions by keys that are words: `Input` and `Output` are the schemas, `Input Address` is one in the first. */
  readonly definitions: readonly Definition[];
  readonly warnings: readonly Warning[];
}

/**
 * Reads the types of a tool off its schemas. Where the model cannot say what a schema says it is wider, with a warning.
 *
 * @param docs - Texts for definitions that have none.
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
    const parsed = parseDefinitions(normalized.definitions, docs, place);
    definitions.push(...parsed.definitions);
    warnings.push(...normalized.warnings.map(({ at, message }) => ({ place: within(at), message })));
    for (const warning of parsed.warnings) {
      // The model speaks of definitions; the schema has them where the pointers say.
      const [, name = '', rest = ''] = /#\/\$defs\/([^/]*)(.*)$/s.exec(warning.place) ?? [];
      const at = normalized.pointers.get(name);
      // That a schema allows anything is no news where its author says so.
      if (at === undefined || (rest === '' && warning.message.includes('empty schema'))) continue;
      warnings.push({ place: within(at + rest), message: warning.message });
    }
  }
  return { source, definitions, warnings };
}
