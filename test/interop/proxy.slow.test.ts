import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { codeBlocks } from '../support/markdown.js';
import { codeOf } from './peers/clients.js';
import { testFeatures } from './stdio-peers.js';
import { STATELESS } from './peers/fixture-peers.js';
import type { Program } from './peers/program.js';

// The validating proxy of docs/gateways.md, between clients and servers of both official SDKs and ours.

const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

const PAIRS = [
  { client: 'v1', server: 'v1', revision: '2025-11-25' },
  { client: 'v2', server: 'v2', revision: '2025-11-25' },
  { client: 'v2', server: 'v2', revision: STATELESS },
  { client: 'v1', server: 'ours', revision: '2025-06-18' },
  { client: 'v2', server: 'ours', revision: STATELESS },
  { client: 'ours', server: 'v1', revision: '2025-03-26' },
  { client: 'ours', server: 'v2', revision: STATELESS },
  { client: 'ours', server: 'ours', revision: '2024-11-05' },
  { client: 'ours', server: 'ours', revision: STATELESS },
];

let proxy = '';
beforeAll(() => {
  const block = codeBlocks('docs/gateways.md').find(({ text }) => text.startsWith('// proxy.ts\n'));
  if (block === undefined) throw new Error('docs/gateways.md shows no proxy.ts');
  const generated = path.resolve('generated');
  proxy = path.join(temporaryFolder(), 'proxy.ts');
  writeFileSync(path.join(path.dirname(proxy), 'package.json'), '{ "type": "module" }\n');
  writeFileSync(proxy, block.text.replaceAll("'./out/", `'${generated}/`));
});
afterAll(removeTemporaryFolders);

/** The proxy in front of a program. */
function behindProxy({ command, args }: Program): Program {
  return { command, args: ['--import', TSX, proxy, command, ...args] };
}

describe.each(PAIRS)('$revision: client $client, proxy, server $server', (pair) => {
  const peer = testFeatures(pair, behindProxy);

  test('the proxy answers a request with invalid params', async () => {
    const error = await peer.request('tools/call', { arguments: {} }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(codeOf(error)).toBe(-32602);
    expect(String(error)).toContain('Refused by the proxy: /name is missing');
  });
});
