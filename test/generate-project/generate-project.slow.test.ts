import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  CLI,
  readFiles,
  plainEnvironment,
  removeTemporaryFolders,
  run,
  temporaryFolder,
  type Run,
} from '../support/cli.js';
import { captureOutput, mcpgen } from '../support/in-process.js';
import { compileProject } from '../support/compiler.js';
import { shareModules } from '../scaffold/support.js';
import { buildProgram } from '../../generator/cli/program.js';
import { McpgenError } from '../../generator/errors.js';
import { readOrigin, addHeader } from '../../generator/output/ownership.js';
import { catalogWith, PING_ROW, pingDefinitions, schemaWith } from '../support/hostile.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

afterAll(removeTemporaryFolders);

const generate = (cwd: string, ...args: readonly string[]): Promise<Run> => mcpgen(['generate', ...args], { cwd });

/** A project as `init` writes it. */
async function scaffolded(kind: 'server' | 'client', revision: string, features?: string): Promise<string> {
  const folder = temporaryFolder();
  const chosen = features === undefined ? [] : ['--features', features];
  const args = ['init', kind, 'demo', '--yes', '--no-install', '--no-git', '-r', revision, ...chosen];
  const result = await mcpgen(args, { cwd: folder });
  expect(result.code, result.stderr).toBe(0);
  const project = path.join(folder, 'demo');
  // Found upwards, and so no part of what is compared.
  shareModules(folder);
  return project;
}

function edit(project: string, file: string, change: (text: string) => string): void {
  const target = path.join(project, file);
  const before = readFileSync(target, 'utf8');
  const after = change(before);
  expect(after, `${file} is as it was`).not.toBe(before);
  writeFileSync(target, after);
}

/** Hashes of all that is the author's: all files outside the output folder, and those in it that we did not write. */
function hashes(project: string): Readonly<Record<string, string>> {
  const own = [...readFiles(project)].filter(
    ([name, text]) => !name.startsWith('src/generated/') || readOrigin(name, text) === 'foreign',
  );
  return Object.fromEntries(own.map(([name, text]) => [name, createHash('sha256').update(text).digest('hex')]));
}

/** What a run of `generate --json` tells of new methods. */
interface ReportedChanges {
  readonly newRevisions: readonly { readonly revision: string; readonly command: string }[];
  readonly newMethods: readonly {
    readonly method: string;
    readonly kind: string;
    readonly to: string;
    readonly optional: boolean;
    readonly declares?: string;
    readonly command?: string;
  }[];
  readonly removedMethods: readonly unknown[];
}

/** Runs commands that were offered, one after the other; all that they print comes back. */
async function paste(project: string, commands: readonly string[]): Promise<Run> {
  return captureOutput(async () => {
    for (const command of commands) {
      const line = command.replace(/^npx mcpgen /, '').split(' ');
      try {
        await buildProgram().parseAsync(line, { from: 'user' });
      } catch (error) {
        if (!(error instanceof McpgenError)) throw error;
        process.stderr.write(`${line.join(' ')}: ${error.message} ${error.remedy ?? ''}\n`);
        process.exitCode = 2;
      }
    }
  }, project);
}

async function compiles(project: string): Promise<void> {
  expect(await compileProject(project)).toEqual([]);
}

/** Commands that a run offers, each below what it is for. */
function offered(stdout: string): readonly string[] {
  return [...stdout.matchAll(/^ {2}(npx mcpgen .+)$/gm)].map((match) => match[1] ?? '');
}

const TASKS = ['tasks/cancel', 'tasks/get', 'tasks/list', 'tasks/result'];

