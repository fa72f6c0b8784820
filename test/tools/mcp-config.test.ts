import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { folderNames, readMcpConfig, requireServer, targetOf } from '../../generator/connect/mcp-config.js';
import type { ServerTarget } from '../../generator/connect/target.js';
import { McpgenError } from '../../generator/errors.js';
import { listFiles, readFiles, removeTemporaryFolders, temporaryFolder, type Run } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { closeServers, PLAIN, serving, tool } from './server-support.js';

afterAll(() => {
  closeServers();
  removeTemporaryFolders();
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const SECRET = 's3cr3t-value-0123456789';

function written(name: string, contents: string | object, folder = temporaryFolder()): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof contents === 'string' ? contents : JSON.stringify(contents));
  return file;
}

async function targetIn(
  file: string,
  name = 'x',
  inputs: Readonly<Record<string, string>> = {},
): Promise<ServerTarget> {
  const config = await readMcpConfig(file);
  return targetOf(config, requireServer(config, name), {
    timeoutSeconds: 5,
    revisions: undefined,
    ca: undefined,
    login: undefined,
    inputs: new Map(Object.entries(inputs)),
  });
}

describe('the form of a host', () => {
  const servers = { x: { command: 'node' } };
  test.each<[string, string, object | string]>([
    ['Claude Desktop', 'claude_desktop_config.json', { mcpServers: servers }],
    ['Claude Code', '.mcp.json', { mcpServers: servers }],
    ['VS Code', '.vscode/mcp.json', { servers }],
    ['VS Code', 'settings.json', { mcp: { servers } }],
    ['Cursor', '.cursor/mcp.json', { mcpServers: servers }],
    ['Windsurf', 'mcp_config.json', { mcpServers: servers }],
    ['Windsurf', 'other.json', { mcpServers: { x: { serverUrl: 'https://example.com/mcp' } } }],
    ['Zed', 'settings.json', { context_servers: servers }],
    ['Codex', '.codex/config.toml', '[mcp_servers.x]\ncommand = "node"\n'],
    ['another host', 'mcp.json', { mcpServers: servers }],
  ])('%s is recognized in %s', async (host, name, contents) => {
    const config = await readMcpConfig(written(name, contents));
    expect([config.host, config.servers.map((server) => server.name)]).toEqual([host, ['x']]);
  });
});

