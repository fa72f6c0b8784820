import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { RpcError } from '../../generated/runtime/jsonrpc/error-codes.js';
import { HttpError, httpClientTransport } from '../../generated/runtime/http-client.js';
import {
  connectTestClient,
  discoverResponse,
  sendEvent,
  rejectionOf,
  initializeResponse,
  sessionScript,
  sendJson,
  resultMessage,
  startScriptedServer,
  statelessScript,
  startStream,
  TEXT,
  unusedUrl,
  waitUntil,
  createTestClient,
} from './client-peer.js';

const call = { name: 'a', arguments: {} };

describe('sessions', () => {
  test('last from the handshake to a DELETE', async () => {
    const { url, seen } = await startScriptedServer(
      sessionScript(({ verb, message }, response) => {
        if (verb === 'GET') startStream(response);
        else sendJson(response, resultMessage(message.id, TEXT));
      }),
    );
    const { client, transport } = await connectTestClient(['2025-11-25'], { url, headers: { 'x-own': 'yes' } });
    await client.callTool(call);
    await waitUntil(() => seen.some(({ verb }) => verb === 'GET'));
    expect(transport.sessionId).toBe('session-1');
    await client.close();
    const [first, ...others] = seen;
    expect(first?.message.method).toBe('initialize');
    expect(first?.headers['mcp-session-id']).toBeUndefined();
    expect(first?.headers['mcp-protocol-version']).toBeUndefined();
    expect(first?.headers.accept).toBe('application/json, text/event-stream');
    for (const { headers } of others) {
      expect(headers['mcp-session-id']).toBe('session-1');
      expect(headers['mcp-protocol-version']).toBe('2025-11-25');
      expect(headers['x-own']).toBe('yes');
    }
    expect(seen.find(({ verb }) => verb === 'GET')?.headers.accept).toBe('text/event-stream');
    expect(seen.at(-1)?.verb).toBe('DELETE');
  });

  test('are not listened to where the server does not offer it', async () => {
    const { url, seen } = await startScriptedServer(sessionScript((_, response) => void response.writeHead(405).end()));
    const { events } = await connectTestClient(['2025-11-25'], { url });
    await waitUntil(() => seen.some(({ verb }) => verb === 'GET'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(seen.filter(({ verb }) => verb === 'GET')).toHaveLength(1);
    expect(events).toEqual([]);
  });

  test('discard the body of the 405 that says so', async () => {
    const { url } = await startScriptedServer(sessionScript((_, response) => void response.writeHead(202).end()));
    let isCanceled = false;
    const body = new ReadableStream({
      pull: (controller) => {
        controller.enqueue(new Uint8Array(1000));
      },
      cancel: () => {
        isCanceled = true;
      },
    });
    await connectTestClient(['2025-11-25'], {
      url,
      fetch: async (to, init) => (init?.method === 'GET' ? new Response(body, { status: 405 }) : fetch(to, init)),
    });
    await waitUntil(() => isCanceled);
  });

  test('do not need an id', async () => {
    const { url, seen } = await startScriptedServer(({ verb, message }, response) => {
      if (verb === 'GET') response.writeHead(405).end();
      else if (message.id === undefined) response.writeHead(202).end();
      else
        sendJson(
          response,
          message.method === 'initialize' ? initializeResponse(message.id) : resultMessage(message.id, TEXT),
        );
    });
    const { client } = await connectTestClient(['2025-11-25'], { url });
    await client.callTool(call);
    await client.close();
    expect(seen.some(({ headers }) => headers['mcp-session-id'] !== undefined)).toBe(false);
    expect(seen.some(({ verb }) => verb === 'DELETE')).toBe(false);
  });

  test('send nothing before notifications/initialized is accepted', async () => {
    let isAccepted = false;
    const early: unknown[] = [];
    const { url } = await startScriptedServer(({ verb, message }, response) => {
      if (message.method === 'initialize') sendJson(response, initializeResponse(message.id));
      else if (message.method === 'notifications/initialized') {
        setTimeout(() => {
          isAccepted = true;
          response.writeHead(202).end();
        }, 60);
      } else {
        if (!isAccepted) early.push(message);
        if (verb === 'GET') response.writeHead(405).end();
        else sendJson(response, resultMessage(message.id, TEXT));
      }
    });
    const { client } = await connectTestClient(['2025-11-25'], { url });
    await client.callTool(call);
    expect(early).toEqual([]);
  });

  test('that the server lost are started again once, and their requests are repeated', async () => {
    let sessions = 0;
    const { url, seen } = await startScriptedServer(({ verb, message, headers }, response) => {
      const session = `session-${sessions}`;
      if (message.method === 'initialize') {
        sessions += 1;
        sendJson(response, initializeResponse(message.id), 200, { 'mcp-session-id': `session-${sessions}` });
      } else if (headers['mcp-session-id'] !== session) sendJson(response, { error: 'no such session' }, 404);
      else if (verb === 'GET') startStream(response);
      else if (message.id === undefined) response.writeHead(202).end();
      else sendJson(response, resultMessage(message.id, TEXT));
    });
    const renewed: (string | undefined)[] = [];
    const { client, transport } = await connectTestClient(['2025-11-25'], {
      url,
      onEvent: (event) => {
        if (event.kind === 'sessionRenewed') renewed.push(event.sessionId);
      },
    });
    await client.callTool(call);
    sessions = 7;
    const answers = await Promise.all([client.callTool(call), client.callTool(call), client.callTool(call)]);
    expect(answers).toHaveLength(3);
    expect(renewed).toEqual(['session-8']);
    expect(transport.sessionId).toBe('session-8');
    const handshakes = seen.filter(({ message }) => message.method === 'initialize');
    expect(handshakes).toHaveLength(2);
    expect(handshakes[1]?.headers['mcp-session-id']).toBeUndefined();
    expect(handshakes[1]?.message.params).toEqual(handshakes[0]?.message.params);
  });

  test('that the server lost and cannot start again fail the call', async () => {
    let isGone = false;
    const alive = sessionScript(({ verb, message }, response) => {
      if (verb === 'GET') response.writeHead(405).end();
      else sendJson(response, resultMessage(message.id, TEXT));
    });
    const { url } = await startScriptedServer((seen, response) => {
      if (isGone) sendJson(response, { error: 'gone' }, 404);
      else void alive(seen, response);
    });
    const { client } = await connectTestClient(['2025-11-25'], { url });
    await client.callTool(call);
    isGone = true;
    const error = await rejectionOf(client.callTool(call));
    expect(error).toBeInstanceOf(HttpError);
    expect(error.message).toContain('404, the server rejects initialize');
  });
});

describe('answers', () => {
  test('are streamed with their notifications and requests', async () => {
    const answers: unknown[] = [];
    const { url } = await startScriptedServer(
      sessionScript(({ verb, message }, response) => {
        if (verb === 'GET') response.writeHead(405).end();
        else if (message.method === undefined) {
          answers.push(message);
          response.writeHead(202).end();
        } else {
          startStream(response);
          const progressToken = (message.params?.['_meta'] as { progressToken: number }).progressToken;
          sendEvent(response, {
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken, progress: 1 },
          });
          sendEvent(response, { jsonrpc: '2.0', id: 'q', method: 'ping' });
          void waitUntil(() => answers.length > 0).then(() => {
            sendEvent(response, resultMessage(message.id, TEXT));
            response.end();
          });
        }
      }),
    );
    const { client } = await connectTestClient(['2025-11-25'], { url });
    const steps: number[] = [];
    await client.callTool(call, { onProgress: ({ progress }) => void steps.push(progress) });
    expect(steps).toEqual([1]);
    expect(answers).toEqual([{ jsonrpc: '2.0', id: 'q', result: {} }]);
  });

  test('do not wait for a stream that the server leaves open', async () => {
    let isCut = false;
    const { url } = await startScriptedServer(
      sessionScript(({ verb, message }, response) => {
        if (verb === 'GET') response.writeHead(405).end();
        else {
          startStream(response);
          response.on('close', () => {
            isCut = true;
          });
          sendEvent(response, resultMessage(message.id, TEXT));
        }
      }),
    );
    const { client } = await connectTestClient(['2025-11-25'], { url });
    await client.callTool(call);
    await waitUntil(() => isCut);
  });

  test('form a batch in 2025-03-26', async () => {
    const posted: unknown[] = [];
    const { url } = await startScriptedServer(({ verb, message }, response) => {
      if (message.method === 'initialize') sendJson(response, initializeResponse(message.id, '2025-03-26'));
      else if (verb === 'GET') response.writeHead(405).end();
      else if (Array.isArray(message)) {
        posted.push(message);
        response.writeHead(202).end();
      } else if (message.id === undefined) response.writeHead(202).end();
      else {
        startStream(response);
        sendEvent(response, [
          { jsonrpc: '2.0', id: 'a', method: 'ping' },
          { jsonrpc: '2.0', id: 'b', method: 'ping' },
        ]);
        sendEvent(response, [resultMessage(message.id, TEXT)]);
        response.end();
      }
    });
    const { client } = await connectTestClient(['2025-03-26'], { url });
    await client.callTool(call);
    await waitUntil(() => posted.length > 0);
    expect(posted).toEqual([
      [
        { jsonrpc: '2.0', id: 'a', result: {} },
        { jsonrpc: '2.0', id: 'b', result: {} },
      ],
    ]);
  });

  test('come to the others of a batch of which one is cancelled', async () => {
    const { url } = await startScriptedServer(({ verb, message }, response) => {
      if (verb === 'GET') response.writeHead(405).end();
      else if (Array.isArray(message)) {
        startStream(response);
        setTimeout(() => {
          sendEvent(response, resultMessage(2, TEXT));
        }, 100);
      } else response.writeHead(202).end();
    });
    const transport = httpClientTransport({ url });
    const came: unknown[] = [];
    transport.onmessage = (message) => came.push(message);
    await transport.start();
    transport.setProtocolVersion('2025-03-26');
    const sent = transport.send([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: call })));
    await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await sent;
    expect(came).toEqual([resultMessage(2, TEXT)]);
    await transport.close();
  });

  test('closing from onclose ends there', async () => {
    const transport = httpClientTransport({ url: 'http://127.0.0.1:9/mcp' });
    let closed = 0;
    transport.onclose = () => {
      closed += 1;
      void transport.close();
    };
    await transport.start();
    await transport.close();
    expect(closed).toBe(1);
  });

  test('with a JSON-RPC error reject with that error, whatever the status', async () => {
    const { url } = await startScriptedServer(
      sessionScript(({ message }, response) => {
        sendJson(
          response,
          { jsonrpc: '2.0', id: message.id ?? null, error: { code: -32602, message: 'no such tool' } },
          400,
        );
      }),
    );
    const { client } = await connectTestClient(['2025-11-25'], { url });
    const error = await rejectionOf(client.callTool(call), RpcError);
    expect(error.code).toBe(-32602);
  });

  test('a cancelled call notifies the server and closes its stream', async () => {
    let isCut = false;
    const { url, seen } = await startScriptedServer(
      sessionScript(({ verb, message }, response) => {
        if (verb === 'GET') response.writeHead(405).end();
        else if (message.method === 'tools/call') {
          startStream(response);
          response.on('close', () => {
            isCut = true;
          });
        } else response.writeHead(202).end();
      }),
    );
    const { client, events } = await connectTestClient(['2025-11-25'], { url });
    const controller = new AbortController();
    const calling = client.callTool(call, { signal: controller.signal });
    await waitUntil(() => seen.some(({ message }) => message.method === 'tools/call'));
    controller.abort(new Error('enough'));
    expect((await rejectionOf(calling)).message).toBe('enough');
    await waitUntil(() => isCut);
    const asked = seen.find(({ message }) => message.method === 'tools/call');
    expect(
      seen.find(({ message }) => message.method === 'notifications/cancelled')?.message.params?.['requestId'],
    ).toBe(asked?.message.id);
    expect(events).toEqual([]);
  });
});

