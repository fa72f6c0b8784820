import { STANDARD_ERROR_CODES } from "../../jsonrpc/error-codes.js";
import type { RequestId } from "../../jsonrpc/message.js";
import type { HeaderFields } from "./call.js";

/** The headers of an error response. */
export const ERROR_HEADERS: HeaderFields = {
  "content-type": "application/json",
};

/** The response to a client that accepts only JSON, if the response must be a stream. */
export const STREAM_NOT_ACCEPTED =
  "the response is a stream: Accept must list text/event-stream";

/** The error of a request whose process has stopped. Whether a tool did its work is not known. */
const LOST_REQUEST =
  "the process that handled this request has stopped; it may have run";

/**
 * Serializes the responses to requests whose outcome is not known.
 *
 * @param isBatch - Whether they came in an array, which has one response.
 */
export function encodeLostRequests(
  ids: readonly RequestId[],
  isBatch: boolean,
): string {
  const errors = ids.map((id) =>
    encodeErrorResponse(STANDARD_ERROR_CODES.INTERNAL_ERROR, LOST_REQUEST, id),
  );
  return isBatch ? `[${errors.join(",")}]` : (errors[0] ?? "");
}

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
