import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { run, type Run } from '../support/cli.js';
import { listen as listenV1 } from '../../templates/server/src/listen.sdk-v1.js';
import { listen as listenV2 } from '../../templates/server/src/listen.sdk.js';

const PROGRAM = path.resolve(import.meta.dirname, '../../templates/server/src/http.ts');

const start = (port: string): Promise<Run> =>
  run(process.execPath, ['--import', 'tsx', PROGRAM], { env: { PORT: port } });

async function takenPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe('a server that cannot listen says why in one line', () => {
  test('at a port that is taken', async () => {
    const port = await takenPort();
    const { code, stdout, stderr } = await start(String(port));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      new RegExp(`^\\[.+\\] cannot listen on port ${port} \\(set PORT for another one\\): .*EADDRINUSE.*\\n$`),
    );
  });

  test.each(['soup', '99999'])('at %s, which is no port', async (port) => {
    const { code, stderr } = await start(port);
    expect(code).toBe(1);
    expect(stderr.replace(/^\[.+\] /, '')).toBe(
      `cannot listen on port ${port} (set PORT for another one): not a number from 0 to 65535\n`,
    );
  });

  test.each([
    ['1.x', listenV1],
    ['2.x', listenV2],
  ])('with the transport of the official SDK %s', async (_, listen) => {
    await expect(listen(await takenPort())).rejects.toThrow('EADDRINUSE');
  });
});

test('a client whose server requires a token says how to pass one', async () => {
  const server = createHttpServer((_request, response) => response.writeHead(401).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const program = path.resolve(import.meta.dirname, '../../templates/client/src/index.ts');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const { code, stdout, stderr } = await run(process.execPath, ['--import', 'tsx', program, url], {});
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/401.*\nSet MCP_TOKEN to a bearer token that the server accepts\.\n$/);
});
