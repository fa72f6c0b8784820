/** Connects to a server, with our own generated client. */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import * as tls from 'node:tls';
import type { Dispatcher } from 'undici';
import { revision as revision20260728 } from '../../generated/2026-07-28/revision.js';
import { BaseClient } from '../../generated/runtime/client.js';
import { httpClientTransport, type Fetch } from '../../generated/runtime/http-client.js';
import { defaultEnvironment, stdioClientTransport } from '../../generated/runtime/stdio-client.js';
import { abortable } from '../../generated/runtime/jsonrpc/abort.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { McpgenError } from '../errors.js';
import { proxyAgent } from '../read/fetch.js';
import { REVISIONS } from '../revisions.js';
import { isLoopback, TOKEN_VARIABLE, type HttpTarget, type ServerTarget } from './target.js';

/** Most characters of a server's log that are kept. */
const MAX_LOG_LENGTH = 4096;
/** Most lines of a server's log in an error. */
const MAX_LOG_LINES = 5;

/** Settings of the client, in addition to its name. */
type ClientSettings = Partial<Omit<ConstructorParameters<typeof BaseClient>[1], 'info'>>;

/** A connection that is open while {@link withServer} runs. */
export interface Connection {
  readonly client: BaseClient;
  /** Aborted at the time limit. */
  readonly options: { readonly signal: AbortSignal; readonly timeout: number };
}

/**
 * Connects to a server, does something with the connection, and closes it. For a URL, `HTTPS_PROXY`, `HTTP_PROXY` and
 * `NO_PROXY` are respected; a server on this machine is never reached through a proxy.
 *
 * @param action - What to do.
 * @param purpose - What is wrong if it fails: `the server did not return a list of tools:`.
 * @throws {@link McpgenError} if the server does not start, does not respond in time, or the action throws; without the
 *   credentials of the target.
 */
export async function withServer<T>(
  target: ServerTarget,
  purpose: string,
  action: (connection: Connection) => Promise<T>,
  settings: ClientSettings = {},
): Promise<T> {
  const { timeoutMs, revisions, secrets } = target;
  let log = '';
  const dispatcher = target.kind === 'http' ? await createDispatcher(target) : undefined;
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  // A user who logs in has more time.
  const onWait = (isWaiting: boolean): void => {
    clearTimeout(timer);
    if (isWaiting || isOver) return;
    timer = setTimeout(() => {
      controller.abort(new Error(`timed out after ${timeoutMs / 1000} s`));
    }, timeoutMs);
  };
  onWait(false);
  const hasLogin = target.kind === 'http' && target.login !== undefined;
  const client = new BaseClient(
    REVISIONS.filter(({ version }) => revisions?.includes(version) ?? true),
    // A faulty list still has tools; their faults are reported one at a time.
    {
      info: { name: 'mcpgen', version: '1.0.0' },
      validateResults: false,
      probeTimeout: hasLogin ? Number.POSITIVE_INFINITY : Math.min(5000, timeoutMs / 3),
      ...settings,
    },
  );
  try {
    const onLog = (chunk: Uint8Array): void => {
      log = (log + new TextDecoder().decode(chunk)).slice(-MAX_LOG_LENGTH);
    };
    const transport = await createTransport(target, dispatcher, onLog, onWait);
    const options = { signal: controller.signal, timeout: hasLogin ? Number.POSITIVE_INFINITY : timeoutMs };
    await abortable(client.connect(transport, options), controller.signal);
    return await abortable(action({ client, options }), controller.signal);
  } catch (error) {
    if (error instanceof McpgenError) throw error;
    const { reason, remedy } = explainFailure(error, log, target);
    const isLimited = revisions !== undefined && revisions.length < REVISIONS.length;
    const speaks = isLimited ? `MCP ${revisions.join(' or ')}` : 'MCP';
    throw new McpgenError(`${purpose} ${secrets.redact(reason)}`, {
      place: secrets.redact(target.place),
      remedy: remedy ?? `Check that it runs and speaks ${speaks}; --timeout SECONDS allows more time.`,
      // Its message and its log may contain credentials.
    });
  } finally {
    isOver = true;
    clearTimeout(timer);
    await client.close().catch(() => undefined);
    await dispatcher?.destroy();
  }
}

/** Whether an empty cursor is valid, as since 2026-07-28 (MCP, pagination). */
export function allowsEmptyCursor(client: BaseClient): boolean {
  return client.revision === revision20260728.version;
}

/** A dispatcher for a proxy or for other certificate authorities; undefined if the platform's default does. */
export async function createDispatcher({ url, ca }: HttpTarget): Promise<Dispatcher | undefined> {
  const connect = ca === undefined ? undefined : { ca: [...defaultAuthorities(), ca] };
  const proxy = isLoopback(url) ? undefined : await proxyAgent(connect);
  if (proxy !== undefined || connect === undefined) return proxy;
  const undici = await import('undici');
  return new undici.Agent({ connect });
}

/** The certificate authorities that Node trusts; the option `ca` replaces them. */
function defaultAuthorities(): readonly string[] {
  const { getCACertificates } = tls as { readonly getCACertificates?: (type: 'default') => string[] };
  if (getCACertificates !== undefined) return getCACertificates('default');
  const extra = process.env['NODE_EXTRA_CA_CERTS'];
  if (extra === undefined || extra === '') return tls.rootCertificates;
  try {
    return [...tls.rootCertificates, readFileSync(extra, 'utf8')];
  } catch {
    // Node ignores a file that it cannot read, with a warning.
    return tls.rootCertificates;
  }
}

