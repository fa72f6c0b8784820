import type { Dispatcher } from 'undici';
import { McpgenError } from '../errors.js';
import { percentDecode, displayUrl, withoutCredentials } from '../text.js';

/** Largest accepted response, in bytes after decompression; the official schemas have about 200,000. */
export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** The accepted encodings. Responses are decompressed only when complete, since streaming accepts truncated input. */
const HEADERS = { 'accept-encoding': 'gzip, br', 'user-agent': 'mcpgen' };
/** Most redirects that are followed. */
const MAX_REDIRECTS = 5;

/** Whether a source is a URL. */
export function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/**
 * Fetches a file over HTTP, through the proxy that `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name.
 *
 * @param url - Its URL; `http` or `https`.
 * @param seconds - Time limit for all of it.
 * @throws {@link McpgenError} if it cannot be fetched completely: no network, a status other than 200, a response that
 *   is incomplete, too slow or too large, or a web page instead of a file.
 */
export async function fetchBytes(url: string, seconds: number): Promise<Uint8Array> {
  // Imported on demand.
  const undici = await import('undici');
  const dispatcher = (await proxyAgent()) ?? new undici.Agent();
  const signal = AbortSignal.timeout(seconds * 1000);
  try {
    let currentUrl = parseUrl(url);
    for (let redirects = 0; ; redirects += 1) {
      const { url: target, headers } = splitCredentials(currentUrl);
      const response = await undici.request(target, { dispatcher, signal, headers: { ...HEADERS, ...headers } });
      if (response.statusCode < 300 || response.statusCode >= 400)
        return await readBody(response, displayUrl(currentUrl.href));
      await response.body.dump();
      if (redirects === MAX_REDIRECTS) {
        throw new McpgenError(`redirected more than ${MAX_REDIRECTS} times`, {
          place: displayUrl(url),
          remedy: 'Use the URL of the file itself.',
        });
      }
      currentUrl = resolveRedirect(headerValue(response, 'location'), currentUrl);
    }
  } catch (error) {
    throw error instanceof McpgenError ? error : fetchError(displayUrl(url), seconds, error);
  } finally {
    await dispatcher.destroy();
  }
}

/**
 * A dispatcher for the proxy that `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name; undefined without a proxy.
 *
 * @param tls - Settings of TLS connections, to servers and to the proxy.
 */
export async function proxyAgent(tls?: { readonly ca: string[] }): Promise<Dispatcher | undefined> {
  const httpProxy = proxyVariable('HTTP_PROXY');
  const httpsProxy = proxyVariable('HTTPS_PROXY');
  if (httpProxy === '' && httpsProxy === '') return undefined;
  const undici = await import('undici');
  const connections = tls === undefined ? {} : { connect: tls, requestTls: tls, proxyTls: tls };
  const options = { httpProxy, httpsProxy, noProxy: proxyVariable('NO_PROXY'), ...connections };
  return withoutWarnings(() => new undici.EnvHttpProxyAgent(options));
}

/** An environment variable in upper or lower case; an empty one is ignored. */
function proxyVariable(name: string): string {
  return (
    [process.env[name.toLowerCase()], process.env[name]].find((value) => value !== undefined && value !== '') ?? ''
  );
}

