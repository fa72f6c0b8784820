/** Subscribes a client to changes in every revision. */
import type { BaseClient, ListenOptions } from "./client.js";
import { UnsupportedMethodError } from "./jsonrpc/call-errors.js";

/** The changes to receive, as in the filter of `subscriptions/listen` (MCP 2026-07-28, subscriptions). */
export interface ChangeFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  /** URIs of resources. */
  readonly resourceSubscriptions?: string[];
}

/** A subscription in the agreed revision. */
export interface ChangeSubscription {
  /** The changes that the server agreed to send, or in a stateful revision declares. */
  readonly filter: ChangeFilter;
  /** Resolves when the subscription or the connection ends; in a stateless revision, rejects if the connection breaks. */
  readonly ended: Promise<void>;
  /** Ends the subscription. In a stateful revision, other subscriptions of this client to the same resources end too. */
  close(): void;
}

/**
 * Asks the server to report changes, in the way of the agreed revision: `subscriptions/listen` in 2026-07-28. Up to
 * 2025-11-25, `resources/subscribe` for each resource; lists need no request there, and are reported in any case.
 *
 * The `notifications` of the client's options receive the changes.
 *
 *     const { filter } = await subscribe(client, { toolsListChanged: true, resourceSubscriptions: [uri] });
 *
 * @throws Any error of the requests. Resources that were subscribed to before it are unsubscribed.
 */
export async function subscribe<Notifications extends object>(
  client: BaseClient<Notifications>,
  filter: ChangeFilter,
  options: Pick<ListenOptions, "signal" | "timeout"> = {},
): Promise<ChangeSubscription> {
  try {
    return await client.openSubscription(filter, options);
  } catch (error) {
    if (!isUnsupported(error)) throw error;
  }
  return subscribeEach(client, filter, options);
}

async function subscribeEach<Notifications extends object>(
  client: BaseClient<Notifications>,
  filter: ChangeFilter,
  options: Pick<ListenOptions, "signal" | "timeout">,
): Promise<ChangeSubscription> {
  const { signal } = options;
  const agreed = declaredFilter(client.server.capabilities, filter);
  const subscribed: string[] = [];
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const close = (): void => {
    signal?.removeEventListener("abort", close);
    for (const uri of subscribed.splice(0))
      client
        .request("resources/unsubscribe", { uri })
        .catch(() => undefined /* The connection has ended, or will. */);
    end();
  };
  try {
    signal?.throwIfAborted();
    for (const uri of agreed.resourceSubscriptions ?? []) {
      await client.request("resources/subscribe", { uri }, options);
      subscribed.push(uri);
    }
  } catch (error) {
    close();
    throw error;
  }
  signal?.addEventListener("abort", close, { once: true });
  void client.closed.then(() => {
    subscribed.length = 0;
    close();
  });
  return { filter: agreed, ended, close };
}

/** The part of a filter that the capabilities of a server of a stateful revision include. */
function declaredFilter(
  capabilities: object,
  filter: ChangeFilter,
): ChangeFilter {
  const declares = (list: string, member: string): boolean =>
    (capabilities as Record<string, Record<string, unknown> | undefined>)[
      list
    ]?.[member] === true;
  const { resourceSubscriptions } = filter;
  return {
    ...(filter.toolsListChanged === true && declares("tools", "listChanged")
      ? { toolsListChanged: true }
      : {}),
    ...(filter.promptsListChanged === true && declares("prompts", "listChanged")
      ? { promptsListChanged: true }
      : {}),
    ...(filter.resourcesListChanged === true &&
    declares("resources", "listChanged")
      ? { resourcesListChanged: true }
      : {}),
    ...(resourceSubscriptions !== undefined &&
    declares("resources", "subscribe")
      ? { resourceSubscriptions }
      : {}),
  };
}

function isUnsupported(error: unknown): boolean {
  try {
    return error instanceof UnsupportedMethodError;
  } catch {
    return false;
  }
}
