import { createHash } from 'node:crypto';
import { format } from 'prettier';
import type { Protocol, TypeNode } from '../model/protocol.js';
import { pageOf } from '../print/diff/html.js';
import type { DiffReport } from '../print/diff/report.js';
import { isIdentifier } from '../print/names.js';
import { printDefinition } from '../print/type.js';
import { readTemplate } from '../read/files.js';

/** Columns of a type beside another one. */
const COLUMNS = 60;
/** Stands between two definitions while Prettier lays them out. */
const BORDER = '\n\n// mcpgen: border\n\n';

/** The page of a report, with its style, script and the types of both revisions in it. */
export async function diffPage(
  report: DiffReport,
  before: Protocol,
  after: Protocol,
  renames: DiffReport['renames'],
): Promise<string> {
  const changed = new Set(report.changes.filter(({ subject }) => subject === 'definition').map(({ name }) => name));
  for (const rename of renames) if (changed.has(rename.after)) changed.add(rename.before);
  const css = readTemplate('diff', 'page.css');
  const script = readTemplate('diff', 'page.js');
  const [old, now] = await Promise.all([laidOut(before, changed), laidOut(after, changed)]);
  return pageOf(report, {
    css,
    script,
    hashOf: (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`,
    before: old,
    after: now,
  });
}

/** Some definitions as TypeScript, without docs, which are not compared. */
async function laidOut(protocol: Protocol, wanted: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const definitions = protocol.definitions.filter(({ name }) => wanted.has(name));
  // A name that TypeScript cannot have is shown as it is in the schema, by a stand-in that Prettier can read.
  const standIns = new Map<string, string>();
  const nameOf = (name: string): string => {
    if (isIdentifier(name)) return name;
    const standIn = standIns.get(name) ?? `mcpgen$${standIns.size}$`;
    standIns.set(name, standIn);
    return standIn;
  };
  const printer = { name: nameOf, linkable: new Set<string>(), columns: COLUMNS };
  const code = definitions.map(({ name, type }) => printDefinition({ name, type: withoutProse(type) }, printer));
  const text = await format(code.join(BORDER), { parser: 'babel-ts', singleQuote: true, printWidth: COLUMNS });
  const shown = [...standIns].reduce(
    (all, [name, standIn]) => all.replaceAll(standIn, () => JSON.stringify(name)),
    text,
  );
  const pieces = shown.trimEnd().split(BORDER);
  return new Map(definitions.map(({ name }, index) => [name, (pieces[index] ?? '').replace(/^export /gm, '')]));
}

function withoutProse(type: TypeNode): TypeNode {
  switch (type.kind) {
    case 'array':
      return { ...type, items: withoutProse(type.items) };
    case 'union':
      return { ...type, variants: type.variants.map(withoutProse) };
    case 'intersection':
      return { ...type, parts: type.parts.map(withoutProse) };
    case 'object':
      return {
        ...type,
        members: type.members.map(({ name, required, type: own, defaultValue }) => ({
          name,
          required,
          type: withoutProse(own),
          ...(defaultValue === undefined ? {} : { defaultValue }),
        })),
        ...(type.rest === undefined ? {} : { rest: withoutProse(type.rest) }),
      };
    default:
      return type;
  }
}
