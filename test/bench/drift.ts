/**
 * Benchmark of `mcpgen drift`, for `npm run bench:drift`: the whole process against that of `tsc`, which assigns the same
 * types to each other both ways and can only say which of them do not fit. They run in turns. `-- --runs 9` counts more runs than 3.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compareWithPackage } from '../../generator/index.js';
import { median, printTable } from './support.js';

const root = path.resolve(import.meta.dirname, '../..');
const scratch = path.join(root, 'out', 'bench-drift');
const runs = Math.max(1, Number(process.argv[process.argv.indexOf('--runs') + 1]) || 3);
const CASES = [
  ['@modelcontextprotocol/sdk/spec.types.js', '2025-11-25'],
  ['@modelcontextprotocol/sdk/types.js', '2025-11-25'],
  ['@modelcontextprotocol/client', '2026-07-28'],
  ['@modelcontextprotocol/server', '2026-07-28'],
] as const;

/** Seconds of one run, on the clock. */
function seconds(args: readonly string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status === null || status > 2) throw new Error(`${args.join(' ')}: ${stderr}`);
  return (performance.now() - start) / 1000;
}

const rows: string[][] = [['package and revision', 'drift', 'tsc', 'ratio']];
mkdirSync(scratch, { recursive: true });
try {
  for (const [sdk, revision] of CASES) {
    const { definitions } = await compareWithPackage({ sdk, revision, folder: root });
    const file = path.join(scratch, 'question.mts');
    writeFileSync(
      file,
      [
        `import type * as Ours from '../../generated/${revision}/types.js';`,
        `import type * as Theirs from '${sdk}';`,
        ...definitions
          .filter(({ name, theirs }) => theirs === name)
          .flatMap(({ name }, index) => [
            `declare const ours${index}: Ours.${name}; declare const theirs${index}: Theirs.${name};`,
            `export const a${index}: Theirs.${name} = ours${index}; export const b${index}: Ours.${name} = theirs${index};`,
          ]),
      ].join('\n'),
    );
    const drift = [path.join(root, 'dist/generator/cli.js'), 'drift', '--sdk', sdk, '--revision', revision];
    const config = path.join(scratch, 'tsconfig.json');
    writeFileSync(
      config,
      JSON.stringify({
        compilerOptions: {
          noEmit: true,
          strict: true,
          skipLibCheck: true,
          types: [],
          lib: ['es2022'],
          module: 'nodenext',
        },
        files: ['question.mts'],
      }),
    );
    const tsc = [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', config];
    const times = Array.from({ length: runs }, () => [seconds(drift), seconds(tsc)] as const);
    const own = median(times.map(([time]) => time));
    const peer = median(times.map(([, time]) => time));
    rows.push([`${sdk} ${revision}`, `${own.toFixed(1)} s`, `${peer.toFixed(1)} s`, (own / peer).toFixed(2)]);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
printTable(`Whole process, seconds on the clock (median of ${runs})`, rows);