test("case-098: a new revision keeps the author's code", async () => {
  const project = await scaffolded('server', '2025-06-18');
  edit(project, 'src/server.ts', (text) => `${text}\n// The author's.\r\n`);
  edit(project, 'src/tools/greet.ts', (text) => text.replace(/\n$/, '\n\n\n'));
  writeFileSync(path.join(project, 'src/extra.ts'), 'export const extra   =   1\n');
  writeFileSync(path.join(project, 'src/generated/2025-06-18/mine.ts'), 'export const mine   =   1\n');
  edit(project, 'mcpgen.config.json', (text) =>
    text.replace('"2025-06-18"', '"2025-06-18", "2025-11-25", "2026-07-28"'),
  );
  const before = hashes(project);
  expect(Object.keys(before)).toContain('src/generated/2025-06-18/mine.ts');

  const planned = await generate(project, '--dry-run', '--json');
  expect(existsSync(path.join(project, 'src/generated/2025-11-25'))).toBe(false);
  const checked = await generate(project, '--check');
  expect(checked.code).toBe(1);
  const done = await generate(project);
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(hashes(project)).toEqual(before);

  expect(done.stdout).toContain('kept 2025-06-18/mine.ts: mcpgen did not write it\n');
  const news = `
new revision 2025-11-25: src/protocol.ts does not use it yet
  npx mcpgen add revision 2025-11-25
  what it changes in your code: npx mcpgen diff 2025-06-18 2025-11-25 --code src
new revision 2026-07-28: src/protocol.ts does not use it yet
  npx mcpgen add revision 2026-07-28
  what it changes in your code: npx mcpgen diff 2025-06-18 2026-07-28 --code src
new in 2025-11-25: notifications/tasks/status (notification to the server, optional)
  Reports a task's new state to the side that started it.
  npx mcpgen add handler notifications/tasks/status
new in 2025-11-25: tasks/cancel (request to the server; a handler declares tasks.cancel)
  Cancels a task that has not ended yet.
  npx mcpgen add handler tasks/cancel
new in 2025-11-25: tasks/get (request to the server; a handler declares tasks)
`;
  expect(done.stdout).toContain(news);
  // To see it costs nothing: the check tells the same.
  expect(checked.stdout).toContain(news);
  // The runtime sees to `server/discover` and `subscriptions/listen`.
  const told = JSON.parse(planned.stdout) as ReportedChanges;
  expect(told.newMethods.map(({ method, kind, to, optional }) => [method, kind, to, optional])).toEqual([
    ['notifications/tasks/status', 'notification', 'server', true],
    ...TASKS.map((name) => [name, 'request', 'server', true]),
  ]);
  expect(told.removedMethods).toEqual([]);
  const commands = offered(done.stdout);
  expect([...told.newRevisions, ...told.newMethods].map(({ command }) => command)).toEqual(commands);

  // Reported once: an existing method is not new.
  const settled = await generate(project, '--check');
  expect(settled.code).toBe(0);
  expect(settled.stdout).not.toMatch(/new in|new revision|removed/);

  // What was offered works when it is pasted, and touches only what it names. The types of 2026-07-28, which the project
  // has then, lack the methods: that must not be in the way.
  const [revision = '', ...others] = commands;
  expect(await run('sh', ['-c', revision], { cwd: project })).toMatchObject({ code: 0, stderr: '' });
  const pasted = await paste(project, others);
  expect([pasted.code, pasted.stderr]).toEqual([0, '']);
  const after = hashes(project);
  const touched = Object.keys(after).filter((name) => after[name] !== before[name]);
  expect(touched.sort()).toEqual([
    'src/handlers/on-tasks-status.ts',
    ...TASKS.map((name) => `src/handlers/${name.replace('/', '-')}.ts`),
    'src/protocol.ts',
    'src/server.ts',
  ]);
  expect(readFileSync(path.join(project, 'src/server.ts'), 'utf8').endsWith("\n\n// The author's.\r\n")).toBe(true);
  expect(readFileSync(path.join(project, 'src/protocol.ts'), 'utf8')).toContain('"./generated/2026-07-28/server.js"');
  await compiles(project);

  // Upstream removes two methods and adds two: the output lists their files, and the author's code stays.
  const own = upstream('2025-11-25');
  own.rename('tasks/list', 'tasks/find');
  own.rename('notifications/tasks/status', 'notifications/tasks/state');
  own.write(project);
  edit(project, 'mcpgen.config.json', (text) =>
    text.replace(/"revisions": \[[^\]]*\]/, '"schema": "own.json", "catalog": "own-catalog.json"'),
  );
  const mine = hashes(project);
  const next = await generate(project);
  expect(next).toMatchObject({ code: 0, stderr: '' });
  expect(hashes(project)).toEqual(mine);
  expect(offered(next.stdout)).toEqual([
    'npx mcpgen add handler notifications/tasks/state',
    'npx mcpgen add handler tasks/find',
  ]);
  expect(next.stdout).toContain(
    `removed: notifications/tasks/status (was in 2025-11-25); used in 1 place
  src/handlers/on-tasks-status.ts:5:3
removed: tasks/list (was in 2025-11-25); used in 1 place
  src/handlers/tasks-list.ts:6:3
`,
  );
}, 600_000);

