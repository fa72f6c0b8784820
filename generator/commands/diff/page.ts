import { format } from 'prettier';
import type { Protocol } from '../../model/protocol.js';
import { withoutDocs } from '../../model/types/shape-key.js';
import { renderPage } from '../../print/diff/html.js';
import type { DiffReport } from '../../print/diff/report.js';
import { isIdentifier } from '../../print/names.js';
import { printDefinition } from '../../print/type.js';
import { pageAssets } from '../shared/page-assets.js';

/** Columns of a type next to another one. */
const PAGE_COLUMNS = 60;
/** Separates two definitions while Prettier formats them. */
const PAGE_BORDER = '\n\n// mcpgen: border\n\n';

/** The HTML page of a report, including its style, its script and the types of both revisions. */
export async function renderDiffPage(
  report: DiffReport,
  before: Protocol,
  after: Protocol,
  renames: DiffReport['renames'],
): Promise<string> {
  const changed = new Set(report.changes.filter(({ subject }) => subject === 'definition').map(({ name }) => name));
  for (const rename of renames) if (changed.has(rename.after)) changed.add(rename.before);
  const [beforeCode, afterCode] = await Promise.all([
    formatDefinitions(before, changed),
    formatDefinitions(after, changed),
  ]);
  return renderPage(report, {
    ...pageAssets('diff'),
    before: beforeCode,
    after: afterCode,
  });
}

/** Some definitions as TypeScript, without docs, which are not compared. */
async function formatDefinitions(
  protocol: Protocol,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const definitions = protocol.definitions.filter(({ name }) => wanted.has(name));
  // Names that are not TypeScript identifiers are replaced by placeholders while Prettier formats the code.
  const placeholders = new Map<string, string>();
  const definitionName = (name: string): string => {
    if (isIdentifier(name)) return name;
    const placeholder = placeholders.get(name) ?? `mcpgen$${placeholders.size}$`;
    placeholders.set(name, placeholder);
    return placeholder;
  };
  const printer = { name: definitionName, linkable: new Set<string>(), columns: PAGE_COLUMNS };
  const code = definitions.map(({ name, type }) => printDefinition({ name, type: withoutDocs(type) }, printer));
  const text = await format(code.join(PAGE_BORDER), {
    parser: 'babel-ts',
    singleQuote: true,
    printWidth: PAGE_COLUMNS,
  });
  const shown = [...placeholders].reduce(
    (all, [name, placeholder]) => all.replaceAll(placeholder, () => JSON.stringify(name)),
    text,
  );
  const pieces = shown.trimEnd().split(PAGE_BORDER);
  return new Map(definitions.map(({ name }, index) => [name, (pieces[index] ?? '').replace(/^export /gm, '')]));
}
