import { describe, expect, test } from 'vitest';
import type { Progress } from '../../generated/runtime/jsonrpc/endpoint.js';
import {
  Events,
  rejectionOf,
  TEST_INFO,
  connectPair,
  revision20251125,
  revision20260728,
  connectRawServer,
  startRawSession,
  nextTurns,
  textResult,
  sleep,
} from './harness.js';

const { createClient, createServer } = revision20251125;

const progress = (progressToken: unknown, value: unknown, more: object = {}): object => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, progress: value, ...more },
});

describe.each([
  ['2025-11-25', revision20251125],
  ['2026-07-28', revision20260728],
] as const)('progress in %s', (_, module) => {
  test('reaches its call in order, before its answer', async () => {
    const create = module.createServer as typeof createServer;
    const server = create({
      info: TEST_INFO,
      handlers: {
        'tools/call': async ({ name }, context) => {
          context.progress(0.5, 2, name);
          await Promise.resolve();
          context.progress(1, 2);
          context.progress(2);
          setTimeout(() => {
            context.progress(3);
          }, 1);
          return textResult(name);
        },
      },
    });
    const client = (module.createClient as typeof createClient)({ info: TEST_INFO });
    const { monitor } = await connectPair(server, client);
    const seen: Record<string, Progress[]> = { a: [], b: [] };
    await Promise.all(
      ['a', 'b'].map((name) => client.callTool({ name }, { onProgress: (at) => seen[name]?.push(at) })),
    );
    const expected = (name: string): Progress[] => [
      { progress: 0.5, total: 2, message: name },
      { progress: 1, total: 2, message: undefined },
      { progress: 2, total: undefined, message: undefined },
    ];
    expect(seen).toEqual({ a: expected('a'), b: expected('b') });
    await sleep(10);
    const sent = monitor.from('server').filter(({ method }) => method === 'notifications/progress');
    expect(sent.length).toBe(6);
    expect(new Set(sent.map(({ params }) => params?.['progressToken'])).size).toBe(2);
    await client.close();
  });

  test('is not sent unless requested', async () => {
    const create = module.createServer as typeof createServer;
    const server = create({
      info: TEST_INFO,
      handlers: {
        'tools/call': (_params, context) => {
          context.progress(1);
          return textResult('');
        },
      },
    });
    const client = (module.createClient as typeof createClient)({ info: TEST_INFO });
    const { monitor } = await connectPair(server, client);
    await client.callTool({ name: 'x' });
    expect(monitor.from('server').filter(({ method }) => method === 'notifications/progress')).toEqual([]);
    await client.close();
  });
});

describe('a server', () => {
  test('sends increasing progress with the original token', async () => {
    const server = createServer({
      info: TEST_INFO,
      handlers: {
        'tools/call': (_, context) => {
          for (const at of [1, 1, 0, Number.NaN, 1.5, -1, 2]) context.progress(at);
          return textResult('');
        },
      },
    });
    const { raw } = await startRawSession(server);
    for (const token of ['t', 7, '', 0]) {
      raw.send({
        jsonrpc: '2.0',
        id: `id-${token}`,
        method: 'tools/call',
        params: { name: 'x', _meta: { progressToken: token } },
      });
      const frames = await raw.nextFrames();
      expect(frames.slice(0, -1).map(({ params }) => params)).toEqual(
        [1, 1.5, 2].map((at) => ({ progressToken: token, progress: at })),
      );
      expect(frames.at(-1)?.result).toEqual(textResult(''));
    }
  });
});

