/**
 * Scaffolds a project for each package manager, with the packed package and that manager, which comes from the registry:
 * `npm run test:scaffold:managers [-- NAME ...]`. `mcpgen init` installs it; then it runs the scripts and the commands of
 * its README and its workflow as they are there, in an environment like that of CI.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { installPrograms, NoRegistryError, pack } from './packed.js';
import { runStep, type Choice } from './support.js';
import { converse } from './talk.js';

interface Manager {
  /** The package of the registry; undefined for what is there with Node.js. */
  readonly spec?: string;
  readonly name: 'npm' | 'pnpm' | 'yarn' | 'bun';
  readonly lockfile: string;
  /** Words of the workflow. */
  readonly workflow: readonly string[];
}

const MANAGERS: Readonly<Record<string, Manager>> = {
  npm: { name: 'npm', lockfile: 'package-lock.json', workflow: ['npm ci', 'npm test'] },
  pnpm: {
    spec: 'pnpm@latest',
    name: 'pnpm',
    lockfile: 'pnpm-lock.yaml',
    workflow: ['pnpm/action-setup@', 'pnpm install'],
  },
  'yarn-classic': {
    spec: 'yarn@1',
    name: 'yarn',
    lockfile: 'yarn.lock',
    workflow: ['yarn install --frozen-lockfile'],
  },
  'yarn-modern': {
    spec: '@yarnpkg/cli-dist@latest',
    name: 'yarn',
    lockfile: 'yarn.lock',
    workflow: ['corepack enable', 'yarn install'],
  },
  bun: {
    spec: 'bun@latest',
    name: 'bun',
    lockfile: 'bun.lock',
    workflow: ['oven-sh/setup-bun@', 'bun install --frozen-lockfile'],
  },
};

/** What Yarn says of a package that its registry does not have. */
const MISSING_PACKAGE = /Response Code: 404[^]*?Request URL: \S+\/(\S+)/;

/** Each one needs different packages. */
const CHOICES: readonly Choice[] = [
  {
    kind: 'server',
    revisions: ['2025-11-25', '2026-07-28'],
    features: 'tools,resources,prompts,sampling',
    transport: 'stdio,http',
    runtime: 'none',
  },
  { kind: 'client', revisions: ['2025-11-25'], features: 'roots', transport: 'stdio,http', runtime: 'none' },
  { kind: 'server', revisions: ['2025-11-25'], features: 'tools', transport: 'stdio,http', runtime: 'sdk' },
  { kind: 'client', revisions: ['2025-11-25'], features: 'none', transport: 'stdio', runtime: 'sdk' },
];

/** Commands after `run:` in a workflow, and those of a README that are about the project itself. */
function commandsOf(project: string, manager: Manager): readonly string[] {
  const workflow = readFileSync(path.join(project, '.github/workflows/ci.yml'), 'utf8');
  for (const words of manager.workflow) {
    if (!workflow.includes(words)) throw new Error(`the workflow lacks ${words}:\n${workflow}`);
  }
  const steps = [...workflow.matchAll(/- run: (.+)/g)].map(([, command = '']) => command);
  // What is on this machine need not be brought.
  const inWorkflow = steps.filter((command) => !command.includes('corepack'));
  const readme = readFileSync(path.join(project, 'README.md'), 'utf8');
  const inReadme = [...readme.matchAll(/^(?:npm|pnpm|yarn|bun) (?:run )?(?:generate|check|test|build)\b/gm)].map(
    ([command]) => command,
  );
  return [...new Set([...inReadme, ...inWorkflow])];
}

/** The command of a client's README that runs the sources, with a server of ours. */
function devCommand(project: string): string | undefined {
  const readme = readFileSync(path.join(project, 'README.md'), 'utf8');
  const server = `'${process.execPath}' '${path.resolve('node_modules/tsx/dist/cli.mjs')}' '${path.resolve('templates/server/src/index.ts')}'`;
  return /^(.*run dev -- .*)node path\/to\/server\.js/m.exec(readme)?.[1]?.concat(server);
}

