/** `mcpgen sync`, from files and from a server that misbehaves in every way that we could think of. */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { displayUrl } from '../../generator/text.js';
import { builtinRevisions } from '../../generator/read/builtin/revisions.js';
import { readFiles, hashFolder, listFiles, removeTemporaryFolders, temporaryFolder, type Run } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { findInternals } from '../support/hostile.js';
import {
  requireReferenceMaterial,
  officialSchema,
  officialSchemaPath,
  officialSchemas,
} from '../support/reference-material.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

afterAll(removeTemporaryFolders);

const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

/** A small schema of a protocol that is not built in. */
function smallSchema(more: object = {}): string {
  return JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: {
      ClientRequest: { anyOf: [{ $ref: '#/$defs/AskRequest' }, { $ref: '#/$defs/TellRequest' }] },
      AskRequest: message('ask', { question: { type: 'string', description: 'What is asked.' } }),
      TellRequest: message('tell', {}),
      AskResult: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
      EmptyResult: { type: 'object', properties: {} },
      ...more,
    },
  });
}

function message(method: string, params: object): object {
  const properties = {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'integer'] },
    method: { const: method },
    params: { type: 'object', properties: params },
  };
  return { type: 'object', properties, required: ['jsonrpc', 'id', 'method'] };
}

function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = temporaryFolder();
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(
      path.join(folder, name),
      typeof value === 'string' ? value : `${JSON.stringify(value, undefined, 2)}\n`,
    );
  }
  return folder;
}

function readJson(...names: string[]): Record<string, unknown> {
  return JSON.parse(readFileSync(path.join(...names), 'utf8')) as Record<string, unknown>;
}

/** Runs `mcpgen sync` without any proxy of the machine. */
async function sync(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const none = { HTTPS_PROXY: '', https_proxy: '', HTTP_PROXY: '', http_proxy: '', NO_PROXY: '', no_proxy: '' };
  const run = await mcpgen(['sync', ...args], { cwd: folder, env: { ...none, ...env } });
  expect(findInternals(run.stderr)).toEqual([]);
  return run;
}

