import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { plainEnvironment, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { ALL_FEATURES, ALL_REVISIONS, runScripts, step } from './support.js';
import { talk } from './talk.js';

afterAll(removeTemporaryFolders);

const ROOT = path.resolve(import.meta.dirname, '../..');
/** What npm says where there is no registry. */
const OFFLINE = /\b(?:ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH)\b/;
const WEATHER = {
  type: 'object',
  description: 'Looks up the weather of a city.',
  properties: { city: { type: 'string', minLength: 2 }, days: { type: 'integer', minimum: 1 } },
  required: ['city'],
};

/** Packs this package and installs the tarball into a folder. Returns why that is impossible here; undefined if done. */
function installPacked(folder: string): string | undefined {
  const npm = (args: readonly string[], cwd: string): string => {
    const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8', env: plainEnvironment() });
    if (status !== 0) throw new Error(`npm ${args[0] ?? ''}: ${stderr}`);
    return stdout;
  };
  // The tests' own setup has built it.
  const [packed] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], ROOT)) as {
    filename: string;
  }[];
  try {
    npm(['install', '--prefer-offline', '--no-audit', '--no-fund', `./${packed?.filename ?? ''}`], folder);
  } catch (error) {
    const code = OFFLINE.exec(String(error))?.[0];
    if (code === undefined) throw error;
    return `npm reaches no registry (${code})`;
  }
  return undefined;
}

/** Runs a command of npm's that has to succeed. */
async function good(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { command, code, output } = await step(program, args, cwd);
  expect([command, code, output]).toEqual([command, 0, expect.any(String)]);
  return output;
}

test('case-100: the packed package makes a server that installs, passes its scripts, talks and grows', async (context) => {
  const folder = temporaryFolder();
  const reason = installPacked(folder);
  if (reason !== undefined) context.skip(reason);
  await good('npx', ['--no-install', 'mcpgen', 'init', 'server', 'demo', '--yes'], folder);
  const project = path.join(folder, 'demo');
  const { devDependencies } = JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  expect(devDependencies['mcpgen']).toMatch(/^file:\.\.\/mcpgen-.*\.tgz$/);
  for (const { command, code, output } of await runScripts(project, ['check', 'lint', 'build', 'test'])) {
    expect([command, code, output]).toEqual([command, 0, expect.any(String)]);
  }
  await talk(project, {
    kind: 'server',
    revisions: ALL_REVISIONS,
    features: ALL_FEATURES.server,
    transport: 'stdio',
    runtime: 'none',
  });

  writeFileSync(path.join(project, 'schema.json'), JSON.stringify(WEATHER));
  await good('npx', ['--no-install', 'mcpgen', 'add', 'tool', 'get-weather', '--input', 'schema.json'], project);
  const tested = await good('npm', ['test'], project);
  expect(tested).toContain('get-weather.test.ts');
  await good('npm', ['run', 'lint'], project);
  await good('npx', ['--no-install', 'mcpgen', 'generate', '--check'], project);

  // What writes to standard output by mistake does not get past the linter.
  writeFileSync(path.join(project, 'src/noise.ts'), 'console.log("hello");\n');
  const noisy = await step('npm', ['run', 'lint'], project);
  expect([noisy.code, noisy.output]).toEqual([1, expect.stringContaining('no-console')]);
}, 600_000);
