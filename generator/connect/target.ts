/** Which server to connect to, with its credentials. */
import path from 'node:path';
import { McpgenError } from '../errors.js';
import { isUrl, splitCredentials } from '../read/fetch.js';
import { readTextFile } from '../read/files.js';
import { displayUrl, splitCommand, withoutCredentials } from '../text.js';
import { isSecretName, Secrets } from './secrets.js';
import { expandVariables, requireVariable } from './variables.js';

/** The environment variable with a bearer token for a server over HTTP. */
export const TOKEN_VARIABLE = 'MCP_TOKEN';

/** A server over HTTP. */
export interface HttpTarget {
  readonly kind: 'http';
  /** Without user and password. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Certificate authorities in addition to those of Node, in PEM format. */
  readonly ca: string | undefined;
  /** How to log in; undefined without `--login`. */
  readonly login: LoginSettings | undefined;
}

/** How a user logs in to servers. */
export interface LoginOptions {
  /** The id of a client that is registered at the authorization server. */
  readonly clientId: string | undefined;
  /** The variable with its secret. */
  readonly clientSecretEnv: string | undefined;
  /** Has the user open a page. */
  readonly openPage: (url: URL) => Promise<void>;
}

/** How to log in to one server. */
export interface LoginSettings extends Pick<LoginOptions, 'clientId' | 'openPage'> {
  readonly clientSecret: string | undefined;
}

