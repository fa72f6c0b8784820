/**
 * Subscriptions of a client (MCP 2026-07-28, subscriptions).
 */
import { TimeoutError } from "../jsonrpc/call-errors.js";
import type { CallOptions } from "../jsonrpc/endpoint.js";
import { DEFAULT_TIMEOUT_MS } from "../jsonrpc/endpoint-options.js";
import { MAX_TIMER_DELAY_MS } from "../jsonrpc/envelope.js";
import type { RequestId } from "../jsonrpc/message.js";
import { META_KEYS } from "../protocol/revision.js";
import type { ListenOptions, Subscription } from "./types.js";

interface SubscriptionEntry {
  readonly acknowledge: (filter: object) => void;
  readonly onNotification:
    ((method: string, params: object) => void) | undefined;
}

/**
 * An entry exists from the moment its request has an id until that request ends.
 * A notification without a known subscription id belongs to no entry.
 */
export class ClientSubscriptions {
  readonly #request: (
    method: string,
    params: object,
    options: CallOptions,
  ) => Promise<object>;
  readonly #timeout: number;
  readonly #entries = new Map<RequestId, SubscriptionEntry>();

  /** @param timeout - Default milliseconds to wait for an acknowledgement. */
  constructor(
    timeout: number | undefined,
    request: (
      method: string,
      params: object,
      options: CallOptions,
    ) => Promise<object>,
  ) {
    this.#timeout = timeout ?? DEFAULT_TIMEOUT_MS;
    this.#request = request;
  }

  has(id: RequestId): boolean {
    return this.#entries.has(id);
  }

  /** Removes all entries: the connection is closed. */
  clear(): void {
    this.#entries.clear();
  }

  /**
   * Opens a subscription and waits for the server to acknowledge it.
   *
   * @param filter - The notifications to receive.
   */
  async open(
    filter: object,
    options: ListenOptions = {},
  ): Promise<Subscription> {
    const method = "subscriptions/listen";
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort(options.signal?.reason);
    };
    options.signal?.throwIfAborted();
    options.signal?.addEventListener("abort", abort, { once: true });
    let id: RequestId = 0;
    try {
      let acknowledge: (filter: object) => void = () => undefined;
      const acknowledged = new Promise<object>((resolve) => {
        acknowledge = resolve;
      });
      const answered = this.#request(
        method,
        { notifications: filter },
        {
          signal: controller.signal,
          timeout: Number.POSITIVE_INFINITY,
          onSent: (sentId) => {
            id = sentId;
            this.#entries.set(id, {
              acknowledge,
              onNotification: options.onNotification,
            });
          },
        },
      );
      const ended = answered
        .then(
          () => undefined,
          (error: unknown) => {
            if (!controller.signal.aborted) throw error;
          },
        )
        .finally(() => {
          this.#entries.delete(id);
          options.signal?.removeEventListener("abort", abort);
        });
      // A caller that ignores it must not get an unhandled rejection.
      ended.catch(() => undefined);
      const agreed = await this.#withTimeout(
        Promise.race([acknowledged, answered.then(() => ({}))]),
        controller,
        options.timeout,
      );
      return {
        id,
        filter: agreed,
        ended,
        close: () => {
          controller.abort(new Error("the subscription is closed"));
        },
      };
    } catch (error) {
      controller.abort(error);
      throw error;
    }
  }

  /** The listener of the subscription whose id a notification has; undefined if it matches none. */
  listenerOf(method: string, params: object): (() => unknown) | undefined {
    const tag = (
      params as { readonly _meta?: Readonly<Record<string, unknown>> }
    )._meta?.[META_KEYS.SUBSCRIPTION];
    const subscription = this.#entries.get(tag as RequestId);
    if (subscription === undefined) return undefined;
    if (method !== "notifications/subscriptions/acknowledged")
      return () => subscription.onNotification?.(method, params);
    subscription.acknowledge(
      (params as { readonly notifications: object }).notifications,
    );
    return undefined;
  }

  async #withTimeout(
    promise: Promise<object>,
    controller: AbortController,
    timeout = this.#timeout,
  ): Promise<object> {
    if (timeout === Number.POSITIVE_INFINITY) return promise;
    const timer = setTimeout(
      () => {
        controller.abort(new TimeoutError("subscriptions/listen", timeout));
      },
      Math.min(timeout, MAX_TIMER_DELAY_MS),
    );
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }
}
