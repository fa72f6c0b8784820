import type { LogLine } from './log-line.js';

/**
 * The MCP output of Visual Studio Code at the level trace:
 *
 *     2026-01-06 14:50:03.933 [trace] [editor -> server] {"jsonrpc":"2.0",...}
 *
 * Copies of it often lack the time; versions before 1.100 wrote `[Client Says]`.
 */
const MESSAGE =
  /^(?:(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) \[\w+\] |\[\w+\] )?\[(editor -> server|server -> editor|Client Says|Server Says)\] (.*)$/s;

/** What a server wrote that is not JSON, as a JSON string. */
const NOT_JSON = /^(?:(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) \[\w+\] |\[\w+\] )?Failed to parse message: (".*")$/s;

/** Reads a line of the output; undefined if it is no message. The times are local ones. */
export function readVsCodeLine(line: string): LogLine | undefined {
  const [, time, who, text = ''] = MESSAGE.exec(line) ?? [];
  if (who !== undefined) {
    const from = who === 'editor -> server' || who === 'Client Says' ? 'client' : 'server';
    return { server: undefined, time: readTime(time), from, text };
  }
  const [, when, quoted] = NOT_JSON.exec(line) ?? [];
  if (quoted === undefined) return undefined;
  let noise = quoted;
  try {
    noise = JSON.parse(quoted) as string;
  } catch {
    // It is shown as it is.
  }
  return { server: undefined, time: readTime(when), from: 'server', text: noise.trimEnd() };
}

function readTime(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text.replace(' ', 'T'));
}
