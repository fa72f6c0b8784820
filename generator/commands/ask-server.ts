import { McpgenError } from '../errors.js';
import type { JsonValue } from '../read/json.js';
import { progress } from '../terminal.js';
import { text } from './options.js';

/**
 * The tools of a server, as it lists them.
 *
 * @param server - Its command, or its URL.
 * @param given - The flags; `--timeout` counts.
 * @throws {@link McpgenError} if it gives none in time.
 */
export async function askServer(server: string, given: Record<string, unknown>): Promise<readonly JsonValue[]> {
  const seconds = Number(text(given, 'timeout') ?? '30');
  if (!(seconds > 0 && seconds <= 3600)) {
    throw new McpgenError('a number of seconds is expected, up to an hour', {
      place: '--timeout',
      remedy: 'As in --timeout 60.',
    });
  }
  progress('asking the server ...');
  // Loaded only where a server is asked: it is a whole client.
  const { listTools } = await import('../connect/list-tools.js');
  const { tools } = await listTools(server, seconds * 1000);
  progress('');
  return tools;
}
