import type { Severity } from '../../inspect/rule.js';

/** From which severity on a finding fails the command. */
export type FailOn = Severity | 'never';

/** The choices of `--fail-on`. */
export const FAIL_ON = ['violation', 'deviation', 'advice', 'never'] as const satisfies readonly FailOn[];
