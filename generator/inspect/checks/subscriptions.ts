import { META_KEYS } from '../../../generated/runtime/protocol/revision.js';
import { isObject, memberAt, ownMember, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { percentDecode } from '../../text.js';
import { BoundedMap, BoundedSet } from '../bounded.js';
import { keyOf } from '../../recording/message.js';
import { show, type Seen, type SeenCall, type SessionCheck } from '../seen.js';

/** Most subscriptions that are remembered. */
const MAX_SUBSCRIPTIONS = 10_000;

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
/** The member of the filter that asks for a notification (MCP 2026-07-28, subscriptions). */
const FILTERS: Readonly<Record<string, string>> = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
  'notifications/resources/updated': 'resourceSubscriptions',
};

interface Subscription {
  readonly frame: number;
  readonly filter: JsonObject;
  isAcknowledged: boolean;
}

/** Subscriptions to resources, and from 2026-07-28 on to all changes. */
export class SubscriptionCheck implements SessionCheck {
  readonly #active = new BoundedMap<string, Subscription>(MAX_SUBSCRIPTIONS);
  readonly #uris = new BoundedSet<string>(MAX_SUBSCRIPTIONS);

  see(seen: Seen): void {
    if (seen.revision?.isStateless === true) this.#seeStateless(seen);
    else this.#seeStateful(seen);
  }

  #seeStateful(seen: Seen): void {
    if (seen.kind === 'request' && seen.from === 'client' && seen.method === 'resources/subscribe') {
      const uri = ownMember(seen.params, 'uri');
      if (typeof uri === 'string') this.#uris.add(normalizeUri(uri));
    }
    if (seen.kind !== 'notification' || seen.method !== 'notifications/resources/updated') return;
    const uri = ownMember(seen.params, 'uri');
    const { isComplete, isShared } = seen.session;
    if (typeof uri !== 'string' || !isComplete || isShared || this.#uris.hasForgotten) return;
    // It may be a part of the resource that was subscribed to; how they relate is up to the server.
    const normalized = normalizeUri(uri);
    const isKnown = [...this.#uris].some((other) => normalized.startsWith(other));
    if (!isKnown)
      seen.report('resource-not-subscribed', `nobody subscribed to ${show(uri)}`, { pointer: '/params/uri' });
  }

  #seeStateless(seen: Seen): void {
    if (seen.kind === 'request' && seen.method === 'subscriptions/listen' && seen.from === 'client') {
      const filter = ownMember(seen.params, 'notifications');
      this.#active.set(subscriptionKey(seen, seen.id), {
        frame: seen.frame,
        filter: isObject(filter) ? filter : {},
        isAcknowledged: false,
      });
    }
    if ((seen.kind === 'result' || seen.kind === 'error') && seen.request?.method === 'subscriptions/listen')
      this.#active.delete(subscriptionKey(seen, seen.request.id));
    if (seen.kind === 'notification' && seen.from === 'server') this.#seeChange(seen);
  }

  #seeChange(seen: SeenCall): void {
    const { method, params, report, session } = seen;
    const member = FILTERS[method];
    if (member === undefined && method !== ACKNOWLEDGED) return;
    const id = memberAt(params, '_meta', META_KEYS.SUBSCRIPTION);
    const pointer = '/params/_meta/io.modelcontextprotocol~1subscriptionId';
    const subscription = id === undefined ? undefined : this.#active.get(subscriptionKey(seen, id));
    if (subscription === undefined) {
      if (id === undefined) report('subscription-id', `${method} has no subscriptionId`, { pointer });
      else if (session.isComplete && !this.#active.hasForgotten)
        report('subscription-id', `no active subscription has the id ${show(id)}`, { pointer });
      return;
    }
    const related = subscription.frame;
    if (method === ACKNOWLEDGED) {
      subscription.isAcknowledged = true;
      return;
    }
    if (!subscription.isAcknowledged)
      report('subscription-order', `${method} comes before the acknowledgment`, { related });
    const wanted = ownMember(subscription.filter, member ?? '');
    if (wanted === undefined || wanted === false)
      report('subscription-filter', `the filter does not have ${member ?? ''}`, { pointer: '/method', related });
    else if (Array.isArray(wanted)) {
      const uri = ownMember(params, 'uri');
      const uris = wanted as readonly JsonValue[];
      const isKnown = uris.some(
        (other) =>
          typeof other === 'string' && typeof uri === 'string' && normalizeUri(uri).startsWith(normalizeUri(other)),
      );
      if (typeof uri === 'string' && !isKnown)
        report('subscription-filter', `the filter does not have ${show(uri)}`, { pointer: '/params/uri', related });
    }
  }
}

/**
 * A URI as it is compared (RFC 3986, section 6.2.2): one side may have encoded what the other one did not, as URL classes
 * do with spaces.
 */
function normalizeUri(uri: string): string {
  return percentDecode(uri).replace(/^[a-z][a-z\d+.-]*:(?:\/\/[^/?#]*)?/i, (start) => start.toLowerCase());
}

/** Over HTTP, each exchange has its own ids. */
function subscriptionKey({ exchange }: Seen, id: unknown): string {
  return `${exchange ?? ''} ${keyOf(id)}`;
}
