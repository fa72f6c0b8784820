/**
 * What is said about regular expressions that may take long.
 */
import type { PatternCheck, PatternRisk } from '../../read/patterns.js';
import { regularExpressionFlags } from './keywords.js';
import { showValue } from './reader.js';

/** Most steps of a match that counts as short; they take about a tenth of a second. */
const MAX_STEPS = 10_000_000;

/** Longest part of an attack string in a message. */
const MAX_SHOWN_ATTACK = 40;

/**
 * The risk of a valid regular expression. A limit of the length, which validators check first, is a remedy for
 * polynomial time.
 */
export function riskOf(check: PatternCheck, pattern: string, maxLength?: number): PatternRisk | undefined {
  const risk = check(pattern, regularExpressionFlags(pattern) ?? '');
  if (risk?.kind === 'polynomial' && maxLength !== undefined && maxLength ** risk.degree <= MAX_STEPS) return undefined;
  return risk;
}

/** A risk, as a part of a warning. */
export function describeRisk(pattern: string, risk: PatternRisk): string {
  const subject = `the regular expression ${showValue(pattern, 60)}`;
  if (risk.kind === 'unknown') return `the running time of ${subject} could not be determined`;
  const { attack } = risk;
  const shown =
    attack.length <= MAX_SHOWN_ATTACK
      ? JSON.stringify(attack)
      : `${JSON.stringify(attack.slice(0, MAX_SHOWN_ATTACK - 10))}...${JSON.stringify(attack.slice(-10))} (${attack.length} characters)`;
  const time = risk.kind === 'exponential' ? 'exponential time' : `time that grows with n^${risk.degree}`;
  return `${subject} takes ${time} for strings such as ${shown}, which blocks the process`;
}

/** How the author of a pattern fixes it. */
export function remedyOf(risk: PatternRisk): string {
  const rewrite = 'Rewrite it so that no two repeats can match the same characters';
  return risk.kind === 'polynomial'
    ? `${rewrite}, anchor it with ^, or limit the length with "maxLength".`
    : `${rewrite}, as in ^[a-z]+(-[a-z]+)*$ in place of ^([a-z-]+)+$.`;
}
