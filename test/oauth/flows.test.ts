import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { memoryStore, oauthProvider, UnauthorizedError } from '../../generated/runtime/oauth-client.js';
import type { OAuthProvider, OAuthStore } from '../../generated/runtime/oauth-client.js';
import { createTestClient, rejectionOf, sendJson } from '../http/client-peer.js';
import {
  agreeingUser,
  clientOptions,
  connectWith,
  serve,
  serverMetadata,
  startServers,
  testProvider,
} from './support.js';

const call = { name: 'a', arguments: {} };

async function failure(url: string, provider: OAuthProvider): Promise<UnauthorizedError> {
  return rejectionOf(connectWith(url, provider), UnauthorizedError);
}

describe('the authorization code grant', () => {
  test('uses PKCE, state and resource', async () => {
    const servers = await startServers({ scope: 'read' });
    const opened: URL[] = [];
    const { client } = await connectWith(servers.mcp, testProvider({ redirect: agreeingUser(opened) }));
    await client.callTool(call);
    const { searchParams } = opened[0] ?? new URL('http://x');
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: 'code',
      client_id: 'me',
      redirect_uri: 'http://127.0.0.1:9/callback',
      state: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge_method: 'S256',
      resource: servers.mcp,
      scope: 'read',
    });
    expect(Object.fromEntries(servers.tokenRequests()[0]?.form ?? [])).toEqual({
      grant_type: 'authorization_code',
      code: 'code-1',
      code_verifier: expect.stringMatching(/^[\w-]{43}$/) as string,
      redirect_uri: 'http://127.0.0.1:9/callback',
      client_id: 'me',
      resource: servers.mcp,
    });
  });

  test('asks the user once for requests at the same time', async () => {
    const servers = await startServers();
    const opened: URL[] = [];
    const provider = testProvider({ redirect: agreeingUser(opened) });
    await Promise.all([1, 2, 3].map(() => connectWith(servers.mcp, provider)));
    expect([opened.length, servers.tokenRequests().length]).toEqual([1, 1]);
  });

  test('goes on in another process with finish', async () => {
    const servers = await startServers();
    const store = memoryStore();
    let url: URL | undefined;
    const options = clientOptions({
      store,
      redirect: {
        url: 'https://app.example.com/back',
        open: (to) => {
          url = to;
          return undefined;
        },
      },
    });
    const error = await failure(servers.mcp, oauthProvider(options));
    expect(error.message).toContain('call finish with the parameters of the redirect back, then connect again');
    const back = await fetch(url ?? '', { redirect: 'manual' });
    const answer = new URL(back.headers.get('location') ?? '');
    const later = oauthProvider(options);
    await later.finish(answer);
    await connectWith(servers.mcp, later);
    // An answer is for one use.
    const again = await rejectionOf(later.finish(answer), UnauthorizedError);
    expect(again.message).toContain('no authorization waits for this answer');
    expect(servers.tokenRequests()).toHaveLength(1);
  });

  test('goes on with finishAuth of the transport', async () => {
    const servers = await startServers();
    let url: URL | undefined;
    const provider = testProvider({
      redirect: {
        url: 'https://app.example.com/back',
        open: (to) => {
          url = to;
          return undefined;
        },
      },
    });
    const { client, transport } = createTestClient(['2025-11-25'], { url: servers.mcp, authProvider: provider });
    await rejectionOf(client.connect(transport));
    const back = await fetch(url ?? '', { redirect: 'manual' });
    const { searchParams } = new URL(back.headers.get('location') ?? '');
    expect((await rejectionOf(transport.finishAuth(searchParams.get('code') ?? ''))).message).toContain(
      'needs all parameters of the redirect',
    );
    await transport.finishAuth(searchParams);
    await connectWith(servers.mcp, provider);
  });

  test.each([
    [
      'another state',
      (p: URLSearchParams) => {
        p.set('state', 'x');
      },
      'state',
    ],
    [
      'no state',
      (p: URLSearchParams) => {
        p.delete('state');
      },
      'state',
    ],
    [
      'two states',
      (p: URLSearchParams) => {
        p.append('state', 'x');
      },
      'state',
    ],
    [
      'two codes',
      (p: URLSearchParams) => {
        p.append('code', 'x');
      },
      'code',
    ],
    [
      'no code',
      (p: URLSearchParams) => {
        p.delete('code');
      },
      'no code',
    ],
    [
      'the issuer of another server',
      (p: URLSearchParams) => {
        p.set('iss', 'https://evil.example');
      },
      'iss',
    ],
  ])('refuses an answer with %s', async (_, answer, reason) => {
    const servers = await startServers({ answer });
    const error = await failure(servers.mcp, testProvider());
    expect(error.message).toContain(`OAuth: authorization at ${servers.issuer}: `);
    expect(error.message).toContain(reason);
    expect(servers.tokenRequests()).toEqual([]);
  });

  test('compares issuers as texts', async () => {
    const servers = await startServers({
      answer: (p, issuer) => {
        p.set('iss', `${issuer}/`);
      },
    });
    expect((await failure(servers.mcp, testProvider())).message).toContain('"iss" (issuer)');
    expect(servers.tokenRequests()).toEqual([]);
  });

  test('requires the issuer where the metadata promises it', async () => {
    const script = {
      metadata: (issuer: string) => ({
        ...serverMetadata(issuer),
        authorization_response_iss_parameter_supported: true,
      }),
    };
    const without = await startServers(script);
    expect((await failure(without.mcp, testProvider())).message).toContain('"iss" (issuer) missing');
    expect(without.tokenRequests()).toEqual([]);
    const servers = await startServers({
      ...script,
      answer: (p, issuer) => {
        p.set('iss', issuer);
      },
    });
    await connectWith(servers.mcp, testProvider());
  });

  test('shows no error of another issuer', async () => {
    const servers = await startServers({
      answer: (p) => {
        p.delete('code');
        p.set('iss', 'https://evil.example');
        p.set('error', 'visit_evil_example');
      },
    });
    const error = await failure(servers.mcp, testProvider());
    expect(error.message).not.toContain('visit_evil_example');
  });

  test('reports that the user refuses', async () => {
    const servers = await startServers({
      answer: (p) => {
        p.delete('code');
        p.set('error', 'access_denied');
        p.set('error_description', 'not\u001b[31m today');
      },
    });
    const error = await failure(servers.mcp, testProvider());
    expect(error.message).toContain('the user did not authorize the client: "access_denied" ("not [31m today")');
  });

  test.each(['http://app.example.com/back', 'javascript:alert(1)', 'https://app.example.com/back#x'])(
    'does not redirect to %s',
    async (url) => {
      const servers = await startServers();
      const error = await failure(servers.mcp, testProvider({ redirect: { url, open: () => undefined } }));
      expect(error.message).toContain('cannot be a redirect URI');
    },
  );

  test('closes the redirect, however the flow ends', async () => {
    const servers = await startServers({ token: (_, response) => (sendJson(response, { error: 'no' }, 400), true) });
    let open = 0;
    const provider = testProvider({
      redirect: () => {
        open += 1;
        return { ...agreeingUser(), close: () => void (open -= 1) };
      },
    });
    await failure(servers.mcp, provider);
    expect(open).toBe(0);
  });
});

