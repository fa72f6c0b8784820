import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listFiles, plainEnvironment, removeTemporaryFolders, run, temporaryFolder, type Run } from './support/cli.js';
import { REVISIONS } from './support/revisions.js';
import { cases } from './support/cases.js';

const ROOT = path.resolve(import.meta.dirname, '..');

afterAll(removeTemporaryFolders);

describe('the package', () => {
  let project = '';
  let installed: string | undefined;

  /** Packs the project and installs the tarball into an empty folder outside of it. */
  const install = (): string | undefined => {
    project = temporaryFolder();
    const npm = (args: readonly string[], cwd: string): string => {
      const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8', env: plainEnvironment() });
      if (status !== 0) throw new Error(`npm ${args[0] ?? ''}: ${stderr.split('\n').slice(0, 3).join(' ')}`);
      return stdout;
    };
    // The tests' own setup has built it.
    const [packed] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', project], ROOT)) as {
      filename: string;
    }[];
    writeFileSync(path.join(project, 'package.json'), '{ "name": "user", "private": true, "type": "module" }');
    const tarball = `./${packed?.filename ?? ''}`;
    try {
      npm(['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball], project);
      return undefined;
    } catch (error) {
      // Without a registry the dependencies are linked from the project, and the tarball is unpacked by hand.
      const target = path.join(project, 'node_modules/mcpgen');
      mkdirSync(target, { recursive: true });
      spawnSync('tar', ['-xzf', path.join(project, tarball), '--strip-components=1', '-C', target]);
      for (const name of readdirSync(path.join(ROOT, 'node_modules'))) {
        if (!name.startsWith('.'))
          symlinkSync(path.join(ROOT, 'node_modules', name), path.join(project, 'node_modules', name));
      }
      return String(error);
    }
  };

  beforeAll(() => {
    installed = install();
    if (installed !== undefined) console.warn(`installed by hand, since ${installed}`);
  });

  const inProject = async (name: string, text: string): Promise<Run> => {
    writeFileSync(path.join(project, name), text);
    return run(process.execPath, [name], { cwd: project });
  };

  test('contains only published files', () => {
    const files = listFiles(path.join(project, 'node_modules/mcpgen'));
    expect(files).toEqual(
      expect.arrayContaining([
        'package.json',
        'README.md',
        'LICENSE',
        'dist/generator/cli.js',
        'dist/generator/index.js',
        'dist/generator/index.d.ts',
        'dist/cjs/generator/index.js',
        'dist/recheck/LICENSE',
        'dist/recheck/recheck.cjs',
        'schema/manifest.json',
        'schema/2025-11-25/schema.json',
        'schema/2025-11-25/catalog.json',
      ]),
    );
    expect(files.filter((name) => /^(?:test|generator|scripts|generated|\.)/.test(name))).toEqual([]);
  });

  test('case-105: import and require export the same names', async () => {
    expect(cases('cli').map((item) => item.id)).toContain('case-105');
    const names = ['mcpgen', ...REVISIONS.map(({ revision }) => `mcpgen/${revision}`)];
    const esm = await inProject(
      'names.mjs',
      `for (const name of ${JSON.stringify(names)}) console.log(name, Object.keys(await import(name)).sort().join());`,
    );
    expect(esm).toMatchObject({ code: 0, stderr: '' });
    const cjs = await inProject(
      'names.cjs',
      `for (const name of ${JSON.stringify(names)}) console.log(name, Object.keys(require(name)).sort().join());`,
    );
    expect(cjs).toMatchObject({ code: 0, stderr: '' });
    expect(cjs.stdout).toBe(esm.stdout);
    expect(esm.stdout).toMatch(/^mcpgen .*check,.*generate,.*loadProtocol/m);
    expect(esm.stdout).toMatch(/^mcpgen\/2025-11-25 .*METHODS,.*classify/m);
  });

  test('generates a protocol in both module formats', async () => {
    const body = `
      const protocol = await loadProtocol({ revision: '2025-11-25' });
      const { changes } = await generate({ revisions: ['2024-11-05'], out: 'out', emit: ['errors'] });
      const fault = await loadProtocol({ revision: 'nope' }).catch((error) => error);
      console.log(protocol.methods.length, changes.length, fault instanceof McpgenError, METHODS.TOOLS_CALL);
    `;
    const esm = await inProject(
      'use.mjs',
      `import { loadProtocol, generate, McpgenError } from 'mcpgen'; import { METHODS } from 'mcpgen/2025-11-25'; ${body}`,
    );
    expect(esm).toMatchObject({ code: 0, stderr: '', stdout: '31 2 true tools/call\n' });
    const cjs = await inProject(
      'use.cjs',
      `const { loadProtocol, generate, McpgenError } = require('mcpgen'); const { METHODS } = require('mcpgen/2025-11-25'); (async () => {${body}})();`,
    );
    expect(cjs).toMatchObject({ code: 0, stderr: '', stdout: '31 2 true tools/call\n' });
  });

  test('exposes only the entries of its exports map', async () => {
    const result = await inProject(
      'deep.cjs',
      `for (const name of ['mcpgen/dist/generator/index.js', 'mcpgen/generator', 'mcpgen/package.json', 'mcpgen/schema/manifest.json'])
        try { require.resolve(name); console.log('yes'); } catch (error) { console.log(error.code); }`,
    );
    expect(result.stdout.trim().split('\n')).toEqual([
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
      'yes',
      'yes',
    ]);
  });

  test.each([
    ['node16', 'node16', 'user.mts'],
    ['node16', 'node16', 'user.cts'],
    ['nodenext', 'nodenext', 'user.mts'],
    ['esnext', 'bundler', 'user.ts'],
  ])('types are found with --module %s --moduleResolution %s from %s', async (module, resolution, file) => {
    const text = `
      import { check, generate, loadProtocol, McpgenError, type Protocol } from 'mcpgen';
      import { METHODS, hasMethod, isRequest, type ResultOf } from 'mcpgen/2025-11-25';
      import type { CallToolResult } from 'mcpgen/2024-11-05';
      export const protocol: Promise<Protocol> = loadProtocol({ revision: '2025-11-25' });
      export const name: ResultOf<'tools/list'>['tools'][number]['name'] = 'x';
      export function nameOf(value: unknown): string | undefined {
        return isRequest(value) && hasMethod(value, METHODS.TOOLS_CALL) ? value.params.name : undefined;
      }
      export type { CallToolResult };
      export const all = [check, generate, McpgenError] as const;
      // @ts-expect-error -- there is no such option
      void generate({ out: 'x', outt: 1 });
      // @ts-expect-error -- a count is no string
      export const wrong: string = METHODS.length;
    `;
    writeFileSync(path.join(project, file), text);
    const tsc = path.join(ROOT, 'node_modules/typescript-7/bin/tsc');
    const result = await run(
      process.execPath,
      [
        tsc,
        '--strict',
        '--noEmit',
        '--target',
        'es2022',
        '--lib',
        'es2022',
        '--skipLibCheck',
        '--module',
        module,
        '--moduleResolution',
        resolution,
        '--ignoreConfig',
        file,
      ],
      { cwd: project },
    );
    expect(result.stdout).toBe('');
    expect(result.code).toBe(0);
  });

  test('the command runs by its name', async () => {
    const bin = path.join(project, 'node_modules/.bin/mcpgen');
    const program = existsSync(bin) ? bin : path.join(project, 'node_modules/mcpgen/dist/generator/cli.js');
    const result = await run(program, ['generate', '-r', '2024-11-05', '--emit', 'errors', '-o', 'by-name'], {
      cwd: project,
    });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(listFiles(path.join(project, 'by-name'))).toContain('2024-11-05/errors.ts');
  });
});
