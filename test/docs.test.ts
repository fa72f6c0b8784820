import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { build } from 'esbuild';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildProgram } from '../generator/cli/program.js';
import {
  DEFAULT_PARTS,
  generate,
  loadAll,
  readToolList,
  renderAll,
  renderServers,
  renderTools,
  type ToolSource,
} from '../generator/index.js';
import { projectManifest } from '../generator/scaffold/project/manifest.js';
import { splitCommand } from '../generator/text.js';
import { acpSchema, derive } from './acp/acp.js';
import { shareModules } from './scaffold/support.js';
import { plainEnvironment } from './support/cli.js';
import { compileFiles } from './support/compiler.js';
import { anchorsOf, codeBlocks, fileNameOf, markdownFiles, shownOutputs } from './support/markdown.js';
import type { CodeBlock, Output } from './support/markdown.js';

const files = markdownFiles();
const pages = files.filter((file) => file.startsWith('docs/'));
const blocksOf = new Map(files.map((file) => [file, codeBlocks(file)]));

/** Pages that a command writes; their code has been checked where it comes from. */
const WRITTEN_BY_COMMAND: ReadonlySet<string> = new Set(['docs/api.md']);

/**
 * A folder for each page, in which its blocks are files. They share `out`, which has the generated code and the types of
 * the tools whose schemas pages show.
 */
let root = '';

function folderOf(file: string): string {
  return path.join(root, file.replaceAll(/\W/g, '-'));
}

/** Where a block is written: under the name in its first line, or one made of its line. */
function sourceFileOf(block: CodeBlock): string {
  return path.join(folderOf(block.file), fileNameOf(block) ?? `line-${block.line}.ts`);
}

const programs = files
  .filter((file) => !WRITTEN_BY_COMMAND.has(file))
  .flatMap((file) => blocksOf.get(file) ?? [])
  .filter(({ language }) => language === 'ts');

/** The tools that a page shows: "`src/tools/forecast.input.json`:" or "`tools.json`:" comes before each schema or list. */
function toolsOf(file: string): readonly ToolSource[] {
  const shown = (blocksOf.get(file) ?? []).flatMap(({ language, lead, text }) => {
    const [, name, role] = /`(?:[\w-]+\/)*([\w-]+)(?:\.(input|output))?\.json`:$/.exec(lead) ?? [];
    return language === 'json' && name !== undefined ? [{ name, role, text }] : [];
  });
  const list = shown.find(({ name }) => name === 'tools');
  if (list !== undefined) return readToolList(list.text, 'tools.json');
  const own = shown.filter(({ role }) => role !== undefined);
  return [...new Set(own.map(({ name }) => name))].map((name) => {
    const schemas = own
      .filter((item) => item.name === name)
      .map(({ role, text }) => [role, JSON.parse(text)] as [string, object]);
    const places = { input: `${name}.input.json`, output: `${name}.output.json` };
    return { name, isOwn: true, places, ...Object.fromEntries<object>(schemas) };
  });
}

/** The server of the page about several servers. */
const WEATHER = {
  name: 'get_forecast',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

async function writeOutput(): Promise<void> {
  const out = path.join(root, 'out');
  cpSync('generated', out, { recursive: true });
  writeFiles(out, (await renderTools(files.flatMap(toolsOf), out)).files);
  await writeExtensions(out);
  const tools = readToolList(JSON.stringify([WEATHER]), 'weather.json');
  const weather = { name: 'weather', folder: 'weather', isHttp: true, tools };
  const protocols = await loadAll({ revisions: ['2026-07-28'] });
  await generateOtherProtocols(out);
  const mcp = path.join(out, 'mcp');
  writeFiles(mcp, (await renderServers([weather], mcp, { protocols })).files);
  shareRuntime(out);
  markUnchecked(out);
}

/** Only the types of the output are needed here: other tests check its code. */
function markUnchecked(out: string): void {
  for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const file = path.join(entry.parentPath, entry.name);
    writeFileSync(file, `// @ts-nocheck\n${readFileSync(file, 'utf8')}`);
  }
}

