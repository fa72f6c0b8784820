// Builds dist/: the command line, the programmatic interface and the typings of the built-in revisions, as ESM and,
// below dist/cjs/, as CommonJS for `require` on Node versions that cannot require ESM.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(root, 'dist');
const ENTRIES = ['generator/index', 'generator/plugin', 'generator/plugins/markdown', 'generator/plugins/openrpc'];
const sources = [
  'generator',
  'generated',
  'templates',
  'schema',
  'scripts',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

/** What is in a folder, but for the generated code of the project templates, which is made here. */
function entriesOf(folder) {
  const names = readdirSync(folder);
  return path.basename(folder) === 'src' ? names.filter((name) => name !== 'generated') : names;
}

function newest(file) {
  const stats = statSync(file);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...entriesOf(file).map((name) => newest(path.join(file, name))));
}

/** Whether no source has changed since the build of dist/ began. */
function isUpToDate() {
  const built = path.join(dist, 'built');
  return (
    existsSync(built) && statSync(built).mtimeMs > Math.max(...sources.map((name) => newest(path.join(root, name))))
  );
}

async function buildAll(target) {
  const start = new Date();
  // TypeScript 7 takes a fifth of the time of 6, which the linter and ts-morph need.
  const tsc = path.join(root, 'node_modules/typescript-7/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', path.join(root, 'tsconfig.build.json'), '--outDir', target], {
    stdio: 'inherit',
  });
  chmodSync(path.join(target, 'generator/cli.js'), 0o755);
  const cjs = path.join(target, 'cjs');
  const revisions = readdirSync(path.join(root, 'generated')).filter((name) => name !== 'runtime');
  await build({
    entryPoints: [...ENTRIES, ...revisions.map((revision) => `generated/${revision}/index`)].map((name) => ({
      in: path.join(target, `${name}.js`),
      out: name,
    })),
    outdir: cjs,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    define: { 'import.meta.url': 'moduleUrl' },
    banner: { js: '"use strict"; const moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
  });
  writeFileSync(path.join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
  for (const folder of ['generator', 'generated']) {
    cpSync(path.join(target, folder), path.join(cjs, folder), {
      recursive: true,
      filter: (source) => !source.endsWith('.js'),
    });
  }
  copyPatternChecker(path.join(target, 'recheck'));
  const built = path.join(target, 'built');
  writeFileSync(built, '');
  // A source that is edited during the build may not be in it.
  utimesSync(built, start, start);
}

/** The package recheck would also install a JAR and a native program, ten times the size of the script that is used. */
function copyPatternChecker(target) {
  const source = path.join(root, 'node_modules/recheck');
  cpSync(path.join(source, 'lib/browser.js'), path.join(target, 'recheck.cjs'));
  cpSync(path.join(source, 'LICENSE'), path.join(target, 'LICENSE'));
}

/** The project templates are tested where they are, with generated code and built pages that are not committed. */
function generateForTemplates() {
  for (const kind of ['server', 'client']) {
    const config = path.join(root, 'templates', kind, 'mcpgen.config.json');
    execFileSync(process.execPath, [path.join(dist, 'generator/cli.js'), 'generate', '--config', config, '--json'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  execFileSync(process.execPath, ['build-pages.js'], { cwd: path.join(root, 'templates/server') });
}

const wasUpToDate = isUpToDate();
if (!wasUpToDate) {
  // Built in a temporary folder and moved when complete, so that a failed build leaves the last good one.
  const target = path.join(root, `dist-${process.pid}`);
  try {
    await buildAll(target);
    rmSync(dist, { recursive: true, force: true });
    renameSync(target, dist);
  } catch (error) {
    rmSync(target, { recursive: true, force: true });
    // The compiler has printed what is wrong.
    if (error.status === undefined) throw error;
    process.exitCode = 1;
  }
}
const areTemplatesComplete = ['client/src/generated', 'server/dist/pages'].every((name) =>
  existsSync(path.join(root, 'templates', name)),
);
if (!wasUpToDate || !areTemplatesComplete) generateForTemplates();
