import type { RequestId } from "../../jsonrpc/message.js";
import type { HeaderFields } from "./call.js";

/** The headers of an error response. */
export const ERROR_HEADERS: HeaderFields = {
  "content-type": "application/json",
};

/** The response to a client that accepts only JSON, if the response must be a stream. */
export const STREAM_NOT_ACCEPTED =
  "the response is a stream: Accept must list text/event-stream";

/** Serializes an error response; without a request, it has no id. */
export function encodeErrorResponse(
  code: number,
  message: string,
  id?: RequestId | null,
  data?: unknown,
): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    ...(id === undefined ? {} : { id }),
    error: { code, message, ...(data === undefined ? {} : { data }) },
  });
}
