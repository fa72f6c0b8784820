/**
 * Compares our types with the official ones, for `npm run compare:official -- DIR`: DIR holds `<revision>/schema.ts`, as
 * in the folder `schema/` of the specification's repository. The official files are read where they are, never kept.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { builtinRevisions } from '../generator/index.js';
import { compareTypes, exportedTypes } from './support/type-equality.js';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('Usage: npm run compare:official -- DIR   (DIR holds <revision>/schema.ts)\n');
  process.exit(2);
}

const rows: string[][] = [['revision', 'definitions', 'mutually assignable', 'identical']];
const details: string[] = [];
for (const { revision } of builtinRevisions()) {
  const official = path.resolve(folder, revision, 'schema.ts');
  if (!existsSync(official)) {
    process.stderr.write(`${official}: no such file\n`);
    process.exit(2);
  }
  const ours = path.resolve(import.meta.dirname, '../generated', revision, 'types.ts');
  const theirs = new Set(exportedTypes(official));
  const names = exportedTypes(ours);
  for (const name of names.filter((item) => !theirs.has(item)))
    details.push(`${revision} ${name}: no official type of this name`);
  const relations = await compareTypes(
    ours,
    official,
    names.filter((name) => theirs.has(name)).map((name) => ({ ours: name, theirs: name })),
  );
  for (const relation of relations) {
    if (relation.toOurs && relation.toTheirs) continue;
    const direction = relation.toTheirs ? 'theirs to ours' : 'ours to theirs';
    details.push(`${revision} ${relation.name}: ${direction}: ${relation.reason ?? ''}`);
  }
  if (process.argv.includes('--list')) {
    details.push(
      `${revision} not identical: ${relations
        .filter((item) => !item.identical)
        .map((item) => item.name)
        .join(', ')}`,
    );
  }
  const mutual = relations.filter((item) => item.toOurs && item.toTheirs).length;
  rows.push([
    revision,
    String(names.length),
    String(mutual),
    String(relations.filter((item) => item.identical).length),
  ]);
}
const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
for (const row of rows)
  process.stdout.write(
    `${row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()}\n`,
  );
for (const detail of details) process.stdout.write(`\n${detail}\n`);
