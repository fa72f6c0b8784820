import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  definePrompt,
  defineResource,
  defineResourceTemplate,
  promptHandlers,
  type RegisteredResource,
  resourceHandlers,
} from '../../generated/runtime/registry.js';
import {
  ALL_REVISIONS,
  Events,
  TEST_INFO,
  connectRawClient,
  revision20241105,
  revision20251125,
  revision20260728,
  startRawSession,
  statelessMeta,
} from './harness.js';

const notes = new Map([
  ['1', 'First'],
  ['2', 'Second'],
]);
const note = defineResourceTemplate({
  uriTemplate: 'note://{id}',
  name: 'note',
  mimeType: 'text/plain',
  list: () => [...notes].map(([id, title]) => ({ uri: `note://${id}`, title })),
  read: ({ id }) => notes.get(id),
});
const about = defineResource({ uri: 'note://1', name: 'about', read: () => '' });

describe('a resource template with a list', () => {
  const list = (resources: readonly RegisteredResource[], params = {}) =>
    resourceHandlers(resources)['resources/list'](params, { revision: '2025-11-25' } as never);

  test('shows what exists, with what it has in common', async () => {
    expect(await list([note])).toEqual({
      resources: [
        { uri: 'note://1', name: 'note://1', title: 'First', mimeType: 'text/plain' },
        { uri: 'note://2', name: 'note://2', title: 'Second', mimeType: 'text/plain' },
      ],
    });
  });

  test('comes after fixed resources, which take precedence', async () => {
    expect(await list([note, about])).toEqual({
      resources: [
        { uri: 'note://1', name: 'about' },
        { uri: 'note://2', name: 'note://2', title: 'Second', mimeType: 'text/plain' },
      ],
    });
  });

  test('is one page, as fixed resources are', async () => {
    await expect((async () => list([note], { cursor: 'x' }))()).rejects.toMatchObject({
      code: -32602,
      message: 'Unknown cursor',
    });
  });

  test('may override what the template says, and knows the context', async () => {
    const template = defineResourceTemplate({
      uriTemplate: 'x://{id}',
      name: 'x',
      mimeType: 'text/plain',
      annotations: { priority: 1 },
      list: async ({ revision }) => Promise.resolve([{ uri: 'x://1', name: revision, mimeType: 'image/png', size: 3 }]),
      read: () => '',
    });
    expect(await list([template])).toEqual({
      resources: [{ uri: 'x://1', name: '2025-11-25', mimeType: 'image/png', size: 3, annotations: { priority: 1 } }],
    });
  });

  test('must not list what it does not match', async () => {
    const template = defineResourceTemplate({
      uriTemplate: 'x://{id}',
      name: 'x',
      list: () => [{ uri: 'y://1' }],
      read: () => '',
    });
    await expect(list([template])).rejects.toThrow(
      'the resource template x://{id} lists y://1, which does not match it',
    );
  });

  test.each(['2025-11-25', '2026-07-28'])('is listed in %s', async (version) => {
    const server = revision20260728.createServer({
      info: TEST_INFO,
      revisions: ALL_REVISIONS,
      handlers: resourceHandlers([note]),
    });
    const isStateless = version === '2026-07-28';
    const { raw } = await (isStateless ? connectRawClient(server) : startRawSession(server));
    const params = isStateless ? { _meta: statelessMeta() } : {};
    const { result } = await raw.request({ id: 5, method: 'resources/list', params });
    expect(result).toMatchObject({ resources: [{ uri: 'note://1' }, { uri: 'note://2' }] });
  });
});