function quiet(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

/** What Git would commit, apart from what was written. */
function unexpectedFiles(project: string, lockfile: string): readonly string[] {
  quiet('init', '--quiet', project);
  return quiet('-C', project, 'ls-files', '--others', '--exclude-standard')
    .split('\n')
    .filter((name) => name.startsWith('.yarn/') || name.startsWith('.pnp') || name.startsWith('node_modules/'))
    .concat(existsSync(path.join(project, lockfile)) ? [] : [`no ${lockfile}`]);
}

async function checkManager(
  folder: string,
  cli: string,
  programs: string | undefined,
  manager: Manager,
): Promise<void> {
  const env = {
    PATH: [programs, process.env['PATH']].filter((entry) => entry !== undefined).join(path.delimiter),
    npm_config_user_agent: '',
  };
  const good = async (project: string, program: string, ...args: readonly string[]): Promise<string> => {
    const { command, code, output } = await runStep(program, args, project, env);
    if (code !== 0) throw new Error(`${command} exited with ${code}:\n${output}`);
    return output;
  };
  for (const [index, choice] of CHOICES.entries()) {
    const { kind, revisions, features, transport, runtime } = choice;
    const flags = ['-r', revisions.join(','), '--features', features, '--transport', transport, '--runtime', runtime];
    const name = `case-${index}`;
    const more = ['--package-manager', manager.name, '--no-git'];
    await good(folder, process.execPath, cli, 'init', kind, name, ...flags, ...more);
    const project = path.join(folder, name);
    for (const command of commandsOf(project, manager)) await good(project, '/bin/sh', '-c', command);
    const dev = devCommand(project);
    if (dev !== undefined && !(await good(project, '/bin/sh', '-c', dev)).includes('greet: Greets')) {
      throw new Error(`${dev} lists no tools`);
    }
    const stray = unexpectedFiles(project, manager.lockfile);
    if (stray.length > 0) throw new Error(`in the repository: ${stray.join(', ')}`);
    await converse(project, choice);
    console.log(`        ${kind} / ${transport} / ${runtime}`);
    rmSync(project, { recursive: true, force: true });
  }
}

const words = process.argv.slice(2);
const wanted = Object.entries(MANAGERS).filter(([name]) => words.length === 0 || words.includes(name));
const folder = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'mcpgen-managers-'));
const begun = performance.now();
let [passed, failed] = [0, 0];
try {
  const tarball = await pack(folder);
  const cli = path.join(await installPrograms(path.join(folder, 'mcpgen'), tarball), 'mcpgen');
  for (const [name, manager] of wanted) {
    const own = path.join(folder, name);
    mkdirSync(own);
    let programs: string | undefined;
    try {
      if (manager.spec !== undefined) programs = await installPrograms(path.join(folder, `bin-${name}`), manager.spec);
    } catch (error) {
      // npm and pnpm are supported; the others are tested where they are available.
      if (name === 'pnpm' && !(error instanceof NoRegistryError)) failed += 1;
      console.log(`skipped ${name}: it cannot be installed here: ${String(error).slice(0, 300)}`);
      continue;
    }
    const start = performance.now();
    try {
      await checkManager(own, cli, programs, manager);
      passed += 1;
      console.log(`ok      ${name}, ${((performance.now() - start) / 1000).toFixed(0)} s`);
    } catch (error) {
      // Yarn 2 and later ask for packages of all platforms, of which a registry that mirrors few may lack some.
      const lacking = name.startsWith('yarn') ? MISSING_PACKAGE.exec(String(error))?.[1] : undefined;
      if (lacking !== undefined) {
        console.log(`skipped ${name}: the registry here lacks ${lacking}`);
        continue;
      }
      failed += 1;
      console.log(`FAIL    ${name}\n${String(error).replace(/^/gm, '     ')}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(
  `\n${passed} of ${wanted.length} package managers, ${((performance.now() - begun) / 1000).toFixed(0)} seconds`,
);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
