// An authorization server for tests: oidc-provider, with a user who agrees to everything. It needs a newer Node than the
// tests, so it runs in its own process. The first line that it writes is its issuer; it ends with its input.
import { Buffer } from 'node:buffer';
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';
import { URL } from 'node:url';
import { Provider, errors } from 'oidc-provider';

const options = JSON.parse(process.argv[2] ?? '{}');

const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;

const key = (alg, type, parameters) => ({
  ...generateKeyPairSync(type, parameters).privateKey.export({ format: 'jwk' }),
  alg,
  use: 'sig',
});

const provider = new Provider(issuer, {
  clients: options.clients ?? [],
  jwks: { keys: [key('ES256', 'ec', { namedCurve: 'P-256' }), key('RS256', 'rsa', { modulusLength: 2048 })] },
  cookies: { keys: ['for tests only'] },
  scopes: ['openid', 'offline_access'],
  clientBasedCORS: () => false,
  rotateRefreshToken: true,
  issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
  ttl: {
    AccessToken: options.accessTokenTtl ?? 3600,
    ClientCredentials: 3600,
    Grant: 3600,
    IdToken: 3600,
    Interaction: 600,
    RefreshToken: 3600,
    Session: 3600,
  },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  // The path, in the place of the pages of a real server.
  interactions: { url: (_, { uid }) => `/agree/${uid}` },
  loadExistingGrant: async (ctx) => {
    const grant = new provider.Grant({ accountId: 'user', clientId: ctx.oidc.client.clientId });
    grant.addOIDCScope('openid offline_access');
    for (const resource of [].concat(ctx.oidc.params.resource ?? [])) grant.addResourceScope(resource, 'read write');
    await grant.save();
    return grant;
  },
  fetch: (url) => {
    const { hostname, pathname } = new URL(url);
    // Documents of this name are served here; nothing else is on the network.
    if (hostname !== 'client.example.com') throw new Error('no such host');
    return Promise.resolve(
      globalThis.Response.json({
        client_id: `https://client.example.com${pathname}`,
        client_name: 'a client',
        redirect_uris: ['http://127.0.0.1:9/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      }),
    );
  },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    registration: { enabled: options.registration ?? true },
    clientIdMetadataDocument: options.documents ? { enabled: true, ack: 'draft-02' } : { enabled: false },
    revocation: { enabled: true, allowedPolicy: () => true },
    dPoP: {
      enabled: true,
      nonceSecret: Buffer.alloc(32, 1),
      requireNonce: () => options.requireNonce ?? false,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => undefined,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, resource) => {
        if (!/^http:\/\/127\.0\.0\.1:\d+\/(?:mcp|other)$/.test(resource)) throw new errors.InvalidTarget();
        return {
          scope: 'read write',
          audience: resource,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        };
      },
    },
  },
});
const callback = provider.callback();

server.on('request', (request, response) => {
  if (!request.url.startsWith('/agree/')) {
    callback(request, response);
    return;
  }
  provider
    .interactionFinished(request, response, { login: { accountId: 'user' }, consent: {} })
    .catch((error) => response.writeHead(500).end(String(error)));
});
provider.on('server_error', (_, error) => process.stderr.write(`${error.stack}\n`));
process.stdout.write(`${issuer}\n`);
process.stdin.resume().once('end', () => process.exit());