test('a client is offered the messages that servers send', async () => {
  const project = await scaffolded('client', '2025-06-18', 'roots');
  edit(project, 'mcpgen.config.json', (text) => text.replace('"2025-06-18"', '"2025-06-18", "2025-11-25"'));
  const before = hashes(project);
  const { stdout } = await generate(project);
  expect(hashes(project)).toEqual(before);
  expect(stdout).toContain(
    'new in 2025-11-25: notifications/elicitation/complete (notification to the client, optional)\n',
  );
  const commands = offered(stdout);
  expect(commands).toEqual([
    'npx mcpgen add revision 2025-11-25',
    'npx mcpgen add handler notifications/elicitation/complete',
    'npx mcpgen add handler notifications/tasks/status',
    ...TASKS.map((name) => `npx mcpgen add handler ${name}`),
  ]);
  const pasted = await paste(project, [
    ...commands.slice(0, 4),
    ...commands.slice(1, 4),
    'add revision 2026-07-28',
    'add handler',
    'add handler tasks/gte',
    'add handler tools/call',
  ]);
  expect(pasted.stdout).toContain(`wrote src/handlers/on-elicitation-complete.ts
changed src/client.ts: ...onElicitationComplete
wrote src/handlers/on-tasks-status.ts
changed src/client.ts: ...onTasksStatus
wrote src/handlers/tasks-cancel.ts
changed src/handlers/index.ts: ...tasksCancel
notifications/elicitation/complete: handled already; nothing was changed
notifications/tasks/status: handled already; nothing was changed
tasks/cancel: handled already; nothing was changed
changed mcpgen.config.json
changed src/protocol.ts
`);
  const read = (file: string): string => readFileSync(path.join(project, file), 'utf8');
  expect(read('src/client.ts')).toContain('    notifications: { ...onElicitationComplete, ...onTasksStatus },\n');
  expect(read('src/handlers/index.ts')).toContain('  "roots/list": roots,\n  ...tasksCancel,\n};');
  expect(pasted.stdout).toContain(
    'src/protocol.ts keeps its types: 2026-07-28 has no notifications/elicitation/complete, notifications/tasks/status, tasks/cancel, which you handle\n',
  );
  expect(read('src/protocol.ts')).toContain('export { createClient } from "./generated/2025-11-25/client.js";');
  expect(read('src/protocol.ts')).toContain('[revision20250618, revision20251125, revision20260728]');
  expect(read('mcpgen.config.json')).toContain('["2025-06-18", "2025-11-25", "2026-07-28"]');
  // Nothing of what the runtime sees to, nor of what is handled.
  expect(pasted.stderr)
    .toBe(`add handler: a method is required Without a handler: elicitation/create, notifications/message, notifications/prompts/list_changed, notifications/resources/list_changed, notifications/resources/updated, notifications/tools/list_changed, sampling/createMessage, tasks/get, tasks/list, tasks/result.
add handler tasks/gte: there is no method "tasks/gte" in 2025-06-18, 2025-11-25, 2026-07-28 Did you mean tasks/get?
add handler tools/call: a client has no handler for tools/call: no server sends it, or the runtime answers it There are elicitation/create, notifications/cancelled, notifications/elicitation/complete, notifications/message, notifications/progress, notifications/prompts/list_changed, notifications/resources/list_changed, notifications/resources/updated, notifications/subscriptions/acknowledged, notifications/tasks/status, notifications/tools/list_changed, ping, roots/list, sampling/createMessage, tasks/cancel, tasks/get, tasks/list, tasks/result.
`);
  await compiles(project);
}, 600_000);

