import { isObject, ownMember } from '../../read/json/json.js';
import { show, type Seen, type SessionCheck } from '../seen.js';

/** Cancellation of requests (MCP, cancellation). That it comes late is no fault: it crosses the response. */
export class CancellationCheck implements SessionCheck {
  see(seen: Seen): void {
    if (seen.kind !== 'notification' || seen.method !== 'notifications/cancelled') return;
    const { cancels, params, report, revision, from } = seen;
    const pointer = '/params/requestId';
    if (cancels === undefined) return;
    const related = cancels.frame;
    if (cancels.method === 'initialize') report('cancel-initialize', 'initialize is cancelled', { pointer, related });
    const taskAware = revision?.version === '2025-11-25';
    if (taskAware && isObject(ownMember(cancels.params, 'task')))
      report('cancel-task', `request ${show(ownMember(params, 'requestId'))} has a task`, { pointer, related });
    if (revision?.isStateless === true && from === 'server' && cancels.method !== 'subscriptions/listen')
      report('cancel-by-server', `${cancels.method} is cancelled by the server`, { pointer, related });
  }
}