/** Suppresses the warning that undici 6 emits for its proxy agent. */
function withoutWarnings<T>(create: () => T): T {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return create();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function parseUrl(url: string): URL {
  if (URL.canParse(url)) return new URL(url);
  throw new McpgenError('not a URL', { place: displayUrl(url), remedy: 'Pass a URL that begins with https://.' });
}

function resolveRedirect(location: string, from: URL): URL {
  if (location === '' || !URL.canParse(location, from.href)) {
    throw new McpgenError('redirected without an address', {
      place: displayUrl(from.href),
      remedy: 'Use the URL of the file itself.',
    });
  }
  const to = new URL(location, from.href);
  if (!isUrl(to.href) || (from.protocol === 'https:' && to.protocol !== 'https:')) {
    throw new McpgenError(`redirected to ${to.protocol.replace(':', '')}, which is less safe and is not followed`, {
      place: displayUrl(from.href),
      remedy: 'Pass an https URL of the file itself.',
    });
  }
  // A password must not be sent to another server.
  if (to.origin === from.origin && to.username === '' && to.password === '') {
    to.username = from.username;
    to.password = from.password;
  }
  return to;
}

/** A URL without its user and password, and the header that contains them instead (RFC 7617). */
export function splitCredentials(from: URL): { readonly url: URL; readonly headers: Readonly<Record<string, string>> } {
  const url = new URL(from);
  if (url.username === '' && url.password === '') return { url, headers: {} };
  const [user, password] = [from.username, from.password].map(percentDecode);
  url.username = '';
  url.password = '';
  return { url, headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` } };
}

/** The members of a response that are used here. */
interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

function headerValue({ headers }: HttpResponse, name: string): string {
  return [headers[name] ?? ''].flat()[0] ?? '';
}

async function readBody(response: HttpResponse, url: string): Promise<Uint8Array> {
  const status = response.statusCode;
  if (status !== 200) {
    const reasons: Readonly<Record<number, string>> = {
      401: 'the server requires authentication',
      403: 'the server denies access',
      404: 'there is no such file',
      407: 'the proxy requires authentication',
      429: 'too many requests',
    };
    throw new McpgenError(`${reasons[status] ?? 'the server did not return it'} (status ${status})`, {
      place: url,
      remedy: status === 429 ? 'Try again later.' : 'Check the URL, or pass a file or folder with --from.',
    });
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > MAX_RESPONSE_BYTES) throw tooLargeError(url);
    chunks.push(chunk);
  }
  const bytes = await decompress(Buffer.concat(chunks), headerValue(response, 'content-encoding').trim(), url);
  const start = bytes.subarray(0, 200).toString('latin1');
  if (/^text\/html\b/i.test(headerValue(response, 'content-type')) || /^\s*<(?:!doctype|html)/i.test(start)) {
    throw new McpgenError('this is a web page, not a JSON file', {
      place: url,
      remedy: 'Use the URL of the file itself; on GitHub that is the link "Raw".',
    });
  }
  return bytes;
}

async function decompress(bytes: Buffer, encoding: string, url: string): Promise<Buffer> {
  if (encoding === '' || encoding === 'identity') return bytes;
  const zlib = await import('node:zlib');
  const options = { maxOutputLength: MAX_RESPONSE_BYTES };
  try {
    if (encoding === 'gzip' || encoding === 'x-gzip') return zlib.gunzipSync(bytes, options);
    if (encoding === 'br') return zlib.brotliDecompressSync(bytes, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLargeError(url);
    throw new McpgenError('the compressed response is damaged or incomplete', {
      place: url,
      remedy: 'Try again.',
      cause: error,
    });
  }
  throw new McpgenError(`the response has an encoding that was not requested: ${encoding}`, {
    place: url,
    remedy: 'Pass another URL, or a file or folder with --from.',
  });
}

function tooLargeError(url: string): McpgenError {
  return new McpgenError(`larger than ${MAX_RESPONSE_BYTES / 1024 / 1024} MB, which no protocol schema is`, {
    place: url,
    remedy: 'Check the URL.',
  });
}

/** A description of a failure below HTTP. */
function fetchError(url: string, seconds: number, error: unknown): McpgenError {
  const [reason, remedy] = fetchErrorReason(error, seconds);
  return new McpgenError(reason, { place: url, remedy, cause: error });
}

function fetchErrorReason(error: unknown, seconds: number): readonly [string, string] {
  const offline = 'Check the network; behind a proxy, set HTTPS_PROXY; or pass a file or folder with --from.';
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at.name === 'TimeoutError') {
      return [`timed out after ${seconds} seconds`, 'Try again, or allow more time with --timeout SECONDS.'];
    }
    const { code } = at as NodeJS.ErrnoException;
    if (code === undefined || at.cause instanceof Error) continue;
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      return ['the host name cannot be resolved (no network?)', offline];
    if (/^E(?:CONNREFUSED|HOSTUNREACH|NETUNREACH|TIMEDOUT)$|^UND_ERR_CONNECT_TIMEOUT$/.test(code)) {
      return [`the server cannot be reached (${code})`, offline];
    }
    if (code.includes('CERT') || code.includes('SELF_SIGNED')) {
      return [
        `the certificate of the server is not trusted (${code})`,
        'Set NODE_EXTRA_CA_CERTS to the file of its certificate.',
      ];
    }
    if (
      /^UND_ERR_(?:SOCKET|RES_CONTENT_LENGTH_MISMATCH|ABORTED|HEADERS_TIMEOUT|BODY_TIMEOUT)$|^ECONNRESET$|^EPIPE$/.test(
        code,
      )
    ) {
      return ['the response is incomplete', 'Try again, or pass a file or folder with --from.'];
    }
    if (code === 'UND_ERR_PRX_TLS') return ['the proxy cannot be reached', offline];
    return [`it cannot be fetched (${code})`, offline];
  }
  const text =
    error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : String(error);
  return [`it cannot be fetched: ${withoutCredentials(text)}`, offline];
}
