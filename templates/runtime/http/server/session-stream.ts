import type { RequestId } from "../../jsonrpc/message.js";
import type { ResponseWriter } from "./reply.js";

/** The prefix of event ids of listening streams. */
const LISTEN_KEY_PREFIX = "g";

/**
 * A stream of events, which may outlive the connection that carries it.
 *
 * `sequence` only grows, so an event id identifies one event of the session forever.
 * `writer` is the one connection that carries the stream now, or undefined while none does.
 */
export class SessionStream {
  readonly key: number;
  /** The requests that it answers. */
  readonly pending: Set<RequestId> = new Set<RequestId>();
  readonly isListenStream: boolean;
  /** The number of the last event; the priming event has 0. */
  sequence = 0;
  hasSentEventId = false;
  /** Whether its requests came in an array. */
  isBatch = false;
  /** Whether another process would know it. */
  isLogged = false;
  /** The number of the last dropped event that a client must not miss silently. */
  lastLostSequence = 0;
  /** Part of its event ids: names its requests to a process that does not know the stream. */
  requestTag: string | undefined;
  writer: ResponseWriter | undefined;

  constructor(
    key: number,
    writer: ResponseWriter | undefined,
    isListenStream: boolean,
  ) {
    this.key = key;
    this.writer = writer;
    this.isListenStream = isListenStream;
  }

  /** The id of the last event: it identifies the stream, and the position in it. */
  get eventId(): string {
    const tag = this.requestTag === undefined ? "" : `-${this.requestTag}`;
    return `${this.isListenStream ? LISTEN_KEY_PREFIX : ""}${this.key}-${this.sequence}${tag}`;
  }
}

/** Reads an event id that {@link SessionStream.eventId} created; undefined for any other text. */
export function parseEventId(text: string):
  | {
      readonly key: number;
      readonly sequence: number;
      readonly requestTag: string | undefined;
    }
  | undefined {
  const [, key, sequence, requestTag] =
    /^g?(\d{1,15})-(\d{1,15})(?:-([\da-f]{2,1024}))?$/.exec(text) ?? [];
  return key === undefined
    ? undefined
    : { key: Number(key), sequence: Number(sequence), requestTag };
}

/** The key in the event id of a listening stream; undefined for any other text. */
export function listenKeyOf(eventId: string): number | undefined {
  return eventId.startsWith(LISTEN_KEY_PREFIX)
    ? parseEventId(eventId)?.key
    : undefined;
}
