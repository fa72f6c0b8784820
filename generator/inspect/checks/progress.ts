import { isObject, memberAt, ownMember } from '../../read/json/json.js';
import type { Side } from '../../recording/entry.js';
import { BoundedMap } from '../bounded.js';
import type { Revision } from '../../../generated/runtime/protocol/revision.js';
import { keyOf } from '../../recording/message.js';
import {
  otherSide,
  show,
  type PendingRequest,
  type Seen,
  type SeenCall,
  type SeenResponse,
  type SessionCheck,
} from '../seen.js';

/** Most tokens that are remembered. */
const MAX_TOKENS = 10_000;

interface Operation {
  readonly frame: number;
  readonly exchange: number | undefined;
  last: number | undefined;
  isDone: boolean;
  /** Cancelled: progress may still arrive, and another request may have the token. */
  isCancelled: boolean;
}

/** Progress of requests (MCP, progress). */
export class ProgressCheck implements SessionCheck {
  readonly #operations: Readonly<Record<Side, BoundedMap<string, Operation>>> = {
    client: new BoundedMap(MAX_TOKENS),
    server: new BoundedMap(MAX_TOKENS),
  };

  see(seen: Seen): void {
    if (seen.kind === 'request') this.#begin(seen);
    else if (seen.kind === 'notification') {
      if (seen.method === 'notifications/progress') this.#advance(seen);
      const cancelled = seen.cancels === undefined ? undefined : this.#operationOf(seen.cancels);
      if (cancelled !== undefined) cancelled.isCancelled = true;
    } else this.#finish(seen);
  }

  #begin({ params, from, frame, exchange, report, session, revision }: SeenCall): void {
    const token = memberAt(params, '_meta', 'progressToken');
    if (token === undefined) return;
    const key = tokenKey(token, revision, exchange);
    const other = this.#operations[from].get(key);
    if (other !== undefined && !other.isDone && !other.isCancelled && !session.isShared)
      report('reused-progress-token', `${show(token)} is the token of another request`, {
        pointer: '/params/_meta/progressToken',
        related: other.frame,
      });
    this.#operations[from].set(key, { frame, exchange, last: undefined, isDone: false, isCancelled: false });
  }

  #advance({ params, from, exchange, report, session, revision }: SeenCall): void {
    const token = ownMember(params, 'progressToken');
    const operations = this.#operations[otherSide(from)];
    const operation = operations.get(tokenKey(token, revision, exchange));
    if (operation === undefined) {
      if (session.isComplete && !session.isShared && !operations.hasForgotten)
        report('unknown-progress-token', `no request has the token ${show(token)}`, {
          pointer: '/params/progressToken',
        });
      return;
    }
    const related = operation.frame;
    // Streams of different exchanges may overtake each other.
    if (operation.isDone && operation.exchange === exchange)
      report('progress-after-response', 'the request has been answered', { related });
    const progress = ownMember(params, 'progress');
    if (typeof progress !== 'number') return;
    if (operation.last !== undefined && progress <= operation.last)
      report('progress-not-increasing', `${progress} comes after ${operation.last}`, {
        pointer: '/params/progress',
        related,
      });
    operation.last = progress;
  }

  #finish({ request, result }: SeenResponse): void {
    if (request === undefined) return;
    // The token of a request with a task stays valid until the task ends (MCP 2025-11-25, progress).
    if (result !== undefined && isObject(ownMember(result, 'task'))) return;
    const operation = this.#operationOf(request);
    if (operation !== undefined) operation.isDone = true;
  }

  forget(request: PendingRequest): void {
    const operation = this.#operationOf(request);
    if (operation !== undefined) operation.isCancelled = true;
  }

  #operationOf({ params, from, frame, revision, exchange }: PendingRequest): Operation | undefined {
    const token = memberAt(params, '_meta', 'progressToken');
    const operation = token === undefined ? undefined : this.#operations[from].get(tokenKey(token, revision, exchange));
    return operation?.frame === frame ? operation : undefined;
  }
}

/** In stateless revisions over HTTP, each exchange may be of another client. */
function tokenKey(token: unknown, revision: Revision | undefined, exchange: number | undefined): string {
  return revision?.isStateless === true && exchange !== undefined ? `${exchange} ${keyOf(token)}` : keyOf(token);
}
