/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unused-expressions -- What must not compile has no type to check. */
import { describe, expectTypeOf, test } from 'vitest';
import type * as Older from '../../generated/2024-11-05/index.js';
import type * as Stateful from '../../generated/2025-11-25/index.js';
import type * as Stateless from '../../generated/2026-07-28/index.js';

/** The compiler is the judge: `tsc` fails where one of these does compile, or where a type is not what it says. */
function never(_: () => void): void {
  // Nothing runs.
}

declare const stateful: typeof Stateful;
declare const stateless: typeof Stateless;
declare const older: typeof Older;

const info = { name: 'types', version: '1' };
const text = { content: [{ type: 'text', text: '' }] } satisfies Stateful.CallToolResult;

describe('what does not compile', () => {
  test('handlers that no client can call', () => {
    never(() => {
      // @ts-expect-error a server sends this one
      stateful.createServer({ info, handlers: { 'roots/list': () => ({ roots: [] }) } });
      // @ts-expect-error embedded: it never comes as a request
      stateless.createServer({ info, handlers: { 'elicitation/create': () => ({ action: 'accept' }) } });
      // @ts-expect-error of another revision
      stateless.createServer({ info, handlers: { ping: () => ({}) } });
      // @ts-expect-error of another revision
      older.createServer({ info, handlers: { 'tasks/get': () => ({}) } });
      // @ts-expect-error the runtime's own
      stateful.createServer({ info, handlers: { initialize: () => ({}) } });
      // @ts-expect-error a notification
      stateful.createServer({ info, handlers: { 'notifications/initialized': () => ({}) } });
      // @ts-expect-error a server sends this one
      stateful.createServer({ info, handlers: {}, notifications: { 'notifications/message': () => undefined } });
      // @ts-expect-error a client sends this one
      stateful.createClient({ info, handlers: { 'tools/call': () => text } });
      // @ts-expect-error a client sends this one
      stateful.createClient({ info, notifications: { 'notifications/initialized': () => undefined } });
      // @ts-expect-error of another revision
      older.createClient({ info, handlers: { 'elicitation/create': () => ({ action: 'accept' }) } });
      // @ts-expect-error wrong result
      stateful.createServer({ info, handlers: { 'tools/call': () => ({ content: 5 }) } });
      // @ts-expect-error wrong result, later
      stateful.createServer({ info, handlers: { 'tools/call': () => Promise.resolve({}) } });
    });
  });

  test('calls of another revision', () => {
    never(() => {
      const client = stateful.createClient({ info });
      const modern = stateless.createClient({ info });
      // @ts-expect-error there is no name
      void client.callTool({});
      // @ts-expect-error no such level
      void client.setLevel({ level: 'loud' });
      // @ts-expect-error a server sends this one
      client.notify('notifications/message', { level: 'info', data: 1 });
      // @ts-expect-error gone in this revision
      void modern.ping();
      // @ts-expect-error gone in this revision
      void modern.setLevel({ level: 'info' });
      // @ts-expect-error not yet in this revision
      void client.listen({});
      // @ts-expect-error the client itself does that
      void modern.callTool({ name: 'x', requestState: 'x' });
    });
  });

  test('requests to a client in a revision without any', () => {
    never(() => {
      stateless.createServer({
        info,
        handlers: {
          'tools/call': (_, context) => {
            // @ts-expect-error no such requests in this revision
            context.sampling;
            // @ts-expect-error no such level
            context.log('loud', 1);
            // @ts-expect-error a client sends this one
            context.notify('notifications/initialized');
            return text;
          },
        },
      });
      older.createServer({
        info,
        handlers: {
          'tools/call': (_, context) => {
            // @ts-expect-error not yet in this revision
            context.elicitation;
            return text;
          },
        },
      });
    });
  });
});

describe('what is typed', () => {
  test('the API of handlers and calls', () => {
    never(() => {
      stateful.createServer({
        info,
        handlers: {
          'tools/call': async (params, context) => {
            expectTypeOf(params.name).toEqualTypeOf<string>();
            expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
            expectTypeOf(await context.roots()).toEqualTypeOf<Stateful.ListRootsResult>();
            expectTypeOf(await context.request('ping')).toEqualTypeOf<Stateful.EmptyResult>();
            return text;
          },
          'tools/list': (params) => {
            expectTypeOf(params.cursor).toEqualTypeOf<string | undefined>();
            return { tools: [] };
          },
        },
      });
      stateless.createServer({
        info,
        handlers: {
          'tools/call': async (_, context) => {
            const { who } = await context.requireInput({
              who: {
                method: 'elicitation/create',
                params: { message: '', requestedSchema: { type: 'object', properties: {} } },
              },
            });
            expectTypeOf(who).toEqualTypeOf<Stateless.ElicitResult>();
            return text;
          },
        },
      });
      const client = stateful.createClient({ info });
      expectTypeOf(client.callTool({ name: 'x' })).resolves.toEqualTypeOf<Stateful.CallToolResult>();
      expectTypeOf(client.callTool({ name: 'x', task: {} })).resolves.toEqualTypeOf<Stateful.CreateTaskResult>();
      expectTypeOf(client.listAllTools()).toEqualTypeOf<AsyncGenerator<Stateful.Tool, void, undefined>>();
      const modern = stateless.createClient({ info });
      expectTypeOf(modern.discover()).resolves.toEqualTypeOf<Stateless.DiscoverResult>();
      expectTypeOf(modern.callTool({ name: 'x' })).resolves.toEqualTypeOf<Stateless.CallToolResult>();
    });
  });
});
