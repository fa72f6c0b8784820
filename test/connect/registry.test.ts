import { describe, expect, test } from 'vitest';
import { createServer as createServer20241105 } from '../../generated/2024-11-05/server.js';
import { createServer as createServer20250326 } from '../../generated/2025-03-26/server.js';
import { createServer as createServer20250618 } from '../../generated/2025-06-18/server.js';
import { createServer as createServer20251125, type ServerContext } from '../../generated/2025-11-25/server.js';
import { createServer as createServer20260728 } from '../../generated/2026-07-28/server.js';
import { createClient as createClient20241105 } from '../../generated/2024-11-05/client.js';
import { createClient as createClient20250326 } from '../../generated/2025-03-26/client.js';
import { createClient as createClient20250618 } from '../../generated/2025-06-18/client.js';
import { createClient as createClient20251125 } from '../../generated/2025-11-25/client.js';
import { createClient as createClient20260728 } from '../../generated/2026-07-28/client.js';
import type { BaseClient } from '../../generated/runtime/client.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import {
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  promptHandlers,
  resourceHandlers,
  ToolError,
  toolHandlers,
  type TypedSchema,
} from '../../generated/runtime/registry.js';

const NAME: TypedSchema<{ name: string }> = {
  schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  validate: (value) =>
    typeof (value as { name?: unknown }).name === 'string'
      ? { success: true, value: value as { name: string } }
      : {
          success: false,
          failure: { path: '/name', reason: 'missing', expected: 'a string', found: 'nothing' },
        },
};

