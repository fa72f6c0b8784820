/**
 * Proves by hashes that a folder is what a run would write, so that `--check` loads and prints nothing.
 *
 * A run that found or made the folder up to date stores the hash of each file that it expects, for the hash of all its
 * inputs: options, contents of input files, the tool itself, the versions of Node and Prettier, and the Prettier config
 * of each file. The entry is sealed (`output/cache.ts`). A later run believes it only if all of these are the same, each
 * file has the expected contents, and the folder has nothing else that a run would remove or mention. In every other case
 * it renders again.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { GenerateOptions, GenerateResult } from '../../generate.js';
import { SealedCache } from '../../output/cache.js';
import { findKeptFiles, planChanges, type PlannedFile } from '../../output/plan.js';
import { prettierConfigText } from '../../output/format.js';
import { toolBuildHash } from '../../read/builtin/tool-build.js';

/** Folders of the output that belong to no revision. */
const SHARED_FOLDERS: ReadonlySet<string> = new Set(['runtime', 'tools']);

/** What is stored of a run. */
interface Proof {
  /** The hash of each file, by its path below the output folder. */
  readonly files: Readonly<Record<string, string>>;
  /** The Prettier config of each file. */
  readonly configs: Readonly<Record<string, string>>;
}

/**
 * The number of files in the output folder, if all of it is proven to be up to date.
 *
 * @returns Undefined if nothing is proven, for whatever reason.
 */
export async function provenFiles(options: GenerateOptions): Promise<number | undefined> {
  const key = inputKey(options);
  const text = key === undefined ? undefined : new SealedCache('checked').read(key);
  if (text === undefined) return undefined;
  try {
    const { files, configs } = JSON.parse(text) as Proof;
    const out = path.resolve(options.out);
    const planned: PlannedFile[] = [];
    for (const [name, hash] of Object.entries(files)) {
      const contents = readFileSync(path.join(out, name), 'utf8');
      if (hashOf(contents) !== hash) return undefined;
      planned.push({ path: name, contents });
    }
    if (!hasOnlyFolders(out, planned)) return undefined;
    const hasConfig = new Map<string, boolean>();
    for (const [name, config] of Object.entries(configs)) {
      if ((await prettierConfigText(path.join(out, name), hasConfig)) !== config) return undefined;
    }
    // The same comparison as always: it finds orphans, links and files of others.
    const changes = [...planChanges(out, planned), ...findKeptFiles(out, planned)];
    return changes.every(({ status }) => status === 'unchanged') ? changes.length : undefined;
  } catch {
    // Whatever is wrong, the full check reports it.
    return undefined;
  }
}

/** Stores that a folder is up to date, if that is all there is to report about it. */
export async function storeProof(options: GenerateOptions, { out, changes, warnings }: GenerateResult): Promise<void> {
  const key = inputKey(options);
  const isPlain = changes.every(({ status }) => status === 'unchanged' || status === 'missing' || status === 'stale');
  if (key === undefined || warnings.length > 0 || !isPlain) return;
  const hasConfig = new Map<string, boolean>();
  const files: Record<string, string> = {};
  const configs: Record<string, string> = {};
  for (const { path: name, expected } of changes) {
    if (expected === undefined) return;
    files[name] = hashOf(expected);
    const config = await prettierConfigText(path.join(out, name), hasConfig);
    if (config === undefined) return;
    configs[name] = config;
  }
  new SealedCache('checked').write(key, JSON.stringify({ files, configs } satisfies Proof));
}

/** Whether the folder has no folder of another revision, and each revision names its methods: then no method is new. */
function hasOnlyFolders(out: string, planned: readonly PlannedFile[]): boolean {
  const names = new Set(planned.map((file) => file.path));
  const folders = new Set([...names].filter((name) => name.includes('/')).map((name) => name.split('/')[0] ?? ''));
  const entries = readdirSync(out, { withFileTypes: true });
  return (
    entries.every((entry) => !entry.isDirectory() || folders.has(entry.name)) &&
    [...folders].every(
      (folder) =>
        SHARED_FOLDERS.has(folder) || ['ts', 'js'].some((extension) => names.has(`${folder}/methods.${extension}`)),
    )
  );
}

/** All inputs as one text; undefined if one of them is a program, whose result may change. */
function inputKey(options: GenerateOptions): string | undefined {
  const { onProgress: _, dryRun: __, plugins = [], documents, out, ...others } = options;
  if (plugins.length > 0) return undefined;
  const inputs = { ...others, documents: [...(documents ?? [])], out: path.resolve(out) };
  return hashOf(JSON.stringify([toolBuildHash(), inputs]));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