/** A server that is a program. */
export interface StdioTarget {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Variables in addition to those of mcpgen's own environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/** A server to connect to. */
export type ServerTarget = (HttpTarget | StdioTarget) & {
  /** What names it in messages, such as an option with its value. */
  readonly place: string;
  readonly secrets: Secrets;
  readonly timeoutMs: number;
  /** Names of the revisions to try; all by default. With stateful ones only, `initialize` is the first message. */
  readonly revisions: readonly string[] | undefined;
};

/** The options of every command that connects to a server. */
export interface ConnectOptions {
  /** Headers, each as `Name: value`. */
  readonly headers: readonly string[] | undefined;
  /** The variable with a bearer token. */
  readonly bearerEnv: string | undefined;
  /** Variables, each as `NAME=value`. */
  readonly env: readonly string[] | undefined;
  /** A file with variables. */
  readonly envFile: string | undefined;
  /** A file with certificate authorities. */
  readonly ca: string | undefined;
  readonly login: LoginOptions | undefined;
  readonly timeoutSeconds: number;
  /** Revisions to try. */
  readonly revisions: readonly string[] | undefined;
}

/** The options that are credentials, by the members of {@link ConnectOptions}. */
export const CONNECT_FLAGS = {
  headers: '--header',
  bearerEnv: '--bearer-env',
  env: '--env',
  envFile: '--env-file',
  ca: '--ca',
  login: '--login',
} as const;

/**
 * The server that a command line names.
 *
 * @param server - A command with its arguments, or a URL.
 * @param place - What names it in messages.
 * @throws {@link McpgenError} if an option is invalid, does not apply, or would send credentials unencrypted.
 */
export function resolveTarget(
  server: string,
  options: ConnectOptions,
  place = `--from-server ${server}`,
): ServerTarget {
  const secrets = new Secrets();
  const general = { place, secrets, timeoutMs: options.timeoutSeconds * 1000, revisions: options.revisions };
  if (isUrl(server)) {
    refuseOptions(options, ['env', 'envFile'], 'a URL', 'Use --header or --bearer-env.');
    if (!URL.canParse(server)) {
      throw new McpgenError('not a valid URL', {
        place,
        remedy: 'Pass the full URL, such as https://example.com/mcp.',
      });
    }
    const headers = (options.headers ?? []).map((header) => parseHeader(header, secrets));
    if (options.bearerEnv !== undefined) {
      const token = requireVariable(options.bearerEnv, CONNECT_FLAGS.bearerEnv).trim();
      secrets.add(token, true);
      headers.push(checkedHeader('authorization', `Bearer ${token}`, CONNECT_FLAGS.bearerEnv, true));
    }
    return { kind: 'http', ...httpTarget(server, headers, options, place, secrets), ...general };
  }
  refuseOptions(options, ['headers', 'bearerEnv', 'ca', 'login'], 'a command', 'Use --env or --env-file.');
  const words = splitCommand(server);
  const [command, ...args] = words ?? [];
  if (command === undefined) {
    throw new McpgenError(words === undefined ? 'a quote is not closed' : 'the command is empty', {
      place: place === `--from-server ${server}` ? `--from-server ${JSON.stringify(server)}` : place,
      remedy: 'Pass a command with its arguments, such as "node dist/index.js", or a URL.',
    });
  }
  for (const word of words ?? []) secrets.addUrl(word);
  const env: Record<string, string> = {};
  if (options.envFile !== undefined) Object.assign(env, readEnvFile(options.envFile, CONNECT_FLAGS.envFile, secrets));
  for (const item of options.env ?? []) Object.assign(env, parseVariable(item, secrets));
  return { kind: 'stdio', command, args, env, cwd: undefined, ...general };
}

/** A header that a request sends. */
export interface Header {
  /** In lower case. */
  readonly name: string;
  readonly value: string;
  /** The option or the member of a file that it is from. */
  readonly place: string;
  /** Whether it must not be sent unencrypted to another machine. */
  readonly isSecret: boolean;
}

/**
 * A server over HTTP with its headers. User and password of the URL take precedence over `MCP_TOKEN`, and headers over
 * both.
 *
 * @throws {@link McpgenError} if credentials would be sent unencrypted to another machine.
 */
export function httpTarget(
  address: string,
  headers: readonly Header[],
  { ca: caFile, login }: Pick<ConnectOptions, 'ca' | 'login'>,
  place: string,
  secrets: Secrets,
): Omit<HttpTarget, 'kind'> {
  secrets.addUrl(address);
  const { url, headers: basic } = splitCredentials(new URL(address));
  const isEncrypted = url.protocol === 'https:' || isLoopback(url);
  const authorization = headers.find(({ name }) => name === 'authorization')?.place;
  const credentials = authorization ?? ('authorization' in basic ? place : undefined);
  if (login !== undefined && credentials !== undefined) {
    throw new McpgenError('cannot be combined with other credentials', {
      place: CONNECT_FLAGS.login,
      remedy: `Omit it, or ${withoutCredentials(credentials)}.`,
    });
  }
  const secret =
    headers.find(({ isSecret }) => isSecret)?.place ??
    credentials ??
    (login === undefined ? undefined : CONNECT_FLAGS.login);
  if (!isEncrypted && secret !== undefined) {
    throw new McpgenError('credentials are not sent unencrypted to another machine', {
      place: withoutCredentials(secret),
      remedy: `Use https instead of ${displayUrl(url.origin)}.`,
    });
  }
  const token = login === undefined ? (process.env[TOKEN_VARIABLE] ?? '') : '';
  if (token !== '') secrets.add(token, true);
  if ('authorization' in basic) secrets.add(basic['authorization'] ?? '', true);
  return {
    url,
    headers: {
      ...(token === '' || !isEncrypted ? {} : { authorization: `Bearer ${token}` }),
      ...basic,
      ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
    },
    ca: caFile === undefined ? undefined : readCertificates(caFile),
    login: login === undefined ? undefined : resolveLogin(login, secrets),
  };
}

function resolveLogin({ clientId, clientSecretEnv, openPage }: LoginOptions, secrets: Secrets): LoginSettings {
  if (clientSecretEnv === undefined) return { clientId, openPage, clientSecret: undefined };
  const clientSecret = requireVariable(clientSecretEnv, '--client-secret-env').trim();
  secrets.add(clientSecret, true);
  return { clientId, openPage, clientSecret };
}

/** Whether a URL leads to this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:(?:[^.]+\.)*localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

function refuseOptions(
  options: ConnectOptions,
  names: readonly (keyof typeof CONNECT_FLAGS)[],
  kind: string,
  remedy: string,
): void {
  const name = names.find((item) => options[item] !== undefined);
  if (name === undefined) return;
  throw new McpgenError(`does not apply to ${kind}`, { place: CONNECT_FLAGS[name], remedy });
}

/** Rejects the options that need a server where no server was given. */
export function refuseConnectOptions(options: ConnectOptions, flag: string): void {
  for (const [name, place] of Object.entries(CONNECT_FLAGS)) {
    if (options[name as keyof typeof CONNECT_FLAGS] === undefined) continue;
    throw new McpgenError(`only applies to ${flag}`, { place, remedy: 'Omit it.' });
  }
}

/** Headers that only the transport sets. */
const RESERVED_HEADERS = /^(?:accept|content-type|content-length|host|last-event-id|mcp-.*)$/;

function parseHeader(header: string, secrets: Secrets): Header {
  const colon = header.indexOf(':');
  const name = header.slice(0, Math.max(0, colon)).trim();
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
    // The text may be a secret, so it is not repeated.
    throw new McpgenError('not a name and a value', {
      place: CONNECT_FLAGS.headers,
      remedy: "Write 'Name: value', such as 'Authorization: Bearer ${TOKEN}'.",
    });
  }
  const place = `${CONNECT_FLAGS.headers} ${name}`;
  const { text, values } = expandVariables(header.slice(colon + 1).trim(), place);
  const isSecret = values.length > 0 || isSecretName(name);
  for (const value of [text, ...values]) secrets.add(value, isSecret);
  return checkedHeader(name, text, place, isSecret);
}

