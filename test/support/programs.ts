import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';

const ROOT = path.resolve(import.meta.dirname, '../..');
const COMPILED = path.join(ROOT, 'node_modules/.cache/mcpgen-programs');
const SOURCES = [
  'generated/**/*.ts',
  'templates/runtime/**/*.ts',
  'test/support/*.ts',
  'test/connect/children/*.ts',
  'test/runtime/children/*.ts',
  'test/interop/*.ts',
  'test/interop/peers/*.ts',
];

/** The JavaScript of a TypeScript program that tests start as a process: a loader would cost half a second each time. */
export function compiledProgram(source: string): string {
  return path.join(COMPILED, path.relative(ROOT, source)).replace(/\.ts$/, '.js');
}

/** Compiles these programs and what they import, file by file. */
export default function compilePrograms(): void {
  const { outputFiles } = buildSync({
    entryPoints: SOURCES.map((pattern) => path.join(ROOT, pattern)),
    outdir: COMPILED,
    outbase: ROOT,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    write: false,
  });
  for (const { path: file, text } of outputFiles) writeIfChanged(file, text);
  writeIfChanged(path.join(COMPILED, 'package.json'), '{ "type": "module" }\n');
}

/** Another run of the tests may be loading the file. */
function writeIfChanged(file: string, text: string): void {
  try {
    if (readFileSync(file, 'utf8') === text) return;
  } catch {
    mkdirSync(path.dirname(file), { recursive: true });
  }
  writeFileSync(file, text);
}
