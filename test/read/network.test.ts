/** What is fetched over HTTP and from npm, with the complete message of each failure. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Agent, EnvHttpProxyAgent, type Dispatcher } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { McpgenError } from '../../generator/errors.js';
import { fetchBytes, proxyAgent, splitCredentials } from '../../generator/read/fetch.js';
import { readNpmFile } from '../../generator/read/schema/npm-file.js';
import { readSchemaSource } from '../../generator/read/schema/source.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';

afterAll(removeTemporaryFolders);
afterEach(() => {
  vi.restoreAllMocks();
  for (const [name, value] of changed) setVariable(name, value);
  changed.clear();
});

/** The environment before a test. Vitest changes another object if an earlier file has replaced that of the process. */
const changed = new Map<string, string | undefined>();

function setVariable(name: string, value: string | undefined): void {
  if (!changed.has(name)) changed.set(name, process.env[name]);
  if (value === undefined) Reflect.deleteProperty(process.env, name);
  else process.env[name] = value;
}

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]);

/** No proxy of this machine. */
function withoutProxy(): void {
  for (const name of PROXIES) setVariable(name, undefined);
}

async function messageOf(action: Promise<unknown>): Promise<string> {
  const error: unknown = await action.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof McpgenError)) throw new Error('there was no error of a user', { cause: error });
  return error.format();
}

const FROM = 'hint: Check the URL, or pass a file or folder with --from.';
const OFFLINE = 'hint: Check the network; behind a proxy, set HTTPS_PROXY; or pass a file or folder with --from.';

