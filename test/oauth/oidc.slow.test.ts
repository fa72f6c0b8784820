import { generateKeyPair } from 'oauth4webapi';
import { describe, expect, test } from 'vitest';
import { memoryStore, oauthProvider, UnauthorizedError } from '../../generated/runtime/oauth-client.js';
import type { OAuthOptions, OAuthProvider } from '../../generated/runtime/oauth-client.js';
import { connectTestClient, rejectionOf } from '../http/client-peer.js';
import type { Connected } from '../http/client-peer.js';
import { browserUser, startOidc, startProtected } from './oidc-support.js';

const CALLBACK = 'http://127.0.0.1:9/callback';
const PUBLIC_CLIENT = {
  client_id: 'me',
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  application_type: 'native',
};
const call = { name: 'a', arguments: {} };

function provider(options: Partial<OAuthOptions> = {}): OAuthProvider {
  return oauthProvider({ client: { id: 'me' }, redirect: browserUser(), ...options });
}

function connect(url: string, authProvider: OAuthProvider): Promise<Connected> {
  return connectTestClient(['2026-07-28'], { url, authProvider });
}

describe('with oidc-provider, a user', { timeout: 60_000 }, () => {
  test('authorizes with PKCE, then for more scopes', async () => {
    const issuer = await startOidc({ clients: [PUBLIC_CLIENT] });
    const { mcp, claims } = await startProtected(issuer);
    const opened: URL[] = [];
    const { client } = await connect(mcp, provider({ redirect: browserUser(opened) }));
    expect(claims.at(-1)).toMatchObject({ iss: issuer, aud: mcp, client_id: 'me', scope: 'read' });
    await client.callTool(call);
    expect(claims.at(-1)?.scope).toBe('read write');
    expect(opened.map(({ searchParams }) => searchParams.get('scope'))).toEqual([
      'read offline_access',
      'read offline_access write',
    ]);
  });

  test('is not asked again while refresh tokens rotate', async () => {
    const issuer = await startOidc({ clients: [PUBLIC_CLIENT], accessTokenTtl: 3 });
    const { mcp, claims } = await startProtected(issuer);
    const opened: URL[] = [];
    const { client } = await connect(mcp, provider({ redirect: browserUser(opened), scopes: ['read', 'write'] }));
    for (let round = 0; round < 3; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 2600));
      await Promise.all([client.callTool(call), client.callTool(call)]);
    }
    expect(opened).toHaveLength(1);
    expect(new Set(claims.map(({ jti }) => jti)).size).toBeGreaterThan(3);
  });

  test('is asked again if the tokens are revoked', async () => {
    const issuer = await startOidc({ clients: [PUBLIC_CLIENT] });
    const store = memoryStore();
    const values: Record<string, unknown>[] = [];
    const revoked = new Set<string>();
    const { mcp, claims } = await startProtected(issuer, { isRevoked: (jti) => revoked.has(jti) });
    const opened: URL[] = [];
    const { client } = await connect(
      mcp,
      provider({
        redirect: browserUser(opened),
        scopes: ['read', 'write'],
        store: {
          get: (key) => store.get(key),
          delete: (key) => store.delete(key),
          set: (key, value, expiresAt) => {
            values.push(value as Record<string, unknown>);
            return store.set(key, value, expiresAt);
          },
        },
      }),
    );
    await client.callTool(call);
    const token = values.map(({ refreshToken }) => refreshToken).find((value) => typeof value === 'string');
    const response = await fetch(`${issuer}/token/revocation`, {
      method: 'POST',
      body: new URLSearchParams({ token: String(token), client_id: 'me' }),
    });
    expect(response.status).toBe(200);
    for (const { jti } of claims) revoked.add(jti);
    await client.callTool(call);
    expect(opened).toHaveLength(2);
  });

  test('registers the client dynamically', async () => {
    const issuer = await startOidc();
    const { mcp, claims } = await startProtected(issuer);
    const client = {
      registration: { name: 'a client', metadata: { policy_uri: 'https://client.example.com/policy' } },
    };
    const one = provider({ client, scopes: ['read', 'write'] });
    await (await connect(mcp, one)).client.callTool(call);
    expect(claims.at(-1)?.client_id).toMatch(/^[\w-]{10,}$/);
    // The registration is kept, so the second authorization is as the same client.
    await one.forget(mcp);
    await connect(mcp, one);
    expect(new Set(claims.map((claim) => claim.client_id)).size).toBe(1);
  });

  test('authorizes a client with a metadata document, which is preferred to registration', async () => {
    const issuer = await startOidc({ documents: true });
    const { mcp, claims } = await startProtected(issuer);
    const metadataUrl = 'https://client.example.com/client.json';
    await connect(mcp, provider({ client: { metadataUrl, registration: { name: 'a client' } } }));
    expect(claims.at(-1)?.client_id).toBe(metadataUrl);
  });

  test('learns that the server knows no way to register', async () => {
    const issuer = await startOidc({ registration: false });
    const { mcp } = await startProtected(issuer);
    const client = { metadataUrl: 'https://client.example.com/client.json', registration: { name: 'a client' } };
    const error = await rejectionOf(connect(mcp, provider({ client })), UnauthorizedError);
    expect(error.message).toContain(
      'supports none of the ways that the client can register; register the client there and set client.id',
    );
  });

  test('learns that the redirect URI is not registered', async () => {
    const issuer = await startOidc({ clients: [{ ...PUBLIC_CLIENT, redirect_uris: ['http://127.0.0.1:9/other'] }] });
    const { mcp, claims } = await startProtected(issuer);
    const error = await rejectionOf(connect(mcp, provider()), UnauthorizedError);
    expect(error.message).toContain(`authorization at ${issuer}`);
    expect(claims).toEqual([]);
  });
});

