import { managerConditions } from './package-manager.js';
import { hasSessionsOnly, newestRevision, type Selection } from './selection.js';

/** `sdk` is either version. */
const RUNTIME_CONDITIONS = { none: ['own'], sdk: ['sdk', 'sdk-v2'], 'sdk-v1': ['sdk', 'sdk-v1'] } as const;

/** The conditions of a selection, by the names of markers in templates. */
export function selectionConditions(selection: Selection): ReadonlySet<string> {
  const { features, transports, runtime, schemas, store, revisions, kind, listed } = selection;
  return new Set([
    ...features,
    ...transports,
    ...(transports.length > 1 ? ['both'] : []),
    ...RUNTIME_CONDITIONS[runtime],
    ...(store === 'memory' ? [] : [store]),
    ...(schemas === 'json' ? ['json'] : ['inline', schemas]),
    ...managerConditions(selection),
    ...(revisions.some(({ isStateless }) => isStateless) ? ['stateless'] : []),
    ...(revisions.some(({ isStateless }) => !isStateless) ? ['stateful'] : []),
    // Forms have had fields with several values since then.
    ...(newestRevision(selection).revision >= '2025-11-25' ? ['lists'] : []),
    ...(hasSessionsOnly(selection) ? ['sessions'] : []),
    ...(listed === undefined ? [] : ['listed']),
    ...(listed === undefined || listed.target.length === 0 ? [] : ['target']),
    ...(kind === 'client' && features.length > 0 ? ['handlers'] : []),
  ]);
}

/** Evaluates a condition: names with optional `!`, joined by `|` and `&`, of which `&` binds tighter. */
export function conditionHolds(condition: string, conditions: ReadonlySet<string>): boolean {
  return condition
    .split('|')
    .some((all) =>
      all.split('&').every((word) => (word.startsWith('!') ? !conditions.has(word.slice(1)) : conditions.has(word))),
    );
}

const BLOCK_START = /^\s*(?:\/\/|#|<!--) if: (\S+)(?: -->)?$/;
const BLOCK_END = /^\s*(?:\/\/|#|<!--) end(?: -->)?$/;
const LINE_CONDITION = /^(.*\S)\s+(?:\/\/|#|<!--) if: (\S+)(?: -->)?$/;

/**
 * Removes the lines of a template whose condition is false, and all markers. `// if: name` at the end of a line applies
 * to that line, and on its own line to everything up to `// end`. Other kinds of comments work too.
 *
 * @throws RangeError if markers do not match, which is a bug of the template.
 */
export function applyConditions(text: string, conditions: ReadonlySet<string>): string {
  const open: boolean[] = [];
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    const begin = BLOCK_START.exec(line)?.[1];
    if (begin !== undefined) {
      open.push(conditionHolds(begin, conditions));
      continue;
    }
    if (BLOCK_END.test(line)) {
      if (open.pop() === undefined) throw new RangeError('a marker ends what none began');
      continue;
    }
    if (open.includes(false)) continue;
    const [, code, condition] = LINE_CONDITION.exec(line) ?? [];
    if (code === undefined || condition === undefined) kept.push(line);
    else if (conditionHolds(condition, conditions)) kept.push(code);
  }
  if (open.length > 0) throw new RangeError('a marker begins what none ends');
  return kept.join('\n');
}
