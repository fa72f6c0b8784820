import type { JsonValue } from '../../read/json/json.js';
import { showProgress } from '../../terminal.js';

/**
 * The tools of a server, as it lists them.
 *
 * @param server - Its command, or its URL.
 * @param timeoutSeconds - Time limit for all of it.
 * @param revisions - The revisions to try; all by default.
 * @throws {@link McpgenError} if it returns none in time.
 */
export async function listServerTools(
  server: string,
  timeoutSeconds: number,
  revisions?: readonly string[],
): Promise<readonly JsonValue[]> {
  showProgress('asking the server ...');
  // Imported only on demand: it loads a whole client.
  const { listTools } = await import('../../connect/list-tools.js');
  const { tools } = await listTools(server, {
    timeout: timeoutSeconds * 1000,
    ...(revisions === undefined ? {} : { revisions }),
  });
  showProgress('');
  return tools;
}
