import { optionFlag } from '../../command-line.js';
import { McpgenError } from '../../errors.js';
import { isRuleId, RULES, type RuleId } from '../../inspect/rules.js';
import { closestMatch } from '../../text.js';
import { stringsOption, type RawOptions } from './options.js';

/**
 * The rules that a repeatable option names; undefined without it.
 *
 * @throws {@link McpgenError} if one does not exist.
 */
export function rulesOption(raw: RawOptions, name: string): readonly RuleId[] | undefined {
  return stringsOption(raw, name)?.map((rule) => {
    if (isRuleId(rule)) return rule;
    const match = closestMatch(rule, Object.keys(RULES));
    throw new McpgenError(`there is no rule ${JSON.stringify(rule)}`, {
      place: optionFlag(name),
      remedy: match === undefined ? 'mcpgen inspect --rules lists them.' : `Did you mean ${match}?`,
    });
  });
}
