/** Extensions on the command line. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mcpgen } from '../support/in-process.js';
import { reports, TASKS } from './support.js';

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-extensions-'));
});
afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});

/** Writes the files of an extension, and returns the path of its catalog. */
function write(change?: Parameters<typeof reports>[0]): string {
  const { catalog, schema } = reports(change);
  mkdirSync(path.join(cwd, 'ext'), { recursive: true });
  for (const { name, contents } of [catalog, schema]) writeFileSync(path.join(cwd, 'ext', name), contents);
  return 'ext/catalog.json';
}

const GENERATE = ['generate', '-r', '2026-07-28', '--emit', 'methods'] as const;

describe('generate', () => {
  test('names the revisions that an extension is not added to', async () => {
    const args = ['generate', '-r', '2025-11-25', '-r', '2026-07-28', '--emit', 'methods', '--extension', TASKS];
    const { code, stdout } = await mcpgen(args, { cwd });
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toContain(`${TASKS} does not extend 2025-11-25: generated without it\n`);
  });

  test('reads extensions from the config, relative to it', async () => {
    const config = { out: 'src', revisions: ['2026-07-28'], emit: ['methods'], extensions: [TASKS], extend: [write()] };
    writeFileSync(path.join(cwd, 'mcpgen.config.json'), JSON.stringify(config));
    mkdirSync(path.join(cwd, 'inside'));
    const { code, stdout } = await mcpgen(['generate', '--json'], { cwd: path.join(cwd, 'inside') });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      revisions: [{ methods: 28, extensions: [TASKS, 'com.example/reports'] }],
    });
  });

  test('without an extension writes the same files as before one was used', async () => {
    await mcpgen([...GENERATE, '-o', 'a'], { cwd });
    await mcpgen([...GENERATE, '-o', 'a', '--extension', TASKS], { cwd });
    await mcpgen([...GENERATE, '-o', 'a'], { cwd });
    const { code } = await mcpgen([...GENERATE, '-o', 'a', '--check'], { cwd });
    expect(code).toBe(0);
    const { stdout } = await mcpgen(['generate', '-r', '2026-07-28', '--emit', 'methods', '-o', '-'], { cwd });
    expect(stdout).not.toContain('xtension:');
  });

  test('suggests a built-in extension', async () => {
    const { code, stderr } = await mcpgen([...GENERATE, '--extension', 'io.modelcontextprotocol/task'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('extension "io.modelcontextprotocol/task" is not built in');
    expect(stderr).toContain(`Did you mean ${TASKS}?`);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('hostile files', () => {
  const text = 'a'.repeat(100_000);
  test.each<[string, Parameters<typeof reports>[0], RegExp]>([
    ['a path as the identifier', (catalog) => (catalog['extension'] = '../../x'), /ext\/catalog\.json#\/extension/],
    ['a prototype as the identifier', (catalog) => (catalog['extension'] = '__proto__'), /#\/extension/],
    ['a huge identifier', (catalog) => (catalog['extension'] = `a/${text}`), /#\/extension/],
    ['a path as the schema', (catalog) => (catalog['schema'] = '../secret.json'), /#\/schema/],
    ['an absolute path as the schema', (catalog) => (catalog['schema'] = '/etc/passwd'), /#\/schema/],
    ['a path as a revision', (catalog) => (catalog['extends'] = ['../..']), /#\/extends\/0/],
    ['no revision', (catalog) => (catalog['extends'] = []), /#\/extends/],
    ['rows that are not a list', (catalog) => (catalog['methods'] = { a: 1 }), /#\/methods/],
    ['a row that is not an object', (catalog) => (catalog['methods'] = [null]), /#\/methods\/0/],
    ['an unknown key', (catalog) => (catalog[text] = 1), /the key "a+ is unknown/],
    ['a line break in a summary', (catalog) => (catalog['summary'] = 'A.\nB.'), /#\/summary/],
    [
      'a method that is a path',
      (catalog) => (rows(catalog)[0] = { ...rows(catalog)[0], method: '../x' }),
      /#\/methods/,
    ],
    [
      'a capability that is a prototype',
      (catalog) => (catalog['capabilities'] = { server: '__proto__' }),
      /capabilities/,
    ],
    ['a definition that is no schema', (_, own) => (own['Extra'] = 7), /ext\/schema\.json#\/\$defs\/Extra/],
    ['an unknown keyword', (_, own) => (own['Extra'] = { frobnicate: 1 }), /ext\/schema\.json#\/\$defs\/Extra/],
    ['a definition that only refers to itself', (_, own) => (own['Extra'] = { $ref: '#/$defs/Extra' }), /Extra/],
    ['an error code that is text', (catalog) => (catalog['errors'] = [{ name: 'A', code: 'x' }]), /#\/errors\/0/],
  ])('%s is one error, and nothing is written', async (_title, change, place) => {
    const { code, stderr } = await mcpgen([...GENERATE, '-o', 'out', '--extend', write(change)], { cwd });
    expect(code, stderr).toBe(2);
    expect(stderr.match(/^error: /gm)).toHaveLength(1);
    expect(stderr).toMatch(place);
    expect(stderr.length).toBeLessThan(2500);
    expect(existsSync(path.join(cwd, 'out'))).toBe(false);
  });

  test('a definition named __proto__ does not change the generator', async () => {
    const { catalog, schema } = reports();
    write();
    const defs = `{"__proto__":{"type":"string"},`;
    writeFileSync(path.join(cwd, 'ext/schema.json'), String(schema.contents).replace('"$defs":{', `"$defs":${defs}`));
    expect(catalog.name).toBe('catalog.json');
    const { code, stderr } = await mcpgen([...GENERATE, '-o', 'out', '--extend', 'ext/catalog.json'], { cwd });
    expect([code, stderr]).toEqual([0, '']);
    expect(({} as { type?: string }).type).toBeUndefined();
  });

  test.each([
    ['is missing', undefined, 'no such file'],
    ['is not JSON', '{', 'ext/schema.json'],
    ['is a list', '[]', 'must be one JSON object'],
    ['has no definitions', '{}', 'has no definitions'],
  ])('a schema that %s', async (_title, contents, message) => {
    write();
    if (contents === undefined) rmSync(path.join(cwd, 'ext/schema.json'));
    else writeFileSync(path.join(cwd, 'ext/schema.json'), contents);
    const { code, stderr } = await mcpgen([...GENERATE, '-o', 'out', '--extend', 'ext/catalog.json'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('files of a catalog', () => {
  test('an extension with error codes only needs no schema', async () => {
    const { catalog } = reports((own) => {
      for (const key of ['methods', 'capabilities', 'schema']) Reflect.deleteProperty(own, key);
    });
    mkdirSync(path.join(cwd, 'ext'));
    writeFileSync(path.join(cwd, 'ext/catalog.json'), catalog.contents);
    const args = ['generate', '-r', '2026-07-28', '--emit', 'errors', '-o', 'out', '--extend', 'ext/catalog.json'];
    expect(await mcpgen(args, { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(path.join(cwd, 'out/2026-07-28/errors.ts'), 'utf8')).toContain('REPORT_NOT_FOUND: 4040');
  });

  test('a wrong format is described with an example', async () => {
    const file = write((catalog) => (catalog['extension'] = 'reports'));
    const { code, stderr } = await mcpgen([...GENERATE, '-o', 'out', '--extend', file], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /#\/extension: has another format \(The identifier .*\), such as "io\.modelcontextprotocol\/tasks"/,
    );
  });

  test('an extension of the config that does not extend a given schema is an error that names the config', async () => {
    const [schema, catalog] = ['schema', 'catalog'].map((name) => path.resolve(`schema/2025-11-25/${name}.json`));
    writeFileSync(path.join(cwd, 'mcpgen.config.json'), JSON.stringify({ out: 'out', extensions: [TASKS] }));
    const args = ['generate', '--schema', schema ?? '', '--catalog', catalog ?? '', '--emit', 'methods'];
    const { code, stderr } = await mcpgen(args, { cwd });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`mcpgen.config.json: extensions: ${TASKS} does not extend`),
    ]);
  });
});

describe('other commands', () => {
  test('explain does not mix the method of an extension with another one of the same name', async () => {
    const { stdout } = await mcpgen(['explain', 'tasks/get', '--extension', TASKS], { cwd });
    expect(stdout).toMatch(/^ {2}since +2026-07-28$/m);
  });

  test('methods lists the methods of an extension on request only', async () => {
    const { stdout: plain } = await mcpgen(['methods', '-r', '2026-07-28'], { cwd });
    expect(plain).not.toContain('tasks/');
    const { stdout } = await mcpgen(['methods', '--json', '-r', '2026-07-28', '--extension', TASKS], { cwd });
    const all = JSON.parse(stdout) as { name: string; extension?: string }[];
    expect(all.filter(({ extension }) => extension === TASKS)).toHaveLength(4);
    const { code, stderr } = await mcpgen(['methods', '-r', '2025-11-25', '--extension', TASKS], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${TASKS} extends 2026-07-28`)]);
  });

  test('headers show the path of a catalog below the folder of the config, so that two differ', async () => {
    const folder = path.join(cwd, 'headers');
    for (const name of ['one', 'two']) {
      mkdirSync(path.join(folder, 'vendors', name), { recursive: true });
      const catalog = { extension: `com.example/${name}`, summary: 'Errors.', extends: ['2026-07-28'] };
      const errors = [
        { name: `FAULT_${name.toUpperCase()}`, code: name.length + (name === 'one' ? 1 : 2), summary: 'No.' },
      ];
      writeFileSync(path.join(folder, 'vendors', name, 'catalog.json'), JSON.stringify({ ...catalog, errors }));
    }
    const extend = ['vendors/one/catalog.json', 'vendors/two/catalog.json'];
    writeFileSync(path.join(folder, 'mcpgen.config.json'), JSON.stringify({ revisions: ['2026-07-28'], extend }));
    const args = ['generate', '--emit', 'errors', '-o'];
    await mcpgen([...args, 'out'], { cwd: folder });
    const text = readFileSync(path.join(folder, 'out/2026-07-28/errors.ts'), 'utf8');
    expect(text).toContain('--extend vendors/one/catalog.json --extend vendors/two/catalog.json');
    expect(text).toContain('Extension: com.example/two, vendors/two/schema.json');
    expect(text).not.toContain(cwd);
    // From another folder, they are the same bytes.
    await mcpgen([...args, '../out'], { cwd: path.join(folder, 'vendors') });
    expect(readFileSync(path.join(folder, 'out/2026-07-28/errors.ts'), 'utf8')).toBe(text);
  });

  test('explain shows the extension that a method is from', async () => {
    const { stdout } = await mcpgen(['explain', 'reports/get', '--extend', write()], { cwd });
    expect(stdout).toMatch(/^ {2}extension +com\.example\/reports$/m);
    const { code, stderr } = await mcpgen(['explain', 'tasks/update'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`pass --extension ${TASKS}`)]);
  });

  test('diff of one revision shows what an extension adds', async () => {
    const { stdout } = await mcpgen(['diff', '2026-07-28', '--json', '--extension', TASKS], { cwd });
    const { summary, changes } = JSON.parse(stdout) as {
      summary: { methods: object; breaking: number };
      changes: { id: string; name: string; rule: string }[];
    };
    expect(summary.methods).toMatchObject({ added: 4, removed: 0 });
    const added = changes.filter(({ rule }) => rule.startsWith('result-added')).map(({ rule, name }) => [rule, name]);
    expect(added).toEqual([['result-added-guarded', 'tools/call']]);
    expect(summary.breaking).toBe(0);
  });

  test('errata lists the corrections of an extension on request only', async () => {
    const { stdout: plain } = await mcpgen(['errata'], { cwd });
    expect(plain).not.toContain('tasks-request-meta');
    const { stdout } = await mcpgen(['errata', '--extension', TASKS], { cwd });
    expect(stdout).toContain('tasks-request-meta (open)');
  });
});

function rows(catalog: Record<string, unknown>): object[] {
  return catalog['methods'] as object[];
}

describe('the protocol of an extension', () => {
  const UI = 'io.modelcontextprotocol/ui';

  test('has its own methods, with the words for its sides', async () => {
    const { stdout } = await mcpgen(['methods', '--revision', '2026-07-28', '--extension', UI, '--json'], { cwd });
    const rows = JSON.parse(stdout) as readonly {
      name: string;
      direction: string;
      extension?: string;
      gone: unknown;
    }[];
    const of = (name: string): unknown =>
      rows.filter((row) => row.name === name).map(({ direction, extension }) => [direction, extension]);
    expect(of('tools/call')).toEqual([
      ['clientToServer', undefined],
      ['both', UI],
    ]);
    expect(of('ui/initialize')).toEqual([['viewToHost', UI]]);
    expect(of('prompts/get')).toEqual([['clientToServer', undefined]]);
    expect(rows.filter(({ gone }) => gone === 'ui')).toEqual([]);
    expect(rows).toHaveLength(52);
  });

  test('is printed alone by the name of its folder', async () => {
    const { stdout } = await mcpgen(['methods', '--revision', 'ui', '--extension', UI], { cwd });
    expect(stdout).toContain('31 methods: 15 requests, 16 notifications (MCP Apps)');
    expect(stdout).toMatch(/^ui\/resource-teardown +host +request +2026-01-26 /m);
  });

  test('is unknown without the extension', async () => {
    const { code, stderr } = await mcpgen(['methods', '--revision', 'ui'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('"ui"')]);
  });

  test('explains its methods and definitions', async () => {
    const method = await mcpgen(['explain', 'ui/initialize', '--extension', UI], { cwd });
    expect(method.stdout).toContain('sent by   the view\n');
    expect(method.stdout).toContain('since     2026-01-26\n');
    const definition = await mcpgen(['explain', 'McpUiHostContext', '--extension', UI], { cwd });
    expect(definition.stdout).toContain('ui/notifications/host-context-changed');
  });

  test('comes after a revision that has the same method', async () => {
    const { stdout, stderr } = await mcpgen(['explain', 'tools/call', '--extension', UI], { cwd });
    expect(stdout).toContain('tools/call  revision 2026-07-28\n');
    expect(stdout).toContain('since     2024-11-05\n');
    expect(stderr).toBe('MCP Apps has tools/call too: pass --revision ui\n');
    const other = await mcpgen(['explain', 'tools/call', '--extension', UI, '--revision', 'ui'], { cwd });
    expect(other.stdout).toContain('sent by   either side\n');
  });

  test.each(['ui/initialize', 'McpUiHostContext'])('says that %s is in an extension', async (name) => {
    const { code, stderr } = await mcpgen(['explain', name], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`pass --extension ${UI}.`)]);
  });

  test('is part of what the extension adds', async () => {
    const { stdout } = await mcpgen(['diff', '2026-07-28', '--extension', UI], { cwd });
    expect(stdout).toContain(
      'The extension has a protocol between view and host: MCP Apps 2026-01-26, with 31 methods.',
    );
    const json = await mcpgen(['diff', '2026-07-28', '--extension', UI, '--json'], { cwd });
    const { protocols } = JSON.parse(json.stdout) as { protocols: readonly { folder: string; methods: unknown }[] };
    expect(protocols).toMatchObject([{ folder: 'ui', methods: expect.arrayContaining(['ui/initialize']) as unknown }]);
  });

  test('has headers with the command that writes it', async () => {
    await mcpgen([...GENERATE, '--extension', UI, '-o', 'out'], { cwd });
    const [, , , , command] = readFileSync(path.join(cwd, 'out/ui/methods.ts'), 'utf8').split('\n');
    expect(command).toBe(
      `// Regenerate: mcpgen generate --extension ${UI} --emit methods,client,server --out <folder above this one>`,
    );
  });
});
