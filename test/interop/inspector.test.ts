import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { TOOLS } from './peers/garden.js';
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

test("the inspector's Node is used for nothing else", () => {
  // If it is there again, `npm install` has put it back: `node scripts/own-node.mjs` takes it away.
  expect(existsSync('node_modules/.bin/node')).toBe(false);
});
