/**
 * Subscriptions: what they listen to, and how much they hold.
 */
import type { RequestId } from "../jsonrpc/message.js";

/** Change notices, with the member of a subscription's filter that asks for each. */
export const LIST_CHANGED_FILTERS: Readonly<Record<string, string>> = {
  "notifications/tools/list_changed": "toolsListChanged",
  "notifications/prompts/list_changed": "promptsListChanged",
  "notifications/resources/list_changed": "resourcesListChanged",
};

export const DEFAULT_MAX_SUBSCRIBED_RESOURCES = 10_000;

/** What subscriptions to resources count against the limit of a connection. */
export function subscriptionWeight(uris: unknown): number {
  if (!Array.isArray(uris)) return 0;
  return uris.reduce<number>(
    (sum, uri) => sum + 1 + Math.floor(String(uri).length / 1024),
    0,
  );
}

/** An open `subscriptions/listen`. */
export interface OpenListen {
  readonly id: RequestId;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly end: () => void;
}

export function matchesFilter(
  filter: OpenListen["filter"],
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
