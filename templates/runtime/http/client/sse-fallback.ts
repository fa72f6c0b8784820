import type { SseEvent } from "../event-stream.js";
import { STREAM_TYPE } from "../headers.js";
import { discardBody, mediaTypeOf } from "./fetch.js";
import type { Requester } from "./requester.js";
import { StreamPosition } from "./stream.js";
import type { ValueReader } from "./stream.js";

/** Statuses with which an HTTP+SSE server answers a POST to its event stream. */
export const SSE_FALLBACK_STATUSES: ReadonlySet<number> = new Set([
  400, 404, 405,
]);

/** What the connection needs from its transport. */
export interface SseConnectionContext {
  readonly requester: Requester;
  readonly reader: ValueReader;
  /** Aborted when the transport closes. */
  readonly closed: AbortSignal;
  readonly onValue: (value: unknown) => void;
  /** Called when the stream of a connection ends, with the reason. */
  readonly onEnd: (error: unknown) => void;
}

/**
 * Opens the event stream of an HTTP+SSE server (MCP 2024-11-05), whose first event names the URL to post to.
 *
 * @returns Why there is no connection; undefined if there is one, and the requester knows the URL to post to.
 */
export async function connectSse({
  requester,
  reader,
  closed,
  onValue,
  onEnd,
}: SseConnectionContext): Promise<string | undefined> {
  let response: Response;
  try {
    response = await requester.fetch("GET", [], closed);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (!response.ok || mediaTypeOf(response) !== STREAM_TYPE) {
    discardBody(response);
    return `GET: ${response.status}`;
  }
  return new Promise((resolve) => {
    const handleOther = ({ type, data }: SseEvent): void => {
      if (type !== "endpoint" || requester.postUrl !== undefined) return;
      resolve(
        requester.setPostUrl(data)
          ? undefined
          : "its event stream names a URL at another origin to post to",
      );
    };
    reader
      .readEvents(response, new StreamPosition(), onValue, handleOther)
      .then(
        () => new Error("the server ended its event stream"),
        (error: unknown) => error,
      )
      .then((error) => {
        resolve("its stream ended before it named an endpoint");
        if (requester.postUrl !== undefined) onEnd(error);
      })
      .catch(() => undefined);
  });
}
