import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadProtocol, render, type ImportExtension } from '../../generator/index.js';
import { REVISIONS } from '../support/revisions.js';
import { itemsOf, shareOfToday, shareText } from '../support/today.js';

const root = path.resolve(import.meta.dirname, '../..');

/** Every compiler that the output has to please, and the options that it does not know yet. */
const COMPILERS = [
  { folder: 'typescript-5.4', version: '5.4', lacks: ['erasableSyntaxOnly'] },
  { folder: 'typescript-5.9', version: '5.9', lacks: [] },
  { folder: 'typescript', version: '6.0', lacks: [] },
  { folder: 'typescript-7', version: '7.0', lacks: [] },
] as const;

const OPTIONS: Readonly<Record<string, unknown>> = {
  target: 'ES2022',
  // The runtime of client and server needs what every platform has: timers, signals, text encoding.
  lib: ['ES2022', 'DOM'],
  types: [],
  strict: true,
  noEmit: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  erasableSyntaxOnly: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  forceConsistentCasingInFileNames: true,
};

const LAYOUTS: readonly { readonly extension: ImportExtension; readonly options: Readonly<Record<string, unknown>> }[] =
  [
    { extension: 'js', options: { module: 'nodenext' } },
    { extension: 'ts', options: { module: 'nodenext', allowImportingTsExtensions: true } },
    { extension: 'none', options: { module: 'esnext', moduleResolution: 'bundler' } },
  ];

/** One fault for each option, with the code that it is reported under: so each is known to be looked for. */
const PLANTED: readonly { readonly code: string; readonly option?: string; readonly text: string }[] = [
  {
    code: 'TS2322',
    text: "export const wrongMethod: Request = { jsonrpc: '2.0', id: 1, method: 'tools/cal', params: { name: 'a' } };",
  },
  { code: 'TS7006', option: 'strict', text: 'export const implicit = (value) => String(value);' },
  {
    code: 'TS2375',
    option: 'exactOptionalPropertyTypes',
    text: 'export const absent: Params = { cursor: undefined };',
  },
  {
    code: 'TS2322',
    option: 'noUncheckedIndexedAccess',
    text: 'export const first = (all: string[]): string => all[0];',
  },
  { code: 'TS1484', option: 'verbatimModuleSyntax', text: "import { Side } from '2025-11-25'; export type S = Side;" },
  { code: 'TS2748', option: 'isolatedModules', text: 'export const ambient: number = AmbientConstEnum.A;' },
  { code: 'TS1294', option: 'erasableSyntaxOnly', text: 'export enum Kind { A }' },
  { code: 'TS6133', option: 'noUnusedLocals', text: 'const unused = 1;' },
  { code: 'TS6133', option: 'noUnusedParameters', text: 'export function ignores(value: string): void {}' },
  {
    code: 'TS4111',
    option: 'noPropertyAccessFromIndexSignature',
    text: 'export const dotted = (map: { [key: string]: string }): unknown => map.name;',
  },
  {
    code: 'TS4114',
    option: 'noImplicitOverride',
    text: "export class Derived extends globalThis.Error { toString(): string { return ''; } }",
  },
];

/** What a user of the output writes, and what has to compile. */
const CONSUMER = `import { classify, hasMethod, isClientRequest, METHODS } from '2025-11-25';
import type { ParamsOf, RequestHandlers, ResultOf } from '2025-11-25';
import type { AnyMessage as Oldest } from '2024-11-05';
import type { ServerBatch } from '2025-03-26';
import type { ContentBlock } from '2025-06-18';
import { requiresInput } from '2026-07-28';
import type { ResultOf as NewestResultOf } from '2026-07-28';

export function toolOf(value: unknown): string | undefined {
  const classified = classify(value);
  if (classified.kind !== 'request' || !isClientRequest(classified.message)) return undefined;
  return hasMethod(classified.message, METHODS.TOOLS_CALL) ? classified.message.params.name : undefined;
}
export const handlers: RequestHandlers<'server'> = { 'tools/list': async () => ({ tools: [] }) };
export const cursorOf = (params: ParamsOf<'tools/list'>): string | undefined => params?.cursor;
export const toolNames = (result: ResultOf<'tools/list'>): string[] => result.tools.map((tool) => tool.name);
export const isPing = (message: Oldest): boolean => message.method === 'ping';
export const firstOf = (batch: ServerBatch): '2.0' => batch[0].jsonrpc;
export const textOf = (block: ContentBlock): string => (block.type === 'text' ? block.text : block.type);
export const isComplete = (result: NewestResultOf<'tools/call'>): boolean => !requiresInput(result);
`;