describe('stateless conversations', () => {
  const tools = {
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    tools: [
      {
        name: 'a',
        inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
      },
      { name: 'bad', inputSchema: { type: 'object', properties: { x: { type: 'string', 'x-mcp-header': 'a b' } } } },
      { name: 'plain', inputSchema: { type: 'object' } },
    ],
  };

  test('mirror the message in headers', async () => {
    const { url, seen } = await startScriptedServer(
      statelessScript(({ message }, response) => {
        sendJson(response, resultMessage(message.id, message.method === 'tools/list' ? tools : TEXT));
      }),
    );
    const { client, events } = await connectTestClient(['2026-07-28', '2025-11-25'], { url });
    const listed = await client.listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual(['a', 'plain']);
    expect(events.map((one) => (one.kind === 'transportFailed' ? String(one.error) : one.kind))).toEqual([
      expect.stringContaining('the tool "bad" is omitted'),
    ]);
    await client.callTool({ name: 'a', arguments: { region: 'zürich' } });
    await client.close();
    expect(seen.map(({ verb }) => verb)).toEqual(['POST', 'POST', 'POST']);
    expect(
      seen.map(({ headers }) => [headers['mcp-method'], headers['mcp-name'], headers['mcp-param-region']]),
    ).toEqual([
      ['server/discover', undefined, undefined],
      ['tools/list', undefined, undefined],
      ['tools/call', 'a', '=?base64?esO8cmljaA==?='],
    ]);
    for (const { headers } of seen) expect(headers['mcp-protocol-version']).toBe('2026-07-28');
  });

  test('repeat a call once with the headers that the server requires', async () => {
    const { url, seen } = await startScriptedServer(
      statelessScript(({ message, headers }, response) => {
        if (message.method === 'tools/list') sendJson(response, resultMessage(message.id, tools));
        else if (headers['mcp-param-region'] === undefined)
          sendJson(response, { jsonrpc: '2.0', id: message.id, error: { code: -32020, message: 'no region' } }, 400);
        else sendJson(response, resultMessage(message.id, TEXT));
      }),
    );
    const { client } = await connectTestClient(['2026-07-28'], { url });
    await client.callTool({ name: 'a', arguments: { region: 'x' } });
    expect(seen.slice(1).map(({ message }) => message.method)).toEqual(['tools/call', 'tools/list', 'tools/call']);
    const error = await rejectionOf(client.callTool({ name: 'plain' }), RpcError);
    expect(error.code).toBe(-32020);
    expect(seen.slice(4).map(({ message }) => message.method)).toEqual(['tools/call', 'tools/list']);
    // Only calls of tools have such headers.
    expect((await rejectionOf(client.getPrompt({ name: 'a' }), RpcError)).code).toBe(-32020);
    expect(seen.slice(6).map(({ message }) => message.method)).toEqual(['prompts/get']);
  });

  test('cancel by closing the stream alone', async () => {
    let cuts = 0;
    const { url, seen } = await startScriptedServer(
      statelessScript((_, response) => {
        startStream(response);
        response.on('close', () => {
          cuts += 1;
        });
      }),
    );
    const { client, events } = await connectTestClient(['2026-07-28'], { url });
    const controller = new AbortController();
    const calling = rejectionOf(client.callTool(call, { signal: controller.signal }));
    const late = rejectionOf(client.callTool(call, { timeout: 200 }));
    await waitUntil(() => seen.length === 3);
    controller.abort(new Error('enough'));
    expect((await calling).message).toBe('enough');
    expect((await late).name).toBe('TimeoutError');
    await waitUntil(() => cuts === 2);
    expect(seen.map(({ message }) => message.method)).not.toContain('notifications/cancelled');
    expect(events).toEqual([]);
  });

  test('subscribe by a stream that stays open', async () => {
    let push: ((value: unknown) => void) | undefined;
    let isCut = false;
    const { url } = await startScriptedServer(
      statelessScript(({ message }, response) => {
        startStream(response);
        const _meta = { 'io.modelcontextprotocol/subscriptionId': message.id };
        push = (value) => {
          sendEvent(response, value);
        };
        response.on('close', () => {
          isCut = true;
        });
        push({
          jsonrpc: '2.0',
          method: 'notifications/subscriptions/acknowledged',
          params: { _meta, notifications: { toolsListChanged: true } },
        });
        setTimeout(() => {
          response.write(': still here\n\n');
          push?.({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta } });
        }, 50);
      }),
    );
    const { client } = await connectTestClient(['2026-07-28'], { url });
    const told: string[] = [];
    const subscription = await client.listen({ notifications: { toolsListChanged: true } } as never, {
      onNotification: (method) => void told.push(method),
    });
    await waitUntil(() => told.length === 1);
    subscription.close();
    await waitUntil(() => isCut);
    await subscription.ended;
  });

  test('a subscription whose stream breaks off says so', async () => {
    const { url } = await startScriptedServer(
      statelessScript(({ message }, response) => {
        startStream(response);
        sendEvent(response, {
          jsonrpc: '2.0',
          method: 'notifications/subscriptions/acknowledged',
          params: { _meta: { 'io.modelcontextprotocol/subscriptionId': message.id }, notifications: {} },
        });
        setTimeout(() => response.destroy(), 50);
      }),
    );
    const { client } = await connectTestClient(['2026-07-28'], { url });
    const subscription = await client.listen({ notifications: {} } as never);
    expect((await rejectionOf(subscription.ended)).message).toContain('the stream ended before the response');
  });

  test('send no response, even if the server sends a request', async () => {
    const { url, seen } = await startScriptedServer(
      statelessScript(({ message }, response) => {
        startStream(response);
        sendEvent(response, { jsonrpc: '2.0', id: 'q', method: 'ping' });
        sendEvent(response, resultMessage(message.id, TEXT));
        response.end();
      }),
    );
    const { client, events } = await connectTestClient(['2026-07-28'], { url });
    await client.callTool(call);
    await client.close();
    expect(seen.map(({ message }) => message.method)).toEqual(['server/discover', 'tools/call']);
    expect(events).toEqual([{ kind: 'unexpectedRequest', id: 'q', method: 'ping' }]);
  });
});

