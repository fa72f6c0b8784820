/** Our OAuth client, set up as a scenario of the official conformance suite requires. */
import { oauthProvider } from '../../generated/runtime/oauth-client.js';
import type { OAuthOptions, OAuthProvider } from '../../generated/runtime/oauth-client.js';
import { tokenExchange } from '../../generated/runtime/oauth-client.js';

const CALLBACK = 'http://localhost:3000/callback';
/** The suite's servers know this client by it. */
const METADATA_URL = 'https://conformance-test.local/client-metadata.json';

/** A user who agrees at once: follows the redirect to the authorization server and returns what it brings back. */
const redirect: OAuthOptions['redirect'] = {
  url: CALLBACK,
  open: async (url) => {
    const response = await fetch(url, { redirect: 'manual' });
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${url.origin} does not redirect`);
    return new URL(location);
  },
};

/** The provider for a scenario. */
export function conformanceProvider(scenario: string, context: Readonly<Record<string, string>>): OAuthProvider {
  return oauthProvider(optionsFor(scenario, context));
}

function optionsFor(scenario: string, context: Readonly<Record<string, string>>): OAuthOptions {
  const { client_id: id = '', client_secret: secret = '' } = context;
  const anonymous = { metadataUrl: METADATA_URL, registration: { name: 'visitor' } };
  switch (scenario) {
    case 'auth/client-credentials-basic':
      return { client: { id, secret }, grant: 'client_credentials' };
    case 'auth/client-credentials-jwt':
      return { client: { id, privateKey: context['private_key_pem'] ?? '' }, grant: 'client_credentials' };
    case 'auth/enterprise-managed-authorization':
      return {
        client: { id, secret },
        grant: {
          type: 'jwt-bearer',
          assertion: tokenExchange({
            tokenEndpoint: context['idp_token_endpoint'] ?? '',
            client: { id: context['idp_client_id'] ?? '' },
            idToken: () => context['idp_id_token'] ?? '',
          }),
        },
      };
    case 'auth/wif-jwt-bearer':
      return { client: { id }, grant: { type: 'jwt-bearer', assertion: () => context['valid_jwt'] ?? '' } };
    case 'auth/pre-registration':
      return { client: { id, secret }, redirect };
    default:
      return { client: anonymous, redirect, dpop: scenario.startsWith('auth/dpop') };
  }
}
