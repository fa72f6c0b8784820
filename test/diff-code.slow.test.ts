import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AffectedCode } from '../generator/print/diff/report.js';
import { generate } from '../generator/index.js';
import { readFiles, removeTemporaryFolders, temporaryFolder, type Run } from './support/cli.js';
import { mcpgen } from './support/in-process.js';

const OLD = '2025-11-25';
const NEW = '2026-07-28';

let project = '';
const diff = (...args: readonly string[]): Promise<Run> => mcpgen(['diff', OLD, NEW, ...args], { cwd: project });

const CODE = `import { METHODS, createClient, type CallToolResult, type Task } from './mcp/${OLD}/index.js';

export async function main(): Promise<Task | undefined> {
  const client = createClient({ info: { name: 'a', version: '1' } });
  await client.listTools();
  await client.subscribe({ uri: 'a' });
  console.log(METHODS.TASKS_GET, METHODS.TOOLS_CALL);
  const wrong: number = 'wrong before';
  return wrong === 1 ? undefined : undefined;
}
export const result: CallToolResult = { content: [] };
`;

beforeAll(async () => {
  project = temporaryFolder();
  const src = path.join(project, 'src');
  mkdirSync(src);
  await generate({ out: path.join(src, 'mcp'), revisions: [OLD] });
  symlinkSync(path.resolve('node_modules'), path.join(project, 'node_modules'), 'dir');
  writeFileSync(path.join(project, 'package.json'), '{ "type": "module" }');
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2022', types: ['node'] };
  writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  writeFileSync(path.join(src, 'main.ts'), CODE);
  writeFileSync(
    path.join(src, 'other.ts'),
    `import { METHODS } from './mcp/${OLD}/methods.js';\nexport const a = METHODS.TOOLS_CALL;\n`,
  );
});
afterAll(removeTemporaryFolders);

describe('diff --code', () => {
  test('lists the lines that no longer compile by change', async () => {
    const { code, stdout } = await diff('--code', 'src', '--json');
    expect(code).toBe(0);
    const { code: affected } = JSON.parse(stdout) as { code: AffectedCode };
    expect(affected).toMatchObject({ folder: 'src', files: 2 });
    const found = affected.groups.flatMap(({ change, lines }) =>
      lines.map(({ file, line }) => [change?.id ?? '', `${file}:${line}`]),
    );
    // Line 8 was wrong before; other.ts compiles with both.
    expect(found.sort()).toEqual([
      ['definition-removed:Task', 'src/main.ts:1'],
      ['member-added-required:CallToolResult.resultType', 'src/main.ts:11'],
      ['method-removed:resources/subscribe', 'src/main.ts:6'],
      ['method-removed:tasks/get', 'src/main.ts:7'],
    ]);
  });

  test('prints each line with what the compiler says', async () => {
    const { stdout } = await diff('--code', 'src');
    expect(stdout).toContain('2 files of src checked with the new types: 4 errors in 1 file\n');
    expect(stdout).toContain(
      "\nresources/subscribe  method removed  request, sent by the client\n  src/main.ts:6:16  await client.subscribe({ uri: 'a' });\n      Property 'subscribe' does not exist on type 'Client'.\n",
    );
  });

  test('writes nothing', async () => {
    const before = [...readFiles(path.join(project, 'src'))];
    await diff('--code', 'src');
    expect([...readFiles(path.join(project, 'src'))]).toEqual(before);
  });

  test('--exit-code fails only if a line is affected', async () => {
    expect((await diff('--code', 'src', '--exit-code')).code).toBe(1);
    const unaffected = await diff('--code', 'src/other.ts', '--exit-code');
    expect(unaffected.stdout).toContain('1 file of src/other.ts checked with the new types: all compile\n');
    expect(unaffected.code).toBe(0);
  });

  test('--markdown has a table of the lines', async () => {
    const { stdout } = await diff('--code', 'src', '--markdown');
    expect(stdout).toContain(
      "| `resources/subscribe`: method removed | `src/main.ts:6` | `await client.subscribe({ uri: 'a' });` | Property 'subscribe' does not exist on type 'Client'. |\n",
    );
  });

  test.each([
    [['--code', 'none'], /^error: none: no such file or folder\n/],
    [['--code', 'src/mcp'], /^error: \S*src\/mcp: it has no TypeScript files\n/],
    [['--side', 'both'], /^error: --side: must be client or server, not "both"\n/],
  ])('rejects %j', async (args, message) => {
    const result = await diff(...args);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(message);
  });

  test('rejects sources that import another revision', async () => {
    const result = await mcpgen(['diff', '2024-11-05', NEW, '--code', 'src'], { cwd: project });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(/^error: src: it imports no generated file of 2024-11-05\nhint: Pass the sources/);
  });
});