describe('a file over HTTP', () => {
  const seen: IncomingMessage[] = [];
  let base = '';
  const MiB = 1024 * 1024;
  const send =
    (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}, status = 200) =>
    (response: ServerResponse): void => {
      response.writeHead(status, headers).end(body);
    };
  const redirect = (location: string, status = 302) => send('', { location }, status);
  const chain = (count: number) => (response: ServerResponse, request: IncomingMessage) => {
    const step = Number(new URL(request.url ?? '', 'http://x').searchParams.get('step'));
    (step < count ? redirect(`?step=${step + 1}`) : send('end'))(response);
  };
  const answers: Readonly<Record<string, (response: ServerResponse, request: IncomingMessage) => void>> = {
    plain: send('text'),
    identity: send('text', { 'content-encoding': 'identity' }),
    spaces: send(gzipSync('text'), { 'content-encoding': ' gzip ' }),
    gzip: send(gzipSync('text'), { 'content-encoding': 'gzip' }),
    'x-gzip': send(gzipSync('text'), { 'content-encoding': 'x-gzip' }),
    br: send(brotliCompressSync('text'), { 'content-encoding': 'br' }),
    'no-gzip': send('text', { 'content-encoding': 'gzip' }),
    'no-br': send('text', { 'content-encoding': 'br' }),
    deflate: send('text', { 'content-encoding': 'deflate' }),
    'gzip-bomb': send(gzipSync(Buffer.alloc(16 * MiB + 1)), { 'content-encoding': 'gzip' }),
    largest: send(Buffer.alloc(16 * MiB)),
    larger: send(Buffer.alloc(16 * MiB + 1)),
    'html-type': send('{}', { 'content-type': 'TEXT/HTML; charset=utf-8' }),
    'html-name': send('{}', { 'content-type': 'text/htmlx' }),
    'html-text': send(' \n<HTML>'),
    'html-doctype': send('<!DOCTYPE x>'),
    'html-inside': send('{"a": "<html>"}'),
    'html-late': send(`${' '.repeat(200)}<html>`),
    'redirect-301': redirect('plain', 301),
    'redirect-308': redirect('/plain', 308),
    'redirect-399': redirect('/plain', 399),
    'redirect-300': redirect('/plain', 300),
    'redirect-none': send('', {}, 302),
    'redirect-wrong': redirect('http://[x'),
    'redirect-file': redirect('file:///etc/passwd'),
    'redirect-ftp': redirect('ftp://a/b'),
    'redirect-loop': redirect('redirect-loop'),
    'redirect-5': chain(5),
    'redirect-6': chain(6),
    'redirect-other-user': (response) => {
      redirect(base.replace('://', '://other:pw@') + '/plain')(response);
    },
    'redirect-other-host': (response) => {
      redirect(`${base.replace('127.0.0.1', 'localhost')}/plain`)(response);
    },
    ...Object.fromEntries(
      [201, 204, 299, 400, 401, 403, 404, 407, 429, 500].map((status) => [`status-${status}`, send('', {}, status)]),
    ),
  };
  const server = createServer((request, response) => {
    seen.push(request);
    answers[new URL(request.url ?? '', 'http://x').pathname.slice(1)]?.(response, request);
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  afterEach(() => {
    seen.length = 0;
  });
  const fetched = async (name: string): Promise<string> => {
    withoutProxy();
    return Buffer.from(await fetchBytes(`${base}/${name}`, 5)).toString();
  };

  test.each([
    ...['plain', 'identity', 'spaces', 'gzip', 'x-gzip', 'br'],
    ...['redirect-301', 'redirect-308', 'redirect-399', 'redirect-300'],
  ])('%s is read', async (name) => {
    expect(await fetched(name)).toBe('text');
  });

  test.each([
    ['html-name', '{}'],
    ['html-inside', '{"a": "<html>"}'],
    ['html-late', `${' '.repeat(200)}<html>`],
    ['redirect-5?step=0', 'end'],
  ])('%s is accepted', async (name, text) => {
    expect(await fetched(name)).toBe(text);
  });

  test('may have 16 MB', async () => {
    expect((await fetched('largest')).length).toBe(16 * MiB);
  });

  test.each([
    ['larger', 'larger than 16 MB, which no protocol schema is\nhint: Check the URL.'],
    ['gzip-bomb', 'larger than 16 MB, which no protocol schema is\nhint: Check the URL.'],
    ['no-gzip', 'the compressed response is damaged or incomplete\nhint: Try again.'],
    ['no-br', 'the compressed response is damaged or incomplete\nhint: Try again.'],
    [
      'deflate',
      'the response has an encoding that was not requested: deflate\nhint: Pass another URL, or a file or folder with --from.',
    ],
    ...['html-type', 'html-text', 'html-doctype'].map((name): [string, string] => [
      name,
      'this is a web page, not a JSON file\nhint: Use the URL of the file itself; on GitHub that is the link "Raw".',
    ]),
    ['redirect-none', 'redirected without an address\nhint: Use the URL of the file itself.'],
    ['redirect-wrong', 'redirected without an address\nhint: Use the URL of the file itself.'],
    [
      'redirect-file',
      'redirected to file, which is less safe and is not followed\nhint: Pass an https URL of the file itself.',
    ],
    [
      'redirect-ftp',
      'redirected to ftp, which is less safe and is not followed\nhint: Pass an https URL of the file itself.',
    ],
    ['redirect-loop', 'redirected more than 5 times\nhint: Use the URL of the file itself.'],
    ['redirect-6?step=0', 'redirected more than 5 times\nhint: Use the URL of the file itself.'],
    ...[201, 204, 299, 400, 500].map((status): [string, string] => [
      `status-${status}`,
      `the server did not return it (status ${status})\n${FROM}`,
    ]),
    ['status-401', `the server requires authentication (status 401)\n${FROM}`],
    ['status-403', `the server denies access (status 403)\n${FROM}`],
    ['status-404', `there is no such file (status 404)\n${FROM}`],
    ['status-407', `the proxy requires authentication (status 407)\n${FROM}`],
    ['status-429', 'too many requests (status 429)\nhint: Try again later.'],
  ])('%s is an error: %j', async (name, message) => {
    expect(await messageOf(fetched(name))).toBe(`${base}/${name}: ${message}`);
  });

  test('is requested with the accepted encodings and our name', async () => {
    await fetched('plain');
    expect(seen[0]?.headers).toMatchObject({ 'accept-encoding': 'gzip, br', 'user-agent': 'mcpgen' });
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
  });

  test('gets the credentials of its URL, also after a redirect on the same server only', async () => {
    withoutProxy();
    const withUser = (name: string): string => `${base.replace('://', '://me%40x:p%3Aw@')}/${name}`;
    const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
    for (const name of ['plain', 'redirect-301', 'redirect-other-user', 'redirect-other-host'])
      await fetchBytes(withUser(name), 5);
    expect(seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/plain', basic('me@x:p:w')],
      ['/redirect-301', basic('me@x:p:w')],
      ['/plain', basic('me@x:p:w')],
      ['/redirect-other-user', basic('me@x:p:w')],
      ['/plain', basic('other:pw')],
      ['/redirect-other-host', basic('me@x:p:w')],
      ['/plain', undefined],
    ]);
  });

  test('has a place without credentials as the source of a schema', async () => {
    withoutProxy();
    const url = `${base.replace('://', '://me:pw@')}/plain`;
    const { place, bytes } = await readSchemaSource(url, { kind: 'revision', name: 'x' }, 5);
    expect([place, Buffer.from(bytes).toString()]).toEqual([`${base}/plain`, 'text']);
  });

  test('needs a URL', async () => {
    expect(await messageOf(fetchBytes('https://me:pw@a:x/', 5))).toBe(
      'https://a:x/: not a URL\nhint: Pass a URL that begins with https://.',
    );
  });
});

