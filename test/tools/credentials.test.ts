import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Secrets } from '../../generator/connect/secrets.js';
import { readFiles, removeTemporaryFolders, temporaryFolder, type Run } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { closeServers, listening, PLAIN, proxying, serving, servingPrivately, tool } from './server-support.js';

afterAll(() => {
  closeServers();
  removeTemporaryFolders();
});

const SECRET = 's3cr3t-value-0123456789';

interface Outcome extends Run {
  /** All that was written and printed. */
  readonly everything: string;
  readonly cwd: string;
}

async function typesTools(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = temporaryFolder(),
): Promise<Outcome> {
  const all = ['types', 'tools', ...args, '--timeout', '20', '--out', 'out', '--save', 'tools.json', '--json'];
  const run = await mcpgen(all, { cwd, env: { ...PLAIN, ...env } });
  return { ...run, cwd, everything: [run.stdout, run.stderr, ...readFiles(cwd).values()].join('\n') };
}

/** A program that lists one tool, whose description is the JavaScript expression. */
function program(description: string, before = ''): string {
  const folder = temporaryFolder();
  const file = path.join(folder, 'server.cjs');
  writeFileSync(
    file,
    `${before}
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const result = method === "initialize"
        ? { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } }
        : { tools: [{ name: "a", description: String(${description}), inputSchema: { type: "object" } }] };
      const answer = method === "server/discover" ? { error: { code: -32601, message: "unknown" } } : { result };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    })`,
  );
  return `"${process.execPath}" "${file}"`;
}

const descriptionIn = (cwd: string): string =>
  (JSON.parse(readFileSync(path.join(cwd, 'tools.json'), 'utf8')) as { tools: [{ description: string }] }).tools[0]
    .description;

