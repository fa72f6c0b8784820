import type { Rule, TypeNode } from '../protocol.js';

/** A type whose direct parts are replaced: items, members, variants, and the types of rules. */
export function mapTypes(type: TypeNode, replace: (inner: TypeNode) => TypeNode): TypeNode {
  const replaceIn = <T extends { readonly type: TypeNode }>(owner: T): T => ({ ...owner, type: replace(owner.type) });
  switch (type.kind) {
    case 'array':
      return {
        ...type,
        ...(type.prefix === undefined ? {} : { prefix: type.prefix.map(replace) }),
        items: replace(type.items),
      };
    case 'object':
      return {
        ...type,
        members: type.members.map(replaceIn),
        ...(type.patterns === undefined ? {} : { patterns: type.patterns.map(replaceIn) }),
        ...(type.rest === undefined ? {} : { rest: replace(type.rest) }),
      };
    case 'union':
      return { ...type, variants: type.variants.map(replace) };
    case 'intersection':
      return { ...type, parts: type.parts.map(replace) };
    case 'refined':
      return { ...type, type: replace(type.type), rules: type.rules.map((rule) => mapRule(rule, replace)) };
    default:
      return type;
  }
}

/** A rule whose types are replaced, except those that decide what is evaluated. */
function mapRule(rule: Rule, replace: (inner: TypeNode) => TypeNode): Rule {
  if (rule.rule === 'if') return { ...rule, if: replace(rule.if), then: replace(rule.then), else: replace(rule.else) };
  return { ...rule, type: replace(rule.type) };
}
