import { memoryPair } from '../../generated/runtime/memory.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import type { JsonObject } from '../../generator/read/json/json.js';
import type { Entry } from '../../generator/recording/entry.js';
import { type Matchers } from '../../generator/replay/matchers.js';
import { playScript, type PlayResult } from '../../generator/replay/play.js';
import { readScript } from '../../generator/replay/script.js';

export const DEFAULTS: Matchers = { isExact: false, ignored: [], patterns: [] };

/** Entries in one line each: `> ` is of the client, `< ` of the server. */
export function entriesOf(lines: readonly string[]): readonly Entry[] {
  return lines.map((line) => ({
    from: line.startsWith('>') ? 'client' : 'server',
    content: { kind: 'frame', frame: { jsonrpc: '2.0', ...(JSON.parse(line.slice(2)) as JsonObject) } },
  }));
}

export type Send = (message: JsonObject) => void;

/** Plays a recording against a server that handles each message. */
export async function play(
  lines: readonly string[],
  handle: (message: JsonObject, send: Send, server: Transport) => void,
  options: { timeoutMs?: number; matchers?: Matchers } = {},
): Promise<PlayResult & { readonly received: readonly JsonObject[] }> {
  const [client, server] = memoryPair();
  const received: JsonObject[] = [];
  server.onmessage = (value) => {
    received.push(value as JsonObject);
    handle(value as JsonObject, (message) => void server.send({ jsonrpc: '2.0', ...message }), server);
  };
  await server.start();
  const { timeoutMs = 2000, matchers = DEFAULTS } = options;
  const result = await playScript(client, readScript(entriesOf(lines)), { timeoutMs, matchers });
  return { ...result, received };
}

/** The differences in short. */
export const short = ({ differences }: PlayResult): readonly unknown[] =>
  differences.map((item) =>
    item.kind === 'changed'
      ? [item.what, item.method, item.values.map(({ pointer, expected, found }) => [pointer, expected, found])]
      : [item.kind, item.what, item.method],
  );
