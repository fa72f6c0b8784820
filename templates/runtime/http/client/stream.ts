import { MAX_TIMER_DELAY_MS } from "../../jsonrpc/envelope.js";
import { DEFAULT_MAX_MESSAGE_BYTES } from "../../jsonrpc/ndjson.js";
import type { Invalid } from "../../jsonrpc/parse.js";
import {
  DEFAULT_MAX_DEPTH,
  parseJson,
  scanEnvelope,
} from "../../jsonrpc/scan.js";
import type { JsonValue } from "../../jsonrpc/scan.js";
import { readEventStream } from "../event-stream.js";
import type { SseEvent } from "../event-stream.js";
import { HTTP_HEADERS, utf8Characters } from "../headers.js";
import type { HeaderList } from "./requester.js";

/** A stream that was open for this many milliseconds was not cut short. */
const HEALTHY_STREAM_MS = 5000;
/** Maximum of characters in an event id, since it goes into a header. */
const MAX_EVENT_ID_CHARS = 4096;

/**
 * The position in a stream, to resume it.
 *
 * `failedAttempts` counts the attempts to reconnect since the last event or healthy stream; `shortStreams` counts
 * consecutive streams that ended soon with at most one new event.
 */
export class StreamPosition {
  lastEventId: string | undefined;
  /** The server's milliseconds to wait before reconnecting, if it sent any. */
  retry: number | undefined;
  /** Milliseconds to wait at least, as requested by the last rejection. */
  retryAfterMs = 0;
  failedAttempts = 0;
  shortStreams = 0;
  #events = 0;

  advance(event: SseEvent): void {
    this.failedAttempts = 0;
    if (event.id === undefined || event.id !== this.lastEventId)
      this.#events += 1;
    if (event.id === undefined) return;
    // An empty id resets the last one (WHATWG HTML, server-sent events).
    this.lastEventId =
      event.id === "" || event.id.length > MAX_EVENT_ID_CHARS
        ? undefined
        : event.id;
  }

  /** Called when a stream ends that was open for this many milliseconds. */
  noteEnd(milliseconds: number): void {
    const isSteady = milliseconds > HEALTHY_STREAM_MS;
    if (isSteady) this.failedAttempts = 0;
    this.shortStreams =
      isSteady || this.#events > 1 ? 0 : this.shortStreams + 1;
    this.#events = 0;
  }

  /** The header that asks the server to resume the stream here. */
  get headers(): HeaderList {
    if (this.lastEventId === undefined) return [];
    // A header consists of bytes, and the id is UTF-8 (WHATWG HTML, server-sent events).
    return [[HTTP_HEADERS.LAST_EVENT_ID, utf8Characters(this.lastEventId)]];
  }
}

/** Maximum size and nesting of messages. */
export interface MessageLimits {
  readonly maxMessageBytes?: number | undefined;
  readonly maxDepth?: number | undefined;
}

/** Reads the values in responses and streams, within the limits of the transport. */
export class ValueReader {
  readonly maxMessageBytes: number;
  readonly #maxDepth: number;
  readonly #onInvalid: (invalid: Invalid) => void;

  /** @param onInvalid - Receives events that are not JSON or nested too deeply; they are skipped. */
  constructor(
    {
      maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES,
      maxDepth = DEFAULT_MAX_DEPTH,
    }: MessageLimits,
    onInvalid: (invalid: Invalid) => void,
  ) {
    this.maxMessageBytes = maxMessageBytes;
    this.#maxDepth = maxDepth;
    this.#onInvalid = onInvalid;
  }

  /** Parses a text within the limit on nesting. */
  parse(text: string): JsonValue | "not-json" | "too-deep" {
    return parseJson(text, this.#maxDepth);
  }

  /** Describes an error of {@link ValueReader.parse}. */
  describe(code: "not-json" | "too-deep"): string {
    return code === "not-json"
      ? "not JSON"
      : `nested deeper than ${this.#maxDepth} levels`;
  }

  /**
   * Reads a stream to its end.
   *
   * @param onOther - Receives events of other types than `message`.
   * @throws EventTooLargeError; what reading throws.
   */
  async readEvents(
    response: Response,
    position: StreamPosition,
    onValue: (value: unknown) => void,
    onOther?: (event: SseEvent) => void,
  ): Promise<void> {
    if (response.body === null) return;
    await readEventStream(response.body, {
      maxLength: this.maxMessageBytes,
      onEvent: (event) => {
        position.advance(event);
        if (event.type !== "message") {
          onOther?.(event);
          return;
        }
        // A server may open a stream with an event that only has an id.
        if (event.data.trim() === "") return;
        const read = this.parse(event.data);
        if (typeof read !== "string") onValue(read.value);
        else {
          const { messageKind, id } = scanEnvelope(event.data, true);
          this.#onInvalid({
            kind: "invalid",
            code: read,
            reason: `an event of the stream is ${this.describe(read)}`,
            messageKind,
            id,
            errorResponse: undefined,
          });
        }
      },
      onRetry: (milliseconds) => {
        position.retry = Math.min(milliseconds, MAX_TIMER_DELAY_MS);
      },
    });
  }
}