describe('discovery', () => {
  const found = (seen: readonly { readonly path: string }[]): string[] =>
    seen.map(({ path }) => path).filter((path) => path.includes('well-known'));

  test('tries the well-known URI with the path, then the root', async () => {
    const other = await startServers();
    const server = await serve((request, response) => {
      if (request.path === '/.well-known/oauth-protected-resource')
        sendJson(response, { resource: server.origin, authorization_servers: [other.issuer] });
      else response.writeHead(request.path === '/mcp' ? 401 : 404).end();
    });
    await failure(`${server.origin}/mcp`, testProvider());
    expect(found(server.seen)).toEqual([
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-protected-resource',
    ]);
    // The resource is what the metadata names.
    expect(other.tokenRequests()[0]?.form.get('resource')).toBe(server.origin);
  });

  test('tries all places for an issuer with a path, in order', async () => {
    const servers = await startServers({
      issuerPath: '/tenant',
      metadataPath: '/tenant/.well-known/openid-configuration',
    });
    await connectWith(servers.mcp, testProvider());
    expect(found(servers.atIssuer)).toEqual([
      '/.well-known/oauth-authorization-server/tenant',
      '/.well-known/openid-configuration/tenant',
      '/tenant/.well-known/openid-configuration',
    ]);
  });

  test('takes a server without metadata for its own authorization server (2025-03-26)', async () => {
    const server = await serve((request, response) => {
      if (request.path === '/register') sendJson(response, { client_id: 'new', client_secret: 's' }, 201);
      else if (request.path === '/authorize')
        response
          .writeHead(302, {
            location: `${request.query.get('redirect_uri') ?? ''}?code=c&state=${request.query.get('state') ?? ''}`,
          })
          .end();
      else if (request.path === '/token') sendJson(response, { access_token: 'a', token_type: 'bearer' });
      else response.writeHead(request.path === '/mcp' ? 401 : 404).end();
    });
    await failureOrNot(`${server.origin}/mcp`, testProvider({ client: { registration: { name: 'me' } } }));
    const token = server.seen.find(({ path }) => path === '/token');
    expect(token?.form.get('resource')).toBe(`${server.origin}/mcp`);
    expect(token?.headers.authorization).toBe(`Basic ${btoa('new:s')}`);
  });

  test('does not take a server that is out of order for one without metadata', async () => {
    const server = await serve((request, response) => response.writeHead(request.path === '/mcp' ? 401 : 503).end());
    const error = await failure(`${server.origin}/mcp`, testProvider());
    expect(error.message).toContain('the response is 503; try again later');
    expect(server.seen.some(({ path }) => path === '/authorize')).toBe(false);
  });

  test('finds the authorization server again after each rejection, and registers there', async () => {
    const first = await startServers();
    const second = await startServers();
    let current = first;
    const server = await serve((request, response) => {
      const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
      if (request.path.startsWith('/.well-known'))
        sendJson(response, { resource: `${server.origin}/mcp`, authorization_servers: [current.issuer] });
      else response.writeHead(current.valid.has(token) ? 404 : 401).end();
    });
    const provider = testProvider({ client: { registration: { name: 'me' } } });
    for (current of [first, second]) await failureOrNot(`${server.origin}/mcp`, provider);
    for (const { atIssuer } of [first, second])
      expect(atIssuer.filter(({ path }) => path === '/register' || path === '/token').map(({ path }) => path)).toEqual([
        '/register',
        '/token',
      ]);
    expect(second.tokenRequests()[0]?.form.get('client_id')).not.toBe(first.tokenRequests()[0]?.form.get('client_id'));
  });
});

