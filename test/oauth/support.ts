import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { oauthProvider } from '../../generated/runtime/oauth-client.js';
import type { OAuthOptions, OAuthProvider, OAuthRedirect } from '../../generated/runtime/oauth-client.js';
import { createTestClient, resultMessage, sendJson, sessionScript, TEXT } from '../http/client-peer.js';
import type { Connected } from '../http/client-peer.js';

/** A request as a server of these tests receives it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as a form. */
  readonly form: URLSearchParams;
}

type Handler = (request: Received, response: ServerResponse) => unknown;

/** Serves at a free port of this machine until the test is over. */
export async function serve(handler: Handler): Promise<{ readonly origin: string; readonly seen: Received[] }> {
  const seen: Received[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
      const one: Received = {
        method: request.method ?? '',
        path: pathname,
        query: searchParams,
        headers: request.headers,
        body,
        form: new URLSearchParams(body),
      };
      seen.push(one);
      return handler(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  );
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

/** A document that a server answers with: JSON, or whatever a test writes. */
export type Document = object | ((response: ServerResponse) => void);

/** What a test changes about the authorization server and the MCP server. */
export interface Script {
  /** Metadata of the MCP server; undefined members of the result are left out. `null` for none. */
  readonly resource?: ((mcp: string, issuer: string) => Document) | null;
  /** Metadata of the authorization server. `null` for none. */
  readonly metadata?: ((issuer: string, mcp: string) => Document) | null;
  /** Where the metadata of the authorization server is. */
  readonly metadataPath?: string;
  /** Path of the issuer. */
  readonly issuerPath?: string;
  /** Whether the challenge names the metadata; on by default. */
  readonly namesMetadata?: boolean;
  /** The result of every request of a session; a text by default. */
  readonly result?: object;
  /** The scope of the first challenge. */
  readonly scope?: string;
  /** The scope that calls of tools need, for step-up. */
  readonly callScope?: string;
  /** Changes the parameters of the redirect back. */
  readonly answer?: (parameters: URLSearchParams, issuer: string) => void;
  /** Answers a token request instead of the default. Returns false for the default. */
  readonly token?: (request: Received, response: ServerResponse) => boolean;
  /** Seconds until access tokens expire. */
  readonly expiresIn?: number;
}

/** An MCP server and its authorization server. */
export interface Servers {
  readonly mcp: string;
  readonly issuer: string;
  readonly authOrigin: string;
  /** Requests to the MCP server and to the authorization server. */
  readonly atServer: Received[];
  readonly atIssuer: Received[];
  /** Requests for tokens. */
  readonly tokenRequests: () => readonly Received[];
  /** Access tokens that the MCP server accepts, with their scopes. */
  readonly valid: Map<string, string>;
  /** Refresh tokens that can be used once. */
  readonly refreshable: Map<string, string>;
}

/** Starts both servers. The authorization server checks PKCE, redirect URI and resource, and rotates refresh tokens. */
export async function startServers(script: Script = {}): Promise<Servers> {
  const valid = new Map<string, string>();
  const refreshable = new Map<string, string>();
  const codes = new Map<string, URLSearchParams>();
  let issued = 0;
  let mcp = '';
  const path = script.issuerPath ?? '';

  const issue = (response: ServerResponse, scope: string): void => {
    issued += 1;
    valid.set(`access-${issued}`, scope);
    refreshable.set(`refresh-${issued}`, scope);
    sendJson(response, {
      access_token: `access-${issued}`,
      refresh_token: `refresh-${issued}`,
      token_type: 'Bearer',
      scope,
      ...(script.expiresIn === undefined ? {} : { expires_in: script.expiresIn }),
    });
  };

  const auth = await serve((request, response) => {
    const issuer = auth.origin + path;
    const { form, query } = request;
    if (request.path === (script.metadataPath ?? `/.well-known/oauth-authorization-server${path}`)) {
      if (script.metadata === null) response.writeHead(404).end();
      else send(response, script.metadata?.(issuer, mcp) ?? serverMetadata(issuer));
    } else if (request.path === `${path}/authorize`) {
      const parameters = new URLSearchParams({ code: `code-${codes.size + 1}`, state: query.get('state') ?? '' });
      codes.set(parameters.get('code') ?? '', query);
      script.answer?.(parameters, issuer);
      response.writeHead(302, { location: `${query.get('redirect_uri') ?? ''}?${parameters.toString()}` }).end();
    } else if (request.path === `${path}/register`) {
      sendJson(response, { client_id: `registered at ${auth.origin}` }, 201);
    } else if (request.path === `${path}/token`) {
      if (script.token?.(request, response) === true) return;
      const code = codes.get(form.get('code') ?? '');
      const refreshed = refreshable.get(form.get('refresh_token') ?? '');
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (form.get('resource') !== mcp) sendJson(response, { error: 'invalid_target' }, 400);
      else if (form.get('grant_type') === 'client_credentials') issue(response, form.get('scope') ?? '');
      else if (refreshed !== undefined) {
        refreshable.delete(form.get('refresh_token') ?? '');
        issue(response, refreshed);
      } else if (
        code?.get('code_challenge') === challenge &&
        code.get('resource') === mcp &&
        code.get('redirect_uri') === form.get('redirect_uri')
      ) {
        codes.delete(form.get('code') ?? '');
        issue(response, code.get('scope') ?? '');
      } else sendJson(response, { error: 'invalid_grant', error_description: `no: ${request.body}` }, 400);
    } else response.writeHead(404).end();
  });

  const server = await serve((request, response) => {
    const issuer = auth.origin + path;
    const isMetadata = request.path.startsWith('/.well-known/oauth-protected-resource');
    if (isMetadata && script.resource !== null) {
      send(response, script.resource?.(mcp, issuer) ?? { resource: mcp, authorization_servers: [issuer] });
      return;
    }
    if (request.path !== '/mcp') {
      response.writeHead(404).end();
      return;
    }
    const named =
      script.namesMetadata === false || script.resource === null
        ? ''
        : `resource_metadata="${server.origin}/.well-known/oauth-protected-resource/mcp"`;
    const granted = valid.get(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '');
    const message = request.body === '' ? {} : (JSON.parse(request.body) as { readonly id?: number; method?: string });
    if (granted === undefined)
      response
        .writeHead(401, {
          'www-authenticate': `Bearer ${[named, script.scope === undefined ? '' : `scope="${script.scope}"`].filter(Boolean).join(', ')}`,
        })
        .end();
    else if (
      script.callScope !== undefined &&
      message.method === 'tools/call' &&
      !granted.split(' ').includes(script.callScope)
    )
      response
        .writeHead(403, { 'www-authenticate': `Bearer error="insufficient_scope", scope="${script.callScope}"` })
        .end();
    else
      void sessionScript((seen, to) => {
        if (seen.verb === 'GET') to.writeHead(405).end();
        else sendJson(to, resultMessage(seen.message.id, script.result ?? TEXT));
      })({ verb: request.method, path: request.path, headers: request.headers, message }, response);
  });
  mcp = `${server.origin}/mcp`;
  return {
    mcp,
    issuer: auth.origin + path,
    authOrigin: auth.origin,
    atServer: server.seen,
    atIssuer: auth.seen,
    tokenRequests: () => auth.seen.filter((request) => request.path === `${path}/token`),
    valid,
    refreshable,
  };
}

/** Metadata of an authorization server that supports what the client needs. */
export function serverMetadata(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
  };
}

function send(response: ServerResponse, document: Document): void {
  if (typeof document === 'function') (document as (response: ServerResponse) => void)(response);
  else sendJson(response, document);
}

/** A user who agrees at once. `opened` has the URLs of authorization requests. */
export function agreeingUser(opened: URL[] = []): OAuthRedirect {
  return {
    url: 'http://127.0.0.1:9/callback',
    open: async (url) => {
      opened.push(url);
      const response = await fetch(url, { redirect: 'manual' });
      return new URL(response.headers.get('location') ?? '');
    },
  };
}

/** Options of a client that is registered. */
export function clientOptions(options: Partial<OAuthOptions> = {}): OAuthOptions {
  return { client: { id: 'me' }, redirect: agreeingUser(), ...options };
}

/** A provider of a client that is registered. */
export function testProvider(options: Partial<OAuthOptions> = {}): OAuthProvider {
  return oauthProvider(clientOptions(options));
}

/** Connects a client with a provider. */
export async function connectWith(
  url: string,
  authProvider: OAuthProvider,
  options: { readonly allowsAuthUrl?: (url: URL) => boolean } = {},
): Promise<Connected> {
  const made = createTestClient(['2025-11-25'], { url, authProvider, ...options });
  await made.client.connect(made.transport);
  return made;
}
