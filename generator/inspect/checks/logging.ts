import { META_KEYS } from '../../../generated/runtime/protocol/revision.js';
import { severityOf } from '../../../generated/runtime/server/log-levels.js';
import { memberAt, ownMember } from '../../read/json/json.js';
import type { PendingRequest, Seen, SessionCheck } from '../seen.js';

/** Log messages of a server (MCP, logging). */
export class LoggingCheck implements SessionCheck {
  #level: (Pick<Seen, 'frame' | 'time' | 'exchange'> & { readonly level: string }) | undefined;

  see(seen: Seen): void {
    if (seen.kind === 'result' && seen.request?.method === 'logging/setLevel') {
      const level = ownMember(seen.request.params, 'level');
      const { time, exchange } = seen;
      if (typeof level === 'string') this.#level = { level, frame: seen.request.frame, time, exchange };
    }
    if (seen.kind !== 'notification' || seen.method !== 'notifications/message' || seen.from !== 'server') return;
    const level = ownMember(seen.params, 'level');
    if (typeof level !== 'string') return;
    const pointer = '/params/level';
    if (seen.revision?.isStateless !== true) {
      if (this.#level !== undefined && isBelow(level, this.#level.level) && !mayBeOvertaken(seen, this.#level))
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

/** How long a message may be on its way on another stream, in milliseconds. */
const MAX_OVERTAKING_MS = 2000;

/** Over HTTP, the response that sets a level may overtake messages that were sent before it on another stream. */
function mayBeOvertaken(message: Seen, answer: Pick<Seen, 'time' | 'exchange'>): boolean {
  if (message.exchange === answer.exchange) return false;
  return (message.time ?? 0) - (answer.time ?? 0) < MAX_OVERTAKING_MS;
}

function requestedLevel({ params }: PendingRequest): string | undefined {
  const level = memberAt(params, '_meta', META_KEYS.LOG_LEVEL);
  return typeof level === 'string' ? level : undefined;
}

/** Levels that do not exist are below nothing. */
function isBelow(level: string, other: string): boolean {
  return severityOf(level) !== -1 && severityOf(level) < severityOf(other);
}
