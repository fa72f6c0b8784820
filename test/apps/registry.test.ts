import { expect, test } from 'vitest';
import { createClient } from '../../generated/2026-07-28/client.js';
import { createServer } from '../../generated/2026-07-28/server.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import {
  APP_MIME_TYPE,
  appWarnings,
  defineResource,
  defineTool,
  resourceHandlers,
  toolHandlers,
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
