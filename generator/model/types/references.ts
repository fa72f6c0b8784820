/**
 * Following references to definitions.
 */
import type { Definitions, Evaluation, Rule, TypeNode } from '../protocol.js';

/** Types of definitions by name. */
export type TypeLookup = (name: string) => TypeNode | undefined;

/** A type that is not a reference, without its rules. */
export type ResolvedType = Exclude<TypeNode, { kind: 'ref' | 'refined' }>;

/** A lookup of definitions. */
export function typeLookup(protocol: Definitions): TypeLookup {
  const types = new Map(protocol.definitions.map((definition) => [definition.name, definition.type]));
  return (name) => types.get(name);
}

/**
 * A type, with references to definitions followed, and without rules that TypeScript cannot express; undefined if a
 * definition is missing. It terminates, since the
 * parser rejects definitions that are only references to each other.
 */
export function followReferences(type: TypeNode | undefined, lookup: TypeLookup): ResolvedType | undefined {
  let current = type;
  while (current?.kind === 'ref' || current?.kind === 'refined')
    current = current.kind === 'ref' ? lookup(current.name) : current.type;
  return current;
}

/** Names of the definitions that a type refers to, at any depth. */
export function refsIn(type: TypeNode): readonly string[] {
  switch (type.kind) {
    case 'ref':
      return [type.name];
    case 'array':
      return [...(type.prefix ?? []), type.items].flatMap(refsIn);
    case 'union':
      return type.variants.flatMap(refsIn);
    case 'intersection':
      return type.parts.flatMap(refsIn);
    case 'object':
      return [...type.members, ...(type.patterns ?? [])]
        .map((member) => member.type)
        .concat(type.rest ?? [])
        .flatMap(refsIn);
    case 'refined':
      return [...refsIn(type.type), ...type.rules.flatMap(typesInRule).flatMap(refsIn)];
    default:
      return [];
  }
}

/** The types that a rule applies to the same value. */
export function inPlaceTypes(rule: Rule): readonly TypeNode[] {
  switch (rule.rule) {
    case 'if':
      return [rule.if, rule.then, rule.else];
    case 'also':
    case 'not':
    case 'dependent':
      return [rule.type];
    case 'unevaluatedMembers':
    case 'unevaluatedItems':
      return branchTypes(rule.evaluated);
    default:
      return [];
  }
}

/** All types in a rule. */
export function typesInRule(rule: Rule): readonly TypeNode[] {
  if (rule.rule === 'contains' || rule.rule === 'names') return [rule.type];
  const inPlace = inPlaceTypes(rule);
  return 'evaluated' in rule ? [rule.type, ...inPlace, ...containedTypes(rule.evaluated)] : inPlace;
}

/** The types that decide what is evaluated. */
export function branchTypes(evaluation: Evaluation): readonly TypeNode[] {
  return evaluation.branches.flatMap((branch) => [
    branch.type,
    ...branchTypes(branch.then),
    ...(branch.else === undefined ? [] : branchTypes(branch.else)),
  ]);
}

function containedTypes(evaluation: Evaluation): readonly TypeNode[] {
  return [
    ...evaluation.contained,
    ...evaluation.branches.flatMap((branch) => [
      ...containedTypes(branch.then),
      ...(branch.else === undefined ? [] : containedTypes(branch.else)),
    ]),
  ];
}
