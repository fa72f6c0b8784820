/** A server that has only HTTP+SSE of 2024-11-05, on version 1 of the official SDK. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { check, shown } from './support.js';

/** Serves tools over HTTP+SSE; anything else than its stream and its endpoint is not found. */
async function withSse<T>(tools: readonly object[], action: (url: string) => Promise<T>): Promise<T> {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- It is what servers of 2024-11-05 need.
  const transports = new Map<string, SSEServerTransport>();
  const listener = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const known = transports.get(url.searchParams.get('sessionId') ?? '');
    if (request.method === 'GET' && url.pathname === '/sse') {
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- It is what servers of 2024-11-05 need.
      const transport = new SSEServerTransport('/messages', response);
      transports.set(transport.sessionId, transport);
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- Its tools are given as they are.
      const server = new Server({ name: 'old', version: '1.0.0' }, { capabilities: { tools: {} } });
      server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools as never }));
      void server.connect(transport);
    } else if (request.method === 'POST' && url.pathname === '/messages' && known !== undefined) {
      void known.handlePostMessage(request, response);
    } else response.writeHead(404).end();
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  try {
    return await action(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/sse`);
  } finally {
    listener.closeAllConnections();
    listener.close();
  }
}

const TOOL = { name: 'water', inputSchema: { type: 'object' } };

test('is checked over HTTP+SSE', { timeout: 60_000 }, async () => {
  const report = await withSse([TOOL], async (url) => check(url));
  expect(report).toMatchObject({ revisions: ['2024-11-05'], server: { name: 'old' }, tools: 1 });
  expect(report.probes.filter(({ status }) => status === 'failed')).toEqual([]);
  const ran = report.probes.filter(({ status }) => status === 'passed' || status === 'found').map(({ id }) => id);
  expect(ran).toEqual(expect.arrayContaining(['lists', 'unknown-method', 'ids', 'concurrency', 'cancellation']));
  const violations = report.findings.filter(({ severity }) => severity === 'violation');
  // The official SDK does not validate Origin unless this is configured.
  expect(
    violations.map(({ rule }) => rule),
    shown(report).join('\n'),
  ).toEqual(['http-origin']);
});

test('has the findings of what it lists', { timeout: 60_000 }, async () => {
  const report = await withSse([TOOL, TOOL], async (url) => check(url));
  expect(report.findings.map(({ rule }) => rule)).toContain('duplicate-tool');
});

test('a server that refuses both transports speaks nothing', { timeout: 60_000 }, async () => {
  await withSse([], async (url) => {
    await expect(check(url.replace('/sse', '/nothing'))).rejects.toThrow('speaks no revision of MCP');
  });
});
