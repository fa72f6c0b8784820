import { createParser } from "eventsource-parser";

/** An event of an event stream. */
export interface SseEvent {
  /** `message` if the stream names no type. */
  readonly type: string;
  readonly data: string;
  /** Undefined if the event itself has none. */
  readonly id: string | undefined;
}

/** How to read an event stream. */
export interface EventStreamOptions {
  /** Maximum of characters of an event; reading stops at a longer one. */
  readonly maxLength: number;
  readonly onEvent: (event: SseEvent) => void;
  /** Receives the milliseconds to wait before reconnecting. */
  readonly onRetry?: (milliseconds: number) => void;
}

/** An event exceeds the maximum length. */
export class EventTooLargeError extends Error {
  override readonly name = "EventTooLargeError";

  constructor(limit: number) {
    super(`an event of the stream has more than ${limit} characters`);
  }
}

/** The parser searches a whole chunk for each line end, so chunks are kept short. */
const FEED_CHUNK_CHARS = 4096;

/**
 * Reads an event stream (WHATWG HTML, server-sent events) to its end. An incomplete event at the end is ignored.
 *
 * @throws EventTooLargeError; what reading throws.
 */
export async function readEventStream(
  stream: ReadableStream<Uint8Array>,
  { maxLength, onEvent, onRetry }: EventStreamOptions,
): Promise<void> {
  let tooLarge: EventTooLargeError | undefined;
  const hasFailed = (): boolean => tooLarge !== undefined;
  const parser = createParser({
    maxBufferSize: maxLength,
    onEvent: ({ event = "message", data, id }) => {
      // The parser's own limit is for incomplete events only.
      if (data.length > maxLength) tooLarge = new EventTooLargeError(maxLength);
      if (tooLarge === undefined) onEvent({ type: event, data, id });
    },
    ...(onRetry === undefined ? {} : { onRetry }),
    onError: ({ type }) => {
      // Unknown fields and other oddities are ignored, as the standard requires.
      if (type === "max-buffer-size-exceeded")
        tooLarge = new EventTooLargeError(maxLength);
    },
  });
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const text = decoder.decode(value, { stream: true });
      for (
        let index = 0;
        index < text.length && !hasFailed();
        index += FEED_CHUNK_CHARS
      )
        parser.feed(text.slice(index, index + FEED_CHUNK_CHARS));
      if (tooLarge !== undefined) throw tooLarge;
    }
  } catch (error) {
    reader.cancel(error).catch(() => undefined);
    throw error;
  }
}