describe('variables', () => {
  test('are expanded as Claude Code does', async () => {
    vi.stubEnv('MY_KEY', SECRET);
    const x = {
      command: '${MCPGEN_NONE:-node}',
      args: ['--key', '${MY_KEY}', '${env:MY_KEY}'],
      env: { KEY: '${MY_KEY}' },
    };
    const file = written('.mcp.json', { mcpServers: { x } });
    expect(await targetIn(file)).toMatchObject({
      command: 'node',
      args: ['--key', SECRET, '${env:MY_KEY}'],
      env: { KEY: SECRET },
      cwd: path.dirname(file),
    });
  });

  test('are expanded as VS Code does, in a file with comments', async () => {
    vi.stubEnv('MY_KEY', SECRET);
    vi.stubEnv('INPUT_OTHER_KEY', 'from-env');
    const text = `{
      // Servers
      "inputs": [{ "type": "promptString", "id": "key", "password": true }, { "id": "other-key" }, { "id": "mode", "default": "dev" }],
      "servers": { "x": { "type": "stdio", "command": "node", "args": ["\${workspaceFolder}/a.js", "http://x//y", "\${userHome}",],
        /* from a file */ "envFile": "\${workspaceFolder}/.env",
        "env": { "A": "\${input:key}", "B": "\${input:other-key}", "C": "\${env:MY_KEY}", "D": "\${MY_KEY}", "E": "\${input:mode}", "F": 5, "G": null }, } },
    }`;
    const file = written('.vscode/mcp.json', text);
    const folder = path.dirname(path.dirname(file));
    writeFileSync(path.join(folder, '.env'), 'FROM_FILE=1\nA=file\n');
    expect(await targetIn(file, 'x', { key: 'given' })).toMatchObject({
      args: [`${folder}/a.js`, 'http://x//y', homedir()],
      env: { FROM_FILE: '1', A: 'given', B: 'from-env', C: SECRET, D: '${MY_KEY}', E: 'dev', F: '5' },
      cwd: folder,
    });
  });

  test.each<[string, object, string, string]>([
    [
      '.cursor/mcp.json',
      { mcpServers: { x: { url: 'https://e.com/mcp', headers: { A: '${env:MY_KEY}' } } } },
      'A',
      SECRET,
    ],
    [
      'mcp_config.json',
      { mcpServers: { x: { serverUrl: 'https://e.com/mcp', headers: { A: 'k ${env:MY_KEY}' } } } },
      'A',
      `k ${SECRET}`,
    ],
    [
      'settings.json',
      { context_servers: { x: { url: 'https://e.com/mcp', headers: { A: '${env:MY_KEY}' } } } },
      'A',
      '${env:MY_KEY}',
    ],
  ])('are expanded as the host of %s does', async (name, contents, header, value) => {
    vi.stubEnv('MY_KEY', SECRET);
    expect(await targetIn(written(name, contents))).toMatchObject({ headers: { [header.toLowerCase()]: value } });
  });

  test('are named by Codex', async () => {
    vi.stubEnv('MY_KEY', SECRET);
    const toml = `[mcp_servers.x]
url = "https://example.com/mcp"
bearer_token_env_var = "MY_KEY"
http_headers = { "X-A" = "1" }
env_http_headers = { "X-B" = "MY_KEY" }
[mcp_servers.off]
command = "node"
enabled = false`;
    const file = written('config.toml', toml);
    expect(await targetIn(file)).toMatchObject({
      headers: { 'x-a': '1', 'x-b': SECRET, authorization: `Bearer ${SECRET}` },
    });
    expect((await readMcpConfig(file)).servers.map(({ isDisabled }) => isDisabled)).toEqual([false, true]);
  });

  test('the old form of Zed is read', async () => {
    const command = { path: 'node', args: ['a.js'], env: { A: 'b' } };
    const file = written('settings.json', { context_servers: { x: { source: 'custom', command } } });
    expect(await targetIn(file)).toMatchObject({ command: 'node', args: ['a.js'], env: { A: 'b' } });
  });
});

