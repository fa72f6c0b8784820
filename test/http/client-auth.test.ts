import { describe, expect, test } from 'vitest';
import { HttpError, UnauthorizedError } from '../../generated/runtime/http-client.js';
import type { AuthFlowOptions, AuthProvider } from '../../generated/runtime/http-client.js';
import { readChallenge } from '../../generated/runtime/http/client/auth.js';
import {
  connectTestClient,
  rejectionOf,
  sessionScript,
  sendJson,
  resultMessage,
  startScriptedServer,
  TEXT,
  createTestClient,
} from './client-peer.js';
import type { ScriptedServer } from './client-peer.js';

const call = { name: 'a', arguments: {} };
const CHALLENGE =
  'Bearer error="invalid_token", scope="read write", resource_metadata="http://127.0.0.1:9/.well-known/x"';

/** A server that takes some tokens only, and says what it wants otherwise. */
function startProtectedServer(
  accepts: (token: string | undefined, method: string | undefined) => number,
  challenge = CHALLENGE,
): Promise<ScriptedServer> {
  return startScriptedServer((seen, response) => {
    const status = accepts(seen.headers.authorization, seen.message.method);
    if (status !== 200) response.writeHead(status, { 'www-authenticate': challenge }).end('not you');
    else
      void sessionScript(({ verb, message }, to) => {
        if (verb === 'GET') to.writeHead(405).end();
        else sendJson(to, resultMessage(message.id, TEXT));
      })(seen, response);
  });
}

describe('an auth provider', () => {
  test('is called for a new token once for all rejected requests', async () => {
    let good = 'Bearer one';
    const { url } = await startProtectedServer((token) => (token === good ? 200 : 401));
    let token: string | undefined;
    let renewals = 0;
    const authProvider: AuthProvider = {
      token: (): string | undefined => token,
      onUnauthorized: async ({ response, serverUrl }) => {
        renewals += 1;
        expect([response.status, serverUrl.href, await response.text()]).toEqual([401, url, 'not you']);
        await new Promise((resolve) => setTimeout(resolve, 50));
        token = good.replace('Bearer ', '');
      },
    };
    const { client } = await connectTestClient(['2026-07-28', '2025-11-25'], { url, authProvider });
    expect(renewals).toBe(1);
    good = 'Bearer two';
    await Promise.all([client.callTool(call), client.callTool(call), client.callTool(call)]);
    expect(renewals).toBe(2);
  });

  test('is not asked a second time for the same request', async () => {
    const { url, seen } = await startProtectedServer(() => 401);
    let renewals = 0;
    const authProvider: AuthProvider = {
      token: (): string => `token-${renewals}`,
      onUnauthorized: () => {
        renewals += 1;
        return Promise.resolve();
      },
    };
    const { client, transport } = createTestClient(['2026-07-28', '2025-11-25'], { url, authProvider });
    const error = await rejectionOf(client.connect(transport));
    expect(error.message).toBe(`POST ${url}: 401, the server requires authorization: not you`);
    expect([renewals, seen.length]).toEqual([1, 2]);
  });

  const UNFIT: readonly (readonly [string, AuthProvider, string])[] = [
    ['fails', { token: () => 'x', onUnauthorized: () => Promise.reject(new Error('no luck')) }, '401, no luck'],
    ['gives none', { token: () => 'x' }, '401, the server rejects the token'],
    ['fails at once', { token: () => Promise.reject(new Error('locked')) }, 'the auth provider returned no token'],
  ];
  test.each(UNFIT)('that %s ends the attempt to connect without a retry', async (_, authProvider, reason) => {
    const { url, seen } = await startProtectedServer(() => 401);
    const { client, transport } = createTestClient(['2026-07-28', '2025-11-25'], { url, authProvider });
    const error = await rejectionOf(client.connect(transport));
    expect(error).toBeInstanceOf(UnauthorizedError);
    expect(error.message).toContain(reason);
    expect(seen.length).toBeLessThan(2);
  });

  test('can set the headers of each request, and have it repeated once', async () => {
    const { url, seen } = await startProtectedServer((header) => (header === 'Other t, 2' ? 200 : 401));
    let nonce = 1;
    const asked: string[] = [];
    const authProvider: AuthProvider = {
      token: ({ serverUrl }) => {
        asked.push(serverUrl.href);
        return 't';
      },
      authorize: ({ token, method, url: to, serverUrl }, headers) => {
        expect([method, to.href, serverUrl.href, headers.get('authorization')]).toEqual(['POST', url, url, 'Bearer t']);
        headers.set('authorization', `Other ${token}, ${nonce}`);
      },
      onResponse: (_, response) => {
        nonce = 2;
        return response.status === 401;
      },
    };
    await connectTestClient(['2026-07-28', '2025-11-25'], { url, authProvider });
    expect(seen.slice(0, 2).map(({ headers }) => headers.authorization)).toEqual(['Other t, 1', 'Other t, 2']);
    expect(new Set(asked)).toEqual(new Set([url]));
  });

  test('is not asked to repeat a request again and again', async () => {
    const { url, seen } = await startProtectedServer(() => 401);
    const authProvider: AuthProvider = { token: () => 't', onResponse: () => true };
    const { client, transport } = createTestClient(['2026-07-28', '2025-11-25'], { url, authProvider });
    await rejectionOf(client.connect(transport), UnauthorizedError);
    expect(seen).toHaveLength(2);
  });

  test.each([
    ['an error', new Error('no key')],
    ['an UnauthorizedError', new UnauthorizedError('no key', { method: 'POST', url: 'https://a.example' })],
  ])('that cannot set headers fails with %s', async (_, error) => {
    const { url, seen } = await startProtectedServer(() => 401);
    const authProvider: AuthProvider = { token: () => 't', authorize: () => Promise.reject(error) };
    const { client, transport } = createTestClient(['2026-07-28', '2025-11-25'], { url, authProvider });
    const failure = await rejectionOf(client.connect(transport), UnauthorizedError);
    expect(failure.message).toContain('no key');
    expect(failure.message.match(/POST/g)).toHaveLength(1);
    expect(seen).toEqual([]);
  });

  test('need not handle a refusal', async () => {
    const { url, seen } = await startProtectedServer(() => 401);
    const { client, transport } = createTestClient(['2026-07-28', '2025-11-25'], { url });
    const error = await rejectionOf(client.connect(transport), HttpError);
    expect([error.name, error.status, seen.length]).toEqual(['HttpError', 401, 1]);
  });
});

