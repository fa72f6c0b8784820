import { describe, expect, test } from 'vitest';
import { vendorNotification } from '../../generated/runtime/protocol/revision.js';
import { Events, TEST_INFO, revision20251125, connectRawServer, startRawSession, nextTurns } from './harness.js';

const { createClient, createServer } = revision20251125;

interface CodexEvent {
  readonly x: number;
}

const isCodexEvent = (params: unknown): params is CodexEvent =>
  typeof (params as CodexEvent | undefined)?.x === 'number';

const frame = { jsonrpc: '2.0', method: 'codex/event', params: { x: 1 } };

describe('a notification of a vendor (case-124)', () => {
  test('is one event in a client without a handler', async () => {
    const events = new Events();
    const client = createClient({ info: TEST_INFO, onEvent: events.onEvent });
    const { raw } = await connectRawServer(client);
    raw.send(frame);
    await nextTurns();
    expect(events.all).toEqual([{ kind: 'unknownNotification', method: 'codex/event', params: { x: 1 } }]);
    await client.close();
  });

  test('is one event in a server without a handler', async () => {
    const events = new Events();
    const { raw } = await startRawSession(createServer({ info: TEST_INFO, handlers: {}, onEvent: events.onEvent }));
    raw.send(frame);
    await nextTurns();
    expect(events.all).toEqual([{ kind: 'unknownNotification', method: 'codex/event', params: { x: 1 } }]);
  });

  test('reaches the typed handler of a client before the fallback', async () => {
    const seen: unknown[] = [];
    const events = new Events();
    const client = createClient({
      info: TEST_INFO,
      onEvent: events.onEvent,
      vendorNotifications: {
        'codex/event': vendorNotification(isCodexEvent, ({ x }) => void seen.push(['typed', x.toFixed(1)])),
      },
      fallbackNotificationHandler: ({ method, params }) => void seen.push([method, params]),
    });
    const { raw } = await connectRawServer(client);
    raw.send(frame);
    raw.send({ jsonrpc: '2.0', method: 'other/event' });
    raw.send({ jsonrpc: '2.0', method: 'constructor', params: {} });
    await nextTurns();
    expect(seen).toEqual([
      ['typed', '1.0'],
      ['other/event', undefined],
      ['constructor', {}],
    ]);
    expect(events.all).toEqual([]);
    await client.close();
  });

  test('reaches the handlers of a server with the session', async () => {
    const seen: unknown[] = [];
    const events = new Events();
    const server = createServer({
      info: TEST_INFO,
      handlers: {},
      onEvent: events.onEvent,
      vendorNotifications: {
        'codex/event': vendorNotification(isCodexEvent, ({ x }, session) => void seen.push([x, session.revision])),
      },
      fallbackNotificationHandler: ({ method }, session) => void seen.push([method, session.revision]),
    });
    const { raw } = await startRawSession(server);
    raw.send(frame);
    raw.send({ jsonrpc: '2.0', method: 'other/event' });
    await nextTurns();
    expect(seen).toEqual([
      [1, '2025-11-25'],
      ['other/event', '2025-11-25'],
    ]);
    expect(events.all).toEqual([]);
  });

  test('is an event if the guard refuses its params', async () => {
    const events = new Events();
    const client = createClient({
      info: TEST_INFO,
      onEvent: events.onEvent,
      vendorNotifications: { 'codex/event': vendorNotification(isCodexEvent, () => undefined) },
    });
    const { raw } = await connectRawServer(client);
    raw.send({ ...frame, params: { x: 'no' } });
    await nextTurns();
    expect(events.all).toEqual([
      {
        kind: 'invalidNotification',
        method: 'codex/event',
        reason: 'the guard of its handler does not accept the params',
      },
    ]);
    await client.close();
  });

  test('is refused as a vendor method if a revision defines it', () => {
    const vendorNotifications = {
      'notifications/progress': vendorNotification(isCodexEvent, () => undefined),
    };
    const reason =
      'notifications/progress is a method of 2025-11-25; move its handler from vendorNotifications to notifications';
    expect(() => createClient({ info: TEST_INFO, vendorNotifications })).toThrow(reason);
    expect(() => createServer({ info: TEST_INFO, handlers: {}, vendorNotifications })).toThrow(reason);
  });
});
