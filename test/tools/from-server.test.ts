import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { removeTemporaryFolders, type Run, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  removeTemporaryFolders();
});

const tool = (name: string): object => ({ name, inputSchema: { type: 'object' } });

/** A server of 2026-07-28 over HTTP; `pages` are the answers to `tools/list` by cursor. */
async function serving(pages: Readonly<Record<string, object>>): Promise<number> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const { id, method, params } = JSON.parse(body) as {
        readonly id: number;
        readonly method: string;
        readonly params: { readonly cursor?: string };
      };
      const result =
        method === 'server/discover'
          ? { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
          : pages[params.cursor ?? 'first'];
      response.setHeader('content-type', 'application/json');
      const more = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { ...more, ...result } }));
    });
  });
  return listening(server);
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

/** A proxy that notes what it is asked to connect to, and connects to one port whatever that is. */
async function proxying(port: number | undefined): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(502).end();
  });
  proxy.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.on('error', () => undefined);
    if (port === undefined) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    const to = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      to.pipe(socket).pipe(to);
    });
    to.on('error', () => undefined);
  });
  return { url: `http://127.0.0.1:${await listening(proxy)}`, asked };
}

const NO_PROXY = { HTTPS_PROXY: '', https_proxy: '', HTTP_PROXY: '', http_proxy: '', NO_PROXY: '', no_proxy: '' };

function typesTools(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Run> {
  return mcpgen(['types', 'tools', ...args, '--timeout', '20', '--out', 'out', '--save', 'tools.json'], {
    cwd,
    env: { ...NO_PROXY, ...env },
  });
}

const namesIn = (folder: string): string[] =>
  (JSON.parse(readFileSync(path.join(folder, 'tools.json'), 'utf8')) as { tools: { name: string }[] }).tools.map(
    ({ name }) => name,
  );

/** A server that responds with 401, and the `Authorization` headers that it has seen. */
async function guarded(
  expected: string,
): Promise<{ port: number; seen: (string | undefined)[]; close: () => Promise<unknown> }> {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(request.headers.authorization === expected ? 500 : 401).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, seen, close: () => once(server.close(), 'close') };
}

