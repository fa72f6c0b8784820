import { readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { removeTemporaryFolders, temporaryFolder, type Run } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { runStep, type StepResult } from './support.js';

afterAll(removeTemporaryFolders);

/** Creates a server over HTTP. Returns its folder. */
async function createHttpServer(features: string): Promise<string> {
  const folder = temporaryFolder();
  const args = ['-r', '2025-11-25', '-r', '2026-07-28', '--transport', 'http', '--features', features];
  const created = await mcpgen(['init', 'server', 'demo', '--yes', '--no-install', '--no-git', ...args], {
    cwd: folder,
  });
  expect(created.code, created.stderr).toBe(0);
  const project = path.join(folder, 'demo');
  symlinkSync(path.resolve('node_modules'), path.join(project, 'node_modules'), 'dir');
  return project;
}

function edit(project: string, file: string, before: string, after: string): void {
  const target = path.join(project, file);
  const text = readFileSync(target, 'utf8');
  expect(text).toContain(before);
  writeFileSync(target, text.replace(before, after));
}

/** Runs the project's tests. */
function runTests(project: string): Promise<StepResult> {
  return runStep(process.execPath, [path.resolve('node_modules/vitest/vitest.mjs'), 'run'], project);
}

/** A tool that changes the list of resources, and clients of both kinds of revision that hear of it over HTTP. */
const CHANGES_TEST = `import { expect, test } from "vitest";
import { createClient } from "../src/generated/2026-07-28/client.js";
import { revision as stateful } from "../src/generated/2025-11-25/revision.js";
import { revision as stateless } from "../src/generated/2026-07-28/revision.js";
import { httpClientTransport } from "../src/generated/runtime/http-client.js";
import { listen } from "../src/listen.js";

test("a change reaches all clients", async () => {
  const { url, close } = await listen(0);
  const heard: string[] = [];
  const client = async (name: string, revision: typeof stateful | typeof stateless) => {
    const one = createClient({
      info: { name, version: "1.0.0" },
      revisions: [revision],
      notifications: { "notifications/resources/list_changed": () => void heard.push(name) },
    });
    await one.connect(httpClientTransport({ url, headers: { authorization: "Bearer secret" } }));
    return one;
  };
  const older = await client("older", stateful);
  const newer = await client("newer", stateless);
  await newer.listen({ resourcesListChanged: true });
  const caller = await client("caller", stateful);
  await caller.callTool({ name: "greet", arguments: { name: "Ann" } });
  await expect.poll(() => [...heard].sort()).toEqual(["caller", "newer", "older"]);
  await Promise.all([older.close(), newer.close(), caller.close()]);
  await close();
});
`;

test("a project's tests pass after the edits that the docs describe", async () => {
  const project = await createHttpServer('tools,resources,prompts,logging');
  edit(
    project,
    'src/server.ts',
    '{ logging: {} }',
    '{ logging: {}, resources: { listChanged: true, subscribe: true } }',
  );
  edit(
    project,
    'src/listen.ts',
    'path: "/mcp",',
    'path: "/mcp",\n    authorize: { verify: (token) => token === "secret" ? { principal: "me" } : undefined },',
  );
  edit(project, 'test/http.test.ts', '// authorization: "Bearer TOKEN"', 'authorization: "Bearer secret"');
  edit(project, 'mcpgen.config.json', '"http-node"', '"http-node", "http-client"');
  edit(
    project,
    'src/tools/greet.ts',
    '}) => `${GREETINGS[language]}, ${name}!`',
    '}, { notify }) => { notify("notifications/resources/list_changed"); return `${GREETINGS[language]}, ${name}!`; }',
  );
  edit(project, 'src/prompts/introduce.ts', '  render:', '  complete: { tone: () => ["formal"] },\n  render:');
  writeFileSync(path.join(project, 'test/changes.test.ts'), CHANGES_TEST);
  const generated = await mcpgen(['generate'], { cwd: project });
  expect(generated.code, generated.stderr).toBe(0);
  const { code, output } = await runTests(project);
  expect(code, output).toBe(0);
});

test("a project's tests pass without its examples", async () => {
  const project = await createHttpServer('tools,resources,prompts,completion,logging');
  for (const kind of ['tool', 'resource', 'prompt']) {
    const files = readdirSync(path.join(project, `src/${kind}s`)).filter((file) => file.endsWith('.ts'));
    for (const name of files.map((file) => path.basename(file, '.ts')).filter((file) => file !== 'index')) {
      const removed: Run = await mcpgen(['remove', kind, name], { cwd: project });
      expect(removed.code, removed.stderr).toBe(0);
    }
  }
  const { code, output } = await runTests(project);
  expect(code, output).toBe(0);
});
