import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { EMITTABLE } from '../../generator/emit/parts.js';
import { McpgenError } from '../../generator/errors.js';
import { readConfig, type Config } from '../../generator/read/config/config.js';
import { listFiles, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { findInternals } from '../support/hostile.js';
import { cases } from '../support/cases.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SCHEMA = JSON.parse(readFileSync(path.join(ROOT, 'schema/config.schema.json'), 'utf8')) as {
  properties: Record<string, { items?: { enum?: string[] } }>;
};

afterAll(removeTemporaryFolders);

/** A folder with files. */
function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = temporaryFolder();
  for (const [name, contents] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), typeof contents === 'string' ? contents : JSON.stringify(contents));
  }
  return folder;
}

async function refused(files: Readonly<Record<string, unknown>>, given?: string): Promise<string> {
  const folder = folderWith(files);
  const error = await readConfig(folder, given).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(McpgenError);
  const text = (error as McpgenError).format();
  expect(findInternals(text)).toEqual([]);
  return text.replaceAll(`${folder}${path.sep}`, '').replaceAll(folder, '.');
}

describe('where a config is found', () => {
  const config = { out: 'src/mcp' };
  test.each<[string, unknown]>([
    ['mcpgen.config.json', config],
    ['mcpgen.config.js', `export default ${JSON.stringify(config)};`],
    ['mcpgen.config.js', `module.exports = ${JSON.stringify(config)};`],
    ['mcpgen.config.ts', `const out: string = 'src/mcp';\nexport default { out } satisfies { out: string };`],
    ['package.json', { name: 'x', mcpgen: config }],
    ['package.json', { name: 'x', type: 'module', mcpgen: config }],
  ])('%s', async (name, contents) => {
    const folder = folderWith({ [name]: contents, 'a/b/c.txt': '' });
    const found = await readConfig(path.join(folder, 'a/b'));
    expect(found).toMatchObject({ file: path.join(folder, name), folder, config });
  });

  test('the nearest config wins', async () => {
    const folder = folderWith({
      'mcpgen.config.json': { out: 'far' },
      'a/mcpgen.config.json': { out: 'near' },
      'a/b/package.json': { name: 'mcpgen', dependencies: { mcpgen: '1' } },
    });
    expect((await readConfig(path.join(folder, 'a/b')))?.config).toEqual({ out: 'near' });
    expect((await readConfig(path.join(folder)))?.config).toEqual({ out: 'far' });
  });

  test('the search ends at the root of a repository', async () => {
    const folder = folderWith({ 'mcpgen.config.json': { out: 'far' }, 'repo/.git/HEAD': '', 'repo/src/a.ts': '' });
    expect(await readConfig(path.join(folder, 'repo/src'))).toBeUndefined();
  });

  test('ignores a broken package.json without the key', async () => {
    expect(await readConfig(folderWith({ 'package.json': '{ "name": ', '.git/HEAD': '' }))).toBeUndefined();
  });

  test('two in one folder are an error that names both', async () => {
    expect(await refused({ 'mcpgen.config.json': config, 'mcpgen.config.ts': '' })).toBe(
      '.: there are 2 configs in one folder: mcpgen.config.json, mcpgen.config.ts\nhint: Keep one of them, or choose one with --config FILE.',
    );
    expect(await refused({ 'mcpgen.config.js': '', 'package.json': { mcpgen: config } })).toContain(
      'mcpgen.config.js, package.json (key mcpgen)',
    );
  });

  test('a file that is named comes before those that are found', async () => {
    const folder = folderWith({ 'mcpgen.config.json': { out: 'found' }, 'ci/gen.json': { out: 'named' } });
    expect(await readConfig(folder, 'ci/gen.json')).toMatchObject({
      folder: path.join(folder, 'ci'),
      config: { out: 'named' },
    });
  });
});

