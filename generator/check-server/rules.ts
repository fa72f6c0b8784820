/** All rules that `check-server` applies: those of any conversation, and those that need a question. */
import { RULES, type Rule } from '../inspect/rules.js';
import { SERVER_RULES } from '../inspect/server-rules.js';

const ALL: Readonly<Record<string, Rule>> = { ...RULES, ...SERVER_RULES };

/** The ids of all rules. */
export const RULE_IDS: readonly string[] = Object.keys(ALL);

/**
 * A rule by its id.
 *
 * @throws RangeError if it does not exist.
 */
export function findRule(id: string): Rule {
  const rule = Object.hasOwn(ALL, id) ? ALL[id] : undefined;
  if (rule === undefined) throw new RangeError(`no rule ${id}`);
  return rule;
}

/** The address of the section of a rule in a revision of the specification. */
export function ruleUrl(id: string, revision = '2025-11-25'): string {
  const { section, stateless = section } = findRule(id);
  return `https://modelcontextprotocol.io/specification/${revision}/${revision >= '2026-07-28' ? stateless : section}`;
}