describe('from files', () => {
  test.for(builtinRevisions())(
    '$revision: the official file produces the built-in schema',
    async ({ revision, sha256: known }, context) => {
      requireReferenceMaterial(context);
      const folder = temporaryFolder();
      const run = await sync(folder, ['-r', revision, '--from', officialSchemas, '--prose', 'strip']);
      expect([run.code, run.stderr]).toEqual([0, '']);
      const built = (name: string): string => readFileSync(path.join(ROOT, 'schema', revision, name), 'utf8');
      expect(readFileSync(path.join(folder, 'schema', revision, 'schema.json'), 'utf8')).toBe(built('schema.json'));
      const { $schema: _schema, ...catalog } = JSON.parse(built('catalog.json')) as Record<string, unknown>;
      const { $schema: _own, ...written } = readJson(folder, 'schema', revision, 'catalog.json');
      expect(written).toEqual(catalog);
      expect(readJson(folder, 'schema', 'manifest.json')['revisions']).toMatchObject({
        [revision]: { status: 'released', sha256: known },
      });
      // Again, nothing is to be done, and nothing is touched.
      const before = hashFolder(folder);
      const again = await sync(folder, [
        '-r',
        revision,
        '--from',
        officialSchemas,
        '--prose',
        'strip',
        '--check',
        '--json',
      ]);
      expect([again.code, (JSON.parse(again.stdout) as { upToDate: boolean }).upToDate]).toEqual([0, true]);
      expect(hashFolder(folder)).toBe(before);
    },
  );

  test('prose is kept unless it is excluded', async (context) => {
    requireReferenceMaterial(context);
    const folder = temporaryFolder();
    const args = ['-r', '2025-06-18', '--from', officialSchemaPath('2025-06-18')];
    await sync(folder, args);
    expect(readFileSync(path.join(folder, 'schema/2025-06-18/schema.json'), 'utf8')).toContain('"description"');
    const run = await sync(folder, [...args, '--prose', 'strip']);
    expect(run.stdout).toContain('changed, but not in structure');
    expect(readFileSync(path.join(folder, 'schema/2025-06-18/schema.json'), 'utf8')).not.toContain('"description": "');
  });

  test('finds the schema in a checkout', async (context) => {
    requireReferenceMaterial(context);
    const checkout = temporaryFolder();
    mkdirSync(path.join(checkout, 'schema/2025-11-25'), { recursive: true });
    cpSync(officialSchemaPath('2025-11-25'), path.join(checkout, 'schema/2025-11-25/schema.json'));
    for (const source of ['', 'schema', 'schema/2025-11-25']) {
      const run = await sync(temporaryFolder(), ['-r', '2025-11-25', '--from', path.join(checkout, source)]);
      expect([source, run.code, run.stderr]).toEqual([source, 0, '']);
    }
    const missing = await sync(temporaryFolder(), ['-r', '2025-06-18', '--from', checkout]);
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining('has no schema of revision 2025-06-18'),
    ]);
  });

  test('rejects the file of another revision', async (context) => {
    requireReferenceMaterial(context);
    const folder = temporaryFolder();
    const run = await sync(folder, ['-r', '2025-11-25', '--from', officialSchemaPath('2025-06-18')]);
    expect([run.code, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(sha256(officialSchema('2025-06-18')));
    expect(run.stderr).toContain('(built in)');
    expect(listFiles(folder)).toEqual([]);
  });

  test('of several revisions all are written or none', async () => {
    const folder = folderWith({
      'a.json': smallSchema(),
      'b.json': smallSchema({ Extra: { type: 'string' } }),
      'mcpgen.config.json': { sync: { one: { source: 'a.json' }, two: { source: 'b.json', sha256: '0'.repeat(64) } } },
    });
    const before = hashFolder(folder);
    const run = await sync(folder, []);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('(the config)')]);
    expect(hashFolder(folder)).toBe(before);
    const check = await sync(folder, ['--check']);
    expect(check.code).toBe(1);
    expect(check.stdout).toContain('the SHA-256 does not match the pinned one');
    expect(hashFolder(folder)).toBe(before);
  });

  test('--update-pin updates the config', async () => {
    const source = smallSchema();
    const folder = folderWith({
      'a.json': source,
      'package.json': `{\n\t"name": "x",\n\t"mcpgen": { "sync": { "2030-01-01": { "source": "a.json" } } }\n}\n`,
    });
    const refused = await sync(folder, []);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('no SHA-256 is pinned')]);
    expect((await sync(folder, ['--update-pin'])).code).toBe(0);
    expect(readFileSync(path.join(folder, 'package.json'), 'utf8')).toBe(
      `${JSON.stringify({ name: 'x', mcpgen: { sync: { '2030-01-01': { source: 'a.json', sha256: sha256(source) } } } }, undefined, '\t')}\n`,
    );
    expect((await sync(folder, ['--check'])).code).toBe(0);

    const windows = folderWith({
      'a.json': source,
      'mcpgen.config.json': '\ufeff{\r\n  "sync": { "2030-01-01": { "source": "a.json" } }\r\n}',
    });
    expect((await sync(windows, ['--update-pin'])).code).toBe(0);
    const pinned = readFileSync(path.join(windows, 'mcpgen.config.json'), 'utf8');
    expect(pinned).toContain(`"sha256": "${sha256(source)}"\r\n`);
    expect(pinned).toMatch(/^\ufeff\{\r\n[^]*\r\n\}$/);
    expect(pinned).not.toMatch(/(?<!\r)\n/);

    const program = `export default { sync: { '2030-01-01': { source: 'a.json' } } };`;
    const other = folderWith({ 'a.json': source, 'mcpgen.config.js': program });
    const before = hashFolder(other);
    const run = await sync(other, ['--update-pin']);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(`"sha256":"${sha256(source)}"`)]);
    expect(hashFolder(other)).toBe(before);

    const bare = folderWith({ 'a.json': source });
    expect((await sync(bare, ['-r', '2030-01-01', '--from', 'a.json', '--update-pin'])).code).toBe(0);
    expect(readJson(bare, 'mcpgen.config.json')).toEqual({
      sync: { '2030-01-01': { source: 'a.json', sha256: sha256(source) } },
    });
  });

  test('a draft may change', async () => {
    const folder = folderWith({ 'draft.json': smallSchema() });
    const args = ['-r', 'draft', '--from', 'draft.json'];
    const first = await sync(folder, args);
    expect(first.code).toBe(0);
    // There is no older draft to compare with: the newest revision takes its place.
    const comparison = '    what it changes: mcpgen diff 2026-07-28 schema/draft/schema.json\n';
    expect(first.stdout).toContain(comparison);
    expect((await sync(folder, args)).stdout).not.toContain(comparison);
    expect(readJson(folder, 'schema/draft/catalog.json')).toMatchObject({ status: 'draft', revision: 'draft' });
    expect(readJson(folder, 'schema/manifest.json')).toMatchObject({ revisions: { draft: { status: 'draft' } } });

    writeFileSync(
      path.join(folder, 'draft.json'),
      smallSchema({ AskResult: { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] } }),
    );
    const check = await sync(folder, [...args, '--check', '--json']);
    const report = JSON.parse(check.stdout) as {
      upToDate: boolean;
      revisions: { status: string; state: string; diff: { changes: { id: string }[] } }[];
    };
    expect([check.code, report.upToDate]).toEqual([1, false]);
    expect(report.revisions[0]).toMatchObject({ status: 'draft', state: 'changed' });
    expect(report.revisions[0]?.diff.changes.map(({ id }) => id)).toEqual(['type-changed:AskResult.answer']);
    const markdown = await sync(folder, [...args, '--markdown']);
    expect(markdown.stdout).toMatch(/^\*\*draft\*\* \(draft: it may still change\): changed: 1 change, 1 breaking/);
    expect(markdown.stdout).toContain('| `AskResult.answer` | type changed | `string` | `number` | breaks both');

    decide(path.join(folder, 'schema/draft/catalog.json'));
    const generated = await mcpgen(
      ['generate', '--schema', 'schema/draft/schema.json', '--catalog', 'schema/draft/catalog.json', '-o', 'out'],
      { cwd: folder },
    );
    expect([generated.code, generated.stderr]).toEqual([0, '']);
    expect(readFileSync(path.join(folder, 'out/draft/types.ts'), 'utf8')).toContain(
      'revision draft (a draft: it may still change)',
    );
  });

  test('formatting is not a change', async () => {
    const folder = folderWith({ 'a.json': smallSchema(), 'b.json': smallSchema() });
    await sync(folder, ['-r', 'draft', '--from', 'a.json']);
    const catalog = path.join(folder, 'schema/draft/catalog.json');
    writeFileSync(catalog, JSON.stringify(readJson(catalog)));
    const { code, stdout } = await sync(folder, ['-r', 'draft', '--from', 'b.json', '--check']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('draft  up to date')]);
  });

  test('manual catalog decisions are kept', async () => {
    const folder = folderWith({ 'a.json': smallSchema() });
    const args = ['-r', 'draft', '--from', 'a.json'];
    const first = await sync(folder, args);
    expect(first.stderr).toContain('draft: ask: undecided in the catalog: capability, summary');
    const catalog = path.join(folder, 'schema/draft/catalog.json');
    decide(catalog);
    const decided = readFileSync(catalog, 'utf8');
    const second = await sync(folder, args);
    expect([second.code, second.stderr, readFileSync(catalog, 'utf8')]).toEqual([0, '', decided]);

    const ClientRequest = { anyOf: [{ $ref: '#/$defs/AskRequest' }, { $ref: '#/$defs/ShoutRequest' }] };
    const ServerRequest = { anyOf: [{ $ref: '#/$defs/AskRequest' }, { $ref: '#/$defs/TellRequest' }] };
    writeFileSync(
      path.join(folder, 'a.json'),
      smallSchema({ ClientRequest, ServerRequest, ShoutRequest: message('shout', {}) }),
    );
    const third = await sync(folder, args);
    expect(third.stderr.trim().split('\n')).toEqual([
      'warning: draft: shout: undecided in the catalog: result, capability, summary',
    ]);
    const { methods, errors, protocol } = readJson(catalog) as Record<string, { method: string }[]>;
    expect(methods).toMatchObject([
      { method: 'ask', direction: 'both', summary: 'Decided by hand.', capability: null },
      { method: 'shout', direction: 'clientToServer', undecided: ['result', 'capability', 'summary'] },
      { method: 'tell', direction: 'serverToClient', result: 'EmptyResult', summary: 'Decided by hand.' },
    ]);
    expect(errors).toContainEqual({ name: 'OWN', code: -32050, summary: 'Decided by hand.' });
    expect(protocol).toBe('Small');
  });
});

