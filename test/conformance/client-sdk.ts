/** The same on the official SDK's client, to have figures to compare with. */
import { Client, extractWWWAuthenticateParams, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { FetchLike } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { INPUTS, runScenario } from './client-scenarios.js';
import { OAuthFlow } from './oauth.js';

await runScenario(async ({ url, scenario, context }) => {
  const flow = scenario.startsWith('auth/') ? new OAuthFlow(scenario, context) : undefined;
  const client = new Client(
    { name: 'visitor', version: '1.0.0' },
    {
      capabilities: { elicitation: {}, sampling: {}, roots: {} },
      versionNegotiation: { mode: 'auto' },
    },
  );
  for (const [method, answer] of Object.entries(INPUTS))
    client.setRequestHandler(
      method as never,
      ((request: { readonly params: object }) => answer(request.params)) as never,
    );
  await client.connect(
    new StreamableHTTPClientTransport(url, flow === undefined ? {} : { fetch: authorized(url, flow) }),
  );
  return {
    request: (method, params) => {
      switch (method) {
        // Only these know of headers for arguments and of invalid tools.
        case 'tools/list':
          return client.listTools();
        case 'tools/call':
          return client.callTool(params as never);
        default:
          return client.request({ method, ...(params === undefined ? {} : { params }) } as never, z.looseObject({}));
      }
    },
    close: () => client.close(),
  };
});

/** As the SDK's client for the suite does it, since its transport cannot be notified of the user's answer. */
function authorized(url: URL, { provider, run }: OAuthFlow): FetchLike {
  return async (input, init) => {
    const send = async (): Promise<Response> => {
      const headers = new Headers(init?.headers);
      const tokens = await provider.tokens();
      if (tokens !== undefined) headers.set('authorization', `Bearer ${tokens.access_token}`);
      return fetch(input, { ...init, headers });
    };
    const response = await send();
    if (response.status !== 401 && response.status !== 403) return response;
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    const granted = response.status === 403 ? (await provider.tokens())?.scope : undefined;
    const wanted = [...new Set([granted, scope].flatMap((one) => one?.split(' ') ?? []))].join(' ');
    await run(provider, {
      serverUrl: url,
      fetchFn: fetch,
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
      ...(wanted === '' ? {} : { scope: wanted }),
      ...(response.status === 403 ? { forceReauthorization: true } : {}),
    });
    const again = await send();
    if (again.status === 401 || again.status === 403) throw new Error(`not authorized: ${again.status}`);
    return again;
  };
}