describe('headers', () => {
  test('--header sends a header with the value of an environment variable', async () => {
    const { url, seen } = await serving();
    const run = await typesTools(['--from-server', url, '--header', 'X-Api-Key: ${MY_KEY}', '--header', 'X-B: c: d'], {
      MY_KEY: SECRET,
    });
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(new Set(seen.map(({ headers }) => [headers['x-api-key'], headers['x-b']].join()))).toEqual(
      new Set([`${SECRET},c: d`]),
    );
  });

  test('--bearer-env sends a bearer token, and takes precedence over MCP_TOKEN', async () => {
    const { url, seen } = await serving();
    const run = await typesTools(['--from-server', url, '--bearer-env', 'MY_KEY'], {
      MY_KEY: SECRET,
      MCP_TOKEN: 'other',
    });
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(new Set(seen.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${SECRET}`]));
  });

  test('a default replaces a variable that is unset or empty', async () => {
    const { url, seen } = await serving();
    await typesTools(['--from-server', url, '--header', 'X-A: ${MCPGEN_NONE:-one}-${MCPGEN_EMPTY:-two}'], {
      MCPGEN_EMPTY: '',
    });
    expect(seen[0]?.headers['x-a']).toBe('one-two');
  });

  test('the value of a variable is not expanded again', async () => {
    const { url, seen } = await serving();
    await typesTools(['--from-server', url, '--header', 'X-A: ${MY_KEY}'], { MY_KEY: '${HOME}$(id)' });
    expect(seen[0]?.headers['x-a']).toBe('${HOME}$(id)');
  });

  test.each([
    [['--header', 'X-A: ${MCPGEN_NONE}'], '--header X-A: the environment variable MCPGEN_NONE is not set'],
    [['--bearer-env', 'MCPGEN_NONE'], '--bearer-env: the environment variable MCPGEN_NONE is not set'],
    [['--header', SECRET], '--header: not a name and a value'],
    [['--header', 'Host: x'], '--header Host: the header is reserved for the transport'],
    [['--header', `X-A: ${SECRET}\n${SECRET}`], '--header X-A: the value has characters that a header cannot have'],
    [['--env', `A=${SECRET}`], '--env: does not apply to a URL'],
    [['--ca', 'missing.pem'], '--ca missing.pem: '],
  ])('%j is an error that does not repeat the value', async (args, message) => {
    const run = await typesTools(['--from-server', 'http://127.0.0.1:1/mcp', ...args]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`error: ${message}`);
    expect(run.everything).not.toContain(SECRET);
  });
});

describe('plain HTTP', () => {
  test.each([
    [['--header', 'Authorization: Bearer x1234']],
    [['--header', 'X-Anything: ${MY_KEY}']],
    [['--bearer-env', 'MY_KEY']],
  ])('never carries %j to another machine', async (args) => {
    const { port } = await serving();
    const { url, asked } = await proxying(port);
    const run = await typesTools(['--from-server', 'http://mcp.invalid.example/mcp', ...args], {
      MY_KEY: SECRET,
      HTTP_PROXY: url,
    });
    expect([run.code, asked]).toEqual([2, []]);
    expect(run.stderr).toContain('credentials are not sent unencrypted to another machine');
    expect(run.stderr).toContain('hint: Use https instead of http://mcp.invalid.example.');
  });

  test('never carries the password of a URL to another machine', async () => {
    const run = await typesTools(['--from-server', 'http://me:hunter22@mcp.invalid.example/mcp']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('credentials are not sent unencrypted');
    expect(run.everything).not.toContain('hunter22');
  });

  test('carries a header that is no credential', async () => {
    const { port, seen } = await serving();
    const { url } = await proxying(port);
    const args = ['--from-server', 'http://mcp.invalid.example/mcp', '--header', 'X-Tenant: 5'];
    expect(await typesTools(args, { HTTP_PROXY: url })).toMatchObject({ code: 0 });
    expect(seen[0]?.headers['x-tenant']).toBe('5');
  });

  test('reaches a server on this machine around the proxy', async () => {
    const { url, seen } = await serving();
    const proxy = await proxying(1);
    const env = { MY_KEY: SECRET, HTTP_PROXY: proxy.url };
    const run = await typesTools(['--from-server', url, '--bearer-env', 'MY_KEY'], env);
    expect([run.code, run.stderr, proxy.asked, seen.length]).toEqual([0, '', [], 2]);
  });
});

test('a redirect to another origin gets no credentials', async () => {
  const other = await serving();
  const from = await listening(createServer((_, response) => response.writeHead(307, { location: other.url }).end()));
  const run = await typesTools(['--from-server', `http://127.0.0.1:${from}/mcp`, '--bearer-env', 'MY_KEY'], {
    MY_KEY: SECRET,
  });
  expect([run.code, other.seen]).toEqual([2, []]);
  expect(run.stderr).toContain('the server redirects to another origin');
});

describe('--ca', () => {
  test('trusts a private certificate authority, also through a proxy', async () => {
    const { port, ca, seen } = await servingPrivately();
    const server = ['--from-server', `https://localhost:${port}/mcp`];
    const refused = await typesTools(server);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('hint: If its certificate is from a private authority, pass');
    const direct = await typesTools([...server, '--ca', ca, '--bearer-env', 'MY_KEY'], { MY_KEY: SECRET });
    expect([direct.code, direct.stderr]).toEqual([0, '']);
    const proxy = await proxying(port);
    const proxied = await typesTools(['--from-server', 'https://mcp.invalid.example/mcp', '--ca', ca], {
      HTTPS_PROXY: proxy.url,
    });
    expect([proxied.code, proxied.stderr]).toEqual([0, '']);
    expect(proxy.asked[0]).toBe('CONNECT mcp.invalid.example:443');
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  test('a file without a certificate is an error', async () => {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, 'ca.pem'), 'x');
    const run = await typesTools(['--from-server', 'https://localhost:1/mcp', '--ca', 'ca.pem'], {}, cwd);
    expect(run.stderr).toContain('--ca ca.pem: the file contains no certificate in PEM format');
  });
});

describe('secrets', () => {
  test('are removed from an error that repeats them', async () => {
    const port = await listening(
      createServer((request, response) => {
        response.writeHead(400).end(`${'x'.repeat(40)} ${request.headers.authorization} is wrong`);
      }),
    );
    const run = await typesTools(['--from-server', `http://127.0.0.1:${port}/mcp`, '--bearer-env', 'MY_KEY'], {
      MY_KEY: SECRET,
    });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('***');
    expect(run.everything).not.toContain(SECRET.slice(0, 4));
  });

  test('are removed from the list of a server that repeats them', async () => {
    const { url } = await serving(({ headers }) => [tool('a', { description: `for ${headers.authorization}` })]);
    const run = await typesTools(['--from-server', url, '--bearer-env', 'MY_KEY'], { MY_KEY: SECRET });
    expect(run.code).toBe(0);
    expect(run.everything).not.toContain(SECRET);
    expect(descriptionIn(run.cwd)).toBe('for Bearer ***');
  });

  test('are removed from the log of a program', async () => {
    const server = program('""', 'console.error("key " + process.env.API_KEY + " is wrong"); process.exit(1);');
    const run = await typesTools(['--from-server', server, '--env', 'API_KEY=${MY_KEY}'], { MY_KEY: SECRET });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('key *** is wrong');
    expect(run.everything).not.toContain(SECRET);
  });

  test('are removed where they are encoded, or cut off', () => {
    const secrets = new Secrets();
    secrets.add('a "quoted" s/cret', true);
    secrets.add('abcdefgh', true);
    expect(secrets.redact(JSON.stringify({ v: 'a "quoted" s/cret' }))).toBe('{"v":"***"}');
    expect(secrets.redact(`?v=${encodeURIComponent('a "quoted" s/cret')}`)).toBe('?v=***');
    expect(secrets.redact('efgh at the start, abcdef...')).toBe('*** at the start, ***...');
  });

  test('leave words of a list alone that an ordinary variable happens to contain', async () => {
    const run = await typesTools(['--from-server', program('"runs in test mode"'), '--env', 'MODE=test']);
    expect([run.code, descriptionIn(run.cwd)]).toEqual([0, 'runs in test mode']);
  });
});

describe('a program', () => {
  test('gets the variables of --env and --env-file, of which the first win', async () => {
    const cwd = temporaryFolder();
    writeFileSync(
      path.join(cwd, 'vars'),
      '# comment\nexport FROM_A=1 # one\r\nFROM_B="two\\nlines"\nFROM_C=\'${HOME}\'\nFROM_D=file\nFROM_E=a#b\nFROM_F=\n',
    );
    const seen =
      'JSON.stringify(Object.fromEntries(Object.entries(process.env).filter(([k]) => k.startsWith("FROM_"))))';
    const args = ['--from-server', program(seen), '--env-file', 'vars', '--env', 'FROM_D=${MCPGEN_NONE:-option}'];
    const run = await typesTools(args, {}, cwd);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(JSON.parse(descriptionIn(cwd))).toEqual({
      FROM_A: '1',
      FROM_B: 'two\nlines',
      FROM_C: '${HOME}',
      FROM_D: 'option',
      FROM_E: 'a#b',
      FROM_F: '',
    });
  });

  test.each([
    [['--header', `X: ${SECRET}`], '--header: does not apply to a command'],
    [['--env', SECRET], '--env: not a name and a value'],
    [['--env', 'A=${MCPGEN_NONE}'], '--env A: the environment variable MCPGEN_NONE is not set'],
    [['--env-file', 'missing'], '--env-file missing: '],
  ])('%j is an error', async (args, message) => {
    const run = await typesTools(['--from-server', 'node x.js', ...args]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`error: ${message}`);
    expect(run.everything).not.toContain(SECRET);
  });
});

test('init client uses the credentials and writes none of them', async () => {
  const { url, seen } = await serving();
  const cwd = temporaryFolder();
  const args = [
    '--from-server',
    url,
    '--bearer-env',
    'MY_KEY',
    '--revision',
    '2026-07-28',
    '--yes',
    '--no-install',
    '--no-git',
  ];
  const run = await mcpgen(['init', 'client', 'demo', ...args], { cwd, env: { ...PLAIN, MY_KEY: SECRET } });
  expect(run.code).toBe(0);
  expect(seen[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
  expect(run.stderr).toContain('--bearer-env: the project does not contain these values');
  expect([run.stdout, run.stderr, ...readFiles(cwd).values()].join('\n')).not.toContain(SECRET);
});

test('the options need a server', async () => {
  const run = await mcpgen(['types', 'tools', 'a.json', '--bearer-env', 'X'], { cwd: temporaryFolder() });
  expect(run.stderr).toContain('error: --bearer-env: only applies to --from-server');
});
