import { Ajv } from 'ajv';
import { type JsonSchemaOptions } from '../../generator/print/json-schema.js';
import { type JsonObject } from '../../generator/read/json/json.js';
import { oracleOf } from '../support/oracle.js';

/** Ajv's verdicts on printed definitions, in a dialect. */
export function printed(
  definitions: JsonObject,
  dialect: JsonSchemaOptions['dialect'],
): (name: string) => (value: unknown) => boolean {
  if (dialect !== 'draft-07') return oracleOf(definitions);
  const ajv = new Ajv({ validateFormats: false, strict: false, ownProperties: true, code: { optimize: false } });
  ajv.addSchema({ $id: 'printed', $defs: definitions });
  return (name) => ajv.getSchema(`printed#/$defs/${encodeURIComponent(name)}`) as (value: unknown) => boolean;
}