test('no stub is written for completions that the lists of a project answer', async () => {
  const project = await scaffolded('server', '2025-11-25');
  const { stdout, stderr } = await paste(project, ['add handler completion/complete']);
  expect([stdout, stderr]).toEqual([
    '',
    'add handler completion/complete: completion/complete is answered by the `complete` functions of prompts and resource templates Add `complete: { ARGUMENT: (typed) => [...] }` to a prompt or a resource template.\n',
  ]);
  expect(existsSync(path.join(project, 'src/handlers'))).toBe(false);
});

test('a revision that a config no longer names is reported where code still names its methods', async () => {
  const project = await scaffolded('server', '2025-11-25');
  writeFileSync(path.join(project, 'src/extra.ts'), 'export const once = ["tasks/list", "tools/list"];\n');
  edit(project, 'mcpgen.config.json', (text) => text.replace('"2025-11-25"', '"2026-07-28"'));
  const before = hashes(project);
  const { stdout } = await generate(project);
  expect(stdout).toContain('removed: tasks/list (was in 2025-11-25); used in 1 place\n  src/extra.ts:1:22\n');
  // It is in the new revision, inside results.
  expect(stdout).not.toContain('elicitation/create');
  expect(stdout).not.toMatch(/your code does not use it|used in 0/);
  expect(hashes(project)).toEqual(before);
  // One command line of several that write to a folder takes nothing away.
  expect((await generate(project, '-r', '2026-07-28')).stdout).not.toContain('removed: ');
});

/** The schema and catalog of a revision, to be changed as upstream would. */
function upstream(revision: string): {
  rename: (from: string, to: string) => void;
  write: (project: string) => void;
} {
  const read = (name: string): string => readFileSync(path.join(ROOT, 'schema', revision, name), 'utf8');
  let [schema, catalog] = [read('schema.json'), read('catalog.json')];
  return {
    rename: (from, to) => {
      const changed = schema.replaceAll(`"const": "${from}"`, `"const": "${to}"`);
      expect(changed, `${from} is as it was`).not.toBe(schema);
      schema = changed;
      catalog = catalog.replace(`"method": "${from}"`, `"method": "${to}"`);
    },
    write: (project) => {
      writeFileSync(path.join(project, 'own.json'), schema);
      writeFileSync(path.join(project, 'own-catalog.json'), catalog);
    },
  };
}

/** A small project with a custom schema that defines the given methods. */
function custom(methods: readonly string[], project = temporaryFolder()): string {
  const word = (method: string): string => `${method.replace(/\W/g, '')}Request`;
  const { PingRequest } = pingDefinitions();
  const definitions = Object.fromEntries(
    methods.map((method) => [word(method), JSON.parse(JSON.stringify(PingRequest).replace('"ping"', `"${method}"`))]),
  );
  const names = ['PingRequest', ...methods.map(word)];
  const client = { ClientRequest: { anyOf: names.map((name) => ({ $ref: `#/$defs/${name}` })) } };
  const rows = methods.map((method) => ({
    ...PING_ROW,
    method,
    message: word(method),
    params: `${word(method)}.params`,
  }));
  const write = (file: string, value: unknown): void => {
    writeFileSync(path.join(project, file), JSON.stringify(value));
  };
  write('schema.json', schemaWith({ ...definitions, ...client }));
  write('catalog.json', catalogWith({ protocol: 'Model Context Protocol', methods: [PING_ROW, ...rows] }));
  write('mcpgen.config.json', { schema: 'schema.json', catalog: 'catalog.json', out: 'src/generated' });
  return project;
}

const AUTHOR = `import { METHODS as M } from './generated/draft/methods.js';
// items/list in a comment, and "items/list" too
import * as proto from './generated/draft/index.js';
const { ITEMS_LIST: once } = M;
export const names = [M.ITEMS_LIST, proto.METHODS["ITEMS_LIST"], 'items/list', 'ping', once];
export const handlers = { "items/list": () => ({}), ping: () => ({}) };
`;

