import { createParser } from "eventsource-parser";

/** One event of an event stream. */
export interface SseEvent {
  /** `message` if the stream names none. */
  readonly type: string;
  readonly data: string;
  /** The event's own; undefined if it has none. */
  readonly id: string | undefined;
}

/** What is done with an event stream. */
export interface EventStreamOptions {
  /** How many characters an event may have; the rest of the stream is not read if one has more. */
  readonly maxLength: number;
  readonly onEvent: (event: SseEvent) => void;
  /** The stream says how many milliseconds to wait before it is asked for again. */
  readonly onRetry?: (milliseconds: number) => void;
}

/** An event has more characters than it may have. */
export class EventTooLargeError extends Error {
  override readonly name = "EventTooLargeError";

  constructor(limit: number) {
    super(`an event of the stream has more than ${limit} characters`);
  }
}

/** The parser looks through all of a piece for the end of each line, so pieces are kept short. */
const FEED_CHUNK_CHARS = 4096;

/**
 * Reads an event stream (WHATWG HTML, server-sent events) to its end. An event that the end cuts off is none.
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
      // The parser's own limit is for what is not complete.
      if (data.length > maxLength) tooLarge = new EventTooLargeError(maxLength);
      if (tooLarge === undefined) onEvent({ type: event, data, id });
    },
    ...(onRetry === undefined ? {} : { onRetry }),
    onError: ({ type }) => {
      // Unknown fields and other oddities are passed over, as the standard has it.
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