const greet = defineTool({
  name: 'greet',
  description: 'Greets somebody.',
  input: NAME,
  run: ({ name }, { revision }) => {
    if (name === 'nobody') throw new ToolError('There is nobody to greet.');
    return `Hello, ${name}! (${revision})`;
  },
});
const sound = defineTool({
  name: 'sound',
  run: () => ({
    content: [
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'note://1', name: 'note' },
    ],
  }),
});
const count = defineTool({
  name: 'count',
  output: {
    schema: { type: 'object' },
    validate: (value) =>
      typeof (value as { n?: unknown } | undefined)?.n === 'number'
        ? { success: true, value: value as object }
        : {
            success: false,
            failure: { path: '/n', reason: 'value', expected: 'a number', found: 'nothing' },
          },
  },
  run: ({ n }) => ({ structuredContent: { n } }),
});
const crash = defineTool({
  name: 'crash',
  run: () => {
    throw new Error('the password is swordfish');
  },
});
/** The generated context has the revision's own types. */
const ask = defineTool({
  name: 'ask',
  run: async (_args, context: ServerContext) => {
    const { who } = await context.requireInput({
      who: {
        method: 'elicitation/create',
        params: { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
      },
    });
    return who.action === 'accept' ? String(who.content.name) : 'nobody';
  },
});
const tools = [greet, sound, count, crash];

const readme = defineResource({
  uri: 'note://readme',
  name: 'readme',
  mimeType: 'text/plain',
  read: () => 'Read me.',
});
const bytes = defineResource({ uri: 'note://bytes', name: 'bytes', read: () => new Uint8Array([0, 255]) });
const note = defineResourceTemplate({
  uriTemplate: 'note://{folder}/{+path}.md',
  name: 'note',
  complete: { folder: (typed) => ['drafts', 'done'].filter((name) => name.startsWith(typed)) },
  read: ({ folder, path }) => (folder === 'drafts' ? `${folder}: ${path}` : undefined),
});
const resources = [readme, bytes, note];

const review = definePrompt({
  name: 'review',
  description: 'Reviews code.',
  arguments: [{ name: 'code', required: true }, { name: 'language' }],
  complete: { language: (typed) => Array.from({ length: 130 }, (_, index) => `${typed}-${index}`) },
  render: ({ code, language }) => `Review this ${language ?? 'code'}: ${code}`,
});
const prompts = [review];

const handlers = {
  ...toolHandlers(tools),
  ...resourceHandlers(resources),
  ...promptHandlers(prompts),
};
const info = { name: 'registry', version: '1.0.0' };

const SERVERS = {
  '2024-11-05': () => createServer20241105({ info, handlers }),
  '2025-03-26': () => createServer20250326({ info, handlers }),
  '2025-06-18': () => createServer20250618({ info, handlers }),
  '2025-11-25': () => createServer20251125({ info, handlers: { ...handlers, ...toolHandlers([...tools, ask]) } }),
  '2026-07-28': () => createServer20260728({ info, handlers }),
};

const CLIENTS = {
  '2024-11-05': createClient20241105,
  '2025-03-26': createClient20250326,
  '2025-06-18': createClient20250618,
  '2025-11-25': createClient20251125,
  '2026-07-28': createClient20260728,
};
type Name = keyof typeof SERVERS;
const NAMES = Object.keys(SERVERS) as Name[];

async function connected(name: Name): Promise<BaseClient> {
  const [here, there] = memoryPair();
  await SERVERS[name]().connect(there);
  const client = CLIENTS[name]({
    info,
    handlers:
      name === '2025-11-25' ? { 'elicitation/create': () => ({ action: 'accept', content: { name: 'Ann' } }) } : {},
  });
  await client.connect(here);
  return client;
}

describe.each(NAMES)('%s', (name) => {
  test('tools are listed and called', async () => {
    const client = await connected(name);
    const { tools: listed } = (await client.request('tools/list')) as {
      tools: { name: string; inputSchema: object }[];
    };
    expect(listed.slice(0, 2)).toMatchObject([
      { name: 'greet', description: 'Greets somebody.', inputSchema: NAME.schema },
      { name: 'sound', inputSchema: { type: 'object' } },
    ]);
    const call = (tool: string, args: object = {}) => client.request('tools/call', { name: tool, arguments: args });
    expect(await call('greet', { name: 'Ann' })).toMatchObject({
      content: [{ type: 'text', text: `Hello, Ann! (${name})` }],
    });
    expect(await call('greet', {})).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'Invalid arguments: /name is missing: expected a string' }],
    });
    expect(await call('greet', { name: 'nobody' })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'There is nobody to greet.' }],
    });
    expect(await call('count', { n: 7 })).toMatchObject({
      structuredContent: { n: 7 },
      content: [{ type: 'text', text: '{"n":7}' }],
    });
    await expect(call('count')).rejects.toMatchObject({ code: -32603 });
    await expect(call('dance')).rejects.toMatchObject({ code: -32602, message: 'Unknown tool: dance' });
    await expect(call('crash')).rejects.toThrow(/^(?!.*swordfish)/);
    await expect(client.request('tools/list', { cursor: 'made up' })).rejects.toMatchObject({ code: -32602 });
  });

  test('content that the revision lacks is written in its terms', async () => {
    const client = await connected(name);
    const { content } = (await client.request('tools/call', { name: 'sound' })) as { content: { type: string }[] };
    expect(content.map(({ type }) => type)).toEqual([
      name < '2025-03-26' ? 'text' : 'audio',
      name < '2025-06-18' ? 'text' : 'resource_link',
    ]);
  });

  test('resources are listed and read', async () => {
    const client = await connected(name);
    const read = (uri: string) => client.request('resources/read', { uri });
    expect(await client.request('resources/list')).toMatchObject({
      resources: [
        { uri: 'note://readme', name: 'readme', mimeType: 'text/plain' },
        { uri: 'note://bytes', name: 'bytes' },
      ],
    });
    expect(await client.request('resources/templates/list')).toMatchObject({
      resourceTemplates: [{ uriTemplate: 'note://{folder}/{+path}.md', name: 'note' }],
    });
    expect(await read('note://readme')).toMatchObject({
      contents: [{ uri: 'note://readme', mimeType: 'text/plain', text: 'Read me.' }],
    });
    expect(await read('note://bytes')).toMatchObject({ contents: [{ uri: 'note://bytes', blob: 'AP8=' }] });
    expect(await read('note://drafts/a/b%20c.md')).toMatchObject({ contents: [{ text: 'drafts: a/b c' }] });
    const code = name < '2026-07-28' ? -32002 : -32602;
    for (const uri of ['note://done/x.md', 'note://drafts/x.txt', 'note://drafts/.md', 'note://drafts/%.md', 'x', '']) {
      await expect(read(uri)).rejects.toMatchObject({ code });
    }
  });

  test('prompts are completed', async () => {
    const client = await connected(name);
    expect(await client.request('prompts/list')).toMatchObject({
      prompts: [{ name: 'review', arguments: [{ name: 'code', required: true }, { name: 'language' }] }],
    });
    expect(await client.request('prompts/get', { name: 'review', arguments: { code: 'x' } })).toMatchObject({
      description: 'Reviews code.',
      messages: [{ role: 'user', content: { type: 'text', text: 'Review this code: x' } }],
    });
    await expect(client.request('prompts/get', { name: 'review' })).rejects.toMatchObject({ code: -32602 });
    await expect(client.request('prompts/get', { name: 'sing' })).rejects.toMatchObject({ code: -32602 });
    const complete = async (ref: object, argument: string, value = '') =>
      (
        (await client.request('completion/complete', { ref, argument: { name: argument, value } })) as {
          completion: object;
        }
      ).completion;
    const template = { type: 'ref/resource', uri: 'note://{folder}/{+path}.md' };
    expect(await complete(template, 'folder', 'dr')).toEqual({ values: ['drafts'], total: 1, hasMore: false });
    expect(await complete(template, 'path')).toEqual({ values: [], total: 0, hasMore: false });
    expect(await complete(template, 'toString')).toEqual({ values: [], total: 0, hasMore: false });
    expect(await complete({ type: 'ref/prompt', name: 'review' }, 'language')).toMatchObject({
      values: expect.objectContaining({ length: 100 }) as unknown,
      total: 130,
      hasMore: true,
    });
    await expect(complete({ type: 'ref/prompt', name: 'sing' }, 'x')).rejects.toMatchObject({ code: -32602 });
  });
});