/** Makes what folders have of the same runtime one file, so that it is compiled once. */
function shareRuntime(out: string): void {
  const shared = path.join(out, 'runtime');
  for (const name of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
    const [, inRuntime] = /[/\\]runtime[/\\](.+\.ts)$/.exec(name) ?? [];
    if (inRuntime === undefined) continue;
    const [file, same] = [path.join(out, name), path.join(shared, inRuntime)];
    if (!existsSync(same) || readFileSync(file, 'utf8') !== readFileSync(same, 'utf8')) continue;
    rmSync(file);
    symlinkSync(same, file);
  }
}

/** The revision with the extension that a page shows, and with a built-in one. */
async function writeExtensions(out: string): Promise<void> {
  const blocks = blocksOf.get('docs/extensions.md') ?? [];
  const shown = (name: string): { name: string; contents: string } => {
    const block = blocks.find(({ lead }) => lead.endsWith(`\`extensions/reports/${name}\`:`));
    return { name, contents: block?.text ?? '' };
  };
  const reports = { extend: [{ catalog: shown('catalog.json'), schema: shown('schema.json') }] };
  const tasks = { extensions: ['io.modelcontextprotocol/tasks'] };
  const apps = { extensions: ['io.modelcontextprotocol/ui'], emit: [...DEFAULT_PARTS, 'registry'] } as const;
  for (const [name, requested] of Object.entries({ reports, tasks, apps })) {
    const folder = path.join(out, name);
    writeFiles(folder, (await renderAll({ revisions: ['2026-07-28'], ...requested, out: folder })).files);
  }
}

/** What the commands of the page about other protocols write. */
async function generateOtherProtocols(out: string): Promise<void> {
  const shown = (name: string): { name: string; contents: string } => {
    const blocks = blocksOf.get('docs/other-protocols.md') ?? [];
    return { name, contents: blocks.find(({ lead }) => lead.endsWith(`\`${name}\`:`))?.text ?? '' };
  };
  await generate({
    out: path.join(out, 'acp'),
    schema: acpSchema('v1'),
    catalog: { name: 'acp-catalog.json', contents: JSON.stringify(derive('v1').catalog) },
    emit: [...DEFAULT_PARTS, 'stdio'],
  });
  await generate({
    out: path.join(out, 'notes'),
    schema: shown('notes.json'),
    catalog: shown('notes-catalog.json'),
  });
}

function writeFiles(folder: string, planned: readonly { readonly path: string; readonly contents: string }[]): void {
  for (const { path: file, contents } of planned) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), contents);
  }
}

function writePage(file: string): void {
  mkdirSync(folderOf(file));
  symlinkSync(path.join(root, 'out'), path.join(folderOf(file), 'out'));
  for (const block of programs.filter((item) => item.file === file)) {
    writeFileSync(sourceFileOf(block), `${block.text}export {};\n`);
  }
}

beforeAll(async () => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'mcpgen-docs-')));
  shareModules(root);
  writeFileSync(path.join(root, 'package.json'), '{ "private": true, "type": "module" }\n');
  writeNpx();
  await writeOutput();
  for (const file of files) writePage(file);
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

test('every TypeScript block compiles', async () => {
  const errors = await compileFiles(root, programs.map(sourceFileOf), {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    target: 'ES2022',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    module: 'NodeNext',
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [path.resolve('node_modules/@types')],
  });
  expect(programs.length).toBeGreaterThan(20);
  expect(errors).toEqual([]);
});

describe('a block that shows its output prints it', () => {
  const all = pages.flatMap((file) =>
    shownOutputs(file).map((output) => [`${file}:${output.line}`, file, output] as const),
  );
  test.each(all)('%s', async (_place, file, output) => {
    expect(await outputOf(file, output)).toBe(output.expected);
  });
});

