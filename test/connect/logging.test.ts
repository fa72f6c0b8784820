import { describe, expect, test } from 'vitest';
import type { LoggingLevel } from '../../generated/2025-11-25/index.js';
import {
  TEST_INFO,
  statelessMeta,
  revision20251125,
  revision20260728,
  connectRawClient,
  startRawSession,
  textResult,
} from './harness.js';

const LEVELS: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

const LOGGING = { logging: {} };

const logsAll = {
  'tools/call': (
    _: unknown,
    context: {
      log(level: LoggingLevel, data: unknown, logger?: string): void;
      notify(method: 'notifications/message', params: { level: LoggingLevel; data: unknown }): void;
    },
  ) => {
    for (const level of LEVELS) context.log(level, { level }, 'here');
    for (const level of LEVELS) context.notify('notifications/message', { level, data: 'by notify' });
    return textResult('');
  },
} as const;

const levelsOf = (
  frames: readonly { readonly method?: string; readonly params?: Readonly<Record<string, unknown>> }[],
) => frames.filter(({ method }) => method === 'notifications/message').map(({ params }) => params?.['level']);

describe('log messages in a stateful session', () => {
  test.each([true, false])('are filtered by the level that was set (own handler: %s)', async (own) => {
    const set: string[] = [];
    const server = revision20251125.createServer({
      info: TEST_INFO,
      capabilities: { logging: {} },
      handlers: {
        ...logsAll,
        ...(own
          ? {
              'logging/setLevel': ({ level }: { level: string }) => {
                set.push(level);
                return {};
              },
            }
          : {}),
      },
    });
    const { raw } = await startRawSession(server);
    const call = { method: 'tools/call', params: { name: 'x' } };
    raw.send({ jsonrpc: '2.0', id: 1, ...call });
    // Without a level the server decides: all of them.
    expect(levelsOf(await raw.nextFrames())).toEqual([...LEVELS, ...LEVELS]);
    for (const [at, level] of LEVELS.entries()) {
      await raw.request({ id: 2, method: 'logging/setLevel', params: { level } });
      await raw.nextFrames();
      raw.send({ jsonrpc: '2.0', id: 3, ...call });
      const wanted = LEVELS.slice(at);
      expect(levelsOf(await raw.nextFrames())).toEqual([...wanted, ...wanted]);
      for (const sent of LEVELS) server.notify('notifications/message', { level: sent, data: 'to all' });
      expect(levelsOf(await raw.nextFrames())).toEqual(wanted);
    }
    expect(set).toEqual(own ? LEVELS : []);
    expect((await raw.request({ id: 4, method: 'logging/setLevel', params: { level: 'loud' } })).error?.code).toBe(
      -32602,
    );
  });

  test('are not sent without the capability', async () => {
    const { raw } = await startRawSession(revision20251125.createServer({ info: TEST_INFO, handlers: logsAll }));
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } });
    expect(levelsOf(await raw.nextFrames())).toEqual([]);
    expect((await raw.request({ id: 2, method: 'logging/setLevel', params: { level: 'info' } })).error?.code).toBe(
      -32601,
    );
  });

  test('have the logger and the data', async () => {
    const { raw } = await startRawSession(
      revision20251125.createServer({ info: TEST_INFO, capabilities: { logging: {} }, handlers: logsAll }),
    );
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } });
    expect((await raw.nextFrames())[0]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'debug', logger: 'here', data: { level: 'debug' } },
    });
  });
});

describe('log messages in 2026-07-28', () => {
  test('are only sent for a request with a level', async () => {
    const { raw } = await connectRawClient(
      revision20260728.createServer({ info: TEST_INFO, capabilities: LOGGING, handlers: logsAll }),
    );
    const call = async (more: object) => {
      raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x', _meta: statelessMeta({}, more) } });
      return levelsOf(await raw.nextFrames());
    };
    expect(await call({})).toEqual([]);
    for (const [at, level] of LEVELS.entries()) {
      const wanted = LEVELS.slice(at);
      expect(await call({ 'io.modelcontextprotocol/logLevel': level })).toEqual([...wanted, ...wanted]);
    }
    // The level of one request says nothing of the next.
    expect(await call({})).toEqual([]);
    const wrong = { name: 'x', _meta: statelessMeta({}, { 'io.modelcontextprotocol/logLevel': 'loud' }) };
    expect((await raw.request({ id: 2, method: 'tools/call', params: wrong })).error?.code).toBe(-32602);
  });
});
