import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { loadProtocol } from '../../generator/index.js';
import { exampleMessage, exampleOf } from '../../generator/model/types/example.js';
import { builtinErrata, builtinSchema } from '../../generator/read/builtin/revisions.js';
import { applyErrata } from '../../generator/read/errata.js';
import type { Member, TypeNode } from '../../generator/model/protocol.js';
import type { JsonObject, JsonValue } from '../../generator/read/json/json.js';
import { REVISIONS } from '../support/revisions.js';

describe.each(REVISIONS)('examples of $revision', ({ revision }) => {
  const raw = builtinSchema(revision)['$defs'] as JsonObject;
  const { definitions: $defs } = applyErrata(raw, revision, builtinErrata(), revision);
  const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } });
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

  test('of each method is a valid message', async () => {
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

describe('examples of schemas that ask for much', () => {
  const text = { kind: 'string', constraints: {} } as const;
  const required = (name: string, type: TypeNode): Member => ({ name, required: true, type });
  const object = (...members: Member[]): TypeNode => ({ kind: 'object', members, shape: 'members', constraints: {} });
  const ref: TypeNode = { kind: 'ref', name: 'Node' };
  const exampleWith = (type: TypeNode): JsonValue | undefined =>
    exampleOf({ definitions: [{ name: 'Node', type }] }, ref);
  const list = (minItems: number): TypeNode => ({ kind: 'array', items: ref, constraints: { minItems } });

  test('a value that would contain itself endlessly does not exist', () => {
    expect(exampleWith(object(required('next', ref)))).toBeUndefined();
    expect(exampleWith(object(required('next', list(1))))).toBeUndefined();
    expect(exampleWith(object(required('next', list(0))))).toEqual({ next: [] });
  });

  test('a union takes the first variant that has an end', () => {
    const both = object(required('left', ref), required('right', ref));
    expect(exampleWith({ kind: 'union', exclusive: false, variants: [both, text] })).toBe('some Node');
    expect(exampleWith({ kind: 'union', exclusive: false, variants: [both, { kind: 'never' }] })).toBeUndefined();
  });

  test('as many items or characters as nobody would look at are not made', () => {
    expect(exampleWith({ kind: 'array', items: text, constraints: { minItems: 1e9 } })).toBeUndefined();
    expect(exampleWith({ ...text, constraints: { minLength: 60 } })).toHaveLength(60);
    expect(exampleWith({ ...text, constraints: { maxLength: 2 } })).toHaveLength(2);
    expect(exampleWith({ ...text, constraints: { minLength: 1e9 } })).toBeUndefined();
    const wide = { kind: 'array', items: { ...text, constraints: { minLength: 5000 } }, constraints: { minItems: 5 } };
    expect(exampleWith(wide as TypeNode)).toBeUndefined();
  });

  test('nor what doubles from definition to definition', () => {
    const definitions = Array.from({ length: 40 }, (_, index) => ({
      name: `D${index}`,
      type: index === 39 ? text : object(required('a', next(index)), required('b', next(index))),
    }));
    expect(exampleOf({ definitions }, { kind: 'ref', name: 'D0' })).toBeUndefined();
    expect(exampleOf({ definitions }, { kind: 'ref', name: 'D36' })).toBeDefined();
  });

  function next(index: number): TypeNode {
    return { kind: 'ref', name: `D${index + 1}` };
  }
});
