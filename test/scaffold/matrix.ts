/**
 * Scaffolds every kind of project that makes sense with the packed package, installs what each asks for and nothing else,
 * has it check, build, lint and test itself, and talks to it, without what only its author installs:
 * `npm run test:scaffold [-- WORD ...]` takes those whose titles have all the words; `--from N` begins with the Nth of
 * them, to go on after a run that was stopped.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { installPrograms, pack, SharedInstallations } from './packed.js';
import { converse } from './talk.js';
import { ALL_FEATURES, ALL_REVISIONS, runScripts, scaffold, titleOf, type Choice } from './support.js';

const SETS = [...ALL_REVISIONS.map((revision) => [revision]), ['2025-11-25', '2026-07-28'], ALL_REVISIONS];
const HAS_ELICITATION = '2025-06-18';
const HAS_APPS = '2025-11-25';
const PARALLEL = 2;

function featuresFor(kind: Choice['kind'], revisions: readonly string[]): readonly string[] {
  const newest = revisions.at(-1) ?? '';
  const all = ALL_FEATURES[kind]
    .split(',')
    .filter((name) => name !== 'elicitation' || newest >= HAS_ELICITATION)
    .filter((name) => name !== 'app' || newest >= HAS_APPS);
  return kind === 'server'
    ? ['none', 'tools', 'prompts,completion', 'tools,resources,prompts', all.join(',')]
    : ['none', all.join(',')];
}

/** Over HTTP some transports of the official SDK know only what begins with `initialize`. */
function isRefused({ kind, revisions, transport, runtime }: Choice): boolean {
  const hasSessionsOnly = runtime === 'sdk-v1' || (runtime === 'sdk' && kind === 'server');
  return hasSessionsOnly && transport !== 'stdio' && revisions.every((revision) => revision === '2026-07-28');
}

function allChoices(): readonly Choice[] {
  const found: Choice[] = [];
  for (const kind of ['server', 'client'] as const) {
    // Every set of features with every set of revisions.
    for (const revisions of SETS) {
      for (const features of featuresFor(kind, revisions)) {
        found.push({ kind, revisions, features, transport: 'stdio', runtime: 'none' });
      }
    }
    // Every transport with every runtime, for those sets of revisions that differ there.
    for (const runtime of ['none', 'sdk', 'sdk-v1'] as const) {
      for (const transport of ['stdio', 'http', 'stdio,http'] as const) {
        if (transport === 'stdio' && runtime === 'none') continue;
        for (const revisions of [['2025-11-25'], ['2026-07-28'], ALL_REVISIONS]) {
          const choice: Choice = { kind, revisions, features: ALL_FEATURES[kind], transport, runtime };
          if (!isRefused(choice)) found.push(choice);
        }
      }
    }
  }
  return found;
}

interface Verdict {
  readonly title: string;
  readonly problem: string | undefined;
  readonly seconds: number;
}

interface Workplace {
  readonly projects: string;
  /** The program that is packed. */
  readonly cli: string;
  readonly installations: SharedInstallations;
}

async function prepare(folder: string): Promise<Workplace> {
  const tarball = await pack(folder);
  const programs = await installPrograms(path.join(folder, 'mcpgen'), tarball);
  const projects = path.join(folder, 'projects');
  mkdirSync(projects);
  return { projects, cli: path.join(programs, 'mcpgen'), installations: new SharedInstallations(folder) };
}

async function checkChoice(
  { projects, cli, installations }: Workplace,
  name: string,
  choice: Choice,
): Promise<Verdict> {
  const begun = performance.now();
  const project = path.join(projects, name);
  const verdict = (problem: string | undefined): Verdict => ({
    title: titleOf(choice),
    problem,
    seconds: (performance.now() - begun) / 1000,
  });
  try {
    const written = await scaffold(projects, name, choice, cli);
    if (written.code !== 0) return verdict(written.output);
    await installations.provide(project);
    const failed = (await runScripts(project)).find(({ code }) => code !== 0);
    if (failed !== undefined) return verdict(`${failed.command}\n${failed.output}`);
    await installations.provide(project, 'dependencies');
    await converse(project, choice);
    return verdict(undefined);
  } catch (error) {
    return verdict(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

const startedAt = performance.now();
const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string', default: '1' } },
});
const wanted = allChoices()
  .filter((choice) => words.every((word) => titleOf(choice).includes(word)))
  .slice(Number(values.from) - 1);
const folder = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'mcpgen-scaffold-'));
const verdicts: Verdict[] = [];
let workplace: Workplace;
try {
  workplace = await prepare(folder);
  const open = wanted.entries();
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      for (const [index, choice] of open) {
        const verdict = await checkChoice(workplace, `case-${index}`, choice);
        verdicts.push(verdict);
        const sign = verdict.problem === undefined ? 'ok  ' : 'FAIL';
        const number = String(index + Number(values.from)).padStart(3);
        console.log(`${number} ${sign} ${verdict.seconds.toFixed(0).padStart(4)} s  ${verdict.title}`);
        if (verdict.problem !== undefined) console.log(verdict.problem.trimEnd().replace(/^/gm, '     '));
      }
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const failures = verdicts.filter(({ problem }) => problem !== undefined);
console.log(
  `\n${verdicts.length - failures.length} of ${wanted.length} projects install, check, build, lint, test and talk;` +
    ` ${workplace.installations.count} installations, ${((performance.now() - startedAt) / 1000).toFixed(0)} seconds`,
);
for (const { title } of failures) console.log(`FAIL  ${title}`);
process.exitCode = failures.length === 0 && wanted.length > 0 ? 0 : 1;