let scratch: string;
beforeAll(async () => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-matrix-'));
  const protocols = await Promise.all(REVISIONS.map(({ revision }) => loadProtocol({ revision })));
  for (const { extension } of LAYOUTS) {
    const out = path.join(scratch, extension);
    // What is committed has this extension; that it is up to date is tested elsewhere.
    // What needs the types of Node, which are for newer compilers only, is checked by the project's own.
    if (extension === 'js') {
      cpSync(path.join(root, 'generated'), out, {
        recursive: true,
        filter: (file) =>
          !/[/\\](?:stdio-[\w-]+|http-node|oauth-node|oauth[/\\](?:file-store|loopback)|stdio[/\\][\w-]+)\.ts$/.test(
            file,
          ),
      });
    }
    for (const protocol of extension === 'js' ? [] : protocols) {
      for (const file of await render(protocol, out, { importExtension: extension })) {
        mkdirSync(path.dirname(path.join(out, file.path)), { recursive: true });
        writeFileSync(path.join(out, file.path), file.contents);
      }
    }
    writeFileSync(path.join(out, 'package.json'), '{ "type": "module" }\n');
    // The packages that the committed output needs, for the client over HTTP and its OAuth client.
    mkdirSync(path.join(out, 'node_modules'), { recursive: true });
    for (const name of ['eventsource-parser', 'oauth4webapi'])
      symlinkSync(path.join(root, 'node_modules', name), path.join(out, 'node_modules', name));
  }
});
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

/** Errors of a compiler run, as `file:line code`. */
function compile(compiler: string, folder: string): readonly string[] {
  const run = spawnSync(
    process.execPath,
    [path.join(root, 'node_modules', compiler, 'bin/tsc'), '-p', folder, '--pretty', 'false'],
    { encoding: 'utf8', cwd: folder },
  );
  const lines = run.stdout.split('\n').filter((line) => /error TS\d+/.test(line));
  const errors = lines.map((line) => {
    const [, file = '', at = '', code = ''] = /^(.+?)\((\d+),\d+\): error (TS\d+)/.exec(line) ?? [];
    return file === '' ? line : `${file}:${at} ${code}`;
  });
  // A compiler that dies says nothing of errors: its exit code has to agree with what was read.
  expect(run.status === 0, `${run.stdout}${run.stderr}`).toBe(errors.length === 0);
  return errors;
}

/** A source that names revisions instead of files, with the specifiers of a layout put in. */
function withSpecifiers(text: string, extension: ImportExtension): string {
  const suffix = extension === 'none' ? '' : `.${extension}`;
  return text.replace(/from '(\d{4}-\d\d-\d\d)'/g, (_, revision: string) => `from './${revision}/index${suffix}'`);
}

/** Each pair of a compiler and a layout has its days. */
const SHARE = shareOfToday(2 * LAYOUTS.length);
const ALL_PAIRS = LAYOUTS.flatMap((_, shift) =>
  COMPILERS.map((compiler, index) => ({ compiler, layout: LAYOUTS[(shift + index) % LAYOUTS.length] })),
);
const TODAY = itemsOf(ALL_PAIRS, SHARE);
const PAIRS = COMPILERS.map((compiler) => ({
  ...compiler,
  layouts: LAYOUTS.filter((layout) => TODAY.some((pair) => pair.compiler === compiler && pair.layout === layout)),
}));

