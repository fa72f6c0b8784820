import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../generator/read/json/json.js';
import { oracleOf } from '../support/oracle.js';
import { SchemaSampler } from '../support/schema-sampler.js';
import { generateApps, viewSchema, type Generated } from './apps.js';

/** Values for each definition; about half of them are valid. */
const VALUES = Number(process.env['MCPGEN_FUZZ'] ?? 1) * 12;

type Guards = Readonly<Record<string, ((value: unknown) => boolean) | undefined>>;

let generated: Generated;
beforeAll(async () => {
  generated = await generateApps({ emit: ['validators', 'guards'] });
});
afterAll(() => {
  generated.remove();
});

test('validators of view and host agree with Ajv on generated values of every definition', async () => {
  const definitions = viewSchema().$defs as JsonObject;
  const guards: Guards = await generated.load('ui/validators.ts');
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
        differences.push(`${definition}: ${JSON.stringify(value)} is valid: ${String(isValid)}`);
    }
  }
  expect(differences.slice(0, 5)).toEqual([]);
  // Values of only one kind would prove nothing.
  expect(Math.min(counts.valid, counts.invalid)).toBeGreaterThan(200);
});

test('a tool with an invalid _meta.ui is rejected only with the extension', async () => {
  const guards: Guards = await generated.load('2026-07-28/validators.ts');
  const tool = (ui: object): object => ({ name: 'a', inputSchema: { type: 'object' }, _meta: { ui } });
  expect(guards['isTool']?.(tool({ resourceUri: 'ui://a', visibility: ['app'] }))).toBe(true);
  expect(guards['isTool']?.(tool({ visibility: ['user'] }))).toBe(false);
  const without: Guards = (await import('../../generated/2026-07-28/validators.js')) as unknown as Guards;
  expect(without['isTool']?.(tool({ visibility: ['user'] }))).toBe(true);
});
