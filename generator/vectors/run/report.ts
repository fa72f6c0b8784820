/** What running vectors found. */
import { SEVERITIES, type Severity } from '../../inspect/rule.js';
import type { VectorFile } from '../form.js';

/** How a vector went. */
export type VectorStatus =
  | 'passed'
  | 'wrongly-accepted'
  | 'wrongly-rejected'
  /** Other frames were found in bytes than there are. */
  | 'other-frames'
  /** The conversation went another way. */
  | 'other-conversation'
  | 'no-answer'
  | 'skipped';

/** The result of one vector. */
export interface VectorOutcome {
  readonly revision: string;
  readonly kind: VectorFile['kind'];
  /** The definition, the method, or the kind if the vector has neither. */
  readonly group: string;
  readonly name: string;
  readonly reason: string;
  /** The keyword of JSON Schema, `envelope`, the id of a rule of `mcpgen inspect --rules`, or `valid`. */
  readonly rule: string;
  readonly severity: Severity;
  /** Address of the section of the specification. */
  readonly section?: string;
  readonly status: VectorStatus;
  /** What happened, in a sentence. */
  readonly message: string;
  /** The erratum that explains it: the implementation follows the schema as published. */
  readonly erratum?: string;
  /** For an invalid value, the place that the implementation named instead. */
  readonly otherPointer?: string;
  /** What was sent and received, as far as it is short. */
  readonly evidence?: { readonly sent: readonly string[]; readonly received: readonly string[] };
}

/** A vector that failed. */
export interface VectorFinding extends VectorOutcome {
  /** Revision and name: what a baseline knows it by. */
  readonly subject: string;
  readonly isKnown: boolean;
}

/** Numbers of vectors. */
export interface VectorCounts {
  readonly vectors: number;
  readonly passed: number;
  readonly wronglyAccepted: number;
  readonly wronglyRejected: number;
  /** Other frames, and conversations that went another way. */
  readonly different: number;
  readonly noAnswer: number;
  readonly skipped: number;
  /** Failures that an erratum explains; they are also counted by their status. */
  readonly errata: number;
  /** Passed, but with another pointer or another kind of error. */
  readonly otherPointer: number;
}

/** The numbers of one group of vectors. */
export interface VectorGroup extends VectorCounts {
  readonly revision: string;
  readonly kind: VectorFile['kind'];
  readonly group: string;
  readonly milliseconds: number;
}

/** The result of a run. */
export interface VectorReport {
  readonly command: string;
  readonly revisions: readonly string[];
  readonly exact: boolean;
  readonly counts: VectorCounts;
  readonly groups: readonly VectorGroup[];
  /** Why vectors were skipped, and how many. */
  readonly skipped: readonly { readonly reason: string; readonly count: number }[];
  /** Vectors that failed, at most {@link MAX_FINDINGS}. */
  readonly findings: readonly VectorFinding[];
  /** Failures that are only counted. */
  readonly omitted: number;
  /** What is wrong with the lines of the adapter, and how often. */
  readonly problems: readonly { readonly message: string; readonly count: number }[];
  /** Findings of the baseline that are no longer found. */
  readonly fixed: readonly string[];
}

/** Most failures that are kept. */
export const MAX_FINDINGS = 5000;
/** Most different reasons and problems that are kept. */
const MAX_REASONS = 50;

const NONE: VectorCounts = {
  vectors: 0,
  passed: 0,
  wronglyAccepted: 0,
  wronglyRejected: 0,
  different: 0,
  noAnswer: 0,
  skipped: 0,
  errata: 0,
  otherPointer: 0,
};

const COUNTED: Readonly<Record<VectorStatus, keyof VectorCounts>> = {
  passed: 'passed',
  'wrongly-accepted': 'wronglyAccepted',
  'wrongly-rejected': 'wronglyRejected',
  'other-frames': 'different',
  'other-conversation': 'different',
  'no-answer': 'noAnswer',
  skipped: 'skipped',
};

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Collects outcomes; only what fails is kept. */
export class ReportBuilder {
  readonly #command: string;
  readonly #exact: boolean;
  readonly #total: Mutable<VectorCounts> = { ...NONE };
  readonly #groups = new Map<string, Mutable<VectorGroup>>();
  readonly #findings: VectorFinding[] = [];
  readonly #skipped = new Map<string, number>();
  readonly #problems = new Map<string, number>();
  #omitted = 0;

  /** @param exact - Whether failures that an erratum explains count. */
  constructor(command: string, exact: boolean) {
    this.#command = command;
    this.#exact = exact;
  }

  add(outcome: VectorOutcome, milliseconds = 0): void {
    const { revision, kind, group, status, erratum, otherPointer, message } = outcome;
    const key = JSON.stringify([revision, kind, group]);
    const own = this.#groups.get(key) ?? { revision, kind, group, milliseconds: 0, ...NONE };
    this.#groups.set(key, own);
    own.milliseconds += milliseconds;
    const isFailure = status !== 'passed' && status !== 'skipped';
    for (const counts of [own, this.#total]) {
      counts.vectors += 1;
      counts[COUNTED[status]] += 1;
      if (isFailure && erratum !== undefined) counts.errata += 1;
      if (otherPointer !== undefined) counts.otherPointer += 1;
    }
    if (status === 'skipped') count(this.#skipped, message);
    if (!isFailure) return;
    if (this.#findings.length >= MAX_FINDINGS) this.#omitted += 1;
    else this.#findings.push({ ...outcome, subject: `${revision} ${outcome.name}`, isKnown: false });
  }

  /** Something is wrong with a line of the adapter. */
  addProblem(message: string): void {
    count(this.#problems, message);
  }

  finish(): VectorReport {
    return {
      command: this.#command,
      revisions: [...new Set([...this.#groups.values()].map(({ revision }) => revision))],
      exact: this.#exact,
      counts: this.#total,
      groups: [...this.#groups.values()],
      skipped: [...this.#skipped].map(([reason, times]) => ({ reason, count: times })),
      findings: this.#findings,
      omitted: this.#omitted,
      problems: [...this.#problems].map(([message, times]) => ({ message, count: times })),
      fixed: [],
    };
  }
}

function count(counts: Map<string, number>, text: string): void {
  const key = counts.size >= MAX_REASONS && !counts.has(text) ? 'and others' : text;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** The failures that count: neither known nor, unless the run is exact, explained by an erratum. */
export function countedFindings({ findings, exact }: VectorReport): readonly VectorFinding[] {
  return findings.filter(({ isKnown, erratum }) => !isKnown && (exact || erratum === undefined));
}

/** Whether a run has failed. */
export function hasFailed(report: VectorReport, failOn: Severity | 'never'): boolean {
  if (failOn === 'never') return false;
  const worst = SEVERITIES.indexOf(failOn);
  const isBad = countedFindings(report).some(({ severity }) => SEVERITIES.indexOf(severity) <= worst);
  return isBad || report.omitted > 0;
}

/** The numbers in a line: `812 of 840 vectors passed, 20 wrongly accepted, 8 skipped`. */
export function countsText(counts: VectorCounts): string {
  const parts = (
    [
      ['wronglyAccepted', 'wrongly accepted'],
      ['wronglyRejected', 'wrongly rejected'],
      ['different', 'different'],
      ['noAnswer', 'without an answer'],
      ['skipped', 'skipped'],
    ] as const
  ).flatMap(([key, text]) => (counts[key] === 0 ? [] : [`${counts[key]} ${text}`]));
  return [`${counts.passed} of ${counts.vectors} vectors passed`, ...parts].join(', ');
}