describe('a failure below HTTP', () => {
  const error = (code: string | undefined, options?: ErrorOptions): Error =>
    Object.assign(new Error('the message', options), code === undefined ? {} : { code });
  const named = (name: string): Error => Object.assign(new Error('the message'), { name });

  test.each<[string, Error, string]>([
    [
      'a time limit',
      named('TimeoutError'),
      'timed out after 7 seconds\nhint: Try again, or allow more time with --timeout SECONDS.',
    ],
    [
      'a time limit as a cause',
      error(undefined, { cause: named('TimeoutError') }),
      'timed out after 7 seconds\nhint: Try again, or allow more time with --timeout SECONDS.',
    ],
    ...['ENOTFOUND', 'EAI_AGAIN'].map((code): [string, Error, string] => [
      code,
      error(code),
      `the host name cannot be resolved (no network?)\n${OFFLINE}`,
    ]),
    ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'].map(
      (code): [string, Error, string] => [code, error(code), `the server cannot be reached (${code})\n${OFFLINE}`],
    ),
    ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_X'].map((code): [string, Error, string] => [
      code,
      error(code),
      `the certificate of the server is not trusted (${code})\nhint: Set NODE_EXTRA_CA_CERTS to the file of its certificate.`,
    ]),
    ...['SOCKET', 'RES_CONTENT_LENGTH_MISMATCH', 'ABORTED', 'HEADERS_TIMEOUT', 'BODY_TIMEOUT']
      .map((code) => `UND_ERR_${code}`)
      .concat('ECONNRESET', 'EPIPE')
      .map((code): [string, Error, string] => [
        code,
        error(code),
        'the response is incomplete\nhint: Try again, or pass a file or folder with --from.',
      ]),
    ['UND_ERR_PRX_TLS', error('UND_ERR_PRX_TLS'), `the proxy cannot be reached\n${OFFLINE}`],
    ['another code', error('XECONNRESET'), `it cannot be fetched (XECONNRESET)\n${OFFLINE}`],
    ['a code that only begins the same', error('ECONNREFUSEDX'), `it cannot be fetched (ECONNREFUSEDX)\n${OFFLINE}`],
    ['a longer code of the client', error('UND_ERR_SOCKETS'), `it cannot be fetched (UND_ERR_SOCKETS)\n${OFFLINE}`],
    [
      'the code of a cause',
      error('UND_ERR_SOCKET', { cause: error('EPERM') }),
      `it cannot be fetched (EPERM)\n${OFFLINE}`,
    ],
    ['no code', error(undefined), `it cannot be fetched: the message\n${OFFLINE}`],
    [
      'the message of a cause',
      new Error('outer', { cause: new Error('see https://me:pw@a/b') }),
      `it cannot be fetched: see https://a/b\n${OFFLINE}`,
    ],
  ])('%s', async (_, thrown, message) => {
    withoutProxy();
    vi.spyOn(Agent.prototype, 'dispatch').mockImplementation((_options, handler: Dispatcher.DispatchHandlers) => {
      handler.onError?.(thrown);
      return true;
    });
    const destroy = vi.spyOn(Agent.prototype, 'destroy');
    expect(await messageOf(fetchBytes('https://me:SECRET@a.example/x', 7))).toBe(`https://a.example/x: ${message}`);
    expect(destroy).toHaveBeenCalled();
  });

  test('a response that does not come in time', async () => {
    withoutProxy();
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
    expect(await messageOf(fetchBytes(url, 0.05))).toBe(
      `${url}: timed out after 0.05 seconds\nhint: Try again, or allow more time with --timeout SECONDS.`,
    );
    server.closeAllConnections();
    server.close();
  });
});