describe.each(PAIRS)(`TypeScript $version: ${shareText(SHARE)}`, ({ folder: compiler, version, lacks, layouts }) => {
  const known = Object.fromEntries(
    Object.entries(OPTIONS).filter(([name]) => !(lacks as readonly string[]).includes(name)),
  );

  test('is the compiler that it is meant to be', () => {
    const tsc = path.join(root, 'node_modules', compiler, 'bin/tsc');
    expect(execFileSync(process.execPath, [tsc, '--version'], { encoding: 'utf8' })).toMatch(
      new RegExp(`^Version ${version.replace('.', '\\.')}\\.`),
    );
  });

  test.each(layouts)('compiles all revisions with imports by $extension', (layout) => {
    const folder = path.join(scratch, layout.extension);
    const planted = PLANTED.filter(({ option }) => option === undefined || option in known);
    const opening = "import type { CallToolRequest as Request, PaginatedRequestParams as Params } from '2025-11-25';";
    writeFileSync(path.join(folder, 'ambient.d.ts'), 'declare const enum AmbientConstEnum { A }\n');
    writeFileSync(path.join(folder, 'consumer.ts'), withSpecifiers(CONSUMER, layout.extension));
    writeFileSync(
      path.join(folder, 'planted.ts'),
      withSpecifiers([opening, ...planted.map(({ text }) => text), ''].join('\n'), layout.extension),
    );
    writeFileSync(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...known, ...layout.options }, include: ['**/*.ts'] }),
    );
    expect(compile(compiler, folder)).toEqual(planted.map(({ code }, index) => `planted.ts:${index + 2} ${code}`));
  });

  test('compiles the typings of the package', () => {
    const folder = path.join(scratch, `package-${version}`);
    mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
    symlinkSync(root, path.join(folder, 'node_modules/mcpgen'), 'dir');
    const uses = REVISIONS.map(
      ({ revision }, index) =>
        `import { classify as c${index}, type AnyMessage as M${index} } from 'mcpgen/${revision}';\n` +
        `export const kind${index} = (message: M${index}): string => c${index}(message).kind;\n`,
    ).join('');
    const planted =
      "import type { CallToolResult } from 'mcpgen/2025-11-25';\nexport const typo: CallToolResult = { content: [], typo: 1 };\n";
    writeFileSync(path.join(folder, 'imports.mts'), uses);
    writeFileSync(path.join(folder, 'requires.cts'), uses);
    writeFileSync(path.join(folder, 'planted-a.mts'), planted);
    writeFileSync(path.join(folder, 'planted-b.cts'), planted);
    // Emitting modules as CommonJS is what `.cts` is for, so it needs imports that are rewritten.
    const { verbatimModuleSyntax: _, ...options } = known;
    writeFileSync(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...options, module: 'nodenext', skipLibCheck: false }, include: ['*'] }),
    );
    expect([...compile(compiler, folder)].sort()).toEqual(['planted-a.mts:2 TS2353', 'planted-b.cts:2 TS2353']);
  });
});

/** What a few guards say of a few values; the same in every way to run them. */
const PROBE = `
const say = (m) => ({
  version: m.PROTOCOL_VERSION,
  request: m.classify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a' } }).kind,
  notification: m.classify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: {} }).kind,
  result: m.isResultResponse({ jsonrpc: '2.0', id: 'a', result: {} }),
  error: m.isErrorResponse({ jsonrpc: '2.0', id: null, error: { code: m.ERROR_CODES.PARSE_ERROR, message: '' } }),
  both: m.classify({ jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: '' } }).kind,
  batch: m.classify([{ jsonrpc: '2.0', method: 'ping' }]).kind,
  method: m.hasMethod({ jsonrpc: '2.0', id: 1, method: 'tools/call' }, m.METHODS.TOOLS_CALL),
  otherMethod: m.hasMethod({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, m.METHODS.TOOLS_CALL),
  client: m.isClientRequest({ jsonrpc: '2.0', id: 1, method: 'tools/call' }),
  server: m.isServerRequest({ jsonrpc: '2.0', id: 1, method: 'tools/call' }),
  sampling: m.isServerRequest({ jsonrpc: '2.0', id: 1, method: 'sampling/createMessage' }),
  code: m.errorName(-32601),
});
`;

