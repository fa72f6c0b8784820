/** Findings of `inspect` and `check-server` in the form that reports are printed from. */
import type { Severity } from '../../inspect/rule.js';
import { isRuleId, ruleOf, sectionUrl } from '../../inspect/rules.js';

/** A finding to print. */
export interface PrintedFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly place: FindingPlace;
  /** The revisions in which it was found. */
  readonly revisions?: readonly string[];
  readonly evidence?: { readonly sent: readonly string[]; readonly received: readonly string[] } | undefined;
  /** A line for a shell that shows it again. */
  readonly again?: string | undefined;
  /** Whether it is known, and so does not count. */
  readonly isKnown?: boolean;
  /** What makes it the same finding in another run; the rule and the message by default. */
  readonly fingerprint?: string | undefined;
}

/** Where a finding is. */
export interface FindingPlace {
  /** A file, such as a recording. */
  readonly file?: string | undefined;
  /** The line in the file, from 1. */
  readonly line?: number | undefined;
  /** Number of the entry in its conversation, from 1. */
  readonly frame?: number | undefined;
  /** What it is about, such as a method. */
  readonly subject?: string | undefined;
}

/** The rule of a finding, as reports describe it. */
export interface PrintedRule {
  readonly title: string;
  readonly help: string;
  /** The address of its section in the specification. */
  readonly url?: string | undefined;
}

/** Severities, the worst first, with their headings. */
export const SEVERITY_HEADINGS = [
  ['violation', 'Violations'],
  ['deviation', 'Deviations'],
  ['advice', 'Advice'],
] as const satisfies readonly (readonly [Severity, string])[];

/**
 * A rule as reports describe it.
 *
 * @throws RangeError if it does not exist.
 */
export function printedRule(id: string): PrintedRule {
  if (!isRuleId(id)) throw new RangeError(`no rule ${id}`);
  const { title, help } = ruleOf(id);
  return { title, help, url: sectionUrl(id) };
}
