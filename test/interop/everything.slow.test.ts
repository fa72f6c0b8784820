import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../generated/2025-11-25/client.js';
import type { LoggingMessageNotificationParams } from '../../generated/2025-11-25/types.js';
import { RpcError } from '../../generated/runtime/jsonrpc/error-codes.js';
import { stdioClientTransport } from '../../generated/runtime/stdio-client.js';
import { FixtureClient } from './peers/fixture-peers.js';
import { INVALID_PARAMS } from './codes.js';

// The reference server, with what it offers of each feature; our client as it is generated, with its types.
const household = new FixtureClient();
const updated: string[] = [];
const logged: LoggingMessageNotificationParams[] = [];
const client = createClient({
  info: { name: 'visitor', version: '1.0.0' },
  capabilities: {
    roots: { listChanged: true },
    sampling: {},
    elicitation: { form: {}, url: {} },
    tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } },
  },
  handlers: {
    'roots/list': () => ({ roots: [{ uri: 'file:///garden', name: 'Garden' }] }),
    'sampling/createMessage': (params) => household.answer('sampling/createMessage', params) as never,
    'elicitation/create': () => ({ action: 'accept', content: { name: 'Rose', check: true } }),
    'tasks/get': (params) => household.answer('tasks/get', params) as never,
    'tasks/result': (params) => household.answer('tasks/result', params),
    'tasks/list': (params) => household.answer('tasks/list', params) as never,
    'tasks/cancel': (params) => household.answer('tasks/cancel', params) as never,
  },
  notifications: {
    'notifications/resources/updated': ({ uri }) => void updated.push(uri),
    'notifications/message': (params) => void logged.push(params),
  },
});

beforeAll(() =>
  client.connect(
    stdioClientTransport({
      command: process.execPath,
      args: [path.resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js')],
      stderr: 'ignore',
    }),
  ),
);
afterAll(() => client.close());

async function textOf(name: string, given: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: given });
  return content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('pings', async () => {
  expect(client.revision).toBe('2025-11-25');
  expect(client.server.info?.name).toContain('everything');
  expect(await client.ping()).toEqual({});
});

test('tools', async () => {
  const names = new Set<string>();
  for await (const tool of client.listAllTools()) names.add(tool.name);
  expect(names).toContain('echo');
  expect(names).toContain('get-roots-list');
  expect(await textOf('echo', { message: 'roses' })).toBe('Echo: roses');
  expect(await textOf('get-sum', { a: 2, b: 3.5 })).toContain('5.5');
  expect(await textOf('get-tiny-image')).toContain('image');
  const { structuredContent } = await client.callTool({
    name: 'get-structured-content',
    arguments: { location: 'Chicago' },
  });
  expect(Object.keys(structuredContent ?? {}).sort()).toEqual(['conditions', 'humidity', 'temperature']);
});

test('errors', async () => {
  expect((await client.callTool({ name: 'get-sum', arguments: { a: 'two' } })).isError).toBe(true);
  const error = await client.getPrompt({ name: 'none' }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RpcError);
  expect((error as RpcError).code).toBe(INVALID_PARAMS);
});

test('reads resources', async () => {
  const uris: string[] = [];
  for await (const { uri } of client.listAllResources()) uris.push(uri);
  expect(uris.length).toBeGreaterThan(0);
  const templates = [];
  for await (const { uriTemplate } of client.listAllResourceTemplates()) templates.push(uriTemplate);
  expect(templates.length).toBeGreaterThan(0);
  const uri = 'demo://resource/dynamic/text/1';
  expect((await client.readResource({ uri })).contents[0]?.uri).toBe(uri);
  expect(await client.subscribe({ uri })).toEqual({});
  await textOf('toggle-subscriber-updates');
  await until(() => updated.includes(uri));
  await textOf('toggle-subscriber-updates');
  expect(await client.unsubscribe({ uri })).toEqual({});
});

test('gets prompts', async () => {
  const names: string[] = [];
  for await (const { name } of client.listAllPrompts()) names.push(name);
  expect(names).toContain('args-prompt');
  const { messages } = await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Lund' } });
  expect(JSON.stringify(messages)).toContain('Lund');
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'completable-prompt' },
    argument: { name: 'department', value: '' },
  });
  expect(completion.values.length).toBeGreaterThan(0);
});

test('logging', async () => {
  await client.setLevel({ level: 'debug' });
  await textOf('toggle-simulated-logging');
  await until(() => logged.length > 0);
  await textOf('toggle-simulated-logging');
});

test('handles requests of the server', async () => {
  expect(await textOf('get-roots-list')).toContain('file:///garden');
  expect(await textOf('trigger-sampling-request', { prompt: 'roses', maxTokens: 10 })).toContain('Roses by the wall.');
  expect(await textOf('trigger-elicitation-request')).toContain('Rose');
});

test('reports progress', async () => {
  const steps: number[] = [];
  await client.callTool(
    { name: 'trigger-long-running-operation', arguments: { duration: 0.4, steps: 4 } },
    { onProgress: ({ progress }) => steps.push(progress) },
  );
  // The last one comes in one piece with the answer or not at all, as that server is written.
  expect(steps.slice(0, 3)).toEqual([1, 2, 3]);
  const controller = new AbortController();
  const reason = new Error('enough');
  const call = client.callTool(
    { name: 'trigger-long-running-operation', arguments: { duration: 20, steps: 100 } },
    {
      signal: controller.signal,
      onProgress: () => {
        controller.abort(reason);
      },
    },
  );
  await expect(call).rejects.toBe(reason);
  expect(await client.ping()).toEqual({});
});

test('runs tasks', async () => {
  const { task } = await client.callTool({
    name: 'simulate-research-query',
    arguments: { topic: 'roses', ambiguous: false },
    task: { ttl: 60_000 },
  });
  expect((await client.getTask({ taskId: task.taskId })).taskId).toBe(task.taskId);
  expect((await client.listTasks()).tasks.map(({ taskId }) => taskId)).toContain(task.taskId);
  expect(JSON.stringify(await client.getTaskPayload({ taskId: task.taskId }))).toContain('roses');
  const { task: other } = await client.callTool({
    name: 'simulate-research-query',
    arguments: { topic: 'herbs', ambiguous: false },
    task: { ttl: 60_000 },
  });
  expect((await client.cancelTask({ taskId: other.taskId })).status).toBe('cancelled');
});
