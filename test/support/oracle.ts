import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { builtinErrata, builtinSchema } from '../../generator/read/builtin/revisions.js';
import { canonicalizeSchema } from '../../generator/read/schema/canonical.js';
import { applyErrata } from '../../generator/read/errata.js';
import type { JsonObject } from '../../generator/read/json/json.js';

/** The definitions of a built-in revision as JSON Schema, with our errata applied. */
export function correctedDefinitions(revision: string): JsonObject {
  const place = `schema/${revision}/schema.json`;
  const { definitions } = canonicalizeSchema(builtinSchema(revision), place);
  return applyErrata(definitions, revision, builtinErrata(), place).definitions;
}

/**
 * Ajv's verdicts on definitions. A format is an annotation, as JSON Schema 2020-12 has it by default.
 * Ajv compiles in two thirds of the time if it does not optimize its code.
 *
 * @returns The validator of a definition by name. Each is compiled on first use.
 */
export function oracleOf(definitions: JsonObject): (name: string) => ValidateFunction {
  const ajv = new Ajv2020({ validateFormats: false, strict: false, ownProperties: true, code: { optimize: false } });
  ajv.addSchema({ $id: 'protocol', $defs: definitions });
  return (name) => {
    const validate = ajv.getSchema(`protocol#/$defs/${encodeURIComponent(name)}`);
    if (validate === undefined) throw new Error(`there is no definition ${name}`);
    return validate as ValidateFunction;
  };
}