test('a tool asks the client with the types of its revision', async () => {
  const client = await connected('2025-11-25');
  expect(await client.request('tools/call', { name: 'ask' })).toMatchObject({
    content: [{ type: 'text', text: 'Ann' }],
  });
});

test.each([
  ['x:{+path}/{name}', 'x:a/b/c', { path: 'a/b', name: 'c' }],
  ['x:{+path}/{name}', 'x:a/b', { path: 'a', name: 'b' }],
  ['x:{+path}/{name}', 'x:a', undefined],
  ['x:{+path}/{name}', 'x:a/', undefined],
  ['x:{+path}/{one}/{two}', 'x:p/q/a/bbbb', { path: 'p/q', one: 'a', two: 'bbbb' }],
  ['x:{root}/{+path}.{type}', 'x:r/a.b/c.d', { root: 'r', path: 'a.b/c', type: 'd' }],
  ['x:{+a}-{+b}!', 'x:1-2-3!', { a: '1-2', b: '3' }],
  ['x:{+a}-{+b}!', 'x:1-2-3', undefined],
])('%s reads %s', async (uriTemplate, uri, variables) => {
  const { 'resources/read': read } = resourceHandlers([
    defineResourceTemplate({ uriTemplate, name: 'x', read: (found) => JSON.stringify(found) }),
  ]);
  const reading = (async () => read({ uri }, { revision: '2025-11-25' } as never))();
  if (variables === undefined) await expect(reading).rejects.toThrow('Resource not found');
  else await expect(reading).resolves.toMatchObject({ contents: [{ text: JSON.stringify(variables) }] });
});

test('a long address costs one pass', () => {
  const { 'resources/read': read } = resourceHandlers([
    defineResourceTemplate({ uriTemplate: 'x:{+a}-{+b}-{+c}-{+d}!', name: 'x', read: () => '' }),
  ]);
  const reading = read({ uri: `x:${'-'.repeat(1_000_000)}!` }, { revision: '2025-11-25' } as never);
  return expect(reading).resolves.toMatchObject({ contents: [{ text: '' }] });
});

test('a completer of an unknown argument is rejected', () => {
  const inside = definePrompt({
    name: 'p',
    // @ts-expect-error It belongs next to `arguments`.
    arguments: [{ name: 'tone', complete: () => ['formal'] }],
    render: () => '',
  });
  const lost = { name: 'p', arguments: [{ name: 'tone' }], complete: { tune: () => [] }, render: () => '' };
  expect(() => promptHandlers([inside as never])).toThrow(
    'prompt p: `complete` of the argument tone belongs next to `arguments`, as complete: { "tone": ... }',
  );
  expect(() => promptHandlers([lost as never])).toThrow('prompt p completes "tune", which is not one of its arguments');
});