describe('with oidc-provider, a program', { timeout: 60_000 }, () => {
  const confidential = {
    client_id: 'program:1',
    client_secret: 'a secret with/odd+characters%',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  };

  test.each(['client_secret_basic', 'client_secret_post'] as const)('authenticates with %s', async (method) => {
    const issuer = await startOidc({ clients: [{ ...confidential, token_endpoint_auth_method: method }] });
    const { mcp, claims } = await startProtected(issuer);
    const { client_id: id, client_secret: secret } = confidential;
    const one = oauthProvider({
      client: { id, secret, authMethod: method },
      grant: 'client_credentials',
      scopes: ['read', 'write'],
    });
    await (await connect(mcp, one)).client.callTool(call);
    expect(claims.at(-1)).toMatchObject({ aud: mcp, client_id: id, scope: 'read write' });
  });

  test('learns that its secret is wrong', async () => {
    const issuer = await startOidc({ clients: [confidential] });
    const { mcp } = await startProtected(issuer);
    const one = oauthProvider({
      client: { id: confidential.client_id, secret: 'wrong-secret' },
      grant: 'client_credentials',
    });
    const error = await rejectionOf(connect(mcp, one), UnauthorizedError);
    expect(error.message).toContain(`token request to ${issuer}/token: "invalid_client"`);
    expect(error.message).toContain('check client.id, its secret or key, and its registration');
    expect(error.message).not.toContain('wrong-secret');
  });

  test.each(['ES256', 'RS256'])('authenticates with a key for %s, in PEM or as a key', async (alg) => {
    const keys = await generateKeyPair(alg, { extractable: true });
    const jwk = { ...(await crypto.subtle.exportKey('jwk', keys.publicKey)), kid: 'one', use: 'sig' };
    const issuer = await startOidc({
      clients: [
        {
          client_id: 'program',
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
          token_endpoint_auth_method: 'private_key_jwt',
          token_endpoint_auth_signing_alg: alg,
          jwks: { keys: [jwk] },
        },
      ],
    });
    const { mcp, claims } = await startProtected(issuer);
    const pem = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
    for (const privateKey of [
      keys.privateKey,
      `-----BEGIN PRIVATE KEY-----\n${pem.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`,
    ]) {
      await connect(
        mcp,
        oauthProvider({ client: { id: 'program', privateKey, keyId: 'one' }, grant: 'client_credentials' }),
      );
      expect(claims.at(-1)?.client_id).toBe('program');
    }
  });
});

