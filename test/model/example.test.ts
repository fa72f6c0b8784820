import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { loadProtocol } from '../../generator/index.js';
import { exampleMessage, exampleOf } from '../../generator/model/example.js';
import { builtinErrata, builtinSchema } from '../../generator/read/builtin.js';
import { applyErrata } from '../../generator/read/errata.js';
import type { JsonObject } from '../../generator/read/json.js';
import { REVISIONS } from '../support/revisions.js';

describe.each(REVISIONS)('examples of $revision', ({ revision }) => {
  const raw = builtinSchema(revision)['$defs'] as JsonObject;
  const { definitions: $defs } = applyErrata(raw, revision, builtinErrata(), revision);
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'schema', $defs });

  const faults = (name: string, value: unknown): unknown => {
    const validate = ajv.getSchema(`schema#/$defs/${name}`);
    if (validate === undefined) throw new Error(`${name} is not compiled`);
    return validate(value) === true ? [] : validate.errors;
  };

  test('of each definition is valid', async () => {
    const protocol = await loadProtocol({ revision });
    for (const { name, type } of protocol.definitions) {
      expect([name, faults(name, exampleOf(protocol, type, name))]).toEqual([name, []]);
    }
  });

  test('of each method is a valid message, complete as it travels', async () => {
    const protocol = await loadProtocol({ revision });
    for (const method of protocol.methods) {
      const message = exampleMessage(protocol, method);
      expect([method.name, faults(method.message, message)]).toEqual([method.name, []]);
      expect(message['method']).toBe(method.name);
      expect('jsonrpc' in message).toBe(method.direction !== 'embedded');
      expect('id' in message).toBe(method.direction !== 'embedded' && method.kind === 'request');
    }
  });
});
