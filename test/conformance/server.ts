/**
 * The server that the official conformance suite is run against: the tools, resources and prompts that it asks for by
 * name, on the generated stubs, over HTTP, in every revision. As a program it prints its URL and serves until it is ended, alone or as a process of a fleet.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { revision as revision20241105 } from '../../generated/2024-11-05/revision.js';
import { revision as revision20250326 } from '../../generated/2025-03-26/revision.js';
import { revision as revision20250618 } from '../../generated/2025-06-18/revision.js';
import { revision as revision20251125 } from '../../generated/2025-11-25/revision.js';
import { createServer, type ServerContext } from '../../generated/2026-07-28/server.js';
import type {
  CallToolRequestParams,
  CallToolResult,
  ContentBlock,
  ElicitRequestFormParams,
  GetPromptResult,
  Resource,
  Tool,
} from '../../generated/2026-07-28/types.js';
import { RpcError, STANDARD_ERROR_CODES } from '../../generated/runtime/jsonrpc/error-codes.js';
import { HttpExtra } from '../../generated/runtime/http/server/extra.js';
import { createTasks } from '../../generated/runtime/tasks.js';
import type { Revision } from '../../generated/runtime/protocol/revision.js';
import { redisTaskStore } from '../../generated/runtime/tasks-redis.js';
import { fleetRedis, REQUEST_STATE, serveMember } from '../cluster/serve-member.js';
import { latest } from '../tasks/revisions.js';
import { TASK_TOOLS } from './task-tools.js';

type Arguments = NonNullable<CallToolRequestParams['arguments']>;

interface OfferedTool {
  readonly description: string;
  readonly inputSchema?: Tool['inputSchema'];
  readonly run: (
    args: Arguments,
    context: ServerContext,
  ) => CallToolResult['content'] | Promise<CallToolResult['content']>;
}

/** A red pixel. */
const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A recording without a sample. */
const AUDIO = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const NO_ARGUMENTS: Tool['inputSchema'] = { type: 'object' };

const text = (content: string): ContentBlock => ({ type: 'text', text: content });

/** A form with one member. */
function form(message: string, name: string, type: 'string' | 'boolean' = 'string'): ElicitRequestFormParams {
  return {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { [name]: { type } as { type: 'string' } }, required: [name] },
  };
}

/** The suite's client answers with these fields. */
const USER = {
  type: 'object',
  properties: { username: { type: 'string' }, email: { type: 'string' } },
  required: ['username', 'email'],
} satisfies ElicitRequestFormParams['requestedSchema'];

const sampling = (question: string) => ({
  method: 'sampling/createMessage' as const,
  params: { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: question } }], maxTokens: 100 },
});

const elicitation = (params: ElicitRequestFormParams) => ({ method: 'elicitation/create' as const, params });

const roots = { method: 'roots/list' as const };

const DEFAULTS: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
};

const CHOICES: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: {
      type: 'string',
      oneOf: [
        { const: 'value1', title: 'First Option' },
        { const: 'value2', title: 'Second Option' },
        { const: 'value3', title: 'Third Option' },
      ],
    },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'value1', title: 'First Choice' },
          { const: 'value2', title: 'Second Choice' },
          { const: 'value3', title: 'Third Choice' },
        ],
      },
    },
  },
};

async function asked(context: ServerContext, params: ElicitRequestFormParams): Promise<ContentBlock[]> {
  const { answer } = await context.requireInput({ answer: elicitation(params) });
  return [text(`action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`)];
}