describe('with oidc-provider, tokens', { timeout: 60_000 }, () => {
  test.each([false, true])('are bound to a key with DPoP, with nonces of the server: %s', async (requireNonce) => {
    const issuer = await startOidc({ clients: [PUBLIC_CLIENT], requireNonce, accessTokenTtl: 3 });
    const { mcp, seen, claims } = await startProtected(issuer);
    const store = memoryStore();
    const opened: URL[] = [];
    const options = { dpop: true, store, scopes: ['read', 'write'], redirect: browserUser(opened) };
    const { client } = await connect(mcp, provider(options));
    await client.callTool(call);
    expect(claims.at(-1)).toMatchObject({ cnf: { jkt: opened[0]?.searchParams.get('dpop_jkt') } });
    // Refreshed, and used by another process, with the same key.
    await new Promise((resolve) => setTimeout(resolve, 2600));
    await client.callTool(call);
    await (await connect(mcp, provider(options))).client.callTool(call);
    expect(opened).toHaveLength(1);
    expect(new Set(claims.map(({ jti }) => jti)).size).toBeGreaterThan(1);
    const proofs = seen.map(({ headers }) => headers['dpop']).filter((proof) => proof !== undefined);
    expect(new Set(proofs).size).toBe(proofs.length);

    // Whoever steals such a token cannot use it: as a bearer token, or with an old proof.
    const stolen = seen.filter(({ headers }) => headers.authorization?.startsWith('DPoP ')).at(-1);
    const token = stolen?.headers.authorization?.slice('DPoP '.length) ?? '';
    const replay = (headers: Record<string, string>): Promise<Response> =>
      fetch(mcp, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' });
    expect((await replay({ authorization: `Bearer ${token}` })).status).toBe(401);
    expect((await replay({ authorization: `DPoP ${token}` })).status).toBe(401);
    const other = await startProtected(issuer);
    const elsewhere = await fetch(other.mcp, {
      method: 'POST',
      headers: { authorization: `DPoP ${token}`, dpop: String(stolen?.headers['dpop']) },
    });
    expect(elsewhere.status).toBe(401);
  });

  test('are bound to a key of the caller, which is not stored', async () => {
    const issuer = await startOidc({ clients: [PUBLIC_CLIENT] });
    const { mcp, claims } = await startProtected(issuer);
    const dpop = await generateKeyPair('ES256');
    const values: object[] = [];
    const inner = memoryStore();
    const store = {
      get: (key: string) => inner.get(key),
      delete: (key: string) => inner.delete(key),
      set: (key: string, value: object) => {
        values.push(value);
        return inner.set(key, value);
      },
    };
    await connect(mcp, provider({ dpop, store }));
    expect(claims.at(-1)).toHaveProperty('cnf.jkt');
    expect(JSON.stringify(values)).not.toContain('"privateKey"');
  });

  test('for another resource are refused by our server', async () => {
    const issuer = await startOidc({ clients: [PUBLIC_CLIENT] });
    const [first, second] = [await startProtected(issuer), await startProtected(issuer)];
    await connect(first.mcp, provider());
    const token =
      first.seen
        .map(({ headers }) => headers.authorization)
        .filter(Boolean)
        .at(-1) ?? '';
    const response = await fetch(second.mcp, { method: 'POST', headers: { authorization: token } });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('invalid_token');
  });

  test('for a resource that the authorization server does not know are not issued', async () => {
    const issuer = await startOidc({ clients: [PUBLIC_CLIENT] });
    const { mcp, claims } = await startProtected(issuer, { audience: '' });
    const error = await rejectionOf(connect(`${mcp}/mcp`, provider()), UnauthorizedError);
    expect(error.message).toContain('invalid_target');
    expect(claims).toEqual([]);
  });

  test('of one server do not reach another one with the same authorization server', async () => {
    const issuer = await startOidc({ clients: [PUBLIC_CLIENT] });
    const [first, second] = [await startProtected(issuer), await startProtected(issuer)];
    const shared = provider();
    await connect(first.mcp, shared);
    await connect(second.mcp, shared);
    expect(new Set(first.claims.map(({ aud }) => aud))).toEqual(new Set([first.mcp]));
    expect(new Set(second.claims.map(({ aud }) => aud))).toEqual(new Set([second.mcp]));
    expect(second.seen[0]?.headers.authorization).toBeUndefined();
  });
});
