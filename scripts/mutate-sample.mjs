// Plants a random sample of faults, so that a share of caught faults can be measured in an hour:
//   npm run mutate:sample -- --sample 40 --seed 1 generator/read generated/runtime
// Every fault that Stryker would plant in a folder has the same chance. One run of the tests finds which test files
// reach which fault. Each fault then runs with those files, the quickest ones first, until one fails or `--limit` is
// reached. A test file slower than the limit takes part only where it imports the source. Code that runs once, while a
// module is loaded, is left out. Outcomes are saved after each fault, and the same command continues a run that was
// stopped. `--again ID,ID` repeats only these faults, and `--with FILE,FILE` adds test files for all of them.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';
import { parseArgs } from 'node:util';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { randomFrom } from '../test/support/random.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    /** Seconds of tests for one fault, as measured without it. */
    limit: { type: 'string', default: '20' },
    again: { type: 'string', default: '' },
    with: { type: 'string', default: '' },
  },
});
const FOLDERS =
  positionals.length > 0
    ? positionals
    : ['generated/runtime', 'generator/read', 'generator/model', 'generator/emit', 'generator/output'];
const OUT = 'reports/mutation/sample';
const RESULTS = `${OUT}/results.json`;
const LIMIT_MS = Number(options.limit) * 1000;
const TEST_TIMEOUT_MS = 30_000;
const again = new Set(options.again.split(',').filter((id) => id !== ''));
const added = new Set(options.with.split(',').filter((file) => file !== ''));
const silent = Object.fromEntries(
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((level) => [level, () => undefined]),
);
const logger = { ...silent, isDebugEnabled: () => false };

function instrument(files) {
  return new Instrumenter(logger).instrument(files, { plugins: null, ignorers: [], excludedMutations: [] });
}

const keyOf = ({ fileName, mutatorName, location, replacement }) =>
  JSON.stringify([fileName, mutatorName, location, replacement]);

/** The first `count` faults of a folder in random order: a larger sample with the same seed includes a smaller one. */
async function sampleOf(folder, count, seed) {
  const files = readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.posix.join(folder, name.replaceAll('\\', '/')))
    .sort();
  const all = [];
  for (const name of files) {
    const { mutants } = await instrument([{ name, content: readFileSync(name, 'utf8'), mutate: true }]);
    all.push(...mutants.filter(({ status }) => status === undefined));
  }
  const random = randomFrom(seed);
  for (let last = all.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [all[last], all[other]] = [all[other], all[last]];
  }
  return { total: all.length, chosen: all.slice(0, count) };
}

/** Writes the sources with a switch for each chosen fault. A range brings a few more faults, which stay off. */
async function plant(chosen) {
  const ranges = new Map();
  for (const { fileName, location } of chosen) ranges.set(fileName, [...(ranges.get(fileName) ?? []), location]);
  const { files, mutants } = await instrument(
    [...ranges].map(([name, mutate]) => ({ name, content: readFileSync(name, 'utf8'), mutate })),
  );
  for (const { name, content } of files) {
    const file = path.join(OUT, 'sources', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const ids = new Map(mutants.map((mutant) => [keyOf(mutant), mutant.id]));
  return chosen.map((mutant) => ids.get(keyOf(mutant)));
}

function runTests(args, env, timeoutMs) {
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.mutate.config.ts', ...args],
    { stdio: ['ignore', 'ignore', 'inherit'], detached: true, env: { ...process.env, MCPGEN_MUTANTS: OUT, ...env } },
  );
  const stop = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      stop();
      resolve('timeout');
    }, timeoutMs);
    child.on('exit', (code) => {
      clearTimeout(timer);
      stop();
      resolve(code === 0 ? 'passed' : 'failed');
    });
  });
}

/** How long each test file took last, as Vitest remembers it. */
function durations() {
  const folder = 'node_modules/.vite/vitest';
  if (!existsSync(folder)) return new Map();
  return new Map(
    readdirSync(folder)
      .flatMap((name) => JSON.parse(readFileSync(`${folder}/${name}/results.json`, 'utf8')).results)
      .map(([name, { duration }]) => [name.replace(/^.*?:/, ''), duration]),
  );
}

/** Whether a test file imports a source, or the template of that source. */
function isTestOf(test, source) {
  const imported = [...readFileSync(test, 'utf8').matchAll(/from '(\.[^']*)\.js'/g)].map(([, name]) =>
    path.join(path.dirname(test), `${name}.ts`).replace(/^templates/, 'generated'),
  );
  return imported.includes(source);
}

/** Which test files pass without a fault, how long they take, and which faults they reach. */
async function coverageOf() {
  const report = `${OUT}/coverage.json`;
  rmSync(`${OUT}/coverage`, { recursive: true, force: true });
  mkdirSync(`${OUT}/coverage`, { recursive: true });
  const slow = [...durations()]
    .filter(([file, ms]) => ms > LIMIT_MS && existsSync(file))
    .map(([file, ms]) => ({ file, ms }));
  await runTests(
    [
      ...slow.map(({ file }) => `--exclude=${file}`),
      '--no-isolate',
      '--maxWorkers=1',
      '--reporter=json',
      `--outputFile=${report}`,
    ],
    { MCPGEN_MUTANT_COVERAGE: '1' },
    3_600_000,
  );
  const reached = new Map(
    readdirSync(`${OUT}/coverage`).map((name) => {
      const { file, loading, running } = JSON.parse(readFileSync(`${OUT}/coverage/${name}`, 'utf8'));
      return [file, { loading, running }];
    }),
  );
  const quick = JSON.parse(readFileSync(report, 'utf8')).testResults.map(({ name, status, startTime, endTime }) => ({
    file: path.relative('', name),
    passed: status === 'passed',
    ms: Math.round(endTime - startTime),
    ...reached.get(name),
  }));
  return [...quick, ...slow.map(({ file, ms }) => ({ file, passed: true, ms, slow: true }))];
}

