import { isObject, ownMember } from '../../read/json/json.js';
import type { PendingRequest, Seen, SessionCheck } from '../seen.js';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

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
  const meta = ownMember(params, '_meta');
  const level = isObject(meta) ? ownMember(meta, 'io.modelcontextprotocol/logLevel') : undefined;
  return typeof level === 'string' ? level : undefined;
}

function isBelow(level: string, other: string): boolean {
  return LEVELS.includes(level) && LEVELS.includes(other) && LEVELS.indexOf(level) < LEVELS.indexOf(other);
}
