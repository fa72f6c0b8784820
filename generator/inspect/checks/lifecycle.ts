import { isObject, ownMember } from '../../read/json/json.js';
import { isReleased } from '../../revisions.js';
import { show, type Seen, type SeenCall, type SeenResponse, type SessionCheck } from '../seen.js';

/** The handshake of stateful revisions (MCP, lifecycle). */
export class LifecycleCheck implements SessionCheck {
  #initializeFrame: number | undefined;
  #state: 'new' | 'initializing' | 'answered' | 'ready' = 'new';
  #hasReported = new Set<string>();

  see(seen: Seen): void {
    if (seen.revision?.isStateless === true || seen.session.isShared) return;
    if (seen.kind === 'result' || seen.kind === 'error') this.#seeResponse(seen);
    else if (seen.kind === 'notification') this.#seeNotification(seen);
    else this.#seeRequest(seen);
  }

  #seeRequest(seen: SeenCall): void {
    const { method, from, report, session } = seen;
    if (from === 'client' && method === 'initialize') {
      if (this.#state !== 'new')
        report('repeated-initialize', 'initialize is sent again', { related: this.#initializeFrame });
      if (seen.isInBatch) report('initialize-in-batch', 'initialize is in a batch');
      this.#initializeFrame = seen.frame;
      this.#state = 'initializing';
      return;
    }
    if (method === 'ping' || !session.isComplete) return;
    if (from === 'server') {
      if (this.#state === 'initializing' || this.#state === 'answered')
        this.#once('early-server-request', () => {
          report('early-server-request', `${method} comes before notifications/initialized`);
        });
      return;
    }
    if (this.#state === 'new')
      this.#once('initialize-not-first', () => {
        report('initialize-not-first', `${method} comes before initialize`, { pointer: '/method' });
      });
    if (this.#state === 'initializing')
      report('early-request', `${method} comes before the response to initialize`, { related: this.#initializeFrame });
    if (this.#state === 'answered')
      this.#once('missing-initialized', () => {
        report('missing-initialized', `${method} comes without notifications/initialized`, {
          related: this.#initializeFrame,
        });
      });
  }

  #seeNotification(seen: SeenCall): void {
    if (seen.from !== 'client' || seen.method !== 'notifications/initialized') return;
    if (this.#state === 'initializing')
      seen.report('early-initialized', 'initialize has no response yet', { related: this.#initializeFrame });
    this.#state = 'ready';
  }

  #seeResponse(seen: SeenResponse): void {
    if (seen.request?.method !== 'initialize' || seen.from !== 'server') return;
    if (seen.kind === 'error') {
      this.#state = 'new';
      return;
    }
    if (this.#state === 'initializing') this.#state = 'answered';
    const version = seen.result === undefined ? undefined : ownMember(seen.result, 'protocolVersion');
    if (typeof version === 'string' && !isReleased(version))
      seen.report('unknown-version', `${show(version)} is not a released revision`, {
        pointer: '/result/protocolVersion',
        related: seen.request.frame,
      });
  }

  /** What would otherwise be repeated with every message. */
  #once(rule: string, report: () => void): void {
    if (this.#hasReported.has(rule)) return;
    this.#hasReported.add(rule);
    report();
  }
}

/** Whether a side declared a capability such as `tools.listChanged`. */
export function declares(capabilities: unknown, path: readonly string[]): boolean {
  let at = capabilities as Parameters<typeof isObject>[0];
  for (const name of path) {
    if (!isObject(at)) return false;
    at = ownMember(at, name);
  }
  return at !== undefined && at !== null && at !== false;
}
