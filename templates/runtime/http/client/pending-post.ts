import type { RequestId } from "../../jsonrpc/message.js";
import { isRequest, isStatelessRequest } from "./messages.js";
import type { SentRequest } from "./messages.js";

/** The requests in a message, which may be a batch. */
export function requestsIn(message: object): readonly SentRequest[] {
  if (Array.isArray(message))
    return (message as readonly object[]).filter(isRequest);
  return isRequest(message) ? [message] : [];
}

/**
 * A message with requests, until each of them is answered.
 *
 * `settled` resolves once: when `unanswered` is empty, or when the post is canceled.
 */
export class PendingPost {
  readonly controller: AbortController = new AbortController();
  /** The request; undefined if the message is a batch of several. */
  readonly request: SentRequest | undefined;
  readonly isStateless: boolean;
  /** Ids of the requests that wait for a response. */
  readonly unanswered: Set<RequestId>;
  readonly settled: Promise<void>;
  /** Whether it was sent, so that the server may know it. */
  isPosted = false;
  /** The caller cancelled it. */
  isCancelled = false;
  #resolveSettled: () => void = () => undefined;

  constructor(requests: readonly SentRequest[]) {
    this.request = requests.length === 1 ? requests[0] : undefined;
    this.isStateless = requests.some(isStatelessRequest);
    this.unanswered = new Set(requests.map(({ id }) => id));
    this.settled = new Promise((resolve) => {
      this.#resolveSettled = resolve;
    });
  }

  markAnswered(id: RequestId): void {
    if (this.unanswered.delete(id) && this.unanswered.size === 0)
      this.#resolveSettled();
  }

  cancel(reason?: unknown): void {
    this.isCancelled = true;
    this.controller.abort(reason);
    this.#resolveSettled();
  }
}

/** The posts whose requests may wait for responses. */
export class PendingPosts {
  readonly #posts = new Set<PendingPost>();

  add(post: PendingPost): void {
    this.#posts.add(post);
  }

  delete(post: PendingPost): void {
    this.#posts.delete(post);
  }

  /** The post in which a request waits for its response. */
  find(id: RequestId): PendingPost | undefined {
    for (const post of this.#posts) if (post.unanswered.has(id)) return post;
    return undefined;
  }

  cancelAll(): void {
    for (const post of this.#posts) post.cancel();
  }
}
