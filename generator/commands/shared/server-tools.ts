import type { JsonValue } from '../../read/json/json.js';
import {
  refuseConnectOptions,
  type ConnectOptions,
  type LoginOptions,
  type ServerTarget,
} from '../../connect/target.js';
import { McpgenError } from '../../errors.js';
import { printToStderr, showProgress } from '../../terminal.js';
import { booleanOption, pathsOption, secondsOption, stringOption, stringsOption, type RawOptions } from './options.js';

/** The options of every command that connects to a server. */
export function parseConnectOptions(raw: RawOptions): ConnectOptions {
  return {
    headers: pathsOption(raw, 'header'),
    bearerEnv: stringOption(raw, 'bearerEnv'),
    env: pathsOption(raw, 'env'),
    envFile: stringOption(raw, 'envFile'),
    ca: stringOption(raw, 'ca'),
    login: parseLoginOptions(raw),
    timeoutSeconds: secondsOption(raw, 'timeout'),
    revisions: stringsOption(raw, 'revision'),
  };
}

/** @throws {@link McpgenError} if an option of the login is there without it. */
function parseLoginOptions(raw: RawOptions): LoginOptions | undefined {
  const clientId = stringOption(raw, 'clientId');
  const clientSecretEnv = stringOption(raw, 'clientSecretEnv');
  if (booleanOption(raw, 'login')) {
    if (clientSecretEnv === undefined || clientId !== undefined) return { clientId, clientSecretEnv, openPage };
    throw new McpgenError('needs the id of the client', {
      place: '--client-secret-env',
      remedy: 'Add --client-id ID.',
    });
  }
  const place =
    clientId !== undefined ? '--client-id' : clientSecretEnv !== undefined ? '--client-secret-env' : undefined;
  if (place === undefined) return undefined;
  throw new McpgenError('only applies to --login', { place, remedy: 'Add --login, or omit it.' });
}

/** Opens the page of a login in the browser of a user who is at a terminal, and prints its address in any case. */
async function openPage(url: URL): Promise<void> {
  showProgress('');
  printToStderr(`Log in on this page:\n  ${url.href}`);
  if (!process.stderr.isTTY || (process.env['CI'] ?? '') !== '') return;
  // Starts the browser without a shell. Imported on demand.
  const { default: open } = await import('open');
  // Without a browser, the user has the address.
  await open(url.href).catch(() => undefined);
}

/** The options of every command that reads servers from the file of a host. */
export interface McpConfigOptions extends ConnectOptions {
  readonly mcpConfig: string | undefined;
  readonly server: string | undefined;
  readonly inputs: ReadonlyMap<string, string>;
}

/** @throws {@link McpgenError} if an input has no id. */
export function parseMcpConfigOptions(raw: RawOptions): Pick<McpConfigOptions, 'mcpConfig' | 'server' | 'inputs'> {
  const inputs = new Map<string, string>();
  for (const item of pathsOption(raw, 'input') ?? []) {
    const equals = item.indexOf('=');
    if (equals < 1) {
      // The text may be a secret, so it is not repeated.
      throw new McpgenError('not an id and a value', { place: '--input', remedy: 'Write --input id=value.' });
    }
    inputs.set(item.slice(0, equals), item.slice(equals + 1));
  }
  return { mcpConfig: stringOption(raw, 'mcpConfig'), server: stringOption(raw, 'server'), inputs };
}

/** Rejects options of `--mcp-config` without it, and those that its file has instead. */
export function refuseMcpConfigOptions(options: McpConfigOptions): void {
  const { mcpConfig, server, inputs } = options;
  if (mcpConfig === undefined) {
    const place = server !== undefined ? '--server' : inputs.size > 0 ? '--input' : undefined;
    if (place === undefined) return;
    throw new McpgenError('only applies to --mcp-config', { place, remedy: 'Omit it.' });
  }
  refuseConnectOptions({ ...options, ca: undefined, login: undefined }, '--from-server');
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