/** Decides all that is undecided in a catalog. */
function decide(file: string): void {
  const { methods, errors, ...rest } = readJson(file) as unknown as {
    methods: Record<string, unknown>[];
    errors: unknown[];
  };
  const rows = methods.map(({ undecided: _undecided, ...row }) => ({
    ...row,
    capability: null,
    summary: 'Decided by hand.',
  }));
  const own = { name: 'OWN', code: -32050, summary: 'Decided by hand.' };
  writeFileSync(
    file,
    `${JSON.stringify({ ...rest, protocol: 'Small', methods: rows, errors: [own, ...errors] }, undefined, 2)}\n`,
  );
}

describe('from a server', () => {
  const CREDENTIALS = `Basic ${Buffer.from('me@home:SECRET1/%').toString('base64')}`;
  const good = smallSchema();
  const bytes = Buffer.from(good);
  let server: Server;
  let base = '';
  const sockets = new Set<Socket>();
  let asked: string[] = [];

  const answers: Readonly<Record<string, (response: ServerResponse, request: IncomingMessage) => void>> = {
    good: (response) => response.end(bytes),
    gzip: (response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(bytes));
    },
    brotli: (response) => {
      response.setHeader('content-encoding', 'br');
      response.end(brotliCompressSync(bytes));
    },
    'gzip-cut': (response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(bytes).subarray(0, 60));
    },
    'gzip-bomb': (response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(Buffer.alloc(64 * 1024 * 1024, 32)));
    },
    'cut-length': (response) => {
      response.setHeader('content-length', bytes.length);
      response.write(bytes.subarray(0, 100));
      setTimeout(() => response.destroy(), 50);
    },
    'cut-chunked': (response) => {
      response.write(bytes.subarray(0, 100));
      setTimeout(() => response.destroy(), 50);
    },
    'cut-json': (response) => response.end(bytes.subarray(0, 200)),
    redirect: (response) => response.writeHead(302, { location: '/good' }).end(),
    'redirect-loop': (response) => response.writeHead(302, { location: '/redirect-loop' }).end(),
    'redirect-nowhere': (response) => response.writeHead(302).end(),
    'redirect-file': (response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    guarded: (response, request) => {
      const { searchParams } = new URL(request.url ?? '', 'http://x');
      const isAllowed = request.headers.authorization === CREDENTIALS && searchParams.get('token') === 'SECRET2';
      response.writeHead(isAllowed && searchParams.get('ref') === 'main' ? 200 : 401).end(bytes);
    },
    'to-guarded': (response, request) =>
      response.writeHead(302, { location: `/guarded${new URL(request.url ?? '', 'http://x').search}` }).end(),
    'to-other': (response) =>
      response
        .writeHead(302, { location: `${base.replace('127.0.0.1', 'localhost')}/guarded?token=SECRET2&ref=main` })
        .end(),
    missing: (response) => response.writeHead(404).end('not found'),
    failing: (response) => response.writeHead(500).end(),
    unauthorized: (response) => response.writeHead(401).end(),
    denied: (response) => response.writeHead(403).end(),
    'proxy-unauthorized': (response) => response.writeHead(407).end(),
    busy: (response) => response.writeHead(429).end(),
    'no-encoding': (response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end(),
    hang: () => undefined,
    'hang-body': (response) => response.write(bytes.subarray(0, 100)),
    html: (response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end('<!doctype html><title>schema.json</title>');
    },
    'html-unmarked': (response) => response.end('\n<html><body>Please log in</body></html>'),
    empty: (response) => response.end(''),
    'too-large': (response) => response.end(Buffer.alloc(16 * 1024 * 1024 + 1, ' ')),
    list: (response) => response.end('[]'),
    text: (response) => response.end('hello'),
    utf16: (response) => response.end(Buffer.from(good, 'utf16le')),
    reset: (response) => response.socket?.resetAndDestroy(),
    'no-http': (response) => response.socket?.end('hello\r\n\r\n'),
  };

  beforeAll(async () => {
    server = createServer((request, response) => {
      const name = new URL(request.url ?? '/', 'http://x').pathname.slice(1);
      asked.push(name);
      answers[name]?.(response, request);
    });
    // As a proxy, it answers for any other server.
    server.on('connect', (request: IncomingMessage, socket: Socket) => {
      asked.push(`CONNECT ${request.url ?? ''}`);
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      server.emit('connection', socket);
    });
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  afterEach(() => {
    asked = [];
  });

  test.each(['good', 'gzip', 'brotli', 'redirect'])('%s', async (name) => {
    const folder = temporaryFolder();
    const run = await sync(folder, ['-r', 'draft', '--from', `${base}/${name}`]);
    expect([run.code, run.stdout]).toEqual([0, expect.stringContaining(sha256(bytes))]);
    expect(listFiles(folder)).toEqual([
      'schema',
      'schema/draft',
      'schema/draft/catalog.json',
      'schema/draft/schema.json',
      'schema/manifest.json',
    ]);
  });

  test.each<[string, string]>([
    ['gzip-cut', 'the compressed response is damaged or incomplete'],
    ['gzip-bomb', 'larger than 16 MB'],
    ['cut-length', 'the response is incomplete'],
    ['cut-chunked', 'the response is incomplete'],
    ['cut-json', 'unexpected end of JSON'],
    ['redirect-loop', 'redirected more than 5 times'],
    ['redirect-nowhere', 'redirected without an address'],
    ['redirect-file', 'redirected to file, which is less safe'],
    ['missing', 'there is no such file (status 404)'],
    [
      'failing',
      'the server did not return it (status 500)\nhint: Check the URL, or pass a file or folder with --from.',
    ],
    ['unauthorized', 'the server requires authentication (status 401)\nhint: Check the URL'],
    ['denied', 'the server denies access (status 403)\nhint: Check the URL'],
    ['proxy-unauthorized', 'the proxy requires authentication (status 407)\nhint: Check the URL'],
    ['busy', 'too many requests (status 429)\nhint: Try again later.'],
    ['no-encoding', 'an encoding that was not requested: zstd'],
    ['hang', 'timed out after 1 seconds'],
    ['hang-body', 'timed out after 1 seconds'],
    ['html', 'this is a web page, not a JSON file'],
    ['html-unmarked', 'this is a web page, not a JSON file'],
    ['empty', 'the file is empty'],
    ['too-large', 'larger than 16 MB'],
    ['list', 'must be one JSON object'],
    ['text', 'not valid JSON'],
    ['utf16', 'the file is UTF-16'],
    ['reset', 'the response is incomplete'],
    ['no-http', 'it cannot be fetched'],
  ])('%s: %s', async (name, expected) => {
    const folder = folderWith({ 'schema/draft/schema.json': '{}', 'schema/draft/catalog.json': '{}' });
    const before = hashFolder(folder);
    const timeout = name.startsWith('hang') ? ['--timeout', '1'] : [];
    const run = await sync(folder, ['-r', 'draft', '--from', `${base}/${name}`, ...timeout]);
    expect([run.code, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(expected);
    expect(run.stderr).toContain(`${base}/`);
    expect(run.stderr.trim().split('\n')).toHaveLength(2);
    expect(hashFolder(folder)).toBe(before);
  });

  /** The base with a password, and a path with a token. */
  const secret = (name: string): string =>
    `${base.replace('://', '://me%40home:SECRET1%2F%@')}/${name}?token=SECRET2&ref=main`;
  const everything = (run: Run, folder: string): string =>
    [run.stdout, run.stderr, ...[...readFiles(folder)].flat()].join('\n');

  test.each<[string, string, readonly string[]]>([
    ['guarded', 'as text', []],
    ['guarded', 'as JSON', ['--json']],
    ['guarded', 'as Markdown', ['--markdown']],
    ['to-guarded', 'after a redirect on the same server', []],
  ])('never prints or stores the credentials of a URL: %s, %s', async (name, _, more) => {
    const folder = temporaryFolder();
    const run = await sync(folder, ['-r', 'draft', '--from', secret(name), ...more]);
    expect(run.code, run.stderr).toBe(0);
    expect(everything(run, folder)).not.toMatch(/SECRET|me(?:@|%40)home/);
    expect(readJson(folder, 'schema/manifest.json')['revisions']).toMatchObject({
      draft: { source: `${base}/${name}?ref=main` },
    });
  });

  test('neither is written into a pin', async () => {
    const folder = temporaryFolder();
    const run = await sync(folder, ['-r', '2030-01-01', '--from', secret('guarded'), '--update-pin']);
    expect(run.code, run.stderr).toBe(0);
    expect(everything(run, folder)).not.toContain('SECRET');
    expect(readJson(folder, 'mcpgen.config.json')['sync']).toMatchObject({
      '2030-01-01': { source: `${base}/guarded?ref=main` },
    });
  });

  test.each(['missing', 'hang', 'html', 'text', 'list', 'redirect-loop', 'reset', 'gzip-cut'])(
    'neither is shown in an error: %s',
    async (name) => {
      const folder = temporaryFolder();
      const run = await sync(folder, ['-r', 'draft', '--from', secret(name), '--timeout', '1']);
      expect([run.code, run.stdout]).toEqual([2, '']);
      expect(run.stderr).toContain(`${base}/`);
      expect(run.stderr).not.toMatch(/SECRET|home/);
    },
  );

  test('neither is shown where the file is not the pinned one', async () => {
    const folder = folderWith({
      'mcpgen.config.json': { sync: { draft: { source: secret('guarded'), sha256: sha256('another') } } },
    });
    for (const more of [[], ['--check'], ['--check', '--json']]) {
      const { stdout, stderr } = await sync(folder, more);
      expect(stdout + stderr).toContain(`${base}/guarded?ref=main`);
      expect(stdout + stderr).not.toContain('SECRET');
    }
  });

  test('a password does not follow a redirect to another server', async () => {
    const run = await sync(temporaryFolder(), ['-r', 'draft', '--from', secret('to-other')]);
    expect([run.code, run.stderr]).toEqual([2, expect.stringMatching(/\(status 401\)/)]);
    expect(run.stderr).not.toContain('SECRET');
  });

  test.each([
    ['diff', ['diff', '2025-11-25', 'https://me:SECRET1@127.0.0.1:1/x?token=SECRET2']],
    ['drift', ['drift', '--sdk', 'https://me:SECRET1@127.0.0.1:1/x?token=SECRET2']],
    ['types tools', ['types', 'tools', '--from-server', 'http://me:SECRET1@127.0.0.1:1/x?token=SECRET2']],
    ['types tools of a command', ['types', 'tools', '--from-server', 'no-such x http://me:SECRET1@127.0.0.1:1/']],
    ['init client', ['init', 'client', 'x', '--yes', '--from-server', 'http://me:SECRET1@127.0.0.1:1/x?token=SECRET2']],
    ['sync with a URL in the wrong place', ['sync', 'https://me:SECRET1@127.0.0.1:1/x']],
    ['sync of a URL that does not parse', ['sync', '-r', 'draft', '--from', 'https://me:SECRET1/@127.0.0.1:x/']],
  ])('%s shows no password in an error', async (_, args) => {
    const run = await mcpgen(args, { cwd: temporaryFolder() });
    expect(run.code).toBe(2);
    expect(run.stdout + run.stderr).not.toContain('SECRET');
  });

  test.each([
    ['https://a/b?ref=main#x', 'https://a/b?ref=main#x'],
    ['https://me:pw@a/b', 'https://a/b'],
    ['HTTPS://me@a:8/b@c?d=@', 'HTTPS://a:8/b@c?d=@'],
    ['https://me:p@w@a/b', 'https://a/b'],
    ["https://me:p w'x@a/b", 'https://a/b'],
    ['https://a/b?token=1', 'https://a/b'],
    ['https://a/b?x=1&api_key=2&y=3', 'https://a/b?x=1&y=3'],
    ['https://a/b?sig=1&x=2', 'https://a/b?x=2'],
    ['https://a/b?X-Amz-Signature=1&%74oken=2', 'https://a/b'],
    ['https://a/b#access_token=1', 'https://a/b'],
    ['https://a/b?keyword=1&design=2', 'https://a/b?keyword=1&design=2'],
    ['https://me:p/w@a:x/b', 'https://a:x/b'],
    ['schemas/a@b', 'schemas/a@b'],
  ])('%s is shown as %s', (url, expected) => {
    expect(displayUrl(url)).toBe(expected);
  });

  test('another hash than the pinned one', async () => {
    const folder = folderWith({
      'mcpgen.config.json': { sync: { draft: { source: `${base}/good`, sha256: sha256('another') } } },
    });
    const before = hashFolder(folder);
    const run = await sync(folder, []);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(`found    ${sha256(bytes)}`)]);
    expect(hashFolder(folder)).toBe(before);
  });

  test('without a network: explains the failed connection', async () => {
    const refused = await sync(temporaryFolder(), ['-r', 'draft', '--from', 'http://127.0.0.1:1/schema.json']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('cannot be reached (ECONNREFUSED)')]);
    const unknown = await sync(temporaryFolder(), ['-r', 'draft', '--from', 'http://no-such-host.invalid/schema.json']);
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringMatching(/cannot be resolved \(no network\?\)\n.*HTTPS_PROXY/),
    ]);
  });

  test('uses a proxy unless NO_PROXY excludes the host', async () => {
    const proxy = { HTTP_PROXY: base, http_proxy: base };
    const through = await sync(temporaryFolder(), ['-r', 'draft', '--from', 'http://schema.invalid/good'], proxy);
    expect([through.code, asked, through.stderr.toLowerCase().includes('experimental')]).toEqual([
      0,
      ['CONNECT schema.invalid:80', 'good'],
      false,
    ]);
    const around = await sync(temporaryFolder(), ['-r', 'draft', '--from', `${base}/good`], {
      http_proxy: 'http://127.0.0.1:1',
      no_proxy: '127.0.0.1',
    });
    expect(around.code).toBe(0);
    const dead = await sync(temporaryFolder(), ['-r', 'draft', '--from', `${base}/good`], {
      http_proxy: 'http://127.0.0.1:1',
    });
    expect([dead.code, dead.stderr]).toEqual([2, expect.stringContaining('cannot be reached')]);
  });
});

