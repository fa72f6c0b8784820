/** Servers that hang, crash or flood: a check ends in bounded time and memory, and says what it found. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { afterAll, describe, expect, test } from 'vitest';
import { StdioConnection } from '../../generator/check-server/raw/stdio.js';
import type { CheckReport } from '../../generator/check-server/report.js';
import { Session } from '../../generator/check-server/session.js';
import { removeTemporaryFolders } from '../support/cli.js';
import { itemsOf, shareOfToday, shareText } from '../support/today.js';
import { check, scriptCommand } from './support.js';

afterAll(removeTemporaryFolders);

/** Most that the memory of this process may grow, in bytes. */
const MAX_GROWTH = 400 * 1024 * 1024;
const OPTIONS = { revisions: ['2025-11-25'], timeoutSeconds: 1 };

/** Answers the handshake; the body has the rest. */
const INITIALIZED = `if (message.method === 'initialize') write({ jsonrpc: '2.0', id: message.id, result: { protocolVersion: message.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } } }); else`;
/** Answers everything else with an error. */
const REFUSED = `if (message.id !== undefined) write({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'No' } });`;

function rulesOf({ findings }: CheckReport): readonly string[] {
  return findings.map(({ rule }) => rule);
}

const SHARE = shareOfToday(2);

describe(`over stdio, ${shareText(SHARE)}`, () => {
  test('an answer to the server does not cut a message that is written in pieces', async () => {
    // Pings at the first bytes, and reports how many lines it cannot parse.
    const body = `
      let text = '', isFirst = true;
      process.stdin.on('data', (chunk) => {
        if (isFirst) process.stdout.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\\n');
        isFirst = false;
        text += chunk;
        const lines = text.split('\\n').slice(0, -1);
        if (lines.length < 2) return;
        let broken = 0;
        for (const line of lines) try { JSON.parse(line); } catch { broken += 1; }
        process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: 'lines', result: { broken } }) + '\\n');
      });`;
    const connection = await StdioConnection.open({
      kind: 'stdio',
      command: process.execPath,
      args: ['-e', body],
      env: {},
      cwd: undefined,
    });
    try {
      const session = new Session(connection, '2025-11-25', 5000);
      const reply = await session.request('x', { text: 'y'.repeat(200) }, { id: 'lines', pieceBytes: 13 });
      expect(reply.result).toEqual({ broken: 0 });
    } finally {
      await connection.close();
    }
  });

  test.concurrent.each(
    itemsOf(
      [
        ['answers nothing', '', ''],
        ['exits at once', '', 'process.exit(0)'],
        ['exits at the first message', 'process.exit(1);', ''],
        ['closes its output', '', 'process.stdout.end(); setInterval(() => {}, 1000)'],
        ['writes a line without end', '', "setInterval(() => process.stdout.write('x'.repeat(1e6)), 1)"],
        [
          'writes messages without end',
          '',
          `setInterval(() => write('{"jsonrpc":"2.0","method":"a"}'.concat('\\n').repeat(5000)), 1)`,
        ],
        ['writes bytes that are not UTF-8', '', 'process.stdout.write(Buffer.alloc(1000, 0xff))'],
      ],
      SHARE,
    ),
  )(
    'a server that %s speaks nothing',
    async (_, body, start) => {
      const before = process.memoryUsage().rss;
      const begun = performance.now();
      await expect(check(scriptCommand(body, start), OPTIONS)).rejects.toThrow('speaks no revision of MCP');
      expect(performance.now() - begun).toBeLessThan(30_000);
      expect(process.memoryUsage().rss - before).toBeLessThan(MAX_GROWTH);
    },
    60_000,
  );

  test.concurrent.each(
    itemsOf(
      [
        ['hangs after the handshake', '{}', 'no-answer'],
        ['exits at every request', `{ if (message.id !== undefined) process.exit(1); }`, 'no-answer'],
        [
          'exits in the middle of a line',
          `{ if (message.id !== undefined) { process.stdout.write('{"jsonrpc":'); process.exit(1); } }`,
          'not-json',
        ],
        [
          'answers with a value that is nested deeply',
          `{ if (message.id !== undefined) write('{"jsonrpc":"2.0","id":' + JSON.stringify(message.id) + ',"result":' + '['.repeat(1e6) + ']'.repeat(1e6) + '}'); }`,
          'no-answer',
        ],
        [
          'answers with a huge line',
          `{ if (message.id !== undefined) write({ jsonrpc: '2.0', id: message.id, result: { tools: [], text: 'x'.repeat(2e7) } }); }`,
          'no-answer',
        ],
        ['answers with arrays and numbers', `{ write([1, [], null]); write(1); }`, 'no-answer'],
        [
          'pages without end',
          `if (message.method === 'tools/list') write({ jsonrpc: '2.0', id: message.id, result: { tools: [], nextCursor: String(Math.random()) } }); else ${REFUSED}`,
          'paging-endless',
        ],
        [
          'floods after a request',
          `if (message.method === 'tools/list') setInterval(() => write('{"jsonrpc":"2.0","method":"a"}'.concat('\\n').repeat(5000)), 1);`,
          'flood',
        ],
      ],
      SHARE,
    ),
  )(
    'a server that %s has the finding',
    async (_, body, rule) => {
      const before = process.memoryUsage().rss;
      const begun = performance.now();
      const report = await check(scriptCommand(`${INITIALIZED} ${body}`), OPTIONS);
      expect(rulesOf(report)).toContain(rule);
      expect(performance.now() - begun).toBeLessThan(60_000);
      expect(process.memoryUsage().rss - before).toBeLessThan(MAX_GROWTH);
    },
    90_000,
  );

  test('after a request that ends the server, the other probes run on a new one', async () => {
    const body = `${INITIALIZED} if (message.method === 'mcpgen/check-unknown') process.exit(1); else if (message.method === 'ping') write({ jsonrpc: '2.0', id: message.id, result: {} }); else ${REFUSED}`;
    const report = await check(scriptCommand(body), OPTIONS);
    expect(rulesOf(report)).toContain('no-answer');
    const ran = report.probes.filter(({ status }) => status === 'passed' || status === 'found').map(({ id }) => id);
    expect(ran).toEqual(expect.arrayContaining(['unknown-method', 'ping', 'ids', 'concurrency', 'malformed']));
  }, 90_000);
});

