import { HttpError } from "../errors.js";
import { EventTooLargeError } from "../event-stream.js";
import { JSON_TYPE, STREAM_TYPE } from "../headers.js";
import { mediaTypeOf, readBodyStart, readBodyText } from "./fetch.js";
import type { PendingPost } from "./pending-post.js";
import type { Reconnector } from "./reconnect.js";
import { MAX_ERROR_BYTES } from "./requester.js";
import type { Requester } from "./requester.js";
import { StreamPosition } from "./stream.js";
import type { ValueReader } from "./stream.js";

/** Milliseconds that a stream may stay open after its last response, so that its connection can be used again. */
const STREAM_LINGER_MS = 500;

/** What reading responses needs from the transport. */
export interface ResponseReaderContext {
  readonly requester: Requester;
  readonly reader: ValueReader;
  readonly reconnector: Reconnector;
  /** Delivers a value, and marks the post's requests that it answers. */
  readonly deliver: (value: unknown, post: PendingPost) => void;
}

/**
 * Reads the HTTP responses to posts.
 *
 * Reading ends without an error only when each request of the post is answered.
 */
export class ResponseReader {
  readonly #context: ResponseReaderContext;

  constructor(context: ResponseReaderContext) {
    this.#context = context;
  }

  /** Reads the responses to a post: one JSON text, or a stream. */
  async read(response: Response, post: PendingPost): Promise<void> {
    const type = mediaTypeOf(response);
    if (type === STREAM_TYPE) await this.#readStream(response, post);
    else if (type === JSON_TYPE) await this.#readJson(response, post);
    else {
      const { text } = await readBodyStart(response, MAX_ERROR_BYTES);
      throw this.#context.requester.createError(
        response,
        type === ""
          ? "the response has no content type"
          : `the response is ${JSON.stringify(type.slice(0, 60))}, neither ${JSON_TYPE} nor ${STREAM_TYPE}`,
        text,
      );
    }
  }

  async #readJson(response: Response, post: PendingPost): Promise<void> {
    const limit = this.#context.reader.maxMessageBytes;
    let text: string | undefined;
    try {
      text = await readBodyText(response, limit);
    } catch (error) {
      post.controller.signal.throwIfAborted();
      throw new HttpError(
        "the connection was lost during the response",
        { method: "POST", url: this.#context.requester.url },
        { cause: error },
      );
    }
    if (text === undefined)
      throw this.#context.requester.createError(
        response,
        `the response has more than ${limit} bytes`,
      );
    const read = this.#context.reader.parse(text);
    if (typeof read === "string")
      throw this.#context.requester.createError(
        response,
        `the response is ${this.#context.reader.describe(read)}`,
        text,
      );
    this.#context.deliver(read.value, post);
    if (post.unanswered.size > 0)
      throw this.#context.requester.createError(
        response,
        "the response does not answer the request",
        text,
      );
  }

  /** Reads a stream until all requests are answered, and resumes it if it breaks off earlier. */
  async #readStream(first: Response, post: PendingPost): Promise<void> {
    const { signal } = post.controller;
    const position = new StreamPosition();
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      let stream = first;
      for (;;) {
        let cause: unknown;
        const since = performance.now();
        try {
          await this.#context.reader.readEvents(stream, position, (value) => {
            this.#context.deliver(value, post);
            if (post.unanswered.size === 0)
              timer ??= setTimeout(() => {
                post.controller.abort();
              }, STREAM_LINGER_MS);
          });
        } catch (error) {
          if (post.unanswered.size === 0) return;
          signal.throwIfAborted();
          if (error instanceof EventTooLargeError)
            throw this.#context.requester.createError(stream, error.message);
          cause = error;
        }
        if (post.unanswered.size === 0) return;
        if (post.isStateless || position.lastEventId === undefined)
          throw new HttpError(
            "the stream ended before the response",
            { method: "POST", url: this.#context.requester.url },
            { cause },
          );
        position.noteEnd(performance.now() - since);
        stream = await this.#context.reconnector.resume(position, signal);
      }
    } finally {
      clearTimeout(timer);
    }
  }
}
