import { createHmac, timingSafeEqual } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import type { Auth, Authorization } from '../../generated/runtime/http/server/auth.js';
import type { HttpEvent, HttpHandler } from '../../generated/runtime/http-server.js';
import { fixtureHandler, sendStateless, post, request, send, openSession } from './server-support.js';

// Authorization as a server would implement it, with self-issued HS256 tokens.

const KEY = 'a key that only the authorization server and this one know';
const RESOURCE = 'https://garden.example.com/mcp';

interface Claims {
  readonly sub: string;
  readonly scope?: string;
  readonly exp?: number;
  readonly aud?: string;
}

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const signature = (text: string): Buffer => createHmac('sha256', KEY).update(text).digest();

function tokenOf(claims: Claims): string {
  const text = `${base64({ alg: 'HS256', typ: 'JWT' })}.${base64({ aud: RESOURCE, exp: Date.now() / 1000 + 60, ...claims })}`;
  return `${text}.${signature(text).toString('base64url')}`;
}

const authorize: Authorization = {
  verify: (token): Auth | undefined => {
    const [head = '', body = '', sign = ''] = token.split('.');
    const given = Buffer.from(sign, 'base64url');
    const right = signature(`${head}.${body}`);
    if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Claims;
    return {
      principal: claims.sub,
      scopes: (claims.scope ?? '').split(' '),
      expiresAt: claims.exp,
      audience: claims.aud,
    };
  },
  metadata: {
    resource: RESOURCE,
    authorization_servers: ['https://login.example.com'],
    scopes_supported: ['garden:read'],
  },
  scopes: ({ method, params }) =>
    method === 'tools/call' ? ['garden:read', `tool:${String((params as { name?: unknown }).name)}`] : [],
};

const METADATA = 'https://garden.example.com/.well-known/oauth-protected-resource/mcp';
const bearer = (claims: Claims) => ({ authorization: `Bearer ${tokenOf(claims)}` });
const rose = bearer({ sub: 'rose', scope: 'garden:read tool:echo tool:ask' });
const iris = bearer({ sub: 'iris', scope: 'garden:read tool:echo tool:ask' });

let handler: HttpHandler;
afterEach(() => handler.close());

test('answers 401 with a challenge if the token is missing', async () => {
  handler = fixtureHandler({ authorize });
  const answer = await sendStateless(handler, 1, 'tools/list');
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toBe(`Bearer scope="garden:read", resource_metadata="${METADATA}"`);
});

test('serves the metadata without authorization', async () => {
  handler = fixtureHandler({ authorize });
  for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource']) {
    const answer = await send(handler, 'GET', {}, undefined, path);
    expect(await answer.json()).toEqual({ bearer_methods_supported: ['header'], ...authorize.metadata });
  }
});

test.each([
  ['forged', { authorization: `${rose.authorization.slice(0, -4)}AAAA` }, 401, 'invalid_token'],
  ['expired', bearer({ sub: 'rose', exp: 1 }), 401, 'invalid_token'],
  ['for another resource', bearer({ sub: 'rose', aud: 'https://other.example.com' }), 401, 'invalid_token'],
  ['no token', { authorization: 'Basic cm9zZTpwYXNz' }, 400, 'invalid_request'],
  ['nothing that can be verified', { authorization: 'Bearer a.b' }, 401, 'invalid_token'],
])('%s: %j', async (_name, headers, status, error) => {
  handler = fixtureHandler({ authorize });
  const answer = await sendStateless(handler, 1, 'tools/list', {}, headers);
  expect(answer.status).toBe(status);
  expect(answer.headers.get('www-authenticate')).toContain(`error="${error}"`);
});

