import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { oauthProvider, UnauthorizedError } from '../../generated/runtime/oauth-client.js';
import type { Fetch } from '../../generated/runtime/http-client.js';
import { createTestClient, rejectionOf, sendJson } from '../http/client-peer.js';
import { agreeingUser, connectWith, serve, serverMetadata, startServers, testProvider } from './support.js';
import type { Document, Script } from './support.js';

/** Writes text as JSON. */
const raw =
  (text: string, type = 'application/json') =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': type }).end(text);
  };

/** Writes without end. */
const endless = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const write = (): void => {
    if (!response.destroyed) response.write(`"${'x'.repeat(64 * 1024)}",`, () => setImmediate(write));
  };
  response.write('[');
  write();
};

const redirectTo =
  (location: string) =>
  (response: ServerResponse): void => {
    response.writeHead(302, { location }).end();
  };

const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

/** Documents about the MCP server, and what the error says. */
const RESOURCE: readonly (readonly [string, (mcp: string, issuer: string) => Document, RegExp])[] = [
  [
    'is about another origin',
    (_, issuer) => ({ resource: 'https://evil.example/mcp', authorization_servers: [issuer] }),
    /resource is "https:\/\/evil\.example\/mcp", which is not this server; tokens/,
  ],
  [
    'is about another path',
    (mcp, issuer) => ({ resource: `${mcp}/other`, authorization_servers: [issuer] }),
    /which is not this server/,
  ],
  [
    'is about a path with the same beginning',
    (mcp, issuer) => ({ resource: mcp.slice(0, -1), authorization_servers: [issuer] }),
    /which is not this server/,
  ],
  [
    'hides another host behind a user',
    (mcp, issuer) => ({ resource: mcp.replace('//', '//evil@'), authorization_servers: [issuer] }),
    /which is not this server/,
  ],
  [
    'has a list as resource',
    (mcp, issuer) => ({ resource: [mcp], authorization_servers: [issuer] }),
    /resource is not/,
  ],
  ['has no servers', (mcp) => ({ resource: mcp, authorization_servers: [] }), /authorization_servers has no server/],
  ['has a text instead of servers', (mcp, issuer) => ({ resource: mcp, authorization_servers: issuer }), /not a list/],
  ['has numbers as servers', (mcp) => ({ resource: mcp, authorization_servers: [1] }), /has other items/],
  [
    'has an object as scopes',
    (mcp, issuer) => ({ resource: mcp, authorization_servers: [issuer], scopes_supported: {} }),
    /scopes_supported is not a list/,
  ],
  ['is a list', () => raw('[]'), /not a JSON object/],
  ['is null', () => raw('null'), /not a JSON object/],
  ['is not JSON', () => raw('resource=x'), /the response is not JSON$/],
  ['is empty', () => raw(''), /the response is not JSON$/],
  ['is nested deeply', () => raw(nested), /not a JSON object/],
  ['is huge', (mcp) => raw(JSON.stringify({ resource: mcp, pad: 'x'.repeat(300_000) })), /larger than 256 KiB/],
  ['does not end', () => endless, /larger than 256 KiB/],
  ['redirects in a circle', () => redirectTo('/.well-known/oauth-protected-resource/mcp'), /more than 5 redirects/],
  ['redirects to a file', () => redirectTo('file:///etc/passwd'), /not an HTTP URL/],
  ['redirects to nowhere', () => redirectTo('http://'), /redirects to nowhere/],
  [
    'has members of prototypes',
    (_, issuer) => raw(`{"__proto__": {"resource": "x", "authorization_servers": ["${issuer}"]}}`),
    /resource is not a URL but missing/,
  ],
  [
    'names a script as server',
    (mcp) => ({ resource: mcp, authorization_servers: ['javascript:alert(1)'] }),
    /issuer is not an HTTP URL/,
  ],
  [
    'names a server by http',
    (mcp) => ({ resource: mcp, authorization_servers: ['http://auth.example.com'] }),
    /must be an https URL/,
  ],
  [
    'names link-local addresses',
    (mcp) => ({ resource: mcp, authorization_servers: ['https://169.254.169.254'] }),
    /link-local/,
  ],
  [
    'names a server with control characters',
    (mcp) => ({ resource: mcp, authorization_servers: ['https://a\u0007.example.com'] }),
    /issuer is not a URL/,
  ],
  [
    'names a server with a query',
    (mcp, issuer) => ({ resource: mcp, authorization_servers: [`${issuer}?a`] }),
    /the issuer has a query/,
  ],
  [
    'names a server with a password',
    (mcp, issuer) => ({ resource: mcp, authorization_servers: [issuer.replace('//', '//a:b@')] }),
    /has a user, a password/,
  ],
];

