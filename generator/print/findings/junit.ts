/** Findings as JUnit XML, which most CI systems show. */
import { escapeHiddenCharacters } from '../../text.js';
import type { PrintedFinding } from './finding.js';

/** A test case: something that was checked. */
export interface JUnitCase {
  /** The group, such as a revision. */
  readonly group: string;
  readonly name: string;
  readonly seconds: number;
  /** What failed; empty if it passed. */
  readonly findings: readonly PrintedFinding[];
  /** Why it did not run. */
  readonly skipped?: string | undefined;
}

/** Test cases as an XML document. */
export function casesToJUnit(name: string, cases: readonly JUnitCase[]): string {
  const failures = cases.filter(({ findings }) => findings.length > 0).length;
  const skipped = cases.filter((item) => item.skipped !== undefined).length;
  const seconds = cases.reduce((sum, item) => sum + item.seconds, 0).toFixed(3);
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${seconds}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escapeXml(name)}" ${counts}>`,
    `  <testsuite name="${escapeXml(name)}" ${counts}>`,
    ...cases.map(renderCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function renderCase({ group, name, seconds, findings, skipped }: JUnitCase): string {
  const head = `    <testcase classname="${escapeXml(group)}" name="${escapeXml(name)}" time="${seconds.toFixed(3)}"`;
  if (skipped !== undefined) return `${head}><skipped message="${escapeXml(skipped)}"/></testcase>`;
  const [first] = findings;
  if (first === undefined) return `${head}/>`;
  const title = findings.map(({ rule, message }) => `${rule}: ${message}`).join('; ');
  const text = findings.map(renderFinding).join('\n\n');
  return `${head}>\n      <failure type="${escapeXml(first.rule)}" message="${escapeXml(title.slice(0, 500))}">${escapeXml(text)}</failure>\n    </testcase>`;
}

function renderFinding({ rule, severity, message, evidence, again }: PrintedFinding): string {
  return [
    `${severity} ${rule}: ${message}`,
    ...(evidence?.sent.map((text) => `sent: ${text}`) ?? []),
    ...(evidence?.received.map((text) => `received: ${text}`) ?? []),
    ...(again === undefined ? [] : [`again: ${again}`]),
  ].join('\n');
}

/** Escapes text for XML 1.0, in which most control characters cannot occur at all. */
function escapeXml(text: string): string {
  return text
    .split('\n')
    .map(escapeHiddenCharacters)
    .join('\n')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/[\uFFFE\uFFFF]/g, '?');
}
