/** Results that the client follows, and those that it returns. */
import { describe, expect, test } from 'vitest';
import { createClient } from '../../generated/2026-07-28/client.js';
import { createServer } from '../../generated/2026-07-28/server.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import type { Revision } from '../../generated/runtime/protocol/revision.js';
import { loadProtocol, render } from '../../generator/index.js';
import { latest } from '../tasks/revisions.js';
import { reports, REVISION, TASKS } from './support.js';

/** Adds a further result with the `resultType` of tasks. */
function withJob(catalog: Record<string, unknown>, own: Record<string, unknown>, followed?: true): void {
  own['JobResult'] = {
    allOf: [
      { $ref: '#/$defs/Result' },
      { type: 'object', properties: { resultType: { const: 'task' } }, required: ['resultType'] },
    ],
  };
  catalog['results'] = [{ method: 'prompts/get', result: 'JobResult', ...(followed && { followed }) }];
}

describe('the type of a client method', () => {
  test('lacks the task that is followed, and has the result of a vendor with the same resultType', async () => {
    const protocol = await loadProtocol({ revision: REVISION, extensions: [TASKS], extend: [reports(withJob)] });
    const files = await render(protocol, '.', { emit: ['client'] });
    const text = files.find(({ path }) => path === `${REVISION}/client.ts`)?.contents ?? '';
    expect(text).toMatch(/callTool\([^]*?\): Promise<CallToolResult> \{/);
    expect(text).toMatch(/getPrompt\([^]*?\): Promise<GetPromptResult \| JobResult> \{/);
  });

  test('cannot leave out the result of a vendor', async () => {
    const extend = [
      reports((catalog, own) => {
        withJob(catalog, own, true);
      }),
    ];
    await expect(loadProtocol({ revision: REVISION, extend })).rejects.toMatchObject({
      message: 'prompts/get: the runtime cannot follow JobResult to a final result',
      place: 'catalog.json#/results/0/followed',
    });
  });
});

describe('a client without `tasks`', () => {
  const info = { name: 'test', version: '1' };
  async function call(
    revision: Revision,
    capabilities: object,
    send: (client: ReturnType<typeof createClient>) => Promise<object>,
  ): Promise<unknown> {
    const result = (): never => ({ resultType: 'task', taskId: 'a', status: 'working' }) as never;
    const server = createServer({
      info,
      revisions: [revision],
      handlers: { 'tools/call': result, 'prompts/get': result },
    });
    const client = createClient({ info, revisions: [revision], capabilities });
    const [serverSide, clientSide] = memoryPair();
    await server.connect(serverSide);
    await client.connect(clientSide);
    const outcome = await send(client).catch((error: unknown) => error);
    await client.close();
    return outcome;
  }
  const declared = { extensions: { [TASKS]: {} } };

  test('rejects a task, even if it declares the extension', async () => {
    const revision = { ...latest, extensions: [TASKS] };
    expect(await call(revision, declared, (client) => client.callTool({ name: 'a' }))).toMatchObject({
      name: 'InvalidResultError',
      message: expect.stringContaining('create the client with `tasks: clientTasks()`') as unknown,
    });
  });

  test('returns the result of another extension with the same resultType', async () => {
    for (const extensions of [[TASKS, 'com.example/jobs'], ['com.example/jobs']])
      expect(
        await call({ ...latest, extensions }, declared, (client) => client.getPrompt({ name: 'a' })),
      ).toMatchObject({ resultType: 'task', taskId: 'a' });
    expect(
      await call({ ...latest, extensions: ['com.example/jobs'] }, declared, (client) => client.callTool({ name: 'a' })),
    ).toMatchObject({ resultType: 'task' });
  });
});
