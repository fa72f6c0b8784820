import { describe, expect, test } from 'vitest';
import { refuseTarget } from '../../generated/runtime/http/client/address.js';
import { UnauthorizedError } from '../../generated/runtime/http-client.js';
import type { AuthFlowOptions, AuthProvider, Fetch } from '../../generated/runtime/http-client.js';
import { rejectionOf, sendJson, startScriptedServer, createTestClient } from './client-peer.js';

const PUBLIC = 'https://mcp.example.com/mcp';
const refused = (server: string, target: string): string | undefined => refuseTarget(new URL(server), new URL(target));

describe('a public server', () => {
  test.each([
    ['http://169.254.169.254/latest/meta-data', 'link-local'],
    ['https://169.254.169.254/', 'link-local'],
    ['https://2852039166/', 'link-local'],
    ['https://0xa9.0xfe.0xa9.0xfe/', 'link-local'],
    ['https://0251.0376.0251.0376/', 'link-local'],
    ['https://[fe80::1]/', 'link-local'],
    ['https://[::ffff:169.254.169.254]/', 'link-local'],
    ['https://[64:ff9b::a9fe:a9fe]/', 'link-local'],
    ['https://127.0.0.1/', 'loopback'],
    ['https://127.1/', 'loopback'],
    ['https://127.0.0.1./', 'loopback'],
    ['https://0/', 'loopback'],
    ['https://localhost/', 'loopback'],
    ['https://LOCALHOST./', 'loopback'],
    ['https://a.localhost/', 'loopback'],
    ['https://[::1]/', 'loopback'],
    ['https://[::]/', 'loopback'],
    ['https://[::ffff:127.0.0.1]/', 'loopback'],
    ['https://[::ffff:7f00:1]/', 'loopback'],
    ['https://[::127.0.0.1]/', 'loopback'],
    ['https://[2002:7f00:1::]/', 'loopback'],
    ['https://10.1.2.3/', 'private'],
    ['https://172.16.0.1/', 'private'],
    ['https://172.31.255.255/', 'private'],
    ['https://192.168.1.1/', 'private'],
    ['https://100.64.0.1/', 'private'],
    ['https://198.18.0.1/', 'private'],
    ['https://224.0.0.1/', 'private'],
    ['https://255.255.255.255/', 'private'],
    ['https://[fc00::1]/', 'private'],
    ['https://[fd12:3456::1]/', 'private'],
    ['https://[fec0::1]/', 'private'],
    ['https://[ff02::1]/', 'private'],
    ['https://[::ffff:10.0.0.1]/', 'private'],
    ['https://router/', 'private'],
    ['https://printer.local/', 'private'],
    ['https://metadata.google.internal/', 'private'],
  ])('may not name %s, which is %s', (target, kind) => {
    expect(refused(PUBLIC, target)).toMatch(new RegExp(`, a ${kind} address, but is itself public$`));
  });

  test.each([
    'https://auth.example.org/',
    'https://8.8.8.8/',
    'https://172.15.0.1/',
    'https://172.32.0.1/',
    'https://100.128.0.1/',
    'https://[2606:4700::1111]/',
    'https://[::ffff:8.8.8.8]/',
    'https://mcp.example.com/.well-known/x',
    'https://localhost.example.com/',
  ])('may name %s', (target) => {
    expect(refused(PUBLIC, target)).toBeUndefined();
  });

  test.each(['http://auth.example.org/', 'ftp://auth.example.org/', 'file:///etc/passwd', 'data:,x'])(
    'may not name %s, which is not https',
    (target) => {
      expect(refused(PUBLIC, target)).toMatch(/must be an https URL|not an HTTP URL/);
    },
  );
});

describe('a server that is not public', () => {
  test.each([
    ['http://127.0.0.1:3000/mcp', 'http://localhost:9000/', true],
    ['http://localhost:3000/mcp', 'http://[::1]:9000/', true],
    ['http://127.0.0.1:3000/mcp', 'https://10.0.0.1/', true],
    ['http://127.0.0.1:3000/mcp', 'https://auth.example.org/', true],
    ['http://127.0.0.1:3000/mcp', 'http://10.0.0.1/', false],
    ['http://127.0.0.1:3000/mcp', 'http://169.254.169.254/', false],
    ['https://10.0.0.1/mcp', 'https://192.168.0.1/', true],
    ['http://10.0.0.1/mcp', 'http://10.0.0.1/.well-known/x', true],
    ['https://10.0.0.1/mcp', 'https://127.0.0.1/', false],
    ['https://10.0.0.1/mcp', 'https://169.254.169.254/', false],
    ['https://mcp/mcp', 'https://sso.corp.internal/', true],
  ])('%s may name %s: %s', (server, target, isAllowed) => {
    expect(refused(server, target) === undefined).toBe(isAllowed);
  });
});

