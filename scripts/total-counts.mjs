// Prints the failures of the test runs that appended their counts to a file, then the total of the counts, and exits with 1
// unless all tests passed.
// Usage: node scripts/total-counts.mjs FILE STATUS..., with the exit status of each run that was started.
import { readFileSync } from 'node:fs';

const [file, ...statuses] = process.argv.slice(2);
const runs = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));
const sum = (name) => runs.reduce((total, run) => total + run[name], 0);

// A run that ended before its counts, or failed in spite of them, is a failure as well.
const missing = Math.max(0, statuses.length - runs.length);
const unexplained = sum('failed') + missing === 0 && statuses.some((status) => status !== '0') ? 1 : 0;
const failed = sum('failed') + missing + unexplained;
const skipped = sum('skipped') === 0 ? '' : `, ${sum('skipped')} skipped`;
for (const failure of runs.flatMap(({ failures }) => failures)) process.stdout.write(`failed: ${failure}\n`);
process.stdout.write(`\n${sum('passed')} passed, ${failed} failed${skipped}\n`);
if (failed > 0) process.exitCode = 1;
