/**
 * Reading the answers of a server to the revisions that the client offers.
 */
import { RpcError } from "../jsonrpc/error-codes.js";
import { STATELESS_ERROR_CODES, truncate } from "../protocol/revision.js";

export const DEFAULT_PROBE_TIMEOUT_MS = 5000;

/**
 * Whether an older revision would fare no better: the server is a stateless one that finds fault with what was sent (MCP
 * 2026-07-28, Streamable HTTP, backward compatibility), or the transport says so, such as for want of authorization.
 */
export function isFinalError(error: unknown): boolean {
  if (error instanceof RpcError)
    return (
      error.code === STATELESS_ERROR_CODES.HEADER_MISMATCH ||
      error.code === STATELESS_ERROR_CODES.MISSING_CLIENT_CAPABILITY
    );
  return (error as { readonly isFinal?: unknown } | null)?.isFinal === true;
}

/** Versions of a server that are looked at; there are not so many. */
export const MAX_OFFERED_VERSIONS = 100;

/** What a stateless server says that it speaks when it refuses a version; undefined if it did not say so. */
export function supportedVersionsIn(
  error: unknown,
): readonly string[] | undefined {
  if (
    !(error instanceof RpcError) ||
    error.code !== STATELESS_ERROR_CODES.UNSUPPORTED_VERSION
  )
    return undefined;
  const { supported } = (error.data ?? {}) as { readonly supported?: unknown };
  return Array.isArray(supported)
    ? supported
        .filter((item): item is string => typeof item === "string")
        .slice(0, MAX_OFFERED_VERSIONS)
        .map(truncate)
    : [];
}
