import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stableStringify, type JsonValue } from '../../generator/read/json.js';
import { correctedDefinitions, oracleOf } from '../support/oracle.js';
import { REVISIONS } from '../support/revisions.js';
import { mutated, validValue } from '../support/schema-arbitrary.js';
import { checksOf } from '../support/validators.js';

/** Values for each definition, once valid and once mutated; MCPGEN_FUZZ=182 makes 200,000 in all. */
const VALUES = Number(process.env['MCPGEN_FUZZ'] ?? 30);

describe.each(REVISIONS)('validators of $revision', ({ revision }) => {
  test('give the verdict of the JSON Schema, and a place that is wrong', async () => {
    const definitions = correctedDefinitions(revision);
    const oracle = oracleOf(definitions);
    const thorough = new Ajv2020({ validateFormats: false, strict: false, ownProperties: true, allErrors: true });
    thorough.addSchema({ $id: 'protocol', $defs: definitions });
    let values = 0;
    let wrong = 0;
    for (const name of Object.keys(definitions)) {
      const { is, validate } = await checksOf(revision, name);
      const expected = oracle(name);
      const check = (value: JsonValue): void => {
        values += 1;
        const before = stableStringify(value);
        const verdict = expected(value);
        const outcome = validate(value);
        const context = `${name}: ${before.slice(0, 500)}`;
        expect(is(value), context).toBe(verdict);
        expect(outcome.success, context).toBe(verdict);
        expect(stableStringify(value)).toBe(before);
        if (outcome.success) {
          expect(outcome.value).toBe(value);
          return;
        }
        wrong += 1;
        const every = thorough.getSchema(`protocol#/$defs/${name}`);
        void every?.(value);
        const places = (every?.errors ?? []).map((error) => placeOf(error.instancePath, error.keyword, error.params));
        expect(places, `${context} ${JSON.stringify(outcome.failure)}`).toContain(outcome.failure.path);
        expect(JSON.stringify(outcome.failure).length).toBeLessThan(1000);
      };
      const runs = { numRuns: VALUES, endOnFailure: true, verbose: 0 };
      fc.assert(fc.property(validValue(definitions, name), check), runs);
      fc.assert(
        fc.property(
          mutated(definitions, name).map((mutant) => mutant.value),
          check,
        ),
        runs,
      );
    }
    expect(values).toBeGreaterThanOrEqual(Object.keys(definitions).length * VALUES * 2);
    // Mutations must have made a good part of them wrong, or nothing was compared.
    expect(wrong).toBeGreaterThan(values / 6);
  }, 600_000);
});

function placeOf(path: string, keyword: string, params: Record<string, unknown>): string {
  const extra = keyword === 'required' ? params['missingProperty'] : undefined;
  if (typeof extra !== 'string') return path;
  return `${path}/${extra.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
