import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readToolFiles, renderTools } from '../../generator/index.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { CORRECT, MEMO_OUTPUT, MISTAKES, NOTE_INPUT, NOTE_OUTPUT, PRELUDE } from './type-mistakes.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
afterAll(removeTemporaryFolders);

const COMPILERS = [
  { folder: 'typescript-5.9', version: '5.9' },
  { folder: 'typescript', version: '6.0' },
  { folder: 'typescript-7', version: '7.0' },
] as const;

const OPTIONS = {
  target: 'ES2022',
  lib: ['ES2022', 'DOM'],
  types: [],
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
};

const nameOf = (index: number): string => `mistake-${String(index + 1).padStart(2, '0')}.ts`;

/** A project with a file for each mistake. */
async function writeProject(): Promise<string> {
  const folder = temporaryFolder();
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  cpSync(path.join(ROOT, 'generated'), path.join(folder, 'generated'), {
    recursive: true,
    // What needs the types of Node.
    filter: (file) =>
      !/[/\\](?:stdio-[\w-]+|http-node|oauth-node|oauth[/\\](?:file-store|loopback)|stdio[/\\][\w-]+)\.ts$/.test(file),
  });
  write('note.input.json', JSON.stringify(NOTE_INPUT));
  write('note.output.json', JSON.stringify(NOTE_OUTPUT));
  write('memo.output.json', JSON.stringify(MEMO_OUTPUT));
  write('correct.ts', `${PRELUDE}${CORRECT}`);
  const { tools } = await readToolFiles(['note.*.json', 'memo.*.json'], folder);
  for (const file of (await renderTools(tools, path.join(folder, 'generated'))).files)
    write(path.join('generated', file.path), file.contents);
  for (const [index, { code }] of MISTAKES.entries()) write(nameOf(index), `${PRELUDE}${code}\nexport {};\n`);
  write('package.json', '{ "type": "module" }\n');
  write('tsconfig.json', JSON.stringify({ compilerOptions: OPTIONS, include: ['mistake-*.ts', 'correct.ts'] }));
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(path.join(ROOT, 'node_modules/eventsource-parser'), path.join(folder, 'node_modules/eventsource-parser'));
  return folder;
}

/** The messages of a compiler by file, each with all of its lines. */
function messagesOf(compiler: string, folder: string): ReadonlyMap<string, string> {
  const tsc = path.join(ROOT, 'node_modules', compiler, 'bin/tsc');
  const run = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { encoding: 'utf8', cwd: folder });
  expect(run.stderr).toBe('');
  const messages = new Map<string, string>();
  let file = '';
  for (const line of run.stdout.trimEnd().split('\n')) {
    const [, name, , text] = /^([\w./-]+)\((\d+),\d+\): error (.*)$/.exec(line) ?? [];
    file = name ?? file;
    messages.set(file, [messages.get(file), text ?? line].filter((part) => part !== undefined).join('\n'));
  }
  return messages;
}

/** Each mistake with what the compilers say; once where they agree. */
function describeMistakes(byVersion: ReadonlyMap<string, ReadonlyMap<string, string>>): string {
  const chapters = MISTAKES.map(({ title, code }, index) => {
    const versions = new Map<string, string[]>();
    for (const [version, messages] of byVersion) {
      const message = messages.get(nameOf(index)) ?? 'no error';
      versions.set(message, [...(versions.get(message) ?? []), version]);
    }
    const answers = [...versions].map(
      ([message, names]) =>
        `${names.length === byVersion.size ? '' : `TypeScript ${names.join(' and ')}:\n\n`}\`\`\`text\n${message}\n\`\`\`\n`,
    );
    return `## ${index + 1}. ${title}\n\n\`\`\`ts\n${code}\n\`\`\`\n\n${answers.join('\n')}`;
  });
  const opening = `# What the compiler says about typical mistakes

Written by \`type-errors.slow.test.ts\`, for TypeScript ${[...byVersion.keys()].join(', ')}. Read each message as an author who made
the mistake: it should name it.
`;
  return [opening, ...chapters].join('\n');
}

test('each typical mistake has a message that names it, and literals of an enum compile', async () => {
  const folder = await writeProject();
  const byVersion = new Map(COMPILERS.map(({ folder: compiler, version }) => [version, messagesOf(compiler, folder)]));
  for (const messages of byVersion.values()) {
    expect([...messages.keys()].filter((name) => !name.startsWith('mistake-'))).toEqual([]);
    expect([...messages.keys()].sort()).toEqual(MISTAKES.map((_, index) => nameOf(index)));
  }
  await expect(describeMistakes(byVersion)).toMatchFileSnapshot('type-mistakes.md');
});
