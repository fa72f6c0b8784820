import { STATELESS } from './peers/fixture-peers.js';
import { REVISION_NAMES } from './peers/revisions.js';

const v1Revisions = REVISION_NAMES.filter((name) => name !== STATELESS);

/** Our client with the official servers, the official clients with our server, ours with ours. */
export const PAIRS = [
  ...REVISION_NAMES.map((revision) => ({ client: 'ours', server: 'ours', revision })),
  ...v1Revisions.map((revision) => ({ client: 'ours', server: 'v1', revision })),
  ...REVISION_NAMES.map((revision) => ({ client: 'ours', server: 'v2', revision })),
  ...v1Revisions.map((revision) => ({ client: 'v1', server: 'ours', revision })),
  ...REVISION_NAMES.map((revision) => ({ client: 'v2', server: 'ours', revision })),
];

/** Pairs of these revisions are tested with every change; the older ones are slow tests. */
export function isRecent({ revision }: (typeof PAIRS)[number]): boolean {
  return revision >= '2025-11-25';
}
