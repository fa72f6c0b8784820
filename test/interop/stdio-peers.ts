import { StdioClientTransport as V1Stdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StdioClientTransport as V2Stdio } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stdioClientTransport } from '../../generated/runtime/stdio-client.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { FEATURES, TASKS } from './features.js';
import type { Feature } from './features.js';
import { oursClient, v1Client, v2Client } from './peers/clients.js';
import type { Peer } from './peers/clients.js';
import { serverProgram } from './peers/program.js';
import type { Program } from './peers/program.js';

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

/** A client and a server of the garden, and the revision that they speak. */
export interface StdioPair {
  readonly client: string;
  readonly server: string;
  readonly revision: string;
}

/**
 * Declares a test of each feature that a pair has in common.
 *
 * @param programOf - What the client starts instead of the server, such as a proxy in front of it.
 * @returns The client, connected while the tests run.
 */
export function testFeatures(
  { client, server, revision }: StdioPair,
  programOf: (of: Program) => Program = (of) => of,
): Peer {
  const peer = CLIENTS[client]?.(revision);
  if (peer === undefined) throw new Error(`no client ${client}`);
  beforeAll(() =>
    peer.connect((TRANSPORTS[client] ?? stdioClientTransport)(programOf(serverProgram(server, revision)))),
  );
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
  return peer;
}
