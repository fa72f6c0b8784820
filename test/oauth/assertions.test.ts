import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { oauthProvider, tokenExchange, UnauthorizedError } from '../../generated/runtime/oauth-client.js';
import type { AssertionContext } from '../../generated/runtime/oauth-client.js';
import { rejectionOf, sendJson } from '../http/client-peer.js';
import { connectWith, serve, startServers } from './support.js';

const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

describe('an assertion', () => {
  test('is made for the authorization server and the MCP server, and exchanged', async () => {
    const contexts: AssertionContext[] = [];
    const servers = await startServers({
      scope: 'read',
      token: ({ form }, response) => {
        servers.valid.set('access', form.get('scope') ?? '');
        sendJson(response, { access_token: 'access', token_type: 'Bearer' });
        return true;
      },
    });
    const provider = oauthProvider({
      client: { id: 'job' },
      grant: {
        type: 'jwt-bearer',
        assertion: (context) => {
          contexts.push(context);
          return 'the-assertion';
        },
      },
    });
    await connectWith(servers.mcp, provider);
    expect(contexts).toEqual([
      {
        issuer: servers.issuer,
        tokenEndpoint: `${servers.issuer}/token`,
        resource: servers.mcp,
        scope: 'read',
        fetch: expect.any(Function) as unknown,
      },
    ]);
    expect(Object.fromEntries(servers.tokenRequests()[0]?.form ?? [])).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: 'the-assertion',
      client_id: 'job',
      resource: servers.mcp,
      scope: 'read',
    });
  });

  test.each(['invalid_grant', 'invalid_scope', 'unauthorized_client'])(
    'that is refused with %s is not tried again, nor is another grant',
    async (error) => {
      const servers = await startServers({
        token: ({ form }, response) => {
          sendJson(response, { error, error_description: `no: ${form.get('assertion') ?? ''}` }, 400);
          return true;
        },
      });
      const provider = oauthProvider({
        client: { id: 'job' },
        grant: { type: 'jwt-bearer', assertion: () => 'the-assertion' },
      });
      const failure = await rejectionOf(connectWith(servers.mcp, provider), UnauthorizedError);
      expect(failure.message).toContain(`"${error}" ("no: [secret]")`);
      expect(servers.tokenRequests()).toHaveLength(1);
    },
  );

  test('that cannot be made is an error of that step', async () => {
    const servers = await startServers();
    const provider = oauthProvider({
      client: { id: 'job' },
      grant: { type: 'jwt-bearer', assertion: () => Promise.reject(new Error('no file')) },
    });
    const failure = await rejectionOf(connectWith(servers.mcp, provider), UnauthorizedError);
    expect(failure.message).toContain('OAuth: assertion for a token request: "no file"');
    expect(servers.tokenRequests()).toEqual([]);
  });
});

describe('a token exchange', () => {
  const context = (resource = 'https://mcp.example.com/mcp'): AssertionContext => ({
    issuer: 'https://auth.example.com',
    tokenEndpoint: 'https://auth.example.com/token',
    resource,
    scope: 'read',
    fetch: (url, init) => fetch(url, init),
  });

  test('asks the identity provider', async () => {
    const idp = await serve((_, response) => {
      sendJson(response, { access_token: 'the-assertion', issued_token_type: ID_JAG, token_type: 'N_A' });
    });
    const assertion = tokenExchange({
      tokenEndpoint: `${idp.origin}/token`,
      client: { id: 'app', secret: 'app-secret' },
      idToken: () => 'the-id-token',
    });
    expect(await assertion(context())).toBe('the-assertion');
    expect(Object.fromEntries(idp.seen[0]?.form ?? [])).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: ID_JAG,
      audience: 'https://auth.example.com',
      resource: 'https://mcp.example.com/mcp',
      scope: 'read',
      subject_token: 'the-id-token',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    });
    expect(idp.seen[0]?.headers.authorization).toBe(`Basic ${btoa('app:app-secret')}`);
  });

  test.each([
    [
      'refuses',
      400,
      { error: 'invalid_grant', error_description: 'the-id-token app-secret' },
      '"invalid_grant" ("[secret] [secret]")',
    ],
    [
      'issues another token',
      200,
      { access_token: 'x', token_type: 'Bearer', issued_token_type: 'y' },
      'of another type',
    ],
    ['issues nothing', 200, {}, 'access_token'],
    ['redirects', 302, {}, '302'],
  ])('fails if the identity provider %s', async (_, status, body, reason) => {
    const idp = await serve((__, response) => {
      sendJson(response, body, status, { location: 'https://evil.example/' });
    });
    const assertion = tokenExchange({
      tokenEndpoint: idp.origin,
      client: { id: 'app', secret: 'app-secret' },
      idToken: () => 'the-id-token',
    });
    const error = await rejectionOf(assertion(context()));
    expect(error.message).toContain(`the identity provider at ${idp.origin} issued no assertion: `);
    expect(error.message).toContain(reason);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/the-id-token|app-secret/);
  });

  test('needs TLS', () => {
    expect(() =>
      tokenExchange({ tokenEndpoint: 'http://idp.example.com', client: { id: 'a' }, idToken: () => '' }),
    ).toThrow('tokenEndpoint must be an https URL');
  });
});
