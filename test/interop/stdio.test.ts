import { describe } from 'vitest';
import { STATELESS } from './peers/fixture-peers.js';
import { REVISION_NAMES } from './peers/revisions.js';
import { testFeatures } from './stdio-peers.js';

const v1Revisions = REVISION_NAMES.filter((name) => name !== STATELESS);

/** Our client with the official servers, the official clients with our server, ours with ours. */
const PAIRS = [
  ...REVISION_NAMES.map((revision) => ({ client: 'ours', server: 'ours', revision })),
  ...v1Revisions.map((revision) => ({ client: 'ours', server: 'v1', revision })),
  ...REVISION_NAMES.map((revision) => ({ client: 'ours', server: 'v2', revision })),
  ...v1Revisions.map((revision) => ({ client: 'v1', server: 'ours', revision })),
  ...REVISION_NAMES.map((revision) => ({ client: 'v2', server: 'ours', revision })),
];

describe.each(PAIRS)('over stdio, $revision: client $client, server $server', (pair) => {
  testFeatures(pair);
});
