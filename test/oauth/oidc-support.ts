import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import process from 'node:process';
import { allowInsecureRequests, validateJwtAccessToken } from 'oauth4webapi';
import type { AuthorizationServer, JWTAccessTokenClaims } from 'oauth4webapi';
import { onTestFinished } from 'vitest';
import { createServer } from '../../generated/2026-07-28/server.js';
import { createHttpHandler } from '../../generated/runtime/http-server.js';
import type { OAuthRedirect } from '../../generated/runtime/oauth-client.js';
import { serve } from './support.js';
import type { Received } from './support.js';

const root = path.resolve(import.meta.dirname, '../..');
/** oidc-provider 9 needs a newer version of Node. */
const NODE = path.join(root, 'node_modules/node-22/bin/node');

/** How to set up the authorization server. */
export interface OidcOptions {
  readonly clients?: readonly object[];
  /** Seconds. */
  readonly accessTokenTtl?: number;
  readonly requireNonce?: boolean;
  readonly registration?: boolean;
  /** Whether it supports client ID metadata documents. */
  readonly documents?: boolean;
}

/** Starts oidc-provider until the test is over. Returns its issuer. */
export async function startOidc(options: OidcOptions = {}): Promise<string> {
  const child = spawn(NODE, [path.join(root, 'test/oauth/oidc-server.mjs'), JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    // It warns that its storage is in memory.
    if (!text.startsWith('oidc-provider WARNING')) process.stderr.write(text);
  });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        child.once('close', () => {
          resolve();
        });
        child.stdin.end();
      }),
  );
  return new Promise((resolve, reject) => {
    child.stdout.once('data', (line) => {
      resolve(String(line).trim());
    });
    child.once('close', () => {
      reject(new Error('the authorization server ended'));
    });
  });
}

/** An MCP server that accepts tokens of an issuer. */
export interface ProtectedServer {
  readonly mcp: string;
  readonly seen: readonly Received[];
  /** Claims of the tokens that it has accepted. */
  readonly claims: JWTAccessTokenClaims[];
}

/** Starts our HTTP server, which verifies tokens: signature, audience, expiry, scopes, and proofs for bound ones. */
export async function startProtected(
  issuer: string,
  { audience = '/mcp', isRevoked = () => false }: { audience?: string; isRevoked?: (jti: string) => boolean } = {},
): Promise<ProtectedServer> {
  const metadata = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as AuthorizationServer;
  const claims: JWTAccessTokenClaims[] = [];
  const proven = new Map<string, JWTAccessTokenClaims>();
  const validate = async (request: Request): Promise<JWTAccessTokenClaims> =>
    validateJwtAccessToken(metadata, request, mcp(), { [allowInsecureRequests]: true });
  const mcp = (): string => `${server.origin}${audience}`;

  const server = await serve(async (received, response) => {
    handler ??= createHttpHandler({
      server: createServer({
        info: { name: 'protected', version: '1.0.0' },
        capabilities: { tools: {} },
        handlers: { 'tools/call': () => ({ content: [{ type: 'text', text: 'done' }] }) },
      }),
      authorize: {
        verify: async (token) => {
          const found =
            proven.get(token) ??
            (await validate(new Request(mcp(), { headers: { authorization: `Bearer ${token}` } })));
          if (isRevoked(found.jti)) return undefined;
          claims.push(found);
          return {
            principal: found.sub,
            scopes: typeof found.scope === 'string' ? found.scope.split(' ') : [],
            expiresAt: found.exp,
            audience: found.aud,
          };
        },
        metadata: { resource: mcp(), authorization_servers: [issuer], scopes_supported: ['read'] },
        scopes: ({ method }) => (method === 'tools/call' ? ['write'] : ['read']),
      },
    });
    const headers = new Headers();
    for (const [name, value] of Object.entries(received.headers))
      if (value !== undefined) headers.set(name, String(value));
    const request = (): Request =>
      new Request(`${server.origin}${received.path}`, {
        method: received.method,
        headers,
        ...(received.body === '' ? {} : { body: received.body }),
      });
    // Our server reads bearer tokens only; a gateway that checks proofs is in front of it.
    const bound = /^DPoP (.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
    if (bound !== undefined) {
      try {
        // For this request only, so that the token cannot be used without a proof.
        const pass = randomUUID();
        proven.set(pass, await validate(request()));
        headers.set('authorization', `Bearer ${pass}`);
      } catch {
        response.writeHead(401, { 'www-authenticate': 'DPoP error="invalid_token"' }).end();
        return;
      }
    }
    const answer = await handler.fetch(request());
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  });
  let handler: ReturnType<typeof createHttpHandler> | undefined;
  return { mcp: mcp(), seen: server.seen, claims };
}

/** A browser with a user who agrees: keeps cookies and follows redirects until it gets back to the client. */
export function browserUser(opened: URL[] = []): OAuthRedirect {
  const callback = 'http://127.0.0.1:9/callback';
  return {
    url: callback,
    open: async (start) => {
      opened.push(start);
      const cookies = new Map<string, string>();
      let url = start;
      for (let hops = 0; hops < 10; hops += 1) {
        const response = await fetch(url, {
          redirect: 'manual',
          headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        });
        for (const cookie of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
          cookies.set(name, value);
        }
        const location = response.headers.get('location');
        if (location === null)
          throw new Error(`the browser shows ${response.status}: ${(await response.text()).slice(0, 500)}`);
        url = new URL(location, url);
        if (url.href.startsWith(callback)) return url;
      }
      throw new Error('the browser goes in circles');
    },
  };
}