async function failureOrNot(url: string, provider: OAuthProvider): Promise<void> {
  await connectWith(url, provider).catch(() => undefined);
}

describe('refreshing', () => {
  test('happens before an expired token is sent, once for requests at the same time', async () => {
    const servers = await startServers({ expiresIn: 0 });
    const { client } = await connectWith(servers.mcp, testProvider());
    const before = servers.tokenRequests().length;
    await Promise.all([client.callTool(call), client.callTool(call), client.callTool(call)]);
    // Tokens that expire at once are refreshed for each request, but never twice with one refresh token.
    const used = servers.tokenRequests().map(({ form }) => form.get('refresh_token'));
    expect(new Set(used).size).toBe(used.length);
    expect(servers.tokenRequests().length).toBeGreaterThan(before);
    expect(servers.atServer.filter(({ path, headers }) => path === '/mcp' && headers.authorization).length).toBe(
      servers.atServer.filter(({ path }) => path === '/mcp').length - 1,
    );
  });

  test('is not needed while a token is valid, however short its life', async () => {
    const servers = await startServers({
      token: (_, response) => {
        servers.valid.set('short', '');
        sendJson(response, { access_token: 'short', token_type: 'Bearer', expires_in: 5 });
        return true;
      },
    });
    const provider = testProvider({ client: { id: 'me', secret: 's' }, grant: 'client_credentials' });
    const { client } = await connectWith(servers.mcp, provider);
    await client.callTool(call);
    expect(servers.tokenRequests()).toHaveLength(1);
  });

  test('follows a rejection, with the rotated token each time', async () => {
    const servers = await startServers();
    const opened: URL[] = [];
    const { client } = await connectWith(servers.mcp, testProvider({ redirect: agreeingUser(opened) }));
    for (let round = 0; round < 3; round += 1) {
      servers.valid.clear();
      await Promise.all([client.callTool(call), client.callTool(call)]);
    }
    expect(servers.tokenRequests().map(({ form }) => form.get('refresh_token'))).toEqual([
      null,
      'refresh-1',
      'refresh-2',
      'refresh-3',
    ]);
    expect(opened).toHaveLength(1);
    for (const { form } of servers.tokenRequests().slice(1)) {
      expect([form.get('resource'), form.get('client_id')]).toEqual([servers.mcp, 'me']);
      expect(form.has('scope')).toBe(false);
    }
  });

  test('keeps a refresh token that is not rotated', async () => {
    const servers = await startServers({
      token: ({ form }, response) => {
        if (form.get('grant_type') !== 'refresh_token') return false;
        servers.valid.set('same', '');
        sendJson(response, { access_token: 'same', token_type: 'Bearer' });
        return true;
      },
    });
    const { client } = await connectWith(servers.mcp, testProvider());
    for (let round = 0; round < 2; round += 1) {
      servers.valid.clear();
      await client.callTool(call);
    }
    expect(servers.tokenRequests().map(({ form }) => form.get('refresh_token'))).toEqual([
      null,
      'refresh-1',
      'refresh-1',
    ]);
  });

  test.each([
    [429, 'too_many_requests'],
    [400, 'temporarily_unavailable'],
    [401, 'invalid_client'],
  ])('keeps the tokens if the server answers %i %s', async (status, error) => {
    const opened: URL[] = [];
    let isBusy = true;
    const servers = await startServers({
      token: ({ form }, response) => {
        if (form.get('grant_type') !== 'refresh_token' || !isBusy) return false;
        sendJson(response, { error }, status);
        return true;
      },
    });
    const { client } = await connectWith(servers.mcp, testProvider({ redirect: agreeingUser(opened) }));
    servers.valid.clear();
    await expect(client.callTool(call)).rejects.toThrow(error);
    isBusy = false;
    await client.callTool(call);
    expect(opened).toHaveLength(1);
  });

  test('is replaced by asking the user if the refresh token is revoked', async () => {
    const servers = await startServers();
    const opened: URL[] = [];
    const { client } = await connectWith(servers.mcp, testProvider({ redirect: agreeingUser(opened) }));
    servers.valid.clear();
    servers.refreshable.clear();
    await client.callTool(call);
    expect(opened).toHaveLength(2);
  });

  test('is not repeated if the refreshed token is rejected too', async () => {
    const servers = await startServers();
    const opened: URL[] = [];
    const { client } = await connectWith(servers.mcp, testProvider({ redirect: agreeingUser(opened) }));
    servers.valid.set = () => servers.valid;
    servers.valid.clear();
    await rejectionOf(client.callTool(call));
    await rejectionOf(client.callTool(call));
    const error = await rejectionOf(client.callTool(call), UnauthorizedError);
    expect(error.message).toContain('the server rejects a token that has just been issued for it');
    expect(servers.tokenRequests().map(({ form }) => form.get('grant_type'))).toEqual([
      'authorization_code',
      'refresh_token',
      'authorization_code',
    ]);
    expect(opened).toHaveLength(2);
  });

  test('leaves the tokens alone if the authorization server does not respond', async () => {
    let isDown = false;
    const servers = await startServers({
      token: (_, response) => {
        if (isDown) response.destroy();
        return isDown;
      },
    });
    const { client } = await connectWith(servers.mcp, testProvider());
    servers.valid.clear();
    isDown = true;
    const error = await rejectionOf(client.callTool(call), UnauthorizedError);
    expect(error.message).toContain(`token request to ${servers.issuer}/token: no response`);
    isDown = false;
    await client.callTool(call);
    expect(servers.tokenRequests().at(-1)?.form.get('refresh_token')).toBe('refresh-1');
  });
});