describe('errors', () => {
  test.each<[string, object | string, RegExp]>([
    ['.mcp.json', { mcpServers: { x: { command: 5 } } }, /\.mcp\.json#\/mcpServers\/x\/command: must be a string/],
    ['.mcp.json', { mcpServers: { x: { command: 'a', args: [1] } } }, /#\/mcpServers\/x\/args\/0: must be a string/],
    [
      '.mcp.json',
      { mcpServers: { x: { command: 'a', args: 'b' } } },
      /#\/mcpServers\/x\/args: must be a list of strings/,
    ],
    ['.mcp.json', { mcpServers: { x: { command: 'a', env: [] } } }, /#\/mcpServers\/x\/env: must be an object/],
    ['.mcp.json', { mcpServers: { x: {} } }, /#\/mcpServers\/x: has no program and no URL/],
    ['.mcp.json', { mcpServers: { x: { url: 'e.com' } } }, /#\/mcpServers\/x: not a valid URL/],
    [
      '.mcp.json',
      { mcpServers: { x: { command: '${MCPGEN_NONE}' } } },
      /x\/command: the environment variable MCPGEN_NONE is not set/,
    ],
    ['.mcp.json', { mcpServers: { y: { command: 'a' } } }, /the file has no server "x"/],
    ['.mcp.json', { mcpServers: [] }, /#\/mcpServers: must be an object with the servers by name/],
    ['.mcp.json', { mcpServers: {} }, /the file has no server "x"\nhint: It has no servers: add one there\./],
    ['.mcp.json', { other: 1 }, /the file has no servers/],
    [
      'mcp.json',
      { servers: { x: { command: 'a', args: ['${input:key}'] } } },
      /args\/0: the input "key" has no value\nhint: Set the environment variable INPUT_KEY, or pass --input key=VALUE/,
    ],
    [
      '.mcp.json',
      { mcpServers: { x: { url: 'http://e.com/mcp', headers: { Authorization: SECRET } } } },
      /credentials are not sent unencrypted/,
    ],
    ['config.toml', `key = "${SECRET}`, /config\.toml:1:\d+: not valid TOML/],
  ])('%s with %j', async (name, contents, message) => {
    const error = await targetIn(written(name, contents)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(McpgenError);
    const text = (error as McpgenError).format();
    expect(text).toMatch(message);
    expect(text).not.toContain(SECRET);
  });
});

test('folders are safe and different', () => {
  expect(folderNames(['../x', 'con', 'Größe', 'サーバー', 'a b', 'A_B', 'runtime', '', 'c'.repeat(100)])).toEqual([
    'x',
    'con-server',
    'gro-e',
    'server',
    'a-b',
    'a-b-2',
    'runtime-server',
    'server-2',
    'c'.repeat(60),
  ]);
});

describe('types tools --mcp-config', () => {
  const typesTools = async (cwd: string, ...args: readonly string[]): Promise<Run> =>
    mcpgen(['types', 'tools', '--mcp-config', '.mcp.json', '--out', 'out', '--save', 'lists', ...args], {
      cwd,
      env: { ...PLAIN, MY_KEY: SECRET },
    });

  test('writes a folder for each server and names those that fail', async () => {
    const one = await serving(({ headers }) => [tool('a', { description: headers.authorization })]);
    const cwd = temporaryFolder();
    const mcpServers: Record<string, object> = {
      '../one': { url: one.url, headers: { Authorization: 'Bearer ${MY_KEY}' } },
      con: { url: (await serving(() => [tool('b'), tool('c')])).url },
      broken: { command: 'mcpgen-no-such-program' },
      unset: { command: 'node', args: ['${MCPGEN_NONE}'] },
      off: { command: 'mcpgen-no-such-program', disabled: true },
    };
    written('.mcp.json', { mcpServers }, cwd);
    const run = await typesTools(cwd);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('.mcp.json: 5 servers in the form of Claude Code');
    expect(run.stderr).toContain('"off" is disabled there and skipped');
    expect(run.stderr).toContain('the environment variable MCPGEN_NONE is not set');
    expect(run.stdout).toMatch(/^\.\.\/one +one +2026-07-28 +1 +0 +\d/m);
    expect(run.stdout).toContain('2 of 4 servers failed: "broken", "unset"');
    expect(readFileSync(path.join(cwd, 'out/index.ts'), 'utf8')).toMatch(
      /\n\nexport \* as one from "\.\/one\/index\.js";\nexport \* as conServer from "\.\/con-server\/index\.js";\n$/,
    );
    expect(listFiles(path.join(cwd, 'lists'))).toEqual(['con-server.json', 'one.json']);
    const all = [
      run.stdout,
      run.stderr,
      ...readFiles(path.join(cwd, 'out')).values(),
      ...readFiles(path.join(cwd, 'lists')).values(),
    ];
    expect(all.join('\n')).not.toContain(SECRET);
  });

  test('follows servers that are added, removed and broken', async () => {
    const cwd = temporaryFolder();
    const [one, two] = [await serving(), await serving()];
    const exportsOf = async (mcpServers: object): Promise<readonly (string | undefined)[]> => {
      written('.mcp.json', { mcpServers }, cwd);
      await typesTools(cwd);
      const text = readFileSync(path.join(cwd, 'out/index.ts'), 'utf8');
      return [...text.matchAll(/^export \* as (\w+)/gm)].map(([, name]) => name);
    };
    expect(await exportsOf({ one: { url: one.url } })).toEqual(['one']);
    expect(await exportsOf({ one: { url: one.url }, two: { url: two.url } })).toEqual(['one', 'two']);
    const broken = { command: 'mcpgen-no-such-program' };
    expect(await exportsOf({ one: broken, two: { url: two.url }, three: broken })).toEqual(['one', 'two']);
    expect(listFiles(path.join(cwd, 'out'))).toEqual(
      expect.arrayContaining(['one/a.ts', 'two/a.ts', 'runtime/validation.ts']),
    );
    expect(await exportsOf({ two: { url: two.url } })).toEqual(['two']);
    // What the author wrote is not replaced.
    writeFileSync(path.join(cwd, 'out/index.ts'), 'export {};\n');
    const run = await typesTools(cwd);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('index.ts: mcpgen did not generate this file')]);
  });

  test('--check needs no server and no variable', async () => {
    const cwd = temporaryFolder();
    const { url } = await serving();
    const mcpServers = { one: { url, headers: { Authorization: '${MCPGEN_LATER}' } } };
    const file = written('.mcp.json', { mcpServers }, cwd);
    vi.stubEnv('MCPGEN_LATER', 'there');
    expect(await typesTools(cwd)).toMatchObject({ code: 0 });
    vi.unstubAllEnvs();
    writeFileSync(file, JSON.stringify({ mcpServers }).replace(url, 'http://127.0.0.1:1/mcp'));
    expect(await typesTools(cwd, '--check')).toMatchObject({ code: 0 });
    rmSync(path.join(cwd, 'lists/one.json'));
    expect((await typesTools(cwd, '--check')).stderr).toContain('lists/one.json: the server "one" has no saved list');
    writeFileSync(path.join(cwd, 'lists/one.json'), JSON.stringify([tool('b')]));
    const stale = await typesTools(cwd, '--check');
    expect([stale.code, stale.stdout]).toEqual([1, expect.stringContaining('out/one/b.ts')]);
  });

  test('--live-check rates what changed for callers and readers', async () => {
    const schema = (properties: object, required: readonly string[] = []): object => ({
      type: 'object',
      properties,
      required,
    });
    const [text, number] = [{ type: 'string' }, { type: 'number' }];
    let tools = [
      tool('gone'),
      tool('grows', { inputSchema: schema({ a: text }), outputSchema: schema({ a: text }, ['a']) }),
      tool('breaks', { inputSchema: schema({ a: text }), outputSchema: schema({ a: text }, ['a']) }),
    ];
    const cwd = temporaryFolder();
    const { url } = await serving(() => tools);
    written('.mcp.json', { mcpServers: { one: { url } } }, cwd);
    await typesTools(cwd);
    expect(await typesTools(cwd, '--live-check')).toMatchObject({ code: 0, stdout: '"one": as saved\n' });
    const before = readFiles(cwd);
    tools = [
      tool('comes'),
      tool('grows', {
        inputSchema: schema({ a: text, b: text }),
        outputSchema: schema({ a: text, b: text }, ['a', 'b']),
      }),
      tool('breaks', { inputSchema: schema({ a: text, b: text }, ['b']), outputSchema: schema({ a: number }, ['a']) }),
    ];
    const run = await typesTools(cwd, '--live-check', '--json');
    expect(run.code).toBe(1);
    const [{ changes }] = (JSON.parse(run.stdout) as { servers: [{ changes: Record<string, string>[] }] }).servers;
    const rated = changes.map(
      ({ tool: name, location, callers, readers }) => `${name} ${location}: ${callers}, ${readers}`,
    );
    expect(rated).toEqual([
      'breaks Input.b: breaking, safe',
      'breaks Output.a: safe, breaking',
      'comes : safe, safe',
      'gone : breaking, safe',
      'grows Input.b: safe, safe',
      'grows Output.b: safe, safe',
    ]);
    expect(readFiles(cwd)).toEqual(before);
  });

  test('--server asks only one', async () => {
    const cwd = temporaryFolder();
    const { url } = await serving();
    written('.mcp.json', { mcpServers: { one: { url }, two: { command: 'mcpgen-no-such-program' } } }, cwd);
    const args = [
      'types',
      'tools',
      '--mcp-config',
      '.mcp.json',
      '--server',
      'one',
      '--out',
      'out',
      '--save',
      'one.json',
    ];
    const run = await mcpgen(args, { cwd, env: PLAIN });
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(listFiles(path.join(cwd, 'out'))).toContain('tools/a.ts');
  });

  test.each([
    [['--check', '--live-check'], '--live-check'],
    [['--header', 'A: b'], '--header'],
    [['--from-server', 'x'], '--from-server x'],
    [['--input', SECRET], '--input'],
    [['--clients', '--server', 'one'], '--clients'],
    [['--login', '--client-id', 'me'], '--client-id'],
  ])('%j is an error', async (args, place) => {
    const run = await typesTools(temporaryFolder(), ...args);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`error: ${place}: `);
    expect(run.stderr).not.toContain(SECRET);
  });
});
