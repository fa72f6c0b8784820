import { codeBlocks } from '../support/markdown.js';
import type { ExtensionFiles } from '../../generator/index.js';

/** The identifier of the built-in extension. */
export const TASKS = 'io.modelcontextprotocol/tasks';

/** The revision that it extends. */
export const REVISION = '2026-07-28';

type JsonFile = Record<string, unknown>;

function shown(name: string): JsonFile {
  const block = codeBlocks('docs/extensions.md').find(({ lead }) => lead.endsWith(`\`extensions/reports/${name}\`:`));
  if (block === undefined) throw new Error(`docs/extensions.md does not show ${name}`);
  return JSON.parse(block.text) as JsonFile;
}

/** The vendor's extension of docs/extensions.md, with changes. */
export function reports(
  change: (catalog: JsonFile, definitions: Record<string, unknown>) => void = () => undefined,
  names: readonly [string, string] = ['catalog.json', 'schema.json'],
): ExtensionFiles {
  const [catalog, schema] = [shown('catalog.json'), shown('schema.json')];
  change(catalog, schema['$defs'] as Record<string, unknown>);
  return {
    catalog: { name: names[0], contents: JSON.stringify(catalog) },
    schema: { name: names[1], contents: JSON.stringify(schema) },
  };
}
