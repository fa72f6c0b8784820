import { describe, expect, test } from 'vitest';
import { createClient as createClient2025 } from '../../generated/2025-11-25/client.js';
import * as module2025 from '../../generated/2025-11-25/revision.js';
import { createServer as createServer2025 } from '../../generated/2025-11-25/server.js';
import { createClient as createClient2026 } from '../../generated/2026-07-28/client.js';
import * as module2026 from '../../generated/2026-07-28/revision.js';
import { createServer as createServer2026 } from '../../generated/2026-07-28/server.js';
import { memoryPair } from '../../generated/runtime/memory.js';

const info = { name: 'test', version: '1.0.0' };

test('stateful', async () => {
  const server = createServer2025({
    info,
    handlers: {
      'tools/list': () => ({ tools: [{ name: 'add', inputSchema: { type: 'object' } }] }),
      'tools/call': async (params, context) => {
        const { who } = await context.requireInput({
          who: {
            method: 'elicitation/create',
            params: { message: 'who', requestedSchema: { type: 'object', properties: {} } },
          },
        });
        return { content: [{ type: 'text', text: `${params.name} ${who.action}` }] };
      },
    },
  });
  const client = createClient2025({
    info,
    handlers: { 'elicitation/create': () => ({ action: 'accept', content: {} }) },
  });
  const [a, b] = memoryPair();
  await Promise.all([server.connect(a), client.connect(b)]);
  expect(client.revision).toBe('2025-11-25');
  expect((await client.listTools()).tools[0]?.name).toBe('add');
  expect(await client.callTool({ name: 'x' })).toEqual({ content: [{ type: 'text', text: 'x accept' }] });
  await client.close();
});

test('stateless', async () => {
  const server = createServer2026({
    info,
    revisions: [module2025.revision, module2026.revision],
    handlers: {
      'tools/list': () => ({ tools: [{ name: 'add', inputSchema: { type: 'object' } }] }),
      'tools/call': async (params, context) => {
        const { who } = await context.requireInput(
          {
            who: {
              method: 'elicitation/create',
              params: { message: 'who', requestedSchema: { type: 'object', properties: {} } },
            },
          },
          5,
        );
        const { whom } = await context.requireInput({
          whom: {
            method: 'elicitation/create',
            params: { message: 'who', requestedSchema: { type: 'object', properties: {} } },
          },
        });
        return { content: [{ type: 'text', text: `${params.name} ${who.action} ${whom.action} ${context.revision}` }] };
      },
    },
  });
  const client = createClient2026({
    info,
    handlers: { 'elicitation/create': () => ({ action: 'accept', content: {} }) },
  });
  const [a, b] = memoryPair();
  await Promise.all([server.connect(a), client.connect(b)]);
  expect(client.revision).toBe('2026-07-28');
  expect((await client.listTools()).tools[0]?.name).toBe('add');
  expect((await client.callTool({ name: 'x' })).content).toEqual([
    { type: 'text', text: 'x accept accept 2026-07-28' },
  ]);
  await client.close();

  const old = createClient2025({ info, handlers: { 'elicitation/create': () => ({ action: 'accept', content: {} }) } });
  const [c, d] = memoryPair();
  await Promise.all([server.connect(c), old.connect(d)]);
  expect(old.revision).toBe('2025-11-25');
  expect((await old.callTool({ name: 'x' })).content).toEqual([{ type: 'text', text: 'x accept accept 2025-11-25' }]);
});

describe('options', () => {
  const OPTIONS = [
    ...[
      'cache',
      'capabilities',
      'exposeErrors',
      'handlers',
      'instrument',
      'keepAlive',
      'lenient',
      'logLevel',
      'maxRounds',
    ],
    ...['maxConcurrentRequests', 'notifications', 'onEvent', 'requestState', 'revisions', 'tasks', 'timeout'],
    ...['extensions', 'instructions', 'validateParams', 'vendorNotifications', 'fallbackNotificationHandler'],
  ];

  // Written in JavaScript, where no compiler refuses it.
  test.each(OPTIONS)('`%s: null` counts as not set', async (name) => {
    const server = createServer2025({ info: info, handlers: { 'tools/list': () => ({ tools: [] }) }, [name]: null });
    const client = createClient2025({ info: info, [name]: null });
    const [near, far] = memoryPair();
    await Promise.all([server.connect(near), client.connect(far)]);
    expect(client.revision).toBe('2025-11-25');
    await client.close();
  });

  test.each([
    ['cache', true, 'cache must be what resultCache(...) returns'],
    ['cache', { maxEntries: 10 }, 'cache must be what resultCache(...) returns'],
    ['keepAlive', { intervalMs: 10 }, 'keepAlive must be what keepAlive(...) returns'],
    ['instrument', { observe: () => undefined }, 'instrument must be what safeInstrument(...) returns'],
    ['info', null, 'info is missing: pass a name and a version'],
  ])('`%s: %j` is an error that says what to pass', (name, value, message) => {
    expect(() => createClient2025({ info: info, [name]: value })).toThrow(new TypeError(message));
    expect(() => createServer2025({ info: info, handlers: {}, [name]: value })).toThrow(new TypeError(message));
  });
});

describe.each([module2025, module2026])('the revision of a side, $revision.version', (module) => {
  const { revision, clientRevision, serverRevision } = module;
  const values = [undefined, {}, { name: 'add' }, { uri: 'a:b' }, { tools: [] }, { content: [] }, { action: 'accept' }];

  test.each(Object.entries(revision.methods))('validates %s where it arrives', (method, { kind, direction }) => {
    const receivers = {
      clientToServer: [serverRevision],
      serverToClient: [clientRevision],
      both: [serverRevision, clientRevision],
    };
    for (const value of values) {
      for (const side of [clientRevision, serverRevision])
        expect(side.validateParams(method, value).success).toBe(
          receivers[direction].includes(side) && revision.validateParams(method, value).success,
        );
      for (const side of receivers[direction]) {
        expect(side.validateParams(method, value)).toEqual(revision.validateParams(method, value));
        // The result arrives at the other side.
        const sender = side === serverRevision ? clientRevision : serverRevision;
        if (kind === 'request')
          expect(sender.validateResult(method, value)).toEqual(revision.validateResult(method, value));
      }
    }
  });
});
