import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readFiles, removeTemporaryFolders, temporaryFolder, type Run } from '../support/cli.js';
import { compileOutput } from '../support/hostile.js';
import { importOutput } from '../support/import-output.js';
import { mcpgen } from '../support/in-process.js';
import { closeServers, PLAIN, serving, tool } from './server-support.js';

afterAll(() => {
  closeServers();
  removeTemporaryFolders();
});

const typesTools = async (cwd: string, ...args: readonly string[]): Promise<Run> =>
  mcpgen(['types', 'tools', '--mcp-config', '.mcp.json', '--out', 'out', '--save', 'lists', ...args], {
    cwd,
    env: PLAIN,
  });

test('--clients connects to the servers by their names, whatever these are', async () => {
  const cwd = temporaryFolder();
  const { url } = await serving(() => [tool('a')]);
  const empty = await serving(() => []);
  const everything = {
    command: process.execPath,
    args: [path.resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js')],
  };
  const names = [
    'servers',
    'client',
    '2025-11-25',
    'clients',
    'a"b`${x}\\',
    'サーバー',
    'revision20251125',
    'Client',
    'call-options',
    'default',
    '',
  ];
  const mcpServers = {
    ...Object.fromEntries(names.map((name) => [name, { url }])),
    ['__proto__']: everything,
    none: { url: empty.url },
  };
  writeFileSync(path.join(cwd, '.mcp.json'), JSON.stringify({ mcpServers }));
  const run = await typesTools(cwd, '--clients');
  expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('13 servers in out/')]);
  const files = [...readFiles(path.join(cwd, 'out'))].map(([file, contents]) => ({ path: file, contents }));
  // The types of Node are not among those that the output is compiled with here.
  const errors = await compileOutput(files).errors();
  expect(errors.filter((error) => !error.includes('runtime/stdio'))).toEqual([]);
  writeFileSync(path.join(cwd, 'package.json'), '{ "type": "module" }');
  const { createClients } = await importOutput<{
    createClients: (options: object) => {
      servers: Record<string, Record<string, (args: object) => Promise<object>>>;
      listTools: () => Promise<{ tools: readonly { name: string }[] }>;
      close: () => Promise<void>;
    };
  }>(path.join(cwd, 'out/index.ts'));
  const clients = createClients({ config: mcpServers, info: { name: 'test', version: '1.0.0' } });
  expect(await Reflect.get(clients.servers, '__proto__')['echo']?.({ message: 'hi' })).toMatchObject({
    content: [{ text: 'Echo: hi' }],
  });
  const { tools } = await clients.listTools();
  expect(new Set(tools.map(({ name }) => name)).size).toBe(names.length + 13);
  await clients.close();
  expect(await typesTools(cwd, '--clients', '--check')).toMatchObject({ code: 0 });
  expect(await typesTools(cwd, '--check')).toMatchObject({ code: 1 });
  // A server that listed no tools before still has none when it fails.
  const broken = { ...mcpServers, none: { url: 'http://127.0.0.1:1/mcp' } };
  writeFileSync(path.join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: broken }));
  expect(await typesTools(cwd, '--clients')).toMatchObject({ code: 1 });
  expect(readFileSync(path.join(cwd, 'out/clients.ts'), 'utf8')).toContain('none: { tools: () => ({}),');
});
