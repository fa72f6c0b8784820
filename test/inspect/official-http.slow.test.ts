/** Conversations of the official SDKs over HTTP, recorded and inspected: nothing is found but what they do on purpose. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { StreamableHTTPClientTransport as V2Http } from '@modelcontextprotocol/client';
import { SSEClientTransport as V1Sse } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, expect, test } from 'vitest';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { inspectRecording } from '../../generator/inspect/inspect.js';
import { FEATURES } from '../interop/features.js';
import { v1Client, v2Client, type Peer } from '../interop/peers/clients.js';
import { STATELESS } from '../interop/peers/fixture-peers.js';
import type { Hosting } from '../interop/peers/http-host.js';
import { program } from '../interop/peers/program.js';
import { newRecording } from '../record/support.js';
import { CLI, plainEnvironment, removeTemporaryFolders } from '../support/cli.js';

interface Pair {
  readonly name: string;
  readonly hosting: Hosting;
  readonly client: () => Peer;
  readonly transport: (url: URL) => Transport;
}

const v1 = (url: URL): Transport => new V1Http(url);
const v2 = (url: URL): Transport => new V2Http(url);

const PAIRS: readonly Pair[] = [
  {
    name: 'v1 with v1, 2025-11-25',
    hosting: { server: 'v1', revision: '2025-11-25' },
    client: v1Client,
    transport: v1,
  },
  {
    // The v1 client always proposes 2025-11-25, and the server agrees.
    name: 'v1 with v1 over HTTP+SSE',
    hosting: { server: 'v1', revision: '2024-11-05', sse: true },
    client: v1Client,
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- It is what servers of 2024-11-05 need.
    transport: (url) => new V1Sse(url),
  },
  ...['2025-03-26', '2025-06-18', '2025-11-25', STATELESS].map((revision) => ({
    name: `v2 with v2, ${revision}`,
    hosting: { server: 'v2', revision } as const,
    client: () => v2Client(revision),
    transport: v2,
  })),
];

/** What the features do on purpose. */
const DELIBERATE = new Set(['unknown-cursor', 'unknown-method']);

const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill();
  removeTemporaryFolders();
});

async function firstLine(child: ChildProcess, stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string> {
  const output = child[stream];
  if (output === null) throw new Error('no output');
  for await (const line of createInterface({ input: output })) {
    const found = pattern.exec(line)?.[0];
    if (found !== undefined) return found;
  }
  throw new Error('the process ended');
}

test.each(PAIRS)('$name', async ({ hosting, client, transport }) => {
  const { command, args } = program('http-host.ts', JSON.stringify([hosting]));
  const host = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  started.push(host);
  const [url = ''] = JSON.parse(await firstLine(host, 'stdout', /^\[.*\]$/)) as string[];
  const file = newRecording();
  const recorder = spawn(process.execPath, [CLI, 'record', '--http', url, '--port', '0', '--out', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: plainEnvironment(),
  });
  started.push(recorder);
  const proxy = await firstLine(recorder, 'stderr', /http:\/\/127\.0\.0\.1:\d+\S*/);
  recorder.stderr.resume();
  const peer = client();
  await peer.connect(transport(new URL(proxy)));
  for (const feature of FEATURES.filter(({ in: isIn }) => isIn(hosting.revision)))
    await feature.run(peer, () => undefined, hosting.revision);
  await peer.close();
  recorder.kill('SIGINT');
  await new Promise((resolve) => recorder.once('exit', resolve));
  const report = await inspectRecording(createReadStream(file));
  const [conversation] = report.conversations;
  expect(conversation?.revisions).toEqual([client === v1Client ? '2025-11-25' : hosting.revision]);
  expect(conversation?.statistics.requests).toBeGreaterThan(20);
  expect(conversation?.findings.filter(({ rule }) => !DELIBERATE.has(rule))).toEqual([]);
});
