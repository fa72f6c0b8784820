import process from 'node:process';
import type { Dispatcher } from 'undici';
import { revision as revision20241105 } from '../../generated/2024-11-05/revision.js';
import { revision as revision20250326 } from '../../generated/2025-03-26/revision.js';
import { revision as revision20250618 } from '../../generated/2025-06-18/revision.js';
import { revision as revision20251125 } from '../../generated/2025-11-25/revision.js';
import { revision as revision20260728 } from '../../generated/2026-07-28/revision.js';
import { BaseClient } from '../../generated/runtime/client.js';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import { defaultEnvironment, stdioClientTransport } from '../../generated/runtime/stdio-client.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { McpgenError } from '../errors.js';
import { isUrl, proxyAgent, splitCredentials } from '../read/fetch.js';
import { isObject, ownMember, type JsonObject, type JsonValue } from '../read/json/json.js';
import { splitCommand } from '../text.js';

/** Most tools and pages that are accepted from one server. */
const MAX_TOOLS = 10_000;
const MAX_PAGES = 1000;
/** Most characters of all pages together, and of a server's log. */
const MAX_TOTAL_LENGTH = 64 * 1024 * 1024;
const MAX_LOG_LENGTH = 4096;
/** Most lines of a server's log in an error. */
const MAX_LOG_LINES = 5;

/** The environment variable with a bearer token for a server over HTTP. */
const TOKEN_VARIABLE = 'MCP_TOKEN';

/** The revisions that the client supports. */
const REVISIONS = [revision20241105, revision20250326, revision20250618, revision20251125, revision20260728];

/** The tools that a server listed. */
export interface ListedTools {
  /** The tools as received. */
  readonly tools: readonly JsonValue[];
  /** The negotiated revision. */
  readonly revision: string;
}

/** How to list the tools of a server. */
export interface ListToolsOptions {
  /** Time limit for all of it, in milliseconds. */
  readonly timeout: number;
  /** Names of the revisions to try; all by default. With stateful ones only, `initialize` is the first message. */
  readonly revisions?: readonly string[];
}

/**
 * Runs or calls a server, lists all its tools, page by page, and closes the connection. For a URL, `HTTPS_PROXY`,
 * `HTTP_PROXY` and `NO_PROXY` are respected, and `MCP_TOKEN` is sent as a bearer token.
 *
 * @param server - A command with its arguments, or the URL of a server over HTTP.
 * @throws {@link McpgenError} if it does not start, does not respond in time, or sends more than the limits allow.
 */
