import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ZodType } from 'zod';
import { loadProtocol } from '../../generator/index.js';
import { isObject, objectFromEntries, type JsonObject, type JsonValue } from '../../generator/read/json/json.js';
import { correctedDefinitions, oracleOf } from '../support/oracle.js';
import type { REVISIONS } from '../support/revisions.js';
import { mutated, validValue } from '../support/schema-arbitrary.js';
import { schemaOf, written, type Schemas } from './zod-support.js';

/** Values of each kind for each definition. More are tried by MCPGEN_FUZZ=1000, others by MCPGEN_FUZZ_SEED=7. */
const VALUES = Number(process.env['MCPGEN_FUZZ'] ?? 20);
const SEED = Number(process.env['MCPGEN_FUZZ_SEED'] ?? 20260728);
const HOUR = 3_600_000;

/** A value without its members named `__proto__`, whose values Zod does not check, and which it never copies. */
function withoutProto(value: JsonValue): JsonValue {
  // Most have no such member, and a copy of each takes as long as its verdicts.
  if (!hasProto(value)) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withoutProto);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([name]) => name !== '__proto__');
  return objectFromEntries(entries.map(([name, item]) => [name, withoutProto(item)]));
}

function hasProto(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (
    Object.hasOwn(value, '__proto__') || Object.values(value as Readonly<Record<string, JsonValue>>).some(hasProto)
  );
}

/** Tells oracle and schema apart: what is wrong with the verdict on a value, or with what came back. */
export function difference(
  schema: ZodType,
  accepts: (value: unknown) => boolean,
  value: JsonValue,
): string | undefined {
  const before = structuredClone(value);
  // The two verdicts differ for a map with a member named __proto__, which Zod does not check, and for a closed object.
  const plain = withoutProto(value);
  const verdicts = [accepts(value), ...(plain === value ? [] : [accepts(plain)])];
  const result = schema.safeParse(value);
  if (!isDeepStrictEqual(value, before)) return 'the value was changed';
  if (!verdicts.includes(result.success)) {
    return `Ajv ${result.success ? 'refuses' : 'accepts'} it, Zod says ${result.error?.message ?? 'it is right'}`;
  }
  if (!result.success) return undefined;
  const back = result.data as JsonValue;
  if (!isDeepStrictEqual(withoutProto(back), plain)) return `came back as ${JSON.stringify(back)}`;
  return undefined;
}

interface Tally {
  values: number;
  refused: number;
}

/** Compiling the schemas of a revision takes longer than applying them. */
const oracles = new WeakMap<JsonObject, ReturnType<typeof oracleOf>>();

/** Compares schemas with the oracle on valid or mutated values of all definitions. The error shows one mismatch. */
export function compareAll(definitions: JsonObject, schemas: Schemas, kind: 'valid' | 'mutated'): Tally {
  const oracle = oracles.get(definitions) ?? oracleOf(definitions);
  oracles.set(definitions, oracle);
  const tally: Tally = { values: 0, refused: 0 };
  for (const name of Object.keys(definitions)) {
    const schema = schemaOf(schemas, name);
    const validate = oracle(name);
    const accepts = (value: unknown): boolean => validate(value);
    const values = kind === 'valid' ? validValue(definitions, name).map(toMutant) : mutated(definitions, name);
    const property = fc.property(values, ({ value, change }) => {
      tally.values += 1;
      if (!accepts(value)) tally.refused += 1;
      const found = difference(schema, accepts, value);
      if (found !== undefined) throw new Error(`${name}, ${change}: ${found}`);
    });
    fc.assert(property, { numRuns: VALUES, seed: SEED });
  }
  return tally;
}

function toMutant(value: JsonValue): { value: JsonValue; change: string } {
  return { value, change: 'a valid value' };
}

const loaded = new Map<string, Schemas>();

export function schemasOf(revision: string): Schemas {
  const schemas = loaded.get(revision);
  if (schemas === undefined) throw new Error(`${revision} was not loaded`);
  return schemas;
}

/** Tests the schemas of revisions, which are written below a folder. */
export function testZodOf(revisions: readonly (typeof REVISIONS)[number][], scratch: string): void {
  beforeAll(async () => {
    for (const { revision } of revisions) {
      const protocol = await loadProtocol({ revision });
      loaded.set(revision, await written(protocol, scratch));
    }
  });

  describe.each(revisions)('zod.ts of $revision', ({ revision, definitions: count }) => {
    const definitions = correctedDefinitions(revision);

    test('exports one schema for each definition', () => {
      const names = Object.keys(definitions).map((name) => `${name}Schema`);
      expect(Object.keys(schemasOf(revision)).sort()).toEqual(names.sort());
      expect(names).toHaveLength(count);
    });

    test(
      'parses valid values unchanged',
      () => {
        const tally = compareAll(definitions, schemasOf(revision), 'valid');
        expect(tally).toEqual({ values: count * VALUES, refused: 0 });
      },
      HOUR,
    );

    test(
      'has the verdict of the JSON Schema on mutated values',
      () => {
        const tally = compareAll(definitions, schemasOf(revision), 'mutated');
        expect(tally.values).toBe(count * VALUES);
        // Most mutations matter, or the comparison would say little.
        expect(tally.refused).toBeGreaterThan(tally.values / 2);
      },
      HOUR,
    );

    test('takes undefined for an absent member', () => {
      const schema = schemaOf(schemasOf(revision), 'TextContent');
      expect(schema.safeParse({ type: 'text', text: 'a', annotations: undefined }).success).toBe(true);
      expect(schema.safeParse({ type: 'text', text: undefined }).success).toBe(false);
    });

    test('wants a required member whose type is not known', () => {
      const named = definitions['LoggingMessageNotificationParams'] !== undefined;
      const schema = schemaOf(
        schemasOf(revision),
        named ? 'LoggingMessageNotificationParams' : 'LoggingMessageNotification',
      );
      const withParams = (params: object): unknown =>
        named ? params : { method: 'notifications/message', params, jsonrpc: '2.0' };
      for (const data of [null, 0, '', false, {}, []]) {
        expect(schema.safeParse(withParams({ level: 'info', data })).success).toBe(true);
      }
      expect(schema.safeParse(withParams({ level: 'info' })).success).toBe(false);
      expect(schema.safeParse(withParams({ level: 'info', data: undefined })).success).toBe(false);
    });

    test('neither checks nor copies a member named __proto__', () => {
      const value = JSON.parse('{ "type": "text", "text": "a", "__proto__": { "polluted": true } }') as object;
      const back = schemaOf(schemasOf(revision), 'TextContent').parse(value) as object;
      expect(Object.keys(back)).toEqual(['type', 'text']);
      expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
      expect('polluted' in back).toBe(false);
    });
  });
}
