/** Extensions on the command line. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mcpgen } from '../support/in-process.js';
import { TASKS } from './support.js';
import { GENERATE, writeExtension } from './command-support.js';

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-extensions-'));
});
afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
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
    const { stdout } = await mcpgen(['explain', 'reports/get', '--extend', writeExtension(cwd)], { cwd });
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
