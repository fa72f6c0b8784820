/**
 * The client that the official conformance suite is run against: the generated stubs of all revisions over our HTTP
 * transport, with our OAuth client.
 */
import { revision as revision20241105 } from '../../generated/2024-11-05/revision.js';
import { revision as revision20250326 } from '../../generated/2025-03-26/revision.js';
import { revision as revision20250618 } from '../../generated/2025-06-18/revision.js';
import { revision as revision20251125 } from '../../generated/2025-11-25/revision.js';
import { createClient } from '../../generated/2026-07-28/client.js';
import { revision as revision20260728 } from '../../generated/2026-07-28/revision.js';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import { INPUTS, runScenario } from './client-scenarios.js';
import { conformanceProvider } from './oauth-provider.js';

await runScenario(async ({ url, scenario, context }) => {
  const client = createClient({
    info: { name: 'visitor', version: '1.0.0' },
    revisions: [revision20241105, revision20250326, revision20250618, revision20251125, revision20260728],
    handlers: INPUTS,
    ignoreCapabilities: true,
  });
  await client.connect(
    httpClientTransport({
      url,
      ...(scenario.startsWith('auth/') ? { authProvider: conformanceProvider(scenario, context) } : {}),
    }),
  );
  return client;
});
