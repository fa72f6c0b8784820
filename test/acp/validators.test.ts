import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalizeSchema } from '../../generator/read/schema/canonical.js';
import type { JsonObject } from '../../generator/read/json/json.js';
import { oracleOf } from '../support/oracle.js';
import { SchemaSampler } from '../support/schema-sampler.js';
import { ACP_REVISIONS, acpSchema, generateAcp } from './acp.js';

/** Values for each definition; about half of them are valid. */
const VALUES = Number(process.env['MCPGEN_FUZZ'] ?? 1) * 12;

type Guards = Readonly<Record<string, ((value: unknown) => boolean) | undefined>>;

let generated: Awaited<ReturnType<typeof generateAcp>>;
beforeAll(async () => {
  generated = await generateAcp({ emit: ['validators'] });
});
afterAll(() => {
  generated.remove();
});

describe.each(ACP_REVISIONS)('ACP %s', (revision) => {
  test('validators agree with Ajv on generated values of every definition', async () => {
    const { contents, name } = acpSchema(revision);
    const { definitions } = canonicalizeSchema(JSON.parse(contents) as JsonObject, name);
    const guards: Guards = await generated.load(`${revision}/validators.ts`);
    const oracle = oracleOf(definitions);
    const counts = { valid: 0, invalid: 0 };
    const differences: string[] = [];
    for (const [index, definition] of Object.keys(definitions).entries()) {
      const guard = guards[`is${definition}`] ?? guards[`is${definition}Definition`];
      const validate = oracle(definition);
      const sampler = new SchemaSampler({ $defs: definitions, $ref: `#/$defs/${definition}` }, index + 1);
      for (let count = 0; count < VALUES; count += 1) {
        const value = sampler.next();
        const isValid = validate(value);
        counts[isValid ? 'valid' : 'invalid'] += 1;
        if (guard?.(value) !== isValid)
          differences.push(`${definition}: ${JSON.stringify(value)} is valid: ${isValid}`);
      }
    }
    expect(differences.slice(0, 5)).toEqual([]);
    // Values of only one kind would prove nothing.
    expect(Math.min(counts.valid, counts.invalid)).toBeGreaterThan(200);
  });
});