test('answers 403 with the required scopes', async () => {
  handler = fixtureHandler({ authorize });
  const answer = await sendStateless(handler, 1, 'tools/call', { name: 'count' }, rose);
  expect(answer.status).toBe(403);
  expect(answer.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
  expect(answer.headers.get('www-authenticate')).toContain('scope="garden:read tool:count"');
  expect((await sendStateless(handler, 1, 'tools/call', { name: 'echo' }, rose)).status).toBe(200);
  // A quoted value cannot end its quotes.
  const odd = await sendStateless(handler, 1, 'tools/call', { name: 'a", realm="b' }, rose);
  expect(odd.headers.get('www-authenticate')).toContain('scope="garden:read tool:a,realm=b"');
});

test('a hook that throws lets nobody in', async () => {
  const failures: unknown[] = [];
  handler = fixtureHandler({
    authorize: {
      verify: () => {
        throw new Error('no connection');
      },
    },
    onEvent: (event) => {
      if (event.kind === 'failed') failures.push(event.error);
    },
  });
  expect((await sendStateless(handler, 1, 'tools/list', {}, rose)).status).toBe(401);
  expect(failures).toHaveLength(1);
});

test("another's session is as good as none", async () => {
  handler = fixtureHandler({ authorize });
  const { headers, post: say } = await openSession(handler, '2025-11-25', rose);
  expect((await say(request(1, 'ping'))).status).toBe(200);
  expect((await post(handler, request(2, 'ping'), { ...headers, ...iris })).status).toBe(404);
  expect((await send(handler, 'DELETE', { ...headers, ...iris })).status).toBe(404);
  expect((await say(request(3, 'ping'))).status).toBe(200);
});

test('binds the request state to its principal', async () => {
  handler = fixtureHandler({ authorize });
  const asked = (await (await sendStateless(handler, 1, 'tools/call', { name: 'ask' }, rose)).json()) as {
    result: { requestState: string };
  };
  const { requestState } = asked.result;
  const again = { name: 'ask', requestState, inputResponses: { name: { action: 'decline' } } };
  expect(await (await sendStateless(handler, 2, 'tools/call', again, iris)).json()).toMatchObject({
    error: { code: -32602 },
  });
  expect(await (await sendStateless(handler, 3, 'tools/call', again, rose)).json()).toMatchObject({
    result: { content: [{ text: 'decline' }] },
  });
});

test.each<[string, unknown]>([
  ['null', null],
  ['false', false],
  ['a string', 'rose'],
  ['an array', ['rose']],
  ['no principal', { scopes: [] }],
  ['an empty principal', { principal: '' }],
  ['a principal that is a number', { principal: 7 }],
  ['an expiry of NaN', { principal: 'rose', expiresAt: Number.NaN }],
  ['an expiry of Infinity', { principal: 'rose', expiresAt: Number.POSITIVE_INFINITY }],
  ['an expiry that is a string', { principal: 'rose', expiresAt: '9999999999' }],
  ['an expiry of null', { principal: 'rose', expiresAt: null }],
  ['scopes that are a string', { principal: 'rose', scopes: 'garden:read' }],
  ['scopes that are numbers', { principal: 'rose', scopes: [1] }],
  ['an audience that is a number', { principal: 'rose', audience: 7 }],
  [
    'what throws when it is read',
    {
      get principal(): string {
        throw new Error('no');
      },
    },
  ],
])('verify that returns %s lets nobody in: 401 and an event', async (_, identity) => {
  const seen: HttpEvent[] = [];
  handler = fixtureHandler({
    authorize: { verify: () => Promise.resolve(identity as Auth) },
    onEvent: (event) => seen.push(event),
  });
  const answer = await sendStateless(handler, 1, 'tools/list', {}, { authorization: 'Bearer x' });
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
    401,
    'Bearer error="invalid_token", error_description="the token is not valid"',
  ]);
  expect(seen.map(({ kind }) => kind)).toEqual(['failed', 'refused']);
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a string', 'garden:read'],
  ['a promise', Promise.resolve([])],
])('scopes that return %s let nobody in', async (_, scopes) => {
  const seen: HttpEvent[] = [];
  handler = fixtureHandler({
    authorize: { verify: () => ({ principal: 'rose', scopes: ['garden:read'] }), scopes: () => scopes as string[] },
    onEvent: (event) => seen.push(event),
  });
  expect((await sendStateless(handler, 1, 'tools/list', {}, { authorization: 'Bearer x' })).status).toBe(500);
  expect(seen).toMatchObject([{ kind: 'failed', error: { name: 'TypeError' } }]);
});

test('scopes that are no array of strings are refused at once', () => {
  expect(() => fixtureHandler({ authorize: { ...authorize, scopes: 'garden:read' as unknown as string[] } })).toThrow(
    TypeError,
  );
});
