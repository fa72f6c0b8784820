/** Names that objects inherit or that JavaScript treats specially are names like any other, wherever they come from. */
import { afterAll, expect, test } from 'vitest';
import { objectFromEntries } from '../../generator/read/json/json.js';
import { removeTemporaryFolders } from '../support/cli.js';
import { members, NAMES } from './inherited-names-support.js';
import { catalogWith, compileOutput, generated, schemaWith, type Schema } from '../support/hostile.js';

afterAll(removeTemporaryFolders);

test('generate --schema compiles definitions of these names with members of these names', async () => {
  const definitions: Schema = objectFromEntries(
    NAMES.map((name) => [
      name,
      {
        ...members(NAMES, NAMES.slice(0, 5)),
        properties: objectFromEntries(NAMES.map((other) => [other, { $ref: `#/$defs/${other}` }])),
      },
    ]),
  );
  const files = await generated(schemaWith(definitions), catalogWith(), { emit: ['types', 'validators'] });
  expect(await compileOutput(files).errors()).toEqual([]);
});
