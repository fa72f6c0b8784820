/** Known findings, in a file that a project keeps. */
import { McpgenError } from '../errors.js';
import { compareText, isObject, ownMember, parseUntrustedJson, type JsonValue } from '../read/json/json.js';
import type { CheckFinding, CheckReport } from './report.js';

/** A finding that is known. */
export interface KnownFinding {
  readonly rule: string;
  readonly subject: string;
  /** Why it is accepted, for readers. */
  readonly reason?: string | undefined;
}

/**
 * Reads a baseline.
 *
 * @throws {@link McpgenError} if it is not one.
 */
export function parseBaseline(text: string, place: string): readonly KnownFinding[] {
  const value = parseUntrustedJson(text, place);
  const list = isObject(value) ? ownMember(value, 'findings') : undefined;
  if (!Array.isArray(list)) {
    throw new McpgenError('not a baseline of check-server', { place, remedy: 'Write it with --update-baseline.' });
  }
  return (list as readonly JsonValue[]).map((item, index) => {
    const [rule, subject, reason] = ['rule', 'subject', 'reason'].map((key) =>
      isObject(item) ? ownMember(item, key) : undefined,
    );
    if (typeof rule !== 'string' || typeof subject !== 'string') {
      throw new McpgenError('a finding needs the strings "rule" and "subject"', {
        place: `${place}#/findings/${index}`,
        remedy: 'Write it with --update-baseline.',
      });
    }
    return { rule, subject, ...(typeof reason === 'string' ? { reason } : {}) };
  });
}

/** A report in which the findings of a baseline are known. */
export function applyBaseline(report: CheckReport, known: readonly KnownFinding[]): CheckReport {
  const keys = new Set(known.map(findingKey));
  const found = new Set(report.findings.map(findingKey));
  return {
    ...report,
    findings: report.findings.map((finding) => ({ ...finding, isKnown: keys.has(findingKey(finding)) })),
    fixed: known.filter((item) => !found.has(findingKey(item))).map(({ rule, subject }) => `${rule} ${subject}`),
  };
}

/** The text of a baseline with all findings of a report. Reasons are kept. */
export function formatBaseline(
  findings: readonly Pick<CheckFinding, 'rule' | 'subject'>[],
  before: readonly KnownFinding[],
): string {
  const reasons = new Map(before.map((item) => [findingKey(item), item.reason]));
  const list = findings
    .map(({ rule, subject }) => ({ rule, subject, reason: reasons.get(findingKey({ rule, subject })) }))
    .sort((a, b) => compareText(findingKey(a), findingKey(b)));
  return `${JSON.stringify({ findings: list }, undefined, 2)}\n`;
}

function findingKey({ rule, subject }: Pick<KnownFinding, 'rule' | 'subject'>): string {
  return JSON.stringify([rule, subject]);
}
