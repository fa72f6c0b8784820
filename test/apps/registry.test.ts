import { describe, expect, test, vi } from 'vitest';
import { createClient } from '../../generated/2026-07-28/client.js';
import { createServer } from '../../generated/2026-07-28/server.js';
import { revision as revision20241105 } from '../../generated/2024-11-05/revision.js';
import { revision as revision20250326 } from '../../generated/2025-03-26/revision.js';
import { revision as revision20250618 } from '../../generated/2025-06-18/revision.js';
import { revision as revision20251125 } from '../../generated/2025-11-25/revision.js';
import { revision as revision20260728 } from '../../generated/2026-07-28/revision.js';
import { canShowPages } from '../../generated/runtime/server.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import {
  APP_MIME_TYPE,
  appWarnings,
  defineResource,
  defineTool,
  resourceHandlers,
  toolHandlers,
  type RegisteredTool,
} from '../../generated/runtime/registry.js';

const URI = 'ui://clock/page';

const tool = defineTool({
  name: 'time',
  _meta: { ui: { resourceUri: URI, visibility: ['model'] } },
  run: () => 'noon',
});

const page = defineResource({
  uri: URI,
  name: 'clock',
  mimeType: APP_MIME_TYPE,
  _meta: { ui: { prefersBorder: true }, 'com.example/version': 1 },
  read: () => '<!doctype html>',
});

test('a tool is listed with its page, and the page has its metadata where hosts read it', async () => {
  const server = createServer({
    info: { name: 'clock', version: '1.0.0' },
    handlers: { ...toolHandlers([tool]), ...resourceHandlers([page]) },
  });
  const client = createClient({ info: { name: 'host', version: '1.0.0' } });
  const [ours, theirs] = memoryPair();
  await server.connect(theirs);
  await client.connect(ours);
  const { tools } = await client.listTools();
  expect(tools[0]?._meta).toEqual({ ui: { resourceUri: URI, visibility: ['model'] } });
  const { resources } = await client.listResources();
  expect(resources[0]?._meta).toEqual({ ui: { prefersBorder: true }, 'com.example/version': 1 });
  const { contents } = await client.readResource({ uri: URI });
  expect(contents).toEqual([
    { uri: URI, mimeType: APP_MIME_TYPE, _meta: { ui: { prefersBorder: true } }, text: '<!doctype html>' },
  ]);
  await client.close();
});

test('warns of a tool whose page the server does not have', () => {
  expect(appWarnings([tool], [page])).toEqual([]);
  expect(appWarnings([tool], [])).toEqual([`tool time: the page ${URI} is not a resource of the server`]);
});

test('warns of a page with another media type', () => {
  expect(appWarnings([tool], [{ ...page, mimeType: 'text/html' }])).toEqual([
    `tool time: the page ${URI} does not have the media type ${APP_MIME_TYPE}`,
  ]);
});

test('warns of a page whose URI has another scheme', () => {
  const other = { ...tool, _meta: { ui: { resourceUri: 'https://example.com' } } };
  expect(appWarnings([other], [page])).toEqual(['tool time: the page https://example.com does not begin with ui://']);
});

/** The events of a server that has the tool, and other handlers. */
function eventsOf(handlers: object): readonly unknown[] {
  const events: unknown[] = [];
  createServer({
    info: { name: 'clock', version: '1.0.0' },
    handlers: { ...toolHandlers([tool]), ...handlers },
    onEvent: (event) => events.push(event),
  });
  return events;
}

describe('a server reports, when it is created,', () => {
  test('nothing if the page is fine', () => {
    expect(eventsOf(resourceHandlers([page]))).toEqual([]);
  });

  test('a tool whose page is not a resource', () => {
    const reason = `tool time: the page ${URI} is not a resource of the server`;
    expect(eventsOf(resourceHandlers([]))).toEqual([{ kind: 'appWarning', reason }]);
  });

  test('a tool with a page if there are no resources', () => {
    const reason = `tool time: the server has no resources, and so no page ${URI}`;
    expect(eventsOf({})).toEqual([{ kind: 'appWarning', reason }]);
  });

  test('nothing if another handler reads resources', () => {
    const read = (): object => ({ contents: [] });
    expect(eventsOf({ ...resourceHandlers([]), 'resources/read': read })).toEqual([]);
  });

  test('on the console without a listener', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    createServer({
      info: { name: 'clock', version: '1.0.0' },
      handlers: { ...toolHandlers([tool]), ...resourceHandlers([]) },
    });
    expect(warn.mock.calls).toEqual([[`tool time: the page ${URI} is not a resource of the server`]]);
    warn.mockRestore();
  });
});

const ALL = [revision20241105, revision20250326, revision20250618, revision20251125, revision20260728];
const APPS = 'io.modelcontextprotocol/ui';

describe.each(ALL)('in $version', (revision) => {
  /** What a server declares, to a client that shows pages if it has capabilities. */
  async function declared(
    tools: readonly RegisteredTool[],
    settings: object = {},
  ): Promise<{ readonly extensions: unknown; readonly shows: boolean | undefined }> {
    let shows: boolean | undefined;
    const server = createServer({
      info: { name: 'clock', version: '1.0.0' },
      revisions: ALL,
      handlers: {
        ...toolHandlers([
          ...tools,
          defineTool({
            name: 'ask',
            run: (_, context) => {
              shows = canShowPages(context);
              return '';
            },
          }),
        ]),
        ...resourceHandlers([page]),
      },
      ...settings,
    });
    const client = createClient({
      info: { name: 'host', version: '1.0.0' },
      revisions: [revision],
      capabilities: { extensions: { [APPS]: { mimeTypes: [APP_MIME_TYPE] } } },
    });
    const [ours, theirs] = memoryPair();
    await server.connect(theirs);
    await client.connect(ours);
    await client.callTool({ name: 'ask' });
    const { extensions } = client.server.capabilities as { extensions?: unknown };
    await client.close();
    return { extensions, shows };
  }

  test('a server with such a tool declares the extension, and knows whether the client shows pages', async () => {
    expect(await declared([tool])).toEqual({ extensions: { [APPS]: {} }, shows: true });
  });

  test('a server without one does not', async () => {
    expect((await declared([])).extensions).toBeUndefined();
  });

  test('the settings of a server take precedence', async () => {
    const { extensions } = await declared([tool], {
      capabilities: { extensions: { [APPS]: false, 'com.example/x': {} } },
    });
    expect(extensions).toEqual({ 'com.example/x': {} });
  });
});

test.each([
  {},
  { extensions: {} },
  { extensions: { [APPS]: { mimeTypes: ['text/plain'] } } },
  { extensions: { [APPS]: { mimeTypes: 'x' } } },
])('a client with the capabilities %j shows no pages', (capabilities) => {
  expect(canShowPages({ client: { capabilities } })).toBe(false);
});
