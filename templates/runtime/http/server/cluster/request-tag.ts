/** Names the requests of a stream in its event ids, for a process that does not know the stream. */
import type { RequestId } from "../../../jsonrpc/message.js";

/** The longest JSON text of ids that is repeated in each event id. */
const MAX_IDS_CHARS = 96;

/** The requests of a stream. */
export interface TaggedRequests {
  readonly ids: readonly RequestId[];
  readonly isBatch: boolean;
}

/**
 * Writes the requests of a stream as a part of event ids, in characters that any header may have. Undefined if that is
 * too long.
 */
export function requestTag({
  ids,
  isBatch,
}: TaggedRequests): string | undefined {
  const json = JSON.stringify(isBatch ? ids : ids[0]);
  if (json.length > MAX_IDS_CHARS) return undefined;
  // Each byte as two digits: it needs no decoder that a platform might lack.
  return Array.from(new TextEncoder().encode(json), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** Reads what {@link requestTag} wrote; undefined for any other text, which a client may have made up. */
export function parseRequestTag(tag: string): TaggedRequests | undefined {
  const bytes = tag.match(/../gu) ?? [];
  try {
    const json = new TextDecoder("utf-8", { fatal: true }).decode(
      Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)),
    );
    const value: unknown = JSON.parse(json);
    const isBatch = Array.isArray(value);
    const ids = [value].flat();
    return ids.length > 0 && ids.every(isRequestId)
      ? { ids, isBatch }
      : undefined;
  } catch {
    return undefined;
  }
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}
