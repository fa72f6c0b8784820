import { META_KEYS } from '../../../generated/runtime/protocol/revision.js';
import { severityOf } from '../../../generated/runtime/server/log-levels.js';
import { memberAt, ownMember } from '../../read/json/json.js';
import type { PendingRequest, Seen, SessionCheck } from '../seen.js';

/** Log messages of a server (MCP, logging). */
export class LoggingCheck implements SessionCheck {
  #level: { readonly level: string; readonly frame: number } | undefined;

  see(seen: Seen): void {
    if (seen.kind === 'result' && seen.request?.method === 'logging/setLevel') {
      const level = ownMember(seen.request.params, 'level');
      if (typeof level === 'string') this.#level = { level, frame: seen.request.frame };
    }
    if (seen.kind !== 'notification' || seen.method !== 'notifications/message' || seen.from !== 'server') return;
    const level = ownMember(seen.params, 'level');
    if (typeof level !== 'string') return;
    const pointer = '/params/level';
    if (seen.revision?.isStateless !== true) {
      if (this.#level !== undefined && isBelow(level, this.#level.level))
        seen.report('log-below-level', `${level} is below ${this.#level.level}`, {
          pointer,
          related: this.#level.frame,
        });
      return;
    }
    const wanted = [...seen.session.pendingOf('client')]
      .filter(({ exchange }) => exchange === seen.exchange)
      .map(requestedLevel)
      .filter((name) => name !== undefined);
    if (wanted.length === 0) seen.report('log-not-requested', 'no active request has a logLevel', { pointer });
    else if (wanted.every((name) => isBelow(level, name)))
      seen.report('log-not-requested', `${level} is below the requested ${wanted[0] ?? ''}`, { pointer });
  }
}

function requestedLevel({ params }: PendingRequest): string | undefined {
  const level = memberAt(params, '_meta', META_KEYS.LOG_LEVEL);
  return typeof level === 'string' ? level : undefined;
}

/** Levels that do not exist are below nothing. */
function isBelow(level: string, other: string): boolean {
  return severityOf(level) !== -1 && severityOf(level) < severityOf(other);
}
