import { INVALID_PARAMS, METHOD_NOT_FOUND } from './codes.js';
import { codeOf } from './peers/clients.js';
import type { Peer } from './peers/clients.js';
import { INSTRUCTIONS, RESOURCES, STATELESS, TOOLS } from './peers/fixture-peers.js';
import type { Params, Result } from './peers/fixture-peers.js';

/** Judges what came; `toEqual` of vitest in a test, nothing while recording. */
export type Expect = (found: unknown, expected: unknown) => void;

/** One feature of the protocol, used once. */
export interface Feature {
  readonly name: string;
  /** The revisions that have it. */
  readonly in: (revision: string) => boolean;
  readonly run: (peer: Peer, expect: Expect, revision: string) => Promise<void>;
}

const always = (): boolean => true;
const inSessions = (revision: string): boolean => revision !== STATELESS;

/** Awaits a promise that must reject, and returns the error. */
async function failure(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome === undefined) throw new Error('it succeeded, and should not have');
  return outcome;
}

async function textOf(promise: Promise<Result>): Promise<string> {
  const { content } = (await promise) as { content: { text: string }[] };
  return content[0]?.text ?? '';
}

function call(peer: Peer, name: string, given: Result = {}): Promise<Result> {
  return peer.request('tools/call', { name, arguments: given });
}

async function allItems(peer: Peer, method: string, member: string): Promise<unknown[]> {
  const items: unknown[] = [];
  let cursor: unknown;
  do {
    const found: Result = await peer.request(method, cursor === undefined ? undefined : { cursor });
    items.push(...(found[member] as unknown[]));
    cursor = found['nextCursor'];
  } while (cursor !== undefined);
  return items;
}

