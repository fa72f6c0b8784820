import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { compilePrograms } from './programs.js';

/** Builds the package once before all tests: the command line is tested as it is shipped. */
export default function buildOnce(): void {
  execFileSync(process.execPath, [path.resolve(import.meta.dirname, '../../scripts/build.mjs')], { stdio: 'inherit' });
  compilePrograms();
}
