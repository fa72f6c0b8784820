import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import path from 'node:path';
import { temporaryFolder } from '../support/cli.js';

const servers: Server[] = [];

/** Closes all servers. */
export function closeServers(): void {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
}

/** Listens on a free port of this machine. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

/** An environment without a proxy and without credentials. */
export const PLAIN = {
  HTTPS_PROXY: '',
  https_proxy: '',
  HTTP_PROXY: '',
  http_proxy: '',
  NO_PROXY: '',
  no_proxy: '',
  MCP_TOKEN: '',
};

/** Answers requests of 2026-07-28; `toolsFor` returns the tools to list. */
export function toolListener(
  toolsFor: (request: IncomingMessage) => readonly object[],
  seen: IncomingMessage[] = [],
): RequestListener {
  return (request, response) => {
    seen.push(request);
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const { id, method } = JSON.parse(body) as { readonly id: number; readonly method: string };
      const result =
        method === 'server/discover'
          ? { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
          : { tools: toolsFor(request) };
      response.setHeader('content-type', 'application/json');
      const more = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { ...more, ...result } }));
    });
  };
}

export const tool = (name: string, more: object = {}): object => ({ name, inputSchema: { type: 'object' }, ...more });

/** A server with what it was asked. */
export async function serving(
  toolsFor: (request: IncomingMessage) => readonly object[] = () => [tool('a')],
): Promise<{ readonly url: string; readonly port: number; readonly seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const port = await listening(createServer(toolListener(toolsFor, seen)));
  return { url: `http://127.0.0.1:${port}/mcp`, port, seen };
}

/** A private certificate authority, and a server that it certifies for `localhost` and `mcp.invalid.example`. */
export async function servingPrivately(): Promise<{
  readonly port: number;
  readonly ca: string;
  readonly seen: IncomingMessage[];
}> {
  const folder = temporaryFolder();
  const openssl = (...args: readonly string[]): unknown =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Private CA');
  openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost');
  writeFileSync(path.join(folder, 'names'), 'subjectAltName=DNS:localhost,DNS:mcp.invalid.example');
  const issue = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'server.csr', ...issue, '-out', 'server.pem');
  const [cert, secret] = ['server.pem', 'server.key'].map((name) => readFileSync(path.join(folder, name)));
  const seen: IncomingMessage[] = [];
  const options = { cert: cert ?? '', key: secret ?? '' };
  const server = createTlsServer(
    options,
    toolListener(() => [tool('private')], seen),
  );
  return { port: await listening(server), ca: path.join(folder, 'ca.pem'), seen };
}

/** A proxy that notes what it is asked to connect to, and connects to one port whatever that is. */
export async function proxying(port: number): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (request: IncomingMessage, socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.on('error', () => undefined);
    const to = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      to.pipe(socket).pipe(to);
    });
    to.on('error', () => undefined);
  });
  return { url: `http://127.0.0.1:${await listening(proxy)}`, asked };
}
