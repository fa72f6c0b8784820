import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadProtocol } from '../../generator/index.js';
import { definitionSchema, type JsonSchemaOptions } from '../../generator/print/json-schema.js';
import { objectFromEntries, type JsonValue } from '../../generator/read/json/json.js';
import { correctedDefinitions, oracleOf } from '../support/oracle.js';
import { REVISIONS } from '../support/revisions.js';
import { mutated, validValue } from '../support/schema-arbitrary.js';
import { itemsOf, shareOfToday } from '../support/today.js';
import { SchemaSampler } from '../support/schema-sampler.js';
import { printed } from './json-schema-support.js';

/** Each revision and dialect has its day. */
const TODAY = itemsOf(
  (['2020-12', 'draft-07'] as const).flatMap((dialect) => REVISIONS.map((item) => ({ ...item, dialect }))),
  shareOfToday(5),
);

describe.each(TODAY)('the printed schemas of $revision in $dialect', ({ revision, dialect, definitions: count }) => {
  test('accept exactly what the official schema accepts', async () => {
    const protocol = await loadProtocol({ revision });
    const options: JsonSchemaOptions = { dialect };
    const ours = printed(
      objectFromEntries(
        protocol.definitions.map((definition) => [definition.name, definitionSchema(definition, options)]),
      ),
      dialect,
    );
    const official = correctedDefinitions(revision);
    const theirs = oracleOf(official);
    const names = protocol.definitions.map(({ name }) => name);
    expect(names).toHaveLength(count);
    const verdicts = { accepted: 0, rejected: 0 };
    const differences: string[] = [];
    for (const name of names) {
      const [mine, expected] = [ours(name), theirs(name)];
      const compare = (value: JsonValue): void => {
        const accepted = expected(value);
        verdicts[accepted ? 'accepted' : 'rejected'] += 1;
        if (mine(value) !== accepted) differences.push(`${name}: ${JSON.stringify(value)} accepted: ${accepted}`);
      };
      const sampler = new SchemaSampler({ $ref: `#/$defs/${encodeURIComponent(name)}`, $defs: official }, name.length);
      for (let index = 0; index < 20; index += 1) compare(sampler.next());
      fc.sample(validValue(official, name), { numRuns: 5, seed: 7 }).forEach(compare);
      for (const { value } of fc.sample(mutated(official, name), { numRuns: 15, seed: 7 })) compare(value);
    }
    expect(differences).toEqual([]);
    // Neither verdict is the exception.
    expect(Math.min(verdicts.accepted, verdicts.rejected)).toBeGreaterThan(count * 8);
  });
});
