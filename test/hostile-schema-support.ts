import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { generate } from '../generator/index.js';
import { temporaryFolder } from './support/cli.js';
import { toFileContents, catalogWith, errorOf, type ErrorParts, type Schema } from './support/hostile.js';

/** Generates into a new folder what should be refused, and checks that nothing was written. */
export async function refused(
  schema: unknown,
  catalog: unknown = catalogWith(),
  more: { name?: string; revision?: string; strict?: boolean } = {},
): Promise<ErrorParts> {
  const out = path.join(temporaryFolder(), 'out');
  const { name = 'schema.json', revision, strict } = more;
  const fault = await errorOf(
    generate({
      out,
      schema: { name, contents: toFileContents(schema) },
      catalog: { name: 'catalog.json', contents: toFileContents(catalog) },
      ...(revision === undefined ? {} : { revisions: [revision] }),
      ...(strict === undefined ? {} : { strict }),
    }),
  );
  expect(existsSync(out), 'something was written').toBe(false);
  return fault;
}
export const REF = (name: string): Schema => ({ $ref: `#/$defs/${name}` });

/** Names of definitions, and the names of their types. */
export const NAMES: readonly (readonly [string, string])[] = [
  ['foo-bar', 'FooBar'],
  ['some name', 'SomeName'],
  ['a/b', 'AB'],
  ['c~d', 'CD'],
  ['a%25b', 'A25b'],
  ["it's", 'ItS'],
  ['q"q', 'QQ'],
  ['x\ny', 'XY'],
  ['*/ evil /*', 'Evil'],
  ['`${1}`', '_1'],
  ['1abc', '_1abc'],
  ['class', 'Class'],
  ['any', 'Any'],
  ['unknown', 'Unknown'],
  ['undefined', 'Undefined'],
  ['null', 'Null'],
  ['default', 'Default'],
  ['type', 'Type'],
  ['await', 'Await'],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['prototype', 'prototype'],
  ['hasOwnProperty', 'hasOwnProperty'],
  ['日本語', '日本語'],
  ['é', 'é'],
  ['e\u0301', 'e\u0301'],
  ['_', '_'],
  ['$', '$'],
  ['Error', 'Error'],
  ['Request', 'Request'],
  ['Root', 'Root'],
  ['Exclude', 'Exclude'],
  ['zero\u200bwidth', 'ZeroWidth'],
  ['over\u202eride', 'OverRide'],
  ['a'.repeat(5000), 'a'.repeat(5000)],
];

export const pointerOf = (name: string): string => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
