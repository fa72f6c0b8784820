/**
 * Checks regular expressions of schemas for super-linear running time. The checker is loaded for the first pattern
 * that needs it.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { packageFile } from './files.js';

/** Why a regular expression should not be applied to the input of others. */
export type PatternRisk =
  /** Its running time grows exponentially, or with a power of the length, on strings such as `attack`. */
  | { readonly kind: 'exponential'; readonly attack: string }
  | { readonly kind: 'polynomial'; readonly degree: number; readonly attack: string }
  /** Its running time could not be determined within the time limit. */
  | { readonly kind: 'unknown' };

/**
 * The risk of a regular expression; undefined if its running time is linear.
 *
 * @param flags - Its flags: `u`, or none.
 */
export type PatternCheck = (pattern: string, flags: string) => PatternRisk | undefined;

/** Time limit for one pattern, in milliseconds. Ordinary patterns take 2 to 300, and ten times that on a busy machine. */
const PATTERN_TIMEOUT_MS = 6000;

/** How much later a check that ignores the limit is interrupted, in milliseconds. */
const GRACE_MS = 1000;

/** By which factor the limit grows at most on a busy machine, where a check gets only a part of the time. */
const MAX_SLOWDOWN = 8;

/** Time limit for all patterns of one run, in milliseconds. Those after it are not checked. */
const RUN_TIMEOUT_MS = 30_000;

/** Longest pattern that is checked, in UTF-16 code units. */
const MAX_PATTERN_LENGTH = 5000;

/** Limits that count steps, so that a verdict does not depend on the speed of the machine. */
const LIMITS = {
  timeout: PATTERN_TIMEOUT_MS,
  attackTimeout: 5000,
  attackLimit: 10_000_000,
  maxNFASize: 1000,
  maxGeneStringSize: 1000,
  maxInitialGenerationSize: 100,
  maxGenerationSize: 30,
  maxIteration: 3,
  mutationSize: 20,
  crossoverSize: 10,
};

/** What the checker returns; its own types are not installed with this package. */
type Diagnostics =
  | { readonly status: 'safe' }
  | { readonly status: 'unknown' }
  | {
      readonly status: 'vulnerable';
      readonly complexity: { readonly type: string; readonly degree?: number };
      readonly attack: { readonly string: string };
    };

type CheckSync = (source: string, flags: string, limits: typeof LIMITS) => Diagnostics;

let loaded: CheckSync | undefined;

/** Risks that are known from earlier runs; unknown ones are tried again. */
const known = new Map<string, PatternRisk | undefined>();

/**
 * The check of one run.
 *
 * @param limitMs - After this time, in milliseconds, the risk of other patterns is unknown.
 */
export function createPatternCheck(limitMs = RUN_TIMEOUT_MS): PatternCheck {
  let spent = 0;
  return (pattern, flags) => {
    if (isPlain(pattern)) return undefined;
    const key = `${flags}/${pattern}`;
    if (known.has(key)) return known.get(key);
    if (spent > limitMs || pattern.length > MAX_PATTERN_LENGTH) return { kind: 'unknown' };
    const start = performance.now();
    const risk = analyzePatiently(pattern, flags);
    spent += performance.now() - start;
    if (risk?.kind !== 'unknown') known.set(key, risk);
    return risk;
  };
}

/** One character, escape or class. The escapes `\p{...}` contain braces; `\k` may be a backreference. */
const ATOM = String.raw`(?:\[(?:[^\\\]]|\\.)*\]|\\[pP]\{\w+(?:=\w+)?\}|\\[^1-9kpP]|[^\\()[\]{}*+?|^$])`;

const FIXED = String.raw`(?:${ATOM}(?:\{\d+\})?)*`;

/** Anchored, without groups, and with at most one part of varying length, so that there is one way to match. */
const SINGLE_REPEAT = new RegExp(String.raw`^\^${FIXED}(?:${ATOM}(?:[*+?]|\{\d+,\d*\})${FIXED})?\$?$`, 'su');

/** Whether a pattern takes linear time for reasons that one can see; most patterns of schemas do. */
export function isPlain(pattern: string): boolean {
  if (pattern.length > 500) return false;
  // Without repeats, the number of attempts is limited by the pattern.
  if (!/[*+{?\\]/.test(pattern)) return (pattern.match(/\|/g) ?? []).length <= 8 || !pattern.includes('(');
  return SINGLE_REPEAT.test(pattern) && (pattern.match(/\d{3,}/g) ?? []).length === 0;
}

/** Allows more time if other programs had the processor, so that a verdict does not depend on them. */
function analyzePatiently(pattern: string, flags: string): PatternRisk | undefined {
  const before = process.cpuUsage();
  for (let slowdown = 1; ; slowdown *= 2) {
    const start = performance.now();
    const risk = analyze(pattern, flags, slowdown);
    const { user, system } = process.cpuUsage(before);
    const timedOut = performance.now() - start > 0.9 * slowdown * LIMITS.attackTimeout;
    // Of all attempts, so that a hostile pattern costs little more than it does on an idle machine.
    const hadEnough = (user + system) / 1000 > 0.6 * LIMITS.attackTimeout;
    if (risk?.kind !== 'unknown' || !timedOut || hadEnough || slowdown >= MAX_SLOWDOWN) return risk;
  }
}

function analyze(pattern: string, flags: string, slowdown: number): PatternRisk | undefined {
  try {
    const checkSync = (loaded ??= loadChecker());
    const timeout = slowdown * PATTERN_TIMEOUT_MS;
    const limits = { ...LIMITS, timeout, attackTimeout: slowdown * LIMITS.attackTimeout };
    const run = (): Diagnostics => checkSync(pattern, flags, limits);
    // The checker may ignore its own limit.
    const found = runInNewContext('run()', { run }, { timeout: timeout + GRACE_MS }) as Diagnostics;
    if (found.status === 'safe') return undefined;
    if (found.status === 'unknown') return { kind: 'unknown' };
    const { complexity, attack } = found;
    return complexity.type === 'exponential'
      ? { kind: 'exponential', attack: attack.string }
      : { kind: 'polynomial', degree: complexity.degree ?? 2, attack: attack.string };
  } catch {
    // Interrupted, or nested so deeply that the stack overflowed; its state may be inconsistent.
    loaded = undefined;
    return { kind: 'unknown' };
  }
}

/**
 * Loads the JavaScript build of recheck. It is copied into `dist/`, since the package of that name also installs a JAR
 * and a native program.
 */
function loadChecker(): CheckSync {
  const require = createRequire(packageFile());
  const copied = path.join(path.dirname(packageFile()), 'dist/recheck/recheck.cjs');
  const file = existsSync(copied) ? copied : require.resolve('recheck/lib/browser.js');
  // A new instance after a failure.
  Reflect.deleteProperty(require.cache, file);
  return (require(file) as { checkSync: CheckSync }).checkSync;
}
