import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { revision as revision20241105 } from '../../generated/2024-11-05/revision.js';
import { createClient } from '../../generated/2025-11-25/client.js';
import { revision as revision20251125 } from '../../generated/2025-11-25/revision.js';
import type { RpcError } from '../../generated/runtime/jsonrpc/error-codes.js';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import { INVALID_PARAMS } from './codes.js';
import { FixtureClient } from './peers/fixture-peers.js';

const PROGRAM = path.resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

// The reference server, which takes its port from the environment, with what it offers of each feature.
describe.each([
  { mode: 'streamableHttp', at: 'mcp' },
  { mode: 'sse', at: 'sse' },
])('the reference server over $mode', ({ mode, at }) => {
  const household = new FixtureClient();
  const updated: string[] = [];
  let logged = 0;
  let child: ReturnType<typeof spawn> | undefined;
  const client = createClient({
    info: { name: 'visitor', version: '1.0.0' },
    revisions: [revision20241105, revision20251125],
    capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } },
    handlers: {
      'roots/list': () => ({ roots: [{ uri: 'file:///garden', name: 'Garden' }] }),
      'sampling/createMessage': (params) => household.answer('sampling/createMessage', params) as never,
      'elicitation/create': () => ({ action: 'accept', content: { name: 'Rose', check: true } }),
    },
    notifications: {
      'notifications/resources/updated': ({ uri }) => void updated.push(uri),
      'notifications/message': () => {
        logged += 1;
      },
    },
  });
  const textOf = async (name: string, given: Record<string, unknown> = {}): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: given });
    return content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');
  };

  beforeAll(async () => {
    const port = await freePort();
    child = spawn(process.execPath, [PROGRAM, mode], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const { stderr } = child;
    await new Promise<void>((resolve) => {
      stderr?.on('data', (chunk) => {
        if (String(chunk).includes('port')) resolve();
      });
    });
    await client.connect(httpClientTransport({ url: `http://127.0.0.1:${port}/${at}` }));
  });
  afterAll(async () => {
    await client.close();
    child?.kill();
  });

  test('serves tools', async () => {
    expect(client.revision).toBe('2025-11-25');
    expect(await client.ping()).toEqual({});
    const names: string[] = [];
    for await (const tool of client.listAllTools()) names.push(tool.name);
    expect(names).toContain('echo');
    expect(await textOf('echo', { message: 'roses' })).toBe('Echo: roses');
    expect((await client.callTool({ name: 'get-sum', arguments: { a: 'two' } })).isError).toBe(true);
    const error = await client.getPrompt({ name: 'none' }).catch((thrown: unknown) => thrown);
    expect((error as RpcError).code).toBe(INVALID_PARAMS);
  });

  test('serves resources and prompts', async () => {
    const uri = 'demo://resource/dynamic/text/1';
    expect((await client.readResource({ uri })).contents[0]?.uri).toBe(uri);
    const { messages } = await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Lund' } });
    expect(JSON.stringify(messages)).toContain('Lund');
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: '' },
    });
    expect(completion.values.length).toBeGreaterThan(0);
  });

  test('progress', async () => {
    const steps: number[] = [];
    await client.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 1, steps: 3 } },
      { onProgress: ({ progress }) => void steps.push(progress) },
    );
    expect(steps).toEqual([1, 2, 3]);
  });

  test('what the server asks for', async () => {
    expect(await textOf('get-roots-list')).toContain('file:///garden');
    expect(await textOf('trigger-sampling-request', { prompt: 'roses' })).toContain('by-hand');
    expect(await textOf('trigger-elicitation-request')).toContain('Rose');
  });

  test('what the server tells by its own stream', async () => {
    const uri = 'demo://resource/dynamic/text/1';
    await client.subscribe({ uri });
    await textOf('toggle-subscriber-updates');
    await until(() => updated.includes(uri));
    await textOf('toggle-subscriber-updates');
    await client.unsubscribe({ uri });
    await client.setLevel({ level: 'debug' });
    await textOf('toggle-simulated-logging');
    await until(() => logged > 0);
    await textOf('toggle-simulated-logging');
  });
});
