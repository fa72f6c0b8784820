import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { UnauthorizedError } from '../../generated/runtime/oauth-client.js';
import { initializeResponse, rejectionOf, sendJson, waitUntil } from '../http/client-peer.js';
import { agreeingUser, connectWith, serve, startServers, testProvider } from './support.js';
import type { Received, Servers } from './support.js';

interface Proof {
  readonly header: { readonly alg: string; readonly typ: string; readonly jwk: Readonly<Record<string, string>> };
  readonly claims: Readonly<Record<string, unknown>>;
}

const decode = (part = ''): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());

function proofOf({ headers }: Received): Proof {
  const [header, claims] = String(headers['dpop']).split('.');
  return { header: decode(header) as Proof['header'], claims: decode(claims) as Proof['claims'] };
}

/** An MCP server in front of which proofs are read. It may require a nonce of each request. */
async function startBound(
  servers: Servers,
  nonces: readonly string[] = [],
): Promise<{ url: string; seen: Received[] }> {
  let asked = 0;
  const server = await serve((request, response) => {
    if (request.path.startsWith('/.well-known')) {
      sendJson(response, { resource: servers.mcp, authorization_servers: [servers.issuer] });
      return;
    }
    const { authorization } = request.headers;
    const nonce = nonces[Math.min(asked, nonces.length - 1)];
    if (authorization === undefined) response.writeHead(401, { 'www-authenticate': 'DPoP algs="ES256"' }).end();
    else if (nonce !== undefined && proofOf(request).claims['nonce'] !== nonce) {
      response.writeHead(401, { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': nonce }).end();
    } else {
      asked += 1;
      const { id } = JSON.parse(request.body || '{}') as { readonly id?: number };
      if (id === undefined) response.writeHead(request.method === 'GET' ? 405 : 202).end();
      else sendJson(response, initializeResponse(id));
    }
  });
  return { url: `${server.origin}/mcp`, seen: server.seen };
}

describe('DPoP', () => {
  /** Both servers. The authorization server names no resource, so any will do. */
  async function start(nonces?: readonly string[], tokenNonce?: string) {
    const holder: { url: string } = { url: '' };
    const servers = await startServers({
      token: (request, response) => {
        const { claims } = proofOf(request);
        if (tokenNonce !== undefined && claims['nonce'] !== tokenNonce)
          sendJson(response, { error: 'use_dpop_nonce' }, 400, { 'dpop-nonce': tokenNonce });
        else sendJson(response, { access_token: 'bound', token_type: 'DPoP', expires_in: 3600 });
        return true;
      },
    });
    const bound = await startBound(
      {
        ...servers,
        get mcp() {
          return holder.url;
        },
      },
      nonces,
    );
    holder.url = bound.url;
    return { servers, ...bound };
  }

  test('has a fresh proof for each request, with the hash of the token', async () => {
    const { servers, url, seen } = await start();
    const opened: URL[] = [];
    await connectWith(url, testProvider({ dpop: true, redirect: agreeingUser(opened) }));
    await waitUntil(() => seen.filter(({ headers }) => headers.authorization !== undefined).length > 1);
    const requests = seen.filter(({ headers }) => headers.authorization !== undefined);
    expect(requests.length).toBeGreaterThan(1);
    for (const request of requests) {
      expect(request.headers.authorization).toBe('DPoP bound');
      const { header, claims } = proofOf(request);
      expect(header).toMatchObject({ alg: 'ES256', typ: 'dpop+jwt' });
      expect(header.jwk).not.toHaveProperty('d');
      expect(claims).toMatchObject({
        htm: request.method,
        htu: url,
        ath: createHash('sha256').update('bound').digest('base64url'),
      });
    }
    const [atToken] = servers.tokenRequests().map(proofOf);
    if (atToken === undefined) throw new Error('no token was requested');
    expect(atToken.claims).toMatchObject({ htm: 'POST', htu: `${servers.issuer}/token` });
    expect(atToken.claims).not.toHaveProperty('ath');
    const ids = [...requests.map((request) => proofOf(request).claims['jti']), atToken.claims['jti']];
    expect(new Set(ids).size).toBe(ids.length);
    // The code is bound to the key too.
    const { crv, kty, x, y } = atToken.header.jwk;
    const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
    expect(opened[0]?.searchParams.get('dpop_jkt')).toBe(thumbprint);
  });

  test('repeats requests with the nonces of each server', async () => {
    const { servers, url, seen } = await start(['one', 'two'], 'other');
    await connectWith(url, testProvider({ dpop: true }));
    await waitUntil(() => seen.length > 6);
    const requests = seen.filter(({ headers }) => headers.authorization !== undefined);
    const nonces = requests.map((request) => proofOf(request).claims['nonce']);
    expect(nonces.slice(0, 3)).toEqual([undefined, 'one', 'one']);
    expect(nonces).toContain('two');
    expect(servers.tokenRequests().map((request) => proofOf(request).claims['nonce'])).toEqual([undefined, 'other']);
  });

  test('does not repeat a request for a nonce without end', async () => {
    const { servers } = await start();
    // A server that never accepts its nonce.
    const server = await serve((request, response) => {
      if (request.path.startsWith('/.well-known'))
        sendJson(response, { resource: `${server.origin}/mcp`, authorization_servers: [servers.issuer] });
      else
        response
          .writeHead(401, {
            'www-authenticate': 'DPoP error="use_dpop_nonce"',
            'dpop-nonce': String(server.seen.length),
          })
          .end();
    });
    await rejectionOf(connectWith(`${server.origin}/mcp`, testProvider({ dpop: true })));
    expect(server.seen.filter(({ path }) => path === '/mcp').length).toBeLessThan(5);
  });

  test('refuses tokens that are not bound', async () => {
    const servers = await startServers();
    const error = await rejectionOf(connectWith(servers.mcp, testProvider({ dpop: true })), UnauthorizedError);
    expect(error.message).toContain('the server issued a token that is not bound to the key; unset the option dpop');
  });
});