describe('step-up authorization', () => {
  test('requests the union of scopes', async () => {
    const servers = await startServers({ scope: 'read', callScope: 'write' });
    const opened: URL[] = [];
    const { client } = await connectWith(
      servers.mcp,
      testProvider({ redirect: agreeingUser(opened), scopes: ['profile'] }),
    );
    await client.callTool(call);
    expect(opened.map((url) => url.searchParams.get('scope'))).toEqual(['profile read', 'profile read write']);
  });

  test('ends if the token has the scope and is rejected nevertheless', async () => {
    const servers = await startServers({
      callScope: 'write',
      token: (_, response) => {
        servers.valid.set('narrow', 'read');
        sendJson(response, { access_token: 'narrow', token_type: 'Bearer', scope: 'read' });
        return true;
      },
    });
    const opened: URL[] = [];
    const { client } = await connectWith(servers.mcp, testProvider({ redirect: agreeingUser(opened) }));
    for (let round = 0; round < 4; round += 1) {
      const error = await rejectionOf(client.callTool(call));
      if (round > 0) expect(error.message).toContain('which this client has requested already');
    }
    expect(opened).toHaveLength(2);
  });

  test('ends if the server requires ever more scopes', async () => {
    let asked = 0;
    const servers = await startServers();
    const server = await serve((request, response) => {
      if (request.path.startsWith('/.well-known'))
        sendJson(response, { resource: `${server.origin}/mcp`, authorization_servers: [servers.issuer] });
      else {
        asked += 1;
        response.writeHead(401, { 'www-authenticate': `Bearer scope="scope-${asked}"` }).end();
      }
    });
    const provider = testProvider({
      client: { id: 'me', secret: 's' },
      grant: 'client_credentials',
      redirect: undefined,
    });
    let error: Error | undefined;
    for (let round = 0; round < 40; round += 1)
      error = await rejectionOf(connectWith(`${server.origin}/mcp`, provider));
    expect(error?.message).toContain('the server requires ever more scopes');
    expect(servers.tokenRequests().length).toBeLessThan(20);
  });
});