describe.concurrent('--from-server', () => {
  test('goes through HTTP_PROXY (case-119)', async () => {
    const { url, asked } = await proxying(await serving({ first: { tools: [tool('a')] } }));
    const cwd = temporaryFolder();
    const run = await typesTools(['--from-server', 'http://mcp.invalid.example/mcp'], cwd, { HTTP_PROXY: url });
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(namesIn(cwd)).toEqual(['a']);
    expect(new Set(asked)).toEqual(new Set(['CONNECT mcp.invalid.example:80']));
  });

  test('goes through HTTPS_PROXY (case-119)', async () => {
    const { url, asked } = await proxying(undefined);
    const run = await typesTools(['--from-server', 'https://mcp.invalid.example/mcp'], temporaryFolder(), {
      HTTPS_PROXY: url,
    });
    expect(run.code).toBe(2);
    expect(asked[0]).toBe('CONNECT mcp.invalid.example:443');
  });

  test('goes around the proxy for the hosts of NO_PROXY (case-119)', async () => {
    const port = await serving({ first: { tools: [tool('a')] } });
    const { url, asked } = await proxying(undefined);
    const cwd = temporaryFolder();
    const run = await typesTools(['--from-server', `http://127.0.0.1:${port}/mcp`], cwd, {
      HTTP_PROXY: url,
      NO_PROXY: '127.0.0.1',
    });
    expect([run.code, run.stderr, asked]).toEqual([0, '', []]);
  });

  test('a server that requires authorization causes an error that says how to pass credentials', async () => {
    const { port, seen, close } = await guarded('Bearer right');
    const url = `http://127.0.0.1:${port}/mcp`;
    const run = await typesTools(['--from-server', url], temporaryFolder());
    await close();
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('401');
    expect(run.stderr).toContain('hint: Pass credentials: set MCP_TOKEN to a bearer token');
    expect(new Set(seen)).toEqual(new Set([undefined]));
  });

  test('sends MCP_TOKEN as a bearer token, unless the URL has credentials', async () => {
    const { port, seen, close } = await guarded('Bearer right');
    const env = { MCP_TOKEN: 'wrong' };
    await typesTools(['--from-server', `http://127.0.0.1:${port}/mcp`], temporaryFolder(), env);
    await typesTools(['--from-server', `http://me:secret@127.0.0.1:${port}/mcp`], temporaryFolder(), env);
    await close();
    expect(new Set(seen)).toEqual(new Set(['Bearer wrong', `Basic ${btoa('me:secret')}`]));
  });

  test('says that the server rejects MCP_TOKEN if it is set', async () => {
    const { port, close } = await guarded('Bearer right');
    const env = { MCP_TOKEN: 'wrong' };
    const run = await typesTools(['--from-server', `http://127.0.0.1:${port}/mcp`], temporaryFolder(), env);
    await close();
    expect(run.stderr).toContain('hint: Pass credentials: correct MCP_TOKEN, whose token the server rejects, or');
  });

  test('never sends MCP_TOKEN unencrypted to another machine', async () => {
    const { port, seen, close } = await guarded('Bearer right');
    const { url } = await proxying(port);
    const env = { MCP_TOKEN: 'right', HTTP_PROXY: url };
    const run = await typesTools(['--from-server', 'http://mcp.invalid.example/mcp'], temporaryFolder(), env);
    await close();
    expect(new Set(seen)).toEqual(new Set([undefined]));
    expect(run.stderr).toContain('use https, since MCP_TOKEN is not sent unencrypted to another machine');
  });

  test('takes an empty cursor of 2026-07-28 for one like any other (case-114)', async () => {
    const port = await serving({
      first: { tools: [tool('a')], nextCursor: '' },
      '': { tools: [tool('b')], nextCursor: '' },
    });
    const cwd = temporaryFolder();
    const run = await typesTools(['--from-server', `http://127.0.0.1:${port}/mcp`], cwd);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(namesIn(cwd)).toEqual(['a', 'b']);
  });

  const OLD = `const { appendFileSync } = require("node:fs");
    let isFirst = true;
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      appendFileSync("methods", method + "\\n");
      if (isFirst && method !== "initialize") process.exit(1);
      isFirst = false;
      const result = method === "initialize"
        ? { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } }
        : { tools: [{ name: "a", inputSchema: { type: "object" } }] };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    })`;

  async function ofOld(...more: readonly string[]): Promise<{ readonly run: Run; readonly methods: string[] }> {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, 'server.cjs'), OLD);
    const run = await typesTools(['--from-server', `"${process.execPath}" server.cjs`, ...more], cwd);
    return { run, methods: readFileSync(path.join(cwd, 'methods'), 'utf8').split('\n').slice(0, -1) };
  }

  test('starts a server that exits at server/discover once more (case-117)', async () => {
    const { run, methods } = await ofOld();
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(methods).toEqual(['server/discover', 'initialize', 'notifications/initialized', 'tools/list']);
  });

  test('--revision uses only that revision (case-117)', async () => {
    const { run, methods } = await ofOld('--revision', '2025-06-18', '-r', '2025-11-25');
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(methods).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
  });

  test.each<[readonly string[], RegExp]>([
    [['--from-server', 'x', '--revision', '2099-01-01'], /revision "2099-01-01" is not built in/],
    [['a.json', '--revision', '2025-11-25'], /only applies to --from-server/],
  ])('%j is refused', async (args, message) => {
    const run = await mcpgen(['types', 'tools', ...args, '--out', 'x'], { cwd: temporaryFolder() });
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(message);
  });
});

test('--check compares the server with the one list of the config', async () => {
  const pages = { first: { tools: [tool('one')] } };
  const url = `http://127.0.0.1:${await serving(pages)}/mcp`;
  const folder = temporaryFolder();
  const config = { out: 'out', revisions: ['2026-07-28'], emit: ['client'], tools: ['tools.json'] };
  writeFileSync(path.join(folder, 'mcpgen.config.json'), JSON.stringify(config));
  const run = (...args: readonly string[]): Promise<Run> =>
    mcpgen(['types', 'tools', '--from-server', url, '--timeout', '20', ...args], { cwd: folder, env: NO_PROXY });
  expect(await run('--save', 'tools.json')).toMatchObject({ code: 0, stderr: '' });
  expect(await run('--check')).toMatchObject({ code: 0, stderr: '' });
  pages.first.tools.push(tool('two'));
  const stale = await run('--check');
  expect(stale).toMatchObject({ code: 1 });
  expect(stale.stdout).toMatch(/run the same command with --save tools\.json instead of --check\.\n$/);
  expect(namesIn(folder)).toEqual(['one']);
  expect((await run()).stderr).toContain('the config lists other tools for this output folder');
});
