/** `mcpgen sync` of extensions: from files, and from packages on a registry of npm that the test serves. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtinExtensionSchema, requireExtension } from '../../generator/read/builtin/extensions.js';
import { hashFolder, listFiles, removeTemporaryFolders, temporaryFolder, type Run } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { findInternals } from '../support/hostile.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const TASKS = 'io.modelcontextprotocol/tasks';
const APPS = 'io.modelcontextprotocol/ui';
const APPS_FILE = path.join(ROOT, 'node_modules/@modelcontextprotocol/ext-apps/dist/src/generated/schema.json');

afterAll(removeTemporaryFolders);

const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

interface Definitions {
  $defs: Record<string, { properties: Record<string, object>; required: string[] }>;
}

/** The schema of the tasks extension after an edit of its definitions. */
function tasksSchema(edit: (definitions: Definitions['$defs']) => void = () => undefined): string {
  const schema = structuredClone(builtinExtensionSchema(TASKS)) as unknown as Definitions;
  edit(schema.$defs);
  return JSON.stringify(schema);
}

/** A draft in which each task has a title, and tasks can be paused. */
function newDraft(definitions: Definitions['$defs']): void {
  definitions['WorkingTask']?.required.push('title');
  Object.assign(definitions['WorkingTask']?.properties ?? {}, { title: { type: 'string' } });
  const text = JSON.stringify(definitions['CancelTaskRequest']).replace('tasks/cancel', 'tasks/pause');
  definitions['PauseTaskRequest'] = JSON.parse(text) as never;
}

function readJson(...names: string[]): Record<string, unknown> {
  return JSON.parse(readFileSync(path.join(...names), 'utf8')) as Record<string, unknown>;
}

async function sync(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const run = await mcpgen(['sync', ...args], { cwd: folder, env });
  expect(findInternals(run.stderr)).toEqual([]);
  return run;
}

