import { parseJsonOrUndefined } from "../../jsonrpc/scan.js";
import { errorIn } from "./messages.js";

/** Beginning of a body that is searched. */
const MAX_TEXT_CHARS = 2000;

/** Codes with which servers report a missing session. Those of a method's own errors are not among them. */
const SESSION_ERROR_CODES: ReadonlySet<unknown> = new Set([
  -32000, -32001, -32600,
]);

/** What servers write about a session that they do not have, each in different words. */
const LOST_SESSION_TEXTS: readonly RegExp[] = [
  /\b(?:no|no valid|no such|no active|missing|invalid|unknown|expired) (?:mcp[- ])?session\b/i,
  /\b(?:invalid or missing|missing or invalid|invalid or expired) (?:mcp[- ])?session\b/i,
  /\bsession(?:[- ]?id)?(?: header)?(?: is| was| has been| has)? (?:required|missing|invalid|unknown|expired|not found|not valid|terminated|closed)\b/i,
  /\b(?:server|session) (?:is )?not (?:yet )?initialized\b/i,
];

/**
 * Whether a rejection says that the server does not have the session of the request. By the specification that is 404
 * (MCP 2025-11-25, Streamable HTTP, session management). Servers on the official SDKs that keep their sessions in memory
 * often answer with 400 after a restart, and only the text tells that from another invalid request.
 */
export function isSessionLost(status: number, text: string): boolean {
  if (status === 404) return true;
  if (status !== 400) return false;
  const error = errorIn(parseJsonOrUndefined(text));
  if (error !== undefined && !SESSION_ERROR_CODES.has(error["code"]))
    return false;
  const message = error?.["message"] ?? text;
  if (typeof message !== "string") return false;
  const start = message.slice(0, MAX_TEXT_CHARS);
  return LOST_SESSION_TEXTS.some((pattern) => pattern.test(start));
}