const SAID = REVISIONS.map(({ revision }) => ({
  version: revision,
  request: 'request',
  notification: 'notification',
  result: true,
  error: true,
  both: 'invalid',
  batch: revision === '2025-03-26' ? 'batch' : 'invalid',
  method: true,
  otherMethod: false,
  client: true,
  server: false,
  sampling: revision !== '2026-07-28',
  code: 'METHOD_NOT_FOUND',
}));

function runNode(node: string, flags: readonly string[], script: string, cwd: string): unknown {
  const run = spawnSync(node, [...flags, '-e', script], { encoding: 'utf8', cwd });
  expect(run.status, run.stderr).toBe(0);
  return JSON.parse(run.stdout);
}

describe('the output runs', () => {
  const names = JSON.stringify(REVISIONS.map(({ revision }) => revision));

  test('as ESM', () => {
    const script = `${PROBE}
console.log(JSON.stringify(await Promise.all(${names}.map(async (name) => say(await import('mcpgen/' + name))))));`;
    expect(runNode(process.execPath, ['--input-type=module'], script, root)).toEqual(SAID);
  });

  test('as CommonJS', () => {
    const script = `${PROBE}
console.log(JSON.stringify(${names}.map((name) => say(require('mcpgen/' + name)))));`;
    expect(runNode(process.execPath, ['--input-type=commonjs'], script, root)).toEqual(SAID);
  });

  test('in a bundle', async () => {
    const folder = path.join(scratch, 'none');
    await build({
      entryPoints: REVISIONS.map(({ revision }) => path.join(folder, revision, 'index.ts')),
      outdir: path.join(scratch, 'bundled'),
      bundle: true,
      format: 'esm',
      outExtension: { '.js': '.mjs' },
    });
    const script = `${PROBE}
console.log(JSON.stringify(await Promise.all(${names}.map(async (name) => say(await import('./bundled/' + name + '/index.mjs'))))));`;
    expect(runNode(process.execPath, ['--input-type=module'], script, scratch)).toEqual(SAID);
  });

  test('as TypeScript in Node', (context) => {
    const node = strippingNode();
    if (node === undefined) {
      context.skip('no Node with type stripping (22.6 or later) is at hand');
      return;
    }
    const script = `${PROBE}
console.log(JSON.stringify(await Promise.all(${names}.map(async (name) => say(await import('./ts/' + name + '/index.ts'))))));`;
    expect(runNode(node.file, [...node.flags, '--input-type=module'], script, scratch)).toEqual(SAID);
  });
});

/** A Node that can strip types: the one that runs the tests, or one that is installed next to it. */
function strippingNode(): { readonly file: string; readonly flags: readonly string[] } | undefined {
  const flag = '--experimental-strip-types';
  for (const file of [process.execPath, path.join(root, 'node_modules/node-22/bin/node')]) {
    if (!existsSync(file)) continue;
    const facts = execFileSync(
      file,
      ['-p', `JSON.stringify([process.allowedNodeEnvironmentFlags.has('${flag}'), process.features.typescript])`],
      { encoding: 'utf8' },
    );
    const [hasFlag, always] = JSON.parse(facts) as [boolean, unknown];
    if (hasFlag) return { file, flags: [flag, '--disable-warning=ExperimentalWarning'] };
    if (always === 'strip') return { file, flags: [] };
  }
  return undefined;
}
