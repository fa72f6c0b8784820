import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly main: string;
  readonly types: string;
  readonly exports: object;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;

/** The names of packages that compiled code imports, without imports in the code that it generates. */
function imported(file: string): readonly string[] {
  const code = /^(?:import|export)\b[^;`]*? from ['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm;
  return [...readFileSync(file, 'utf8').matchAll(code)]
    .map(([, first, second]) => first ?? second ?? '')
    .filter((name) => /^(?!node:)[@\w]/.test(name))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
}

test('the dependencies are exactly the imported packages', () => {
  const names = globSync('dist/{generator,generated}/**/*.js').flatMap(imported);
  expect([...new Set(names)].sort()).toEqual(Object.keys(manifest.dependencies).sort());
});

test('the tarball has every required file', () => {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' });
  const [packed] = JSON.parse(output) as { files: { path: string; mode: number }[] }[];
  const files = new Set(packed?.files.map((file) => file.path));
  const named = [
    ...JSON.stringify([manifest.main, manifest.types, manifest.bin, manifest.exports]).matchAll(/:"\.\/([^"*]+)"/g),
  ];
  const needed = [
    ...named.map(([, name = '']) => name),
    ...execFileSync('git', ['ls-files', 'templates', 'schema'], { encoding: 'utf8' })
      .split('\n')
      .filter((name) => name !== '' && !/^templates\/\w+\/src\/generated\//.test(name)),
  ];
  expect(needed.filter((name) => !files.has(name))).toEqual([]);
  const program = Object.values(manifest.bin).map((name) => name.replace('./', ''));
  expect(packed?.files.filter((file) => program.includes(file.path)).map(({ mode }) => (mode & 0o111) !== 0)).toEqual([
    true,
  ]);
  expect(program.map((name) => readFileSync(name, 'utf8').split('\n')[0])).toEqual(['#!/usr/bin/env node']);
  // Nothing is in it that only we need.
  expect(
    [...files].filter((name) => /(?:^|\/)(?:test|node_modules)\//.test(name) && !name.startsWith('templates/')),
  ).toEqual([]);
});
