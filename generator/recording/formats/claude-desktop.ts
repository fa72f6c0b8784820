import type { LogLine } from './log-line.js';

/**
 * The files `mcp-server-<name>.log` and `mcp.log` of Claude Desktop:
 *
 *     2025-03-10T17:03:18.764Z [demo] [info] Message from client: {"method":"initialize",...}
 *
 * Some versions have the level before the name, and add `{ metadata: undefined }`.
 */
const MESSAGE = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) \[([^\]]*)\] \[([^\]]*)\] Message from (client|server): (.*)$/s;

/** The beginning of what a server wrote that is not JSON, as the error of `JSON.parse` quotes it. */
const NOT_JSON =
  /^(\d{4}-\d\d-\d\dT[\d:.]+Z) \[([^\]]*)\] \[([^\]]*)\] Unexpected token [^,]*, "(.*?)"(?:\.\.\.)? is not valid JSON/s;

const LEVELS = new Set(['info', 'error', 'warn', 'warning', 'debug']);

/** Reads a line of the log; undefined if it is no message. */
export function readClaudeDesktopLine(line: string): LogLine | undefined {
  const [, time, first = '', second = '', from, text = ''] = MESSAGE.exec(line) ?? [];
  const server = LEVELS.has(first) ? second : first;
  if (time !== undefined) {
    return {
      server,
      time: Date.parse(time),
      from: from === 'client' ? 'client' : 'server',
      text: text.replace(/ \{ metadata: undefined \}$/, ''),
    };
  }
  const [, when, one = '', two = '', excerpt] = NOT_JSON.exec(line) ?? [];
  if (when === undefined || excerpt === undefined) return undefined;
  return { server: LEVELS.has(one) ? two : one, time: Date.parse(when), from: 'server', text: excerpt };
}
