/** `mcpgen vectors run`: adapters that are wrong, late, silent or broken, and what is reported. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, test } from 'vitest';
import { vectorsRunCommand } from '../../generator/commands/vectors/run.js';
import { parseVectorsRunOptions } from '../../generator/commands/vectors/run-options.js';
import { mcpgen, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { ADAPTER, folderWith, runWith, names } from './run-support.js';

afterAll(removeTemporaryFolders);

describe('an adapter', () => {
  test('that ends is started again, and the vector that ends it is named', async () => {
    const report = await runWith(['crash', 'Tool/20']);
    expect(names(report, 'no-answer')).toEqual(['Tool/20']);
    expect(report.findings.find(({ status }) => status === 'no-answer')?.message).toContain(
      'exited with 9: out of memory',
    );
    expect(report.counts.vectors).toBe(40);
  });

  test('that does not answer a vector is started again, and the vector is named', async () => {
    const report = await runWith(['hang', 'Tool/4'], 2000);
    expect(names(report, 'no-answer')).toEqual(['Tool/4']);
    expect(report.counts.vectors).toBe(40);
  });
});

describe('mcpgen vectors run', () => {
  const command = ['--', process.execPath, ADAPTER];

  test('prints failures by rule, and writes reports and a baseline', async () => {
    const folder = folderWith();
    const out = temporaryFolder();
    const files = [
      '--junit',
      path.join(out, 'r.xml'),
      '--markdown',
      path.join(out, 'r.md'),
      '--baseline',
      path.join(out, 'b.json'),
    ];
    const args = ['vectors', 'run', '--vectors', folder, ...files];
    const first = await mcpgen([...args, '--update-baseline', ...command, 'accept']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain('violation type: the keyword type of the schema (19)');
    expect(first.stdout).toContain('  Tool/1 (2025-11-25): wrongly accepted\n    Value 1.\n');
    expect(first.stdout).toContain('and 14 more');
    expect(first.stdout).toContain('Of the failures, 1 follows the official schema');
    expect(first.stdout).toContain(`Updated ${path.join(out, 'b.json')}: 20 of 40 vectors passed`);
    expect(first.stdout).not.toContain('Failed');
    expect(readFileSync(path.join(out, 'r.xml'), 'utf8')).toContain(
      '<testcase classname="2025-11-25 definition" name="Tool"',
    );
    expect(readFileSync(path.join(out, 'r.md'), 'utf8')).toContain('| 2025-11-25 | definition | 40 | 20 | 20 |');
    const second = await mcpgen([...args, ...command, 'accept']);
    expect(second.code).toBe(0);
    expect(second.stdout).toContain('20 failures of the baseline do not count.');
    expect(second.stdout).toContain('Passed: 20 of 40 vectors passed, 20 wrongly accepted');
    const third = await mcpgen([...args, ...command, 'reject']);
    expect(third.code).toBe(1);
    expect(third.stdout).toContain('No longer found, remove from the baseline');
  }, 20_000);

  test('prints JSON, and selects by name and kind', async () => {
    const args = ['vectors', 'run', '--vectors', folderWith(), '--json', '--only', 'Tool/1*', '--ignore', 'Tool/1'];
    const { code, stdout } = await mcpgen([...args, ...command, 'accept']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ counts: { vectors: 10 }, failed: 5, findings: { length: 5 } });
  });

  test.each([
    ['no command', [], {}, 'no command to run'],
    ['an empty command', [''], {}, 'no command to run'],
    ['two roles', ['a'], { server: true, client: true }, '--server and --client cannot be combined'],
    ['a kind of a server', ['a'], { server: true, kind: 'framing' }, '--kind and --server cannot be combined'],
    ['a baseline without a file', ['a'], { updateBaseline: true }, 'there is no file to write'],
    ['two reports at once', ['a'], { json: true, junit: '-' }, '--json and --junit - cannot be combined'],
    ['no time', ['a'], { timeout: '0' }, 'must be a number of seconds'],
  ])('refuses %s', (_, words, raw, message) => {
    expect(() => parseVectorsRunOptions(words, raw)).toThrow(message);
  });

  test.each([
    ['an unknown revision', { revision: ['2025-01-01'] }, '2025-01-01'],
    [
      'a selection of nothing',
      { revision: ['2025-11-25'], kind: 'framing', only: ['Nothing'] },
      'no vector is selected',
    ],
  ])('refuses %s', async (_, raw, message) => {
    const options = parseVectorsRunOptions([process.execPath, ADAPTER], raw);
    await expect(vectorsRunCommand(options)).rejects.toThrow(message);
  });
});