async function outputOf(file: string, { command, source }: Output): Promise<string> {
  const folder = folderOf(file);
  if (source?.language !== 'ts') return runShell(command ?? source?.text ?? '', folder);
  const bundle = sourceFileOf(source).replace(/\.ts$/, '.mjs');
  await build({
    entryPoints: [sourceFileOf(source)],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
  return runShell(`'${process.execPath}' '${bundle}'`, folder);
}

/** Where a program has the name of `npx`, which takes a second to find an installed command. */
function programsFolder(): string {
  return path.join(root, 'programs');
}

/** Like `npx`, without its search. `tsx` bundles first: three nested processes would each compile the runtime again. */
function writeNpx(): void {
  const npx = path.join(programsFolder(), 'npx');
  mkdirSync(programsFolder());
  const bin = path.join(root, 'node_modules/.bin');
  const lines = [
    '#!/bin/sh',
    'command=$1',
    'shift',
    'export npm_config_user_agent=npm/10',
    `if [ "$command" != tsx ]; then exec "${bin}/$command" "$@"; fi`,
    'bundle="$1.$$.mjs"',
    `"${bin}/esbuild" "$1" --bundle --platform=node --format=esm --packages=external --log-level=error \
  --outfile="$bundle" || exit`,
    'shift',
    `exec "${process.execPath}" "$bundle" "$@"`,
  ];
  writeFileSync(npx, `${lines.join('\n')}\n`, { mode: 0o755 });
}

async function runShell(script: string, cwd: string, folders: readonly string[] = [programsFolder()]): Promise<string> {
  const env = plainEnvironment({
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    PATH: [...folders, process.env['PATH']].join(path.delimiter),
  });
  try {
    const { stdout } = await promisify(execFile)('/bin/bash', ['-c', script], { cwd, env });
    return stdout;
  } catch (error) {
    // A check that fails exits with 1 and prints why.
    const { code, stdout, stderr } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (code === 1 && stdout !== undefined && stdout !== '') return stdout;
    return `${stdout ?? ''}${stderr ?? String(error)}`;
  }
}

test('every JSON block is valid', () => {
  const validate = new Ajv2020({ allErrors: true, strict: false }).compile(
    JSON.parse(readFileSync('schema/config.schema.json', 'utf8')) as object,
  );
  for (const block of [...blocksOf.values()].flat().filter(({ language }) => language === 'json')) {
    const value: unknown = JSON.parse(block.text);
    if (!/`mcpgen\.config\.json`[^`]*:$/.test(block.lead)) continue;
    validate(value);
    expect(validate.errors ?? [], `${block.file}:${block.line}`).toEqual([]);
  }
});

describe('commands', () => {
  const program = buildProgram();
  const subcommands = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(subcommands)];
  const flagsOf = (command: Command): readonly string[] =>
    ['--help', '-h', '--version', '-v', ...command.options.flatMap(({ short, long }) => [short, long])].filter(
      (flag): flag is string => flag !== undefined,
    );
  const { scripts, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Readonly<
    Record<'scripts' | 'devDependencies', Readonly<Record<string, string>>>
  >;
  const ofProjects = projectManifest(
    {
      kind: 'server',
      packageName: 'x',
      revisions: [],
      features: [],
      transports: ['stdio', 'http'],
      runtime: 'none',
      schemas: 'json',
      store: 'memory',
      packageManager: 'npm',
    },
    { ranges: devDependencies, own: '*' },
  ) as { readonly scripts: Readonly<Record<string, string>> };

  test('every shown command is valid', () => {
    const faults = [...blocksOf.values()].flat().flatMap((block) =>
      block.language === 'sh'
        ? block.text.split('\n').flatMap((line) =>
            [...line.matchAll(/(?:^|&& |\| )(?:npx )?mcpgen ([^#|&]*)/g)].flatMap(([, rest = '']) => {
              const fault = faultIn(splitCommand(rest.trim()) ?? []);
              return fault === undefined ? [] : [`${block.file}:${block.line}: ${line}: ${fault}`];
            }),
          )
        : [],
    );
    expect(faults).toEqual([]);
  });

  function faultIn(words: readonly string[]): string | undefined {
    let command = program;
    for (const [index, word] of words.entries()) {
      const flag = /^(--?[a-z][\w-]*)/.exec(word)?.[1];
      // The value of an option is not the name of a command.
      const before = command.options.find(({ short, long }) => [short, long].includes(words[index - 1]));
      if (flag === undefined && before?.required === true) continue;
      if (flag !== undefined && !flagsOf(command).includes(flag)) return `no option ${flag}`;
      if (flag !== undefined || command.commands.length === 0) continue;
      const found = command.commands.find((item) => item.name() === word);
      if (found === undefined) return `no command ${word}`;
      command = found;
    }
    return undefined;
  }

  test('every option that a text names exists', () => {
    const known = new Set(subcommands(program).flatMap(flagsOf));
    const named = pages
      .filter((file) => !WRITTEN_BY_COMMAND.has(file))
      .flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(/`(--[a-z][\w-]*)[^`]*`/g)].map(([, flag = '']) => `${file}: ${flag}`),
      );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((item) => !known.has(item.split(': ')[1] ?? ''))).toEqual([]);
  });

  test('every npm script that is shown exists', () => {
    const shown = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name),
    );
    expect(shown.filter((name) => scripts[name] === undefined && ofProjects.scripts[name] === undefined)).toEqual([]);
  });
});