describe('a config that is wrong', () => {
  test.each<[string, unknown, string]>([
    ['an unknown key', { revision: ['x'] }, 'the key "revision" is unknown\nhint: Did you mean "revisions"?'],
    [
      'a key far from any',
      { frobnicate: 1 },
      'the key "frobnicate" is unknown\nhint: There are out, revisions, schema',
    ],
    ['an inherited name as a key', '{"__proto__": {}}', 'the key "__proto__" is unknown'],
    ['a wrong type', { out: 5 }, 'out: must be a string, not 5\nhint: Output folder.'],
    ['a text for a list', { revisions: '2025-11-25' }, 'revisions: must be a list, not "2025-11-25"'],
    ['a wrong item', { revisions: ['2025-11-25', 7] }, 'revisions[1]: must be a string, not 7'],
    ['a text for a switch', { strict: 'yes' }, 'strict: must be true or false, not "yes"'],
    ['an empty list', { revisions: [] }, 'revisions: the list is empty'],
    ['an empty text', { out: '' }, 'out: the string is empty'],
    ['a misspelt part', { emit: ['typs'] }, 'emit[0]: "typs" is not one of its values\nhint: Did you mean "types"?'],
    ['a wrong choice', { importExtension: 'mjs' }, 'importExtension: "mjs" is not one of its values\nhint: '],
    ['an unknown key below', { drift: { name: {} } }, 'drift: the key "name" is unknown\nhint: Did you mean "names"?'],
    ['a pin without source', { sync: { draft: {} } }, 'sync.draft: the key "source" is missing\nhint: Add it.'],
    ['a pin of a dated revision', { sync: { '2030-01-01': {} } }, 'sync.2030-01-01: the key "source" is missing'],
    ['a pin of a numbered revision', { sync: { '7': {} } }, 'sync[7]: the key "source" is missing'],
    [
      'a pin with a wrong digest',
      { sync: { draft: { source: 'a', sha256: 'abc' } } },
      'sync.draft.sha256: "abc" has the wrong format\nhint: SHA-256 that the file must have',
    ],
    [
      'a revision that is no name',
      { sync: { '../x': { source: 'a' } } },
      'sync: "../x" is not a valid name for a revision',
    ],
    ['a list', [], 'mcpgen.config.json: must be an object, not []'],
    ['no JSON', '{ "out": }', 'mcpgen.config.json:1:10: not valid JSON'],
    ['one key twice', '{ "out": "a", "out": "b" }', 'mcpgen.config.json:1:15'],
    ['nothing', '', 'mcpgen.config.json: the file is empty'],
  ])('%s', async (_, config, text) => {
    const found = await refused({ 'mcpgen.config.json': config });
    expect(found).toContain('mcpgen.config.json');
    expect(found).toContain(text);
  });

  test('rejects a program without a valid default export', async () => {
    expect(await refused({ 'mcpgen.config.js': 'throw new Error("no luck")' })).toContain('cannot be loaded: no luck');
    expect(await refused({ 'mcpgen.config.ts': 'export const a = 1;' })).toContain('has no default export');
    expect(await refused({ 'mcpgen.config.ts': 'export default {' })).toContain('the config cannot be loaded');
    expect(await refused({ 'mcpgen.config.ts': 'export default { outt: "a" }' })).toContain('Did you mean "out"?');
    expect(await refused({ 'mcpgen.config.ts': 'export default () => ({})' })).toContain('must be an object');
    // Where in the file, and values that JSON has not.
    expect(await refused({ 'mcpgen.config.ts': 'const a: any = 1;\nexport default a.b();' })).toContain('config.ts:2:');
    expect(await refused({ 'mcpgen.config.ts': 'export default { out: 5n }' })).toContain(
      'the config is not plain data: it contains a bigint',
    );
    const circle = 'const a: any = { out: "x" };\na.tools = a;\nexport default a;';
    expect(await refused({ 'mcpgen.config.ts': circle })).toContain(
      'not plain data: it contains itself, or is nested too deeply',
    );
  });

  test('rejects a named file that cannot be a config', async () => {
    expect(await refused({}, 'no.json')).toContain('no.json: no such file');
    expect(await refused({}, 'no.ts')).toContain('no.ts: no such file');
    expect(await refused({ 'a.yaml': 'out: x' }, 'a.yaml')).toContain('not JSON, JavaScript or TypeScript');
    expect(await refused({ 'package.json': {} }, 'package.json')).toContain('the file has no key "mcpgen"');
    expect(await refused({ 'package.json': { mcpgen: { outt: 1 } } })).toContain(
      'package.json: mcpgen: the key "outt"',
    );
  });
});

