import { regularExpressionFlags } from '../../generator/model/schema/keywords.js';
import { parseTool, type ToolModel } from '../../generator/model/tools.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import type { JsonValue } from '../../generator/read/json/json.js';
import { createPatternCheck, type PatternRisk } from '../../generator/read/patterns.js';

// The limit is for one run, not for all tests of this file.
export const checkPattern = createPatternCheck(Number.POSITIVE_INFINITY);
export const riskOf = (pattern: string): PatternRisk | undefined =>
  checkPattern(pattern, regularExpressionFlags(pattern) ?? '');

/** The model of a tool with a schema. */
export function tool(input: JsonValue, { isOwn = false, check = checkPattern } = {}): ToolModel {
  const source = { name: 'x', input, places: { input: 'x.json', output: '' }, isOwn };
  return parseTool(source, NO_DOCS, { checkPattern: check });
}
