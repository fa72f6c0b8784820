import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { serveHttp } from '../../generated/runtime/http-node.js';
import { createHttpHandler } from '../../generated/runtime/http-server.js';
import { TOOLS } from './peers/fixture-peers.js';
import { oursServer } from './peers/ours-garden.js';
import { serverProgram } from './peers/program.js';

// The inspector needs a newer Node than we do, so there is one among the packages.
const NODE = path.join(path.dirname(createRequire(import.meta.url).resolve('node-22/package.json')), 'bin/node');
const INSPECTOR = path.resolve('node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');

function inspect(...args: readonly string[]): unknown {
  const { command, args: server } = serverProgram('ours');
  // Its options come first: it would take those of Node for its own, so they follow a double dash.
  const { status, stdout, stderr } = spawnSync(NODE, [INSPECTOR, '--cli', ...args, '--', command, ...server], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout);
}

test('the inspector lists the tools of our server', () => {
  const { tools } = inspect('--method', 'tools/list') as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
});

test('the inspector calls a tool of our server', () => {
  const { content } = inspect('--method', 'tools/call', '--tool-name', 'water', '--tool-arg', 'bed=roses') as {
    content: unknown;
  };
  expect(content).toEqual([{ type: 'text', text: 'Watered the roses.' }]);
});

test('the inspector calls tools of our server over Streamable HTTP', { timeout: 60_000 }, async () => {
  let opened = 0;
  const handler = createHttpHandler({
    server: () => oursServer(),
    onEvent: ({ kind }) => {
      if (kind === 'sessionOpened') opened += 1;
    },
  });
  const listening = await serveHttp(handler, { port: 0 });
  const ask = async (...args: readonly string[]): Promise<unknown> => {
    const line = [INSPECTOR, '--cli', '--transport', 'http', '--server-url', listening.url.href, ...args];
    // Not synchronously: the server is in this process.
    const { stdout } = await promisify(execFile)(NODE, line);
    return JSON.parse(stdout);
  };
  try {
    const { tools } = (await ask('--method', 'tools/list')) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    const call = ['--method', 'tools/call', '--tool-name', 'water', '--tool-arg', 'bed=roses'];
    expect(await ask(...call)).toMatchObject({ content: [{ type: 'text', text: 'Watered the roses.' }] });
    expect(opened).toBe(2);
    expect(handler.load.open).toBe(0);
  } finally {
    await listening.close();
  }
});

test("the inspector's Node is used for nothing else", () => {
  // If it is there again, `npm install` has put it back: `node scripts/own-node.mjs` takes it away.
  expect(existsSync('node_modules/.bin/node')).toBe(false);
});
