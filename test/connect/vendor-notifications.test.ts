import { describe, expect, it } from 'vitest';
import { vendorNotification } from '../../generated/runtime/protocol/revision.js';
import { Events, info, r20251125, rawServer, rawSession, settle } from './harness.js';

const { createClient, createServer } = r20251125;

interface CodexEvent {
  readonly x: number;
}

const isCodexEvent = (params: unknown): params is CodexEvent =>
  typeof (params as CodexEvent | undefined)?.x === 'number';

const frame = { jsonrpc: '2.0', method: 'codex/event', params: { x: 1 } };

describe('a notification of a vendor (case-124)', () => {
  it('is one event with method and params in a client that handles it nowhere', async () => {
    const events = new Events();
    const client = createClient({ info, onEvent: events.onEvent });
    const { raw } = await rawServer(client);
    raw.send(frame);
    await settle();
    expect(events.all).toEqual([{ kind: 'unknownNotification', method: 'codex/event', params: { x: 1 } }]);
    await client.close();
  });

  it('is one event with method and params in a server that handles it nowhere', async () => {
    const events = new Events();
    const { raw } = await rawSession(createServer({ info, handlers: {}, onEvent: events.onEvent }));
    raw.send(frame);
    await settle();
    expect(events.all).toEqual([{ kind: 'unknownNotification', method: 'codex/event', params: { x: 1 } }]);
  });

  it('reaches the typed handler of a client before the fallback', async () => {
    const seen: unknown[] = [];
    const events = new Events();
    const client = createClient({
      info,
      onEvent: events.onEvent,
      vendorNotifications: {
        'codex/event': vendorNotification(isCodexEvent, ({ x }) => void seen.push(['typed', x.toFixed(1)])),
      },
      fallbackNotificationHandler: ({ method, params }) => void seen.push([method, params]),
    });
    const { raw } = await rawServer(client);
    raw.send(frame);
    raw.send({ jsonrpc: '2.0', method: 'other/event' });
    raw.send({ jsonrpc: '2.0', method: 'constructor', params: {} });
    await settle();
    expect(seen).toEqual([
      ['typed', '1.0'],
      ['other/event', undefined],
      ['constructor', {}],
    ]);
    expect(events.all).toEqual([]);
    await client.close();
  });

  it('reaches the handlers of a server with the session', async () => {
    const seen: unknown[] = [];
    const events = new Events();
    const server = createServer({
      info,
      handlers: {},
      onEvent: events.onEvent,
      vendorNotifications: {
        'codex/event': vendorNotification(isCodexEvent, ({ x }, session) => void seen.push([x, session.revision])),
      },
      fallbackNotificationHandler: ({ method }, session) => void seen.push([method, session.revision]),
    });
    const { raw } = await rawSession(server);
    raw.send(frame);
    raw.send({ jsonrpc: '2.0', method: 'other/event' });
    await settle();
    expect(seen).toEqual([
      [1, '2025-11-25'],
      ['other/event', '2025-11-25'],
    ]);
    expect(events.all).toEqual([]);
  });

  it('is an event if the guard refuses its params', async () => {
    const events = new Events();
    const client = createClient({
      info,
      onEvent: events.onEvent,
      vendorNotifications: { 'codex/event': vendorNotification(isCodexEvent, () => undefined) },
    });
    const { raw } = await rawServer(client);
    raw.send({ ...frame, params: { x: 'no' } });
    await settle();
    expect(events.all).toEqual([
      {
        kind: 'invalidNotification',
        method: 'codex/event',
        reason: 'the guard of its handler does not accept the params',
      },
    ]);
    await client.close();
  });

  it('is refused as a vendor method if a revision defines it', () => {
    const vendorNotifications = {
      'notifications/progress': vendorNotification(isCodexEvent, () => undefined),
    };
    const reason = 'notifications/progress is a method of 2025-11-25, so its handler belongs to notifications';
    expect(() => createClient({ info, vendorNotifications })).toThrow(reason);
    expect(() => createServer({ info, handlers: {}, vendorNotifications })).toThrow(reason);
  });
});
