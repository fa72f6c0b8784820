import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { renderTools } from '../../generator/index.js';
import type { JsonObject, JsonValue } from '../../generator/read/json/json.js';
import { parseTools } from '../../generator/read/tools.js';
import type { Validator } from '../../templates/runtime/validation.js';
import { temporaryFolder } from '../support/cli.js';
import { importOutput } from '../support/import-output.js';

/** A branch: the child, which is required too, is checked before the member that decides. */
export const branch = (ref: string, own: string): JsonObject => ({
  type: 'object',
  properties: { a: { anyOf: [{ type: 'null' }, { $ref: ref }] }, [own]: { type: 'string' } },
  required: ['a', own],
});
export const branches = (ref: string): JsonValue => [branch(ref, 'x'), branch(ref, 'y')];
export const input = (v: string, $defs: JsonObject): JsonObject => ({
  type: 'object',
  properties: { v: { $ref: `#/$defs/${v}` } },
  required: ['v'],
  $defs,
});

export const SCHEMAS: Readonly<Record<string, JsonObject>> = {
  AnyOf: input('Node', { Node: { anyOf: branches('#/$defs/Node') } }),
  OneOf: input('Node', { Node: { oneOf: branches('#/$defs/Node') } }),
  // Two definitions in turn.
  Mutual: input('One', {
    One: { anyOf: branches('#/$defs/Two') },
    Two: { anyOf: branches('#/$defs/One') },
  }),
  // None of these contains itself.
  Chain: input(
    'D0',
    Object.fromEntries(
      Array.from({ length: 101 }, (_, index) => [
        `D${index}`,
        index === 100 ? { type: 'object' } : { anyOf: branches(`#/$defs/D${index + 1}`) },
      ]),
    ),
  ),
  Items: input('Node', {
    Node: {
      anyOf: ['x', 'y'].map((own) => ({
        type: 'object',
        properties: { a: { type: 'array', items: { $ref: '#/$defs/Node' } }, [own]: { type: 'string' } },
        required: ['a', own],
      })),
    },
  }),
};

/** Definitions that each apply the next one twice to the same value, 2^40 times in all. */
export const REPEATED: Readonly<Record<string, (next: JsonObject) => JsonObject>> = {
  AllOf: (next) => ({ allOf: [next, { ...next, minLength: 1 }] }),
  Not: (next) => ({ not: { not: next }, ...next }),
  If: (next) => ({ if: next, then: next }),
  OneOf: (next) => ({ oneOf: [next, { allOf: [next, false] }] }),
  DependentSchemas: (next) => ({ allOf: [next], dependentSchemas: { a: next } }),
  Unevaluated: (next) => ({ anyOf: [next, next], unevaluatedProperties: next, unevaluatedItems: next }),
  Patterns: (next) => ({ patternProperties: { a: next, '^a': next }, minLength: 1 }),
  Tuple: (next) => ({ prefixItems: [{ allOf: [next, { ...next, minLength: 1 }] }] }),
};
export const CHAIN = 40;
export const repeated = (step: (next: JsonObject) => JsonObject): JsonObject =>
  input(
    'd0',
    Object.fromEntries(
      Array.from({ length: CHAIN + 1 }, (_, index) => [
        `d${index}`,
        index === CHAIN ? { enum: ['x', { a: 'x' }] } : step({ $ref: `#/$defs/d${index + 1}` }),
      ]),
    ),
  );

/** Schemas that each evaluate the next one, for each member again. */
export const EVALUATED: Readonly<Record<string, (next: JsonObject) => JsonObject>> = {
  AnyOf: (next) => ({ anyOf: [next], unevaluatedProperties: false }),
  If: (next) => ({ if: next, then: {}, else: false, unevaluatedProperties: false }),
};
export const evaluated = (step: (next: JsonObject) => JsonObject): JsonObject => {
  let v: JsonObject = { properties: { a: true, b: true, c: true } };
  for (let level = 0; level < 30; level += 1) v = step(v);
  return { type: 'object', properties: { v } };
};

export const validators = new Map<string, Validator<unknown>>();

/** Generates the validators of all schemas into {@link validators}. */
export async function generateValidators(): Promise<void> {
  const folder = temporaryFolder();
  const schemas = {
    ...SCHEMAS,
    ...Object.fromEntries(Object.entries(REPEATED).map(([name, step]) => [`Repeated${name}`, repeated(step)])),
    ...Object.fromEntries(Object.entries(EVALUATED).map(([name, step]) => [`Evaluated${name}`, evaluated(step)])),
  };
  const tools = Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema }));
  const { files } = await renderTools(parseTools(tools, 't.json'), folder);
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file.path)), { recursive: true });
    writeFileSync(path.join(folder, file.path), file.contents);
  }
  const module = await importOutput(path.join(folder, 'tools/index.ts'));
  for (const name of Object.keys(schemas)) {
    validators.set(name, module[`validate${name}Input`] as Validator<unknown>);
  }
}

/** Milliseconds of the processor that it may take; what is exponential takes years at a depth of 100. */
export const LONGEST = 5000;

export function millisecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
