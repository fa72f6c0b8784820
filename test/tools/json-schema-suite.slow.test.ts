import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { removeTemporaryFolders } from '../support/cli.js';
import { compileSchema } from '../../templates/runtime/json-schema.js';
import { FORMATS } from '../../templates/runtime/validation.js';
import {
  DIALECTS,
  DRAFTS,
  hasSuite,
  suiteDocuments,
  suiteGroups,
  suiteTools,
  suiteValidators,
  type Draft,
  type SuiteGroup,
} from './json-schema-suite.js';

afterAll(removeTemporaryFolders);

/** Tests whose verdict is another one, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'vocabulary: schema that uses custom metaschema with with no validation vocabulary: no validation: invalid number, but it still validates':
    'A schema of a tool is read with the vocabularies of its draft: meta-schemas are never fetched.',
};

/** The validators of a draft's schemas, as files or compiled at run time. */
const VALIDATORS = {
  generated: (draft: Draft, groups: readonly SuiteGroup[]) => suiteValidators(suiteTools(draft, groups)),
  'run-time': (draft: Draft, groups: readonly SuiteGroup[]) => {
    const documents = Object.fromEntries(suiteDocuments());
    return groups.map(({ schema }) =>
      compileSchema(
        { $schema: DIALECTS[draft], properties: { v: { $ref: 'case.json' } } },
        { documents: { ...documents, 'case.json': schema }, trustPatterns: true },
      ),
    );
  },
};

async function wrongVerdicts(
  kind: keyof typeof VALIDATORS,
  draft: Draft,
): Promise<{ wrong: string[]; right: number; total: number }> {
  const groups = suiteGroups(draft);
  const validators = await VALIDATORS[kind](draft, groups);
  const wrong: string[] = [];
  let total = 0;
  groups.forEach(({ name, tests }, index) => {
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
  const KINDS = Object.keys(VALIDATORS) as (keyof typeof VALIDATORS)[];
  test.for(KINDS.flatMap((kind) => DRAFTS.map((draft) => [kind, draft] as const)))(
    '%s validators have the right verdict on all mandatory tests of %s',
    async ([kind, draft], { skip }) => {
      skip(!hasSuite, 'needs the JSON Schema Test Suite in ../shared/json-schema-test-suite');
      const { wrong, right, total } = await wrongVerdicts(kind, draft);
      console.log(`${kind}, ${draft}: ${right} of ${total}`);
      expect(wrong).toEqual([]);
    },
  );
});

/** Fewest right verdicts on the optional tests, and on those of the formats that can be asserted. */
const OPTIONAL: Readonly<Record<Draft, { readonly optional: number; readonly formats: number }>> = {
  'draft2020-12': { optional: 160, formats: 194 },
  draft7: { optional: 113, formats: 192 },
};

describe('the optional tests of the JSON Schema Test Suite', () => {
  const KINDS = Object.keys(VALIDATORS) as (keyof typeof VALIDATORS)[];
  test.for(KINDS.flatMap((kind) => DRAFTS.map((draft) => [kind, draft] as const)))(
    '%s validators have at least the recorded number of right verdicts on %s',
    async ([kind, draft], { skip }) => {
      skip(!hasSuite, 'needs the JSON Schema Test Suite in ../shared/json-schema-test-suite');
      const keywords = await verdictsByFile(kind, draft, suiteGroups(draft, 'optional'));
      const isAsserted = ({ file }: SuiteGroup): boolean => Object.hasOwn(FORMATS, path.basename(file, '.json'));
      const formats = await verdictsByFile(
        kind,
        draft,
        suiteGroups(draft, 'optional/format').filter((group) => isAsserted(group)),
      );
      const right = [keywords, formats].map((files) => [...files.values()].reduce((sum, one) => sum + one.right, 0));
      for (const [file, found] of [...keywords, ...formats])
        console.log(`${kind}, ${draft}, ${file}: ${found.right} of ${found.total}`);
      expect(right[0]).toBeGreaterThanOrEqual(OPTIONAL[draft].optional);
      expect(right[1]).toBeGreaterThanOrEqual(OPTIONAL[draft].formats);
      console.log(`${kind}, ${draft}: ${right.join(' and ')}`);
    },
  );
});

/** Right verdicts by file, with formats asserted. A schema that cannot be read has none. */
async function verdictsByFile(
  kind: keyof typeof VALIDATORS,
  draft: Draft,
  groups: readonly SuiteGroup[],
): Promise<ReadonlyMap<string, { readonly right: number; readonly total: number }>> {
  const validators = await VALIDATORS[kind](draft, groups);
  const files = new Map<string, { right: number; total: number }>();
  groups.forEach(({ file, tests }, index) => {
    const found = files.get(file) ?? { right: 0, total: 0 };
    files.set(file, found);
    for (const { data, valid } of tests) {
      found.total += 1;
      try {
        if (validators[index]?.({ v: data }, { formats: FORMATS }).success === valid) found.right += 1;
      } catch {
        // Counts as a wrong verdict.
      }
    }
  });
  return files;
}
