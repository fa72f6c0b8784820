/**
 * Severities of log messages.
 */

/** The lowest first (RFC 5424). */
const LOG_LEVELS: readonly string[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** The rank of a log level: 0 for `debug`, 7 for `emergency`, -1 for an unknown one. */
export function severityOf(level: string): number {
  return LOG_LEVELS.indexOf(level);
}