describe('a project without @types/node', () => {
  let folder = '';
  let affected: AffectedCode | undefined;
  const code = `import type { CallToolResult, ListToolsResult, ResultOf } from './mcp/${OLD}/index.js';
export async function list(): Promise<ListToolsResult> {
  return { tools: [] };
}
export const results: readonly CallToolResult[] = ['a'].map((text) => ({ content: [{ type: 'text' as const, text }] }));
export const handlers: Record<string, () => Promise<CallToolResult>> = {
  echo: async () => ({ content: [] }),
};
export function withoutTask(result: ResultOf<'tools/call'>): CallToolResult | undefined {
  if ('task' in result) return undefined;
  return result;
}
`;
  beforeAll(async () => {
    folder = temporaryFolder();
    await generate({ out: path.join(folder, 'src/mcp'), revisions: [OLD, NEW], emit: ['types', 'methods'] });
    const compilerOptions = { strict: true, module: 'nodenext', target: 'es2022', types: [] };
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    writeFileSync(path.join(folder, 'src/main.ts'), code);
    const { stdout } = await mcpgen(['diff', OLD, NEW, '--code', 'src', '--json'], { cwd: folder });
    affected = (JSON.parse(stdout) as { code: AffectedCode }).code;
  }, 120_000);

  test('lists the lines that tsc reports after the imports change', () => {
    writeFileSync(path.join(folder, 'src/main.ts'), code.replaceAll(OLD, NEW));
    const tsc = path.resolve('node_modules/typescript-7/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '--noEmit', '-p', folder], { cwd: folder, encoding: 'utf8' });
    const reported = [...stdout.matchAll(/^src\/main\.ts\((\d+),/gm)].map(([, line]) => Number(line));
    const found = affected?.groups.flatMap(({ lines }) => lines.map(({ line }) => line)).sort((a, b) => a - b);
    expect(reported).toEqual([3, 5, 7, 11]);
    expect(found).toEqual(reported);
  });

  test('assigns what is missing to the change that requires it', () => {
    const groups = affected?.groups.map(({ change, lines }) => [change?.id, lines.map(({ line }) => line)]);
    expect(groups).toEqual([
      ['member-added-required:ListToolsResult.cacheScope', [3]],
      ['member-added-required:CallToolResult.resultType', [5, 7]],
      ['result-added:tools/call', [11]],
    ]);
  });
});

describe('a dispatcher', () => {
  const code = `import { METHODS, type RequestHandlers } from './mcp/${OLD}/index.js';
export const handlers: RequestHandlers<'server', object> = {
  [METHODS.INITIALIZE]: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: {},
    serverInfo: { name: 'a', version: '1' },
  }),
  'tools/list': () => ({ tools: [] }),
  'resources/subscribe': ({ uri }) => (uri === '' ? {} : {}),
};
`;
  let stdout = '';
  let groups: readonly (readonly [string | undefined, readonly number[]])[] | undefined;
  beforeAll(async () => {
    const folder = temporaryFolder();
    await generate({ out: path.join(folder, 'src/mcp'), revisions: [OLD], emit: ['types', 'methods'] });
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    const compilerOptions = { strict: true, module: 'nodenext', target: 'es2022', types: [] };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    writeFileSync(path.join(folder, 'src/main.ts'), code);
    const run = await mcpgen(['diff', OLD, NEW, '--code', 'src', '--json'], { cwd: folder });
    const { code: affected } = JSON.parse(run.stdout) as { code: AffectedCode };
    groups = affected.groups.map(({ change, lines }) => [change?.id, lines.map(({ line }) => line)] as const);
    ({ stdout } = await mcpgen(['diff', OLD, NEW, '--code', 'src'], { cwd: folder }));
  }, 120_000);

  test('a parameter that has lost its type belongs to the method that is gone', () => {
    expect(groups).toEqual([
      ['method-removed:initialize', [3, 3]],
      ['member-added-required:ListToolsResult.cacheScope', [8]],
      ['method-removed:resources/subscribe', [9]],
    ]);
  });

  test('prints each line once, and what the compiler says in full', () => {
    expect(stdout.match(/src\/main\.ts:3:/g)).toHaveLength(1);
    expect(stdout).toContain("Property 'INITIALIZE' does not exist on type");
    expect(stdout).toContain("\n      Parameter 'params' implicitly has an 'any' type.\n");
    const [, names = ''] =
      / from type 'ListToolsResult': ([\w, ]+)\n/.exec(stdout.replaceAll(/\n {6}(?! )/g, ' ')) ?? [];
    expect(names.trim().split(', ').sort()).toEqual(['cacheScope', 'resultType', 'ttlMs']);
    expect(stdout.split('\n').filter((line) => line.length > 110)).toEqual([]);
  });
});

describe('diff --side', () => {
  const idsOf = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { changes } = JSON.parse((await diff('--json', ...args)).stdout) as { changes: readonly { id: string }[] };
    return changes.map(({ id }) => id);
  };

  test('a request of clients that is gone breaks clients only', async () => {
    const id = 'method-removed:logging/setLevel';
    expect(await idsOf('--side', 'client')).toContain(id);
    expect(await idsOf('--side', 'server')).not.toContain(id);
  });

  test('both sides together have all breaking changes', async () => {
    const [client, server, all] = [
      await idsOf('--side', 'client'),
      await idsOf('--side', 'server'),
      await idsOf('--breaking'),
    ];
    expect(new Set([...client, ...server])).toEqual(new Set(all));
    expect(client.length).toBeLessThan(all.length);
    expect(server.length).toBeLessThan(all.length);
  });
});
