/** Recordings of any size, as a server in use for weeks would leave behind. */
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';

/** The text of each answer has this many characters. */
const TEXT = 'The quick brown fox jumps over the lazy dog. '.repeat(12);
/** Lines that are written together. */
const LINES_AT_ONCE = 2000;

/**
 * Writes a recording of at least so many bytes: calls with progress and answers, lists, and now and then a request
 * without an answer, with large parameters, that what is remembered has to be bounded for.
 */
export async function writeLongLog(file: string, bytes: number): Promise<void> {
  const out = createWriteStream(file);
  let written = 0;
  let time = 0;
  const line = (from: 'client' | 'server', frame: unknown): string => {
    time += 0.25;
    return JSON.stringify({ from, time, frame });
  };
  const add = async (lines: readonly string[]): Promise<void> => {
    const text = `${lines.join('\n')}\n`;
    written += text.length;
    if (!out.write(text)) await once(out, 'drain');
  };
  await add([
    JSON.stringify({ recording: { version: 1, transport: 'stdio', revision: '2025-11-25' } }),
    line('client', {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    }),
    line('server', {
      jsonrpc: '2.0',
      id: 0,
      result: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      },
    }),
    line('client', { jsonrpc: '2.0', method: 'notifications/initialized' }),
  ]);
  for (let id = 1; written < bytes;) {
    const lines: string[] = [];
    while (lines.length < LINES_AT_ONCE) {
      const call = { name: `tool-${id % 20}`, arguments: { number: id, text: `${id} ${TEXT}` } };
      lines.push(
        line('client', {
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { ...call, _meta: { progressToken: `token-${id}` } },
        }),
      );
      // Nobody answers it.
      if (id % 50 === 0) {
        id += 1;
        continue;
      }
      for (const progress of [1, 2]) {
        const params = { progressToken: `token-${id}`, progress, total: 2 };
        lines.push(line('server', { jsonrpc: '2.0', method: 'notifications/progress', params }));
      }
      const result = { content: [{ type: 'text', text: `${id} ${TEXT}` }] };
      lines.push(line('server', { jsonrpc: '2.0', id, result }));
      id += 1;
    }
    await add(lines);
  }
  out.end();
  await once(out, 'finish');
}
