import { execFileSync } from 'node:child_process';
import path from 'node:path';

/** Builds the package once before all tests: the command line is tested as it is shipped. */
export default function buildOnce(): void {
  execFileSync(process.execPath, [path.resolve(import.meta.dirname, '../../scripts/build.mjs')], { stdio: 'inherit' });
}