test('the rules in docs/diff.md are those that the command prints', async () => {
  const rows = (text: string): readonly string[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map((line) => line.replaceAll(/ {2,}/g, ' ').replaceAll(/-{3,}/g, '---'));
  // This one with `npx` as npm has it.
  const printed = await runShell('npx mcpgen diff --rules --markdown', root, []);
  const documented = rows(readFileSync('docs/diff.md', 'utf8'));
  expect(rows(printed).length).toBeGreaterThan(30);
  expect(documented.slice(-rows(printed).length)).toEqual(rows(printed));
});

describe('links lead somewhere', () => {
  test.each(files)('%s', (file) => {
    const text = readFileSync(file, 'utf8').replaceAll(/^```[^]*?^```$/gm, '');
    const broken = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(
      ([, target = '', anchor]) => {
        const linked = target === '' ? file : path.join(path.dirname(file), target);
        if (!existsSync(linked)) return [linked];
        if (anchor === undefined) return [];
        return anchorsOf(readFileSync(linked, 'utf8')).has(anchor) ? [] : [`${linked}#${anchor}`];
      },
    );
    expect(broken).toEqual([]);
  });

  test('every page is in the index', () => {
    const index = readFileSync('docs/README.md', 'utf8');
    const missing = pages.filter((file) => file !== 'docs/README.md' && !index.includes(`(${path.basename(file)})`));
    expect(missing).toEqual([]);
  });
});

describe('error messages', () => {
  const sources = ['generator', 'templates/runtime']
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFileSync(path.join(folder, name), 'utf8')),
    )
    .join('\n');
  const messages = [...readFileSync('docs/troubleshooting.md', 'utf8').matchAll(/^### `(.+)`$/gm)].map(
    ([, message = '']) => message,
  );

  test('there are many', () => {
    expect(messages.length).toBeGreaterThan(30);
  });

  // `…` is a placeholder for what differs from case to case.
  test.each(messages)('%s', (message) => {
    const missing = message
      .split('…')
      .map((part) => part.trim())
      .filter((part) => part.length > 2 && !sources.includes(part) && !sources.includes(part.replace(/:$/, '')));
    expect(missing).toEqual([]);
  });
});
