import type { Rule, TypeNode } from '../protocol.js';

/** The keyword of a schema that a rule comes from. */
export function keywordOf(rule: Rule): string {
  switch (rule.rule) {
    case 'also':
      return 'allOf';
    case 'names':
      return 'propertyNames';
    case 'dependent':
      return isRequirement(rule.type) ? 'dependentRequired' : 'dependentSchemas';
    case 'unevaluatedMembers':
      return 'unevaluatedProperties';
    default:
      return rule.rule;
  }
}

/** Whether a type only requires members. */
function isRequirement(type: TypeNode): boolean {
  return type.kind === 'object' && type.members.every(({ required, type: { kind } }) => required && kind === 'unknown');
}
