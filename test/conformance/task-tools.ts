/** The tools by which the official suite has tasks made, by name. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ServerContext } from '../../generated/2026-07-28/server.js';
import { ToolError, defineTool, type RegisteredTool } from '../../generated/runtime/registry.js';
import { RpcError, STANDARD_ERROR_CODES } from '../../generated/runtime/jsonrpc/error-codes.js';
import { defineTaskTool, type RegisteredTaskTool, type TaskContext } from '../../generated/runtime/tasks.js';

type Work<State = undefined> = TaskContext<State, ServerContext>;

const confirmation = (message: string) =>
  ({
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message,
      requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] },
    },
  }) as const;

const greet = defineTool({
  name: 'greet',
  description: 'Greets',
  run: ({ name }: Record<string, unknown>) => `Hello, ${String(name)}!`,
});

export const TASK_TOOLS: readonly (RegisteredTool<ServerContext> | RegisteredTaskTool<ServerContext>)[] = [
  greet,
  defineTaskTool({
    name: 'slow_compute',
    description: 'Sleeps for some seconds',
    asTask: ({ seconds }: Record<string, unknown>) => seconds !== 0,
    run: async ({ seconds, label }: Record<string, unknown>, { signal }: Work) => {
      await delay(Number(seconds) * 1000, undefined, { signal });
      return `computed ${String(label)}`;
    },
  }),
  defineTaskTool({
    name: 'failing_job',
    description: 'Fails after a second',
    taskSupport: 'required',
    run: async (_args, { signal }: Work) => {
      await delay(1000, undefined, { signal });
      throw new ToolError('This job always fails.');
    },
  }),
  defineTaskTool({
    name: 'protocol_error_job',
    description: 'Ends with a JSON-RPC error',
    run: () => {
      throw new RpcError(STANDARD_ERROR_CODES.INTERNAL_ERROR, 'The job has crashed.');
    },
  }),
  defineTaskTool({
    name: 'confirm_delete',
    description: 'Asks before it deletes',
    run: async ({ filename }: Record<string, unknown>, { requireInput }: Work) => {
      const { answer } = await requireInput({ answer: confirmation(`Delete ${String(filename)}?`) });
      return answer.content?.confirm === true ? `deleted ${String(filename)}` : 'kept';
    },
  }),
  defineTaskTool({
    name: 'multi_input',
    description: 'Asks for two things at once',
    run: async (_args, { requireInput }: Work) => {
      const answers = await requireInput({ first: confirmation('First?'), second: confirmation('Second?') });
      return JSON.stringify(answers);
    },
  }),
  defineTaskTool({
    name: 'test_tool_with_task',
    description: 'Asks for a name, and then works as a task',
    taskSupport: 'required',
    before: async (_args, context: ServerContext) => {
      const { user_name } = await context.requireInput({
        user_name: {
          method: 'elicitation/create',
          params: {
            mode: 'form',
            message: 'What is your name?',
            requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
          },
        },
      });
      return String(user_name.content?.name);
    },
    run: (_args, task) => `Hello, ${task.state}!`,
  }),
];