describe('which revision is spoken', () => {
  test('a server of another stateless revision is retried in that revision', async () => {
    let asked = 0;
    const { url } = await startScriptedServer(({ message }, response) => {
      asked += 1;
      if (asked === 1)
        sendJson(
          response,
          { jsonrpc: '2.0', id: null, error: { code: -32022, message: 'no', data: { supported: ['2026-07-28'] } } },
          400,
        );
      else sendJson(response, discoverResponse(message.id));
    });
    const { client } = await connectTestClient(['2026-07-28', '2025-11-25'], { url });
    expect([client.revision, asked]).toEqual(['2026-07-28', 2]);
  });

  test.each([400, 404, 405, 406, 500])(
    'a server that meets a stateless request with %i is an older one',
    async (status) => {
      const { url } = await startScriptedServer((seen, response) => {
        if (seen.message.method === 'server/discover') response.writeHead(status).end('what?');
        else void sessionScript(({ verb }, to) => void to.writeHead(verb === 'GET' ? 405 : 202).end())(seen, response);
      });
      const { client } = await connectTestClient(['2026-07-28', '2025-11-25'], { url });
      expect(client.revision).toBe('2025-11-25');
    },
  );

  test.each([-32020, -32021])('a stateless server that refuses with %i is not taken for an older one', async (code) => {
    const { url, seen } = await startScriptedServer(({ message }, response) => {
      sendJson(response, { jsonrpc: '2.0', id: message.id, error: { code, message: 'no' } }, 400);
    });
    const { client, transport } = createTestClient(['2026-07-28', '2025-11-25'], { url });
    expect((await rejectionOf(client.connect(transport), RpcError)).code).toBe(code);
    expect(seen).toHaveLength(1);
  });

  test('a server that is not there is asked once', async () => {
    const url = await unusedUrl();
    let asked = 0;
    const { client, transport } = createTestClient(['2026-07-28', '2025-11-25'], {
      url,
      fetch: (...args) => {
        asked += 1;
        return fetch(...args);
      },
    });
    const error = await rejectionOf(client.connect(transport));
    expect([error.message, asked]).toEqual([`POST ${url}: no response (ECONNREFUSED)`, 1]);
  });
});

