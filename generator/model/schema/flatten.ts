/**
 * Object types that are written as combinations of others.
 */
import type { Definition, Member, ObjectNode, TypeNode } from '../protocol.js';
import { jsonKinds } from '../types/discriminate.js';
import { typeLookup, type TypeLookup } from '../types/references.js';
import { shapeKey } from '../types/shape-key.js';
import { makeIntersection } from './reader.js';

/**
 * Writes messages that combine an envelope and their own members as one object, as the official schemas do: who reads
 * `params` finds those of the method only.
 */
export function flattenMessages(definitions: readonly Definition[]): readonly Definition[] {
  const lookup = typeLookup({ definitions });
  return definitions.map((definition) => {
    const { type } = definition;
    if (type.kind !== 'intersection' || !type.parts.some(hasMethod)) return definition;
    const objects = type.parts.map((part) => objectOf(part, lookup));
    const whole = objects.every((part) => part !== undefined) ? mergeObjects(objects, lookup) : undefined;
    return whole === undefined ? definition : { ...definition, type: whole };
  });
}

/**
 * Merges the parts of a type that only add members: objects, and references to objects that allow any other member,
 * such as `Result`. Types with members of any name would hide the names of the others.
 */
export function flattenOpenParts(definition: Definition, lookup: TypeLookup): Definition {
  const { type } = definition;
  if (type.kind !== 'intersection') return definition;
  const isMerged = (part: TypeNode): boolean => {
    const object = objectOf(part, lookup);
    return part.kind === 'object' || object?.rest?.kind === 'unknown';
  };
  const merged = mergeObjects(
    type.parts.filter(isMerged).flatMap((part) => objectOf(part, lookup) ?? []),
    lookup,
  );
  if (merged === undefined) return definition;
  const others = type.parts.filter((part) => !isMerged(part));
  const isEmpty = merged.members.length === 0 && others.length > 0;
  return { ...definition, type: makeIntersection(isEmpty ? others : [merged, ...others]) };
}

function hasMethod(part: TypeNode): boolean {
  return part.kind === 'object' && part.members.some(({ name, type }) => name === 'method' && type.kind === 'literal');
}

function objectOf(part: TypeNode, lookup: TypeLookup): ObjectNode | undefined {
  const type = part.kind === 'ref' ? lookup(part.name) : part;
  return type?.kind === 'object' ? type : undefined;
}

/** One object with the members of several; undefined if they limit other members or their number. */
function mergeObjects(objects: readonly ObjectNode[], lookup: TypeLookup): ObjectNode | undefined {
  const isPlain = (object: ObjectNode): boolean =>
    object.patterns === undefined && isAnyRest(object) && isUnlimited(object.constraints);
  if (objects.length === 0 || !objects.every(isPlain)) return undefined;
  const members = new Map<string, Member>();
  for (const member of objects.flatMap((object) => object.members)) {
    const earlier = members.get(member.name);
    members.set(member.name, earlier === undefined ? member : mergeMember(earlier, member, lookup));
  }
  const isOpen = objects.every(({ rest }) => rest !== undefined);
  return {
    kind: 'object',
    members: [...members.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    ...(isOpen ? { rest: { kind: 'unknown' } } : {}),
    shape: members.size > 0 ? 'members' : 'map',
    constraints: {},
  };
}

function mergeMember(earlier: Member, later: Member, lookup: TypeLookup): Member {
  return {
    ...earlier,
    ...later,
    required: earlier.required || later.required,
    type: intersect(earlier.type, later.type, lookup),
  };
}

/** The values of two types, as short as it can be. */
function intersect(a: TypeNode, b: TypeNode, lookup: TypeLookup): TypeNode {
  if (shapeKey(a) === shapeKey(b) || isWider(a, b, lookup)) return b;
  return isWider(b, a, lookup) ? a : makeIntersection([a, b]);
}

/** Whether a type obviously has all values of another one. */
function isWider(a: TypeNode, b: TypeNode, lookup: TypeLookup): boolean {
  if (a.kind === 'string') return b.kind === 'literal' && typeof b.value === 'string' && isUnlimited(a.constraints);
  if (a.kind !== 'object' || a.members.length > 0 || a.patterns !== undefined) return false;
  const kinds = jsonKinds(b, lookup);
  return isAnyRest(a) && isUnlimited(a.constraints) && kinds?.size === 1 && kinds.has('object');
}

function isAnyRest({ rest }: ObjectNode): boolean {
  return rest === undefined || rest.kind === 'unknown';
}

function isUnlimited(constraints: object): boolean {
  return Object.keys(constraints).length === 0;
}
