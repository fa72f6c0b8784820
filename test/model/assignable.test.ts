import { expect, test } from 'vitest';
import { Assignability } from '../../generator/model/types/assignable.js';
import type { TypeNode } from '../../generator/model/protocol.js';

const text: TypeNode = { kind: 'string', constraints: {} };
const object = (required: boolean): TypeNode => ({
  kind: 'object',
  members: [{ name: 'a', required, type: text }],
  shape: 'members',
  constraints: {},
});

test('a member that may be left out is not one that must be there', () => {
  const holds = (a: TypeNode, b: TypeNode): boolean => new Assignability(new Map(), new Map()).holds(a, b);
  expect([holds(object(true), object(false)), holds(object(false), object(true))]).toEqual([true, false]);
});

test('an intersection is assignable to a union that is one of its parts', () => {
  const none: TypeNode = { kind: 'null', constraints: {} };
  const union: TypeNode = { kind: 'union', exclusive: false, variants: [object(true), none] };
  const types = new Map([['AOrNull', union]]);
  const both: TypeNode = { kind: 'intersection', parts: [object(false), { kind: 'ref', name: 'AOrNull' }] };
  const assignability = new Assignability(types, types);
  expect([assignability.holds(both, both), assignability.holds(object(false), both)]).toEqual([true, false]);
});

test('an object in an intersection has the members of the other parts', () => {
  const member = (name: string, type: TypeNode): TypeNode => ({
    kind: 'object',
    members: [{ name, required: true, type }],
    shape: 'members',
    constraints: {},
  });
  const both: TypeNode = { kind: 'intersection', parts: [member('a', text), object(false), member('b', text)] };
  const x: TypeNode = {
    kind: 'object',
    members: [{ name: 'a', required: false, type: { kind: 'literal', value: 'x' } }],
    shape: 'members',
    constraints: {},
  };
  const holds = (b: TypeNode): boolean => new Assignability(new Map(), new Map()).holds(both, b);
  expect([holds(member('b', text)), holds(x)]).toEqual([true, false]);
});
