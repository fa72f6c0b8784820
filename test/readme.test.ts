import { execSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorsByLine } from './support/type-equality.js';

const readme = readFileSync('README.md', 'utf8');
const docs = readdirSync('docs').map((name) => path.join('docs', name));

function blocks(language: string, text = readme): readonly string[] {
  return [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
    .filter((match) => match[1] === language)
    .map((match) => match[2] ?? '');
}

const commands = blocks('sh').flatMap((block) => block.trim().split('\n'));

/** Commands are run as written: those with `npx` in a project that has the package installed. */
let project = '';
/** Output as it is when piped, even where the test run asks for colours. */
const PLAIN_ENVIRONMENT = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };

beforeAll(() => {
  project = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-readme-'));
  mkdirSync(path.join(project, 'node_modules/.bin'), { recursive: true });
  writeFileSync(path.join(project, 'package.json'), '{ "private": true }');
  symlinkSync(path.resolve('.'), path.join(project, 'node_modules/mcpgen'));
  symlinkSync('../mcpgen/dist/generator/cli.js', path.join(project, 'node_modules/.bin/mcpgen'));
});
afterAll(() => {
  rmSync(project, { recursive: true, force: true });
});

test('the first screen has one line that generates and one that tests', () => {
  expect(commands[0]).toBe('npm ci && npm run generate -- --out out');
  expect(commands[1]).toBe('npm ci && npm test');
  expect(readFileSync('.ci/run', 'utf8')).toContain(commands[1] ?? '?');
});

test('the first line does the main job and prints what the README shows', () => {
  rmSync('out', { recursive: true, force: true });
  // What the test run itself stands on is installed already.
  const output = execSync((commands[0] ?? '').replace('npm ci && ', ''), { encoding: 'utf8', env: PLAIN_ENVIRONMENT });
  const table = output.slice(output.indexOf('revision  '));
  expect(table.length).toBeGreaterThan(100);
  expect(readme).toContain(table.trim());
  expect(existsSync('out/2026-07-28/index.ts')).toBe(true);
});

test.each(commands.filter((command) => command.startsWith('npx ')))('%s', (command) => {
  const output = execSync(command, { cwd: project, encoding: 'utf8', shell: '/bin/bash', env: PLAIN_ENVIRONMENT });
  if (!command.includes(' > ')) expect(output.length).toBeGreaterThan(20);
});

test('every command is one of these kinds', () => {
  const others = commands.slice(2).filter((command) => !command.startsWith('npx mcpgen '));
  expect(others).toEqual([]);
});

describe('TypeScript in it compiles', () => {
  const all = ['README.md', ...docs].flatMap((file) =>
    blocks('ts', readFileSync(file, 'utf8')).map((block) => [file, block.split('\n')[0] ?? '', block] as const),
  );
  test.each(all)('%s: %s', (_file, _line, block) => {
    const text = block
      .replaceAll(/'\.\/out\/([\w-]+)\/([\w-]+)\.js'/g, (_, folder: string, file: string) =>
        JSON.stringify(path.resolve('generated', folder, `${file}.ts`)),
      )
      .replaceAll(/'mcpgen\/([\d-]+)'/g, (_, revision: string) =>
        JSON.stringify(path.resolve('generated', revision, 'index.ts')),
      )
      .replaceAll("'mcpgen'", JSON.stringify(path.resolve('generator/index.ts')));
    const errors = errorsByLine(`declare const line: string;\n${text}\nexport {};\n`, {
      types: ['node'],
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    });
    expect([...errors.values()]).toEqual([]);
  });
});

test('the rules in docs/diff.md are those that the command prints', () => {
  const rows = (text: string): readonly string[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map((line) => line.replaceAll(/ {2,}/g, ' ').replaceAll(/-{3,}/g, '---'));
  const printed = execSync('npx mcpgen diff --rules --markdown', {
    cwd: project,
    encoding: 'utf8',
    env: PLAIN_ENVIRONMENT,
  });
  const documented = rows(readFileSync('docs/diff.md', 'utf8'));
  expect(rows(printed).length).toBeGreaterThan(30);
  expect(documented.slice(-rows(printed).length)).toEqual(rows(printed));
});

test.each(['README.md', 'ARCHITECTURE.md', ...docs])('each relative link of %s leads somewhere', (file) => {
  const links = [...readFileSync(file, 'utf8').matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map((match) =>
    path.join(path.dirname(file), match[1] ?? ''),
  );
  expect(links.filter((link) => !existsSync(link))).toEqual([]);
});