export async function listTools(
  server: string,
  { timeout: timeoutMs, revisions }: ListToolsOptions,
): Promise<ListedTools> {
  let log = '';
  const dispatcher = isUrl(server) ? await proxyAgent() : undefined;
  const transport = await createTransport(server, dispatcher, (chunk) => {
    log = (log + new TextDecoder().decode(chunk)).slice(-MAX_LOG_LENGTH);
  });
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new Error(`timed out after ${timeoutMs / 1000} s`));
  }, timeoutMs);
  const client = new BaseClient(
    REVISIONS.filter(({ version }) => revisions?.includes(version) ?? true),
    // A faulty list still has tools; their faults are reported one at a time.
    { info: { name: 'mcpgen', version: '1.0.0' }, validateResults: false, probeTimeout: Math.min(5000, timeoutMs / 3) },
  );
  try {
    const options = { signal: controller.signal, timeout: timeoutMs };
    await abortable(client.connect(transport, options), controller.signal);
    const tools = await abortable(collectPages(client, options), controller.signal);
    return { tools, revision: client.revision ?? '' };
  } catch (error) {
    if (error instanceof McpgenError) throw error;
    const { reason, remedy } = explainFailure(error, log, server);
    const isLimited = revisions !== undefined && revisions.length < REVISIONS.length;
    const speaks = isLimited ? `MCP ${revisions.join(' or ')}` : 'MCP';
    throw new McpgenError(`the server did not return a list of tools: ${reason}`, {
      place: `--from-server ${server}`,
      remedy: remedy ?? `Check that it runs and speaks ${speaks}; --timeout SECONDS allows more time.`,
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    await client.close().catch(() => undefined);
    await dispatcher?.destroy();
  }
}

async function createTransport(
  server: string,
  dispatcher: Dispatcher | undefined,
  onLog: (chunk: Uint8Array) => void,
): Promise<Transport> {
  if (isUrl(server)) {
    if (!URL.canParse(server)) {
      throw new McpgenError('not a valid URL', {
        place: `--from-server ${server}`,
        remedy: 'Pass the full URL, such as https://example.com/mcp.',
      });
    }
    const target = splitCredentials(new URL(server));
    const token = tokenFor(server);
    // Credentials in the URL take precedence.
    const options =
      'authorization' in target.headers || token === undefined
        ? target
        : { ...target, authProvider: { token: () => token } };
    if (dispatcher === undefined) return httpClientTransport(options);
    const undici = await import('undici');
    // The same standard, typed differently.
    const fetchThrough = undici.fetch as unknown as (
      url: string | URL,
      init: Omit<RequestInit, 'dispatcher'> & { readonly dispatcher: Dispatcher },
    ) => Promise<Response>;
    return httpClientTransport({ ...options, fetch: (url, init) => fetchThrough(url, { ...init, dispatcher }) });
  }
  const words = splitCommand(server);
  const [command, ...args] = words ?? [];
  if (command === undefined) {
    throw new McpgenError(words === undefined ? 'a quote is not closed' : 'the command is empty', {
      place: `--from-server ${JSON.stringify(server)}`,
      remedy: 'Pass a command with its arguments, such as "node dist/index.js", or a URL.',
    });
  }
  return stdioClientTransport({
    command,
    args,
    // The user would run the same command in this environment, so it is passed on completely.
    env: { ...defaultEnvironment(), ...(process.env as Record<string, string>) },
    stderr: onLog,
    shutdown: { graceMs: 1000, killMs: 1000 },
  });
}

/** The bearer token for a server: it is never sent unencrypted to another machine. */
function tokenFor(server: string): string | undefined {
  const { protocol, hostname } = new URL(server);
  return protocol === 'https:' || LOOPBACK.test(hostname) ? givenToken() : undefined;
}

/** The token in the environment; undefined if it is empty. */
function givenToken(): string | undefined {
  const token = process.env[TOKEN_VARIABLE];
  return token === '' ? undefined : token;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

async function collectPages(
  client: BaseClient,
  options: { signal: AbortSignal; timeout: number },
): Promise<readonly JsonValue[]> {
  const tools: JsonValue[] = [];
  const seen = new Set<string>();
  let size = 0;
  let cursor: JsonValue | undefined;
  for (let page = 1; ; page += 1) {
    const result = (await client.request(
      'tools/list',
      typeof cursor === 'string' ? { cursor } : {},
      options,
    )) as JsonObject;
    const list = ownMember(result, 'tools');
    if (!isObject(result) || !Array.isArray(list)) throw new Error('the response to tools/list has no list of tools');
    size += JSON.stringify(list).length;
    for (const tool of list as readonly JsonValue[]) tools.push(tool);
    cursor = ownMember(result, 'nextCursor');
    if (typeof cursor !== 'string') return tools;
    // Since 2026-07-28 an empty cursor is valid (MCP, pagination); before that, and if repeated, it ends the list.
    if (cursor === '' && (client.revision !== revision20260728.version || seen.has(''))) return tools;
    if (seen.has(cursor)) throw new Error('its pages repeat');
    seen.add(cursor);
    if (tools.length > MAX_TOOLS || page >= MAX_PAGES || size > MAX_TOTAL_LENGTH) {
      throw new Error(`it lists more than ${MAX_TOOLS} tools, or more than ${MAX_PAGES} pages`);
    }
  }
}

/** The result of a promise, or the reason of an abort, whichever is first: not every transport supports a signal. */
async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => undefined);
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
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
function explainFailure(error: unknown, givenLog: string, server: string): Explanation {
  // A server may log its environment.
  const secret = givenToken();
  const log = secret === undefined ? givenLog : givenLog.replaceAll(secret, '***');
  const reason = connectionReason(error);
  const { status, code } = error as { readonly status?: unknown; readonly code?: unknown };
  if (status === 401 || status === 403) {
    const token =
      secret === undefined
        ? `set ${TOKEN_VARIABLE} to a bearer token`
        : tokenFor(server) === undefined
          ? `use https, since ${TOKEN_VARIABLE} is not sent unencrypted to another machine`
          : `correct ${TOKEN_VARIABLE}, whose token the server rejects`;
    const how = `${token}, or put user and password into the URL (https://user:password@host/mcp)`;
    const file = 'use a saved answer to tools/list instead of the server';
    return { reason, remedy: `Pass credentials: ${how}. If it needs OAuth, ${file}.` };
  }
  if (code === 'ENOENT') {
    const word = JSON.stringify(splitCommand(server)?.[0] ?? server);
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

function connectionReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n')[0] ?? '').slice(0, 300);
}
