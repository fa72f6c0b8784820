/** Processes that benchmarks start: commands as a whole, and measurements that must not share code with others. */
import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Plugin } from 'esbuild';

/** What one run of a process took. */
export interface Run {
  /** Milliseconds on the clock. */
  readonly clock: number;
  /** Milliseconds of processor time. */
  readonly processor: number;
  /** The most memory that it had, in MiB. */
  readonly memory: number;
}

const METER = `process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  require('node:fs').writeSync(3, JSON.stringify([(userCPUTime + systemCPUTime) / 1000, maxRSS / 1024]));
});
`;

/** Runs Node once, from nothing. Throws if it fails. */
export function runNode(scratch: string, args: readonly string[]): Run {
  const meter = path.join(scratch, 'meter.cjs');
  writeFileSync(meter, METER);
  const start = performance.now();
  const run = spawnSync(process.execPath, ['--require', meter, ...args], {
    cwd: scratch,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, XDG_CACHE_HOME: path.join(scratch, 'cache'), NO_COLOR: '1' },
    maxBuffer: 2 ** 28,
  });
  const clock = performance.now() - start;
  if (run.status !== 0) throw new Error(`${args.join(' ')}: exit code ${String(run.status)}\n${run.stderr}`);
  const [processor, memory] = JSON.parse(run.output[3] ?? '') as [number, number];
  return { clock, processor, memory };
}

/** Bundles a program of this folder into the scratch folder, with the generated code of the checkout that is measured. */
export async function bundleProgram(scratch: string, name: string, root: string): Promise<string> {
  const outfile = path.join(scratch, `${name}.mjs`);
  const generatedOfRoot: Plugin = {
    name: 'generated-of-root',
    setup: (build) => {
      build.onResolve({ filter: /^\.\.\/\.\.\/generated\// }, ({ path: file }) => ({
        path: path.join(root, 'test/bench', file).replace(/\.js$/, '.ts'),
      }));
    },
  };
  await build({
    plugins: [generatedOfRoot],
    entryPoints: [path.join(import.meta.dirname, `${name}.ts`)],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
  return outfile;
}

/** Lets programs in the scratch folder import packages. */
export function linkPackages(root: string, scratch: string): void {
  symlinkSync(path.join(root, 'node_modules'), path.join(scratch, 'node_modules'), 'dir');
  writeFileSync(path.join(scratch, 'package.json'), '{ "type": "module" }\n');
}

/** Runs a measurement of `worker.ts` with the built files of a checkout. */
export function runWorker(program: string, root: string, name: string, args: object): readonly number[] {
  const run = spawnSync(process.execPath, ['--expose-gc', program, name, JSON.stringify(args)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, BENCH_ROOT: root },
  });
  if (run.status !== 0) throw new Error(`${name} ${JSON.stringify(args)}: exit code ${String(run.status)}`);
  return JSON.parse(run.stdout.slice(run.stdout.lastIndexOf('\n') + 1)) as readonly number[];
}
