import type { RequestId } from "../../jsonrpc/message.js";
import { isRequest, isStatelessRequest } from "./messages.js";
import type { SentRequest } from "./messages.js";

/**
 * A message that was posted, and the requests in it that wait for a response.
 *
 * `settled` resolves once: when `unanswered` is empty, or when the post is canceled.
 */
export class PendingPost {
  readonly controller = new AbortController();
  readonly requests: ReadonlyMap<RequestId, SentRequest>;
  readonly isStateless: boolean;
  /** Ids of the requests that wait for a response. */
  readonly unanswered: Set<RequestId>;
  readonly settled: Promise<void>;
  /** Whether its turn has come, so that the server may know it. */
  isPosted = false;
  /** Nobody waits for it anymore. */
  isCancelled = false;
  #resolveSettled: () => void = () => undefined;

  constructor(message: object) {
    const messages = (
      Array.isArray(message) ? message : [message]
    ) as readonly object[];
    this.requests = new Map(
      messages.filter(isRequest).map((request) => [request.id, request]),
    );
    this.unanswered = new Set(this.requests.keys());
    this.isStateless = [...this.requests.values()].some(isStatelessRequest);
    this.settled = new Promise((resolve) => {
      this.#resolveSettled = resolve;
    });
  }

  /** The request; undefined if there is none, or a batch of several. */
  get request(): SentRequest | undefined {
    if (this.requests.size !== 1) return undefined;
    const [request] = this.requests.values();
    return request;
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

/**
 * The posts that wait for responses.
 *
 * A post is in here until each of its requests is answered, or it is canceled or fails.
 */
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
