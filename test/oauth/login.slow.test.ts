/** `--login` of commands that connect to a server. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  CLI,
  listFiles,
  plainEnvironment,
  readFiles,
  removeTemporaryFolders,
  temporaryFolder,
  type Run,
} from '../support/cli.js';
import { startServers, type Script, type Servers } from './support.js';

afterAll(removeTemporaryFolders);

const TOOLS = { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] };
const SECRETS = /access-\d|refresh-\d|code-\d|s3cr3t/;

/** Runs mcpgen with a user whose browser opens the page that it prints. */
async function mcpgen(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Run & { readonly logins: number }> {
  const variables = plainEnvironment({ XDG_STATE_HOME: path.join(cwd, 'state'), HOME: cwd, LOCALAPPDATA: cwd, ...env });
  const child = spawn(process.execPath, [CLI, ...args], { cwd, env: variables });
  let [stdout, stderr, logins] = ['', '', 0];
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
    const pages = [...stderr.matchAll(/Log in on this page:\n {2}(\S+)\n/g)];
    for (const [, page = ''] of pages.slice(logins)) {
      logins += 1;
      void fetch(page);
    }
  });
  const code = await new Promise<number>((resolve) =>
    child.on('close', (status) => {
      resolve(status ?? -1);
    }),
  );
  return { code, stdout, stderr, logins };
}

const started = (script: Script = {}): Promise<Servers> => startServers({ result: TOOLS, ...script });

describe('--login', () => {
  test(
    'lists the tools of a server that needs a login, once for all runs, and keeps tokens out of everything else',
    { timeout: 60_000 },
    async () => {
      const { mcp, atIssuer, valid } = await started();
      const cwd = temporaryFolder();
      const run = await mcpgen(
        ['types', 'tools', '--from-server', mcp, '--login', '--out', 'out', '--save', 'tools.json'],
        cwd,
        { MCP_TOKEN: 's3cr3t' },
      );
      expect([run.code, run.logins, run.stdout]).toEqual([0, 1, expect.stringContaining('1 tool in out/')]);
      expect(atIssuer.map((request) => request.path)).toContain('/register');
      const again = await mcpgen(['ls', mcp, '--login'], cwd);
      expect([again.code, again.logins, again.stdout]).toEqual([0, 0, expect.stringContaining('greet')]);
      // A token that is no longer accepted is refreshed without the user.
      valid.clear();
      const refreshed = await mcpgen(['ls', mcp, '--login'], cwd);
      expect([refreshed.code, refreshed.logins]).toEqual([0, 0]);
      const written = [
        ...readFiles(path.join(cwd, 'out')).values(),
        readFileSync(path.join(cwd, 'tools.json'), 'utf8'),
      ];
      expect(
        [run, again, refreshed]
          .map(({ stdout, stderr }) => stdout + stderr)
          .concat(written)
          .join('\n'),
      ).not.toMatch(SECRETS);
      expect(listFiles(path.join(cwd, 'state')).length).toBeGreaterThan(0);
    },
  );

  test('removes tokens that the server repeats', { timeout: 60_000 }, async () => {
    const echo = (name: string) => ({ name, description: 'access-1 refresh-1', inputSchema: { type: 'object' } });
    const { mcp } = await started({ result: { tools: [echo('greet')] } });
    const cwd = temporaryFolder();
    const args = ['types', 'tools', '--from-server', mcp, '--login', '--out', 'out', '--save', 'tools.json'];
    const first = await mcpgen(args, cwd);
    expect([first.code, first.logins]).toEqual([0, 1]);
    const saved = readFileSync(path.join(cwd, 'tools.json'), 'utf8');
    const again = await mcpgen(['ls', mcp, '--login'], cwd);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('greet  *** ***')]);
    expect([saved, again.stdout, ...readFiles(path.join(cwd, 'out')).values()].join('\n')).not.toMatch(SECRETS);
  });

  test('uses a registered client with its secret', { timeout: 60_000 }, async () => {
    const { mcp, tokenRequests, atIssuer } = await started();
    const cwd = temporaryFolder();
    const args = ['ls', mcp, '--login', '--client-id', 'me', '--client-secret-env', 'SECRET'];
    const run = await mcpgen(args, cwd, { SECRET: 's3cr3t' });
    expect([run.code, run.logins, run.stderr]).toEqual([0, 1, expect.not.stringMatching(/s3cr3t/)]);
    expect(atIssuer.map((request) => request.path)).not.toContain('/register');
    expect(tokenRequests()[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:s3cr3t').toString('base64')}`);
  });

  test('logs in to the servers of a file that configure no credentials', { timeout: 60_000 }, async () => {
    const { mcp, atServer } = await started();
    const cwd = temporaryFolder();
    const mcpServers = { one: { url: mcp }, two: { url: mcp, headers: { Authorization: 'Bearer wrong' } } };
    writeFileSync(path.join(cwd, '.mcp.json'), JSON.stringify({ mcpServers }));
    const run = await mcpgen(['types', 'tools', '--mcp-config', '.mcp.json', '--login', '--out', 'out'], cwd);
    expect([run.code, run.logins]).toEqual([1, 1]);
    expect(run.stdout).toContain('1 of 2 servers failed: "two"');
    expect(atServer.some(({ headers }) => headers.authorization === 'Bearer wrong')).toBe(true);
  });

  test('a login that fails is one error that says why', { timeout: 60_000 }, async () => {
    const { mcp } = await started({
      answer: (parameters) => {
        parameters.delete('code');
        parameters.set('error', 'access_denied');
      },
    });
    const run = await mcpgen(['ls', mcp, '--login'], temporaryFolder());
    expect([run.code, run.logins]).toEqual([2, 1]);
    expect(run.stderr).toMatch(/error: http:.*access_denied/);
    expect(run.stderr).not.toMatch(/\n {4}at |state=\w+.*\n.*state=/);
  });

  test('tokens that others can read are refused', { timeout: 60_000 }, async () => {
    const { mcp } = await started();
    const cwd = temporaryFolder();
    mkdirSync(path.join(cwd, 'state/mcpgen/tokens'), { recursive: true, mode: 0o755 });
    const run = await mcpgen(['ls', mcp, '--login'], cwd);
    expect([run.code, run.logins]).toEqual([2, 0]);
    expect(run.stderr).toMatch(/tokens can be accessed by other users \(mode 755\)/);
  });

  test.each([
    [['ls', 'node server.js', '--login'], /error: --login: does not apply to a command/],
    [
      ['ls', 'https://x.example/mcp', '--login', '--bearer-env', 'SECRET'],
      /error: --login: cannot be combined with other credentials/,
    ],
    [['ls', 'http://x.example/mcp', '--login'], /error: --login: credentials are not sent unencrypted/],
    [['ls', 'https://x.example/mcp', '--client-id', 'me'], /error: --client-id: only applies to --login/],
    [
      ['ls', 'https://x.example/mcp', '--login', '--client-secret-env', 'SECRET'],
      /error: --client-secret-env: needs the id/,
    ],
  ])('%j is an error', async (args, message) => {
    const run = await mcpgen(args, temporaryFolder(), { SECRET: 's3cr3t' });
    expect([run.code, run.stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});
