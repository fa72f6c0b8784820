/** The subscriptions of one connection, in stateful and stateless revisions. */
import type { RequestId } from "../jsonrpc/message.js";
import { SERVER_BUSY } from "../jsonrpc/endpoint.js";
import type { InboundRequest } from "../jsonrpc/endpoint.js";
import { RpcError } from "../jsonrpc/error-codes.js";
import { META_KEYS, missingCapability } from "../protocol/revision.js";
import type { Revision } from "../protocol/revision.js";

/** Change notifications, and the member of a subscription filter that requests each. */
const LIST_CHANGED_FILTERS: Readonly<Record<string, string>> = {
  "notifications/tools/list_changed": "toolsListChanged",
  "notifications/prompts/list_changed": "promptsListChanged",
  "notifications/resources/list_changed": "resourcesListChanged",
};

export const DEFAULT_MAX_SUBSCRIBED_RESOURCES = 10_000;

type Filter = Readonly<Record<string, unknown>>;

/** Starts the notifications of an extension. Returns a function that ends them. */
export type OpenSource = (
  send: (method: string, params: object) => void,
) => () => void;

/** An open `subscriptions/listen`. */
interface OpenListen {
  readonly filter: Filter;
  readonly end: () => void;
}

/**
 * The weight is the sum over the subscribed URIs and the filters of all open listens; it never exceeds the limit.
 * An open listen ends once: when it is cancelled, when the client's input ends, or when the session closes.
 */
export class Subscriptions {
  readonly #maxWeight: number;
  readonly #send: (method: string, params: object, id: RequestId) => void;
  readonly #listens = new Map<RequestId, OpenListen>();
  readonly #uris = new Set<string>();
  #weight = 0;

  /** @param send - Sends a notification that belongs to the request with an id. */
  constructor(
    maxWeight: number,
    send: (method: string, params: object, id: RequestId) => void,
  ) {
    this.#maxWeight = maxWeight;
    this.#send = send;
  }

  /**
   * Handles `resources/subscribe` of a stateful revision.
   *
   * @throws RpcError if the client exceeds its limit.
   */
  subscribe(uri: string): void {
    if (this.#uris.has(uri)) return;
    this.#reserve(subscriptionWeight([uri]));
    this.#uris.add(uri);
  }

  unsubscribe(uri: string): void {
    if (this.#uris.delete(uri)) this.#weight -= subscriptionWeight([uri]);
  }

  /** The resources that a client of a stateful revision is subscribed to. */
  get uris(): readonly string[] {
    return [...this.#uris];
  }

  /** Whether a client of a stateful revision is subscribed to a resource. */
  includes(uri: string): boolean {
    return this.#uris.has(uri);
  }

  /**
   * Handles `subscriptions/listen`: the request stays open, and its notifications are tagged with its id (MCP
   * 2026-07-28, subscriptions).
   *
   * @param filter - See {@link supportedFilter}.
   * @param result - The result of the request when the subscription ends.
   * @param openSource - Starts what an extension sends, after the acknowledgement.
   * @throws RpcError if the client exceeds its limit.
   */
  listen(
    inbound: InboundRequest,
    filter: Filter,
    result: object,
    openSource?: OpenSource,
  ): Promise<object> {
    const { id } = inbound.request;
    if (inbound.isSettled) return Promise.resolve(result);
    const weight =
      subscriptionWeight(filter["resourceSubscriptions"]) +
      subscriptionWeight(filter["taskIds"]);
    this.#reserve(weight);
    this.#notifyListen(id, "notifications/subscriptions/acknowledged", {
      notifications: filter,
    });
    return new Promise((resolve) => {
      let endSource = (): void => undefined;
      const end = (): void => {
        if (this.#listens.delete(id)) this.#weight -= weight;
        endSource();
        resolve(result);
      };
      // The response to a cancelled request is not sent, but its handling ends.
      inbound.signal.addEventListener("abort", end, { once: true });
      this.#listens.set(id, { filter, end });
      if (openSource === undefined) return;
      endSource = openSource((method, params) => {
        if (this.#listens.has(id)) this.#notifyListen(id, method, params);
      });
    });
  }

  /** Sends a change notification to the open listens that requested it. */
  notify(method: string, params: object | undefined): void {
    for (const [id, { filter }] of this.#listens) {
      if (matchesFilter(filter, method, params))
        this.#notifyListen(id, method, params);
    }
  }

  /** Ends all open listens. Returns the ids of their requests. */
  endAll(): readonly RequestId[] {
    const ids = [...this.#listens.keys()];
    for (const { end } of [...this.#listens.values()]) end();
    return ids;
  }

  /** Removes all open listens: the connection is closed. */
  clear(): void {
    this.endAll();
  }

  #reserve(weight: number): void {
    if (this.#weight + weight > this.#maxWeight)
      throw new RpcError(SERVER_BUSY, "Too many subscriptions");
    this.#weight += weight;
  }

  #notifyListen(
    id: RequestId,
    method: string,
    params: object | undefined,
  ): void {
    const meta = (params as { readonly _meta?: object } | undefined)?._meta;
    this.#send(
      method,
      { ...params, _meta: { ...meta, [META_KEYS.SUBSCRIPTION]: id } },
      id,
    );
  }
}

/** The part of a requested filter that the server's capabilities allow it to send. */
export function supportedFilter(
  revision: Revision,
  declared: object,
  requested: object,
): Filter {
  const isDeclared = (method: string): boolean =>
    missingCapability(
      revision.methods[method]?.capabilities ?? [],
      "server",
      declared,
    ) === undefined;
  const members = requested as Filter;
  const supported: Record<string, unknown> = {};
  for (const [method, name] of Object.entries(LIST_CHANGED_FILTERS)) {
    if (members[name] === true && isDeclared(method)) supported[name] = true;
  }
  const { resourceSubscriptions } = members;
  if (
    resourceSubscriptions !== undefined &&
    isDeclared("notifications/resources/updated")
  )
    supported["resourceSubscriptions"] = resourceSubscriptions;
  return supported;
}

function matchesFilter(
  filter: Filter,
  method: string,
  params: object | undefined,
): boolean {
  const name = LIST_CHANGED_FILTERS[method];
  if (name !== undefined) return filter[name] === true;
  if (method !== "notifications/resources/updated") return false;
  const uris = filter["resourceSubscriptions"];
  return (
    Array.isArray(uris) &&
    uris.includes((params as { readonly uri?: unknown } | undefined)?.uri)
  );
}

/** The weight of resource subscriptions in the limit of a connection. */
function subscriptionWeight(uris: unknown): number {
  if (!Array.isArray(uris)) return 0;
  return uris.reduce<number>(
    (sum, uri) => sum + 1 + Math.floor(String(uri).length / 1024),
    0,
  );
}