describe('an OAuth provider of the official SDKs, with their flow', () => {
  /** Records the requests of the flow, and issues a token for each scope. */
  function flow(outcome = 'AUTHORIZED') {
    const asked: AuthFlowOptions[] = [];
    let tokens: { access_token: string; scope?: string } | undefined;
    return {
      asked,
      authProvider: { clientInformation: () => ({ client_id: 'me' }), tokens: () => tokens },
      auth: (_: unknown, options: AuthFlowOptions): Promise<string> => {
        asked.push(options);
        if (outcome === 'AUTHORIZED' || options.authorizationCode !== undefined)
          tokens = { access_token: `for ${options.scope ?? 'nothing'}`, scope: options.scope ?? '' };
        return Promise.resolve(options.authorizationCode === undefined ? outcome : 'AUTHORIZED');
      },
    };
  }

  test('authorizes with the required scope, and again if the scope is insufficient', async () => {
    const { url } = await startScriptedServer((seen, response) => {
      const token = seen.headers.authorization;
      if (token === undefined) response.writeHead(401, { 'www-authenticate': CHALLENGE }).end();
      else if (seen.message.method === 'tools/call' && !token.includes('delete'))
        response
          .writeHead(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="delete"' })
          .end('not enough');
      else
        void sessionScript(({ verb, message }, to) => {
          if (verb === 'GET') to.writeHead(405).end();
          else sendJson(to, resultMessage(message.id, TEXT));
        })(seen, response);
    });
    const { asked, ...options } = flow();
    const { client } = await connectTestClient(['2025-11-25'], { url, ...options });
    await client.callTool(call);
    expect(asked.map(({ scope, forceReauthorization }) => [scope, forceReauthorization])).toEqual([
      ['read write', undefined],
      ['read write delete', true],
    ]);
    for (const { serverUrl, resourceMetadataUrl } of asked)
      expect([serverUrl.href, resourceMetadataUrl?.href]).toEqual([url, 'http://127.0.0.1:9/.well-known/x']);
  });

  test('gives up where more is never enough', async () => {
    const { url, seen } = await startProtectedServer(
      (token, method) => (token === undefined ? 401 : method === 'tools/call' ? 403 : 200),
      'Bearer error="insufficient_scope", scope="all"',
    );
    const { client } = await connectTestClient(['2025-11-25'], { url, ...flow() });
    const error = await rejectionOf(client.callTool(call), HttpError);
    expect(error.status).toBe(403);
    expect(seen.filter(({ message }) => message.method === 'tools/call')).toHaveLength(2);
  });

  test('connects after the user was redirected', async () => {
    const { url } = await startProtectedServer((token) => (token === undefined ? 401 : 200));
    const { asked, ...options } = flow('REDIRECT');
    const first = createTestClient(['2026-07-28', '2025-11-25'], { url, ...options });
    const error = await rejectionOf(first.client.connect(first.transport));
    expect(error).toBeInstanceOf(UnauthorizedError);
    expect(error.message).toContain('call finishAuth');
    expect(asked).toHaveLength(1);
    await first.transport.finishAuth(new URLSearchParams({ code: 'abc', iss: 'http://127.0.0.1:9' }));
    expect(asked[1]).toMatchObject({ authorizationCode: 'abc', iss: 'http://127.0.0.1:9', scope: 'read write' });
    await connectTestClient(['2025-11-25'], { url, ...options });
    expect(
      (await rejectionOf(first.transport.finishAuth(new URLSearchParams({ error: 'access_denied' })))).message,
    ).toContain('no code but "access_denied"');
  });

  test('says so where there is no flow', async () => {
    const { url } = await startProtectedServer(() => 401);
    const { auth: _, ...options } = flow();
    const { client, transport } = createTestClient(['2025-11-25'], { url, ...options });
    expect((await rejectionOf(client.connect(transport))).message).toContain('the option auth has no OAuth flow');
  });
});

test.each([
  [CHALLENGE, ['invalid_token', 'read write', 'http://127.0.0.1:9/.well-known/x']],
  ['Bearer error=insufficient_scope,scope="a \\"b\\""', ['insufficient_scope', 'a "b"', undefined]],
  ['Basic realm="x", Bearer scope="a"', [undefined, 'a', undefined]],
  ['Basic scope="a"', [undefined, undefined, undefined]],
  ['DPoP error="insufficient_scope", scope="a"', ['insufficient_scope', 'a', undefined]],
  ['Bearer resource_metadata="no url"', [undefined, undefined, undefined]],
  ['', [undefined, undefined, undefined]],
])('the challenge %s', (header, expected) => {
  const { error, scope, resourceMetadataUrl } = readChallenge(
    new Response(null, { status: 401, headers: { 'www-authenticate': header } }),
  );
  expect([error, scope, resourceMetadataUrl?.href]).toEqual(expected);
});

describe('redirects', () => {
  const authProvider: AuthProvider = { token: () => 'secret' };

  test('at the same origin are followed', async () => {
    const { url, seen } = await startScriptedServer((one, response) => {
      if (one.path === '/mcp') response.writeHead(307, { location: '/moved' }).end();
      else
        void sessionScript(({ verb, message }, to) => {
          if (verb === 'GET') to.writeHead(405).end();
          else sendJson(to, resultMessage(message.id, TEXT));
        })(one, response);
    });
    const { client } = await connectTestClient(['2025-11-25'], { url, authProvider });
    await client.callTool(call);
    expect(seen.every(({ headers }) => headers.authorization === 'Bearer secret')).toBe(true);
  });

  test('to another origin are not followed', async () => {
    const other = await startScriptedServer((_, response) => void response.writeHead(200).end());
    const { url } = await startScriptedServer(
      (_, response) => void response.writeHead(307, { location: `${other.url}?x=1` }).end(),
    );
    const { client, transport } = createTestClient(['2026-07-28', '2025-11-25'], { url, authProvider });
    const error = await rejectionOf(client.connect(transport));
    expect(error.message).toBe(
      `POST ${url}: 307, the server redirects to another origin, ${other.url}; connect to that if it is the right one`,
    );
    expect(other.seen).toEqual([]);
  });

  test.each([
    [307, '/mcp', 'more than 5 redirects'],
    [302, '/other', 'in a way that would make the request a GET'],
    [308, 'http://', 'unknown target'],
  ])('with %i to %s end', async (status, location, reason) => {
    const { url, seen } = await startScriptedServer(
      (_, response) => void response.writeHead(status, { location }).end(),
    );
    const { client, transport } = createTestClient(['2026-07-28', '2025-11-25'], { url, authProvider });
    expect((await rejectionOf(client.connect(transport))).message).toContain(reason);
    expect(seen.length).toBeLessThan(7);
  });
});