test('what cannot be served is refused when it is put together', () => {
  expect(() => toolHandlers([greet, greet])).toThrow('duplicate tool: greet');
  expect(() => resourceHandlers([readme, readme])).toThrow(TypeError);
  expect(() => promptHandlers([review, review])).toThrow(TypeError);
  for (const uriTemplate of ['x:{a}{b}', 'x:{?q}', 'x:{a', 'x:a}']) {
    expect(() => resourceHandlers([defineResourceTemplate({ uriTemplate, name: 'x', read: () => '' })])).toThrow(
      TypeError,
    );
  }
});

describe('what a handler takes out of its context', () => {
  test('functions that work by themselves', async () => {
    const steps: (string | undefined)[] = [];
    const logged: unknown[] = [];
    const work = defineTool({
      name: 'work',
      run: (_args, { progress, log, notify, revision }) => {
        progress(1, 2, 'half');
        log('info', 'so far');
        notify('notifications/message', { level: 'info', data: 'further' });
        return revision;
      },
    });
    const [ours, theirs] = memoryPair();
    await createServer20251125({
      info: { name: 'server', version: '1.0.0' },
      capabilities: { logging: {} },
      handlers: { ...toolHandlers([work]) },
    }).connect(theirs);
    const client = createClient20251125({
      info: { name: 'client', version: '1.0.0' },
      notifications: { 'notifications/message': ({ data }) => void logged.push(data) },
    });
    await client.connect(ours);
    const { content } = await client.callTool({ name: 'work' }, { onProgress: ({ message }) => steps.push(message) });
    expect(content).toEqual([{ type: 'text', text: '2025-11-25' }]);
    expect(steps).toEqual(['half']);
    expect(logged).toEqual(['so far', 'further']);
    await client.close();
  });

  test('functions that ask the client', async () => {
    const ask = defineTool({
      name: 'ask',
      run: async (_args, { requireInput }: ServerContext) => {
        const { folders } = await requireInput({ folders: { method: 'roots/list' } });
        return folders.roots.map(({ uri }) => uri).join();
      },
    });
    const askInSession = defineTool({
      name: 'ask-in-session',
      run: async (_args, { roots, request }: ServerContext) => {
        const all = [...(await roots()).roots, ...(await request('roots/list')).roots];
        return all.map(({ uri }) => uri).join();
      },
    });
    const [ours, theirs] = memoryPair();
    await createServer20251125({
      info: { name: 'server', version: '1.0.0' },
      handlers: { ...toolHandlers([ask, askInSession]) },
    }).connect(theirs);
    const client = createClient20251125({
      info: { name: 'client', version: '1.0.0' },
      handlers: { 'roots/list': () => ({ roots: [{ uri: 'file:///a' }] }) },
    });
    await client.connect(ours);
    const text = (answer: { content: unknown }): unknown => answer.content;
    expect(text(await client.callTool({ name: 'ask' }))).toEqual([{ type: 'text', text: 'file:///a' }]);
    expect(text(await client.callTool({ name: 'ask-in-session' }))).toEqual([
      { type: 'text', text: 'file:///a,file:///a' },
    ]);
    await client.close();
  });
});

test('the output of a tool decides the type of its structured content', () => {
  const output = NAME;
  defineTool({ name: 'fits', output, run: () => ({ structuredContent: { name: 'x' } }) });
  defineTool({
    name: 'failed',
    output,
    run: () => ({ isError: true, content: [{ type: 'text', text: 'no' }] }),
  });
  defineTool({ name: 'async', output, run: async () => Promise.resolve({ structuredContent: { name: 'x' } }) });
  // @ts-expect-error another member
  defineTool({ name: 'other', output, run: () => ({ structuredContent: { nam: 'x' } }) });
  // @ts-expect-error no structured content
  defineTool({ name: 'text', output, run: () => 'x' });
  const free = defineTool({ name: 'free', run: () => ({ structuredContent: { any: 1 } }) });
  expect(() => toolHandlers<ServerContext>([free, greet])).not.toThrow();
});
