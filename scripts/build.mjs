// Builds dist/: the command line, the programmatic interface and the typings of the built-in revisions, as ESM and,
// below dist/cjs/, as CommonJS for `require` on Node versions that cannot require ESM.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
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

/** What is in a folder, but for the generated code and the built pages of the project templates, which are made here. */
function entriesOf(folder) {
  const names = readdirSync(folder);
  if (path.basename(folder) === 'src') return names.filter((name) => name !== 'generated');
  return path.basename(path.dirname(folder)) === 'templates' ? names.filter((name) => name !== 'dist') : names;
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
  await bundleCommandLine(target);
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

/**
 * Bundles the command line: one file for what every run needs, and one for each verb. To load a module costs more than to
 * parse it. Packages stay imports, except the small ones that every run needs.
 */
async function bundleCommandLine(target) {
  const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const external = Object.keys(dependencies).filter((name) => !BUNDLED.includes(name));
  await build({
    entryPoints: [{ in: path.join(target, 'generator/cli.js'), out: 'generator/cli' }],
    outdir: target,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    chunkNames: 'generator/chunks/[name]-[hash]',
    external: external.flatMap((name) => [name, `${name}/*`]),
    platform: 'node',
    target: 'node20',
    format: 'esm',
    minifyWhitespace: true,
    // Some packages are CommonJS.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
  });
  chmodSync(path.join(target, 'generator/cli.js'), 0o755);
  for (const name of BUNDLED)
    cpSync(path.join(root, 'node_modules', name, 'LICENSE'), path.join(target, `${name}.LICENSE`));
  writeFileSync(path.join(target, 'generator/build-hash'), hashOfCode(path.join(target, 'generator')));
}

/** Packages whose code is part of the command line. */
const BUNDLED = ['commander', 'diff', 'picocolors'];

/** The hash of all JavaScript of a folder. */
function hashOfCode(folder) {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true }).sort())
    if (name.endsWith('.js')) hash.update(`${name}\n`).update(readFileSync(path.join(folder, name)));
  return hash.digest('hex');
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