test('case-099: a removed method is reported with its locations', async () => {
  const project = custom(['items/list', 'items/get']);
  const first = await generate(project);
  expect(first, first.stderr).toMatchObject({ code: 0 });
  expect(first.stdout).not.toContain('new in');
  writeFileSync(path.join(project, 'src/author.ts'), AUTHOR);
  mkdirSync(path.join(project, 'src/node_modules/x'), { recursive: true });
  writeFileSync(path.join(project, 'src/node_modules/x/index.ts'), 'export const a = "items/list";\n');
  const folder = path.join(project, 'src/generated/draft');
  writeFileSync(path.join(folder, 'old.ts'), addHeader('draft/old.ts', 'export const a = "items/list";\n'));
  writeFileSync(path.join(folder, 'mine.ts'), 'export const a = "items/list";\n');
  custom(['items/get', 'items/find'], project);
  const before = hashes(project);
  const places = [
    'src/author.ts:4:9',
    'src/author.ts:5:25',
    'src/author.ts:5:51',
    'src/author.ts:5:66',
    'src/author.ts:6:27',
    'src/generated/draft/mine.ts:1:18',
  ].map((place) => {
    const [file = '', line, column] = place.split(':');
    return { path: file, line: Number(line), column: Number(column) };
  });
  const planned = JSON.parse((await generate(project, '--dry-run', '--json')).stdout) as object;
  expect(planned).toMatchObject({
    newMethods: [{ method: 'items/find', revisions: ['draft'], to: 'server' }],
    removedMethods: [{ method: 'items/list', revisions: ['draft'], places }],
  });
  const done = await generate(project);
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(done.stdout).toContain(
    [
      'removed: items/list (was in draft); used in 6 places',
      ...places.map(({ path: file, line, column }) => `  ${file}:${line}:${column}`),
    ].join('\n'),
  );
  expect(done.stdout).toContain('removed draft/old.ts\n');
  expect(done.stdout).toContain('kept draft/mine.ts: mcpgen did not write it\n');
  expect(existsSync(path.join(folder, 'old.ts'))).toBe(false);
  expect(hashes(project)).toEqual(before);

  // The command that is offered where there is no server of ours to edit.
  const [, command = ''] = /items\/find \(request to the server\)\n.*\n {2}mcpgen (.+)\n/.exec(done.stdout) ?? [];
  expect(command).toBe('generate --emit stubs --methods items/find');
  expect((await mcpgen(command.split(' '), { cwd: project })).code).toBe(0);
  const handlers = readFileSync(path.join(folder, 'handlers.ts'), 'utf8');
  expect(handlers).toContain('items/find');
  expect((await generate(project)).stdout).toContain('kept draft/handlers.ts');
  expect(readFileSync(path.join(folder, 'handlers.ts'), 'utf8')).toBe(handlers);
});

test.each([
  ['createServer({ info });\n', /\n {2}mcpgen add handler items\/find\n/],
  ['startServer();\n', /\n {2}among the `handlers` of the server: "items\/find": /],
  ['createServer(options);\n', /\n {2}among the `handlers` of the server: "items\/find": /],
])('offers `add handler` only where it works: %j', async (text, offer) => {
  const project = custom([]);
  await generate(project);
  writeFileSync(path.join(project, 'src/server.ts'), text);
  custom(['items/find'], project);
  expect((await generate(project, '--dry-run')).stdout).toMatch(offer);
  const added = await mcpgen(['add', 'handler', 'items/find', '--dry-run'], { cwd: project });
  expect(added.code).toBe(text.includes('{') ? 0 : 2);
});

test("a tsconfig determines the author's files", async () => {
  const project = custom(['items/list']);
  await generate(project);
  mkdirSync(path.join(project, 'lib'));
  writeFileSync(path.join(project, 'lib/a.mts'), 'export const a = `items/list`;\n');
  writeFileSync(path.join(project, 'src/b.ts'), 'export const b = "items/list";\n');
  writeFileSync(path.join(project, 'tsconfig.json'), '{ /* one */ "include": ["lib"], }');
  custom([], project);
  expect((await generate(project, '--dry-run')).stdout).toContain('used in 1 place\n  lib/a.mts:1:18\n');
  rmSync(path.join(project, 'src/generated'), { recursive: true });
  expect((await generate(project)).stdout).not.toMatch(/removed|new in/);
});