const TOOLS: Readonly<Record<string, OfferedTool>> = {
  test_simple_text: {
    description: 'Gives a text',
    run: () => [text('This is a simple text response for testing.')],
  },
  test_image_content: {
    description: 'Gives an image',
    run: () => [{ type: 'image', data: IMAGE, mimeType: 'image/png' }],
  },
  test_audio_content: {
    description: 'Gives a recording',
    run: () => [{ type: 'audio', data: AUDIO, mimeType: 'audio/wav' }],
  },
  test_embedded_resource: {
    description: 'Gives a resource',
    run: () => [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  },
  test_multiple_content_types: {
    description: 'Gives a text, an image and a resource',
    run: () => [
      text('Multiple content types test:'),
      { type: 'image', data: IMAGE, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  },
  test_tool_with_logging: {
    description: 'Logs while it runs',
    run: async (_, context) => {
      for (const step of ['started', 'processing', 'completed']) {
        context.log('info', `Tool ${step}`);
        await delay(50);
      }
      return [text('logged')];
    },
  },
  test_logging_tool: {
    description: 'Logs, if the client wants it',
    run: (_, context) => {
      context.log('info', 'it ran');
      return [text('logged')];
    },
  },
  test_tool_with_progress: {
    description: 'Tells of its progress',
    run: async (_, context) => {
      for (const done of [0, 50, 100]) {
        context.progress(done, 100, `${done} of 100`);
        await delay(50);
      }
      return [text('done')];
    },
  },
  test_error_handling: {
    description: 'Fails',
    run: () => {
      throw new Error('This tool intentionally returns an error for testing');
    },
  },
  test_reconnection: {
    description: 'Has the client come back for the result',
    run: async (_, { extra }) => {
      (extra as HttpExtra).closeStream();
      await delay(100);
      return [text('It came back.')];
    },
  },
  test_streaming_elicitation: {
    description: 'Answers by a stream',
    run: (_, { extra }) => {
      (extra as HttpExtra).openStream();
      return [text('streamed')];
    },
  },
  test_sampling: {
    description: 'Asks for a completion',
    inputSchema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    run: async (args, context) => {
      const { answer } = await context.requireInput({ answer: sampling(String(args['prompt'])) });
      return [text(`LLM response: ${JSON.stringify(answer.content)}`)];
    },
  },
  test_missing_capability: {
    description: 'Needs sampling',
    run: async (_, context) => {
      await context.requireInput({ llm_answer: sampling('Say pong') });
      return [text('pong')];
    },
  },
  test_elicitation: {
    description: 'Asks the user',
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    run: (args, context) => asked(context, { mode: 'form', message: String(args['message']), requestedSchema: USER }),
  },
  test_elicitation_sep1034_defaults: {
    description: 'Asks the user, with defaults',
    run: (_, context) => asked(context, { mode: 'form', message: 'Please review', requestedSchema: DEFAULTS }),
  },
  test_elicitation_sep1330_enums: {
    description: 'Has the user choose',
    run: (_, context) => asked(context, { mode: 'form', message: 'Please choose', requestedSchema: CHOICES }),
  },
  test_x_mcp_header: {
    description: 'Has an argument repeated in a header',
    inputSchema: {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, level: { type: 'integer' } },
    },
    run: (args) => [text(`region=${JSON.stringify(args['region'])}`)],
  },
  json_schema_2020_12_tool: {
    description: 'Has keywords of JSON Schema 2020-12',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    run: (args) => [text(JSON.stringify(args))],
  },
  test_input_required_result_elicitation: {
    description: 'Asks for a name',
    run: async (_, context) => {
      const { user_name } = await context.requireInput({
        user_name: elicitation(form('What is your name?', 'name')),
      });
      return [text(`Hello, ${String(user_name.content?.['name'])}!`)];
    },
  },
  test_input_required_result_sampling: {
    description: 'Asks for a capital',
    run: async (_, context) => {
      const { capital_question } = await context.requireInput({
        capital_question: sampling('What is the capital of France?'),
      });
      return [text(JSON.stringify(capital_question.content))];
    },
  },
  test_input_required_result_list_roots: {
    description: 'Asks for roots',
    run: async (_, context) => {
      const { client_roots } = await context.requireInput({ client_roots: roots });
      return [text(client_roots.roots.map(({ uri }) => uri).join(', '))];
    },
  },
  test_input_required_result_request_state: {
    description: 'Keeps a state between rounds',
    run: async (_, context) => {
      await context.requireInput({ confirm: elicitation(form('Please confirm', 'ok', 'boolean')) }, { round: 1 });
      return [text('state-ok')];
    },
  },
  test_input_required_result_multiple_inputs: {
    description: 'Asks for several things at once',
    run: async (_, context) => {
      const { user_name, client_roots } = await context.requireInput(
        {
          user_name: elicitation(form('What is your name?', 'name')),
          greeting: sampling('Generate a greeting'),
          client_roots: roots,
        },
        { round: 1 },
      );
      return [text(`${String(user_name.content?.['name'])}, ${client_roots.roots.length} roots`)];
    },
  },
  test_input_required_result_multi_round: {
    description: 'Asks twice',
    run: async (_, context) => {
      const { step1 } = await context.requireInput(
        { step1: elicitation(form('Step 1: What is your name?', 'name')) },
        { round: 1 },
      );
      const { step2 } = await context.requireInput(
        { step2: elicitation(form('Step 2: What is your favorite color?', 'color')) },
        { round: 2 },
      );
      return [text(`${String(step1.content?.['name'])} likes ${String(step2.content?.['color'])}`)];
    },
  },
  test_input_required_result_tampered_state: {
    description: 'Lets nobody change its state',
    run: async (_, context) => {
      await context.requireInput({ confirm: elicitation(form('Please confirm', 'ok', 'boolean')) }, { round: 1 });
      return [text('integrity-ok')];
    },
  },
  test_input_required_result_capabilities: {
    description: 'Asks for what the client can give',
    run: async (_, context) => {
      const { elicitation: canElicit, sampling: canSample } = context.client.capabilities as Record<string, unknown>;
      if (canElicit !== undefined)
        await context.requireInput({ user_name: elicitation(form('What is your name?', 'name')) });
      if (canSample !== undefined) await context.requireInput({ greeting: sampling('Generate a greeting') });
      return [text('asked')];
    },
  },
  test_trigger_tool_change: {
    description: 'Tells of a change of the tools',
    run: () => {
      server.notify('notifications/tools/list_changed');
      return [text('told')];
    },
  },
  test_trigger_prompt_change: {
    description: 'Tells of a change of the prompts',
    run: () => {
      server.notify('notifications/prompts/list_changed');
      return [text('told')];
    },
  },
};

const RESOURCES: readonly Resource[] = [
  { name: 'static-text', uri: 'test://static-text', mimeType: 'text/plain' },
  { name: 'static-binary', uri: 'test://static-binary', mimeType: 'image/png' },
  { name: 'watched-resource', uri: 'test://watched-resource', mimeType: 'text/plain' },
];

const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

function read(uri: string) {
  const id = TEMPLATE.exec(uri)?.[1];
  if (id !== undefined)
    return {
      uri,
      mimeType: 'application/json',
      text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    };
  const resource = RESOURCES.find((offered) => offered.uri === uri);
  if (resource === undefined) return undefined;
  const { mimeType = 'text/plain' } = resource;
  return mimeType === 'image/png'
    ? { uri, mimeType, blob: IMAGE }
    : { uri, mimeType, text: `This is the content of ${resource.name}.` };
}

type Prompting = (
  args: Readonly<Record<string, string>>,
  context: ServerContext,
) => GetPromptResult['messages'] | Promise<GetPromptResult['messages']>;

const user = (...blocks: ContentBlock[]): GetPromptResult['messages'] =>
  blocks.map((content) => ({ role: 'user', content }));

const PROMPTS: Readonly<Record<string, { readonly args?: readonly string[]; readonly messages: Prompting }>> = {
  test_simple_prompt: { messages: () => user(text('This is a simple prompt for testing.')) },
  test_prompt_with_arguments: {
    args: ['arg1', 'arg2'],
    messages: ({ arg1, arg2 }) => user(text(`Prompt with arguments: arg1='${arg1 ?? ''}', arg2='${arg2 ?? ''}'`)),
  },
  test_prompt_with_embedded_resource: {
    args: ['resourceUri'],
    messages: ({ resourceUri = '' }) =>
      user(
        {
          type: 'resource',
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
        text('Please process the embedded resource above.'),
      ),
  },
  test_prompt_with_image: {
    messages: () =>
      user({ type: 'image', data: IMAGE, mimeType: 'image/png' }, text('Please analyze the image above.')),
  },
  test_input_required_result_prompt: {
    messages: async (_, context) => {
      const { user_context } = await context.requireInput({
        user_context: elicitation(form('What context should the prompt use?', 'context')),
      });
      return user(text(`Use the following context: ${String(user_context.content?.['context'])}`));
    },
  },
};

function unknown(what: string): RpcError {
  return new RpcError(STANDARD_ERROR_CODES.INVALID_PARAMS, `Unknown ${what}`);
}

/** MCP up to 2025-11-25 has a separate error code for a missing resource. */
const RESOURCE_NOT_FOUND = -32002;

/** 2026-07-28 as it was generated with the extension for tasks: a module, by its path. */
const generated = process.env['MCPGEN_TASKS_REVISION'];
const revision20260728 =
  generated === undefined ? latest : ((await import(generated)) as { readonly revision: Revision }).revision;

/** Shared by all processes of a fleet, if this is one of them. */
const redis = await fleetRedis();
const tasks = createTasks({ pollIntervalMs: 200, store: redis && redisTaskStore(redis) });
const taskHandlers = tasks.toolHandlers(TASK_TOOLS);

export const server = createServer({
  info: { name: 'mcpgen-conformance', version: '1.0.0' },
  ...(redis === undefined ? {} : { requestState: REQUEST_STATE }),
  revisions: [revision20241105, revision20250326, revision20250618, revision20251125, revision20260728],
  capabilities: {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- older revisions have no other way to log
    logging: {},
  },
  extensions: [tasks],
  handlers: {
    // As a stream, so that the suite sees several at once.
    'tools/list': (_, context) => {
      if (context.extra instanceof HttpExtra) context.extra.openStream();
      const tools = Object.entries(TOOLS).map(([name, { description, inputSchema = NO_ARGUMENTS }]) => ({
        name,
        description,
        inputSchema,
      }));
      return { tools: [...tools, ...taskHandlers['tools/list']({}, context).tools] };
    },
    'tools/call': async (params, context) => {
      const { name, arguments: args = {} } = params;
      const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
      if (tool === undefined) return taskHandlers['tools/call'](params, context);
      if (name !== 'test_error_handling') return { content: await tool.run(args, context) };
      try {
        return { content: await tool.run(args, context) };
      } catch (error) {
        return { content: [text((error as Error).message)], isError: true };
      }
    },
    'resources/list': () => ({ resources: [...RESOURCES] }),
    'resources/templates/list': () => ({
      resourceTemplates: [{ name: 'template', uriTemplate: 'test://template/{id}/data', mimeType: 'application/json' }],
    }),
    'resources/read': ({ uri }, context) => {
      const contents = read(uri);
      if (contents !== undefined) return { contents: [contents] };
      const isModern = context.revision >= revision20260728.version;
      throw new RpcError(isModern ? STANDARD_ERROR_CODES.INVALID_PARAMS : RESOURCE_NOT_FOUND, 'Resource not found', {
        uri,
      });
    },
    'prompts/list': () => ({
      prompts: Object.entries(PROMPTS).map(([name, { args = [] }]) => ({
        name,
        description: `Prompt ${name}`,
        arguments: args.map((argument) => ({ name: argument, required: true })),
      })),
    }),
    'prompts/get': async ({ name, arguments: args = {} }, context) => {
      const prompt = Object.hasOwn(PROMPTS, name) ? PROMPTS[name] : undefined;
      if (prompt === undefined) throw unknown('prompt');
      return { messages: await prompt.messages(args, context) };
    },
    'completion/complete': () => ({ completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false } }),
  },
});

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await serveMember({ server }, redis);
}
