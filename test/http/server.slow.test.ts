import { afterEach, describe, expect, test } from 'vitest';
import { type HttpHandler } from '../../generated/runtime/http-server.js';
import { fixtureHandler, STATELESS_REVISION, post, request, openSession } from './server-support.js';

// The server's side of Streamable HTTP by its rules, through `fetch` as a runtime of the Web calls it.

let handler: HttpHandler;
afterEach(() => handler.close());

describe('bad requests', () => {
  test('rejects 10,000 malformed bodies without a leak', async () => {
    handler = fixtureHandler();
    const { headers, post: say } = await openSession(handler);
    const bodies = [
      '{',
      '[1,2',
      '{"jsonrpc":"2.0","id":null,"method":"ping"}',
      '"text"',
      '{"id":1}',
      '\u0000',
      '[]',
      '{"jsonrpc":"2.0","id":{},"method":"x"}',
    ];
    const modernHeaders = { 'mcp-protocol-version': STATELESS_REVISION };
    const statuses = new Set<number>();
    for (let at = 0; at < 10_000; at += 1) {
      const body = bodies[at % bodies.length] ?? '';
      const answer = await post(handler, body, at % 16 < 8 ? headers : modernHeaders);
      statuses.add(answer.status);
    }
    expect([...statuses]).toEqual([400]);
    expect(handler.load).toEqual({ sessions: 1, open: 0 });
    expect((await say(request(1, 'ping'))).status).toBe(200);
  }, 60_000);
});
