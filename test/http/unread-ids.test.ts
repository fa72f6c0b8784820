import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { isErrorResponse as isError20241105 } from '../../generated/2024-11-05/index.js';
import { isErrorResponse as isError20250326 } from '../../generated/2025-03-26/index.js';
import { isErrorResponse as isError20250618 } from '../../generated/2025-06-18/index.js';
import {
  isErrorResponse as isError20251125,
  validateJSONRPCErrorResponse as validate20251125,
} from '../../generated/2025-11-25/index.js';
import {
  isErrorResponse as isError20260728,
  validateJSONRPCErrorResponse as validate20260728,
} from '../../generated/2026-07-28/index.js';
import { createHttpHandler, type HttpHandler } from '../../generated/runtime/http-server.js';
import { Server } from '../../generated/runtime/server.js';
import { stdioServerTransport } from '../../generated/runtime/stdio-server.js';
import { nextTurns } from '../connect/harness.js';
import { ALL_REVISIONS, STATELESS_REVISION, post, openSession } from './server-support.js';

// Case-127: what has no readable id is answered by one rule a revision, the same over both transports.

let handler: HttpHandler | undefined;
afterEach(() => handler?.close());

const RAW = ['{bad', '[]', '{"jsonrpc":"2.0","id":{},"method":"ping"}', '5', '\u0000'];

const REVISIONS = [
  { version: '2024-11-05', id: null, accepts: [isError20241105] },
  { version: '2025-03-26', id: null, accepts: [isError20250326] },
  { version: '2025-06-18', id: null, accepts: [isError20250618] },
  {
    version: '2025-11-25',
    id: undefined,
    accepts: [isError20251125, (value: unknown) => validate20251125(value).success],
  },
  {
    version: '2026-07-28',
    id: undefined,
    accepts: [isError20260728, (value: unknown) => validate20260728(value).success],
  },
];

const initialize = (version: string) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'a', version: '1' } },
});

const serverOf = (version: string) =>
  new Server(
    ALL_REVISIONS.filter((revision) => revision.version === version),
    { info: { name: 'a', version: '1' }, handlers: {} },
  );

/** What comes back over stdio, after the handshake if there is one. */
async function overStdio(version: string, raw: string): Promise<unknown> {
  const input = new PassThrough();
  const output = new PassThrough();
  let text = '';
  output.on('data', (chunk) => {
    text += String(chunk);
  });
  const opened = await serverOf(version).connect(stdioServerTransport({ input, output, drainMs: 0 }));
  if (version !== STATELESS_REVISION) input.write(`${JSON.stringify(initialize(version))}\n`);
  input.write(`${raw}\n`);
  await nextTurns(6);
  await opened.close();
  const answers = text.split('\n').filter((line) => line !== '');
  expect(answers).toHaveLength(version === STATELESS_REVISION ? 1 : 2);
  return JSON.parse(answers.at(-1) ?? '');
}

/** What comes back over HTTP, in a session if the revision has them. */
async function overHttp(version: string, raw: string, isAlone = false): Promise<unknown> {
  handler = createHttpHandler({ server: serverOf(version), ...(isAlone ? { sessions: false } : {}) });
  const headers =
    version === STATELESS_REVISION || isAlone
      ? { 'mcp-protocol-version': version }
      : (await openSession(handler, version)).headers;
  const answer = await post(handler, raw, headers);
  expect(answer.status).toBe(400);
  return answer.json();
}

describe.each(REVISIONS)('$version', ({ version, id, accepts }) => {
  test.each(RAW)('%j has the same answer over stdio and HTTP', async (raw) => {
    const answers = [await overStdio(version, raw), await overHttp(version, raw)];
    if (version !== STATELESS_REVISION) answers.push(await overHttp(version, raw, true));
    for (const answer of answers) {
      expect((answer as { id?: unknown }).id).toBe(id);
      expect('id' in (answer as object)).toBe(id !== undefined);
      for (const accept of accepts) expect(accept(answer)).toBe(true);
    }
    expect(new Set(answers.map((answer) => (answer as { error: { code: number } }).error.code)).size).toBe(1);
  });
});

test('the newest revision of the server applies before the handshake', async () => {
  handler = createHttpHandler({
    server: new Server(ALL_REVISIONS, { info: { name: 'a', version: '1' }, handlers: {} }),
  });
  expect(await (await post(handler, '{bad')).json()).not.toHaveProperty('id');
  expect(await (await post(handler, '{bad', { 'mcp-protocol-version': '2025-06-18' })).json()).toMatchObject({
    id: null,
  });
});

test('an invalid response gets a transport error without an id', async () => {
  handler = createHttpHandler({ server: serverOf('2025-06-18') });
  const { headers } = await openSession(handler, '2025-06-18');
  const answer = await post(handler, '{"jsonrpc":"2.0","id":null,"result":{}}', headers);
  expect([answer.status, Object.hasOwn((await answer.json()) as object, 'id')]).toEqual([400, false]);
});
