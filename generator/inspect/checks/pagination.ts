import { ownMember } from '../../read/json/json.js';
import { BoundedMap, BoundedSet } from '../bounded.js';
import { keyOf } from '../../recording/message.js';
import { show, type Seen, type SessionCheck } from '../seen.js';

/** Most cursors that are remembered for each method. */
const MAX_CURSORS = 10_000;

/** Cursors of lists (MCP, pagination), and the cache scope of their pages (MCP 2026-07-28, caching). */
export class PaginationCheck implements SessionCheck {
  readonly #cursors = new BoundedMap<string, BoundedSet<string>>(100);
  /** The scope of the page that returned a cursor. */
  readonly #scopes = new BoundedMap<string, { readonly scope: string; readonly frame: number }>(MAX_CURSORS);

  see(seen: Seen): void {
    if (seen.kind === 'request') {
      const cursor = ownMember(seen.params, 'cursor');
      const known = this.#cursors.get(seen.method);
      // From 2026-07-28 on, a cursor may come from another connection.
      if (seen.revision?.isStateless === true || !seen.session.isComplete) return;
      if (typeof cursor !== 'string' || seen.from !== 'client') return;
      if (!isList(seen.method) || known?.has(keyOf(cursor)) === true || known?.hasForgotten === true) return;
      seen.report('unknown-cursor', `the server did not return the cursor ${show(cursor)} for ${seen.method}`, {
        pointer: '/params/cursor',
      });
      return;
    }
    if (seen.kind !== 'result' || seen.request === undefined || seen.result === undefined) return;
    const { request, result, report } = seen;
    if (!isList(request.method)) return;
    const next = ownMember(result, 'nextCursor');
    const cursor = ownMember(request.params, 'cursor');
    const related = request.frame;
    if (typeof next === 'string' && next === cursor)
      report('repeated-cursor', `the page at ${show(cursor)} leads to itself`, {
        pointer: '/result/nextCursor',
        related,
      });
    const scope = ownMember(result, 'cacheScope');
    const before = typeof cursor === 'string' ? this.#scopes.get(`${request.method} ${keyOf(cursor)}`) : undefined;
    if (typeof scope === 'string' && before !== undefined && before.scope !== scope)
      report('mixed-cache-scope', `${scope} after a page with ${before.scope}`, {
        pointer: '/result/cacheScope',
        related: before.frame,
      });
    if (typeof next !== 'string') return;
    const known = this.#cursors.get(request.method) ?? new BoundedSet(MAX_CURSORS);
    known.add(keyOf(next));
    this.#cursors.set(request.method, known);
    if (typeof scope === 'string') this.#scopes.set(`${request.method} ${keyOf(next)}`, { scope, frame: seen.frame });
  }
}

function isList(method: string): boolean {
  return method.endsWith('/list');
}