describe('wrong use', () => {
  test.each<[string, readonly string[], string]>([
    ['no revision', [], 'no revision given'],
    ['a name that leaves the folder', ['-r', '../x', '--from', 'a.json'], 'is not a valid name for a revision'],
    ['two ways to print', ['-r', 'draft', '--json', '--markdown'], 'cannot be combined'],
    ['check and pin', ['-r', 'draft', '--check', '--update-pin'], 'cannot be combined'],
    ['prose', ['-r', 'draft', '--prose', 'drop'], '--prose: "drop" is not supported'],
    ['time', ['-r', 'draft', '--timeout', 'long'], 'a number of seconds'],
    ['one address for two', ['-r', 'a', '-r', 'b', '--from', 'https://example.com/x'], 'one URL'],
    ['a file that is not there', ['-r', 'draft', '--from', 'none.json'], 'no such file'],
    ['a word', ['draft.json', '-r', 'draft'], '--from draft.json'],
  ])('%s', async (_, args, expected) => {
    const folder = temporaryFolder();
    const run = await sync(folder, args);
    expect([run.code, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(expected);
    expect([...readFiles(folder).keys()]).toEqual([]);
  });

  test('rejects a broken catalog or manifest', async () => {
    for (const name of ['draft/catalog.json', 'manifest.json']) {
      const folder = folderWith({ 'a.json': smallSchema(), [`schema/${name}`]: '{"methods": [' });
      const before = hashFolder(folder);
      const run = await sync(folder, ['-r', 'draft', '--from', 'a.json']);
      expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(`schema/${name}:1:`)]);
      expect(hashFolder(folder)).toBe(before);
    }
  });
});
