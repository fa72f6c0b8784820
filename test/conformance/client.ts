/**
 * The client that the official conformance suite is run against: the generated stubs of all revisions over our HTTP
 * transport, with the official SDK's OAuth flow plugged in.
 */
import { revision as r2024 } from '../../generated/2024-11-05/revision.js';
import { revision as r202503 } from '../../generated/2025-03-26/revision.js';
import { revision as r202506 } from '../../generated/2025-06-18/revision.js';
import { revision as r202511 } from '../../generated/2025-11-25/revision.js';
import { createClient } from '../../generated/2026-07-28/client.js';
import { revision as r2026 } from '../../generated/2026-07-28/revision.js';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import { INPUTS, visit } from './client-scenarios.js';

await visit(async ({ url, flow }) => {
  const client = createClient({
    info: { name: 'visitor', version: '1.0.0' },
    revisions: [r2024, r202503, r202506, r202511, r2026],
    handlers: INPUTS,
    ignoreCapabilities: true,
  });
  await client.connect(
    httpClientTransport({ url, ...(flow === undefined ? {} : { authProvider: flow.provider, auth: flow.run }) }),
  );
  return client;
});
