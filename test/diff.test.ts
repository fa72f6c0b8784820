/** `mcpgen diff` on the command line. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { RULES } from '../generator/model/diff/rules.js';
import type { DiffReport } from '../generator/print/diff/report.js';
import { hashFolder, listFiles, removeTemporaryFolders, temporaryFolder } from './support/cli.js';
import { mcpgen } from './support/in-process.js';
import { findInternals } from './support/hostile.js';

afterAll(removeTemporaryFolders);

const PAIR = ['2025-11-25', '2026-07-28'] as const;

function schema(type: object, name = 'Thing'): string {
  return JSON.stringify({ $defs: { [name]: { type: 'object', properties: { a: type } } } });
}

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), value);
  }
  return folder;
}

function git(folder: string, ...args: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
    cwd: folder,
    stdio: 'ignore',
  });
}

describe('what it prints', () => {
  test('prints plain text when piped', async () => {
    const [one, other] = await Promise.all([mcpgen(['diff', ...PAIR]), mcpgen(['diff', ...PAIR])]);
    expect([one.code, one.stderr]).toEqual([0, '']);
    expect(one.stdout).toBe(other.stdout);
    expect(one.stdout).not.toContain('\u001b');
    const lines = one.stdout.split('\n');
    expect(lines[0]).toBe('2025-11-25 → 2026-07-28');
    expect(lines[1]).toMatch(/^ {2}\d+ changes, \d+ breaking \(for senders \d+, for receivers \d+\)$/);
    expect(lines).toContain('  - ping  method removed  breaks senders');
    expect(one.stdout).toMatch(
      /\+ 10 definitions \.resultType {2}required member added {2}breaks senders\n {6}string\n/,
    );
    expect((await mcpgen(['diff', ...PAIR], { env: { FORCE_COLOR: '1' } })).stdout).toContain('\u001b[31m');
  });

  test('--json has one format', async () => {
    const { stdout } = await mcpgen(['diff', ...PAIR, '--json']);
    const report = JSON.parse(stdout) as DiffReport;
    expect(report.from).toMatchObject({ given: '2025-11-25', catalog: 'built in', status: 'released', methods: 31 });
    expect(report.to).toMatchObject({ given: '2026-07-28', definitions: 155 });
    expect(report.summary.changes).toBe(report.changes.length);
    for (const change of report.changes) {
      expect(Object.keys(change).sort()).toEqual(
        'after before detail evidence id name place receiver rule sender sentBy subject title'.split(' '),
      );
      expect(RULES[change.rule]).toMatchObject({
        title: change.title,
        sender: change.sender,
        receiver: change.receiver,
      });
    }
    const ids = report.changes.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const { stdout: fewer } = await mcpgen(['diff', ...PAIR, '--json', '--breaking']);
    const breaking = JSON.parse(fewer) as DiffReport;
    expect(breaking.changes.map(({ id }) => id)).toEqual(
      report.changes
        .filter(({ sender, receiver }) => sender === 'breaking' || receiver === 'breaking')
        .map(({ id }) => id),
    );
    expect(breaking.summary).toEqual(report.summary);
  });

  test('--markdown fits into a pull request', async () => {
    const { stdout } = await mcpgen(['diff', '2024-11-05', '2026-07-28', '--markdown']);
    expect(stdout).toMatch(/^## 2024-11-05 → 2026-07-28\n\n\*\*\d+ changes/);
    expect(stdout.length).toBeLessThan(65_536);
    expect(stdout).toMatch(/<details><summary>Not breaking \(\d+\)<\/summary>\n\n\| where/);
    const hostile = folderWith({
      'a.json': schema({ enum: ['`|@someone <b>', 'x'] }, '@someone #1 |`x`| <img src=x>'),
      'b.json': schema({ enum: ['x'] }, '@someone #1 |`x`| <img src=x>'),
    });
    const run = await mcpgen(['diff', 'a.json', 'b.json', '--markdown'], { cwd: hostile });
    const outside = run.stdout.replace(/(`+)[^`].*?[^`]\1(?!`)/g, 'CODE');
    expect(outside).not.toMatch(/@|<img|<b>/);
    // Each row has five cells.
    for (const line of run.stdout.split('\n').filter((item) => item.startsWith('| '))) {
      expect([line, line.replaceAll('\\|', '').split('|').length]).toEqual([line, 7]);
    }
  });

  test('--rules prints the table that the docs hold', async () => {
    const text = await mcpgen(['diff', '--rules']);
    const json = await mcpgen(['diff', '--rules', '--json']);
    const markdown = await mcpgen(['diff', '--rules', '--markdown']);
    expect(JSON.parse(json.stdout)).toEqual(RULES);
    for (const id of Object.keys(RULES)) {
      expect(text.stdout).toContain(`${id} `);
      expect(markdown.stdout).toContain(`| \`${id}\` |`);
    }
  });
});

describe('what it compares', () => {
  test('files and git revisions', async () => {
    const folder = folderWith({ 'schema/x.json': schema({ type: 'string' }) });
    git(folder, 'init', '-b', 'main');
    git(folder, 'add', '.');
    git(folder, 'commit', '-m', 'First');
    writeFileSync(path.join(folder, 'schema/x.json'), schema({ type: ['string', 'null'] }));
    git(folder, 'commit', '-am', 'Second');
    writeFileSync(path.join(folder, 'schema/x.json'), schema({ type: 'null' }));
    const changes = async (...args: readonly string[]): Promise<readonly string[]> => {
      const run = await mcpgen(['diff', ...args, '--json'], { cwd: path.join(folder, 'schema') });
      expect([run.code, run.stderr]).toEqual([0, '']);
      return (JSON.parse(run.stdout) as DiffReport).changes.map(({ id }) => id);
    };
    expect(await changes('HEAD~1:schema/x.json', 'main:./x.json')).toEqual(['variant-added:Thing.a=null']);
    expect(await changes('HEAD~1:schema/x.json', 'x.json')).toEqual(['type-changed:Thing.a']);
    expect(await changes('x.json', 'x.json')).toEqual([]);
  });

  test('a copy without a catalog is compared as the most similar revision', async () => {
    const bytes = readFileSync(path.resolve(import.meta.dirname, '../schema/2026-07-28/schema.json'), 'utf8');
    const folder = folderWith({ 'draft.json': bytes });
    const run = await mcpgen(['diff', '2026-07-28', 'draft.json', '--json'], { cwd: folder });
    const report = JSON.parse(run.stdout) as DiffReport;
    expect(report.changes).toEqual([]);
    expect(report.to.catalog).toBe('derived');
    const bare = await mcpgen(['diff', '2026-07-28', 'draft.json', '--json', '--no-errata'], { cwd: folder });
    expect((JSON.parse(bare.stdout) as DiffReport).changes).toEqual([]);
  });

  test('reads methods from a catalog', async () => {
    const root = path.resolve(import.meta.dirname, '../schema/2025-11-25');
    const [file, catalog] = [path.join(root, 'schema.json'), path.join(root, 'catalog.json')];
    const run = await mcpgen(['diff', '2025-11-25', file, '--new-catalog', catalog, '--json']);
    expect(JSON.parse(run.stdout)).toMatchObject({ to: { catalog: 'file' }, changes: [] });
  });
});

describe('exit codes', () => {
  const folder = folderWith({
    'a.json': schema({ type: 'string' }),
    'b.json': schema({ type: 'number' }),
    'c.json': JSON.stringify({ $defs: { Thing: { type: 'object', properties: { a: { type: 'string' }, b: {} } } } }),
  });

  test.each<[readonly string[], number]>([
    [['a.json', 'b.json'], 0],
    [['a.json', 'b.json', '--exit-code'], 1],
    [['a.json', 'b.json', '--exit-code', '--json'], 1],
    [['a.json', 'c.json', '--exit-code'], 0],
    [['a.json', 'a.json', '--exit-code'], 0],
  ])('%s: %i', async (args, code) => {
    expect((await mcpgen(['diff', ...args], { cwd: folder })).code).toBe(code);
  });

  test.each<[string, readonly string[], string]>([
    ['one revision', ['2025-11-25'], 'two revisions are required'],
    ['none', [], 'two revisions are required'],
    ['three', ['a.json', 'b.json', 'c.json'], 'too many arguments: "c.json"'],
    ['a misspelt revision', ['2025-11-26', 'a.json'], 'Did you mean 2025-11-25?'],
    ['a file that is not there', ['none.json', 'a.json'], 'neither a built-in revision nor a file'],
    ['a git revision that is not there', ['none:a.json', 'a.json'], 'git cannot read it'],
    ['a flag for git', ['--upload-pack=touch x:y', 'a.json'], 'unknown option'],
    ['a flag for git, as a word', ['--', '--upload-pack=x:y', 'a.json'], 'git cannot read it'],
    ['a folder', ['.', 'a.json'], 'is a folder, not a file'],
    ['two outputs', ['a.json', 'b.json', '--json', '--markdown'], '--json and --markdown cannot be combined'],
    [
      'a page and JSON on one output',
      ['a.json', 'b.json', '--json', '--html', '-'],
      '--json and --html cannot be combined',
    ],
    ['a page where none can be', ['a.json', 'b.json', '--html', 'a.json/x.html'], 'not a folder but a file'],
  ])('%s is refused in one message', async (_, args, expected) => {
    const before = hashFolder(folder);
    const run = await mcpgen(['diff', ...args], { cwd: folder });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(expected);
    expect(findInternals(run.stderr)).toEqual([]);
    expect(hashFolder(folder)).toBe(before);
  });

  test('a page replaces an existing file', async () => {
    const out = folderWith({ 'page.html': 'old' });
    const run = await mcpgen(['diff', ...PAIR, '--html', 'page.html'], { cwd: out });
    expect([run.code, run.stderr]).toEqual([0, 'page.html written\n']);
    expect(readFileSync(path.join(out, 'page.html'), 'utf8')).toMatch(/^<!doctype html>[^]*<\/html>\n$/);
    expect(listFiles(out)).toEqual(['page.html']);
    // The page has the changes: what is printed is the summary.
    expect(run.stdout.trimEnd().split('\n')).toHaveLength(4);
    expect(run.stdout).toMatch(/^\S+ → \S+\n {2}\d+ changes?, [^]*\n {2}methods: [^\n]*\n {2}definitions: [^\n]*\n$/);
  });
});
