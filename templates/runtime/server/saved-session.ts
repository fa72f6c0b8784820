/** The state of a stateful session as data, so that another process can go on with it. */
import { isObject } from "../jsonrpc/envelope.js";
import type { Implementation } from "../protocol/revision.js";
import type { ClientInfo } from "./types.js";

/** What a session of a stateful revision knows that did not come with the request. */
export interface SavedSession {
  readonly revision: string;
  readonly client: ClientInfo;
  /** Whether the client has confirmed `initialize`. */
  readonly isInitialized: boolean;
  /** The rank of the lowest level of the log messages that the client wants. */
  readonly minLogLevel: number;
  /** The resources that the client subscribed to. */
  readonly uris: readonly string[];
}

/** Where a connection goes on. */
export interface ResumedSession {
  readonly saved: SavedSession;
  /** The id of the first request to the client: none of an earlier connection of the session had it or a later one. */
  readonly firstRequestId: number;
}

/** Reads a stored state; undefined if it is not one. */
export function readSavedSession(value: unknown): SavedSession | undefined {
  if (!isObject(value) || !isObject(value["client"])) return undefined;
  const { revision, isInitialized, minLogLevel, uris } = value;
  const { info, capabilities } = value["client"];
  if (
    typeof revision !== "string" ||
    typeof isInitialized !== "boolean" ||
    typeof minLogLevel !== "number" ||
    !Array.isArray(uris) ||
    !isObject(capabilities)
  )
    return undefined;
  return {
    revision,
    client: {
      info: isObject(info) ? (info as unknown as Implementation) : undefined,
      capabilities,
    },
    isInitialized,
    minLogLevel,
    uris: uris.filter((uri): uri is string => typeof uri === "string"),
  };
}
