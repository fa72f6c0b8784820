/** Spans and metrics over HTTP, and what the part needs. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { generate } from '../../generator/index.js';
import type { Revision } from '../../generated/runtime/index.js';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import { createHttpHandler, type HttpHandlerOptions } from '../../generated/runtime/http-server.js';
import { httpMetrics } from '../../generated/runtime/opentelemetry.js';
import { compileFiles } from '../support/compiler.js';
import {
  api,
  attributesIn,
  latest,
  metrics,
  older,
  sidesOf,
  spanOf,
  tracedClient,
  tracedServer,
  useTelemetry,
} from './support.js';

useTelemetry();

const NETWORK = { 'network.transport': 'tcp', 'network.protocol.name': 'http' };
const SERVER_ADDRESS = { 'server.address': 'weather.example', 'server.port': 8443 };

const handlers = { 'tools/list': () => ({ tools: [] }), 'tools/call': () => ({ content: [] }) };

/** A client over HTTP, whose requests the handler answers in this process, each within a span as of an HTTP server. */
async function connected(revision: Revision, options: Partial<HttpHandlerOptions> = {}) {
  const allowedHosts = ['weather.example', 'localhost'];
  const handler = createHttpHandler({ server: tracedServer({ handlers }), allowedHosts, ...options });
  const httpSpans: string[] = [];
  const client = tracedClient({ revisions: [revision] });
  const fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const span = api.trace.getTracer('http').startSpan('POST', { kind: api.SpanKind.SERVER }, api.ROOT_CONTEXT);
    httpSpans.push(span.spanContext().spanId);
    return api.context.with(api.trace.setSpan(api.ROOT_CONTEXT, span), () => handler.fetch(new Request(input, init)));
  };
  await client.connect(httpClientTransport({ url: 'https://weather.example:8443/mcp', fetch }));
  const close = async (): Promise<void> => {
    await client.close();
    await handler.close();
  };
  onTestFinished(close);
  return { client, close, handler, httpSpans };
}

describe.each([older, latest])('over HTTP in $version', (revision) => {
  test('the span of the call is the parent, and that of the HTTP request is linked', async () => {
    const { client, httpSpans } = await connected(revision);
    await client.callTool({ name: 'weather' });
    const [sent, received] = sidesOf('tools/call weather');
    expect(received.parentSpanContext?.spanId).toBe(sent.spanContext().spanId);
    expect(received.links).toHaveLength(1);
    expect(httpSpans).toContain(received.links[0]?.context.spanId);
    const common = {
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'weather',
      'jsonrpc.request.id': '2',
      'mcp.protocol.version': revision.version,
      ...NETWORK,
      ...(revision === older ? { 'mcp.session.id': expect.stringMatching(/^\S{16,}$/) as string } : {}),
    };
    expect(received.attributes).toEqual(common);
    expect(sent.attributes).toEqual({ ...common, ...SERVER_ADDRESS });
    expect(sent.attributes['mcp.session.id']).toBe(received.attributes['mcp.session.id']);
  });

  test('metrics of operations do not have ids', async () => {
    const { client } = await connected(revision);
    await client.listTools();
    const measured = await metrics();
    const common = { 'mcp.method.name': 'tools/list', 'mcp.protocol.version': revision.version, ...NETWORK };
    expect(attributesIn(measured.get('mcp.server.operation.duration'))).toContainEqual(common);
    expect(attributesIn(measured.get('mcp.client.operation.duration'))).toContainEqual({
      ...common,
      ...SERVER_ADDRESS,
    });
  });
});

test('without a trace context in the message, the HTTP request is the parent', async () => {
  const { handler } = await connected(latest);
  const span = api.trace.getTracer('http').startSpan('POST');
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': latest.version,
    'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': latest.version,
      'mcp-method': 'tools/list',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'x', method: 'tools/list', params: { _meta } }),
  });
  const response = await api.context.with(api.trace.setSpan(api.context.active(), span), () => handler.fetch(request));
  expect(response.status).toBe(200);
  const received = spanOf('tools/list', api.SpanKind.SERVER);
  expect(received.parentSpanContext?.spanId).toBe(span.spanContext().spanId);
  expect(received.links).toEqual([]);
});

test('a result that cannot be serialized is an error', async () => {
  const calls = { 'tools/call': () => ({ content: [], structuredContent: { count: 1n as never } }) };
  const { client } = await connected(latest, { server: tracedServer({ handlers: calls }) });
  await expect(client.callTool({ name: 'count' })).rejects.toThrow('Internal error');
  for (const span of sidesOf('tools/call count')) expect(span.attributes['error.type']).toBe('-32603');
});

test('the id of a session is not recorded if an option says so', async () => {
  const server = tracedServer({ handlers }, { recordsSessionId: false });
  const { client } = await connected(older, { server });
  await client.listTools();
  const [sent, received] = sidesOf('tools/list');
  expect(sent.attributes).toHaveProperty(['mcp.session.id']);
  expect(received.attributes).not.toHaveProperty(['mcp.session.id']);
});

test('sessions have a duration, but not requests without one', async () => {
  const sessions = await connected(older);
  await sessions.close();
  const measured = await metrics();
  const attributes = { 'mcp.protocol.version': older.version, ...NETWORK };
  expect(attributesIn(measured.get('mcp.server.session.duration'))).toEqual([attributes]);
  expect(attributesIn(measured.get('mcp.client.session.duration'))).toEqual([{ ...attributes, ...SERVER_ADDRESS }]);
  const sessionless = await connected(older, { sessions: false });
  await sessionless.client.listTools();
  await sessionless.close();
  expect([...(await metrics()).keys()]).not.toContain('mcp.server.session.duration');
});

test('events of the handler become metrics', async () => {
  const { client, handler } = await connected(older, { onEvent: httpMetrics(api) });
  expect((await handler.fetch(new Request('http://localhost/mcp', { method: 'PUT' }))).status).toBe(405);
  const opened = await metrics();
  expect(opened.get('mcpgen.http.server.sessions')?.dataPoints).toMatchObject([{ value: 1, attributes: {} }]);
  expect(opened.get('mcpgen.http.server.refused_requests')?.dataPoints).toMatchObject([
    { value: 1, attributes: { 'http.response.status_code': 405 } },
  ]);
  await client.close();
  await expect.poll(() => handler.load.sessions).toBe(0);
  const closed = await metrics();
  expect(closed.get('mcpgen.http.server.sessions')?.dataPoints).toMatchObject([{ value: -1, attributes: {} }]);
});

test('a factory that throws is a failure', async () => {
  const server = (): never => {
    throw new RangeError('no server');
  };
  await expect(connected(older, { server, onEvent: httpMetrics(api) })).rejects.toThrow();
  expect(attributesIn((await metrics()).get('mcpgen.http.server.failures'))).toEqual([{ 'error.type': 'RangeError' }]);
});

test('generated code does not need the package', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-opentelemetry-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  await generate({ out: folder, revisions: ['2026-07-28'], emit: ['revision', 'opentelemetry'] });
  const options = { strict: true, target: 'es2022', module: 'nodenext', lib: ['es2022', 'dom'].join(), types: [] };
  expect(await compileFiles(folder, ['runtime/opentelemetry.ts'], options)).toEqual([]);
});