async function tryFault({ id, fileName }, tests) {
  const fresh = [...added].filter((name) => !tests.some(({ file }) => file === name));
  const covering = [...tests, ...fresh.map((file) => ({ file, passed: true, ms: 0 }))]
    .filter(
      ({ file, passed, running, slow }) =>
        passed && (added.has(file) || (slow ? isTestOf(file, fileName) : running?.includes(id))),
    )
    .sort((a, b) => a.ms - b.ms);
  if (covering.length === 0) {
    return { status: tests.some(({ loading }) => loading?.includes(id)) ? 'static' : 'uncovered' };
  }
  let sum = 0;
  const chosen = covering
    .filter(({ file, ms, slow }) => slow || added.has(file) || (sum += ms) < LIMIT_MS)
    .map(({ file }) => file);
  const report = `${OUT}/run.json`;
  rmSync(report, { force: true });
  const outcome = await runTests(
    [
      ...chosen,
      '--no-isolate',
      '--maxWorkers=1',
      '--bail=1',
      '--passWithNoTests',
      '--experimental.fsModuleCache',
      `--experimental.fsModuleCachePath=${OUT}/modules`,
      `--testTimeout=${TEST_TIMEOUT_MS}`,
      `--hookTimeout=${TEST_TIMEOUT_MS}`,
      '--reporter=json',
      `--outputFile=${report}`,
    ],
    { __STRYKER_ACTIVE_MUTANT__: id, MCPGEN_TEST_ORDER: chosen.join(',') },
    LIMIT_MS * 10 + 120_000,
  );
  const counts = { run: chosen.length, covering: covering.length };
  if (outcome === 'timeout') return { status: 'timeout', ...counts };
  if (outcome === 'passed') return { status: chosen.length < covering.length ? 'limited' : 'survived', ...counts };
  const failed = existsSync(report)
    ? JSON.parse(readFileSync(report, 'utf8')).testResults.find(({ status }) => status === 'failed')
    : undefined;
  const assertion = failed?.assertionResults.find(({ status }) => status === 'failed');
  return {
    status: 'killed',
    ...counts,
    by: failed && path.relative('', failed.name),
    test: assertion?.fullName,
    message: (assertion?.failureMessages[0] ?? failed?.message ?? '').slice(0, 300),
  };
}

function print(results) {
  for (const { folder, total, mutants } of results.folders) {
    const count = (...states) => mutants.filter(({ status }) => states.includes(status)).length;
    const tried = mutants.filter(({ status }) => status !== undefined).length;
    process.stdout.write(
      `${folder}: ${tried} of ${total} faults tried, ${count('killed', 'timeout')} caught, ` +
        `${count('survived')} survived, ${count('limited')} survived the quick tests, ${count('uncovered')} not reached, ` +
        `${count('static')} left out\n`,
    );
  }
}

const command = JSON.stringify([options.sample, options.seed, FOLDERS]);
mkdirSync(OUT, { recursive: true });
let results = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : undefined;
const save = () => writeFileSync(RESULTS, JSON.stringify(results, null, 2));
if (results?.command !== command) {
  const build = spawnSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
  if (build.status !== 0) process.exit(build.status ?? 1);
  for (const folder of ['sources', 'modules']) rmSync(`${OUT}/${folder}`, { recursive: true, force: true });
  const folders = [];
  for (const folder of FOLDERS) {
    const { total, chosen } = await sampleOf(folder, Number(options.sample), Number(options.seed));
    folders.push({ folder, total, mutants: chosen });
    process.stdout.write(`${folder}: ${chosen.length} of ${total} faults\n`);
  }
  const all = folders.flatMap(({ mutants }) => mutants);
  for (const [index, id] of (await plant(all)).entries()) all[index].id = id;
  results = { command, commit: spawnSync('git', ['rev-parse', 'HEAD']).stdout.toString().trim(), folders };
  save();
}
if (results.tests === undefined) {
  results.tests = await coverageOf();
  save();
}
for (const { file } of results.tests.filter(({ passed }) => !passed)) {
  process.stdout.write(`${file} fails without a fault and takes no part\n`);
}
for (let index = 0; index < Number(options.sample); index += 1) {
  for (const { mutants } of results.folders) {
    const mutant = mutants[index];
    if (mutant === undefined || (again.size > 0 ? !again.has(mutant.id) : mutant.status !== undefined)) continue;
    Object.assign(mutant, await tryFault(mutant, results.tests));
    save();
    const { fileName, location, mutatorName, replacement, status, by = '' } = mutant;
    process.stdout.write(
      `${mutant.id} ${fileName}:${location.start.line + 1}:${location.start.column + 1} ${mutatorName} ` +
        `${replacement.replace(/\s+/g, ' ').slice(0, 60)}: ${status} ${by}\n`,
    );
  }
}
print(results);