describe('a proxy', () => {
  test.each<[string, Readonly<Record<string, string>>, boolean]>([
    ['no variable', {}, false],
    ['HTTP_PROXY', { HTTP_PROXY: 'http://127.0.0.1:1' }, true],
    ['https_proxy', { https_proxy: 'http://127.0.0.1:1' }, true],
    ['an empty variable', { HTTPS_PROXY: '', https_proxy: '' }, false],
    ['an empty one in lower case', { https_proxy: '', HTTPS_PROXY: 'http://127.0.0.1:1' }, true],
    ['NO_PROXY alone', { NO_PROXY: '*' }, false],
  ])('is used if %s names one: %j', async (_, variables, expected) => {
    withoutProxy();
    for (const [name, value] of Object.entries(variables)) setVariable(name, value);
    const warning = vi.spyOn(process, 'emitWarning');
    const agent = await proxyAgent();
    expect(agent instanceof EnvHttpProxyAgent).toBe(expected);
    expect(warning).not.toHaveBeenCalled();
    await agent?.destroy();
  });

  test.each<[string, string, string, Readonly<Record<string, string>>]>([
    ['https://a.example/b', 'https://a.example/b', '', {}],
    ['https://me@a.example/b', 'https://a.example/b', 'me:', {}],
    ['https://:pw@a.example/b', 'https://a.example/b', ':pw', {}],
    ['https://m%C3%A9:p%2Fw@a.example/b?c', 'https://a.example/b?c', 'mé:p/w', {}],
  ])('%s has its credentials in a header', (from, url, user) => {
    const given = new URL(from);
    const split = splitCredentials(given);
    expect([split.url.href, given.href]).toEqual([url, new URL(from).href]);
    expect(split.headers).toEqual(
      user === '' ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` },
    );
  });
});

describe.skipIf(process.platform === 'win32')('a file on npm', () => {
  /** Programs instead of npm and tar. */
  function withPrograms(npm: string, tar = 'printf "%s " "$@"'): string {
    const folder = temporaryFolder();
    for (const [name, script] of Object.entries({ npm, tar })) {
      writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`);
      chmodSync(path.join(folder, name), 0o755);
    }
    setVariable('PATH', `${folder}${path.delimiter}/usr/bin${path.delimiter}/bin`);
    return folder;
  }
  // The last argument is the folder for the archive.
  const PACKS = 'for last; do :; done; touch "$last/a-1.2.3.tgz"';
  const REMEDY = 'hint: Check its name, its version and the configuration of npm, or pass a file with --from.';

  test.each([
    ['a list', '[{"version":"1.2.3"}]', 'npm:@s/a@1.2.3/d/x.json'],
    ['an object', '{"@s/a":{"version":"1.2.3"}}', 'npm:@s/a@1.2.3/d/x.json'],
    ['no version', '[{}]', 'npm:@s/a@next/d/x.json'],
    ['a version that is a number', '[{"version":1}]', 'npm:@s/a@next/d/x.json'],
    ['nothing', '[]', 'npm:@s/a@next/d/x.json'],
    ['null', 'null', 'npm:@s/a@next/d/x.json'],
    ['no JSON', 'x', 'npm:@s/a@next/d/x.json'],
  ])('is read from its archive, where npm prints %s', async (_, json, place) => {
    const folder = withPrograms(`echo "$@" > "$(dirname "$0")/args"; ${PACKS}; printf '%s' '${json}'`);
    const file = await readNpmFile('npm:@s/a@next/d/x.json', 5);
    expect([file.place, Buffer.from(file.bytes).toString()]).toEqual([place, '-xzOf a-1.2.3.tgz package/d/x.json ']);
    const [, args = '', into = ''] = /^(.*) (\S+)\n$/.exec(readFileSync(path.join(folder, 'args'), 'utf8')) ?? [];
    expect(args).toBe('pack @s/a@next --json --ignore-scripts --pack-destination');
    expect(existsSync(into)).toBe(false);
  });

  test('is that of the newest release by default', async () => {
    withPrograms(`${PACKS}; echo "[{}]"`);
    const { place, bytes } = await readSchemaSource('npm:a/x.json', { kind: 'revision', name: 'r' }, 5);
    expect([place, Buffer.from(bytes).toString()]).toEqual([
      'npm:a@latest/x.json',
      '-xzOf a-1.2.3.tgz package/x.json ',
    ]);
  });

  test.each([
    ['npm writes nothing', 'true', undefined, 'npm pack wrote no file'],
    ['the package does not exist', 'echo "npm error code E404" >&2; exit 1', undefined, 'there is no such package'],
    [
      'the version does not exist',
      'echo "npm ERR! code ETARGET" >&2; exit 1',
      undefined,
      'the package has no such version',
    ],
    [
      'another error',
      'echo "code E401 at https://me:pw@a" >&2; exit 1',
      undefined,
      'npm cannot download the package (E401)',
    ],
    ['an error without a code', 'exit 1', undefined, 'npm cannot download the package'],
    ['no such file', PACKS, 'exit 1', 'the package has no such file'],
    ['too slow', 'exec sleep 5', undefined, 'timed out after 0.2 seconds'],
    ['too large', PACKS, 'head -c 17000000 /dev/zero', 'larger than 16 MB'],
  ])('%s', async (_, npm, tar, message) => {
    withPrograms(npm, tar);
    const seconds = message.startsWith('timed out') ? 0.2 : 10;
    expect(await messageOf(readNpmFile('npm:a@1/x.json', seconds))).toBe(`npm:a@1/x.json: ${message}\n${REMEDY}`);
  });

  test('needs npm', async () => {
    setVariable('PATH', temporaryFolder());
    expect(await messageOf(readNpmFile('npm:a@1/x.json', 5))).toBe(`npm:a@1/x.json: npm is not installed\n${REMEDY}`);
  });
});