describe('HTTP+SSE of 2024-11-05', () => {
  test('is tried where the server rejects initialize', async () => {
    let push: ((text: string) => void) | undefined;
    const { url, seen } = await startScriptedServer(({ verb, path, message }, response) => {
      if (verb === 'GET') {
        startStream(response);
        push = (text) => void response.write(text);
        push('event: endpoint\ndata: /messages?session=1\n\n');
      } else if (path === '/messages?session=1') {
        response.writeHead(202).end('Accepted');
        if (message.id !== undefined)
          push?.(
            `event: message\ndata: ${JSON.stringify(message.method === 'initialize' ? initializeResponse(message.id) : resultMessage(message.id, TEXT))}\n\n`,
          );
      } else response.writeHead(404).end();
    });
    const { client } = await connectTestClient(['2026-07-28', '2025-11-25'], { url });
    await Promise.all([client.callTool(call), client.callTool(call)]);
    await client.close();
    expect(seen.filter(({ verb }) => verb === 'GET')).toHaveLength(1);
    expect(seen.some(({ verb }) => verb === 'DELETE')).toBe(false);
  });

  test('rejects an endpoint of another origin', async () => {
    const { url, seen } = await startScriptedServer(({ verb }, response) => {
      if (verb !== 'GET') {
        response.writeHead(405).end();
        return;
      }
      startStream(response);
      response.write('event: endpoint\ndata: http://127.0.0.1:9/steal\n\n');
    });
    const { client, transport } = createTestClient(['2025-11-25'], { url });
    const error = await rejectionOf(client.connect(transport));
    expect(error.message).toContain('405, the server rejects initialize');
    expect(error.message).toContain('another origin');
    expect(seen).toHaveLength(2);
  });

  test('is off if the option disables the fallback', async () => {
    const { url, seen } = await startScriptedServer((_, response) => void response.writeHead(404).end('nothing here'));
    const { client, transport } = createTestClient(['2025-11-25'], { url, fallsBackToSse: false });
    expect((await rejectionOf(client.connect(transport))).message).toMatch(
      /404, the server rejects the message: nothing here$/,
    );
    expect(seen).toHaveLength(1);
  });

  test('ends the connection when its stream ends', async () => {
    const { url } = await startScriptedServer(({ verb, path, message }, response) => {
      if (verb === 'GET') {
        startStream(response);
        response.write('event: endpoint\ndata: /messages\n\n');
        push = response;
      } else if (path === '/messages') {
        response.writeHead(202).end();
        if (message.method === 'initialize') push?.write(`data: ${JSON.stringify(initializeResponse(message.id))}\n\n`);
        else if (message.method === 'tools/call') push?.end();
      } else response.writeHead(404).end();
    });
    let push: ServerResponse | undefined;
    const { client, events } = await connectTestClient(['2025-11-25'], { url });
    expect((await rejectionOf(client.callTool(call))).name).toBe('ConnectionClosedError');
    await client.closed;
    expect(events.map(({ kind }) => kind)).toEqual(['transportFailed']);
  });
});