describe('the schema for editors', () => {
  test('has the same keys as the type', () => {
    const keys = {
      $schema: true,
      out: true,
      revisions: true,
      schema: true,
      catalog: true,
      extensions: true,
      extend: true,
      plugins: true,
      emit: true,
      methods: true,
      importExtension: true,
      target: true,
      tsNocheck: true,
      errata: true,
      strict: true,
      trustPatterns: true,
      additionalSchemas: true,
      nullable: true,
      schemas: true,
      tools: true,
      sync: true,
      drift: true,
    } as const satisfies Record<keyof Config, true>;
    expect(Object.keys(SCHEMA.properties)).toEqual(Object.keys(keys));
    expect(SCHEMA.properties['emit']?.items?.enum).toEqual(['default', ...EMITTABLE]);
  });

  test('is shipped', () => {
    const { files } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
    expect(files).toContain('schema');
  });
});

describe('an output folder outside the folder of the config', () => {
  const config = { revisions: ['2025-11-25'], emit: ['errors'] };
  const program = (out: string): string => `export default ${JSON.stringify({ ...config, out })};\n`;

  test.each<[string, (out: string) => unknown, string]>([
    ['mcpgen.config.json', (out) => ({ ...config, out }), 'mcpgen.config.json: out'],
    ['mcpgen.config.js', program, 'mcpgen.config.js: out'],
    ['mcpgen.config.ts', program, 'mcpgen.config.ts: out'],
    ['package.json', (out) => ({ mcpgen: { ...config, out } }), 'package.json: mcpgen.out'],
  ])('is refused in %s', async (name, text, place) => {
    const outside = path.join(temporaryFolder(), 'x');
    for (const out of ['../../x', outside]) {
      const folder = folderWith({ [`a/b/${name}`]: text(out) });
      const run = await mcpgen(['generate'], { cwd: path.join(folder, 'a/b') });
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toBe(
        `error: ${place}: the output folder ${JSON.stringify(out)} is outside the folder of the config\n` +
          'hint: Choose a folder below it, or confirm it with --allow-outside or --out DIR.\n',
      );
      expect([listFiles(folder), existsSync(outside)]).toEqual([['a', 'a/b', `a/b/${name}`], false]);
    }
  });

  test('is refused where a symbolic link leads there', async () => {
    const folder = folderWith({ 'a/mcpgen.config.json': { ...config, out: 'link/below' }, 'other/x.txt': '' });
    symlinkSync(path.join(folder, 'other'), path.join(folder, 'a/link'));
    const run = await mcpgen(['generate'], { cwd: path.join(folder, 'a') });
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('config.json: out: the output folder')]);
    expect(listFiles(path.join(folder, 'other'))).toEqual(['x.txt']);
  });

  test('is written with --allow-outside or --out', async () => {
    const folder = folderWith({ 'a/mcpgen.config.json': { ...config, out: '../x' } });
    const check = await mcpgen(['generate', '--allow-outside', '--check'], { cwd: path.join(folder, 'a') });
    expect(check.stdout).toMatch(/ {2}mcpgen generate --allow-outside\n$/);
    expect((await mcpgen(['generate', '--allow-outside'], { cwd: path.join(folder, 'a') })).code).toBe(0);
    expect((await mcpgen(['generate', '--out', '../y'], { cwd: path.join(folder, 'a') })).code).toBe(0);
    expect([listFiles(path.join(folder, 'x')), listFiles(path.join(folder, 'y'))]).toEqual([
      ['2025-11-25', '2025-11-25/errors.ts', '2025-11-25/index.ts'],
      ['2025-11-25', '2025-11-25/errors.ts', '2025-11-25/index.ts'],
    ]);
  });

  test('is compared by real paths', async () => {
    const folder = folderWith({ 'real/mcpgen.config.json': { ...config, out: 'x' } });
    symlinkSync(path.join(folder, 'real'), path.join(folder, 'link'));
    const run = await mcpgen(['generate', '--config', path.join(folder, 'link/mcpgen.config.json')], { cwd: folder });
    expect(run).toMatchObject({ code: 0, stderr: '' });
  });

  test.each([
    ['types', ['types', 'tools', 'tools.json']],
    ['add handler', ['add', 'handler', 'tools/list']],
    ['add revision', ['add', 'revision', '2025-11-25']],
    ['add tool', ['add', 'tool', 'x']],
  ])('is refused by %s, unless it is confirmed', async (_, args) => {
    const folder = folderWith({
      'a/mcpgen.config.json': { revisions: ['2025-06-18'], emit: ['default', 'registry'], out: '../x' },
      'a/tools.json': [{ name: 't', inputSchema: { type: 'object' } }],
      'a/src/server.ts': '',
      'a/src/protocol.ts': '',
    });
    const run = await mcpgen(args, { cwd: path.join(folder, 'a') });
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('"../x" is outside the folder of the config')]);
    const confirmed = await mcpgen([...args, '--allow-outside'], { cwd: path.join(folder, 'a') });
    expect(confirmed.stderr).not.toContain('outside');
  });

  test('is no fault of a path that is only read', async () => {
    const folder = folderWith({
      'tools.json': [{ name: 't', inputSchema: { type: 'object' } }],
      'a/mcpgen.config.json': { ...config, out: 'x', tools: ['../tools.json'] },
    });
    expect(await mcpgen(['generate'], { cwd: path.join(folder, 'a') })).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('generate with a config', () => {
  const config = {
    $schema: './schema.json',
    out: 'src/mcp',
    revisions: ['2025-11-25'],
    emit: ['methods', 'errors'],
    importExtension: 'none',
  };

  test('case-106: flags override the config', async () => {
    expect(cases('cli').map((item) => item.id)).toContain('case-106');
    const folder = folderWith({ 'mcpgen.config.json': config, 'deep/er/x.txt': '' });
    const run = async (...args: string[]): Promise<{ out: string; files: { path: string }[] }> => {
      const { code, stdout, stderr } = await mcpgen(['generate', '--json', ...args], { cwd: `${folder}/deep/er` });
      expect([code, stderr]).toEqual([0, '']);
      return JSON.parse(stdout) as { out: string; files: { path: string }[] };
    };
    const plain = await run();
    expect(plain.out).toBe(path.join(folder, 'src/mcp'));
    expect(plain.files.map((file) => file.path)).toEqual([
      '2025-11-25/types.ts',
      '2025-11-25/methods.ts',
      '2025-11-25/errors.ts',
      '2025-11-25/index.ts',
    ]);
    expect(readFileSync(path.join(folder, 'src/mcp/2025-11-25/methods.ts'), 'utf8')).toContain('from "./types"');
    const flags = await run('-r', '2025-06-18', '--emit', 'errors', '-o', 'here', '--import-extension', 'js');
    expect(flags.out).toBe(path.join(folder, 'deep/er/here'));
    expect(flags.files.map((file) => file.path)).toEqual(['2025-06-18/errors.ts', '2025-06-18/index.ts']);
    writeFileSync(path.join(folder, 'deep/other.json'), JSON.stringify({ ...config, out: 'other', emit: ['errors'] }));
    expect((await run('--config', '../other.json')).out).toBe(path.join(folder, 'deep/other'));
    writeFileSync(path.join(folder, 'mcpgen.config.json'), JSON.stringify({ emitt: [] }));
    const wrong = await mcpgen(['generate'], { cwd: `${folder}/deep` });
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toMatch(/mcpgen\.config\.json: the key "emitt" is unknown\nhint: Did you mean "emit"\?\n$/);
  });

  test('--check prints the command that fixes it', async () => {
    const folder = folderWith({ 'mcpgen.config.json': config });
    const stale = await mcpgen(['generate', '--check'], { cwd: folder });
    expect(stale.code).toBe(1);
    expect(stale.stdout).toMatch(/To fix it:\n {2}mcpgen generate\n$/);
    const flags = await mcpgen(['generate', '--check', '--json', '--config', 'mcpgen.config.json', '-o', 'a b'], {
      cwd: folder,
    });
    expect(JSON.parse(flags.stdout)).toMatchObject({
      fix: "mcpgen generate --config mcpgen.config.json --out 'a b'",
    });
    // It is the right one: after it the check passes.
    expect((await mcpgen(['generate'], { cwd: folder })).code).toBe(0);
    expect((await mcpgen(['generate', '--check'], { cwd: folder })).code).toBe(0);
  });

  test.each([
    ['npx', { 'package.json': { devDependencies: { mcpgen: '1' } } }],
    ['pnpm exec', { 'package.json': { devDependencies: { mcpgen: '1' } }, 'pnpm-lock.yaml': '' }],
  ])('--check prints a fix that runs with %s in a project that depends on mcpgen', async (runner, files) => {
    const folder = folderWith({ 'mcpgen.config.json': config, ...files });
    const stale = await mcpgen(['generate', '--check', '--json'], { cwd: folder });
    expect(JSON.parse(stale.stdout)).toMatchObject({ fix: `${runner} mcpgen generate` });
  });

  test('--check prints a fix that runs with npx if npx started mcpgen', async () => {
    const folder = folderWith({ 'mcpgen.config.json': config });
    const fixOf = async (script: string): Promise<unknown> => {
      const env = { npm_lifecycle_event: 'npx', npm_lifecycle_script: script };
      const stale = await mcpgen(['generate', '--check', '--json'], { cwd: folder, env });
      return (JSON.parse(stale.stdout) as { readonly fix: unknown }).fix;
    };
    expect(await fixOf("'mcpgen'")).toBe('npx mcpgen generate');
    expect(await fixOf("'vitest'")).toBe('mcpgen generate');
  });

  test('--check does not count files of the user', async () => {
    const folder = folderWith({ 'mcpgen.config.json': config });
    await mcpgen(['generate'], { cwd: folder });
    const before = await mcpgen(['generate', '--check'], { cwd: folder });
    writeFileSync(path.join(folder, 'src/mcp/2025-11-25/own.ts'), 'export {};\n');
    const after = await mcpgen(['generate', '--check'], { cwd: folder });
    expect(after).toMatchObject({ code: 0, stdout: before.stdout });
  });

  test('--check counts one outdated file in the singular', async () => {
    const folder = folderWith({ 'mcpgen.config.json': config });
    await mcpgen(['generate'], { cwd: folder });
    rmSync(path.join(folder, 'src/mcp/2025-11-25/methods.ts'));
    const stale = await mcpgen(['generate', '--check'], { cwd: folder });
    expect(stale.stdout).toMatch(/^1 of \d+ files is not up to date\. To fix it:$/m);
  });

  test('an invalid value is reported with file and key', async () => {
    const text = async (own: unknown, ...args: string[]): Promise<string> => {
      const cwd = folderWith({ 'mcpgen.config.json': own });
      const result = await mcpgen(['generate', ...args], { cwd });
      expect(result.code).toBe(2);
      return result.stderr;
    };
    expect(await text({ revisions: ['2025-11-26'] })).toMatch(
      /^error: mcpgen\.config\.json: revisions: revision "2025-11-26" is not built in/,
    );
    expect(await text({ methods: ['tools/list'] })).toMatch(
      /^error: mcpgen\.config\.json: methods: only applies to --emit stubs/,
    );
    expect(await text({ revisions: ['x'] }, '-r', 'y')).toMatch(/^error: --revision: revision "y"/);
  });

  test('a schema on the command line replaces the schema of the config', async () => {
    const folder = folderWith({
      'mcpgen.config.json': { revisions: ['2025-11-25', '2025-06-18'], emit: ['errors'] },
    });
    const schema = path.join(ROOT, 'schema/2025-03-26/schema.json');
    const result = await mcpgen(['generate', '--schema', schema, '-r', '2025-03-26', '--json'], { cwd: folder });
    expect(JSON.parse(result.stdout)).toMatchObject({ revisions: [{ revision: '2025-03-26' }] });
  });
});
