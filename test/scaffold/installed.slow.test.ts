import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { installPrograms, NoRegistryError, pack } from './packed.js';
import { ALL_FEATURES, ALL_REVISIONS, runScripts, runStep } from './support.js';
import { converse } from './talk.js';

afterAll(removeTemporaryFolders);

const WEATHER = {
  type: 'object',
  description: 'Looks up the weather of a city.',
  properties: { city: { type: 'string', minLength: 2 }, days: { type: 'integer', minimum: 1 } },
  required: ['city'],
};

/** Runs a command of npm's that has to succeed. */
async function good(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { command, code, output } = await runStep(program, args, cwd);
  expect([command, code, output]).toEqual([command, 0, expect.any(String)]);
  return output;
}

test('case-100: the packed package creates a working server', async (context) => {
  const folder = temporaryFolder();
  // The tests' own setup has built it. The project is not below: it resolves only the packages that it depends on.
  const installed = path.join(folder, 'installed');
  try {
    await installPrograms(installed, await pack(folder));
  } catch (error) {
    if (!(error instanceof NoRegistryError)) throw error;
    context.skip(error.message);
  }
  await good('npx', ['--no-install', 'mcpgen', 'init', 'server', 'demo', '--yes', '--dir', '../demo'], installed);
  const project = path.join(folder, 'demo');
  const { devDependencies } = JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  expect(devDependencies['mcpgen']).toMatch(/^file:\.\.\/mcpgen-.*\.tgz$/);
  for (const { command, code, output } of await runScripts(project, ['check', 'lint', 'build', 'test'])) {
    expect([command, code, output]).toEqual([command, 0, expect.any(String)]);
  }
  await converse(project, {
    kind: 'server',
    revisions: ALL_REVISIONS,
    features: ALL_FEATURES.server,
    transport: 'stdio',
    runtime: 'none',
  });

  writeFileSync(path.join(project, 'schema.json'), JSON.stringify(WEATHER));
  await good('npx', ['--no-install', 'mcpgen', 'add', 'tool', 'get-weather', '--input', 'schema.json'], project);
  const tested = await good('npx', ['--no-install', 'vitest', 'run', 'get-weather'], project);
  expect(tested).toContain('get-weather.test.ts');
  await good('npx', ['--no-install', 'mcpgen', 'generate', '--check'], project);

  // What writes to standard output by mistake does not get past the linter, which finds nothing else in what was added.
  writeFileSync(path.join(project, 'src/noise.ts'), 'console.log("hello");\n');
  const noisy = await runStep('npm', ['run', 'lint'], project);
  expect([noisy.code, noisy.output]).toEqual([
    1,
    expect.stringMatching(/no-console[^]*\b1 problem \(1 error, 0 warnings\)/),
  ]);
}, 900_000);
