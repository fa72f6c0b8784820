/* eslint-disable @typescript-eslint/no-deprecated -- The suite tells no issuer to expect. */
import {
  auth,
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
} from '@modelcontextprotocol/client';
import type {
  AuthOptions,
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client';

const CALLBACK = 'http://localhost:3000/callback';
/** The suite's servers know this client by it. */
const METADATA_URL = 'https://conformance-test.local/client-metadata.json';

/** A user who agrees at once: follows the redirect to the authorization server and keeps what it brings back. */
class AutoApprovingProvider implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadataUrl?: string;
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: 'visitor',
    redirect_uris: [CALLBACK],
  };
  answer: URLSearchParams | undefined;
  #information: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = '';
  #discovery: OAuthDiscoveryState | undefined;

  constructor(information?: OAuthClientInformationMixed) {
    this.#information = information;
    if (information === undefined) this.clientMetadataUrl = METADATA_URL;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#information;
  }
  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.#information = information;
  }
  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }
  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }
  invalidateCredentials(what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (what === 'all' || what === 'client') this.#information = undefined;
    if (what === 'all' || what === 'tokens') this.#tokens = undefined;
    if (what === 'all' || what === 'verifier') this.#verifier = '';
    if (what === 'all' || what === 'discovery') this.#discovery = undefined;
  }
  async redirectToAuthorization(url: URL): Promise<void> {
    const response = await fetch(url, { redirect: 'manual' });
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${url.origin} does not redirect`);
    this.answer = new URL(location).searchParams;
  }
}

/** The official SDK's OAuth flow, with the provider that a scenario needs, and no user to wait for. */
export class OAuthFlow {
  readonly provider: OAuthClientProvider;

  constructor(scenario: string, context: Readonly<Record<string, string>>) {
    this.provider = providerFor(scenario, context);
  }

  /** As `auth` of the SDK, but the user's answer is there at once. */
  readonly run = async (provider: OAuthClientProvider, options: AuthOptions): Promise<'AUTHORIZED' | 'REDIRECT'> => {
    // A token that is refused may be one of an authorization server that no longer is the right one.
    if (options.forceReauthorization !== true && (await provider.tokens()) !== undefined)
      await provider.invalidateCredentials?.('discovery');
    const outcome = await auth(provider, options);
    if (outcome === 'AUTHORIZED' || !(provider instanceof AutoApprovingProvider)) return outcome;
    const code = provider.answer?.get('code');
    const iss = provider.answer?.get('iss');
    if (typeof code !== 'string') return outcome;
    return auth(provider, { ...options, authorizationCode: code, ...(typeof iss === 'string' ? { iss } : {}) });
  };
}

function providerFor(scenario: string, context: Readonly<Record<string, string>>): OAuthClientProvider {
  const { client_id: clientId = '', client_secret: clientSecret = '' } = context;
  switch (scenario) {
    case 'auth/client-credentials-basic':
      return new ClientCredentialsProvider({ clientId, clientSecret });
    case 'auth/client-credentials-jwt':
      return new PrivateKeyJwtProvider({
        clientId,
        privateKey: context['private_key_pem'] ?? '',
        algorithm: context['signing_algorithm'] ?? 'ES256',
      });
    case 'auth/enterprise-managed-authorization':
      return new CrossAppAccessProvider({
        clientId,
        clientSecret,
        assertion: async ({ authorizationServerUrl, resourceUrl, fetchFn }) => {
          const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
            tokenEndpoint: context['idp_token_endpoint'] ?? '',
            audience: authorizationServerUrl,
            resource: resourceUrl,
            idToken: context['idp_id_token'] ?? '',
            clientId: context['idp_client_id'] ?? '',
            fetchFn,
          });
          return jwtAuthGrant;
        },
      });
    case 'auth/pre-registration':
      return new AutoApprovingProvider({ client_id: clientId, client_secret: clientSecret });
    default:
      return new AutoApprovingProvider();
  }
}