async function createTransport(
  target: ServerTarget,
  dispatcher: Dispatcher | undefined,
  onLog: (chunk: Uint8Array) => void,
  onWait: (isWaiting: boolean) => void,
): Promise<Transport> {
  if (target.kind === 'http') {
    const { url, headers, login, secrets } = target;
    // Imported on demand.
    const { loginProvider } = login === undefined ? {} : await import('./login.js');
    const authProvider = login === undefined ? undefined : loginProvider?.(login, onWait, secrets);
    if (dispatcher === undefined) return httpClientTransport({ url, headers, authProvider });
    const undici = await import('undici');
    // The same standard, typed differently.
    const fetchThrough = undici.fetch as unknown as (
      url: string | URL,
      init: Omit<RequestInit, 'dispatcher'> & { readonly dispatcher: Dispatcher },
    ) => Promise<Response>;
    const fetch: Fetch = (to, init) => fetchThrough(to, { ...init, dispatcher });
    return httpClientTransport({ url, headers, authProvider, fetch });
  }
  const { command, args, env, cwd } = target;
  return stdioClientTransport({
    command,
    args,
    // The user would run the same command in this environment, so it is passed on completely.
    env: { ...defaultEnvironment(), ...(process.env as Record<string, string>), ...env },
    stderr: onLog,
    shutdown: { graceMs: 1000, killMs: 1000 },
    ...(cwd === undefined ? {} : { cwd }),
  });
}

interface Explanation {
  readonly reason: string;
  /** Undefined if nothing is known but the reason. */
  readonly remedy: string | undefined;
}

/** The lines with which Node, Python and others report a missing module. */
const MISSING_MODULE = /Cannot find (?:module|package) |No module named |ERR_MODULE_NOT_FOUND/;

/** What went wrong, with the end of the server's log, and what to do about it. */
function explainFailure(error: unknown, givenLog: string, target: ServerTarget): Explanation {
  // A server may log its environment.
  const log = target.secrets.redact(givenLog);
  const reason = connectionReason(error, target);
  const { name, status, code } = error as {
    readonly name?: unknown;
    readonly status?: unknown;
    readonly code?: unknown;
  };
  if (target.kind === 'http') {
    if (status === 401 || status === 403 || name === 'UnauthorizedError')
      return { reason, remedy: authorizationRemedy(target) };
    if (/certificate|SELF_SIGNED|UNABLE_TO_VERIFY|CERT_/i.test(reason)) {
      return {
        reason,
        remedy:
          target.ca === undefined
            ? 'If its certificate is from a private authority, pass the certificate of that with --ca FILE.'
            : 'Check that the file of --ca has the authority that issued its certificate.',
      };
    }
  } else if (code === 'ENOENT') {
    const word = JSON.stringify(target.command);
    return {
      reason,
      remedy: `Install ${word}, or pass the path of the program; an address begins with http:// or https://.`,
    };
  }
  const lines = log.trimEnd().split('\n');
  const missing = lines.find((line) => MISSING_MODULE.test(line));
  if (missing !== undefined) {
    return {
      reason: `${reason}\n  a module is missing:\n    ${missing.trim().slice(0, 200)}`,
      remedy: 'Install its dependencies and build it; a relative path starts at the current folder.',
    };
  }
  if (log.trim() === '') return { reason, remedy: undefined };
  const shown = lines.slice(-MAX_LOG_LINES).map((line) => `    ${line.slice(0, 200)}`);
  return { reason: `${reason}\n  its log ends with:\n${shown.join('\n')}`, remedy: undefined };
}

function authorizationRemedy({ headers, login }: HttpTarget): string {
  if (login !== undefined) return 'Run it again to log in again; servers that register no clients need --client-id ID.';
  const token = process.env[TOKEN_VARIABLE] ?? '';
  const authorization = headers['authorization'];
  const isToken = authorization === `Bearer ${token}`;
  const hint =
    token === '' || (authorization !== undefined && !isToken)
      ? `set ${TOKEN_VARIABLE} to a bearer token`
      : isToken
        ? `correct ${TOKEN_VARIABLE}, whose token the server rejects`
        : `use https, since ${TOKEN_VARIABLE} is not sent unencrypted to another machine`;
  const how = `${hint}, or use --bearer-env or --header, or put USER:PASSWORD@ before the host of the URL`;
  return `Pass credentials: ${how}. If it needs OAuth, pass --login.`;
}

function connectionReason(error: unknown, { secrets }: ServerTarget): string {
  const text = error instanceof Error ? error.message : String(error);
  return secrets.redact(text.split('\n')[0] ?? '').slice(0, 300);
}

/** A transport to a server, without a client. */
export interface OpenTransport {
  /** Not started. */
  readonly transport: Transport;
  /** The end of the server's log, without the secrets of the target. */
  readonly log: () => string;
  /** Frees what the transport used; call it after the transport is closed. */
  readonly release: () => Promise<void>;
}

/** Opens a transport to a server, for programs that send messages themselves. */
export async function openTransport(target: ServerTarget): Promise<OpenTransport> {
  let log = '';
  const dispatcher = target.kind === 'http' ? await createDispatcher(target) : undefined;
  const onLog = (chunk: Uint8Array): void => {
    log = (log + new TextDecoder().decode(chunk)).slice(-MAX_LOG_LENGTH);
  };
  const transport = await createTransport(target, dispatcher, onLog, () => undefined);
  return {
    transport,
    log: () => target.secrets.redact(log),
    release: async () => {
      await dispatcher?.destroy();
    },
  };
}
