import { afterAll, describe, expect, test } from 'vitest';
import { removeTemporaryFolders } from '../support/cli.js';
import { DRAFTS, hasSuite, suiteGroups, suiteTools, suiteValidators, type Draft } from './json-schema-suite.js';

afterAll(removeTemporaryFolders);

/** Tests whose verdict is another one, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'vocabulary: schema that uses custom metaschema with with no validation vocabulary: no validation: invalid number, but it still validates':
    'A schema of a tool is read with the vocabularies of its draft: meta-schemas are never fetched.',
};

async function wrongVerdicts(draft: Draft, folder = ''): Promise<{ wrong: string[]; right: number; total: number }> {
  const groups = suiteGroups(draft, folder);
  const tools = suiteTools(draft, groups);
  const validators = await suiteValidators(tools);
  const wrong: string[] = [];
  let total = 0;
  tools.forEach(({ name, tests }, index) => {
    for (const { description, data, valid } of tests) {
      total += 1;
      let verdict: boolean | string;
      try {
        verdict = validators[index]?.({ v: data }).success ?? 'no validator';
      } catch (error) {
        verdict = String(error);
      }
      const title = `${name}: ${description}`;
      const isException = Object.hasOwn(EXCEPTIONS, title);
      if ((verdict === valid) === isException) wrong.push(`${title}: ${String(verdict)}`);
    }
  });
  return { wrong, right: total - wrong.length, total };
}

describe('the JSON Schema Test Suite', () => {
  test.for(DRAFTS)('all mandatory tests of %s have the right verdict', async (draft, { skip }) => {
    skip(!hasSuite, 'needs the JSON Schema Test Suite in ../shared/json-schema-test-suite');
    const { wrong, right, total } = await wrongVerdicts(draft);
    console.log(`${draft}: ${right} of ${total}`);
    expect(wrong).toEqual([]);
  });
});