/** Runs a server over HTTP in this process. */
async function withServer<T>(listener: RequestListener, action: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await action(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe(`over HTTP, ${shareText(SHARE)}`, () => {
  test.concurrent.each(
    itemsOf<readonly [string, RequestListener]>(
      [
        ['answers nothing', () => undefined],
        ['breaks every connection', (request) => request.socket.destroy()],
        ['is always broken', (_, response) => response.writeHead(500).end('no')],
        ['redirects to itself', (request, response) => response.writeHead(307, { location: request.url }).end()],
        [
          'sends a body without end',
          (_, response) => {
            response.writeHead(200, { 'content-type': 'application/json' });
            const timer = setInterval(() => response.write('x'.repeat(1e6)), 1);
            response.on('close', () => {
              clearInterval(timer);
            });
          },
        ],
        [
          'sends an event without end',
          (_, response) => {
            response.writeHead(200, { 'content-type': 'text/event-stream' });
            response.write('data: ');
            const timer = setInterval(() => response.write('x'.repeat(1e6)), 1);
            response.on('close', () => {
              clearInterval(timer);
            });
          },
        ],
        [
          'sends empty events without end',
          (_, response) => {
            response.writeHead(200, { 'content-type': 'text/event-stream' });
            const timer = setInterval(() => response.write('data: {}\n\n'.repeat(1000)), 1);
            response.on('close', () => {
              clearInterval(timer);
            });
          },
        ],
      ],
      SHARE,
    ),
  )(
    'a server that %s speaks nothing',
    async (_, listener) => {
      const before = process.memoryUsage().rss;
      const begun = performance.now();
      await withServer(listener, async (url) => {
        await expect(check(url, OPTIONS)).rejects.toThrow('speaks no revision of MCP');
      });
      expect(performance.now() - begun).toBeLessThan(30_000);
      expect(process.memoryUsage().rss - before).toBeLessThan(MAX_GROWTH);
    },
    60_000,
  );

  test('a server that hangs after the handshake has the finding', async () => {
    const listener: RequestListener = (request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
      request.on('end', () => {
        if (!text.includes('"initialize"')) return;
        const { id } = JSON.parse(text) as { readonly id: unknown };
        const result = {
          protocolVersion: '2025-11-25',
          capabilities: {},
          serverInfo: { name: 'a', version: '1' },
        };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
    };
    await withServer(listener, async (url) => {
      const begun = performance.now();
      const report = await check(url, OPTIONS);
      expect(rulesOf(report)).toContain('no-answer');
      expect(performance.now() - begun).toBeLessThan(60_000);
    });
  }, 90_000);
});
