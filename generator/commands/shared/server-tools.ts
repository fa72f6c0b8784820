import type { JsonValue } from '../../read/json/json.js';
import type { ConnectOptions, ServerTarget } from '../../connect/target.js';
import { showProgress } from '../../terminal.js';
import { pathsOption, secondsOption, stringOption, stringsOption, type RawOptions } from './options.js';

/** The options of every command that connects to a server. */
export function parseConnectOptions(raw: RawOptions): ConnectOptions {
  return {
    headers: pathsOption(raw, 'header'),
    bearerEnv: stringOption(raw, 'bearerEnv'),
    env: pathsOption(raw, 'env'),
    envFile: stringOption(raw, 'envFile'),
    ca: stringOption(raw, 'ca'),
    timeoutSeconds: secondsOption(raw, 'timeout'),
    revisions: stringsOption(raw, 'revision'),
  };
}

/**
 * The tools of a server, as it lists them.
 *
 * @throws {@link McpgenError} if it returns none in time.
 */
export async function listServerTools(target: ServerTarget): Promise<readonly JsonValue[]> {
  showProgress('asking the server ...');
  // Imported only on demand: it loads a whole client.
  const { listTools } = await import('../../connect/list-tools.js');
  const { tools } = await listTools(target);
  showProgress('');
  return tools;
}
