import type { JsonValue } from '../../read/json/json.js';
import { showProgress } from '../../terminal.js';
import { secondsOption } from './options.js';

/**
 * The tools of a server, as it lists them.
 *
 * @param server - Its command, or its URL.
 * @param options - The flags; `--timeout` counts.
 * @param revisions - Those to try; all by default.
 * @throws {@link McpgenError} if it gives none in time.
 */
export async function listServerTools(
  server: string,
  options: Record<string, unknown>,
  revisions?: readonly string[],
): Promise<readonly JsonValue[]> {
  const timeout = secondsOption(options, 'timeout') * 1000;
  showProgress('asking the server ...');
  // Loaded only where a server is asked: it is a whole client.
  const { listTools } = await import('../../connect/list-tools.js');
  const { tools } = await listTools(server, { timeout, ...(revisions === undefined ? {} : { revisions }) });
  showProgress('');
  return tools;
}