describe('a client', () => {
  test('reports invalid progress as an event', async () => {
    const events = new Events();
    const seen: number[] = [];
    const client = createClient({ info: TEST_INFO, onEvent: events.onEvent });
    const { raw } = await connectRawServer(client);
    const called = client.callTool({ name: 'x' }, { onProgress: (at) => seen.push(at.progress) });
    const quiet = client.callTool({ name: 'y' });
    const [asked, other] = await raw.nextFrames();
    const token = (asked?.params?.['_meta'] as { readonly progressToken: number }).progressToken;
    expect(token).toBe(asked?.id);
    expect(other?.params?.['_meta']).toBeUndefined();
    for (const [which, at] of [
      [token, 1],
      [token, 1],
      [token, 0.5],
      [String(token), 2],
      [other?.id, 2],
      [999, 1],
      ['constructor', 1],
      [token, 'x'],
      [token, 3],
    ]) {
      raw.send(progress(which, at));
    }
    await nextTurns();
    expect(seen).toEqual([1, 3]);
    expect(events.kinds.filter((kind) => kind.includes('rogress'))).toEqual([
      'progressNotIncreasing',
      'progressNotIncreasing',
      ...Array.from({ length: 5 }, () => 'unknownProgress'),
    ]);
    for (const { id } of [asked, other] as { id: number }[]) raw.send({ jsonrpc: '2.0', id, result: textResult('') });
    await Promise.all([called, quiet]);
    events.all.length = 0;
    raw.send(progress(token, 9));
    await nextTurns();
    expect(events.all).toEqual([{ kind: 'unknownProgress', token }]);
    await client.close();
  });

  test('a listener that throws ends neither call nor connection', async () => {
    const events = new Events();
    const client = createClient({ info: TEST_INFO, onEvent: events.onEvent });
    const { raw } = await connectRawServer(client);
    const called = client.callTool(
      { name: 'x' },
      {
        onProgress: () => {
          throw new Error('listener');
        },
      },
    );
    const [asked] = await raw.nextFrames();
    raw.send(progress(asked?.id, 1));
    raw.send({ jsonrpc: '2.0', id: asked?.id, result: textResult('done') });
    expect(await called).toEqual(textResult('done'));
    expect(events.all).toMatchObject([{ kind: 'handlerFailed', method: 'notifications/progress' }]);
    await client.close();
  });

  test('keeps the caller’s own _meta in addition to the token', async () => {
    const client = createClient({ info: TEST_INFO });
    const { raw } = await connectRawServer(client);
    const called = client.callTool({ name: 'x', _meta: { 'a.b/c': 1 } }, { onProgress: () => undefined });
    const [asked] = await raw.nextFrames();
    expect(asked?.params?.['_meta']).toEqual({ 'a.b/c': 1, progressToken: asked?.id });
    raw.send({ jsonrpc: '2.0', id: asked?.id, result: textResult('') });
    await called;
    await client.close();
  });

  test('restarts the time limit on progress only by option', async () => {
    const client = createClient({ info: TEST_INFO });
    const { raw } = await connectRawServer(client);
    const options = { timeout: 60, onProgress: () => undefined };
    let at = 0;
    const ticking = setInterval(() => {
      at += 1;
      for (const { id, method } of raw.frames) if (method === 'tools/call') raw.send(progress(id, at));
    }, 10);
    const begin = performance.now();
    const plain = rejectionOf(client.callTool({ name: 'x' }, options)).then((error) => [
      error,
      performance.now() - begin,
    ]);
    const renewed = rejectionOf(
      client.callTool({ name: 'y' }, { ...options, resetTimeoutOnProgress: true, maxTimeout: 250 }),
    ).then((error) => [error, performance.now() - begin]);
    const [[first, firstAt], [second, secondAt]] = (await Promise.all([plain, renewed])) as [
      [Error, number],
      [Error, number],
    ];
    clearInterval(ticking);
    expect(first).toMatchObject({ name: 'TimeoutError', timeout: 60 });
    expect(second).toMatchObject({ name: 'TimeoutError', timeout: 250 });
    expect(firstAt).toBeLessThan(240);
    expect(secondAt).toBeGreaterThan(240);
    await client.close();
  });
});

test('resetTimeoutOnProgress asks for progress without a listener (case-116)', async () => {
  const server = createServer({
    info: TEST_INFO,
    handlers: {
      'tools/call': async ({ name }, context) => {
        for (let step = 1; step <= 4; step += 1) {
          await sleep(40);
          context.progress(step);
        }
        return textResult(name);
      },
    },
  });
  const events = new Events();
  const client = createClient({ info: TEST_INFO, onEvent: events.onEvent });
  await connectPair(server, client);
  const options = { timeout: 100, resetTimeoutOnProgress: true };
  expect(await client.callTool({ name: 'slow' }, options)).toEqual(textResult('slow'));
  expect(events.kinds).toEqual([]);
  expect((await rejectionOf(client.callTool({ name: 'slow' }, { timeout: 100 }))).name).toBe('TimeoutError');
  await client.close();
});