describe('from files', () => {
  test.for([
    [TASKS, path.join(ROOT, 'schema/extensions', TASKS, 'schema.json')],
    [APPS, APPS_FILE],
  ] as const)('%s: the published file produces the built-in schema', async ([id, file]) => {
    const folder = temporaryFolder();
    const args = ['--extension', id, '--from', file, '--prose', 'strip'];
    const run = await sync(folder, args);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(run.stdout).not.toContain('definitions:');
    expect(readJson(folder, 'schema/extensions', id, 'schema.json')).toEqual(builtinExtensionSchema(id));
    const manifest = readJson(folder, 'schema/manifest.json')['extensions'];
    expect(manifest).toMatchObject({
      [id]: { status: requireExtension(id).status, sha256: sha256(readFileSync(file)) },
    });
    const before = hashFolder(folder);
    const again = await sync(folder, [...args, '--check', '--json']);
    const report = JSON.parse(again.stdout) as { upToDate: boolean; extensions: object[] };
    expect([again.code, report.upToDate]).toEqual([0, true]);
    expect(report.extensions).toMatchObject([{ extension: id, state: 'unchanged', diff: null }]);
    expect(hashFolder(folder)).toBe(before);
  });

  test('what was synced generates the same methods as the built-in extension', async () => {
    const folder = temporaryFolder();
    await sync(folder, ['--extension', TASKS, '--from', path.join(ROOT, 'schema/extensions', TASKS, 'schema.json')]);
    const methods = async (...args: string[]): Promise<string> =>
      (await mcpgen(['methods', '-r', '2026-07-28', '--json', ...args], { cwd: folder })).stdout;
    expect(await methods('--extend', `schema/extensions/${TASKS}/catalog.json`)).toBe(
      await methods('--extension', TASKS),
    );
  });

  test('a new draft is compared with what is built in, then with the files', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'a.json'), tasksSchema(newDraft));
    const args = ['--extension', TASKS, '--from', 'a.json'];
    const check = await sync(folder, [...args, '--check', '--json']);
    const [item] = (JSON.parse(check.stdout) as { extensions: { diff: { changes: { id: string }[] } }[] }).extensions;
    expect(check.code).toBe(1);
    expect(item?.diff.changes.map(({ id }) => id)).toContain('member-added-required:WorkingTask.title');
    expect(check.stderr).toContain(`${TASKS}: tasks/pause: undecided in the catalog: its whole row`);
    expect(listFiles(folder)).toEqual(['a.json']);

    expect((await sync(folder, args)).stdout).toContain('WorkingTask.title');
    expect((await sync(folder, [...args, '--check'])).code).toBe(0);
    writeFileSync(
      path.join(folder, 'a.json'),
      tasksSchema((definitions) => {
        newDraft(definitions);
        Object.assign(definitions['WorkingTask']?.properties ?? {}, { title: { type: 'number' } });
      }),
    );
    const markdown = await sync(folder, [...args, '--check', '--markdown']);
    expect(markdown.code).toBe(1);
    expect(markdown.stdout).toMatch(
      /^\*\*io\.modelcontextprotocol\/tasks\*\* \(draft: it may still change\): changed: /,
    );
    expect(markdown.stdout).toContain('- [ ] decide in the catalog: `tasks/pause`');
    expect(markdown.stdout).toContain('| `WorkingTask.title` | type changed | `string` | `number` | breaks both');
  });

  test('changed descriptions are not a change in structure', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'a.json'), tasksSchema());
    await sync(folder, ['--extension', TASKS, '--from', 'a.json']);
    const described = tasksSchema((definitions) => {
      Object.assign(definitions['WorkingTask'] ?? {}, { description: 'A task.' });
    });
    writeFileSync(path.join(folder, 'a.json'), described);
    const run = await sync(folder, ['--extension', TASKS, '--from', 'a.json']);
    expect(run.stdout).toContain('changed, but not in structure');
  });

  test('a draft that the config pins must not change', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'a.json'), tasksSchema());
    const config = { sync: { [TASKS]: { source: 'a.json', sha256: sha256(tasksSchema()) } } };
    writeFileSync(path.join(folder, 'mcpgen.config.json'), JSON.stringify(config));
    expect((await sync(folder, [])).code).toBe(0);
    writeFileSync(path.join(folder, 'a.json'), tasksSchema(newDraft));
    const before = hashFolder(folder);
    const check = await sync(folder, ['--check']);
    expect([check.code, check.stdout]).toEqual([1, expect.stringContaining('does not match the pinned one')]);
    const refused = await sync(folder, []);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`the SHA-256 of ${TASKS} does not`)]);
    expect(hashFolder(folder)).toBe(before);
    expect((await sync(folder, ['--update-pin'])).code).toBe(0);
    expect(readJson(folder, 'mcpgen.config.json')).toEqual({
      sync: { [TASKS]: { source: 'a.json', sha256: sha256(tasksSchema(newDraft)) } },
    });
    expect((await sync(folder, ['--check'])).code).toBe(0);
  });

  test('a released extension must have the SHA-256 that is built in', async () => {
    const folder = temporaryFolder();
    const changed = readFileSync(APPS_FILE, 'utf8').replace('"prefersBorder"', '"hasBorder"');
    writeFileSync(path.join(folder, 'a.json'), changed);
    const args = ['--extension', APPS, '--from', 'a.json'];
    const run = await sync(folder, args);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(`(built in)\n  found    ${sha256(changed)}`)]);
    expect(listFiles(folder)).toEqual(['a.json']);
    const accepted = await sync(folder, [...args, '--update-pin']);
    expect([accepted.code, accepted.stdout]).toEqual([0, expect.stringContaining('McpUiResourceMeta.hasBorder')]);
    expect(readJson(folder, 'mcpgen.config.json')).toEqual({
      sync: { [APPS]: { source: 'a.json', sha256: sha256(changed) } },
    });
  });

  test("a vendor's extension keeps its catalog", async () => {
    const folder = temporaryFolder();
    const id = 'com.example/hello';
    const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: { Hello: { type: 'object' } } };
    writeFileSync(path.join(folder, 'a.json'), JSON.stringify(schema));
    const args = ['--extension', id, '--from', 'a.json', '--update-pin'];
    const missing = await sync(folder, args);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('is not built in, and has no catalog')]);
    const place = path.join(folder, 'schema/extensions', id);
    mkdirSync(place, { recursive: true });
    const catalog = JSON.stringify({ extension: id, summary: 'Says hello.', extends: ['2026-07-28'] });
    writeFileSync(path.join(place, 'catalog.json'), catalog);
    expect((await sync(folder, args)).code).toBe(0);
    expect(readFileSync(path.join(place, 'catalog.json'), 'utf8')).toBe(catalog);
    const foreign = catalog.replace(id, 'com.example/other');
    writeFileSync(path.join(place, 'catalog.json'), foreign);
    expect((await sync(folder, args)).stderr).toContain(`the catalog is of com.example/other, not ${id}`);
  });

  test.for([
    [['--extension', '../../x'], 'is not the identifier of an extension'],
    [['--extension', 'com.example/x'], 'is not built in, so its source must be passed'],
    [['--extension', TASKS, '--from', 'npm:x'], 'not a file of a package on npm'],
    [['--extension', TASKS, '--from', 'npm:x@1;touch y/z.json'], 'not a file of a package on npm'],
    [['--extension', TASKS, '--from', 'npm:x/../../y.json'], 'not a file of a package on npm'],
    [['--extension', TASKS, '-r', 'draft', '--from', 'npm:x/y.json'], 'one URL cannot be the source of several'],
    [['--extension', TASKS, '--from', '.'], `the folder has no schema of extension ${TASKS}`],
  ] as const)('%j is an error', async ([args, message]) => {
    const folder = temporaryFolder();
    const run = await sync(folder, args);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(listFiles(folder)).toEqual([]);
  });
});