describe('the variables of a template', () => {
  test('are typed by it', () => {
    defineResourceTemplate({
      uriTemplate: 'x://{folder}/{+path}.md',
      name: 'x',
      complete: { folder: () => [] },
      read: (variables) => {
        expectTypeOf(variables).toEqualTypeOf<{ readonly folder: string; readonly path: string }>();
        // @ts-expect-error no such variable
        return String(variables.file);
      },
    });
    defineResourceTemplate({
      uriTemplate: 'x://{id}',
      name: 'x',
      // @ts-expect-error no such variable
      complete: { it: () => [] },
      read: () => '',
    });
  });

  test('are strings by any name if the template is not a literal', () => {
    const uriTemplate = 'x://{id}' as string;
    defineResourceTemplate({
      uriTemplate,
      name: 'x',
      read: (variables) => {
        expectTypeOf(variables).toEqualTypeOf<Readonly<Record<string, string>>>();
        return '';
      },
    });
  });
});

describe('completion', () => {
  const prompt = definePrompt({
    name: 'p',
    arguments: [{ name: 'tone' }],
    complete: { tone: () => ['formal'] },
    render: () => '',
  });
  const plain = definePrompt({ name: 'plain', arguments: [{ name: 'tone' }], render: () => '' });
  const template = defineResourceTemplate({ uriTemplate: 'x://{id}', name: 'x', read: () => '' });
  const ask = (ref: object) => ({
    id: 9,
    method: 'completion/complete',
    params: { ref, argument: { name: 'tone', value: '' } },
  });
  const { createServer } = revision20251125;

  test('is declared and answered if a prompt has a completer', async () => {
    const server = createServer({
      info: TEST_INFO,
      handlers: { ...promptHandlers([prompt, plain]), ...resourceHandlers([template]) },
    });
    expect(server.capabilities(revision20251125.revision)).toHaveProperty('completions', {});
    const { raw } = await startRawSession(server);
    const { result } = await raw.request(ask({ type: 'ref/prompt', name: 'p' }));
    expect(result).toMatchObject({ completion: { values: ['formal'], total: 1, hasMore: false } });
    for (const ref of [
      { type: 'ref/prompt', name: 'plain' },
      { type: 'ref/resource', uri: 'x://{id}' },
    ])
      expect((await raw.request(ask(ref))).result).toMatchObject({ completion: { values: [] } });
    expect((await raw.request(ask({ type: 'ref/resource', uri: 'y://{id}' }))).error).toMatchObject({
      code: -32602,
      message: 'Unknown resource template: y://{id}',
    });
  });

  test('has no reference to what the server does not list', async () => {
    const { raw } = await startRawSession(createServer({ info: TEST_INFO, handlers: promptHandlers([prompt]) }));
    expect((await raw.request(ask({ type: 'ref/resource', uri: 'x://{id}' }))).error).toMatchObject({
      code: -32602,
      message: 'Unknown resource template: x://{id}',
    });
  });

  test('is not declared without a completer', async () => {
    const server = createServer({
      info: TEST_INFO,
      handlers: { ...promptHandlers([plain]), ...resourceHandlers([template]) },
    });
    expect(server.capabilities(revision20251125.revision)).not.toHaveProperty('completions');
    const { raw } = await startRawSession(server);
    expect((await raw.request(ask({ type: 'ref/prompt', name: 'plain' }))).error?.code).toBe(-32601);
  });

  test('has no capability where the revision has none', () => {
    const server = revision20241105.createServer({ info: TEST_INFO, handlers: promptHandlers([prompt]) });
    expect(server.capabilities(revision20241105.revision)).toEqual({ prompts: {} });
    expect(server.supportsRequest(revision20241105.revision, 'completion/complete')).toBe(true);
  });

  test('is left to a handler of the author', async () => {
    const events = new Events();
    const server = createServer({
      info: TEST_INFO,
      onEvent: events.onEvent,
      handlers: {
        ...promptHandlers([prompt]),
        'completion/complete': () => ({ completion: { values: ['mine'] } }),
      },
    });
    const { raw } = await startRawSession(server);
    expect((await raw.request(ask({ type: 'ref/prompt', name: 'p' }))).result).toMatchObject({
      completion: { values: ['mine'] },
    });
  });
});
