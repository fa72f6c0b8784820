/** Extensions on the command line. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mcpgen } from '../support/in-process.js';
import { reports, TASKS } from './support.js';
import { GENERATE, rows, writeExtension } from './command-support.js';

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-extensions-'));
});
afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});

describe('generate', () => {
  test('names the revisions that an extension is not added to', async () => {
    const args = ['generate', '-r', '2025-11-25', '-r', '2026-07-28', '--emit', 'methods', '--extension', TASKS];
    const { code, stdout } = await mcpgen(args, { cwd });
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toContain(`${TASKS} does not extend 2025-11-25: generated without it\n`);
  });

  test('reads extensions from the config, relative to it', async () => {
    const config = {
      out: 'src',
      revisions: ['2026-07-28'],
      emit: ['methods'],
      extensions: [TASKS],
      extend: [writeExtension(cwd)],
    };
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
    const { code, stderr } = await mcpgen([...GENERATE, '-o', 'out', '--extend', writeExtension(cwd, change)], { cwd });
    expect(code, stderr).toBe(2);
    expect(stderr.match(/^error: /gm)).toHaveLength(1);
    expect(stderr).toMatch(place);
    expect(stderr.length).toBeLessThan(2500);
    expect(existsSync(path.join(cwd, 'out'))).toBe(false);
  });

  test('a definition named __proto__ does not change the generator', async () => {
    const { catalog, schema } = reports();
    writeExtension(cwd);
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
    writeExtension(cwd);
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
    const file = writeExtension(cwd, (catalog) => (catalog['extension'] = 'reports'));
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
