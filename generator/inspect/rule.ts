/** What a rule of `inspect` and `check-server` is. */

/**
 * How bad it is: a `violation` breaks a requirement of the specification; a `deviation` breaks a recommendation, or
 * something that common programs tolerate; `advice` breaks nothing.
 */
export type Severity = 'violation' | 'deviation' | 'advice';

/** A rule. */
export interface Rule {
  readonly severity: Severity;
  /** Up to this revision the specification only recommends it, so that it is a deviation. */
  readonly recommendedUntil?: string;
  /** What is wrong, in a few words. */
  readonly title: string;
  /** Why it matters and what to do, in one or two sentences. */
  readonly help: string;
  /** The page of the specification, below `docs/specification/<revision>/`, with an anchor if it has one. */
  readonly section: string;
  /** The page from 2026-07-28 on, where it is another one. */
  readonly stateless?: string;
  /** The first and the last revision whose text has the rule. */
  readonly since?: string;
  readonly until?: string;
  /** `traffic`: found in any conversation; `server`: only found by asking a server, as `check-server` does. */
  readonly foundIn: 'traffic' | 'server';
}

/** All severities, the worst first. */
export const SEVERITIES = ['violation', 'deviation', 'advice'] as const satisfies readonly Severity[];