const changed =
  (changes: object) =>
  (issuer: string): Document => ({ ...serverMetadata(issuer), ...changes });

/** Documents about the authorization server, and what the error says. */
const METADATA: readonly (readonly [string, (issuer: string, mcp: string) => Document, RegExp])[] = [
  ['is of another issuer', changed({ issuer: 'https://evil.example' }), /issuer is "https:\/\/evil\.example" and not/],
  ['is of the issuer with a slash', (issuer) => ({ ...serverMetadata(issuer), issuer: `${issuer}/` }), /issuer is /],
  ['has no issuer', changed({ issuer: undefined }), /issuer is missing/],
  ['has a list as issuer', (issuer) => ({ ...serverMetadata(issuer), issuer: [issuer] }), /issuer is an array/],
  [
    'has an http token endpoint',
    changed({ token_endpoint: 'http://auth.example.com/token' }),
    /token_endpoint: .*must be an https URL/,
  ],
  [
    'has a script to authorize',
    changed({ authorization_endpoint: 'javascript:alert(document.domain)' }),
    /authorization_endpoint is not an HTTP URL/,
  ],
  [
    'has a data URL to authorize',
    changed({ authorization_endpoint: 'data:text/html,x' }),
    /authorization_endpoint is not an HTTP URL/,
  ],
  [
    'has a file as registration endpoint',
    changed({ registration_endpoint: 'file:///etc/passwd' }),
    /registration_endpoint is not an HTTP URL/,
  ],
  [
    'has a link-local token endpoint',
    changed({ token_endpoint: 'https://169.254.169.254/token' }),
    /token_endpoint: .*link-local/,
  ],
  [
    'has a token endpoint with credentials',
    changed({ token_endpoint: 'https://a:b@auth.example.com/token' }),
    /token_endpoint has a user/,
  ],
  ['has a number as token endpoint', changed({ token_endpoint: 42 }), /token_endpoint is not a URL but a number/],
  [
    'has a token endpoint with line breaks',
    changed({ token_endpoint: 'https://auth.example\n.com/token' }),
    /token_endpoint is not a URL but "https:\/\/auth\.example \.com\/token"/,
  ],
  ['has no token endpoint', changed({ token_endpoint: undefined }), /the server's metadata has no token_endpoint/],
  ['has no authorization endpoint', changed({ authorization_endpoint: undefined }), /no authorization_endpoint/],
  [
    'does not support PKCE',
    changed({ code_challenge_methods_supported: undefined }),
    /does not say that it supports PKCE with S256; code_challenge_methods_supported must have it/,
  ],
  ['supports plain PKCE only', changed({ code_challenge_methods_supported: ['plain'] }), /PKCE with S256/],
  [
    'has a text instead of PKCE methods',
    changed({ code_challenge_methods_supported: 'S256' }),
    /not a list of strings but a string/,
  ],
  [
    'has a text instead of a flag',
    changed({ authorization_response_iss_parameter_supported: 'false' }),
    /not a boolean/,
  ],
  ['has nested methods', changed({ token_endpoint_auth_methods_supported: [['none']] }), /has other items/],
  ['is not JSON', () => raw('{'), /not JSON$/],
  ['is nested deeply', () => raw(nested), /not a JSON object/],
  [
    'is huge',
    (issuer) => raw(JSON.stringify({ ...serverMetadata(issuer), pad: 'x'.repeat(300_000) })),
    /larger than 256 KiB/,
  ],
  ['does not end', () => endless, /larger than 256 KiB/],
  ['redirects in a circle', () => redirectTo('/.well-known/oauth-authorization-server'), /more than 5 redirects/],
  [
    'has members of prototypes',
    (issuer) => raw(`{"__proto__": ${JSON.stringify(serverMetadata(issuer))}}`),
    /issuer is missing/,
  ],
];

/** What has gone to any server, but for metadata. */
const sent = (requests: readonly { readonly path: string }[]): string[] =>
  requests.map(({ path }) => path).filter((path) => !path.includes('.well-known') && path !== '/mcp');

async function check(script: Script, reason: RegExp): Promise<void> {
  const servers = await startServers(script);
  const opened: URL[] = [];
  const provider = oauthProvider({
    client: { id: 'me', secret: 'top-secret' },
    redirect: agreeingUser(opened),
  });
  const error = await rejectionOf(connectWith(servers.mcp, provider), UnauthorizedError);
  expect(error.message).toMatch(reason);
  expect(error.message).toMatch(/^POST http:\S+\/mcp: OAuth: /);
  expect(error.message).not.toMatch(/\p{Cc}/u);
  expect(error.message.length).toBeLessThan(1000);
  // A code may have been issued where only the token endpoint is missing.
  if (opened.length > 0) expect(reason.source).toContain('no token_endpoint');
  else expect(sent([...servers.atServer, ...servers.atIssuer])).toEqual([]);
  expect(JSON.stringify([servers.atServer, servers.atIssuer])).not.toContain('top-secret');
}

describe('resource metadata that', () => {
  test.each(RESOURCE)('%s is refused', (_, resource, reason) => check({ resource }, reason));
});

describe('metadata of an authorization server that', () => {
  test.each(METADATA)('%s is refused', (_, metadata, reason) => check({ metadata }, reason));
});

describe('a response of', () => {
  test.each([
    [
      'the token endpoint that redirects',
      302,
      { location: 'https://evil.example/' },
      '',
      /redirects a request with credentials/,
    ],
    ['the token endpoint that does not end', 200, {}, undefined, /larger than 256 KiB/],
    ['the token endpoint that is not JSON', 200, {}, 'access_token=a', /JSON|content-type/],
    ['the token endpoint without a token', 200, {}, '{"token_type":"Bearer"}', /access_token/],
    ['the token endpoint of an unknown type', 200, {}, '{"access_token":"a","token_type":"mac"}', /token_type/],
    ...['a\\nX: y', 'a\\u65e5'].map(
      (token) =>
        [
          `the token endpoint with the token ${token}`,
          200,
          {},
          `{"access_token":"${token}","token_type":"Bearer"}`,
          /token request to .*: the server issued a token with characters that a header cannot have/,
        ] as const,
    ),
    ['the token endpoint with a bound token', 200, {}, '{"access_token":"a","token_type":"DPoP"}', /unknown type/],
    [
      'the token endpoint with a list as token',
      200,
      {},
      '{"access_token":["a"],"token_type":"Bearer"}',
      /access_token/,
    ],
    ['the token endpoint with a strange error', 400, {}, '{"error":{"a":1}}', /400/],
    ['the token endpoint with control characters', 400, {}, '{"error":"a\\u001b[2Jb"}', /"a \[2Jb"/],
  ] as const)('%s is refused', async (_, status, headers, body, reason) => {
    const servers = await startServers({
      token: (__, response) => {
        if (body === undefined) endless(response);
        else response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
        return true;
      },
    });
    const error = await rejectionOf(connectWith(servers.mcp, testProvider()), UnauthorizedError);
    expect(error.message).toMatch(reason);
    expect(error.message).toContain(`token request to ${servers.issuer}/token`);
    expect(error.message).not.toMatch(/\p{Cc}/u);
  });

  test('the registration endpoint without an id is refused', async () => {
    const registration = await serve((_, response) => {
      sendJson(response, { client_id: ['a'] }, 201);
    });
    const servers = await startServers({ metadata: changed({ registration_endpoint: registration.origin }) });
    const provider = testProvider({ client: { registration: { name: 'me' } } });
    const error = await rejectionOf(connectWith(servers.mcp, provider), UnauthorizedError);
    expect(error.message).toContain('returned no client_id');
  });

  test('the registration endpoint with an error is shown', async () => {
    const registration = await serve((_, response) => {
      sendJson(response, { error: 'invalid_redirect_uri', error_description: 'http is for native apps' }, 400);
    });
    const servers = await startServers({ metadata: changed({ registration_endpoint: registration.origin }) });
    const provider = testProvider({ client: { registration: { name: 'me' } } });
    const error = await rejectionOf(connectWith(servers.mcp, provider), UnauthorizedError);
    expect(error.message).toContain(
      `client registration at ${servers.issuer}: 400, "invalid_redirect_uri" ("http is for native apps"); register`,
    );
  });
});

describe('a public server', () => {
  /** A `fetch` in which public names exist. */
  const network =
    (documents: Readonly<Record<string, object>>, seen: string[]): Fetch =>
    (url) => {
      seen.push(String(url));
      const document = documents[String(url)];
      return Promise.resolve(
        document === undefined
          ? new Response(null, { status: String(url).endsWith('/mcp') ? 401 : 404 })
          : Response.json(document),
      );
    };
  const mcp = 'https://mcp.example.com/mcp';
  const resourceUrl = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
  const attempt = async (documents: Readonly<Record<string, object>>, seen: string[], allowed = ''): Promise<Error> => {
    const { client, transport } = createTestClient(['2025-11-25'], {
      url: mcp,
      fetch: network(documents, seen),
      authProvider: testProvider({ allowsAuthUrl: ({ hostname }) => hostname === allowed }),
    });
    return rejectionOf(client.connect(transport), UnauthorizedError);
  };

  test.each(['https://127.0.0.1', 'https://10.0.0.1', 'https://router', 'https://[::1]', 'http://169.254.169.254'])(
    'cannot direct the client to %s',
    async (issuer) => {
      const seen: string[] = [];
      const documents = { [resourceUrl]: { resource: mcp, authorization_servers: [issuer] } };
      const error = await attempt(documents, seen);
      expect(error.message).toMatch(/a (?:loopback|private|link-local) address, but is itself public/);
      expect(error.message).toContain('the option allowsAuthUrl can allow it');
      expect(seen.filter((url) => !url.startsWith('https://mcp.example.com/'))).toEqual([]);
      if (issuer.startsWith('https:')) {
        await attempt(documents, seen, new URL(issuer).hostname);
        expect(seen).toContain(`${issuer}/.well-known/oauth-authorization-server`);
      }
    },
  );

  test('cannot direct the browser of the user to a private address', async () => {
    const issuer = 'https://auth.example.com';
    const seen: string[] = [];
    const error = await attempt(
      {
        [resourceUrl]: { resource: mcp, authorization_servers: [issuer] },
        [`${issuer}/.well-known/oauth-authorization-server`]: {
          ...serverMetadata(issuer),
          authorization_endpoint: 'https://192.168.1.1/reboot',
        },
      },
      seen,
    );
    expect(error.message).toContain('authorization_endpoint: the server names https://192.168.1.1/reboot, a private');
  });

  test('without TLS needs the permission to authorize without TLS', async () => {
    const seen: string[] = [];
    const { client, transport } = createTestClient(['2025-11-25'], {
      url: 'http://mcp.example.com/mcp',
      fetch: network({}, seen),
      authProvider: testProvider(),
    });
    const error = await rejectionOf(client.connect(transport), UnauthorizedError);
    expect(error.message).toContain('http://mcp.example.com/ must be an https URL');
  });
});