/** @throws {@link McpgenError} if the header is invalid, or reserved for the transport. */
export function checkedHeader(givenName: string, value: string, place: string, isSecret: boolean): Header {
  const name = givenName.toLowerCase();
  if (RESERVED_HEADERS.test(name)) {
    throw new McpgenError('the header is reserved for the transport', { place, remedy: 'Omit it.' });
  }
  try {
    new Headers([[name, value]]);
  } catch {
    throw new McpgenError('the value has characters that a header cannot have', {
      place,
      remedy: 'Remove line breaks and characters outside Latin-1.',
    });
  }
  return { name, value, place, isSecret };
}

function parseVariable(item: string, secrets: Secrets): Readonly<Record<string, string>> {
  const equals = item.indexOf('=');
  const name = item.slice(0, Math.max(0, equals));
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    throw new McpgenError('not a name and a value', {
      place: CONNECT_FLAGS.env,
      remedy: "Write NAME=value, such as 'API_KEY=${API_KEY}'.",
    });
  }
  const { text, values } = expandVariables(item.slice(equals + 1), `${CONNECT_FLAGS.env} ${name}`);
  for (const value of [text, ...values]) secrets.add(value, values.length > 0 || isSecretVariable(name, value));
  return { [name]: text };
}

/** Whether the value of a variable is a secret: by its name, or since it is a URL with a password. */
export function isSecretVariable(name: string, value: string): boolean {
  return isSecretName(name) || /:\/\/[^/\s]*:[^/\s]*@/.test(value);
}

/** A line of a file with variables: `NAME=value`, with quotes, `export` and a comment if there are any. */
const ENV_LINE =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*(?:"((?:\\[^]|[^"\\])*)"|'([^']*)'|`([^`]*)`|([^\r\n]*?))[ \t]*(?:[ \t]#[^\r\n]*)?$/gm;

/**
 * The variables of a file with lines `NAME=value`. References in it are not expanded.
 *
 * @throws {@link McpgenError} if it cannot be read.
 */
export function readEnvFile(file: string, place: string, secrets: Secrets): Readonly<Record<string, string>> {
  const text = withOptionPlace(place, () => readTextFile(file)).replaceAll('\r\n', '\n');
  const env: Record<string, string> = {};
  for (const [, name = '', double, single, backtick, plain = ''] of text.matchAll(ENV_LINE)) {
    const value = double?.replace(/\\([nrt"\\])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
    const result = value ?? single ?? backtick ?? (plain.startsWith('#') ? '' : plain);
    secrets.add(result, isSecretVariable(name, result));
    env[name] = result;
  }
  return env;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function readCertificates(file: string): string {
  const text = withOptionPlace(CONNECT_FLAGS.ca, () => readTextFile(file));
  if (/-----BEGIN (?:TRUSTED )?CERTIFICATE-----/.test(text)) return text;
  throw new McpgenError('the file contains no certificate in PEM format', {
    place: `${CONNECT_FLAGS.ca} ${path.relative('.', file) || file}`,
    remedy: 'Convert it: openssl x509 -inform der -in FILE -out ca.pem.',
  });
}

/** Names the option in errors about its file. */
function withOptionPlace<T>(option: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof McpgenError)) throw error;
    throw new McpgenError(error.message, {
      place: `${option} ${error.place ?? ''}`.trim(),
      ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
      cause: error,
    });
  }
}