describe('tokens', () => {
  test('are not sent to another server', async () => {
    const first = await startServers();
    const second = await startServers({ resource: null, metadata: null });
    const provider = testProvider({ client: { id: 'me', issuer: first.issuer } });
    await connectWith(first.mcp, provider);
    const error = await failure(second.mcp, provider);
    expect(error.message).toContain('the client is registered at');
    expect(second.atServer.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
    expect(JSON.stringify(second.atIssuer)).not.toContain('access-1');
  });

  test('are not requested with the credentials for another authorization server', async () => {
    const honest = await startServers();
    const hostile = await startServers();
    const provider = testProvider({ client: { id: 'me', secret: 'top-secret' } });
    await connectWith(honest.mcp, provider);
    const error = await failure(hostile.mcp, provider);
    expect(error.message).toContain('set client.issuer to it');
    expect(hostile.tokenRequests()).toEqual([]);
    expect(hostile.atIssuer.some(({ path }) => path === '/authorize')).toBe(false);
  });

  test('of a user are not those of the client itself', async () => {
    const servers = await startServers();
    const store = memoryStore();
    await connectWith(servers.mcp, testProvider({ store }));
    const client = { id: 'me', secret: 'x' };
    await connectWith(servers.mcp, oauthProvider({ client, grant: 'client_credentials', store }));
    expect(servers.tokenRequests().map(({ form }) => form.get('grant_type'))).toEqual([
      'authorization_code',
      'client_credentials',
    ]);
    await connectWith(servers.mcp, testProvider({ store }));
    expect(servers.tokenRequests()).toHaveLength(2);
  });

  test('the secret of a client reaches one authorization server, however many are asked at once', async () => {
    const servers = await Promise.all([startServers(), startServers(), startServers()]);
    const provider = oauthProvider({ client: { id: 'me', secret: 's3cr3t' }, redirect: agreeingUser() });
    const outcomes = await Promise.allSettled(servers.map(({ mcp }) => connectWith(mcp, provider)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(servers.filter(({ tokenRequests }) => tokenRequests().length > 0)).toHaveLength(1);
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
    for (const reason of reasons) expect(reason).toContain('the client is registered at');
  });

  test('an authorization server that issues nothing does not keep the client', async () => {
    const refusing = await startServers({
      token: (_request, response) => {
        sendJson(response, { error: 'invalid_client' }, 401);
        return true;
      },
    });
    const other = await startServers();
    const provider = testProvider();
    await failure(refusing.mcp, provider);
    await connectWith(other.mcp, provider);
  });

  test('a session ends without a login', async () => {
    const servers = await startServers();
    const opened: URL[] = [];
    const { client } = await connectWith(servers.mcp, testProvider({ redirect: agreeingUser(opened) }));
    servers.valid.clear();
    servers.refreshable.clear();
    await client.close();
    expect(opened).toHaveLength(1);
  });

  test('a caller who aborts does not wait for the user', async () => {
    const servers = await startServers({ callScope: 'write' });
    let logins = 0;
    const user = agreeingUser();
    const open = (url: URL): ReturnType<typeof user.open> =>
      (logins += 1) === 1 ? user.open(url) : new Promise(() => undefined);
    const { client } = await connectWith(servers.mcp, testProvider({ redirect: { url: user.url, open } }));
    const controller = new AbortController();
    const pending = client.callTool(call, { signal: controller.signal });
    setTimeout(() => {
      controller.abort(new Error('no longer needed'));
    }, 100);
    await expect(pending).rejects.toThrow('no longer needed');
    // Nor does the end of the connection.
    await client.close();
    expect(logins).toBe(2);
  });

  test('of another resource are not read from a store', async () => {
    const servers = await startServers();
    const values = new Map<string, object>();
    const store: OAuthStore = {
      get: (key) => Promise.resolve(values.get(key)),
      set: (key, value) => Promise.resolve(void values.set(key, value)),
      delete: (key) => Promise.resolve(void values.delete(key)),
    };
    await connectWith(servers.mcp, testProvider({ store }));
    expect([...values.keys()]).toContain(
      JSON.stringify(['tokens', servers.issuer, servers.mcp, 'me', 'authorization_code']),
    );
    const key = JSON.stringify(['tokens', servers.issuer, servers.mcp, 'me', 'authorization_code']);
    for (const change of [
      { resource: 'https://other.example/mcp' },
      { issuer: 'https://other.example' },
      { client: { id: 'you', origin: 'options' } },
    ]) {
      const tokens = values.get(key) ?? {};
      values.set(key, { ...tokens, ...change, accessToken: 'stolen' });
      await connectWith(servers.mcp, testProvider({ store }));
      expect(JSON.stringify(servers.atServer)).not.toContain('stolen');
    }
    await connectWith(servers.mcp, testProvider({ store }));
    expect(servers.tokenRequests()).toHaveLength(4);
  });

  test('of another resource are not read, even if the store names them for this server', async () => {
    const servers = await startServers();
    const values = new Map<string, object>();
    const store: OAuthStore = {
      get: (key) => Promise.resolve(values.get(key)),
      set: (key, value) => Promise.resolve(void values.set(key, value)),
      delete: (key) => Promise.resolve(void values.delete(key)),
    };
    await connectWith(servers.mcp, testProvider({ store }));
    const resource = 'https://other.example/mcp';
    for (const [key, value] of [...values]) {
      values.delete(key);
      values.set(
        key.replace(
          JSON.stringify(['tokens', servers.issuer, servers.mcp]).slice(0, -1),
          JSON.stringify(['tokens', servers.issuer, resource]).slice(0, -1),
        ),
        {
          ...value,
          resource,
          ...('accessToken' in value ? { accessToken: 'stolen' } : {}),
        },
      );
    }
    expect([...values.keys()]).toContain(
      JSON.stringify(['tokens', servers.issuer, resource, 'me', 'authorization_code']),
    );
    await connectWith(servers.mcp, testProvider({ store }));
    expect(JSON.stringify(servers.atServer)).not.toContain('stolen');
  });

  test('leave no pending authorization in the store', async () => {
    const servers = await startServers();
    const keys: string[] = [];
    const values = new Map<string, object>();
    const store: OAuthStore = {
      get: (key) => Promise.resolve(values.get(key)),
      set: (key, value) => {
        keys.push(key);
        values.set(key, value);
        return Promise.resolve();
      },
      delete: (key) => Promise.resolve(void values.delete(key)),
    };
    await connectWith(servers.mcp, testProvider({ store }));
    const failing = testProvider({
      store,
      client: { id: 'you', issuer: servers.issuer },
      redirect: { url: 'http://127.0.0.1:9/', open: () => Promise.reject(new Error('no browser')) },
    });
    expect((await failure(servers.mcp, failing)).message).toContain('"no browser"');
    expect(keys.filter((key) => key.includes('"pending"'))).toHaveLength(2);
    expect([...values.keys()].filter((key) => key.includes('"pending"'))).toEqual([]);
  });

  test('are forgotten on request', async () => {
    const servers = await startServers();
    const opened: URL[] = [];
    const provider = testProvider({ redirect: agreeingUser(opened) });
    await connectWith(servers.mcp, provider);
    await provider.forget(servers.mcp);
    await connectWith(servers.mcp, provider);
    expect(opened).toHaveLength(2);
  });

  test('are not given to a transport that does not name its server', async () => {
    const servers = await startServers();
    const provider = testProvider();
    await connectWith(servers.mcp, provider);
    expect(await (provider.token as () => Promise<string | undefined>)()).toBeUndefined();
  });
});

describe('secrets', () => {
  test('are not in errors, even if the server repeats them', async () => {
    const servers = await startServers({
      token: (request, response) => {
        sendJson(
          response,
          { error: 'invalid_grant', error_description: `${request.body} ${request.headers.authorization ?? ''}` },
          400,
        );
        return true;
      },
    });
    const error = await failure(servers.mcp, testProvider({ client: { id: 'me', secret: 'top-secret' } }));
    const [request] = servers.tokenRequests();
    const shown = `${error.stack ?? ''}${inspect(error, { depth: 9, showHidden: true })}${JSON.stringify(error)}`;
    expect(shown).toContain('invalid_grant');
    for (const name of ['code', 'code_verifier']) expect(shown).not.toContain(request?.form.get(name));
    expect(shown).not.toContain('top-secret');
  });

  test('are not in errors about invalid responses', async () => {
    const servers = await startServers({
      token: (_, response) => {
        sendJson(response, { access_token: 'very-secret', refresh_token: 42, token_type: 'Bearer' });
        return true;
      },
    });
    const error = await failure(servers.mcp, testProvider());
    expect(error.message).toContain('refresh_token');
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('very-secret');
  });

  test('are not in a provider or store that is logged', async () => {
    const servers = await startServers();
    const store = memoryStore();
    const provider = testProvider({ client: { id: 'me', secret: 'top-secret' }, store });
    await connectWith(servers.mcp, provider);
    for (const value of [provider, store])
      for (const shown of [JSON.stringify(value), inspect(value, { depth: 9, showHidden: true })])
        expect(shown).not.toMatch(/top-secret|access-1|refresh-1/);
  });
});

describe('options', () => {
  const redirect = agreeingUser();
  test.each([
    ['no client', { client: {} }, 'the client needs an id'],
    ['a secret without id', { client: { secret: 's', metadataUrl: 'https://a.example/c' } }, 'needs client.id'],
    ['a secret and a key', { client: { id: 'a', secret: 's', privateKey: 'k' } }, 'not both'],
    ['a metadata URL without path', { client: { metadataUrl: 'https://a.example' } }, 'client.metadataUrl'],
    ['a metadata URL without TLS', { client: { metadataUrl: 'http://a.example/c' } }, 'client.metadataUrl'],
    ['no redirect', { client: { id: 'a' }, redirect: undefined }, 'needs a redirect'],
  ])('with %s are refused', (_, options, reason) => {
    expect(() => oauthProvider({ redirect, ...options })).toThrow(reason);
  });
});