/** Waits until a notification has come. */
async function waitForNotification(peer: Peer, method: string): Promise<Params> {
  const end = performance.now() + 10_000;
  for (;;) {
    const found = peer.heard.find((one) => one.method === method);
    if (found !== undefined) return found.params;
    if (performance.now() > end) throw new Error(`waited in vain for ${method}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

function names(items: readonly unknown[]): unknown[] {
  return items.map((item) => (item as { name: unknown }).name);
}

/** Each feature once. Their order is that of a conversation. */
export const FEATURES: readonly Feature[] = [
  {
    name: 'handshake',
    in: always,
    run: (peer, expect, revision) => {
      expect(peer.revision(), revision);
      expect(peer.server().instructions, INSTRUCTIONS);
      expect(Object.keys(peer.server().capabilities).includes('tools'), true);
      return Promise.resolve();
    },
  },
  {
    name: 'discover',
    in: (revision) => revision === STATELESS,
    run: async (peer, expect) => {
      const { supportedVersions } = await peer.request('server/discover');
      expect((supportedVersions as string[]).includes(STATELESS), true);
    },
  },
  {
    name: 'ping',
    in: inSessions,
    run: async (peer, expect) => {
      expect(await peer.request('ping'), {});
      expect(await textOf(call(peer, 'visit', { what: 'ping' })), '{}');
    },
  },
  {
    name: 'tools, page by page',
    in: always,
    run: async (peer, expect) => {
      expect(names(await allItems(peer, 'tools/list', 'tools')), names(TOOLS));
      expect(await textOf(call(peer, 'water', { bed: 'roses' })), 'Watered the roses.');
    },
  },
  {
    name: "a tool's failure and protocol errors",
    in: always,
    run: async (peer, expect) => {
      expect((await call(peer, 'dig', { bed: 'roses' }))['isError'], true);
      const error = await failure(call(peer, 'uproot', { bed: 'roses' }));
      expect(codeOf(error), -32001);
      expect((error as { data?: unknown }).data, { bed: 'roses' });
      expect(codeOf(await failure(peer.request('tools/list', { cursor: 'nowhere' }))), INVALID_PARAMS);
    },
  },
  {
    name: 'resources and templates, page by page',
    in: always,
    run: async (peer, expect, revision) => {
      expect(names(await allItems(peer, 'resources/list', 'resources')), names(RESOURCES));
      expect(names(await allItems(peer, 'resources/templates/list', 'resourceTemplates')), ['bed']);
      const { contents } = await peer.request('resources/read', { uri: 'garden://beds/herbs' });
      expect((contents as Result[])[0]?.['blob'], 'aGVyYnM=');
      const error = await failure(peer.request('resources/read', { uri: 'garden://beds/none' }));
      // The v2 SDK sends the newer code in every revision, as the specification lets it.
      expect(
        (revision === STATELESS ? [INVALID_PARAMS] : [-32002, INVALID_PARAMS]).includes(codeOf(error) as number),
        true,
      );
    },
  },
  {
    name: 'prompts and completion',
    in: always,
    run: async (peer, expect) => {
      expect(names(await allItems(peer, 'prompts/list', 'prompts')), ['season', 'harvest']);
      const { messages } = await peer.request('prompts/get', { name: 'season', arguments: { month: 'may' } });
      expect((messages as Result[])[0]?.['content'], { type: 'text', text: 'What is to do in may?' });
      const { completion } = await peer.request('completion/complete', {
        ref: { type: 'ref/prompt', name: 'season' },
        argument: { name: 'month', value: 'm' },
      });
      expect((completion as Result)['values'], ['march', 'may']);
    },
  },
  {
    name: 'progress and logging',
    in: always,
    run: async (peer, expect, revision) => {
      const isStateless = revision === STATELESS;
      if (!isStateless) await peer.request('logging/setLevel', { level: 'info' });
      const steps: number[] = [];
      await peer.request(
        'tools/call',
        {
          name: 'grow',
          arguments: { bed: 'roses' },
          ...(isStateless ? { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } } : {}),
        },
        { onProgress: (progress) => void steps.push(progress) },
      );
      expect(steps, [1, 2, 3]);
      // Over HTTP it may come by another stream than the answer.
      await waitForNotification(peer, 'notifications/message');
      const logged = peer.heard.filter(({ method }) => method === 'notifications/message');
      expect(
        logged.map(({ params }) => [params['level'], params['data'], params['logger']]),
        [['info', { bed: 'roses' }, 'garden']],
      );
    },
  },
  {
    name: 'cancellation',
    in: always,
    run: async (peer, expect) => {
      const controller = new AbortController();
      const watching = peer.request(
        'tools/call',
        { name: 'watch', arguments: {} },
        {
          signal: controller.signal,
          onProgress: () => {
            controller.abort(new Error('enough'));
          },
        },
      );
      await failure(watching);
      expect(await textOf(call(peer, 'grow', { bed: 'herbs' })), 'Stopped watching 1 times.');
    },
  },
  ...['roots', 'sampling', 'elicitation'].map((what): Feature => ({
    name: what,
    in: (revision) => what !== 'elicitation' || revision >= '2025-06-18',
    run: async (peer, expect) => {
      const answer = JSON.parse(await textOf(call(peer, 'visit', { what }))) as Result;
      switch (what) {
        case 'roots':
          expect(answer['roots'], [{ uri: 'file:///garden', name: 'Garden' }]);
          break;
        case 'sampling':
          expect([answer['model'], answer['content']], ['by-hand', { type: 'text', text: 'Roses by the wall.' }]);
          break;
        default:
          expect([answer['action'], answer['content']], ['accept', { bed: 'herbs', depth: 2.5 }]);
      }
    },
  })),
  {
    name: 'elicitation by URL',
    in: (revision) => revision === '2025-11-25',
    run: async (peer, expect) => {
      expect(await textOf(call(peer, 'letter')), 'Letter: accept.');
      expect((await waitForNotification(peer, 'notifications/elicitation/complete'))['elicitationId'], 'letter-1');
    },
  },
  {
    name: 'roots change',
    in: inSessions,
    run: async (peer, expect) => {
      await peer.notify('notifications/roots/list_changed');
      expect(await peer.request('ping'), {});
    },
  },
  {
    name: 'subscriptions',
    in: always,
    run: async (peer, expect, revision) => {
      const uri = 'garden://beds/roses';
      const changes = [
        'notifications/tools/list_changed',
        'notifications/prompts/list_changed',
        'notifications/resources/list_changed',
        'notifications/resources/updated',
      ];
      let listening;
      if (revision === STATELESS) {
        listening = await peer.listen({
          toolsListChanged: true,
          promptsListChanged: true,
          resourcesListChanged: true,
          resourceSubscriptions: [uri],
        });
      } else await peer.request('resources/subscribe', { uri });
      await call(peer, 'plant');
      for (const method of changes) await waitForNotification(peer, method);
      expect((await waitForNotification(peer, 'notifications/resources/updated'))['uri'], uri);
      if (listening === undefined) await peer.request('resources/unsubscribe', { uri });
      else await listening.close();
      expect(await textOf(call(peer, 'water', { bed: 'herbs' })), 'Watered the herbs.');
    },
  },
  {
    name: 'an unknown method',
    in: inSessions,
    run: async (peer, expect) => {
      // What our client refuses to send, the others do.
      const error = await failure(peer.request('garden/unknown'));
      if (peer.name !== 'ours') expect(codeOf(error), METHOD_NOT_FOUND);
    },
  },
];

/** Tasks, which only 2025-11-25 has and of the official SDKs only v1 speaks. */
export const TASKS: Feature = {
  name: 'tasks, both ways',
  in: (revision) => revision === '2025-11-25',
  run: async (peer, expect) => {
    const start = (): Promise<Result> =>
      peer.request('tools/call', { name: 'compost', arguments: {}, task: { ttl: 60_000 } });
    const { task } = (await start()) as { task: Result };
    const { taskId } = task;
    expect((await waitForNotification(peer, 'notifications/tasks/status'))['taskId'], taskId);
    expect((await peer.request('tasks/get', { taskId }))['status'], 'working');
    expect(((await peer.request('tasks/list'))['tasks'] as unknown[]).length, 1);
    expect(await textOf(peer.request('tasks/result', { taskId })), 'Good soil.');
    const { task: other } = (await start()) as { task: Result };
    expect((await peer.request('tasks/cancel', { taskId: other['taskId'] }))['status'], 'cancelled');
    expect(codeOf(await failure(peer.request('tasks/get', { taskId: 'none' }))), INVALID_PARAMS);
    expect(
      await textOf(call(peer, 'visit', { what: 'sampling', as: 'task' })),
      JSON.stringify(['working', 1, 'by-hand', 'cancelled']),
    );
  },
};
