import type { Side } from '../recording/entry.js';
import type { Finding } from './finding.js';
import { severityOf } from './rules.js';
import type { Report } from './seen.js';

/** What the findings of a message or an entry have in common. */
export interface ReportPosition {
  readonly frame: number;
  readonly from: Side;
  /** JSON pointer to the message in its frame; empty unless it is in a batch. */
  readonly prefix?: string;
}

/**
 * A report that adds to a list of findings.
 *
 * @param revisionAt - The revision that is spoken when something is reported.
 */
export function reportTo(
  findings: Finding[],
  { frame, from, prefix = '' }: ReportPosition,
  revisionAt: () => string | undefined,
): Report {
  return (rule, message, { pointer, related, by = from } = {}) => {
    const revision = revisionAt();
    findings.push({
      rule,
      severity: severityOf(rule, revision),
      message,
      frame,
      by,
      revision,
      ...(pointer === undefined && prefix === '' ? {} : { pointer: prefix + (pointer ?? '') }),
      ...(related === undefined ? {} : { related }),
    });
  };
}
