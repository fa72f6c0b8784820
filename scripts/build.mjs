// Builds dist/: the command line, the programmatic interface and the typings of the built-in revisions, as ESM and,
// below dist/cjs/, as CommonJS for `require` on Node versions that cannot require ESM.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(root, 'dist');
const cjs = path.join(dist, 'cjs');

rmSync(dist, { recursive: true, force: true });
const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
try {
  execFileSync(process.execPath, [tsc, '-p', path.join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
} catch {
  process.exit(1);
}
chmodSync(path.join(dist, 'generator/cli.js'), 0o755);

const revisions = readdirSync(path.join(root, 'generated'));
await build({
  entryPoints: ['generator/index', ...revisions.map((revision) => `generated/${revision}/index`)].map((name) => ({
    in: path.join(dist, `${name}.js`),
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
  cpSync(path.join(dist, folder), path.join(cjs, folder), {
    recursive: true,
    filter: (source) => !source.endsWith('.js'),
  });
}