/** A client of a public server that names a URL in its challenge, and what its flow does with the `fetch` it is given. */
async function challenged(
  metadata: string,
  flow: (fetchFn: Fetch) => Promise<unknown>,
  more: { readonly allowsAuthUrl?: (url: URL) => boolean; readonly answer?: (url: string) => Response } = {},
) {
  const fetched: string[] = [];
  const asked: AuthFlowOptions[] = [];
  const { client, transport } = createTestClient(['2025-11-25'], {
    url: PUBLIC,
    fetch: (url) => {
      fetched.push(String(url));
      if (String(url) === PUBLIC)
        return Promise.resolve(
          new Response(null, {
            status: 401,
            headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` },
          }),
        );
      return Promise.resolve(more.answer?.(String(url)) ?? new Response('{}'));
    },
    authProvider: { clientInformation: () => undefined, tokens: () => undefined },
    auth: async (_: unknown, options: AuthFlowOptions) => {
      asked.push(options);
      await flow(options.fetchFn);
      return 'REDIRECT';
    },
    ...(more.allowsAuthUrl === undefined ? {} : { allowsAuthUrl: more.allowsAuthUrl }),
  });
  const error = await rejectionOf(client.connect(transport));
  return { error, fetched, asked };
}

describe('an auth flow', () => {
  const good = 'https://mcp.example.com/.well-known/x';

  test('does not run with resource_metadata at a private address', async () => {
    const { error, fetched, asked } = await challenged('http://169.254.169.254/latest', () => Promise.resolve());
    expect(error).toBeInstanceOf(UnauthorizedError);
    expect(error.message).toContain(
      'resource_metadata: the server names http://169.254.169.254/latest, a link-local address, but is itself public',
    );
    expect([fetched, asked]).toEqual([[PUBLIC], []]);
  });

  test.each(['https://10.0.0.1/token', 'http://localhost/register', 'http://auth.example.org/token'])(
    'cannot fetch %s, which metadata named',
    async (target) => {
      const { error, fetched } = await challenged(good, (fetchFn) => fetchFn(target, { method: 'POST' }));
      expect(error).toBeInstanceOf(UnauthorizedError);
      expect(error.message).toContain(`the server names ${target}`);
      expect(fetched).toEqual([PUBLIC]);
    },
  );

  test('cannot be redirected to a private address', async () => {
    const { error, fetched } = await challenged(good, (fetchFn) => fetchFn(good), {
      answer: () => new Response(null, { status: 302, headers: { location: 'https://[::ffff:a9fe:a9fe]/' } }),
    });
    expect(error.message).toContain('a link-local address');
    expect(fetched).toEqual([PUBLIC, good]);
  });

  test('is not redirected with what it posts', async () => {
    const { error } = await challenged(
      good,
      (fetchFn) => fetchFn('https://auth.example.org/token', { method: 'POST' }),
      {
        answer: () => new Response(null, { status: 307, headers: { location: 'https://other.example.org/' } }),
      },
    );
    expect(error.message).toContain('https://auth.example.org redirects a request with credentials');
  });

  test('follows a redirect to a public address', async () => {
    const moved = 'https://auth.example.org/x';
    const { error, fetched } = await challenged(good, (fetchFn) => fetchFn(good), {
      answer: (url) =>
        url === good ? new Response(null, { status: 301, headers: { location: moved } }) : new Response('{}'),
    });
    expect(error.message).toContain('call finishAuth');
    expect(fetched).toEqual([PUBLIC, good, moved]);
  });

  test('may use a private address that allowsAuthUrl allows', async () => {
    const { error, asked } = await challenged('https://10.0.0.1/x', (fetchFn) => fetchFn('https://10.0.0.1/x'), {
      allowsAuthUrl: ({ hostname }) => hostname === '10.0.0.1',
    });
    expect(error.message).toContain('call finishAuth');
    expect(asked[0]?.resourceMetadataUrl?.href).toBe('https://10.0.0.1/x');
  });
});

test('an auth provider gets a fetch that is checked likewise', async () => {
  const { url } = await startScriptedServer((_, response) => {
    sendJson(response, {}, 401);
  });
  const authProvider: AuthProvider = {
    token: () => 'x',
    onUnauthorized: async ({ fetchFn }) => {
      await fetchFn('http://169.254.169.254/');
    },
  };
  const { client, transport } = createTestClient(['2025-11-25'], { url, authProvider });
  expect((await rejectionOf(client.connect(transport))).message).toContain(
    'a link-local address, but is itself loopback',
  );
});
