/** Known findings, in a file that a project keeps. */
import { McpgenError } from '../errors.js';
import { compareText, isObject, ownMember, parseUntrustedJson, type JsonValue } from '../read/json/json.js';

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
 * @param command - The command whose findings it has, for errors.
 * @throws {@link McpgenError} if it is not one.
 */
export function parseBaseline(text: string, place: string, command = 'check-server'): readonly KnownFinding[] {
  const value = parseUntrustedJson(text, place);
  const list = isObject(value) ? ownMember(value, 'findings') : undefined;
  if (!Array.isArray(list)) {
    throw new McpgenError(`not a baseline of ${command}`, { place, remedy: 'Write it with --update-baseline.' });
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

/** What a baseline identifies a finding by. */
interface Identified {
  readonly rule: string;
  readonly subject: string;
}

/** A report in which the findings of a baseline are known. */
export function applyBaseline<Finding extends Identified, Report extends { readonly findings: readonly Finding[] }>(
  report: Report & { readonly findings: readonly Finding[] },
  known: readonly KnownFinding[],
): Report & {
  readonly findings: readonly (Finding & { readonly isKnown: boolean })[];
  readonly fixed: readonly string[];
} {
  const keys = new Set(known.map(findingKey));
  const found = new Set(report.findings.map(findingKey));
  return {
    ...report,
    findings: report.findings.map((finding) => ({ ...finding, isKnown: keys.has(findingKey(finding)) })),
    fixed: known.filter((item) => !found.has(findingKey(item))).map(({ rule, subject }) => `${rule} ${subject}`),
  };
}

/** The text of a baseline with all findings of a report. Reasons are kept. */
export function formatBaseline(findings: readonly Identified[], before: readonly KnownFinding[]): string {
  const reasons = new Map(before.map((item) => [findingKey(item), item.reason]));
  const list = findings
    .map(({ rule, subject }) => ({ rule, subject, reason: reasons.get(findingKey({ rule, subject })) }))
    .sort((a, b) => compareText(findingKey(a), findingKey(b)));
  return `${JSON.stringify({ findings: list }, undefined, 2)}\n`;
}

function findingKey({ rule, subject }: Identified): string {
  return JSON.stringify([rule, subject]);
}
