/** Typical mistakes of authors: what the compiler says about each is in `type-mistakes.md`. */
export interface Mistake {
  /** What is wrong. */
  readonly title: string;
  /** The code, after {@link PRELUDE}. */
  readonly code: string;
}

export const PRELUDE = `import { createServer, type ServerContext } from './generated/2026-07-28/server.js';
import { createClient } from './generated/2026-07-28/client.js';
import {
  definePrompt,
  defineResourceTemplate,
  defineTool,
  promptHandlers,
  resourceHandlers,
  toolHandlers,
} from './generated/runtime/registry.js';
import { noteInput, noteOutput } from './generated/tools/note.js';
const info = { name: 'notes', version: '1.0.0' };
`;

/** The schemas of the tool that the mistakes use. */
export const NOTE_INPUT = {
  type: 'object',
  properties: { title: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
  required: ['title'],
};
export const NOTE_OUTPUT = {
  type: 'object',
  properties: { id: { type: 'string' }, priority: { type: 'integer' } },
  required: ['id', 'priority'],
};

/** The output schema of another tool, and code with it that compiles: literals match its lists of values. */
export const MEMO_OUTPUT = {
  type: 'object',
  properties: {
    priority: { enum: ['low', 'high'] },
    tags: { type: 'array', items: { type: 'string' } },
    pairs: { type: 'array', items: { type: 'object', properties: { kind: { enum: ['a', 'b'] } }, required: ['kind'] } },
  },
  required: ['priority'],
};
export const CORRECT = `import { memoOutput, type MemoOutput } from './generated/tools/memo.js';
import { defineTaskTool } from './generated/runtime/tasks.js';
declare const memo: MemoOutput;
declare const tags: string[];
const output = memoOutput;
export const tools = [
  defineTool({ name: 'a', output, run: () => ({ structuredContent: { priority: 'low', tags: ['x'] } }) }),
  defineTool({ name: 'b', output, run: async () => ({ structuredContent: { priority: 'low', tags: ['x'] } }) }),
  defineTool({ name: 'c', output, run: (args) => ({ structuredContent: { priority: args['x'] ? 'low' : 'high', tags } }) }),
  defineTool({ name: 'd', output, run: () => ({ structuredContent: memo }) }),
  defineTool({ name: 'text', run: () => Promise.resolve().then(() => 'text') }),
  defineTool({
    name: 'e',
    input: noteInput,
    output,
    run: async ({ title }, context: ServerContext) => {
      context.log('info', title);
      if (title === '') return { isError: true, content: [{ type: 'text', text: 'No title.' }] };
      return { structuredContent: { priority: 'high', pairs: [{ kind: 'a' }, { kind: 'b' }] } };
    },
  }),
];
export const task = defineTaskTool({ name: 'f', output, run: () => ({ structuredContent: { priority: 'low', tags: ['x'] } }) });
`;

export const MISTAKES: readonly Mistake[] = [
  {
    title: 'Structured content lacks a member',
    code: `defineTool({ name: 'note', input: noteInput, output: noteOutput, run: () => ({ structuredContent: { id: '1' } }) });`,
  },
  {
    title: 'Structured content of an async tool lacks a member',
    code: `defineTool({
  name: 'note',
  input: noteInput,
  output: noteOutput,
  run: async () => ({ structuredContent: { id: '1' } }),
});`,
  },
  {
    title: 'A member of structured content has another type',
    code: `defineTool({
  name: 'note',
  input: noteInput,
  output: noteOutput,
  run: () => ({ structuredContent: { id: '1', priority: 'high' } }),
});`,
  },
  {
    title: 'A tool with an output schema returns a text',
    code: `defineTool({ name: 'note', input: noteInput, output: noteOutput, run: () => 'saved' });`,
  },
  {
    title: 'The structured content is returned without a result around it',
    code: `defineTool({ name: 'note', input: noteInput, output: noteOutput, run: () => ({ id: '1', priority: 1 }) });`,
  },
  {
    title: 'A JSON Schema is passed as the input',
    code: `defineTool({
  name: 'note',
  input: { type: 'object', properties: { title: { type: 'string' } } },
  run: ({ title }) => String(title),
});`,
  },
  {
    title: 'A tool uses an argument that its schema does not have',
    code: `defineTool({ name: 'note', input: noteInput, run: ({ text }) => text });`,
  },
  {
    title: 'A tool uses an optional argument without a check',
    code: `defineTool({ name: 'note', input: noteInput, run: ({ tags }) => tags.join() });`,
  },
  {
    title: 'A tool returns a number',
    code: `defineTool({ name: 'note', run: () => 42 });`,
  },
  {
    title: 'A member of a definition is misspelled',
    code: `defineTool({ name: 'note', descripton: 'Writes a note.', run: () => 'saved' });`,
  },
  {
    title: 'The text of a content block is missing',
    code: `defineTool({ name: 'note', run: () => ({ content: [{ type: 'text' }] }) });`,
  },
  {
    title: 'The type of a content block is misspelled',
    code: `defineTool({ name: 'note', run: () => ({ content: [{ type: 'txt', text: 'saved' }] }) });`,
  },
  {
    title: 'A definition is passed without a list',
    code: `const note = defineTool({ name: 'note', run: () => 'saved' });
toolHandlers(note);`,
  },
  {
    title: 'A method is misspelled',
    code: `createServer({ info, handlers: { 'tools/cal': () => ({ content: [] }) } });`,
  },
  {
    title: 'The handler of tools/list returns a list',
    code: `createServer({ info, handlers: { 'tools/list': () => [{ name: 'note', inputSchema: { type: 'object' } }] } });`,
  },
  {
    title: 'A listed tool lacks its schema',
    code: `createServer({ info, handlers: { 'tools/list': () => ({ tools: [{ name: 'note' }] }) } });`,
  },
  {
    title: 'A capability is misspelled',
    code: `createServer({ info, capabilities: { loging: {} }, handlers: {} });`,
  },
  {
    title: 'A log level is unknown',
    code: `defineTool({
  name: 'note',
  run: (_args, context: ServerContext) => {
    context.log('warn', 'late');
    return 'saved';
  },
});`,
  },
  {
    title: 'A log level is unknown, without the type of the context',
    code: `defineTool({
  name: 'note',
  run: (_args, { log }) => {
    log('warn', 'late');
    return 'saved';
  },
});`,
  },
  {
    title: 'A notification is misspelled',
    code: `const server = createServer({ info, handlers: {} });
server.notify('notifications/tools/listChanged');`,
  },
  {
    title: 'A form has no type',
    code: `export async function ask(context: ServerContext) {
  await context.requireInput({
    form: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: { properties: {} } } },
  });
}`,
  },
  {
    title: 'Elicited content is read without a check of the action',
    code: `export async function ask(context: ServerContext) {
  const { form } = await context.requireInput({
    form: {
      method: 'elicitation/create',
      params: { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
    },
  });
  return form.content.name;
}`,
  },
  {
    title: 'A prompt uses an argument that it does not declare',
    code: `promptHandlers([definePrompt({ name: 'sum-up', arguments: [{ name: 'note' }], render: ({ text }) => text })]);`,
  },
  {
    title: 'A template completes a variable that it does not have',
    code: `defineResourceTemplate({ uriTemplate: 'note://{id}', name: 'note', complete: { it: () => [] }, read: () => '' });`,
  },
  {
    title: 'A template reads a variable that it does not have',
    code: `resourceHandlers([defineResourceTemplate({ uriTemplate: 'note://{id}', name: 'note', read: ({ it }) => it })]);`,
  },
  {
    title: 'A client calls a tool without its name',
    code: `await createClient({ info }).callTool({ arguments: { title: 'x' } });`,
  },
  {
    title: 'A client passes arguments next to the name',
    code: `await createClient({ info }).callTool({ name: 'note', title: 'x' });`,
  },
  {
    title: 'A client reads the text of a block of any type',
    code: `const { content } = await createClient({ info }).callTool({ name: 'note' });
console.log(content[0].text);`,
  },
  {
    title: 'A client answers a form with an unknown action',
    code: `createClient({ info, handlers: { 'elicitation/create': () => ({ action: 'ok' }) } });`,
  },
  {
    title: 'A client names revisions as texts',
    code: `createClient({ info, revisions: ['2025-11-25'] });`,
  },
];
