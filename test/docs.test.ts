import { execSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeBlocks, markdownFiles } from './support/markdown.js';
import { errorsByLine } from './support/type-equality.js';

const files = markdownFiles();

describe('TypeScript compiles', () => {
  const all = files.flatMap((file) =>
    codeBlocks(file)
      .filter(({ language }) => language === 'ts')
      .map(({ line, text }) => [`${file}:${line}`, text] as const),
  );
  test.each(all)('%s', (_place, block) => {
    const text = block
      .replaceAll(/'\.\/out\/([\w-]+)\/([\w-]+)\.js'/g, (_, folder: string, file: string) =>
        JSON.stringify(path.resolve('generated', folder, `${file}.ts`)),
      )
      .replaceAll("'mcpgen'", JSON.stringify(path.resolve('generator/index.ts')));
    const errors = errorsByLine(`${text}\nexport {};\n`, {
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
  const printed = execSync('node dist/generator/cli.js diff --rules --markdown', { encoding: 'utf8' });
  const documented = rows(readFileSync('docs/diff.md', 'utf8'));
  expect(rows(printed).length).toBeGreaterThan(30);
  expect(documented.slice(-rows(printed).length)).toEqual(rows(printed));
});

test.each(files)('each relative link of %s leads somewhere', (file) => {
  const links = [...readFileSync(file, 'utf8').matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map((match) =>
    path.join(path.dirname(file), match[1] ?? ''),
  );
  expect(links.filter((link) => !existsSync(link))).toEqual([]);
});
