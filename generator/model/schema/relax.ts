/**
 * Keeps types from becoming narrower than their schemas where a part of a schema could not be read.
 */
import type { Definition, Evaluation, Rule, TypeNode } from '../protocol.js';
import { mapTypes } from '../types/map-types.js';
import { refsIn } from '../types/references.js';

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
  if (wideNames.size === 0) return definitions;
  // A part that could not be read marks all types around it.
  const isWide = (type: TypeNode): boolean => widened.has(type) || refsIn(type).some((name) => wideNames.has(name));
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

function relaxType(type: TypeNode, isWide: (type: TypeNode) => boolean): TypeNode {
  const inside = (inner: TypeNode): TypeNode => relaxType(inner, isWide);
  if (type.kind === 'union' && type.exclusive && type.variants.some(isWide))
    return mapTypes({ ...type, exclusive: false }, inside);
  if (type.kind !== 'refined') return mapTypes(type, inside);
  const rules = type.rules.flatMap((rule) => relaxRule(rule, isWide));
  return rules.length === 0 ? inside(type.type) : mapTypes({ ...type, rules }, inside);
}

/** A rule without what would reject valid values; nothing if that is the whole rule. */
function relaxRule(rule: Rule, isWide: (type: TypeNode) => boolean): readonly Rule[] {
  switch (rule.rule) {
    case 'not':
      return isWide(rule.type) ? [] : [rule];
    case 'if':
      return isWide(rule.if) ? [] : [rule];
    case 'contains': {
      const { max: _max, ...least } = rule;
      return [isWide(rule.type) ? least : rule];
    }
    case 'unevaluatedMembers':
    case 'unevaluatedItems':
      return isWideCondition(rule.evaluated, isWide) ? [] : [rule];
    default:
      return [rule];
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