describe('from a package on npm', () => {
  let server: Server;
  let env: Readonly<Record<string, string>> = {};
  /** The files of each version; the last one is the newest. */
  const versions: Record<string, string> = {
    '1.0.0': tasksSchema(),
    '1.1.0': tasksSchema(newDraft),
  };

  beforeAll(async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'package/schema'), { recursive: true });
    const archives = new Map(
      Object.entries(versions).map(([version, schema]) => {
        writeFileSync(path.join(folder, 'package/package.json'), JSON.stringify({ name: '@example/tasks', version }));
        writeFileSync(path.join(folder, 'package/schema/schema.json'), schema);
        execFileSync('tar', ['-czf', `${version}.tgz`, 'package'], { cwd: folder });
        return [version, readFileSync(path.join(folder, `${version}.tgz`))];
      }),
    );
    server = createServer((request, response) => {
      const base = `http://${request.headers.host ?? ''}`;
      const archive = archives.get(/([\d.]+)\.tgz$/.exec(request.url ?? '')?.[1] ?? '');
      if (archive !== undefined) return response.end(archive);
      if (decodeURIComponent(request.url ?? '') !== '/@example/tasks') return response.writeHead(404).end('{}');
      const list = Object.fromEntries(
        [...archives].map(([version, bytes]) => {
          const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
          return [version, { name: '@example/tasks', version, dist: { tarball: `${base}/${version}.tgz`, integrity } }];
        }),
      );
      return response.end(JSON.stringify({ name: '@example/tasks', 'dist-tags': { latest: '1.1.0' }, versions: list }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const port = (server.address() as AddressInfo).port;
    env = {
      npm_config_registry: `http://user:SECRET@127.0.0.1:${port}/`,
      npm_config_cache: temporaryFolder(),
      npm_config_update_notifier: 'false',
    };
  });
  afterAll(() => server.close());

  test('a version, and the newest one', async () => {
    const folder = temporaryFolder();
    const args = ['--extension', TASKS, '--from'];
    const first = await sync(folder, [...args, 'npm:@example/tasks@1.0.0/schema/schema.json'], env);
    expect([first.code, first.stderr]).toEqual([0, '']);
    const check = await sync(folder, [...args, 'npm:@example/tasks/schema/schema.json', '--check'], env);
    expect([check.code, check.stdout]).toEqual([1, expect.stringContaining('WorkingTask.title')]);
    expect(check.stdout).toContain(sha256(versions['1.1.0'] ?? ''));
  });

  test.for([
    ['npm:@example/tasks@1.0.0/schema/other.json', 'the package has no such file'],
    ['npm:@example/tasks@3.0.0/schema/schema.json', 'the package has no such version'],
    ['npm:@example/other/schema.json', 'there is no such package'],
  ] as const)('%s', async ([source, message]) => {
    const folder = temporaryFolder();
    const run = await sync(folder, ['--extension', TASKS, '--from', source], env);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(run.stderr).not.toContain('SECRET');
    expect(listFiles(folder)).toEqual([]);
  });
});
