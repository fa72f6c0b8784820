/** The exchanges of findings as text, and a line for a shell that repeats them. */
import type { ServerTarget } from '../connect/target.js';
import { isObject, ownMember } from '../read/json/json.js';
import type { Entry } from '../recording/entry.js';
import { shellQuote } from '../text.js';
import type { Connection } from './raw/connection.js';
import { HttpConnection } from './raw/http.js';
import type { Evidence } from './report.js';

/** Longest text of a frame in a report, in characters. */
const MAX_TEXT_LENGTH = 2000;
/** Most frames of one side in a finding. */
const MAX_FRAMES = 6;
/** Longest line for a shell. */
const MAX_LINE_LENGTH = 6000;

/** What was sent and received in some entries of a connection. */
export function evidenceOf({ log }: Connection, frames: readonly number[]): Evidence {
  const entries = [...new Set(frames)]
    .sort((a, b) => a - b)
    .flatMap((frame) => log.entries[frame - 1] ?? [])
    .filter(({ content, http, end }) => content.kind !== 'none' || http !== undefined || end !== undefined);
  const side = (from: Entry['from']): readonly string[] =>
    entries
      .filter((entry) => entry.from === from)
      .slice(0, MAX_FRAMES)
      .map(entryText);
  return { sent: side('client'), received: side('server') };
}

/** An entry as a reader sees it on the wire. */
export function entryText({ content, http, end, from }: Entry): string {
  const body = cut(contentText(content));
  if (end !== undefined) {
    const how = end.signal ?? (end.code === undefined ? undefined : `code ${end.code}`);
    return from === 'client' ? '(input closed)' : `(exited${how === undefined ? '' : ` with ${how}`})`;
  }
  if (http?.kind === 'request') {
    const headers = Object.entries(http.headers).map(([name, value]) => `${name}: ${value}`);
    return [`${http.method} ${http.path}`, ...headers, ...(body === '' ? [] : ['', body])].join('\n');
  }
  if (http?.kind === 'response') {
    const type = http.headers['content-type'];
    return [`HTTP ${http.status}${type === undefined ? '' : ` ${type}`}`, ...(body === '' ? [] : ['', body])].join(
      '\n',
    );
  }
  if (http?.kind === 'end') return http.isComplete ? '(response complete)' : '(connection lost)';
  return body;
}

function contentText(content: Entry['content']): string {
  switch (content.kind) {
    case 'none':
      return '';
    case 'frame':
      return JSON.stringify(content.frame);
    case 'text':
      return content.text;
    case 'bytes':
      return `(bytes that are not UTF-8, base64) ${content.base64}`;
    case 'omitted':
      return `(${content.bytes} bytes) ${content.start}…`;
  }
}

function cut(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}

/** The command or the URL of a target, as a shell line has it. Values of variables and headers are not in it. */
export function targetWords(target: ServerTarget): string {
  if (target.kind === 'http') return shellQuote(target.url.href);
  const variables = Object.keys(target.env).map((name) => `${name}="$${name}"`);
  const words = [target.command, ...target.args].map(shellQuote).join(' ');
  const command = [...variables, words].join(' ');
  return target.cwd === undefined ? command : `cd ${shellQuote(target.cwd)} && ${command}`;
}

/**
 * A line that repeats the exchange: the handshake, and what the client sent in some entries.
 *
 * @returns Undefined if it would be too long, or the client sent nothing.
 */
export function againLine(target: ServerTarget, connection: Connection, frames: readonly number[]): string | undefined {
  const { log } = connection;
  const wanted = new Set(frames);
  const own = log.entries.filter(
    (entry, index) =>
      entry.from === 'client' && entry.end === undefined && (wanted.has(index + 1) || isHandshake(entry)),
  );
  if (!own.some((entry) => wanted.has(log.entries.indexOf(entry) + 1))) return undefined;
  // The address of messages is another one in each session of HTTP+SSE.
  if (connection instanceof HttpConnection && connection.isSse) return undefined;
  const line = target.kind === 'http' ? curlLine(target, own) : pipeLine(target, own);
  return line === undefined || line.length > MAX_LINE_LENGTH ? undefined : target.secrets.redact(line);
}

function isHandshake({ content }: Entry): boolean {
  if (content.kind !== 'frame' || !isObject(content.frame)) return false;
  const method = ownMember(content.frame, 'method');
  return method === 'initialize' || method === 'notifications/initialized';
}

function pipeLine(target: ServerTarget, entries: readonly Entry[]): string | undefined {
  if (entries.some(({ content }) => content.kind === 'omitted')) return undefined;
  const lines = entries.map(({ content }) => shellQuote(contentText(content)));
  // The pause lets the server answer before its input ends.
  return `(printf '%s\\n' ${lines.join(' ')}; sleep 3) | ${targetWords(target)}`;
}

/** A variable for the value of a header, which is not shown. */
function variableFor(name: string): string {
  return name === 'authorization' ? '$MCPGEN_AUTHORIZATION' : `$MCPGEN_${name.toUpperCase().replaceAll(/\W/g, '_')}`;
}

function curlLine(target: ServerTarget & { readonly kind: 'http' }, entries: readonly Entry[]): string | undefined {
  if (entries.some(({ content }) => content.kind === 'omitted')) return undefined;
  const url = shellQuote(target.url.href);
  const secrets = Object.keys(target.headers).map((name) => ` -H "${name}: ${variableFor(name)}"`);
  const usesSession = entries.some(
    ({ http }) => http?.kind === 'request' && Object.hasOwn(http.headers, 'mcp-session-id'),
  );
  const calls = entries.map(({ content, http }, index) => {
    if (http?.kind !== 'request') return '';
    const headers = Object.entries(http.headers).map(([name, value]) =>
      name === 'mcp-session-id' ? ' -H "mcp-session-id: $S"' : ` -H ${shellQuote(`${name}: ${value}`)}`,
    );
    const method = http.method === 'POST' ? '' : ` -X ${http.method}`;
    const body = http.method === 'POST' ? ` --data-binary ${shellQuote(contentText(content))}` : '';
    const call = `curl -sS -i -m 10${method} ${url}${secrets.join('')}${headers.join('')}${body}`;
    const isFirst = index === 0 && usesSession;
    return isFirst ? `S=$(${call} | sed -n 's/^mcp-session-id: *//Ip' | tr -d '\\r')` : call;
  });
  // A handshake without a session has nothing that later requests need.
  return (usesSession ? calls : calls.filter((_, index) => !isSetup(entries, index))).join('; ');
}

function isSetup(entries: readonly Entry[], index: number): boolean {
  const entry = entries[index];
  return entry !== undefined && index < entries.length - 1 && isHandshake(entry);
}
