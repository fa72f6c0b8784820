import type { ObjectNode, TypeNode } from '../model/protocol.js';
import { mergeMembers } from '../model/types/merge-members.js';
import { followReferences } from '../model/types/references.js';
import { shapeKey } from '../model/types/shape-key.js';
import { compareText } from '../read/json/json.js';
import { scalarKind, literalValues, scalarEntry, type ScalarKind, type ScalarSets, type Tags } from './shape.js';

/** A type of the protocol that is neither union nor reference, with the definition through which it was reached. */
export interface OurVariant<Node extends TypeNode = TypeNode> {
  readonly node: Node;
  readonly name: string | undefined;
}

type ArrayNode = Extract<TypeNode, { kind: 'array' }>;

/** What a type of the protocol allows, with unions, references and intersections resolved. */
export interface OurShape {
  readonly isUnknown: boolean;
  readonly scalars: ScalarSets;
  readonly arrays: readonly OurVariant<ArrayNode>[];
  readonly objects: readonly OurVariant<ObjectNode>[];
}

/** Definitions of a protocol by name. */
export type Definitions = ReadonlyMap<string, TypeNode>;

/** Computes what a type of the protocol allows. */
export function ourShape(node: TypeNode, definitions: Definitions): OurShape {
  const scalars: ScalarSets = new Map();
  const arrays: OurVariant<ArrayNode>[] = [];
  const objects: OurVariant<ObjectNode>[] = [];
  let isUnknown = false;
  const all = (kind: ScalarKind): void => {
    scalarEntry(scalars, kind).all = true;
  };
  const visit = (type: TypeNode, name: string | undefined, seen: readonly string[]): void => {
    switch (type.kind) {
      case 'unknown':
        isUnknown = true;
        return;
      case 'never':
        return;
      case 'string':
      case 'number':
      case 'boolean':
      case 'null':
        all(type.kind);
        return;
      case 'integer':
        all('number');
        return;
      case 'literal':
        scalarEntry(scalars, scalarKind(type.value)).values.add(type.value);
        return;
      case 'array':
        arrays.push({ node: type, name });
        return;
      case 'object':
        // Two structurally equal definitions are one variant of a union.
        if (!objects.some(({ node: other }) => isSameShape(other, type))) objects.push({ node: type, name });
        return;
      case 'union':
        for (const variant of type.variants) visit(variant, undefined, seen);
        return;
      case 'intersection':
        visit(mergeParts(type.parts, definitions), name, seen);
        return;
      case 'ref':
        if (!seen.includes(type.name)) visit(definitionType(type.name, definitions), type.name, [...seen, type.name]);
    }
  };
  visit(node, undefined, []);
  return { isUnknown, scalars, arrays, objects };
}

/** The part of a type that decides which values TypeScript accepts. */
const VALUES_ONLY = { ignoreDefaults: true, ignoreConstraints: true };

function isSameShape(a: ObjectNode, b: ObjectNode): boolean {
  return a.members.length === b.members.length && shapeKey(a, VALUES_ONLY) === shapeKey(b, VALUES_ONLY);
}

/** The required members of an object type that have an enumerated type. */
export function ourTags(node: ObjectNode, definitions: Definitions): Tags {
  const tags = new Map<string, NonNullable<ReturnType<typeof literalValues>>>();
  for (const member of node.members.filter(({ required }) => required)) {
    const shape = ourShape(member.type, definitions);
    if (shape.isUnknown || shape.arrays.length + shape.objects.length > 0) continue;
    const values = literalValues(shape.scalars);
    if (values !== undefined) tags.set(member.name, values);
  }
  return tags;
}

/** Whether a type allows any JSON value. */
export function isAnyJson({ scalars, arrays, objects }: OurShape): boolean {
  const kinds: readonly ScalarKind[] = ['string', 'number', 'boolean', 'null'];
  return (
    kinds.every((kind) => scalars.get(kind)?.all === true) &&
    arrays.length > 0 &&
    objects.some(({ node }) => node.members.length === 0 && (node.rest !== undefined || node.shape === 'opaque'))
  );
}

function definitionType(name: string, definitions: Definitions): TypeNode {
  return definitions.get(name) ?? { kind: 'unknown' };
}

function resolveReference(node: TypeNode, definitions: Definitions): TypeNode {
  const target = followReferences(node, (name) => definitions.get(name)) ?? { kind: 'unknown' };
  return target.kind === 'intersection' ? mergeParts(target.parts, definitions) : target;
}

/** Merges the parts of an intersection into one type. */
function mergeParts(parts: readonly TypeNode[], definitions: Definitions): TypeNode {
  const flat = parts.map((part) => resolveReference(part, definitions));
  const objects = flat.filter((part): part is ObjectNode => part.kind === 'object');
  if (objects.length < flat.length) {
    // The narrowest of the scalars; `unknown` does not narrow.
    const rank = ({ kind }: TypeNode): number => (kind === 'literal' ? 0 : kind === 'unknown' ? 2 : 1);
    return [...flat].sort((a, b) => rank(a) - rank(b))[0] ?? { kind: 'unknown' };
  }
  const members = mergeMembers(objects);
  const rest = objects.find((part) => part.rest !== undefined)?.rest;
  const shape = members.length > 0 ? 'members' : (objects[0]?.shape ?? 'empty');
  return {
    kind: 'object',
    members: [...members].sort((a, b) => compareText(a.name, b.name)),
    shape,
    constraints: {},
    ...(rest === undefined ? {} : { rest }),
  };
}
