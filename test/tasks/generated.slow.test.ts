import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build } from 'esbuild';
import { generateWithTasks } from './generated.js';
import { NODE_22, REPOSITORY } from './sqlite.js';

// A project of an author: generated with the extension, compiled, and run.

let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(path.join(REPOSITORY, 'node_modules', '.tasks-'));
  await generateWithTasks(path.join(folder, 'out'));
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'ES2023',
        module: 'NodeNext',
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noPropertyAccessFromIndexSignature: true,
        verbatimModuleSyntax: true,
        noEmit: true,
        types: ['node'],
        typeRoots: [path.join(REPOSITORY, 'node_modules/@types')],
      },
      include: ['*.ts', 'out/runtime/*.ts'],
    }),
  );
}, 120_000);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const PROGRAM = `
import { createClient } from './out/2026-07-28/client.js';
import { revision as latest } from './out/2026-07-28/revision.js';
import { revision as older } from './out/2025-11-25/revision.js';
import { createServer, type ServerContext } from './out/2026-07-28/server.js';
import type { CallToolResult } from './out/2026-07-28/types.js';
import { memoryPair } from './out/runtime/memory.js';
import { createTasks, defineTaskTool, type TaskContext } from './out/runtime/tasks.js';
import { callToolAsTask, clientTasks, resumeTask } from './out/runtime/task-client.js';

const book = defineTaskTool({
  name: 'book',
  before: async (_args, context: ServerContext) => {
    const { user } = await context.requireInput({
      user: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: 'Name?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        },
      },
    });
    const name: string | undefined = user.content?.name;
    return { name: name ?? 'nobody' };
  },
  run: async (_args, task) => {
    const name: string = task.state.name;
    // @ts-expect-error -- not a member of what before returns
    void (() => task.state.age);
    const { more } = await task.requireInput({ more: { method: 'roots/list' } });
    const uris: string[] = more.roots.map(({ uri }) => uri);
    return name + ' ' + uris.join();
  },
});
const plain = defineTaskTool({
  name: 'plain',
  run: (_args, task: TaskContext<undefined, ServerContext>) => {
    // @ts-expect-error -- there is no state
    void (() => task.state.name);
    return 'plain';
  },
});
// @ts-expect-error -- neither optional nor required
defineTaskTool({ name: 'x', taskSupport: 'forbidden', run: () => '' });
// @ts-expect-error -- a number is no outcome
defineTaskTool({ name: 'x', run: () => 5 });

const tasks = createTasks({ pollIntervalMs: 20 });
const info = { name: 'typed', version: '1' };
const server = createServer({
  info,
  revisions: [latest, older],
  handlers: tasks.toolHandlers([book, plain]),
  extensions: [tasks],
});
for (const revision of [latest, older]) {
  const [one, other] = memoryPair();
  await server.connect(other);
  const client = createClient({
    info,
    revisions: [revision],
    tasks: clientTasks({ preferTasks: true }),
    handlers: {
      'elicitation/create': () => ({ action: 'accept', content: { name: 'Ann' } }),
      'roots/list': () => ({ roots: [{ uri: 'file:///a' }] }),
    },
  });
  await client.connect(one);
  const result = await client.callTool({ name: 'book' });
  const content: CallToolResult['content'] = result.content;
  const task = await callToolAsTask(client, { name: 'plain' });
  const id: string | undefined = task.id;
  const resumed: CallToolResult = await resumeTask(client, id ?? '').result();
  console.log(client.revision, JSON.stringify(content), JSON.stringify(resumed.content));
  const states = await client.request('tasks/get', { taskId: id });
  console.log((states as { status: string }).status, JSON.stringify(client.server.capabilities));
  if (revision === latest)
    await client.request('tasks/update', { taskId: id, inputResponses: { unknown: { anything: 1 } } });
  // An id that is not a string does not reach the handler.
  await client.request('tasks/get', { taskId: 5 }).catch((error) => console.log(error.code, error.message));
  await client.close();
}
await tasks.close();
await server.close();
`;

test('an author sees the types of arguments, state, inputs and results', { timeout: 120_000 }, async () => {
  writeFileSync(path.join(folder, 'program.ts'), PROGRAM);
  const tsc = path.join(REPOSITORY, 'node_modules/typescript-7/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(stdout).toBe('');
});

test('server and client with the generated revision', { timeout: 60_000 }, async () => {
  writeFileSync(path.join(folder, 'program.ts'), PROGRAM);
  const file = path.join(folder, 'program.mjs');
  await build({
    entryPoints: [path.join(folder, 'program.ts')],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const { stdout } = await promisify(execFile)(NODE_22, [file]);
  const text = '[{"type":"text","text":"Ann file:///a"}] [{"type":"text","text":"plain"}]';
  const core = '{"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}},"tools":{}}';
  expect(stdout.trim().split('\n')).toEqual([
    `2026-07-28 ${text}`,
    'completed {"extensions":{"io.modelcontextprotocol/tasks":{}},"tools":{}}',
    '-32602 Invalid params: /taskId is wrong (GetTaskRequest): expected a string, found 5',
    `2025-11-25 ${text}`,
    `completed ${core}`,
    '-32602 Invalid params: /taskId is wrong (GetTaskRequest): expected a string, found 5',
  ]);
});
