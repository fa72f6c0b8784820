import { StdioClientTransport as V1Stdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StdioClientTransport as V2Stdio } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stdioClientTransport } from '../../generated/runtime/stdio-client.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { FEATURES, TASKS } from './features.js';
import type { Feature } from './features.js';
import { oursClient, v1Client, v2Client } from './peers/clients.js';
import type { Peer } from './peers/clients.js';
import { STATELESS } from './peers/fixture-peers.js';
import { serverProgram } from './peers/program.js';
import type { Program } from './peers/program.js';
import { REVISION_NAMES } from './peers/revisions.js';

const CLIENTS: Readonly<Record<string, (revision: string) => Peer>> = {
  ours: (revision) => oursClient([revision]),
  v1: v1Client,
  v2: v2Client,
};

const TRANSPORTS: Readonly<Record<string, (of: Program) => Transport>> = {
  ours: stdioClientTransport,
  v1: (of) => new V1Stdio(of),
  v2: (of) => new V2Stdio(of),
};

const v1Revisions = REVISION_NAMES.filter((name) => name !== STATELESS);

/** Our client with the official servers, the official clients with our server, ours with ours. */
const PAIRS = [
  ...REVISION_NAMES.map((revision) => ({ client: 'ours', server: 'ours', revision })),
  ...v1Revisions.map((revision) => ({ client: 'ours', server: 'v1', revision })),
  ...REVISION_NAMES.map((revision) => ({ client: 'ours', server: 'v2', revision })),
  ...v1Revisions.map((revision) => ({ client: 'v1', server: 'ours', revision })),
  ...REVISION_NAMES.map((revision) => ({ client: 'v2', server: 'ours', revision })),
];

describe.each(PAIRS)('over stdio, $revision: client $client, server $server', ({ client, server, revision }) => {
  const peer = CLIENTS[client]?.(revision);
  if (peer === undefined) throw new Error(`no client ${client}`);
  beforeAll(() => peer.connect((TRANSPORTS[client] ?? stdioClientTransport)(serverProgram(server, revision))));
  afterAll(() => peer.close());

  const speaksTasks = client !== 'v2' && server !== 'v2';
  const features: readonly Feature[] = [...FEATURES, ...(speaksTasks ? [TASKS] : [])];
  test.each(features.filter((feature) => feature.in(revision)))('$name', async (feature) => {
    await feature.run(
      peer,
      (found, expected) => {
        expect(found).toEqual(expected);
      },
      revision,
    );
  });
});
