/** The rules of `inspect` and `check-server`, as data: `docs/rules.md` lists them. Their ids never change. */

/**
 * How bad it is: a `violation` breaks a requirement of the specification, a `deviation` breaks a recommendation, or a
 * requirement that common programs do not rely on; `advice` breaks nothing.
 */
export type Severity = 'violation' | 'deviation' | 'advice';

/** A rule. */
export interface Rule {
  readonly severity: Severity;
  /** What is wrong, in a few words. */
  readonly title: string;
  /** Why it matters, and what to do. One or two sentences. */
  readonly help: string;
  /**
   * The page of the specification, below `docs/specification/<revision>/`, with an anchor. Pages moved in 2026-07-28;
   * `stateless` is the page there.
   */
  readonly section: string;
  readonly stateless?: string;
  /** `traffic`: found in any conversation; `server`: only found by asking a server, with `check-server`. */
  readonly foundIn: 'traffic' | 'server';
}

/** All rules by id. */
export const RULES = {
  'not-json': {
    severity: 'violation',
    title: 'a line that is not JSON',
    help: 'Only messages may be written to standard output and standard input; write logs to standard error.',
    section: 'basic/transports#stdio',
    stateless: 'basic/transports/stdio',
    foundIn: 'traffic',
  },
} as const satisfies Readonly<Record<string, Rule>>;

/** The id of a rule. */
export type RuleId = keyof typeof RULES;