describe('what is given to it', () => {
  test.each(['nothing', 'ftp://example.org/', 'javascript:alert(1)'])('the URL %s is refused', (url) => {
    expect(() => httpClientTransport({ url })).toThrow(TypeError);
  });

  test.each([
    { 'mcp-session-id': 'x' },
    { Accept: 'x' },
    { 'a b': 'x' },
    { 'x-a': 'b\r\nx-evil: 1' },
    { 'x-a': 'snow\u2603' },
  ])('the headers %j are refused', (headers) => {
    expect(() => httpClientTransport({ url: 'http://localhost/', headers })).toThrow(TypeError);
  });

  test('sends the credentials of the URL in a header only', async () => {
    const { url, seen } = await startScriptedServer(
      (_, response) => void response.writeHead(500).end('out\u001b[31m of\norder'),
    );
    const secret = url.replace('http://', 'http://me:geheim%21@').concat('?key=secret');
    const { client, transport } = createTestClient(['2025-11-25'], { url: secret });
    const error = await rejectionOf(client.connect(transport), HttpError);
    expect(seen[0]?.headers.authorization).toBe(`Basic ${btoa('me:geheim!')}`);
    expect(seen[0]?.path).toBe('/mcp?key=secret');
    expect(error.message).toBe(`POST ${url}: 500, the server rejects the message: out [31m of order`);
    expect([error.status, error.url]).toEqual([500, url]);
  });
});
