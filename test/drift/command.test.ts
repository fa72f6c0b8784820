import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { DriftReport } from '../../generator/drift/report.js';
import { removeTemporaryFolders } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { FIXTURES, folderWith } from './support.js';

afterAll(removeTemporaryFolders);

const planted = path.join(FIXTURES, 'planted');
const root = path.resolve(import.meta.dirname, '../..');

describe('mcpgen drift', () => {
  test('prints findings by kind', async () => {
    const { code, stdout, stderr } = await mcpgen(['drift', '--sdk', 'planted-sdk'], { cwd: planted });
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^planted-sdk 3\.2\.1 against 2025-11-25\ntypes\/index\.d\.ts\n/);
    expect(stdout).toContain(
      '\nwider (5): theirs allows what the protocol does not\n' +
        '  GetPromptRequestParams.arguments[key]: theirs unknown, ours string\n',
    );
    expect(stdout).toContain('  CallToolResult.content[]: theirs lacks AudioContent, ResourceLink, EmbeddedResource, ');
    expect(stdout).toContain('  Icon.sizes: theirs required, ours optional\n    also 1 place that uses it\n');
    expect(stdout).toContain('\nmissing types (125): no export corresponds to them\n  AudioContent, BaseMetadata,');
    expect(stdout).toMatch(/\n {2}and 105 more \(--json lists them\)\n/);
    expect(stdout).toMatch(
      /\nDrift: 145 definitions, 2 the same, 18 differ, 125 missing; findings: 5 different, .*\n$/,
    );
    for (const line of stdout.split('\n')) expect(line).toBe(line.trimEnd());
  });

  test('exits 0 where nothing departs', async () => {
    const args = ['drift', '--sdk', './generated/2026-07-28/types.ts', '--revision', '2026-07-28'];
    const { code, stdout } = await mcpgen(args, { cwd: root });
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nNo drift: 155 definitions, 155 the same, 0 differ, 0 missing\n$/);
  });

  test('--json contains all findings', async () => {
    const folder = folderWith({
      'a.ts': "export type Side = 'user' | 'assistant';\nexport type McpCursor = string;\nexport type Icon = any;\n",
      'mcpgen.config.json': { drift: { names: { Role: 'Cursor', '*': 'Mcp*' }, ignore: ['*Request*', 'Icon'] } },
    });
    const args = [
      'drift',
      '--sdk',
      './a.ts',
      '-r',
      '2025-11-25',
      '--name',
      'Role=Side',
      '--ignore',
      '*Result',
      '--json',
    ];
    const { code, stdout } = await mcpgen(args, { cwd: folder });
    expect(code).toBe(1);
    const report = JSON.parse(stdout) as DriftReport;
    const of = (name: string): unknown => report.definitions.find((item) => item.name === name);
    expect(of('Role')).toEqual({ name: 'Role', theirs: 'Side', status: 'same' });
    expect(of('Cursor')).toEqual({ name: 'Cursor', theirs: 'McpCursor', status: 'same' });
    expect(of('Icon')).toEqual({ name: 'Icon', theirs: 'Icon', status: 'ignored' });
    expect(of('CallToolResult')).toEqual({ name: 'CallToolResult', status: 'ignored' });
    expect(report.findings).toEqual([]);
    expect(Object.keys(report)).toEqual([
      'package',
      'revision',
      'exact',
      'drift',
      'summary',
      'definitions',
      'findings',
      'otherExports',
      'equivalences',
      'notes',
    ]);
    expect(report.summary).toMatchObject({ definitions: 145, same: 2, drift: 0, findings: { any: 0, missing: 0 } });
  });

  test('--markdown is a document with tables that no type can break', async () => {
    const folder = folderWith({ 'a.ts': "export type Role = '`a`' | '|' | '\\n<b>' | { x: 1 };\n" });
    const { code, stdout } = await mcpgen(['drift', '--sdk', './a.ts', '-r', '2025-11-25', '--markdown'], {
      cwd: folder,
    });
    expect(code).toBe(1);
    expect(stdout).toContain('## `./a.ts` against 2025-11-25\n');
    expect(stdout).toContain('### different (1): neither type includes the other\n\n| where | theirs | ours | |\n');
    const row = stdout.split('\n').find((line) => line.startsWith('| `Role`'));
    expect(row?.replaceAll('\\|', '').split('|')).toHaveLength(6);
    expect(stdout).toMatch(/### missing types \(144\)\n\n`Annotations`, /);
  });

  test.each([
    [['drift'], /--sdk: nothing to compare with/],
    [
      ['drift', '--sdk', 'no-such-package', '-r', '2025-11-25'],
      /"no-such-package" is not installed here\nhint: Install it/,
    ],
    [['drift', '--sdk', 'planted-sdk/untyped', '-r', '2025-11-25'], /has no types/],
    [
      ['drift', '--sdk', 'planted-sdk', '-r', '2025-11-26'],
      /"2025-11-26" is not built in\nhint: Did you mean 2025-11-25\?/,
    ],
    [['drift', '--sdk', 'planted-sdk/same'], /has no LATEST_PROTOCOL_VERSION\nhint: Pass --revision R/],
    [['drift', 'planted-sdk'], /too many arguments: "planted-sdk"\nhint: Did you mean --sdk planted-sdk\?/],
    [['drift', '--sdk', 'planted-sdk', '--name', 'Role'], /--name: "Role" does not map a name to another/],
    [
      ['drift', '--sdk', 'planted-sdk', '--name', 'Role=Roll'],
      /--name: the package exports no type "Roll"\nhint: Did you mean Role\?/,
    ],
    [['drift', '--sdk', 'planted-sdk', '--json', '--markdown'], /--json and --markdown/],
  ])('%j is wrong usage', async (args, message) => {
    const { code, stdout, stderr } = await mcpgen(args, { cwd: planted });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  test('a wrong name in the config is named by its key', async () => {
    const folder = folderWith({ 'a.ts': 'export type Role = string;' });
    writeFileSync(path.join(folder, 'mcpgen.config.json'), JSON.stringify({ drift: { names: { Role: 'Nobody' } } }));
    const { code, stderr } = await mcpgen(['drift', '--sdk', './a.ts', '-r', '2025-11-25'], { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toContain('mcpgen.config.json: drift.names.Role: the package exports no type "Nobody"');
  });
});
