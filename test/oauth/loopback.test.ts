import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { loopbackRedirect } from '../../generated/runtime/oauth-node.js';
import type { LoopbackOptions } from '../../generated/runtime/oauth-node.js';
import { UnauthorizedError } from '../../generated/runtime/oauth-client.js';
import { rejectionOf } from '../http/client-peer.js';
import { connectWith, startServers, testProvider } from './support.js';

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request as a program or a page would make it, which `fetch` does not allow. */
function send(
  url: string,
  options: { method?: string; headers?: Record<string, string>; path?: string } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { hostname, port, pathname, search } = new URL(url);
    request({ hostname, port, path: pathname + search, ...options }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk) => (body += String(chunk)));
      response.once('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
    })
      .once('error', reject)
      .end();
  });
}

async function start(options: LoopbackOptions = {}) {
  const redirect = await loopbackRedirect({ open: () => undefined, ...options })();
  onTestFinished(async () => redirect.close?.());
  const answer = Promise.resolve(redirect.open(new URL('https://auth.example.com/authorize?state=the-state')));
  answer.catch(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  return { redirect, url: String(redirect.url), answer };
}

describe('a loopback redirect', () => {
  test('receives the answer and shows a page without scripts', async () => {
    const { url, answer, redirect } = await start();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const reply = await send(`${url}?code=a%2Bb&state=the-state&iss=https%3A%2F%2Fauth.example.com%3Fa%3Fb`);
    expect(Object.fromEntries((await answer) as URLSearchParams)).toEqual({
      code: 'a+b',
      state: 'the-state',
      iss: 'https://auth.example.com?a?b',
    });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    });
    expect(reply.body).toContain('You can close this page');
    expect(reply.body).not.toMatch(/<script|the-state|a\+b/);
    await redirect.close?.();
    await expect(send(url)).rejects.toThrow('ECONNREFUSED');
  });

  test('accepts one answer', async () => {
    const { url, answer } = await start();
    await send(`${url}?code=1&state=the-state`);
    expect((await send(`${url}?code=2&state=the-state`)).status).toBe(404);
    expect(((await answer) as URLSearchParams).get('code')).toBe('1');
  });

  test('ignores hostile requests and goes on', async () => {
    const { url, answer } = await start();
    const good = `${url}?code=stolen&state=the-state`;
    const { host, port } = new URL(url);
    const attempts: readonly Parameters<typeof send>[] = [
      [`${url}?code=x&state=guess`],
      [`${url}?code=x`],
      [`${url}?code=x&state=the-state&state=the-state`],
      [`${url}/?code=x&state=the-state`],
      [good.replace('/callback', '/')],
      [good.replace('/callback', '/CALLBACK')],
      [good, { headers: { host: 'evil.example' } }],
      [good, { headers: { host: `localhost:${port}` } }],
      [good, { headers: { host: `evil.example:${port}` } }],
      [good, { method: 'POST' }],
      [good, { method: 'HEAD' }],
      [good, { method: 'OPTIONS', headers: { origin: 'https://evil.example' } }],
      [good, { path: `http://${host}/callback?code=x&state=the-state` }],
      [good, { path: '//callback?code=x&state=the-state' }],
      [good, { path: '/%63allback?code=x&state=the-state' }],
      [`${url}?state=${'x'.repeat(10_000)}`],
    ];
    for (const [to, options] of attempts) {
      const reply = await send(to, options);
      expect([to, options, reply.status, reply.body]).toEqual([to, options, 404, '']);
    }
    await expect(send(good, { headers: { 'x-big': 'x'.repeat(100_000) } }).then(({ status }) => status)).resolves.toBe(
      431,
    );
    await send(`${url}?code=right&state=the-state`);
    expect(((await answer) as URLSearchParams).get('code')).toBe('right');
  });

  test('answers nobody before the user is sent away', async () => {
    const redirect = await loopbackRedirect()();
    onTestFinished(async () => redirect.close?.());
    expect((await send(`${String(redirect.url)}?code=x&state=`)).status).toBe(404);
  });

  test('ends after its timeout', async () => {
    const { answer } = await start({ timeout: 50 });
    expect((await rejectionOf(answer)).message).toBe('nobody authorized the client within 0.05 s');
  });

  test('ends if it is closed', async () => {
    const { answer, redirect } = await start();
    await redirect.close?.();
    expect((await rejectionOf(answer)).message).toBe('the redirect was closed');
  });

  test('survives a request on a connection that a browser opened before the answer', async () => {
    const { url, answer, redirect } = await start();
    const { host, port } = new URL(url);
    const spare = connect(Number(port), '127.0.0.1');
    await new Promise((resolve) => spare.once('connect', resolve));
    await send(`${url}?code=1&state=the-state`);
    await answer;
    const closed = Promise.resolve(redirect.close?.());
    let reply = '';
    spare.on('data', (chunk) => (reply += String(chunk)));
    spare.write(`GET /favicon.ico HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    await new Promise((resolve) => spare.once('close', resolve));
    await closed;
    expect(reply.split('\r\n')[0]).toBe('HTTP/1.1 404 Not Found');
  });

  test.each([
    ['there is no browser', undefined],
    ['the browser does not open', () => false],
    ['opening fails', () => Promise.reject(new Error('no display'))],
  ])('prints the URL if %s', async (_, open) => {
    const printed: URL[] = [];
    const { url, answer } = await start({ open, print: (to) => void printed.push(to) });
    await vi.waitFor(() => {
      expect(printed.map(({ href }) => href)).toEqual(['https://auth.example.com/authorize?state=the-state']);
    });
    await send(`${url}?code=1&state=the-state`);
    await answer;
  });

  test('listens at a given port, and says if it is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    expect((await rejectionOf(loopbackRedirect({ port })())).message).toBe(
      `cannot listen on port ${port} of 127.0.0.1 (EADDRINUSE); choose another port`,
    );
    await new Promise((resolve) => other.close(resolve));
    const { url } = await start({ port });
    expect(new URL(url).port).toBe(String(port));
  });

  test('is not reachable from other machines', async () => {
    const { url } = await start();
    await expect(send(url.replace('127.0.0.1', '127.0.0.2'))).rejects.toThrow('ECONNREFUSED');
  });
});

describe('a provider with a loopback redirect', () => {
  test('authorizes, and registers its port', async () => {
    const servers = await startServers();
    const registered: unknown[] = [];
    const provider = testProvider({
      client: { registration: { name: 'tool', uri: 'https://tool.example.com' } },
      redirect: loopbackRedirect({
        open: async (url) => {
          await fetch(url);
        },
      }),
    });
    await connectWith(servers.mcp, provider);
    registered.push(JSON.parse(servers.atIssuer.find(({ path }) => path === '/register')?.body ?? ''));
    expect(registered).toEqual([
      {
        client_name: 'tool',
        client_uri: 'https://tool.example.com',
        redirect_uris: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
    ]);
  });

  test('stops listening if the flow fails', async () => {
    const servers = await startServers();
    let url = '';
    const loopback = loopbackRedirect({ timeout: 50, open: () => undefined });
    const provider = testProvider({
      redirect: async () => {
        const opened = await loopback();
        url = String(opened.url);
        return opened;
      },
    });
    const error = await rejectionOf(connectWith(servers.mcp, provider), UnauthorizedError);
    expect(error.message).toContain('nobody authorized the client within 0.05 s');
    await expect(send(url)).rejects.toThrow('ECONNREFUSED');
  });
});