test('a revision that the config names no more is reported until its folder is gone', async () => {
  const project = temporaryFolder();
  const names = (...revisions: readonly string[]): void => {
    writeFileSync(
      path.join(project, 'mcpgen.config.json'),
      JSON.stringify({ out: 'gen', emit: ['methods'], revisions }),
    );
  };
  names('2024-11-05', '2025-03-26');
  expect((await generate(project)).stdout).not.toContain('orphaned');
  names('2025-03-26');
  mkdirSync(path.join(project, 'src'));
  writeFileSync(path.join(project, 'src/protocol.ts'), 'export * from "../gen/2024-11-05/methods.js";\n');
  const checked = await generate(project, '--check');
  expect(checked.code).toBe(1);
  expect(checked.stdout).toContain('up to date, but 1 revision orphaned\n');
  expect(checked.stdout).toContain(
    `orphaned: 2024-11-05 is not in the config
  remove it from src/protocol.ts, which still uses it, and delete gen/2024-11-05/, or add it to the config again
`,
  );
  rmSync(path.join(project, 'src'), { recursive: true });
  expect((await generate(project)).stdout).toContain('\n  delete gen/2024-11-05/, or add it to the config again\n');
  expect(existsSync(path.join(project, 'gen/2024-11-05/methods.ts'))).toBe(true);
  // A command line does not say what the folder is to hold.
  expect((await generate(project, '-r', '2025-03-26')).stdout).not.toContain('orphaned');
  expect((await generate(project, '-r', '2025-03-26', '--check')).code).toBe(0);
  rmSync(path.join(project, 'gen/2024-11-05'), { recursive: true });
  expect((await generate(project)).stdout).not.toContain('orphaned');
  expect((await generate(project, '--check')).code).toBe(0);
});

describe('the folder of a revision that the config names no more', () => {
  /** A project that generated `2024-11-05`, which its config no longer names. */
  async function orphaned(part: string): Promise<string> {
    const project = temporaryFolder();
    for (const revisions of [['2024-11-05', '2025-03-26'], ['2025-03-26']]) {
      const config = JSON.stringify({ out: 'gen', emit: [part], revisions });
      writeFileSync(path.join(project, 'mcpgen.config.json'), config);
      await generate(project);
    }
    return project;
  }

  test.each(['methods', 'types'])('fails --check, with the part %s', async (part) => {
    const project = await orphaned(part);
    const { code, stdout } = await generate(project, '--check', '--json');
    const { upToDate, leftRevisions, fix } = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    expect({ code, upToDate, leftRevisions, fix }).toEqual({
      code: 1,
      upToDate: false,
      leftRevisions: [{ revision: '2024-11-05', folder: 'gen/2024-11-05/', userFiles: [], isSpoken: false }],
      fix: undefined,
    });
  });

  test("is not to be deleted with the user's files in it", async () => {
    const project = await orphaned('methods');
    writeFileSync(path.join(project, 'gen/2024-11-05/mine.ts'), 'export {};\n');
    mkdirSync(path.join(project, 'gen/2024-11-05/notes'));
    expect((await generate(project)).stdout).toContain(
      '\n  delete the generated files in gen/2024-11-05/, which also has mine.ts, notes, or add it to the config again\n',
    );
  });
});

test('--watch tells the same in a round', async () => {
  const project = custom(['items/list']);
  await generate(project);
  writeFileSync(path.join(project, 'src/author.ts'), 'export const name = "items/list";\n');
  const child = spawn(process.execPath, [CLI, 'generate', '--watch'], { cwd: project, env: plainEnvironment() });
  try {
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const until = async (text: string): Promise<void> => {
      for (const start = Date.now(); !out.includes(text);) {
        if (Date.now() - start > 60_000) throw new Error(`no ${text} in: ${out}`);
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    };
    await until('generated ');
    expect(out).not.toContain('removed');
    custom(['items/find'], project);
    await until('  src/author.ts:1:21\n');
    expect(out).toContain('removed: items/list (was in draft); used in 1 place\n');
    expect(out).toContain('new in draft: items/find (request to the server)\n');
  } finally {
    child.kill('SIGKILL');
  }
});
