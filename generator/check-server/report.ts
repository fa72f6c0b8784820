/** What `check-server` found, as data. Reports in other forms are printed from it. */
import { SEVERITIES } from '../inspect/rule.js';
import type { RuleId, Severity } from '../inspect/rules.js';

/** What was sent and received. */
export interface Evidence {
  readonly sent: readonly string[];
  readonly received: readonly string[];
}

/** A rule that the server breaks. The same fault in several revisions is one finding. */
export interface CheckFinding {
  readonly rule: RuleId;
  readonly severity: Severity;
  /** What it is about, such as a method or the name of a tool; identifies the finding together with the rule. */
  readonly subject: string;
  /** What is wrong, in one line; may contain text of the server. */
  readonly message: string;
  /** The revisions in which it was found; empty if it does not depend on one. */
  readonly revisions: readonly string[];
  /** JSON pointer into the frame received. */
  readonly pointer?: string | undefined;
  readonly evidence: Evidence;
  /** A line for a shell that shows it again; undefined if a single line cannot. */
  readonly again?: string | undefined;
  /** Whether the baseline has it. */
  readonly isKnown: boolean;
}

/** A probe that ran. */
export interface ProbeOutcome {
  readonly id: string;
  readonly title: string;
  readonly revision: string | undefined;
  /** `failed`: the server did not let it finish; a finding says why. */
  readonly status: 'passed' | 'found' | 'skipped' | 'failed';
  /** Why it was skipped or failed. */
  readonly note?: string | undefined;
  readonly milliseconds: number;
}

/** The whole report. */
export interface CheckReport {
  readonly server: {
    /** The command or the URL, without credentials. */
    readonly target: string;
    readonly name: string | undefined;
    readonly version: string | undefined;
  };
  readonly transport: 'stdio' | 'http';
  /** The revisions that the server speaks, oldest first. */
  readonly revisions: readonly string[];
  readonly tools: number;
  readonly probes: readonly ProbeOutcome[];
  /** The worst first. */
  readonly findings: readonly CheckFinding[];
  /** Findings of the baseline that were not found, each as `rule subject`. */
  readonly fixed: readonly string[];
}

/** Whether the report has a new finding that is at least as bad. */
export function hasFailure({ findings }: CheckReport, failOn: Severity | 'never'): boolean {
  if (failOn === 'never') return false;
  const limit = SEVERITIES.indexOf(failOn);
  return findings.some(({ severity, isKnown }) => !isKnown && SEVERITIES.indexOf(severity) <= limit);
}

/** How many findings are new, by severity. */
export function countFindings({ findings }: CheckReport): Readonly<Record<Severity | 'known', number>> {
  const counts = { violation: 0, deviation: 0, advice: 0, known: 0 };
  for (const { severity, isKnown } of findings) counts[isKnown ? 'known' : severity] += 1;
  return counts;
}

/** The counts in words: `2 violations, 1 deviation`. */
export function summaryText(report: CheckReport): string {
  const counts = countFindings(report);
  const parts = [
    plural(counts.violation, 'violation'),
    plural(counts.deviation, 'deviation'),
    ...(counts.advice === 0 ? [] : [`${counts.advice} advice`]),
    ...(counts.known === 0 ? [] : [`${counts.known} known`]),
  ];
  return parts.join(', ');
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
