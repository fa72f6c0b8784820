// Plants faults in the sources and runs the tests, to find behavior that no test checks:
//   npm run mutate -- generator/model/diff generator/read/fetch.ts generator/model/load.ts:190-200
// Without paths, all sources are mutated, which takes many hours. Options of Stryker are passed on.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const paths = [];
const options = [];
for (const arg of process.argv.slice(2)) (arg.startsWith('-') ? options : paths).push(arg);

const patterns = paths.map((given) => {
  const [, file, range = ''] = /^(.*?)(:\d+(?::\d+)?-\d+(?::\d+)?)?$/.exec(given.replaceAll('\\', '/'));
  if (!existsSync(file)) {
    process.stderr.write(`error: ${given}: no such file or folder\n`);
    process.exit(2);
  }
  // The tests run the generated copy of the runtime. Its lines are not those of the original.
  if (file.startsWith('templates/runtime')) {
    process.stderr.write(
      `error: ${given}: faults are planted in the generated copy\n  hint: Pass generated/runtime/….\n`,
    );
    process.exit(2);
  }
  return statSync(file).isDirectory() ? `${file.replace(/\/$/, '')}/**/*.ts` : file + range;
});

const build = spawnSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
if (build.status !== 0) process.exit(build.status ?? 1);
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/@stryker-mutator/core/bin/stryker.js',
    'run',
    ...(patterns.length === 0 ? [] : ['--mutate', patterns.join(',')]),
    ...options,
  ],
  { stdio: 'inherit' },
);
process.exit(status ?? 1);
