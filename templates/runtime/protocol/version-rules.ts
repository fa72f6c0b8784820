/** Rules that depend only on the name of a revision. The names sort by date. */

/** The first revision without sessions: each request is self-contained. */
const FIRST_STATELESS = "2026-07-28";

/** From this revision on, the id of an error response is optional and never null. */
const UNREAD_ID_ABSENT_FROM = "2025-11-25";

/** From this revision on, an event may have only an id (MCP 2025-11-25, Streamable HTTP). */
const PRIMING_EVENTS_FROM = "2025-11-25";

/**
 * The request that either side may send at any time, even before `initialize`, and that needs no handler (MCP, ping).
 */
export const PING = "ping";

/** The revision of HTTP requests without a version header (MCP 2025-06-18, Streamable HTTP, protocol version header). */
export const VERSION_WITHOUT_HEADER = "2025-03-26";

/** The revision that defines the HTTP+SSE transport. */
export const SSE_VERSION = "2024-11-05";

/** The first revision with `audio` blocks. */
const AUDIO_FROM = "2025-03-26";

/** The first revision with `resource_link` blocks. */
const RESOURCE_LINKS_FROM = "2025-06-18";

/** The first revision whose forms may have titled choices, lists, and defaults of all fields. */
const RICH_FORMS_FROM = "2025-11-25";

/** The identifier of the extension for tasks (Tasks extension, Extension Identifier). */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** The `_meta` member that names a message's task (MCP 2025-11-25, tasks, Related Task Metadata). */
export const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** The first revision with tasks. */
const CORE_TASKS_FROM = "2025-11-25";

/** Whether a revision has no sessions. */
export function isStatelessVersion(version: string): boolean {
  return version >= FIRST_STATELESS;
}

/**
 * The id of an error response to a message without a readable id. From 2025-11-25 on, the schemas make the id of an
 * error response optional and never null, so it is absent. Earlier schemas require an id that is not null, so JSON-RPC
 * 2.0 (5, Response object) decides: null.
 */
export function unreadIdPolicy(version: string): "null" | "absent" {
  return version >= UNREAD_ID_ABSENT_FROM ? "absent" : "null";
}

/** Whether an HTTP stream may begin with an event that has only an id. */
export function hasPrimingEvents(version: string): boolean {
  return version >= PRIMING_EVENTS_FROM;
}

/** Whether results of a revision may contain `audio` blocks. */
export function hasAudio(version: string): boolean {
  return version >= AUDIO_FROM;
}

/** Whether results of a revision may contain `resource_link` blocks. */
export function hasResourceLinks(version: string): boolean {
  return version >= RESOURCE_LINKS_FROM;
}

/** Whether forms of a revision may have titled choices, lists, and defaults of fields that are not booleans. */
export function hasRichForms(version: string): boolean {
  return version >= RICH_FORMS_FROM;
}

/** Whether tasks are part of a revision itself: in 2025-11-25 only. Later they are an extension. */
export function hasCoreTasks(version: string): boolean {
  return version >= CORE_TASKS_FROM && version < FIRST_STATELESS;
}
