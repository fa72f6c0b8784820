/**
 * Keeps types from becoming narrower than their schemas where a part of a schema could not be read.
 */
import type { Definition, Evaluation, Rule, TypeNode } from '../protocol.js';
import { refsIn, typesInRule } from '../types/references.js';

/**
 * Removes what would reject valid values because a type allows more than its schema: such a type may not be excluded,
 * be a condition, or be one of which exactly one has to match.
 *
 * @param widened - Types that allow more than their schemas.
 */
export function relaxWidened(
  definitions: readonly Definition[],
  widened: { has(type: TypeNode): boolean },
): readonly Definition[] {
  const wideNames = findWideDefinitions(definitions, widened);
  const isWide = (type: TypeNode): boolean => isWideInside(type, widened, wideNames);
  return definitions.map((definition) => ({ ...definition, type: relaxType(definition.type, isWide) }));
}

function findWideDefinitions(
  definitions: readonly Definition[],
  widened: { has(type: TypeNode): boolean },
): ReadonlySet<string> {
  const refs = new Map(definitions.map(({ name, type }) => [name, refsIn(type)]));
  const wide = new Set(definitions.filter(({ type }) => widened.has(type)).map(({ name }) => name));
  for (let before = -1; before < wide.size;) {
    before = wide.size;
    for (const [name, targets] of refs) if (targets.some((target) => wide.has(target))) wide.add(name);
  }
  return wide;
}

function isWideInside(
  type: TypeNode,
  widened: { has(type: TypeNode): boolean },
  wideNames: ReadonlySet<string>,
): boolean {
  // A part that could not be read marks all types around it.
  return widened.has(type) || refsIn(type).some((name) => wideNames.has(name));
}

function relaxType(type: TypeNode, isWide: (type: TypeNode) => boolean): TypeNode {
  const inside = (inner: TypeNode): TypeNode => relaxType(inner, isWide);
  switch (type.kind) {
    case 'array':
      return {
        ...type,
        ...(type.prefix === undefined ? {} : { prefix: type.prefix.map(inside) }),
        items: inside(type.items),
      };
    case 'object':
      return {
        ...type,
        members: type.members.map((member) => ({ ...member, type: inside(member.type) })),
        ...(type.patterns === undefined
          ? {}
          : { patterns: type.patterns.map((member) => ({ ...member, type: inside(member.type) })) }),
        ...(type.rest === undefined ? {} : { rest: inside(type.rest) }),
      };
    case 'union':
      return {
        ...type,
        exclusive: type.exclusive && !type.variants.some(isWide),
        variants: type.variants.map(inside),
      };
    case 'intersection':
      return { ...type, parts: type.parts.map(inside) };
    case 'refined': {
      const rules = type.rules.flatMap((rule) => relaxRule(rule, isWide));
      const inner = inside(type.type);
      return rules.length === 0 ? inner : { ...type, type: inner, rules };
    }
    default:
      return type;
  }
}

function relaxRule(rule: Rule, isWide: (type: TypeNode) => boolean): readonly Rule[] {
  const inside = (inner: TypeNode): TypeNode => relaxType(inner, isWide);
  switch (rule.rule) {
    case 'not':
      return isWide(rule.type) ? [] : [{ ...rule, type: inside(rule.type) }];
    case 'if':
      if (isWide(rule.if)) return [];
      return [{ ...rule, if: inside(rule.if), then: inside(rule.then), else: inside(rule.else) }];
    case 'contains': {
      const { max: _max, ...least } = rule;
      return [{ ...(isWide(rule.type) ? least : rule), type: inside(rule.type) }];
    }
    case 'unevaluatedMembers':
    case 'unevaluatedItems':
      return isWideCondition(rule.evaluated, isWide) ? [] : [{ ...rule, type: inside(rule.type) }];
    default:
      return typesInRule(rule).length === 0 ? [rule] : [{ ...rule, type: inside(rule.type) }];
  }
}

/** Whether what is evaluated depends on a type that a value may wrongly have. */
function isWideCondition({ branches }: Evaluation, isWide: (type: TypeNode) => boolean): boolean {
  return branches.some(
    (branch) =>
      (branch.else !== undefined && isWide(branch.type)) ||
      isWideCondition(branch.then, isWide) ||
      (branch.else !== undefined && isWideCondition(branch.else, isWide)),
  );
}
