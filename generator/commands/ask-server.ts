import type { JsonValue } from '../read/json.js';
import { progress } from '../terminal.js';
import { seconds } from './options.js';

/**
 * The tools of a server, as it lists them.
 *
 * @param server - Its command, or its URL.
 * @param given - The flags; `--timeout` counts.
 * @param revisions - Those to try; all by default.
 * @throws {@link McpgenError} if it gives none in time.
 */
export async function askServer(
  server: string,
  given: Record<string, unknown>,
  revisions?: readonly string[],
): Promise<readonly JsonValue[]> {
  const timeout = seconds(given, 'timeout') * 1000;
  progress('asking the server ...');
  // Loaded only where a server is asked: it is a whole client.
  const { listTools } = await import('../connect/list-tools.js');
  const { tools } = await listTools(server, { timeout, ...(revisions === undefined ? {} : { revisions }) });
  progress('');
  return tools;
}
