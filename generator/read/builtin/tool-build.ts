/** What this tool consists of, as one hash: its code, the built-in schemas and the runtime. */
import { createHash, type Hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtinPath, tryReadText } from '../files.js';

/** The file in which a build has the hash of its code. */
const BUILD_HASH = 'build-hash';

let known: string | undefined;

/**
 * The hash of everything that decides what the tool writes for an input, except packages, whose versions are in its
 * package.json. Reads schemas and runtime, since a checkout of the tool may be edited between two runs; what was built has
 * the hash of its code.
 */
export function toolBuildHash(): string {
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(`node ${process.versions.node}\n`);
  const root = path.dirname(builtinPath());
  hash.update(readFileSync(path.join(root, 'package.json')));
  const code = codeFolder(root);
  const build = tryReadText(path.join(code, BUILD_HASH));
  if (build === undefined) addFolder(hash, code, /(?<!\.d)\.[jt]s$/);
  else hash.update(build);
  addFolder(hash, builtinPath(), /\.json$/);
  addFolder(hash, path.join(root, 'templates', 'runtime'), /\.ts$/);
  known = hash.digest('hex');
  return known;
}

/** The folder of this tool's code: `generator`, built or not. */
function codeFolder(root: string): string {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (path.basename(folder) !== 'generator' && path.dirname(folder) !== root) folder = path.dirname(folder);
  return folder;
}

function addFolder(hash: Hash, folder: string, names: RegExp): void {
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) addFolder(hash, file, names);
    else if (names.test(entry.name)) {
      const contents = readFileSync(file);
      hash.update(`${file} ${contents.length}\n`).update(contents);
    }
  }
}
